"""The schema judge: columns that go, come, change their name, type or order."""

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


def judged(
    now: TableSchema, columns: dict[str, Column] | None = None
) -> list[tuple[str, Decision]]:
    batch = fingerprint(table(1) if columns is None else columns)
    found = judge_schema(now, BEFORE, batch, fingerprint(table(0)))
    return [(str(each), each.level) for each in found]


def test_the_same_columns_are_fine() -> None:
    assert judged(BEFORE) == []
    assert judge_schema(BEFORE, None, fingerprint(table()), None) == []


def test_a_column_that_is_gone_holds() -> None:
    now = TableSchema(BEFORE.types[:2])
    assert judged(now) == [("amount: the column is gone.", Decision.HOLD)]


def test_a_new_column_warns() -> None:
    now = TableSchema((*BEFORE.types, ("note", "string")))
    assert judged(now) == [("note: the column is new, of type string.", Decision.WARN)]


def test_numbers_that_are_words_hold_and_are_shown() -> None:
    now = TableSchema((*BEFORE.types[:2], ("amount", "string")))
    priced = table(1) | {"amount": strings([*["7.5"] * 300, *["EUR 50.1"] * 150, *["x" * 99] * 50])}
    assert judged(now, priced) == [
        ("amount: values are no longer numbers, such as 'EUR 50.1'.", Decision.HOLD)
    ]
    # hashes stand for what is private, and numbers may come as text
    hidden = fingerprint(priced)
    private = replace(hidden.columns["amount"], shape_counts={})
    kept = replace(hidden, columns={**hidden.columns, "amount": private})
    texts = fingerprint(table(1) | {"amount": strings(["7.5", "-1e3"] * 250)})
    for batch in (kept, texts):
        (found,) = judge_schema(now, BEFORE, batch, fingerprint(table(0)))
        assert found.reason == "the type is string; it was double."


def test_a_renamed_column_is_known_by_what_it_holds() -> None:
    columns = table(1)
    columns["total"], columns["land"] = columns.pop("amount"), columns.pop("country")
    now = TableSchema((("id", "bigint"), ("land", "string"), ("total", "double")))
    assert sorted(judged(now, columns)) == [
        ("amount: the column is gone; the new column total has the same content.", Decision.HOLD),
        ("country: the column is gone; the new column land has the same content.", Decision.HOLD),
    ]


def test_a_column_that_is_called_the_same_is_it_whatever_it_holds() -> None:
    columns = table(1)
    columns["nation"] = columns.pop("country")
    columns["Country"] = strings(["Bavaria", "Saxony"] * 250)
    kinds = {"id": "bigint", "amount": "double", "nation": "string", "Country": "string"}
    found = judged(TableSchema(tuple(kinds.items())), columns)
    assert (
        "country: the column is gone; the new column Country has the same name.",
        Decision.HOLD,
    ) in found


def test_another_kind_of_type_holds_and_a_wider_number_warns() -> None:
    now = TableSchema((("id", "decimal(20,0)"), ("country", "string"), ("amount", "string")))
    assert judged(now) == [
        ("id: the type is decimal(20,0); it was bigint.", Decision.WARN),
        ("amount: the type is string; it was double.", Decision.HOLD),
    ]


def test_dates_that_are_written_otherwise_warn() -> None:
    before = fingerprint({"day": strings([f"2026-11-{n:02d}" for n in range(1, 29)])})
    for day, said in (
        ("{:d}/11/26", ["day: values look like '9/9/9'; before, they looked like '9-9-9'."]),
        ("2027-12-{:02d}", []),
    ):
        now = fingerprint({"day": strings([day.format(n) for n in range(1, 29)])})
        columns = TableSchema((("day", "string"),))
        found = judge_schema(columns, columns, now, before)
        assert [str(each) for each in found] == said
        assert all(each.level is Decision.WARN for each in found)


def moments(day: datetime, form: str) -> Fingerprint:
    return fingerprint({"at": strings([form.format(day + timedelta(hours=n)) for n in range(9)])})


SHORT, LONG = (
    "{0.month}/{0.day}/{0:%y} {0.hour}:{0:%M}",
    "{0.month}/{0.day}/{0.year} {0.hour}:{0:%M}",
)
DAYS = st.datetimes(datetime(2010, 1, 1), datetime(2039, 12, 31))
AT = TableSchema((("at", "string"),))


@given(DAYS, DAYS, st.sampled_from([SHORT, LONG]))
def test_dates_without_leading_zeros_are_written_alike_on_any_two_days(
    one: datetime, other: datetime, form: str
) -> None:
    assert judge_schema(AT, AT, moments(one, form), moments(other, form)) == []


@given(DAYS, DAYS, st.booleans())
def test_years_of_another_length_warn(one: datetime, other: datetime, longer: bool) -> None:
    forms = (SHORT, LONG) if longer else (LONG, SHORT)
    batches = [moments(*each) for each in zip((one, other), forms, strict=True)]
    (found,) = judge_schema(AT, AT, batches[1], batches[0])
    assert found.level is Decision.WARN
    assert "looked like" in found.reason


def test_another_order_warns() -> None:
    now = TableSchema(BEFORE.types[::-1])
    assert judged(now) == [("the columns are in another order.", Decision.WARN)]


def test_another_table_is_one_finding() -> None:
    page = {"<html>": strings(["<body>"])}
    found = judged(TableSchema((("<html>", "string"),)), page)
    assert found[0] == (
        "none of the 3 columns exists any more: this is another table.",
        Decision.HOLD,
    )


def test_columns_and_findings_are_written_down() -> None:
    assert TableSchema.from_json(BEFORE.to_json()) == BEFORE
    found = Finding(
        "limits", Decision.WARN, "…", "a", "mean", actual=float("inf"), low=-1.0, high=2.0,
        false_alarm_rate=0.01, severity=3.0,
    )  # fmt: skip
    assert Finding.read(found.to_dict()) == found
