"""All problems of a suite are reported at once, with their places."""

from __future__ import annotations

import re
import time
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import Check, GateSettings, Suite
from assay.analyzers import Completeness, Size
from assay.errors import SuiteError
from assay.learn.anomaly import BatchNormal, Differenced, OnlineNormal, SeasonalArima
from assay.suite import Target
from assay.suite.yaml_document import DEPTH, SIZE

HEAD = "version: 1\ndataset: orders\n"


def constraints(*lines: str) -> str:
    entries = "".join(f"      - {line}\n" for line in lines)
    return f"{HEAD}checks:\n  - name: c\n    constraints:\n{entries}"


def check_of(*lines: str) -> Check:
    (check,) = Suite.parse(constraints(*lines)).checks
    return check


def test_a_suite_means_the_same_as_the_python_check() -> None:
    suite = Suite.parse(
        """
# the shop's orders
version: 1
dataset: orders
checks:
  - name: keys
    constraints:
      - is_complete: order_id
      - is_primary_key: [shop, receipt]
      - has_completeness: {column: email, at_least: 0.9, level: warning, hint: ask the shop}
      - is_fresh:
          column: at
          within: {days: 1, hours: 12}
          as_of: 2026-01-02T00:00:00Z
      - has_sum: {column: price, equals: {decimal: "3.30"}}
      - is_in_range: {column: day, low: 2026-01-01, where: "country = 'DE'"}
  - {name: usual, level: warning, constraints: [
      {has_no_anomalies: {analyzer: Size(), detector: OnlineNormal}},
      {has_no_anomalies: {analyzer: Completeness(email),
                          detector: {Differenced: {detector: BatchNormal, lag: 7}}, per: board}},
    ]}
gate: {budget: 1/365, closed: true, season: 7, private: [email], patterns: lake.idx,
  detector: average knn, owner: shop team, tags: [daily, finance], description: All orders,
  share_false: 0.1, judges: [schema, limits], columns: email, exclude: [note], metrics: [mean]}
notify:
  - webhook: https://example.org/a
""",
    )
    assert suite == Suite(
        "orders",
        (
            Check("keys")
            .is_complete("order_id")
            .is_primary_key("shop", "receipt")
            .has_completeness("email", at_least=0.9)
            .warn()
            .hint("ask the shop")
            .is_fresh("at", timedelta(hours=36), as_of=datetime(2026, 1, 2, tzinfo=UTC))
            .has_sum("price", equals=Decimal("3.30"))
            .is_in_range("day", date(2026, 1, 1), where="country = 'DE'"),
            Check("usual", "warning")
            .has_no_anomalies(Size(), OnlineNormal())
            .has_no_anomalies(
                Completeness("email"), Differenced(BatchNormal(), lag=7), per="board"
            ),
        ),
        GateSettings(
            "1/365",
            on_error="hold",
            season=7,
            private=("email",),
            patterns="lake.idx",
            detector="average knn",
            owner="shop team",
            tags=("daily", "finance"),
            description="All orders",
            share_false=0.1,
            judges=("schema", "limits"),
            columns=("email",),
            exclude=("note",),
            metrics=("mean",),
        ),
        (Target("webhook", "https://example.org/a"),),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["1:1: the file is empty; a suite begins with `version: 1`."]),
        (
            "[]",
            ["1:1: invalid suite: expected a mapping with version, dataset, checks, gate, notify."],
        ),
        ("dataset: d", ["1:1: a suite needs a version: add the line version: 1."]),
        ("version: 2\ndataset: d", ["1:10: unknown version: expected 1, got 2. A newer Assay"]),
        ("version: one\ndataset: d", ["1:10: expected version: 1, got 'one'."]),
        ("version: true\ndataset: d", ["1:10: expected version: 1, got true."]),
        ("version: 1", ["1:1: a suite needs a dataset."]),
        ("version: 1\ndataset: 3", ["2:10: expected text, got 3."]),
        (f"{HEAD}check: []", ["3:1: a suite has no 'check'; did you mean 'checks'?"]),
        (f"{HEAD}checks:", ["3:8: invalid checks: expected a list, got nothing."]),
        (f"{HEAD}checks: [x]", ["3:10: invalid check: expected a name and constraints, got 'x'."]),
        (f"{HEAD}checks: [{{}}]", ["3:10: a check needs a name."]),
        (
            f"{HEAD}checks: [{{name: a, nme: b}}]",
            ["3:20: a check has no 'nme'; did you mean 'name'"],
        ),
        (
            f"{HEAD}checks: [{{name: a, level: worning}}]",
            ["3:27: expected one of error, warning"],
        ),
        (f"{HEAD}checks: [{{name: a}}, {{name: a}}]", ["3:21: two checks are called 'a'."]),
        (f"{HEAD}dataset: b", ["3:1: 'dataset' is here twice, first in line 2."]),
        (f"{HEAD}a: *b", ["3:4: *b is an alias; write out what it stands for."]),
        (f"{HEAD}a: !!python/name:os.system ''", ["3:4: tag:yaml.org,2002:python/name:os.system"]),
        (f"{HEAD}---\na: 1", ["3:1: a suite is one document, and here begins a second."]),
        (f"{HEAD}? [a]\n: 1", ["3:3: a name is text, not a list or a mapping."]),
        (f"{HEAD}a: b: c", ["3:5: invalid YAML: mapping values are not allowed here."]),
        (f"{HEAD}gate: {{budgt: 1/2}}", ["3:8: gate has no 'budgt'; did you mean 'budget'?"]),
        (
            f"{HEAD}gate: {{budget: 3}}",
            ["3:16: expected a share of batches such as 1/200, got 3"],
        ),
        (f"{HEAD}gate: {{budget: 1/0}}", ["3:16: a budget is a share between 0 and 1"]),
        (f"{HEAD}gate: {{season: 1}}", ["3:7: a season is 2 batches or more, not 1."]),
        (f"{HEAD}gate: {{detector: nn}}", ["3:7: unknown detector 'nn'; did you mean 'knn'?"]),
        (
            f"{HEAD}gate: {{detector: {{method: knn, aggregation: sum}}}}",
            ["3:45: expected one of mean, median, max, got 'sum'"],
        ),
        (
            f"{HEAD}gate: {{detector: {{method: hbos, neighbours: 3}}}}",
            ["3:18: the detector 'hbos' does not use neighbours."],
        ),
        (f"{HEAD}gate: {{share_false: 2}}", ["3:7: share_false must be a number between 0 and 1"]),
        (f"{HEAD}gate: {{closed: 'no'}}", ["3:16: expected true or false, got 'no'."]),
        (
            f"{HEAD}gate: 1/200",
            ["3:7: invalid gate: expected budget, on_error, closed, season, private, patterns"],
        ),
    ],
)
def test_problems_of_the_whole(text: str, expected: list[str]) -> None:
    assert_problems(text, expected)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("is_complet: id", "6:9: unknown constraint 'is_complet'; did you mean 'is_complete'?"),
        ("warn: {}", "6:9: unknown constraint 'warn'"),
        ("not_null: id", "6:9: unknown constraint 'not_null'; did you mean 'is_complete'?"),
        ("isUnique: id", "6:9: unknown constraint 'isUnique'; did you mean 'is_unique'?"),
        ("is_complete: {column: id}", "6:23: is_complete has no 'column'; did you mean 'columns'?"),
        ("is_complete: []", "6:9: is_complete(): expected at least one column, got"),
        ("is_complete: 3", "6:22: expected text, got 3."),
        ("is_complete: [a, yes, null]", "6:31: expected text, got nothing."),
        ("is_complete", "6:9: invalid constraint: expected one name with its arguments"),
        ("has_mean: x", "6:9: has_mean(x): a bound is missing: expected"),
        ("has_mean: {at_least: 1}", "6:19: has_mean needs column."),
        (
            "has_mean: {column: x, at_last: 1}",
            "6:31: has_mean has no 'at_last'; did you mean 'at_l",
        ),
        ("has_mean: {column: x, between: [1]}", "6:40: expected a list of 2 values, got one of 1."),
        (
            "has_mean: {column: x, between: [2, 1]}",
            "6:9: has_mean(x): no value lies within the bounds:",
        ),
        ("has_mean: {column: x, at_least: [1]}", "6:41: expected a value, got a list."),
        ("has_mean: {column: x, at_least: {decimal: x}}", "6:41: it is not a number."),
        ("has_mean: {column: x, at_least: {dayz: 1}}", "6:42: a time span has no 'dayz'; did you"),
        ("has_size: 3", "6:19: has_size takes arguments by name, got 3."),
        ("has_size: {satisfies: f}", "6:20: satisfies takes a function, which stays in Python."),
        (
            "has_histogram: {column: a}",
            "6:9: has_histogram(a): ",
        ),
        ("is_contained_in: {column: a, values: x}", "6:46: expected a list, got 'x'."),
        (
            "is_email: {column: a, nulls: fial}",
            "6:38: expected one of ignore, empty, fail, skip",
        ),
        (
            "is_fresh: {column: a, within: 3}",
            "6:39: expected a time span such as {days: 2}, got",
        ),
        (
            "matches_pattern: {column: a, pattern: <digt>}",
            "6:9: matches_pattern(a, '<digt>'): no cla",
        ),
        ("matches_schema: {expected: {a: 1}}", "6:40: expected text, got 1."),
        ("has: {analyzer: Siz(), at_least: 1}", "6:25: 'Siz()' is not an analyzer's key: unknown"),
        (
            "has_mean: {column: x, at_least: 1, where: ''}",
            "6:9: has_mean(x): invalid condition",
        ),
        (
            "has_mean: {column: '${env:X}', at_least: 1}",
            "6:28: '${env:X}': environment variables are",
        ),
        (
            "has_no_anomalies: {analyzer: Size(), detector: OnlineNorml}",
            "6:56: unknown detector 'OnlineNorml'; did you mean 'OnlineNormal'?",
        ),
        (
            "has_no_anomalies: {analyzer: Size(), detector: {OnlineNormal: {uper: 3}}}",
            "6:72: OnlineNormal has no 'uper'; did you mean 'upper'?",
        ),
        (
            "has_no_anomalies: {analyzer: Size(), detector: {OnlineNormal: {upper: high}}}",
            "6:79: expected a number, got 'high'.",
        ),
        (
            "has_no_anomalies: {analyzer: Size(), detector: {OnlineNormal: {upper: -1}}}",
            "6:57: OnlineNormal: invalid upper: ",
        ),
        (
            "has_no_anomalies: {analyzer: Size(), detector: {ByCallable: {function: f}}}",
            "6:57: ByCallable holds a function, which stays in Python.",
        ),
        (
            "has_no_anomalies: {analyzer: Size(), detector: {Differenced: {lag: 7}}}",
            "6:57: Differenced: missing 1 required positional argument: 'detector'.",
        ),
    ],
)
def test_problems_of_a_constraint(line: str, expected: str) -> None:
    assert_problems(constraints(line), [expected])


