"""The report on a batch: whatever happened to it, whatever is in it."""

from __future__ import annotations

import re
import unicodedata
from base64 import b64encode
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.gate.finding import Finding
from assay.gate.table_schema import TableSchema
from assay.gate.verdict import TrackRecord
from assay.html.markup import element, shorten
from assay.html.sparkline import MetricSeries
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import Column, column_stats, fingerprint, numbers, strings
from assay.report.html import Report
from assay.report.html.problems import metric_key
from assay.store import Batch, Decision, Mark, MarkKind
from tests.gate.verdicts import verdict_of
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


BATCH = Batch("flights", "date=2026-11-14", MOMENT)


def report(
    decision: Decision | None = Decision.HOLD,
    findings: tuple[Finding, ...] = (NULLS, NEW, REMARK),
    **changes: Any,
) -> Report:
    """Create a report on a held batch with something in every section."""
    batch = changes.pop("batch", BATCH)
    track_record = TrackRecord(40, 1, 2, 1)
    verdict = None
    if decision is not None:
        verdict = verdict_of(
            batch, decision, findings, n_history=4, budget=1 / 200, track_record=track_record
        )
    values: dict[str, Any] = {
        "judged_at": MOMENT,
        "marks": (
            Mark("flights", "date=2026-11-14", MarkKind.EXPECTED, "ann", "as agreed", MOMENT),
        ),
        "columns": fingerprint(
            table(carrier=strings(["AA", None, None, "XX"]), note=strings(["", "a-1", "b-2", "c"]))
        ),
        "previous_columns": fingerprint(table()),
        "previous_batch": "date=2026-11-13",
        "schema": TableSchema((("amount", "double"), ("carrier", "string"), ("note", "string"))),
        "previous_schema": TableSchema((("amount", "int"), ("carrier", "string"), ("gate", "int"))),
        "series": {metric_key(NULLS): MetricSeries(("1", "2", "3", "4"), (1.0, 1.0, 0.99, 1.0))},
        "kept_limits": ("amount: the mean is 11.375, expected 8.0 to 14.0.",),
        "open_limits": ("not enough history: 4 batches, 7 needed.",),
        "store": "/data/store",
    }
    return Report(batch, verdict, **{**values, **changes})


def test_a_small_report_has_the_recorded_outline() -> None:
    """To record an intended change: SMALL.write_text(outline)."""
    outline = "\n".join(sound(report().html).outline) + "\n"
    assert outline == SMALL.read_text("utf-8")


def marked(kind: MarkKind) -> tuple[Mark, ...]:
    return (Mark("flights", "date=2026-11-14", kind, "ann", "we looked", MOMENT),)


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"marks": ()}, "Held"),
        ({"marks": marked(MarkKind.RELEASED)}, "Held, then released"),
        ({"marks": marked(MarkKind.REJECTED)}, "Held, then rejected"),
        ({"marks": (), "decision": Decision.WARN, "findings": (NEW,)}, "Accepted with a warning"),
        ({"marks": (), "decision": Decision.ACCEPT, "findings": ()}, "Accepted"),
        (
            {"marks": marked(MarkKind.BAD), "decision": Decision.ACCEPT, "findings": ()},
            "Accepted, then marked bad",
        ),
        ({"marks": (), "decision": None, "judged_at": None}, "Not judged"),
    ],
)
def test_the_outcome_is_the_first_heading(changes: dict[str, Any], word: str) -> None:
    page = sound(report(**changes).html)
    start = next(number for number, line in enumerate(page.outline) if "<h1>" in line)
    heading = [line.strip() for line in page.outline[start + 1 : start + 4]]
    # a symbol and a word: no meaning depends on colour alone
    assert heading[0] == '<span class="symbol" aria-hidden="true">'
    assert heading[2] == word
    assert f"date=2026-11-14: {word.lower()}" in page.text


def test_a_mark_before_the_verdict_does_not_count() -> None:
    later = replace(report(), judged_at=datetime(2026, 11, 15, tzinfo=UTC))
    assert later.outcome == "Held"


def test_the_first_batch_has_nothing_to_compare_with() -> None:
    batch = Batch("flights", "1", MOMENT)
    first = Report(
        batch, verdict_of(batch, Decision.ACCEPT, row_count=100), columns=fingerprint(table())
    )
    page = sound(first.html)
    assert "First batch of 'flights': nothing to compare with." in page.text
    assert "Compared withnothing: first batch" in page.text
    assert first.outcome == "First batch"


