"""Judge the schema: columns that are missing, new, renamed, retyped or reordered."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.gate.finding import Finding
from assay.gate.judges.schema import judge_schema
from assay.gate.table_schema import TableSchema
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import Column, fingerprint, strings
from assay.store.verdict import Decision

BEFORE = TableSchema((("id", "bigint"), ("country", "string"), ("amount", "double")))


def table(seed: int = 0) -> dict[str, Column]:
    rng = np.random.default_rng(seed)
    return {
        "id": np.arange(seed * 500, seed * 500 + 500, dtype=np.float64),
        "country": strings(rng.choice(["DE", "FR", "IT"], 500).tolist()),
        "amount": rng.gamma(2.0, 20.0, 500).round(2),
    }


def judge(now: TableSchema, columns: dict[str, Column] | None = None) -> list[tuple[str, Decision]]:
    batch = fingerprint(table(1) if columns is None else columns)
    findings = judge_schema(now, BEFORE, batch, fingerprint(table(0)))
    return [(str(finding), finding.level) for finding in findings]


def test_the_same_columns_have_no_findings() -> None:
    assert judge(BEFORE) == []
    assert judge_schema(BEFORE, None, fingerprint(table()), None) == []


def test_a_missing_column_holds() -> None:
    now = TableSchema(BEFORE.types[:2])
    assert judge(now) == [("amount: the column is gone.", Decision.HOLD)]


def test_a_new_column_warns() -> None:
    now = TableSchema((*BEFORE.types, ("note", "string")))
    assert judge(now) == [("note: the column is new, of type string.", Decision.WARN)]


def test_text_in_a_numeric_column_holds_and_is_shown() -> None:
    now = TableSchema((*BEFORE.types[:2], ("amount", "string")))
    priced = table(1) | {"amount": strings([*["7.5"] * 300, *["EUR 50.1"] * 150, *["x" * 99] * 50])}
    assert judge(now, priced) == [
        ("amount: values are no longer numbers, such as 'EUR 50.1'.", Decision.HOLD)
    ]
    # private columns have hashes instead of values, and numbers may come as text
    hidden = fingerprint(priced)
    private = replace(hidden.columns["amount"], shape_counts={})
    without_values = replace(hidden, columns={**hidden.columns, "amount": private})
    texts = fingerprint(table(1) | {"amount": strings(["7.5", "-1e3"] * 250)})
    for batch in (without_values, texts):
        (finding,) = judge_schema(now, BEFORE, batch, fingerprint(table(0)))
        assert finding.reason == "the type is string; it was double."


def test_a_renamed_column_is_recognized_by_its_content() -> None:
    columns = table(1)
    columns["total"], columns["land"] = columns.pop("amount"), columns.pop("country")
    now = TableSchema((("id", "bigint"), ("land", "string"), ("total", "double")))
    assert sorted(judge(now, columns)) == [
        ("amount: the column is gone; the new column total has the same content.", Decision.HOLD),
        ("country: the column is gone; the new column land has the same content.", Decision.HOLD),
    ]


def test_a_column_that_differs_only_in_case_is_the_renamed_one() -> None:
    columns = table(1)
    columns["nation"] = columns.pop("country")
    columns["Country"] = strings(["Bavaria", "Saxony"] * 250)
    kinds = {"id": "bigint", "amount": "double", "nation": "string", "Country": "string"}
    findings = judge(TableSchema(tuple(kinds.items())), columns)
    assert (
        "country: the column is gone; the new column Country has the same name.",
        Decision.HOLD,
    ) in findings


def test_a_type_of_another_kind_holds_and_a_wider_number_warns() -> None:
    now = TableSchema((("id", "decimal(20,0)"), ("country", "string"), ("amount", "string")))
    assert judge(now) == [
        ("id: the type is decimal(20,0); it was bigint.", Decision.WARN),
        ("amount: the type is string; it was double.", Decision.HOLD),
    ]


def test_another_format_of_dates_warns() -> None:
    before = fingerprint({"day": strings([f"2026-11-{n:02d}" for n in range(1, 29)])})
    for day, reasons in (
        ("{:d}/11/26", ["day: values look like '9/9/9'; before, they looked like '9-9-9'."]),
        ("2027-12-{:02d}", []),
    ):
        now = fingerprint({"day": strings([day.format(n) for n in range(1, 29)])})
        columns = TableSchema((("day", "string"),))
        findings = judge_schema(columns, columns, now, before)
        assert [str(finding) for finding in findings] == reasons
        assert all(finding.level is Decision.WARN for finding in findings)


def moments(day: datetime, form: str) -> Fingerprint:
    return fingerprint({"at": strings([form.format(day + timedelta(hours=n)) for n in range(9)])})


SHORT, LONG = (
    "{0.month}/{0.day}/{0:%y} {0.hour}:{0:%M}",
    "{0.month}/{0.day}/{0.year} {0.hour}:{0:%M}",
)
DAYS = st.datetimes(datetime(2010, 1, 1), datetime(2039, 12, 31))
AT = TableSchema((("at", "string"),))


@given(DAYS, DAYS, st.sampled_from([SHORT, LONG]))
def test_dates_without_leading_zeros_have_one_format_on_all_days(
    one: datetime, other: datetime, form: str
) -> None:
    assert judge_schema(AT, AT, moments(one, form), moments(other, form)) == []


@given(DAYS, DAYS, st.booleans())
def test_another_length_of_years_warns(one: datetime, other: datetime, longer: bool) -> None:
    forms = (SHORT, LONG) if longer else (LONG, SHORT)
    batches = [moments(*pair) for pair in zip((one, other), forms, strict=True)]
    (finding,) = judge_schema(AT, AT, batches[1], batches[0])
    assert finding.level is Decision.WARN
    assert "looked like" in finding.reason


def test_another_order_of_columns_warns() -> None:
    now = TableSchema(BEFORE.types[::-1])
    assert judge(now) == [("the columns are in another order.", Decision.WARN)]


def test_another_table_is_one_finding() -> None:
    page = {"<html>": strings(["<body>"])}
    findings = judge(TableSchema((("<html>", "string"),)), page)
    assert findings[0] == (
        "none of the 3 columns exists any more: this is another table.",
        Decision.HOLD,
    )


def test_columns_and_findings_are_read_back() -> None:
    assert TableSchema.from_json(BEFORE.to_json()) == BEFORE
    finding = Finding(
        "limits", Decision.WARN, "…", "a", "mean", actual=float("inf"), low=-1.0, high=2.0,
        false_alarm_rate=0.01, severity=3.0,
    )  # fmt: skip
    assert Finding.read(finding.to_dict()) == finding
