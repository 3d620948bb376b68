"""The report on a batch: whatever happened to it, whatever is in it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.gate.finding import Finding
from assay.gate.table_schema import TableSchema
from assay.gate.verdict import TrackRecord
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import Column, column_stats, fingerprint, numbers, strings
from assay.report.html import Report
from assay.report.html.findings import metric_of
from assay.report.html.markup import shorten
from assay.report.html.sparkline import MetricSeries
from assay.store import Batch, Decision, Mark, MarkKind
from tests.report.html.reading import Page, sound

MOMENT = datetime(2026, 11, 14, 6, 30, tzinfo=UTC)
SMALL = Path(__file__).with_name("small.txt")

NULLS = Finding(
    "limits",
    Decision.HOLD,
    "the completeness is 0.5, expected at least 0.98 (as in all of 4 batches).",
    "carrier",
    "complete_ratio",
    actual=0.5,
    low=0.98,
    high=1.0,
    false_alarm_rate=0.0025,
    cause="nulls rose from 0.0% to 50.0%.",
    since="date=2026-11-13",
    where="origin = 'KEF' has 90% of the rows that deviate, and 20% of all.",
    sql="SELECT count(`carrier`) / count(*) FROM batch",
)
NEW = Finding("schema", Decision.WARN, "the column is new, of type string.", "note")
REMARK = Finding("gate", Decision.ACCEPT, "a batch of this key was judged before.")


def table(**columns: Column) -> dict[str, Column]:
    return {
        "amount": numbers([1.0, 2.0, 2.5, 40.0]),
        "carrier": strings(["AA", "AA", "DL", "AA"]),
        **columns,
    }


def report(**given: Any) -> Report:
    """A batch that was held, and much is known of."""
    known: dict[str, Any] = {
        "batch": Batch("flights", "date=2026-11-14", MOMENT),
        "decision": Decision.HOLD,
        "findings": (NULLS, NEW, REMARK),
        "judged": MOMENT,
        "marks": (
            Mark("flights", "date=2026-11-14", MarkKind.EXPECTED, "ann", "as agreed", MOMENT),
        ),
        "record": TrackRecord(40, 1, 2, 1),
        "budget": 1 / 200,
        "history": 4,
        "fingerprint": fingerprint(
            table(carrier=strings(["AA", None, None, "XX"]), note=strings(["", "a-1", "b-2", "c"]))
        ),
        "reference": fingerprint(table()),
        "before": Batch("flights", "date=2026-11-13", MOMENT),
        "columns": TableSchema((("amount", "double"), ("carrier", "string"), ("note", "string"))),
        "columns_before": TableSchema((("amount", "int"), ("carrier", "string"), ("gate", "int"))),
        "past": {metric_of(NULLS): MetricSeries(("1", "2", "3", "4"), (1.0, 1.0, 0.99, 1.0))},
        "kept": ("amount: the mean is 11.375, expected 8.0 to 14.0.",),
        "open": ("not enough history: 4 batches, 7 needed.",),
        "store": "/data/store",
    }
    return Report(**{**known, **given})


def test_a_small_report_reads_as_this() -> None:
    """Should it change on purpose: SMALL.write_text(outline)."""
    outline = "\n".join(sound(report().html).outline) + "\n"
    assert outline == SMALL.read_text("utf-8")


def said(kind: MarkKind) -> tuple[Mark, ...]:
    return (Mark("flights", "date=2026-11-14", kind, "ann", "we looked", MOMENT),)


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"marks": ()}, "Held"),
        ({"marks": said(MarkKind.RELEASED)}, "Held, then released"),
        ({"marks": said(MarkKind.REJECTED)}, "Held, then rejected"),
        ({"marks": (), "decision": Decision.WARN, "findings": (NEW,)}, "Accepted with a warning"),
        ({"marks": (), "decision": Decision.ACCEPT, "findings": ()}, "Accepted"),
        (
            {"marks": said(MarkKind.BAD), "decision": Decision.ACCEPT, "findings": ()},
            "Accepted, then marked bad",
        ),
        ({"marks": (), "decision": None, "findings": (), "judged": None}, "Not judged"),
    ],
)
def test_what_became_of_it_is_the_first_heading(given: dict[str, Any], word: str) -> None:
    page = sound(report(**given).html)
    at = next(place for place, each in enumerate(page.outline) if "<h1>" in each)
    heading = [each.strip() for each in page.outline[at + 1 : at + 4]]
    # a symbol and a word: nothing is told by colour alone
    assert heading[0] == '<span class="symbol" aria-hidden="true">'
    assert heading[2] == word
    assert f"date=2026-11-14: {word.lower()}" in page.text


def test_a_word_from_before_the_verdict_does_not_count() -> None:
    later = replace(report(), judged=datetime(2026, 11, 15, tzinfo=UTC))
    assert later.word == "Held"


def test_the_first_batch_ever() -> None:
    first = Report(Batch("flights", "1", MOMENT), Decision.ACCEPT, fingerprint=fingerprint(table()))
    page = sound(first.html)
    assert "flights 1 is the first batch: there is nothing to compare it with." in page.text
    assert "No other batch was judged." in page.text


def test_a_batch_that_could_not_be_read() -> None:
    reason = "it is an HTML page, <!DOCTYPE html>."
    finding = Finding("schema", Decision.HOLD, reason, severity=float("inf"))
    page = sound(Report(Batch("flights", "1", MOMENT), Decision.HOLD, (finding,)).html)
    assert "flights 1 is held. It is an HTML page, <!DOCTYPE html>." in page.text
    assert "Nothing is known of its rows." in page.text


def test_a_batch_without_rows() -> None:
    empty = fingerprint({"amount": numbers([]), "carrier": strings([])})
    page = sound(report(fingerprint=empty).html)
    assert "Rows0" in page.text
    assert "nan" not in page.text.lower()


def test_a_table_without_columns() -> None:
    sound(report(fingerprint=fingerprint({}), reference=None, before=None).html)


HOSTILE = [
    "<script>alert(1)</script>",
    "</style></title><img src=x onerror=alert(1)>",
    '"\' onmouseover="alert(1)',
    "<!-- ]]> --> <![CDATA[",
    "a\u202eb\u2066c\u200d",
    "\x00\x1b[31m\r\n\x85\u2028",
    "\ud800 \udfff",
    "&lt;b&gt; &#x3c;",
    "<b>" * 400_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_what_is_hostile_is_text(text: str) -> None:
    finding = Finding(
        "limits", Decision.HOLD, text, text, text, actual=1.0, low=0.0, high=0.5,
        false_alarm_rate=0.1,
        cause=text, since=text, where=text, sql=text,
    )  # fmt: skip
    remark = Finding("gate", Decision.ACCEPT, text, text)
    values = strings([text, text, text + "2", None])
    html = report(
        batch=Batch(text, text, MOMENT),
        findings=(finding, replace(finding, column=None), remark),
        marks=(Mark(text, text, MarkKind.EXPECTED, text, text, MOMENT),),
        fingerprint=fingerprint({text: values, text + "3": numbers([1.0, 2.0, 3.0, 4.0])}),
        reference=fingerprint({text: strings([text + "4"] * 4)}),
        before=Batch(text, text, MOMENT),
        columns=TableSchema(((text, text), (text + "3", text))),
        columns_before=TableSchema(((text, text + "5"), (text + "6", text))),
        past={metric_of(finding): MetricSeries((text,) * 3, (0.1, 0.2, 0.3))},
        kept=(text,),
        open=(text,),
        limits=text,
        store=text,
    ).html
    page = sound(html)
    assert text not in html.replace("<b>Likely: </b>", "")
    hidden = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert {each for each in html if unicodedata.category(each) in hidden} == {"\n"}
    # in a heading, a card, a list, and a table it is still to be read
    assert page.text.count(shorten(text, 40)[:39]) > 10


@pytest.mark.slow
def test_a_table_of_thousands_of_columns_is_a_small_page() -> None:
    rng = np.random.default_rng(7)
    wide = '<&"\U0001f4a3'
    names = [f"{wide * 30}{at}" for at in range(2000)]
    long = [f"{wide * 400}{at}" for at in range(40)]
    two = column_stats(strings(rng.choice(long, 50))), column_stats(rng.normal(size=50))
    own = Fingerprint(50, {name: two[at % 2] for at, name in enumerate(names)})
    types = TableSchema(tuple((name, f"struct<{wide * 200}>") for name in names))
    findings = tuple(
        Finding(
            "limits",
            level,
            wide * 200,
            name,
            f"m{at % 5}",
            actual=9.0,
            low=0.0,
            high=1.0,
            false_alarm_rate=0.1,
            cause=wide * 300,
            where=wide * 300,
            since=wide * 300,
            sql=wide * 300,
        )
        for level in (Decision.HOLD, Decision.WARN)
        for name in names[level is Decision.WARN :: 2]
        for at in range(25 if name == names[0] else 3)
    )
    past = MetricSeries(tuple(map(str, range(60))), tuple(rng.normal(size=60).tolist()))
    html = report(
        findings=findings,
        fingerprint=own,
        reference=own,
        columns=types,
        columns_before=TableSchema(tuple((f"{name}!", kind) for name, kind in types.types)),
        past={metric_of(each): past for each in findings},
        kept=tuple(f"{wide * 200}{at}" for at in range(10_000)),
        open=tuple(f"{wide * 200}{at}" for at in range(10_000)),
        marks=said(MarkKind.EXPECTED) * 1000,
    ).html
    page = sound(html)
    assert len(html) > 300_000
    for words in ("more findings.", "more columns.", "more changes.", "more sentences."):
        assert words in page.text


def test_columns_with_findings_have_a_card_before_others() -> None:
    columns: dict[str, Column] = {f"c{at}": numbers([1.0, 2.0]) for at in range(200)}
    finding = Finding("limits", Decision.WARN, "odd.", "c199", "mean")
    page = sound(report(findings=(finding,), fingerprint=fingerprint(columns)).html)
    cards = [each for each in page.outline if '<article class="card">' in each]
    assert len(cards) == 61
    text = page.text[page.text.index("Beside the batch before") :]
    assert text.index("c199") < text.index("c0")
    assert "139 more columns." in text


def test_private_columns_show_no_value() -> None:
    secret = replace(NULLS, metric="max", actual=123456.0, reason="the maximum is 123,456.")
    given: dict[str, Any] = {
        "fingerprint": fingerprint(
            {"carrier": strings(["Bond", "Bond"]), "pay": numbers([777777.0] * 2)}
        ),
        "reference": fingerprint({"carrier": strings(["Moneypenny"]), "pay": numbers([888888.0])}),
        "findings": (
            secret,
            replace(NULLS, cause="all values are 'Bond'."),
            replace(NULLS, column="origin", where="carrier = 'Goldfinger' has 90% of them."),
        ),
    }
    shown = sound(report(**given).html).text
    hidden = sound(report(**given, private=frozenset({"carrier", "pay"})).html).text
    for value in ("Bond", "Moneypenny", "Goldfinger", "777,777", "888,888", "123,456"):
        assert value in shown
        assert value not in hidden
    assert "The completeness is 0.5" in hidden


def test_it_is_written_in_the_place_of_another(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("an older one")
    report().write(path)
    assert path.read_text("utf-8") == report().html


def test_text_has_contrast_in_both_colour_schemes() -> None:
    """WCAG 2.2, 1.4.3: 4.5 to 1."""
    style = report().html.split("<style>")[1].split("</style>")[0]
    schemes = [each.split("}")[0] for each in style.split(":root{")[1:3]]
    for scheme in schemes:
        pairs = (each.split(":") for each in scheme.replace("\n", "").split(";"))
        colours = {name: value for name, value in pairs if value.startswith("#")}
        for ink in ("ink", "quiet", "blue", "good", "warn", "bad", "none"):
            for paper in ("page", "card"):
                assert contrast(colours[f"--{ink}"], colours[f"--{paper}"]) >= 4.5, (ink, paper)
        for tone in ("good", "warn", "bad", "none"):
            assert contrast(colours[f"--{tone}"], colours[f"--{tone}-soft"]) >= 4.5, tone
        assert contrast(colours["--ink"], colours["--soft"]) >= 4.5
        assert contrast(colours["--quiet"], colours["--soft"]) >= 4.5


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(each * 2 for each in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_headers_of_tables_say_what_they_head() -> None:
    page = Page(report().html)
    heads = [each for each in page.outline if each.strip().startswith("<th ")]
    assert len(heads) == len(re.findall("<th\\b", page.html))
    assert all(' scope="' in each for each in heads)
    pictures = [at for at, each in enumerate(page.outline) if each.strip().startswith("<svg")]
    assert pictures
    for at in pictures:
        named = page.outline[at + 1].strip() == "<title>"
        assert named or 'aria-hidden="true"' in page.outline[at]