def assert_problems(text: str, expected: list[str]) -> None:
    with pytest.raises(SuiteError) as raised:
        Suite.parse(text, name="orders.yaml")
    problems = raised.value.problems
    assert len(problems) == len(expected), problems
    for problem, start in zip(problems, expected, strict=True):
        assert problem.startswith(f"orders.yaml:{start}"), problem
        assert problem.endswith((".", "?"))
        assert "\n" not in problem


def test_all_problems_are_reported_at_once() -> None:
    text = constraints("is_complet: id", "is_unique: id", "has_mean: x", "is_email: {columm: x}")
    text += "gte: {}\nnotify: {}\n"
    with pytest.raises(SuiteError) as raised:
        Suite.parse(text)
    lines = [int(problem.split(":")[1]) for problem in raised.value.problems]
    assert lines == [6, 8, 9, 10, 11]
    assert str(raised.value) == "\n".join(raised.value.problems)


def test_arguments_that_are_not_indented() -> None:
    text = f"{HEAD}checks:\n  - name: c\n    constraints:\n      - has_mean:\n        column: x\n"
    assert_problems(text, ["6:9: invalid constraint: expected one name with its arguments"])
    with pytest.raises(SuiteError, match="indent the arguments of has_mean below it"):
        Suite.parse(text)