def test_a_batch_that_could_not_be_read_shows_the_reason() -> None:
    reason = "it is an HTML page, <!DOCTYPE html>."
    finding = Finding("schema", Decision.HOLD, reason, severity=float("inf"))
    batch = Batch("flights", "1", MOMENT)
    page = sound(Report(batch, verdict_of(batch, Decision.HOLD, (finding,))).html)
    assert "flights 1 has 1 problem:Table It is an HTML page, <!DOCTYPE html>." in page.text
    assert "statistics of this batch were not recorded" in page.text


def test_a_batch_without_rows_has_a_page() -> None:
    empty = fingerprint({"amount": numbers([]), "carrier": strings([])})
    page = sound(report(columns=empty).html)
    assert "Rows0" in page.text
    assert "nan" not in page.text.lower()


def test_a_table_without_columns_has_a_page() -> None:
    sound(report(columns=fingerprint({}), previous_columns=None, previous_batch=None).html)


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
def test_hostile_names_and_values_are_text(text: str) -> None:
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
        columns=fingerprint({text: values, text + "3": numbers([1.0, 2.0, 3.0, 4.0])}),
        previous_columns=fingerprint({text: strings([text + "4"] * 4)}),
        previous_batch=text,
        schema=TableSchema(((text, text), (text + "3", text))),
        previous_schema=TableSchema(((text, text + "5"), (text + "6", text))),
        series={metric_key(finding): MetricSeries((text,) * 3, (0.1, 0.2, 0.3))},
        kept_limits=(text,),
        open_limits=(text,),
        store=text,
    ).html
    page = sound(html)
    assert text not in html
    hidden = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    assert {char for char in html if unicodedata.category(char) in hidden} == {"\n"}
    # headings, cards, lists and tables still show it
    assert page.text.count(shorten(text, 40)[:39]) > 10


