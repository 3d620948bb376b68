"""A comparison in words, as JSON and as a page."""

from __future__ import annotations

import json

import numpy as np

from assay.gate.compare.judge import judge_by_effects
from assay.gate.compare.row_matches import ChangedRow, RowMatches
from assay.learn.fingerprint.from_rows import Column, numbers, strings
from assay.report.comparison.table_comparison import TableComparison
from assay.store.verdict import Decision
from tests.gate.compare.tables import table

MARKUP = "<script>alert(1)</script>\x1b[31m"
RNG = np.random.default_rng(2)


def comparison(private: str = "", rows: RowMatches | None = None) -> TableComparison:
    old = columns(["Bern", "Chur", MARKUP])
    new = {**columns(["Bern", "Chur", "Genf"]), "extra": numbers(range(300))}
    tables = table(new, MARKUP), table(old)
    hidden = [private] if private else []
    judgement = judge_by_effects(tables[0], [tables[1]], private=hidden)
    return TableComparison(
        tables[0],
        (tables[1],),
        problems=judgement.problems,
        observations=judgement.observations,
        rows=rows,
        private=frozenset(hidden),
    )


def columns(shops: list[str]) -> dict[str, Column]:
    amounts = RNG.gamma(2.0, 20.0, 300).round(2)
    return {MARKUP: strings(RNG.choice(shops, 300).tolist()), "amount": amounts}


ROWS = RowMatches(
    key=("id", MARKUP),
    added=1,
    changed_rows=2,
    changed={"amount": 2},
    examples={"amount": (ChangedRow(("1", MARKUP), MARKUP, None),), "+": (ChangedRow(("2", "x")),)},
)


def test_all_text_is_escaped() -> None:
    compared = comparison(rows=ROWS)
    page = compared.to_html()
    assert "<script>alert" not in page
    assert "\x1b" not in page + str(compared) + compared._repr_html_()
    assert len(page) < 1_000_000


def test_the_page_leads_with_the_changes_and_has_each_column() -> None:
    page = comparison(rows=ROWS).to_html()
    assert page.index("worst first") < page.index("All columns") < page.index("Rows by id")
    assert page.count('data-title="old"') == 3
    assert "batch" not in page.split("<main", 1)[1].split("Statistics of columns", 1)[0]


def test_values_of_private_columns_are_nowhere() -> None:
    compared = comparison(private=MARKUP)
    text = compared.to_html() + str(compared) + compared.to_json()
    assert "Chur" not in text
    assert "Genf" not in text
    (column,) = (c for c in compared.columns if c.name == MARKUP)
    assert column.new is not None
    assert (dict(column.new.frequent), column.distribution) == ({}, None)


def test_columns_with_problems_come_first_and_have_both_tables() -> None:
    first, *others = comparison().columns
    assert (first.name, first.level) == (MARKUP, Decision.HOLD)
    by_name = {column.name: column for column in others}
    assert by_name["extra"].old is None
    amount = by_name["amount"]
    assert amount.old is not None
    assert amount.new is not None
    assert amount.distribution is not None
    assert sum(amount.distribution.before) > 0.9
    assert (amount.new.type, amount.new.rows, amount.new.nulls) == ("double", 300, 0)


def test_the_comparison_is_json() -> None:
    document = json.loads(comparison(rows=ROWS).to_json())
    assert (document["decision"], document["would_hold"]) == ("hold", True)
    assert {column["column"] for column in document["columns"]} == {MARKUP, "amount", "extra"}
    assert document["rows"]["changed"] == {"amount": 2}


def test_changed_rows_are_a_change_that_holds_nothing() -> None:
    same = table(columns(["Bern"]))
    equal = TableComparison(same, (same,), rows=RowMatches(key=("id",)))
    changed = TableComparison(same, (same,), rows=ROWS)
    assert (equal.outcome, changed.outcome) == ("✓ NO CHANGE", "! CHANGED")
    assert not changed.would_hold
    assert str(ROWS) == "1 row added, 2 rows changed (amount 2)."
