"""The terminal shows results safely, whatever characters names and values contain."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from assay import Check, Result, verify
from assay.checks.formatting import format_bound, format_value, one_line, visible
from assay.checks.terminal import print_result

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SNAPSHOT = Path(__file__).with_name("show.txt")
HOSTILE = "[red]\x1b[31m\nbell\x07\u202eevil"
SAFE = r"[red]\x1b[31m\nbell\x07\u202eevil"


def printed(result: Result, *, width: int = 100, terminal: bool = False) -> str:
    out = StringIO()
    console = Console(
        file=out,
        width=width,
        highlight=False,
        force_terminal=terminal,
        color_system="truecolor" if terminal else None,
        no_color=False,
    )
    print_result(result, console)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


@pytest.fixture(scope="module")
def result(spark: SparkSession) -> Result:
    rows = [(1, "a@b.org", 10.5, "x"), (2, None, -3.25, "x"), (3, "nope", 4.0, "y")]
    df = spark.createDataFrame(rows, "id int, email string, amount double, kind string")
    return verify(
        df,
        Check("orders")
        .is_complete("id")
        .is_unique("kind")
        .has_completeness("email", at_least=0.9)
        .warn()
        .hint("ask the web shop")
        .is_email("email", where="kind = 'x'\n  OR kind = 'y'")
        .is_complete("emial"),
        Check("amounts")
        .is_non_negative("amount", hint="refunds have\n a table of their own")
        .has_mean("amount", between=(0, 10))
        .has_max("amount", where="id > 100", at_most=10)
        .has_histogram("kind", satisfies=lambda h: h.ratio("x") < 0.5)
        .has_min("kind", at_least="x")
        .matches_schema({"id": "bigint", "total": "double"}),
        examples=3,
    )


def test_show_is_as_in_the_snapshot(result: Result) -> None:
    assert printed(result) == SNAPSHOT.read_text(encoding="utf-8")


def test_show_prints_to_standard_output(
    result: Result, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    result.show()
    captured = capsys.readouterr()
    lines = [line.rstrip() for line in captured.out.splitlines()]
    assert lines == SNAPSHOT.read_text(encoding="utf-8").splitlines()
    assert captured.err == ""


def test_a_narrow_terminal_loses_nothing(result: Result) -> None:
    def letters(width: int) -> list[str]:
        return sorted("".join(printed(result, width=width).split()))

    assert letters(60) == letters(100)
    assert all(len(line) <= 60 for line in printed(result, width=60).splitlines())


def test_colours_are_for_terminals_only(result: Result) -> None:
    assert "\x1b[" not in printed(result)
    assert "\x1b[1;31m✗" in printed(result, terminal=True)


@pytest.mark.connect
def test_hostile_names_and_values_cannot_act(spark: SparkSession) -> None:
    df = spark.createDataFrame([(1, HOSTILE), (2, HOSTILE)], "id int, v string").toDF("id", HOSTILE)
    check = (
        Check(HOSTILE)
        .is_unique(HOSTILE)
        .has_min(HOSTILE, equals="\x1b]0;title\x07")
        .has_histogram(HOSTILE, satisfies=lambda h: len(h) > 1)
        .is_contained_in(HOSTILE, ["\x1b[2J"], hint="\x1b[5mblink")
        .is_complete(f"{HOSTILE}x")
        .has_mean(HOSTILE, at_least=0)
        .satisfies("id > \x1b 0")
        .has_size(at_least=3, where="id\n>\x1b[31m'")
        .matches(HOSTILE, "\x1b")
    )
    result = verify(df, check, examples=2)
    assert SAFE in str(result.results[0].examples)
    for constraint_result in result:
        assert constraint_result.message == visible(constraint_result.message), (
            constraint_result.message
        )
    text = printed(result, width=300)
    assert text.replace("\n", "") == visible(text.replace("\n", ""))
    assert SAFE in text
    # in colour, nothing but our own styles: no red from markup, no blinking, no title
    for style in ("\x1b[31m", "\x1b[5m", "\x1b]0", "\x1b[2J", "\x07", "\u202e"):
        assert style not in printed(result, width=300, terminal=True)
    for line in str(check.applicable_to(df.schema)).splitlines():
        assert line == visible(line)


def test_values_are_formatted_for_people() -> None:
    assert [
        format_value(value) for value in (None, True, 12345, -0.0, 1e-9, 2.5e12, 1 / 3, 99.99999)
    ] == [
        "-",
        "True",
        "12,345",
        "0.0",
        "0.000000001",
        "2,500,000,000,000.0",
        "0.3333",
        "99.99999",
    ]
    assert [format_value(value) for value in (-1.5e-8, 1e300, 1e-300)] == [
        "-0.000000015",
        "1e+300",
        "1e-300",
    ]
    assert [format_bound(bound) for bound in (1e-5, 1e300, float("inf"), 1e-300, 2.0)] == [
        "0.00001",
        "1e+300",
        "inf",
        "1e-300",
        "2.0",
    ]
    assert [format_value(float(text)) for text in ("nan", "inf", "-inf")] == ["nan", "inf", "-inf"]
    assert format_value("") == "''"
    assert format_value({"0.5": 1.0, "a\n": float("nan")}) == r"0.5: 1.0, a\n: nan"
    assert format_value(b"\x00") == r"b'\x00'"


def test_control_characters_are_escaped() -> None:
    assert visible("plain ü 日本　語 😀 [b]") == "plain ü 日本　語 😀 [b]"
    assert visible("\ud800\u2028\x7f\x9b") == r"\ud800\u2028\x7f\x9b"
    assert one_line("  a\r\n\t b \x1b\n") == r"a b \x1b"