def test_words_are_those_of_yaml_1_2() -> None:
    """`NO` is a country, `null` can be a column, and numbers keep their type."""
    assert check_of("is_contained_in: {column: country, values: [no, NO, on, y]}") == Check(
        "c"
    ).is_contained_in("country", ["no", "NO", "on", "y"])
    assert check_of("matches_schema: {expected: {null: int, 1: string}}") == Check(
        "c"
    ).matches_schema({"null": "int", "1": "string"})
    assert check_of("has_size: {at_least: 0x10, at_most: 1e3}") == Check("c").has_size(
        at_least=16, at_most=1000.0
    )
    one, integer = check_of("has_size: {equals: 1.0}"), check_of("has_size: {equals: 1}")
    assert [type(check.constraints[0].assertion.equals) for check in (one, integer)] == [float, int]  # type: ignore[union-attr]


def test_parameters_of_detectors_are_of_their_types() -> None:
    line = "{analyzer: Size(), detector: {SeasonalArima: {order: [1, 0, 0], lower: null}}}"
    expected = SeasonalArima(order=(1, 0, 0), lower=None)
    assert check_of(f"has_no_anomalies: {line}") == Check("c").has_no_anomalies(Size(), expected)


@pytest.mark.parametrize(
    "bomb",
    [
        "[" * 100_000,
        "{" * 100_000,
        "- " * 100_000,
        "? " * 100_000,
        "a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]",
        f"a: {'9' * 5000}",
        "x" * (SIZE + 1),
        "a: !!binary QUJD",
        "a: \x07",
        "%TAG ! tag:x,2000:\n---\na: !x 1",
    ],
    ids=["lists", "mappings", "items", "keys", "aliases", "digits", "size", "tag", "bell", "tags"],
)
def test_bombs_are_refused_at_once(bomb: str) -> None:
    start = time.process_time()
    with pytest.raises(SuiteError):
        Suite.parse(bomb)
    assert time.process_time() - start < 5


