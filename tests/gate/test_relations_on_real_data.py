"""Relations, keys and redeliveries of real recurring tables. The errors in them are injected."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from assay.gate.budget import Budget
from assay.gate.causes.cause import CauseCode
from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.gate.judges.keys import judge_keys, judge_pairs
from assay.gate.judges.redelivery import judge_earlier_batches
from assay.gate.judges.relations import judge_relations
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import Column, column_stats, fingerprint, is_null
from assay.learn.limits.metric_history import MetricHistory
from assay.learn.novelty.contents import BatchContents
from assay.learn.relations.choose_relations import choose_relations
from assay.learn.relations.history import BatchRelations
from assay.learn.relations.relation import Relation, RelationKind
from assay.store import Batch, Decision
from benchmarks.support.batches_of_rows import KeyedRows, read_rows
from benchmarks.support.recurring import CASES
from tests.realdata import data_path

pytestmark = pytest.mark.unit

BUDGET = Budget(Fraction(1, 200))


@cache
def batches(name: str, first: str = "", n_batches: int = 12) -> tuple[KeyedRows, ...]:
    """Read the batches of a data set from a key on."""
    case = next(case for case in CASES if case.name == name)
    data = data_path("recurring").parent
    rows = read_rows(data, case, first=None if first else n_batches)
    return tuple(batch for batch in rows if batch.key >= first)[:n_batches]


@cache
def statistics(name: str, first: str = "") -> tuple[Fingerprint, ...]:
    return tuple(fingerprint(batch.columns) for batch in batches(name, first))


def metrics(name: str) -> MetricHistory:
    """Return the metrics of a few batches before the last one."""
    history = MetricHistory(name)
    for batch in statistics(name)[-6:-1]:
        history = history.plus(Batch(name, str(len(history.batches))), batch)
    return history


@cache
def relations(name: str, first: str = "") -> tuple[BatchRelations, ...]:
    """Return the relations of all batches but the last one."""
    past: list[BatchRelations] = []
    last = None
    for batch in statistics(name, first)[:-1]:
        chosen = choose_relations(last, past)
        last = batch
        past.append(BatchRelations.of(last, chosen=chosen))
    return tuple(past)


def findings(name: str, changed: Mapping[str, Column], first: str = "") -> list[Finding]:
    batch = fingerprint({**batches(name, first)[-1].columns, **changed})
    return list(judge_relations(batch, relations(name, first), BUDGET.of_judge("relations")))


def last(name: str, column: str, first: str = "") -> Column:
    return batches(name, first)[-1].columns[column].copy()


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("nycflights13_daily", ""),
        ("jhu_us_daily", ""),
        ("ourairports_regions", ""),
        ("covid_tracking_states", "2020-09-19"),
    ],
)
def test_good_batches_raise_no_alarm(name: str, first: str) -> None:
    assert findings(name, {}, first) == []


@pytest.mark.parametrize(
    ("name", "pair"),
    [
        ("nycflights13_daily", ("sched_dep_time", "sched_arr_time")),
        ("nycflights13_daily", ("dep_time", "arr_time")),
        ("jhu_us_daily", ("Confirmed", "Recovered")),
    ],
)
def test_swapped_columns_of_similar_values_are_named(name: str, pair: tuple[str, str]) -> None:
    one, other = pair

    found = findings(name, {one: last(name, other), other: last(name, one)})

    swapped = [f.cause or "" for f in found if f.cause_code == CauseCode.COLUMNS_SWAPPED]
    assert any(one in cause and other in cause for cause in swapped)


def test_totals_that_are_no_longer_the_sum_of_their_parts_are_named() -> None:
    name, first = "covid_tracking_states", "2020-09-19"
    total = last(name, "total", first)
    rows = np.flatnonzero(~is_null(total))[:5]
    total[rows] += 1000

    found = findings(name, {"total": total}, first)

    assert CauseCode.SUM_BROKEN in {finding.cause_code for finding in found}
    assert any("5 of 56 rows" in finding.reason for finding in found)


def test_columns_that_were_equal_and_differ_now_are_named() -> None:
    name, first = "covid_tracking_states", "2020-09-19"
    hospitalized = last(name, "hospitalized", first)
    rows = np.flatnonzero(~is_null(hospitalized))[:6]
    hospitalized[rows] += 7

    found = findings(name, {"hospitalized": hospitalized}, first)

    equality = next(f for f in found if f.cause_code == CauseCode.EQUALITY_BROKEN)
    assert equality.row_filter == "NOT (`hospitalizedCumulative` <=> `hospitalized`)"


def test_a_part_that_is_larger_than_its_total_is_named() -> None:
    name, first = "covid_tracking_states", "2020-09-19"
    negative, total = last(name, "negative", first), last(name, "totalTestResults", first)
    rows = np.flatnonzero(~is_null(negative) & ~is_null(total))[:4]
    negative[rows] = total[rows] + 1000

    found = findings(name, {"negative": negative}, first)

    orders = [f for f in found if f.cause_code == CauseCode.ORDER_BROKEN]
    assert ("negative", "totalTestResults") in {finding.columns for finding in orders}
    assert all("4 of 56 rows: negative is larger than" in finding.reason for finding in orders)


def test_a_country_on_two_continents_is_named_with_both() -> None:
    name = "ourairports_regions"
    continent, country = last(name, "continent"), last(name, "iso_country")
    continent[np.flatnonzero(country == "FR")[:5]] = "AS"

    (finding,) = findings(name, {"continent": continent})

    assert finding.cause_code == CauseCode.DEPENDENCY_BROKEN
    assert "FR: EU, AS" in finding.reason
    assert finding.row_filter == "(cast(`iso_country` AS string) = 'FR')"


def test_values_that_are_mixed_up_break_a_correlation() -> None:
    name = "nycflights13_daily"
    mixed = np.random.default_rng(1).permutation(last(name, "dep_time"))

    found = findings(name, {"dep_time": mixed})

    assert any(
        f.cause_code == CauseCode.CORRELATION_BROKEN and "dep_time" in f.reason for f in found
    )


@pytest.mark.parametrize(
    ("name", "column"), [("ourairports_regions", "code"), ("jhu_us_daily", "Province_State")]
)
@pytest.mark.parametrize("share", [0.01, 0.05, 0.2])
def test_repeated_keys_hold_the_batch(name: str, column: str, share: float) -> None:
    keys = last(name, column)
    n_repeated = max(2, round(share * len(keys)))
    keys[:n_repeated] = keys[-n_repeated:]
    now = statistics(name)[-1]
    now = replace(now, columns={**now.columns, column: column_stats(keys)})

    found = judge_keys(metrics(name), now, BUDGET.of_judge("keys"))

    assert (column, Decision.HOLD) in {(finding.column, finding.level) for finding in found}


def test_repeated_pairs_hold_the_batch() -> None:
    """No region has the local code of another one in its country."""
    name, pair = "ourairports_regions", ("local_code", "iso_country")
    relation = Relation(RelationKind.KEY, pair)
    changed = {column: last(name, column) for column in pair}
    for column in pair:
        changed[column][:200] = changed[column][-200:]

    assert relation in {key for batch in relations(name) for key in batch.counts}
    (finding,) = judge_pairs(relations(name), fingerprint(changed), BUDGET.of_judge("keys"))
    assert (finding.level, finding.cause_code) == (Decision.HOLD, CauseCode.KEY_DUPLICATED)


@pytest.mark.parametrize("name", ["nycflights13_daily", "online_retail_by_day"])
@pytest.mark.parametrize("n_batches", [8, 20])
def test_an_old_batch_that_comes_again_is_held(name: str, n_batches: int) -> None:
    all_statistics = [fingerprint(batch.columns) for batch in batches(name, "", 20)]
    earlier, now = all_statistics[: n_batches - 1], all_statistics[n_batches - 1]
    keys = tuple(Batch(name, batch.key) for batch in batches(name, "", 20)[: n_batches - 1])
    history = GateHistory(MetricHistory(name, keys), contents=tuple(map(BatchContents.of, earlier)))
    budget = BUDGET.of_judge("redelivery")

    (finding,) = judge_earlier_batches(history, earlier[-4], budget)
    assert finding.level is Decision.HOLD
    assert keys[-4].key in finding.reason
    assert judge_earlier_batches(history, now, budget) == []
