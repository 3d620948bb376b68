"""Judge batches in which values or rows repeat that never did."""

from __future__ import annotations

import numpy as np
import pytest

from assay.gate.budget import Budget
from assay.gate.causes.cause import CauseCode
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.judges.keys import judge_keys
from assay.gate.judges.repeated_rows import RepeatedRowsJudge, judge_repeated_rows
from assay.learn.fingerprint.column_stats import ColumnKind, ColumnStats, Fingerprint
from assay.learn.fingerprint.from_rows import fingerprint, numbers, strings
from assay.learn.fingerprint.sample_rates import key_rates, sample_rates
from assay.learn.limits.repetition_rate import repetition_rate
from assay.store import Decision
from assay.suite.settings import GateSettings
from benchmarks.support.batches_of_rows import BatchOfRows
from tests.gate.histories import history_of

pytestmark = pytest.mark.unit

BUDGET = Budget.from_settings(GateSettings())


def orders(day: int, rows: int = 1000) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(day)
    return {
        "order_id": numbers(np.arange(rows) + 10_000 * day),
        "city": strings(rng.choice(["Rome", "Oslo", "Bern"], rows)),
        "weight": numbers(rng.normal(size=rows)),
    }


def keys(n_batches: int, now: Fingerprint) -> list[Finding]:
    earlier = (fingerprint(orders(day)) for day in range(n_batches))
    return list(judge_keys(history_of("orders", earlier).metrics, now, BUDGET))


def with_repeated(columns: dict[str, np.ndarray], n_repeated: int) -> dict[str, np.ndarray]:
    ids = columns["order_id"].copy()
    ids[-n_repeated:] = ids[:n_repeated]
    return {**columns, "order_id": ids}


def test_one_percent_of_repeated_keys_holds_the_batch_and_is_named() -> None:
    (finding,) = keys(10, fingerprint(with_repeated(orders(10), 10)))

    assert finding.level is Decision.HOLD
    assert finding.column == "order_id"
    assert finding.actual == 10
    assert finding.cause_code == CauseCode.KEY_DUPLICATED
    assert finding.false_alarm_rate < 1e-6


def test_new_keys_raise_no_alarm() -> None:
    assert keys(10, fingerprint(orders(10))) == []


def test_a_key_is_learned_from_three_batches() -> None:
    repeated = fingerprint(with_repeated(orders(10), 10))

    assert keys(2, repeated) == []
    assert [finding.level for finding in keys(3, repeated)] == [Decision.HOLD]


def test_columns_whose_values_repeated_before_are_no_keys() -> None:
    earlier = [fingerprint(orders(day)) for day in range(9)]
    earlier.append(fingerprint(with_repeated(orders(9), 1)))
    now = fingerprint(with_repeated(orders(10), 500))

    assert list(judge_keys(history_of("orders", earlier).metrics, now, BUDGET)) == []


def test_one_repeated_value_may_be_chance() -> None:
    assert repetition_rate(1, pairs=10, earlier_pairs=100) == pytest.approx(0.0465, abs=0.0001)
    assert repetition_rate(3, pairs=10, earlier_pairs=100) < 0.0005


def sampled_orders(n_repeated: int) -> Fingerprint:
    counts = {f"id-{number}": 1 + (number < n_repeated) for number in range(620)}
    measured = {"rows": 20_000, "values": 20_000, "distinct": 19_700, "sampled_distinct": 620}
    measured["sampled"] = sum(counts.values())
    stats = ColumnStats("categorical", measured, sampled_counts=counts)
    return Fingerprint(20_000, {"order_id": stats})


def test_a_sample_shows_repeated_values_of_a_large_column() -> None:
    history = history_of("orders", [sampled_orders(0)] * 5)

    (finding,) = judge_keys(history.metrics, sampled_orders(6), BUDGET)

    assert finding.level is Decision.HOLD
    assert "6 of 626 sampled values" in finding.reason


def test_columns_of_many_values_are_sampled_from_the_next_batch_on() -> None:
    many = ColumnStats("numeric", {"values": 1e6, "distinct": 1e6}, value_counts={"7": 1})
    few = ColumnStats("categorical", {"values": 3.0, "distinct": 1.0}, value_counts={"a": 3})

    assert sample_rates(Fingerprint(1_000_000, {"id": many, "city": few})) == {"id": 1024}
    assert sample_rates(None) == {}