def test_depth_is_limited_and_no_suite_reaches_it() -> None:
    deep = "BatchNormal"
    for _ in range(3):
        deep = f"{{Differenced: {{detector: {deep}}}}}"
    assert check_of(f"has_no_anomalies: {{analyzer: Size(), detector: {deep}}}").constraints
    with pytest.raises(SuiteError, match=f"more than {DEPTH} lists and mappings"):
        Suite.parse(f"{HEAD}a: {'[' * (DEPTH + 2)}{']' * (DEPTH + 2)}")


@settings(max_examples=100)
@given(st.text(alphabet=st.sampled_from("ab:-[]{}#&*!|>'\"% \n\t,?1.~\\\x07é"), max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Any text raises only `SuiteError`, whose problems all have a position."""
    try:
        Suite.parse(text, name="s")
    except SuiteError as error:
        for problem in error.problems:
            name, line, column, _ = problem.split(":", 3)
            assert name == "s"
            assert 1 <= int(line) <= text.count("\n") + 2
            assert int(column) >= 1


@settings(max_examples=50)
@given(st.integers(0, 10**6), st.integers(0, 4), st.text("ab:-[]{}#*!'\" \n,1", max_size=3))
def test_any_slip_of_the_pen_is_read_or_refused(at: int, gone: int, added: str) -> None:
    """A suite with a few changed characters is valid, or its problems have positions."""
    text = constraints(
        "is_complete: [a, b]",
        "has_mean: {column: x, between: [1, 2], where: \"y = 'z'\", level: warning}",
        "is_fresh: {column: at, within: {days: 1}, as_of: 2026-01-02T00:00:00Z}",
        "has_no_anomalies: {analyzer: Size(), detector: {Differenced: {detector: OnlineNormal}}}",
    )
    at %= len(text)
    problems: tuple[str, ...] = ()
    try:
        again = Suite.parse(f"{text[:at]}{added}{text[at + gone :]}", name="s")
        assert Suite.parse(again.yaml) == again
    except SuiteError as error:
        problems = error.problems
    assert all(re.match(r"s:\d+:\d+: .*[.?]$", problem) for problem in problems)


def test_unreadable_suite_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    with pytest.raises(SuiteError, match=r"s.yaml: No such file or directory\."):
        Suite.read(path)
    path.write_bytes(b"version: 1\ndataset: \xff")
    with pytest.raises(SuiteError, match=r"s.yaml:2:10: the file is not UTF-8 text\."):
        Suite.read(path)
    path.write_bytes(b"#" * (SIZE + 1))
    with pytest.raises(SuiteError, match=r"s.yaml:1:1: a suite has at most"):
        Suite.read(path)
    path.write_bytes("\ufeffversion: 1\r\ndataset: ü\r\n".encode())
    assert Suite.read(path) == Suite("ü")


SECRET = "https://hooks.example.org/T0/s3cr3t"


@pytest.mark.parametrize(
    ("notify", "words"),
    [
        (
            "[{slack: '${env:ASSAY_NO_SUCH}'}]",
            "3:18: slack: the environment variable ASSAY_NO_SUCH",
        ),
        ("[{slack: '${env:ASSAY_NO_URL}'}]", "slack: ${env:ASSAY_NO_URL} is not an http or https"),
        ("[{slack: '${env:}'}]", "slack: a variable is written ${env:NAME}."),
        (f"[{{slak: {SECRET}}}]", "3:11: unknown kind of notice 'slak'; did you mean 'slack'?"),
        (f"[{SECRET}]", "invalid notify: expected {webhook: address} or {slack: address}."),
        (f"[{{'{SECRET}': a}}]", "unknown kind of notice (not shown); there are: webhook, slack."),
        (f"[{{slack: [{SECRET}]}}]", "invalid slack: expected an address as text."),
        (f"{SECRET}", "invalid notify: expected a list."),
        ("[{webhook: 'file:///s3cr3t'}]", "webhook: the address is not an http or https address."),
        ("[{webhook: 's3cr3t'}]", "webhook: the address is not an http or https address."),
        ("[{webhook: 'http://a.org:s3cr3t/'}]", "webhook: http://a.org/… is not an http or https"),
        ("[{webhook: 'http://[s3cr3t'}]", "webhook: the address is not an http or https address."),
    ],
)
def test_secrets_are_in_no_message(
    notify: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_NO_URL", "s3cr3t")
    with pytest.raises(SuiteError) as raised:
        Suite.parse(f"{HEAD}notify: {notify}")
    assert words in str(raised.value)
    assert "s3cr3t" not in str(raised.value)
    assert "s3cr3t" not in repr(raised.value)


def test_variables_are_looked_up_and_kept_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{HEAD}notify:\n  - slack: https://a.org/${{env:ASSAY_TOKEN}}\n  - webhook: {SECRET}\n"
    monkeypatch.delenv("ASSAY_TOKEN", raising=False)
    assert Suite.parse(text, variables=False).notify[0].variables == ("ASSAY_TOKEN",)
    monkeypatch.setenv("ASSAY_TOKEN", "s3cr3t")
    suite = Suite.parse(text)
    assert suite.notify[0].address() == "https://a.org/s3cr3t"
    assert "s3cr3t" not in repr(suite)
    assert "s3cr3t" not in str(suite)
    assert "s3cr3t" not in suite.yaml.replace(SECRET, "")
    assert "$HOME" in Target("webhook", "https://a.org/$HOME").address()


def test_a_suite_has_a_short_representation() -> None:
    suite = Suite("orders", (Check("keys").is_primary_key("id"), Check("size")))
    assert repr(suite) == "Suite('orders', 2 checks, 2 constraints)"