@pytest.mark.slow
def test_a_table_with_thousands_of_columns_has_a_small_page() -> None:
    rng = np.random.default_rng(7)
    wide = '<&"\U0001f4a3'
    names = [f"{wide * 30}{number}" for number in range(2000)]
    long = [f"{wide * 400}{number}" for number in range(40)]
    two = column_stats(strings(rng.choice(long, 50))), column_stats(rng.normal(size=50))
    columns = Fingerprint(50, {name: two[number % 2] for number, name in enumerate(names)})
    types = TableSchema(tuple((name, f"struct<{wide * 200}>") for name in names))
    findings = tuple(
        Finding(
            "limits",
            level,
            wide * 200,
            name,
            f"m{number % 5}",
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
        for number in range(25 if name == names[0] else 3)
    )
    series = MetricSeries(tuple(map(str, range(60))), tuple(rng.normal(size=60).tolist()))
    html = report(
        findings=findings,
        columns=columns,
        previous_columns=columns,
        schema=types,
        previous_schema=TableSchema(tuple((f"{name}!", kind) for name, kind in types.types)),
        series={metric_key(finding): series for finding in findings},
        kept_limits=tuple(f"{wide * 200}{number}" for number in range(10_000)),
        open_limits=tuple(f"{wide * 200}{number}" for number in range(10_000)),
        marks=marked(MarkKind.EXPECTED) * 1000,
    ).html
    page = sound(html)
    assert len(html) > 300_000
    for words in ("more problems.", "more columns.", "more changes.", "more sentences."):
        assert words in page.text


def test_columns_with_findings_have_a_card_before_others() -> None:
    columns: dict[str, Column] = {f"c{number}": numbers([1.0, 2.0]) for number in range(200)}
    finding = Finding("limits", Decision.WARN, "odd.", "c199", "mean")
    page = sound(report(findings=(finding,), columns=fingerprint(columns)).html)
    cards = [line for line in page.outline if '<article class="card"' in line]
    assert len(cards) == 60
    text = page.text[page.text.rindex("Statistics of columns") :]
    assert text.index("c199") < text.index("c0")
    assert "140 more columns." in text


def test_the_table_has_a_row_for_each_column_those_with_problems_first() -> None:
    page = sound(report(marks=()).html)
    table = page.html[page.html.index('<section id="columns"') : page.html.index('id="problems"')]
    rows = re.findall(r'<tr class="(.*?)"><th.*?<bdi>(.*?)</bdi>', table)
    # the column gate is gone
    names = [("good", "all rows"), ("warn", "gate"), ("bad", "carrier"), ("warn", "note")]
    assert rows == [*names, ("good", "amount")]


def test_a_card_leads_with_the_cause_and_folds_the_evidence() -> None:
    html = report(marks=()).html
    card = Page(html[html.index('<article class="alarm" id="problem-1">') :].split("</article>")[0])
    text = card.text
    assert text.index("carrier") < text.index("nulls rose") < text.index("Next step:")
    assert text.index("Next step:") < text.index("Evidence: 1 finding")
    assert text.index("Evidence: 1 finding") < text.index("The completeness is 0.5")
    assert "<details><summary>Evidence" in card.html


def test_a_held_batch_shows_the_commands_that_decide_about_it() -> None:
    waiting, decided = report(marks=()).html, report(marks=marked(MarkKind.RELEASED)).html
    command = "assay release flights/date=2026-11-14 --reason"
    assert command in waiting
    assert command not in decided


def test_a_page_allows_only_its_own_script() -> None:
    html = report().html
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    expected = b64encode(sha256(script.encode()).digest()).decode()
    (allowed,) = re.findall(r"script-src &#x27;sha256-(.*?)&#x27;", html)
    assert allowed == expected
    assert "default-src &#x27;none&#x27;" in html


def test_two_reports_in_one_notebook_have_different_anchors() -> None:
    one = report()._repr_html_()
    other = report(batch=Batch("flights", "date=2026-11-15", MOMENT))._repr_html_()
    ids = [set(re.findall(r' id="(.*?)"', fragment)) for fragment in (one, other)]
    assert ids[0]
    assert not ids[0] & ids[1]
    for fragment in (one, other):
        assert set(re.findall(r' href="#(.*?)"', fragment)) <= ids[(one, other).index(fragment)]
        assert "<script" not in fragment
        assert "<html" not in fragment


def test_values_of_private_columns_are_withheld() -> None:
    secret = replace(NULLS, metric="max", actual=123456.0, reason="the maximum is 123,456.")
    values: dict[str, Any] = {
        "columns": fingerprint(
            {"carrier": strings(["Bond", "Bond"]), "pay": numbers([777777.0] * 2)}
        ),
        "previous_columns": fingerprint(
            {"carrier": strings(["Moneypenny"]), "pay": numbers([888888.0])}
        ),
        "findings": (
            secret,
            replace(NULLS, cause="all values are 'Bond'."),
            replace(NULLS, column="origin", where="carrier = 'Goldfinger' has 90% of them."),
        ),
    }
    shown = sound(report(**values).html).text
    hidden = sound(report(**values, private=frozenset({"carrier", "pay"})).html).text
    for value in ("Bond", "Moneypenny", "Goldfinger", "777,777", "888,888", "123,456"):
        assert value in shown
        assert value not in hidden
    assert "The completeness is 0.5" in hidden


def test_a_report_replaces_an_existing_file(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("an older one")
    report().write(path)
    assert path.read_text("utf-8") == report().html


def test_text_has_contrast_in_both_colour_schemes() -> None:
    """WCAG 2.2, 1.4.3: 4.5 to 1."""
    style = report().html.split("<style>")[1].split("</style>")[0]
    schemes = [part.split("}")[0] for part in style.split(".assay{")[1:3]]
    for scheme in schemes:
        pairs = (rule.split(":") for rule in scheme.replace("\n", "").split(";"))
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
    digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
    parts = [int(digits[start : start + 2], 16) / 255 for start in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_table_headers_have_a_scope_and_pictures_a_title() -> None:
    page = Page(report().html)
    heads = [line for line in page.outline if line.strip().startswith("<th ")]
    assert len(heads) == len(re.findall("<th\\b", page.html))
    assert all(' scope="' in head for head in heads)
    pictures = [
        number for number, line in enumerate(page.outline) if line.strip().startswith("<svg")
    ]
    assert pictures
    for number in pictures:
        has_title = page.outline[number + 1].strip() == "<title>"
        assert has_title or 'aria-hidden="true"' in page.outline[number]


def test_other_packages_add_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    def rows(shown: Report) -> str:
        return element("p", f"<b>{shown.batch.key}")

    def fails(_: Report) -> str:
        raise RuntimeError("no <luck>")

    plugins = (("Row owner", rows), ("Broken", fails), ("Silent", lambda _: None))
    monkeypatch.setattr("assay.report.html.sections.load_plugins", lambda _: plugins)

    page = sound(report().html)

    assert "Row owner<b>date=2026-11-14" in page.text
    assert "This section failed: RuntimeError: no <luck>" in page.text
    assert "Silent" not in page.text


def test_the_repr_of_a_report_is_short() -> None:
    assert repr(report(marks=())) == "Report('flights', 'date=2026-11-14', Held)"