def test_columns_without_repeated_values_may_be_keys() -> None:
    def column(kind: ColumnKind, *, values: float, **numbers: float) -> ColumnStats:
        return ColumnStats(kind, {"values": values, **numbers})

    batch = Fingerprint(
        100_000,
        {
            "unsampled id": column("categorical", values=100_000, distinct=98_400),
            "sampled id": column("categorical", values=1e6, sampled=980, sampled_distinct=980),
            "repeated": column("categorical", values=1e6, sampled=980, sampled_distinct=979),
            "number": column("numeric", values=5000, integers=5000, distinct=5000),
            "fraction": column("numeric", values=5000, integers=10, distinct=5000),
            "few": column("categorical", values=100, sampled=100, sampled_distinct=100),
        },
    )

    assert key_rates(batch) == {"unsampled id": 1, "sampled id": 8, "number": 1}
    assert key_rates(batch, n_batches=30) == {"unsampled id": 16, "sampled id": 128, "number": 1}
    assert key_rates(None) == {}


def rows(earlier: list[Fingerprint], now: Fingerprint) -> list[Finding]:
    return judge_repeated_rows(history_of("orders", earlier).contents, now, BUDGET)


def some_rows_twice(columns: dict[str, np.ndarray], n_rows: int) -> Fingerprint:
    return fingerprint(
        {name: np.concatenate((column, column[:n_rows])) for name, column in columns.items()}
    )


def test_rows_that_were_delivered_twice_hold_the_batch() -> None:
    earlier = [fingerprint(orders(day)) for day in range(10)]

    (finding,) = rows(earlier, some_rows_twice(orders(10), 200))
    assert finding.level is Decision.HOLD
    assert finding.cause_code == CauseCode.ROWS_DUPLICATED
    (finding,) = rows(earlier, some_rows_twice(orders(10), 1000))
    assert finding.cause_code == CauseCode.ROWS_REPEATED
    assert rows(earlier, fingerprint(orders(10))) == []


def test_usual_repeated_rows_raise_no_alarm() -> None:
    earlier = [some_rows_twice(orders(day), 10 + day) for day in range(10)]

    assert rows(earlier, some_rows_twice(orders(10), 25)) == []
    (finding,) = rows(earlier, some_rows_twice(orders(10), 300))
    assert finding.level is Decision.HOLD


def test_rows_that_are_equal_because_of_nulls_are_not_said_to_be_repeated() -> None:
    earlier = [fingerprint(orders(day)) for day in range(10)]
    lost = {**orders(10), "order_id": numbers([None] * 1000), "weight": numbers([None] * 1000)}
    context = BatchContext(
        settings=GateSettings(), budget=BUDGET, history=history_of("orders", earlier)
    )

    def judge(columns: dict[str, np.ndarray]) -> list[Finding]:
        measured = BatchOfRows.of("orders", "10", 10, columns)
        return RepeatedRowsJudge().judge(context, measured)

    assert judge(lost) == []
    twice = {name: np.concatenate((column, column)) for name, column in orders(10).items()}
    assert [finding.level for finding in judge(twice)] == [Decision.HOLD]


@pytest.mark.parametrize(("n_repeated", "level"), [(1, Decision.WARN), (3, Decision.HOLD)])
def test_repeated_keys_of_a_snapshot_are_reported_and_counts_with_nulls_are_not(
    n_repeated: int, level: Decision
) -> None:
    ids = np.arange(60) * 7
    counts = numbers([*np.arange(20) * 7, *[None] * 40])
    history = history_of(
        "regions", [fingerprint({"id": numbers(ids), "count": counts})] * 30
    ).metrics
    repeated = numbers([*ids[n_repeated:], *ids[-n_repeated:]])
    few = numbers([*np.arange(19) * 7, 0, *[None] * 40])

    batch = fingerprint({"id": repeated, "count": few})
    findings = list(judge_keys(history, batch, BUDGET.of_judge("keys")))

    assert [(f.column, f.level) for f in findings] == [("id", level)]


def test_one_repeated_key_holds_a_snapshot_of_few_rows() -> None:
    few = numbers([7, 14, 21, 28, 35])
    history = history_of("regions", [fingerprint({"id": few})] * 40).metrics

    repeated = fingerprint({"id": numbers([7, 14, 21, 28, 28])})
    (finding,) = judge_keys(history, repeated, BUDGET.of_judge("keys"))

    assert finding.level is Decision.HOLD
