"""Relations between columns: chosen from earlier batches, measured, and compared with them."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from assay.analyzers.schema import Schema
from assay.engine.measure import measure
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import fingerprint, numbers, strings
from assay.learn.relations.choose_relations import (
    MAX_RELATIONS,
    choose_relations,
    first_that_hold,
    has_held,
)
from assay.learn.relations.deviation import broken_rate, find_deviation
from assay.learn.relations.history import BatchRelations
from assay.learn.relations.measured import counts_of_pairs, relation_analyzers, relations_of
from assay.learn.relations.of_rows import RelationsOfRows
from assay.learn.relations.plan import plan_relations
from assay.learn.relations.relation import Relation, RelationCounts, RelationKind

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COMPARISON, EQUALITY = RelationKind.COMPARISON, RelationKind.EQUALITY
ORDER = Relation(COMPARISON, ("ordered", "shipped"))
CITY = Relation(RelationKind.DEPENDENCY, ("code", "name"))


def test_the_rows_of_a_time_with_several_values_are_named() -> None:
    pairs = {("2013-01-12T13:00:00.000000Z", "8"): 9, ("2013-01-12T13:00:00.000000Z", "7"): 1}
    (counts,) = counts_of_pairs(pairs, ("at", "hour"), is_key=False).values()
    assert (
        counts.row_filter
        == "(try_cast(`at` AS timestamp) = timestamp'2013-01-12T13:00:00.000000Z')"
    )


def orders(day: int, rows: int = 400) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(day)
    code = rng.integers(0, 20, rows)
    net, tax = np.round(rng.gamma(2, 50, rows), 2), np.round(rng.gamma(2, 8, rows), 2)
    weight = rng.gamma(3, 2, rows)
    return {
        "code": strings(f"C{number:02}" for number in code),
        "name": strings(f"City {number:02}" for number in code),
        "net": numbers(net),
        "tax": numbers(tax),
        "total": numbers(net + tax),
        "weight": numbers(weight),
        "volume": numbers(weight * rng.normal(1, 0.05, rows)),
        "paid": numbers(net + tax),
    }


def history(days: int) -> tuple[Fingerprint, list[BatchRelations]]:
    last, earlier = None, list[BatchRelations]()
    for day in range(days):
        chosen = choose_relations(last, earlier)
        last = fingerprint(orders(day))
        earlier.append(BatchRelations.of(last, chosen=chosen))
    assert last is not None
    return last, earlier


@pytest.mark.unit
def test_the_relations_of_a_table_are_found_in_a_few_batches() -> None:
    relations = set(choose_relations(*history(5)))

    assert relations >= {
        Relation(EQUALITY, ("total", "paid")),
        Relation(RelationKind.SUM, ("total", "net", "tax")),
        Relation(RelationKind.CORRELATION, ("volume", "weight")),
        Relation(RelationKind.DEPENDENCY, ("code", "name")),
    }


@pytest.mark.unit
def test_the_number_of_relations_of_a_wide_table_is_bounded() -> None:
    rng = np.random.default_rng(1)
    wide = fingerprint({f"c{place}": rng.gamma(2, 50, 100) for place in range(300)})

    chosen = choose_relations(wide, [])

    assert len(chosen) <= sum(MAX_RELATIONS.values()) <= 30


@pytest.mark.unit
def test_a_relation_that_broke_in_good_batches_is_dropped() -> None:
    held = BatchRelations({CITY: RelationCounts(100, 2)})
    broken = BatchRelations({CITY: RelationCounts(100, 40)})

    assert has_held(CITY, [held, held, broken])
    assert not has_held(CITY, [held, broken, broken])


@pytest.mark.unit
def test_a_record_is_read_as_it_was_written() -> None:
    _, earlier = history(2)

    assert BatchRelations.from_json(json.loads(json.dumps(earlier[1].to_json()))) == earlier[1]


def counts(n_above: int, rows: int = 100) -> RelationCounts:
    return RelationCounts(rows, n_above, rows - n_above)


@pytest.mark.unit
@pytest.mark.parametrize(
    ("now", "earlier"),
    [
        (counts(0), [counts(0)] * 5),
        (counts(30), [counts(0)] * 2),  # too few batches
        (counts(30, rows=10), [counts(0, rows=10)] * 5),  # too few rows
        (counts(60), [counts(45)] * 20),  # a small change
        (counts(80), [*[counts(20)] * 19, counts(78)]),  # the last batch was like this
    ],
)
def test_a_comparison_as_before_is_no_deviation(
    now: RelationCounts, earlier: list[RelationCounts]
) -> None:
    assert find_deviation(ORDER, now, earlier) is None


@pytest.mark.unit
def test_rows_in_an_order_that_never_occurred_are_a_deviation() -> None:
    deviation = find_deviation(ORDER, counts(30), [counts(0)] * 5)

    assert deviation is not None
    assert (deviation.pattern, deviation.n_broken, deviation.is_swapped) == ("above", 30, False)
    assert deviation.rate < 0.001
    assert broken_rate(1, rows=100, rows_before=100) > 0.1  # one row is chance


@pytest.mark.unit
@pytest.mark.parametrize("usual", [0, 4])
def test_a_reversed_comparison_says_that_the_columns_are_swapped(usual: int) -> None:
    deviation = find_deviation(ORDER, counts(100 - usual), [counts(usual)] * 20)

    assert deviation is not None
    assert deviation.is_swapped


@pytest.mark.unit
def test_a_share_of_exceptions_may_rise_only_far_beyond_earlier_ones() -> None:
    earlier = [RelationCounts(1000, number) for number in range(5, 25)]

    assert find_deviation(CITY, RelationCounts(1000, 40), earlier) is None
    deviation = find_deviation(CITY, RelationCounts(1000, 400), earlier)
    assert deviation is not None
    assert deviation.actual == 0.4


@pytest.mark.unit
def test_a_broken_correlation_is_a_deviation() -> None:
    relation = Relation(RelationKind.CORRELATION, ("a", "b"))
    earlier = [RelationCounts(500, value=0.97 + 0.001 * number) for number in range(10)]

    assert find_deviation(relation, RelationCounts(500, value=0.95), earlier) is None
    deviation = find_deviation(relation, RelationCounts(500, value=0.02), earlier)
    assert deviation is not None
    assert deviation.rate < 0.001


@pytest.mark.unit
def test_only_times_of_one_type_are_compared_and_private_columns_are_left_out() -> None:
    schema = Schema.of(a="timestamp", b="timestamp", c="date", d="string", e="timestamp")

    compared = {analyzer.key for analyzer in plan_relations(schema, private=["e"])}

    assert compared == {
        "Compliance('`a` <= `b`', nulls='ignore')",
        "Compliance('`b` <= `a`', nulls='ignore')",
    }
    assert plan_relations(Schema.of(a="date", b="timestamp")) == ()


@pytest.mark.unit
def test_relations_that_no_longer_fit_the_types_are_not_measured() -> None:
    last, earlier = history(5)
    types = dict.fromkeys(last.columns, "double") | {"code": "string", "name": "string"}

    def kinds(schema: Schema) -> set[str]:
        return {type(analyzer).__name__ for analyzer in plan_relations(schema, (), last, earlier)}

    assert kinds(Schema.of(**types)) == {"Compliance", "Correlation", "PairProfile"}
    assert kinds(Schema.of(**dict.fromkeys(types, "string"))) == {"Compliance", "PairProfile"}
    assert plan_relations(Schema.of(other="int"), (), last, earlier) == ()


@pytest.mark.connect
def test_the_scan_counts_the_same_as_the_rows_in_memory(spark: SparkSession) -> None:
    names = ("a.b", "sum`of", "c", "copy", "code", "name")
    rows = [
        (1.0, 3.0, 2.0, 1.0, "x", "one"),
        (5.0, 9.0, 4.0, 5.0, "y", "two"),
        (2.0, 3.0, 2.0, None, "x", "other" + "-" * 90),
        (None, 3.0, 2.0, None, None, "three"),
        (4.0, 4.0, None, 4.0, "x", "one"),
    ]
    df = spark.createDataFrame(rows, "`a.b` double, `sum``of` double, c double, copy double, "
                               "code string, name string")  # fmt: skip
    columns = {
        name: strings([row[place] for row in rows])
        if name in ("code", "name")
        else numbers([row[place] for row in rows])  # type: ignore[misc]
        for place, name in enumerate(names)
    }
    relations = [
        Relation(COMPARISON, ("a.b", "sum`of")),
        Relation(EQUALITY, ("a.b", "copy")),
        Relation(RelationKind.SUM, ("sum`of", "a.b", "c")),
        Relation(RelationKind.CORRELATION, ("a.b", "c")),
        Relation(RelationKind.DEPENDENCY, ("code", "name")),
        Relation(RelationKind.KEY, ("code", "name")),
    ]
    analyzers = [
        analyzer
        for relation in relations
        for analyzer in relation_analyzers(relation, tolerance=0.5)
    ]

    measured = relations_of(measure(df, analyzers).states)

    in_memory = RelationsOfRows(columns)
    for relation in relations:
        one, other = measured[relation], in_memory[relation]
        assert one.value == pytest.approx(other.value, nan_ok=True)
        assert replace(one, value=0.0) == replace(other, value=0.0)
    assert measured[relations[0]].broken == 0
    assert measured[relations[1]].broken == 1
    assert measured[relations[2]].broken == 2  # a null adds nothing to a sum
    assert measured[relations[4]].broken == 1
    assert measured[relations[5]].broken == 1


def test_repeated_pairs_of_a_key_are_counted_exactly(spark: SparkSession) -> None:
    lines = spark.range(6000).selectExpr("id DIV 4 AS receipt", "concat('p', id % 4) AS line")
    key = Relation(RelationKind.KEY, ("receipt", "line"))
    analyzers = relation_analyzers(key, one_in=8, key_one_in=1)

    states = measure(lines.unionAll(lines.limit(30)), analyzers).states

    counts = relations_of(states)[key]
    assert (counts.rows, counts.broken, counts.sampled) == (6030, 30, False)
    assert counts.examples


@pytest.mark.unit
def test_a_key_of_two_columns_is_counted_in_a_large_sample() -> None:
    lines = {
        "receipt": numbers(np.repeat(np.arange(300.0), 4)),
        "line": numbers(np.tile(np.arange(4.0), 300)),
    }
    batch = fingerprint(lines)
    large = replace(batch, rows=1_000_000)
    earlier = [BatchRelations.of(batch, chosen=choose_relations(batch, ()))] * 3
    schema = Schema.of(receipt="bigint", line="bigint")

    (analyzer,) = (a for a in plan_relations(schema, (), large, earlier) if "Repeated" in a.key)

    assert sorted(analyzer.columns) == ["line", "receipt"]  # type: ignore[attr-defined]
    assert analyzer.one_in == 8  # type: ignore[attr-defined]


@pytest.mark.unit
def test_relations_of_several_rounds_are_tried_at_once() -> None:
    batch = fingerprint(orders(0))

    once = choose_relations(batch, ())
    tried = choose_relations(batch, (), n_rounds=3)

    n_once, n_tried = (Counter(r.kind for r in chosen) for chosen in (once, tried))
    kind = RelationKind.CORRELATION
    assert n_once[kind] == MAX_RELATIONS[kind] < n_tried[kind]
    kept = first_that_hold(BatchRelations.of(batch, chosen=tried))
    holds = [relation for relation in kept.counts if has_held(relation, [kept])]
    assert {CITY, Relation(EQUALITY, ("total", "paid"))} <= set(holds)
    assert all(n <= MAX_RELATIONS[kind] for kind, n in Counter(r.kind for r in holds).items())
    assert set(choose_relations(batch, [kept])) >= set(holds)
    assert not {r for r in kept.counts if r not in holds} & set(choose_relations(batch, [kept]))
