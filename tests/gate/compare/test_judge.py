"""The changes that a comparison reports, and those that would hold a table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assay.gate.compare.judge import Judgement, judge_by_effects, judge_tables
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.table_schema import TableSchema
from assay.io.file_dialect import FileDialect
from assay.learn.fingerprint.from_rows import Column, numbers, strings
from assay.store.verdict import Decision
from assay.suite.settings import GateSettings
from benchmarks.support.batches import read_batches
from benchmarks.support.batches_of_rows import BatchOfRows
from tests.gate.compare.tables import table, take
from tests.realdata import data_path

RNG = np.random.default_rng(3)


def orders(start: int, n: int = 400) -> dict[str, Column]:
    rng = np.random.default_rng(start)
    return {
        "id": numbers(range(start, start + n)),
        "shop": strings(rng.choice(["Bern", "Chur", "Genf"], n).tolist()),
        "price": rng.gamma(2.0, 20.0, n).round(2),
        "email": strings([None if x < 0.1 else f"{x:.6f}@a.ch" for x in rng.random(n)]),
    }


def codes(judgement: Judgement) -> dict[str, Decision]:
    return {problem.cause_code: problem.level for problem in judgement.problems}


def compared(new: dict[str, Column], *old: dict[str, Column], private: str = "") -> Judgement:
    tables = [table(columns, f"old {n}") for n, columns in enumerate(old)]
    return judge_by_effects(table(new, "new"), tables, private=[private] if private else ())


def test_the_next_day_has_no_change() -> None:
    judgement = compared(orders(400), orders(0))
    assert judgement.problems == ()
    assert [finding.reason for finding in judgement.observations] == [
        "2 columns have only new values: id, email."
    ]


SHOPS = orders(400)["shop"]


@pytest.mark.parametrize(
    ("changes", "code", "level"),
    [
        ({"shop": strings([shop.lower() for shop in SHOPS])}, "case_changed", Decision.HOLD),
        ({"price": orders(400)["price"] * 100}, "unit_changed", Decision.HOLD),
        ({"email": strings([None] * 400)}, "nulls_rose", Decision.HOLD),
        ({"shop": strings(["", *SHOPS[:339], *[""] * 60])}, "empty_strings_rose", Decision.HOLD),
        ({"id": numbers([*range(400, 700), *range(400, 500)])}, "key_duplicated", Decision.HOLD),
        ({"price": orders(400)["price"] + 15}, "offset", Decision.WARN),
        (
            {"shop": strings(["Wil", *["Wil"] * 19, *SHOPS[20:]])},
            "values_new",
            Decision.WARN,
        ),
    ],
)
def test_a_changed_column_has_one_problem(
    changes: dict[str, Column], code: str, level: Decision
) -> None:
    (problem,) = compared({**orders(400), **changes}, orders(0)).problems
    assert (problem.cause_code, problem.level) == (code, level)
    assert problem.columns == tuple(changes)


def test_a_changed_schema_would_be_held() -> None:
    new = orders(400)
    new["shop_name"] = new.pop("shop")
    del new["email"]
    assert codes(compared(new, orders(0))) == {
        "column_gone": Decision.HOLD,
        "column_renamed": Decision.HOLD,
    }


def test_another_type_would_be_held() -> None:
    new = orders(400)
    new["price"] = strings([f"EUR {price}" for price in new["price"]])
    assert codes(compared(new, orders(0)))["type_changed"] is Decision.HOLD


def test_a_changed_unit_is_named_although_whole_numbers_became_fractions() -> None:
    prices = numbers(RNG.integers(90, 900, 400))
    old = table({**orders(0), "price": prices})
    new = table({**orders(400), "price": prices * 1.609}, "new")
    assert old.schema is not None
    types = tuple((name, "bigint" if name == "price" else t) for name, t in old.schema.types)
    old = replace(old, schema=TableSchema(types))
    assert codes(judge_by_effects(new, [old])) == {"unit_changed": Decision.HOLD}
    same = replace(new, stats=old.stats)
    assert codes(judge_by_effects(same, [old]))["redelivered"] is Decision.HOLD


def test_another_table_is_one_problem_and_its_columns() -> None:
    judgement = compared({"x": numbers(range(50)), "y": numbers(range(50))}, orders(0))
    assert codes(judgement) == {"other_table": Decision.HOLD, "column_new": Decision.WARN}


@pytest.mark.parametrize(
    ("n", "code", "level"),
    [
        (200, "rows_missing", Decision.HOLD),
        (0, "no_rows", Decision.HOLD),
        (320, "row_count", Decision.WARN),
        (380, None, None),
    ],
)
def test_missing_rows_are_reported(n: int, code: str | None, level: Decision | None) -> None:
    reported = codes(compared(orders(400, n), orders(0)))
    assert reported == ({} if code is None else {code: level})


def test_rows_delivered_twice_would_be_held() -> None:
    new = take(orders(400), np.repeat(np.arange(400), 2))
    assert codes(compared(new, orders(0)))["rows_repeated"] is Decision.HOLD


def test_the_same_rows_again_would_be_held_unless_they_are_expected() -> None:
    same = take(orders(0), np.arange(400)[::-1])
    assert codes(compared(same, orders(0))) == {"redelivered": Decision.HOLD}
    tables = table(same, "new"), [table(orders(0))]
    judgement = judge_by_effects(tables[0], tables[1], may_repeat=True)
    assert judgement.problems == ()
    assert "same values" in judgement.observations[0].reason


def test_rows_of_any_older_table_are_recognized() -> None:
    judgement = compared(orders(0), orders(0), orders(400))
    assert codes(judgement) == {"redelivered": Decision.HOLD}
    assert "old 0" in judgement.problems[0].cause


def test_a_change_must_differ_from_each_older_table() -> None:
    weekend = {**orders(0), "shop": strings(["Bern"] * 400)}
    new = {**orders(800), "shop": strings(["Bern"] * 400)}
    assert codes(compared(new, orders(400)))
    assert codes(compared(new, weekend, orders(400))) == {}


def test_nulls_that_rose_together_are_one_problem() -> None:
    new, mask = orders(400), RNG.random(400) < 0.3
    new["price"] = np.where(mask, np.nan, new["price"])
    new["shop"] = strings([None if m else v for m, v in zip(mask, new["shop"], strict=True)])
    (problem,) = compared(new, orders(0)).problems
    assert (problem.cause_code, problem.level) == ("nulls_together", Decision.HOLD)
    assert set(problem.columns) == {"price", "shop"}


def test_values_of_private_columns_are_not_quoted() -> None:
    new = {**orders(400), "shop": strings(["Zug"] * 400)}
    text = str([p.to_dict() for p in compared(new, orders(0), private="shop").problems])
    assert "shop" in text
    assert "Zug" not in text
    assert "Bern" not in text


def test_tables_without_rows_or_values_are_compared() -> None:
    empty = take(orders(0), np.arange(0))
    assert codes(compared(empty, empty)) == {}
    assert codes(compared(orders(0), empty)) == {}
    nothing = {"x": strings([None] * 9), "y": numbers([np.nan] * 9)}
    assert codes(compared(nothing, {**nothing, "x": strings([None] * 8 + ["a"])})) == {}


def test_another_dialect_warns() -> None:
    old, new = table(orders(0)), table(orders(400), "new")
    assert old.schema is not None
    assert new.schema is not None
    old = replace(old, schema=replace(old.schema, writing=FileDialect(",")))
    new = replace(new, schema=replace(new.schema, writing=FileDialect(";")))
    assert codes(judge_by_effects(new, [old])) == {"dialect_changed": Decision.WARN}


def test_a_column_that_cannot_be_read_would_be_held() -> None:
    new = replace(table(orders(400), "new"), unreadable={"price": "CAST_INVALID_INPUT: 'x'"})
    (problem,) = judge_by_effects(new, [table(orders(0))], private=["price"]).problems
    assert (problem.cause_code, problem.level) == ("unreadable", Decision.HOLD)
    assert "'x'" not in problem.cause


def test_eight_older_tables_are_a_history() -> None:
    days = [batch(place, orders(400 * place)) for place in range(12)]
    usual = judge_tables(batch(12, orders(4800)), days, GateSettings())
    assert not any(problem.holds for problem in usual.problems)
    prices = orders(4800)["price"] * 100
    damaged = judge_tables(batch(12, {**orders(4800), "price": prices}), days, GateSettings())
    assert codes(damaged)["unit_changed"] is Decision.HOLD


def batch(place: int, columns: dict[str, Column]) -> MeasuredBatch:
    return BatchOfRows.of("orders", str(place), place, columns)


@pytest.mark.parametrize(
    ("dataset", "part", "within"),
    [
        ("nycflights13_daily", "batches", ("2013-03-01", "2013-03-02~")),
        ("online_retail_by_day", "batches", ("2011-03-01", "2011-03-03~")),
        ("jhu_global_daily", "batches", ("2020-05-01", "2020-05-01~")),
        ("covid_tracking_states", "batches", ("2020-09-01", "2020-09-03~")),
        ("fbposts", "clean", ("", "~")),
    ],
)
def test_random_halves_of_real_tables_have_no_change(
    dataset: str, part: str, within: tuple[str, str]
) -> None:
    rng = np.random.default_rng(1)
    n_columns = n_reported = 0
    for columns in read_batches(data_path(), dataset, part, within=within)[:2]:
        for _ in range(8):
            rows = rng.permutation(len(next(iter(columns.values()))))
            halves = [take(columns, part_rows) for part_rows in np.array_split(rows, 2)]
            problems = compared(halves[1], halves[0]).problems
            n_columns += len(columns)
            n_reported += sum(len(problem.columns) or 1 for problem in problems)
    assert n_reported <= n_columns / 100
