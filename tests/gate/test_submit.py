"""A batch's way through the gate: one snapshot, one transaction, and every constraint method."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assay import Check, Gate
from assay.engine.measurement import Measurement
from assay.gate.causes.cause import CauseCode
from assay.gate.history import load_history, load_last_schema
from assay.learn.fingerprint.analyzers import FingerprintPlan
from assay.learn.fingerprint.metrics import COMPLETENESS
from assay.learn.suggest.provisional import ProvisionalSuite
from assay.report.html import report_of
from assay.store import (
    Batch,
    Decision,
    EmbeddedStore,
    MemoryStore,
    Selection,
    VerdictRecord,
)
from tests.checks.constraint_examples import (
    ALL_EXAMPLES,
    AS_OF,
    BAD,
    GOOD,
    frame,
    reference_tables,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from assay.analyzers import Analyzer
    from assay.store.protocol import Store

START = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.fixture(params=[MemoryStore, EmbeddedStore])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    make: Callable[..., Store] = request.param
    return make() if make is MemoryStore else make(tmp_path / "store")


def test_a_submit_reads_one_snapshot_and_commits_once(spark: SparkSession, store: Store) -> None:
    gate = Gate("numbers", store, Check("n").is_unique("n").has_size(at_least=1))
    for day in range(6):
        df = spark.range(day * 50, day * 50 + 50).selectExpr("id AS n", "id % 7 AS k").coalesce(1)
        before = (store.counters.snapshots, store.counters.commits)
        gate.submit(df, f"day={day}", time=START + timedelta(days=day))
        after = (store.counters.snapshots, store.counters.commits)
        assert (after[0] - before[0], after[1] - before[1]) == (1, 1), day
    # the first batch was stored with the limits that it suggests, by which the others are judged
    ((key, suite),) = store.derived(ProvisionalSuite, "numbers").items()
    assert key == "day=0"
    assert suite == load_history(store, "numbers").provisional
    assert ("n", COMPLETENESS) in {(limit.column, limit.metric) for limit in suite.limits}


def test_a_failed_commit_leaves_neither_batch_nor_verdict(
    spark: SparkSession, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate("numbers", store)
    df = spark.range(50).coalesce(1)
    gate.submit(df, "day=0", time=START)

    def fail(*_: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(type(store), "add_verdict", fail)
    with pytest.raises(OSError, match="the disk is full"):
        gate.submit(df.selectExpr("id + 1 AS id"), "day=1", time=START + timedelta(days=1))
    monkeypatch.undo()

    assert [batch.key for batch in store.batches(Selection("numbers"))] == ["day=0"]
    assert [record.key for record in store.verdicts(Selection("numbers"))] == ["day=0"]
    assert load_last_schema(gate.store, gate.dataset) is not None


def test_a_failing_notifier_is_noted_and_changes_no_decision(spark: SparkSession) -> None:
    def fail(_: object) -> None:
        raise OSError("no network")

    store = MemoryStore()

    verdict = Gate("numbers", store, notify=fail).submit(spark.range(5).coalesce(1), "day=0")

    assert verdict.decision is Decision.ACCEPT
    assert [finding.cause_code for finding in verdict.observations] == [CauseCode.JUDGE_FAILED]
    assert "no network" in verdict.observations[0].reason
    assert [record.key for record in store.verdicts(Selection("numbers"))] == ["day=0"]


def one_of_every_method(**options: Any) -> Check:
    check = Check("every", **options)
    for example in ALL_EXAMPLES:
        # a learned pattern judges batches only
        scope = {"on": "batch"} if options and example.name == "matches_learned_pattern" else {}
        check = example.add_to(check, **scope)
    return check.has_duplicate_rows(equals=0)


def test_no_constraint_makes_submit_or_a_report_raise(spark: SparkSession, tmp_path: Path) -> None:
    """The last batch has one column more and one less, and one is of another type."""
    check, store = one_of_every_method(on="both"), EmbeddedStore(tmp_path / "store")
    gate, tables = Gate("every", store, check), reference_tables(spark)
    good, bad = frame(spark, GOOD), frame(spark, BAD)
    changed = good.drop("word", "kind").selectExpr("*", "1 AS extra", "date'2026-11-01' AS kind")
    for day, df in enumerate((good, bad, changed)):
        time = AS_OF + timedelta(days=day)
        verdict = gate.submit(df, f"day={day}", time=time, reference_tables=tables)
        assert not [finding for finding in verdict.findings if finding.judge == "gate"]
        assert verdict.proposal is not None
        assert len(verdict.proposal.delta.results) == len(check.constraints)
        gate.explain(df, verdict)
        report = report_of(store, "every", f"day={day}")
        assert report.html.startswith("<!DOCTYPE html>")
        if not verdict.accepted:
            gate.release(f"day={day}", author="ann", reason="to be part of the dataset")


def test_no_constraint_makes_backtest_or_backfill_raise(spark: SparkSession) -> None:
    good, bad = frame(spark, GOOD), frame(spark, BAD)
    by_day = good.selectExpr("'2026-11-01' AS day", "*").union(bad.selectExpr("'2026-11-02'", "*"))
    gate = Gate("every", MemoryStore(), one_of_every_method())

    assert len(gate.backtest(by_day, "day")) == 2
    assert len(gate.backfill(by_day, "day")) == 2
    verdict = gate.submit(good, "day=2026-11-03", reference_tables=reference_tables(spark))
    assert not [finding for finding in verdict.findings if finding.judge == "gate"]


@pytest.mark.parametrize("method", ["has_min", "has_max"])
@pytest.mark.parametrize("column", ["day", "moment", "name"])
def test_bounds_on_dates_and_strings_are_judged(
    spark: SparkSession, method: str, column: str
) -> None:
    check = getattr(Check("bounds"), method)(column, satisfies=lambda _: True)
    gate = Gate("bounds", MemoryStore(), check)
    df = spark.sql(
        "SELECT date'2026-11-01' AS day, timestamp'2026-11-01 10:00:00' AS moment, 'a' AS name"
    )
    for number in range(3):
        verdict = gate.submit(df, f"batch={number}", time=START + timedelta(days=number))
        assert not [finding for finding in verdict.findings if finding.judge == "gate"]


def records_read(
    monkeypatch: pytest.MonkeyPatch, store: MemoryStore, run: Callable[[], object]
) -> int:
    """Return how many batches, states, records, verdicts and marks a call reads from a store."""
    counts: list[int] = []

    def count(name: str) -> None:
        read = getattr(store, name)

        def counted(*args: object, **kwargs: object) -> object:
            result = read(*args, **kwargs)
            counts.append(len(result))
            return result

        monkeypatch.setattr(store, name, counted)

    for name in ("batches", "states", "derived", "verdicts", "marks", "metrics"):
        count(name)
    run()
    monkeypatch.undo()
    return sum(counts)


def test_the_cost_of_a_submit_does_not_grow_beyond_the_windows(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    df = spark.range(60).selectExpr("id AS n", "id % 3 AS k").coalesce(1)
    measured = Gate("n", MemoryStore()).submit(df, "first").proposal
    assert measured is not None

    def reads_after(n_batches: int) -> int:
        store = MemoryStore()
        gate = Gate("n", store)
        for day in range(n_batches):
            batch = Batch("n", f"{day:04}", START + timedelta(days=day))
            store.write(batch, measured.measured)
            store.add_verdict(VerdictRecord("n", batch.key, Decision.ACCEPT, time=batch.time))
        # the first submit computes and stores the derived records
        end = START + timedelta(days=n_batches)
        gate.submit(df.selectExpr("n + 1 AS n", "k"), "a", time=end)
        later = end + timedelta(days=1)
        other = df.selectExpr("n + 2 AS n", "k")
        return records_read(monkeypatch, store, lambda: gate.submit(other, "b", time=later))

    assert reads_after(1200) == reads_after(600)


@pytest.mark.parametrize(
    ("check", "added_up"),
    [
        (Check("n").has_sum("n", at_least=0).has_histogram("k", satisfies=lambda _: True), set()),
        (Check("n").has_sum("n", at_least=0).is_unique("n"), {"Uniqueness(n)"}),
        (Check("n").has_sum("n", at_least=0, on="whole"), {"Sum(n)"}),
    ],
    ids=lambda value: str(len(value)) if isinstance(value, set) else "",
)
def test_a_submit_adds_up_states_only_for_constraints_on_the_whole(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, check: Check, added_up: set[str]
) -> None:
    store = MemoryStore()
    df = spark.range(60).selectExpr("id AS n", "id % 3 AS k").coalesce(1)
    gate = Gate("n", store, check)
    gate.submit(df, "day=0", time=START)
    read = store.merged_states
    keys: set[str] = set()

    def merged_states(selection: Selection, analyzers: Iterable[Analyzer]) -> Any:
        wanted = list(analyzers)
        keys.update(analyzer.key for analyzer in wanted)
        return read(selection, wanted)

    # a batch that is removed makes the running totals invalid
    store.write(Batch("n", "gone", START), Measurement({}, {}))
    store.remove("n", "gone")
    monkeypatch.setattr(store, "merged_states", merged_states)
    gate.submit(df.selectExpr("n + 60 AS n", "k"), "day=1", time=START + timedelta(days=1))

    assert keys == added_up


def test_states_of_checks_are_not_read_as_the_fingerprint(spark: SparkSession) -> None:
    """Checks that use the analyzers of numbers change nothing for the learners."""
    df = spark.range(40).selectExpr("cast(id % 5 AS string) AS code", "id AS n").coalesce(1)
    check = Check("codes").has_min("n", at_least=0).has_approx_quantile("n", 0.5, at_least=0)
    store = MemoryStore()
    gate = Gate("codes", store, check)
    plain = Gate("codes", MemoryStore())
    for day in range(2):
        changed = df.selectExpr("code", f"n + {day} AS n")
        gate.submit(changed, f"day={day}", time=START + timedelta(days=day))
        plain.submit(changed, f"day={day}", time=START + timedelta(days=day))
    plan = store.derived(FingerprintPlan, "codes", ["day=1"])["day=1"]
    assert [(column.name, column.text, column.numeric) for column in plan.columns] == [
        ("code", True, False),
        ("n", False, True),
    ]
    with_checks = load_history(store, "codes").metrics
    without = load_history(plain.store, "codes").metrics
    assert with_checks.metrics == without.metrics
