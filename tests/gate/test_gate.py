"""The gate: submit, hold, release, reject, mark, backfill and backtest batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from assay import Check, Gate
from assay.analyzers import Size
from assay.errors import CheckError, StoreError
from assay.gate import Verdict
from assay.gate import submit as module
from assay.gate.backtest import replay
from assay.gate.causes.cause import CauseCode
from assay.gate.diagnose.alarm_history import AlarmHistory
from assay.gate.explain import segment_of
from assay.gate.finding import Finding
from assay.gate.history import load_history, load_last_schema
from assay.gate.judges import novelty
from assay.gate.measure_many import measure_table
from assay.gate.stored_verdicts import recorded_verdict
from assay.learn.fingerprint.from_states import fingerprint_of
from assay.store import (
    QUARANTINED,
    Batch,
    Decision,
    EmbeddedStore,
    MarkKind,
    MemoryStore,
    Selection,
)
from assay.store.verdict import Mark, VerdictRecord
from tests.gate.learnable import marked_bad

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DAYS = 16
START = date(2026, 11, 1)
FIELDS = "day date, amount double, carrier string, origin string"


def draw_rows(day: int, rng: np.random.Generator) -> list[tuple[Any, ...]]:
    number = 150 + int(rng.integers(0, 20))
    amounts = rng.gamma(4.0, 5.0, number).round(2).tolist()
    carriers = rng.choice(["AA", "UA", "DL"], number, p=[0.5, 0.3, 0.2]).tolist()
    origins = rng.choice(["JFK", "LGA", "EWR"], number).tolist()
    moment = START + timedelta(days=day)
    return [(moment, a, c, o) for a, c, o in zip(amounts, carriers, origins, strict=True)]


def multiply_by_1000(batch: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [(d, a * 1000, c, o) for d, a, c, o in batch]


def remove_carriers_of_jfk(batch: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [(d, a, None if o == "JFK" else c, o) for d, a, c, o in batch]


@pytest.fixture(scope="module")
def history() -> list[list[tuple[Any, ...]]]:
    rng = np.random.default_rng(11)
    return [draw_rows(day, rng) for day in range(DAYS + 2)]


@pytest.fixture(scope="module")
def frame(spark: SparkSession, history: list[list[tuple[Any, ...]]]) -> DataFrame:
    flat = [row for batch in history[:DAYS] for row in batch]
    return spark.createDataFrame(flat, FIELDS)


@pytest.fixture(scope="module")
def backfilled(frame: DataFrame) -> MemoryStore:
    store = MemoryStore()
    Gate("flights", store).backfill(frame, ["day"])
    return store


@pytest.fixture
def store(backfilled: MemoryStore) -> MemoryStore:
    store = MemoryStore()
    store._contents = backfilled._contents  # committed contents never change
    return store


def submit_rows(
    spark: SparkSession, gate: Gate, batch: list[tuple[Any, ...]], day: int = DAYS
) -> Verdict:
    df = spark.createDataFrame(batch, FIELDS).drop("day")
    moment = datetime.combine(START + timedelta(days=day), datetime.min.time(), UTC)
    return gate.submit(df, f"day={moment:%Y-%m-%d}", time=moment)


@pytest.mark.connect
def test_a_batch_like_the_others_is_accepted(
    spark: SparkSession, store: MemoryStore, history: list[list[tuple[Any, ...]]]
) -> None:
    gate = Gate("flights", store, Check("flights").is_complete("amount"))
    verdict = submit_rows(spark, gate, history[DAYS])
    assert verdict.decision is Decision.ACCEPT, str(verdict)
    assert (
        verdict.headline == "flights day=2026-11-17 is accepted: it is like the 16 batches before."
    )
    assert len(store.batches(Selection("flights"))) == DAYS + 1
    again = submit_rows(spark, gate, history[DAYS])
    assert again.again
    assert again.decision is Decision.ACCEPT
    assert len(store.verdicts(Selection("flights"))) == 1


def test_a_second_batch_is_judged_by_the_patterns_of_the_first(
    spark: SparkSession, history: list[list[tuple[Any, ...]]]
) -> None:
    gate = Gate("flights", MemoryStore())
    assert submit_rows(spark, gate, history[0], 0).decision is Decision.ACCEPT
    numbered = [(d, a, f"{c}-{n % 10}", o) for n, (d, a, c, o) in enumerate(history[1])]
    verdict = submit_rows(spark, gate, numbered, 1)
    assert verdict.decision is Decision.WARN
    (finding,) = (alarm for alarm in verdict.alarms if alarm.judge == "patterns")
    assert finding.column == "carrier"
    assert "do not match the pattern <upper>+, such as 'AA-" in finding.reason
    assert verdict.failing(finding).count() == len(numbered)


def test_a_bad_batch_is_held_inspected_and_released(
    spark: SparkSession, store: MemoryStore, history: list[list[tuple[Any, ...]]]
) -> None:
    gate = Gate("flights", store)
    verdict = submit_rows(spark, gate, multiply_by_1000(history[DAYS]))
    assert verdict.decision is Decision.HOLD
    worst = verdict.findings[0]
    assert worst.column == "amount"
    assert worst.cause_code == CauseCode.UNIT_CHANGED
    assert worst.sql is not None
    # it is not part of the dataset, and learning leaves it out
    key = verdict.batch.key
    assert key not in {batch.key for batch in store.batches(Selection("flights"))}
    (held,) = gate.quarantine.waiting()
    assert held.batch.key == key
    assert held.problems[0].findings[0] == worst
    assert submit_rows(spark, gate, multiply_by_1000(history[DAYS])).again
    with pytest.raises(StoreError, match="expected an author and a reason"):
        gate.release(key, author="", reason="")
    gate.release(key, author="ada", reason="prices are in cents now")
    assert gate.quarantine.waiting() == ()
    assert key in {batch.key for batch in store.batches(Selection("flights"))}
    (mark,) = store.marks(Selection("flights"))
    assert (mark.kind, mark.author) == (MarkKind.RELEASED, "ada")
    after = submit_rows(spark, gate, multiply_by_1000(history[DAYS]))
    assert after.again
    assert after.decision is Decision.ACCEPT
    assert after.track_record.false_alarms == 1


def test_the_next_version_of_a_rejected_batch_can_be_accepted(
    spark: SparkSession, store: MemoryStore, history: list[list[tuple[Any, ...]]]
) -> None:
    gate = Gate("flights", store)
    key = submit_rows(spark, gate, remove_carriers_of_jfk(history[DAYS])).batch.key
    gate.reject(key, author="ada", reason="carriers are lost")
    assert gate.quarantine.waiting() == ()
    with pytest.raises(StoreError, match="batch 'day=2026-11-17' of flights is not held"):
        gate.release(key, author="ada", reason="…")
    corrected = submit_rows(spark, gate, history[DAYS])
    assert corrected.accepted
    findings = [str(finding) for finding in corrected.findings]
    assert "a batch with this key and other rows was judged before." in findings
    assert not store.batches(Selection("flights", status=QUARANTINED))


def test_learning_starts_again_with_the_new_normal(
    spark: SparkSession, store: MemoryStore, history: list[list[tuple[Any, ...]]]
) -> None:
    gate = Gate("flights", store)
    key = submit_rows(spark, gate, multiply_by_1000(history[DAYS])).batch.key
    gate.mark(key, "new normal", author="ada", reason="cents")
    verdict = submit_rows(spark, gate, multiply_by_1000(history[DAYS + 1]), DAYS + 1)
    assert verdict.accepted, str(verdict)


def test_a_judge_that_fails_holds_the_batch_and_is_reported(
    spark: SparkSession,
    store: MemoryStore,
    history: list[list[tuple[Any, ...]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("no")

    monkeypatch.setattr(novelty, "judge_novelty", broken)
    verdict = submit_rows(spark, Gate("flights", store), history[DAYS])
    assert verdict.decision is Decision.HOLD
    assert str(verdict.findings[0]) == "the judge 'novelty' failed: ZeroDivisionError: no"
    open_ = submit_rows(spark, Gate("flights", store, on_error="warn"), history[DAYS + 1], DAYS + 1)
    assert open_.decision is Decision.WARN


def test_an_empty_batch_and_a_failed_check_hold_the_batch(
    spark: SparkSession, store: MemoryStore
) -> None:
    check = Check("flights").has_size(at_least=1).is_complete("gate").warn()
    verdict = submit_rows(spark, Gate("flights", store, check), [])
    assert verdict.decision is Decision.HOLD
    assert {alarm.judge for alarm in verdict.alarms} >= {"checks", "empty"}


def test_an_explanation_names_the_segment_of_the_failing_rows(
    spark: SparkSession, store: MemoryStore, history: list[list[tuple[Any, ...]]]
) -> None:
    verdict = submit_rows(spark, Gate("flights", store), remove_carriers_of_jfk(history[DAYS]))
    nulls = next(alarm for alarm in verdict.alarms if alarm.row_filter == "`carrier` IS NULL")
    assert {row["origin"] for row in verdict.failing(nulls).collect()} == {"JFK"}
    with pytest.raises(CheckError, match="no single rows cause this"):
        verdict.failing(replace(nulls, row_filter=None))
    finding = next(finding for finding in verdict.findings if finding.column == "carrier")
    df = spark.createDataFrame(remove_carriers_of_jfk(history[DAYS]), FIELDS).drop("day")
    assert verdict.proposal is not None
    fingerprint = fingerprint_of(verdict.proposal.measured.states)
    segment = segment_of(df, finding, fingerprint, None)
    assert segment is not None
    assert segment.startswith("origin = 'JFK' has 100 % of the deviating rows, and ")
    # a column that the batch does not have has no rows
    assert segment_of(df, replace(finding, column="gone"), fingerprint, None) is None
    # text cannot be compared with the range of numbers
    numbers = replace(
        fingerprint, columns={**fingerprint.columns, "carrier": fingerprint.columns["amount"]}
    )
    assert segment_of(df, replace(finding, metric="top"), fingerprint, numbers) is None
    explained = Gate("flights", store).explain(df, verdict)
    (record,) = store.verdicts(Selection("flights"))
    assert recorded_verdict(store, record).findings == explained.findings
    assert any(alarm.where == segment for alarm in explained.alarms)
    # a verdict that is read from the store is explained by the stored statistics
    recorded = recorded_verdict(store, record)
    assert Gate("flights", store).explain(df, recorded).findings == explained.findings
    with pytest.raises(CheckError, match="cannot explain batch"):
        Gate("flights", MemoryStore()).explain(df, recorded)


def test_a_backtest_judges_each_batch_by_earlier_batches_only(
    spark: SparkSession, history: list[list[tuple[Any, ...]]]
) -> None:
    days = [*history[:DAYS], multiply_by_1000(history[DAYS]), history[DAYS + 1]]
    later = [(d + timedelta(days=1), *r) for d, *r in history[DAYS + 1]]
    days[-2] = [(START + timedelta(days=DAYS), *r) for _, *r in days[-2]]
    frame = spark.createDataFrame([row for day in [*days[:-1], later] for row in day], FIELDS)
    gate = Gate("flights", MemoryStore())
    backtest = gate.backtest(frame, ["day"])
    assert len(backtest) == DAYS + 2
    held = [verdict.batch.key for verdict in backtest if not verdict.accepted]
    assert held == ["day=2026-11-17"]
    assert gate.store.batches(Selection("flights")) == ()
    # later batches do not change earlier verdicts
    deliveries = measure_table(gate.spec, frame, ["day"])
    first = replay(gate.spec, deliveries[: DAYS // 2])
    assert [verdict.decision for verdict in first] == [verdict.decision for verdict in backtest][
        : DAYS // 2
    ]


def test_a_backtest_reports_a_lasting_change_once(
    spark: SparkSession, history: list[list[tuple[Any, ...]]]
) -> None:
    """Like submitted batches, an accepted batch is learned from at once."""
    changed_rows = [
        (d, a, c if day < DAYS - 5 or at else "ZZ", o)
        for day, batch in enumerate(history[:DAYS])
        for at, (d, a, c, o) in enumerate(batch)
    ]
    backtest = Gate("flights", MemoryStore()).backtest(
        spark.createDataFrame(changed_rows, FIELDS), ["day"]
    )
    metric = ("carrier", "dist_val_count")
    reported = [
        any((finding.column, finding.metric) == metric for finding in verdict.findings)
        for verdict in backtest
    ]
    assert reported == [False] * (DAYS - 5) + [True, False, False, False, False]


def test_a_batch_older_than_others_gets_a_note(
    spark: SparkSession, store: MemoryStore, history: list[list[tuple[Any, ...]]]
) -> None:
    df = spark.createDataFrame(history[DAYS], FIELDS).drop("day")
    verdict = Gate("flights", store).submit(df, "late", time=datetime(2026, 11, 10, tzinfo=UTC))
    assert verdict.n_history == 9
    assert any("batches are younger than this one" in str(finding) for finding in verdict.findings)


def test_private_columns_are_stored_without_values(
    spark: SparkSession, history: list[list[tuple[Any, ...]]]
) -> None:
    store = MemoryStore()
    submit_rows(spark, Gate("flights", store, private=["carrier"]), history[DAYS])
    ((_, states),) = store.states(Selection("flights")).items()
    carrier = fingerprint_of(states).columns["carrier"]
    assert not carrier.shape_counts
    assert not {"AA", "UA", "DL"} & set(carrier.value_counts)


def test_batches_can_be_submitted_concurrently(
    spark: SparkSession, history: list[list[tuple[Any, ...]]], tmp_path: Path
) -> None:
    gate = Gate("flights", EmbeddedStore(tmp_path / "store"))

    def submit(at: int) -> Verdict:
        # the first two are different batches, the third repeats the second
        return submit_rows(spark, gate, history[min(at, 1)], min(at, 1))

    with ThreadPoolExecutor(3) as pool:
        verdicts = list(pool.map(submit, range(3)))
    assert all(verdict.accepted for verdict in verdicts)
    assert len(gate.store.batches(Selection("flights"))) == 2
    assert gate.quarantine.waiting() == ()


def test_a_schema_that_never_repeats_is_held_each_time(spark: SparkSession) -> None:
    gate = Gate("odd", MemoryStore())
    decisions = [
        gate.submit(
            spark.range(20).toDF(f"column {at}"), str(at), time=datetime(2026, 11, at, tzinfo=UTC)
        ).decision
        for at in (1, 2, 3)
    ]
    assert decisions == [Decision.ACCEPT, Decision.HOLD, Decision.HOLD]


def test_a_store_keeps_verdicts_and_metrics(store: MemoryStore) -> None:
    batch = Batch("flights", "x")
    verdict = Verdict(batch, Decision.ACCEPT)
    store.add_verdict(verdict.to_record())
    assert store.verdicts(Selection("flights"))[-1].decision is Decision.ACCEPT
    assert Size() in {entry.metric.analyzer for entry in store.metrics(Selection("flights"))}


def lower_case(batch: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [(d, a, c.lower(), o) for d, a, c, o in batch]


def test_other_text_under_the_same_key_is_another_version(
    spark: SparkSession, store: MemoryStore, history: list[list[tuple[Any, ...]]]
) -> None:
    """No metric changes with the case of letters, but a corrected version must be accepted."""
    gate = Gate("flights", store)
    assert not submit_rows(spark, gate, lower_case(history[DAYS])).accepted
    corrected = submit_rows(spark, gate, history[DAYS])
    assert corrected.accepted
    assert not corrected.again
    lower_case_again = submit_rows(spark, gate, lower_case(history[DAYS]))
    assert not lower_case_again.accepted
    assert not lower_case_again.again
    # learning still uses the accepted version, whatever happens to the other
    key = lower_case_again.batch.key
    assert marked_bad(store, "flights") == frozenset()
    again = submit_rows(spark, gate, history[DAYS])
    assert again.again
    assert again.accepted
    assert all(finding.level is not Decision.HOLD for finding in again.findings)
    gate.reject(key, author="ann", reason="small letters")
    assert marked_bad(store, "flights") == frozenset()
    gate.mark(key, "bad", author="ann", reason="it was wrong after all")
    assert marked_bad(store, "flights") == {key}


def test_a_batch_older_than_all_others_is_judged_too(
    spark: SparkSession, store: MemoryStore
) -> None:
    other = spark.createDataFrame([(1, "x")], "n int, text string")
    verdict = Gate("flights", store).submit(other, "old", time=datetime(1970, 1, 2, tzinfo=UTC))
    assert not verdict.accepted
    assert any("all other batches are younger" in alarm.reason for alarm in verdict.alarms)


def test_the_last_mark_counts_even_if_an_earlier_one_has_a_later_time(store: MemoryStore) -> None:
    gate = Gate("flights", store)
    key = store.batches(Selection("flights"))[0].key
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    store.add_mark(Mark("flights", key, MarkKind.BAD, "ann", "wrong", tomorrow))
    assert marked_bad(store, "flights") == {key}
    gate.mark(key, "expected", author="bob", reason="a holiday")
    assert marked_bad(store, "flights") == frozenset()
    gate.refuse(key, "it is not a table")
    assert [held.batch.key for held in gate.quarantine.waiting()] == [key]
    gate.reject(key, author="bob", reason="not a table")
    assert gate.quarantine.waiting() == ()


def test_a_backfilled_batch_can_be_the_new_normal(store: MemoryStore) -> None:
    gate = Gate("flights", store)
    keys = [batch.key for batch in store.batches(Selection("flights"))]
    gate.mark(keys[-3], "new normal", author="ann", reason="another source")
    metric_names = [sorted(metrics) for metrics in load_history(store, "flights").metrics.metrics]
    assert metric_names[-4:-2] == [[], ["amount", "carrier", "origin"]]


def test_a_run_of_alarms_has_one_kind() -> None:
    def held_record(key: str, **finding: Any) -> VerdictRecord:
        return VerdictRecord("flights", key, Decision.HOLD, ({"level": "hold", **finding},))

    table = Finding("novelty", Decision.HOLD, "it is so.", None, "row_count")
    column = Finding("novelty", Decision.HOLD, "it is so.", "a", "max")
    before = [
        held_record("1", judge="novelty", metric="rows"),
        held_record("2", judge="checks", metric="rows"),
    ]
    assert start_of_run(before[:1], table) == "1"
    assert start_of_run(before, table) is None
    assert start_of_run([held_record("1", judge="limits", column="a", metric="min")], column) == "1"
    assert start_of_run([held_record("1", judge="schema", column="a")], column) is None
    gone = Finding("schema", Decision.HOLD, "the column is gone.", "a", "gone")
    assert start_of_run([held_record("1", judge="schema", column="a", metric="gone")], gone) == "1"
    assert start_of_run([held_record("1", judge="schema", column="a", metric="new")], gone) is None
    assert start_of_run([held_record("1", judge="limits", column="a", metric="min")], gone) is None


def start_of_run(verdicts: Sequence[VerdictRecord], finding: Finding) -> str | None:
    return AlarmHistory.of(verdicts).start_of_run(finding)


def test_a_backtest_takes_frames_of_several_schemas(
    spark: SparkSession, history: list[list[tuple[Any, ...]]]
) -> None:
    frames = {
        f"2026-11-{day + 1:02}": spark.createDataFrame(history[day], FIELDS).drop("day")
        for day in range(2)
    }
    frames["2026-11-03"] = frames["2026-11-02"].selectExpr("*", "1 AS more")
    frames["2026-11-04"] = frames["2026-11-02"].limit(0)
    backtest = Gate("flights", MemoryStore()).backtest(frames)
    assert [verdict.batch.key for verdict in backtest] == list(frames)
    assert [verdict.decision.value for verdict in backtest] == ["accept", "accept", "warn", "hold"]
    assert [verdict.alarms[-1].reason for verdict in backtest.verdicts[2:]] == [
        "the column is new, of type int.",
        "the batch is empty; all 3 batches before had rows.",
    ]


def test_invalid_batches_raise_an_error_that_names_the_argument(frame: DataFrame) -> None:
    gate: Any = Gate("flights", MemoryStore())
    path: Any = "suite.yaml"
    mistakes: dict[str, Callable[[], Any]] = {
        "invalid key of a batch: .* got 5": lambda: gate.submit(frame, 5),
        "invalid time of batch 'a': .* got '2026-11-16'": lambda: gate.submit(
            frame, "a", time="2026-11-16"
        ),
        "must be a pyspark DataFrame, got list": lambda: gate.submit([1], "a"),
        "invalid suite of a gate: .* got 'suite.yaml'": lambda: Gate(
            "flights", MemoryStore(), path
        ),
        "invalid dialect of batch 'a': .* got 'x'": lambda: gate.submit(frame, "a", dialect="x"),
        "name the batch": lambda: gate.backtest(frame),
        "cannot split flights into batches": lambda: gate.backfill(frame, []),
        "invalid name of a column: .* got 5": lambda: gate.backtest(frame, [5]),
        "invalid key of a batch: .* got datetime.date": lambda: gate.backtest({START: frame}),
        "must be a pyspark DataFrame, got int": lambda: gate.backtest({"a": 1}),
        "'fine'": lambda: gate.mark("a", "fine", author="x", reason="y"),
    }
    for message, mistake in mistakes.items():
        with pytest.raises((CheckError, StoreError), match=message):
            mistake()


def test_findings_are_reported_even_if_the_diagnosis_fails(
    spark: SparkSession,
    store: MemoryStore,
    history: list[list[tuple[Any, ...]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError("no words")

    monkeypatch.setattr(module, "diagnose", broken)
    verdict = submit_rows(spark, Gate("flights", store), multiply_by_1000(history[DAYS]))
    assert not verdict.accepted
    assert verdict.problems[0].cause_code == CauseCode.JUDGE_FAILED
    assert "ZeroDivisionError: no words" in verdict.problems[0].cause
    assert any(alarm.column == "amount" for alarm in verdict.alarms)


def test_a_verdict_reports_that_its_evidence_could_not_be_collected(
    spark: SparkSession,
    store: MemoryStore,
    history: list[list[tuple[Any, ...]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError("no pictures")

    monkeypatch.setattr(module, "collect_evidence", broken)
    verdict = submit_rows(spark, Gate("flights", store), history[DAYS])
    assert verdict.accepted
    [failure] = [f for f in verdict.observations if f.cause_code == CauseCode.JUDGE_FAILED]
    assert "ZeroDivisionError: no pictures" in failure.reason


def test_a_second_backfill_keeps_the_columns(frame: DataFrame) -> None:
    gate = Gate("flights", MemoryStore())
    first = gate.backfill(frame.where("day < '2026-11-03'"), "day")
    again = gate.backfill(frame.where("day < '2026-11-03'"), "day")
    assert [batch.key for batch in again] == [batch.key for batch in first]
    assert load_last_schema(gate.store, gate.dataset) is not None


def test_a_late_explanation_does_not_change_a_later_version(
    spark: SparkSession, store: MemoryStore, history: list[list[tuple[Any, ...]]]
) -> None:
    gate = Gate("flights", store)
    bad = submit_rows(spark, gate, multiply_by_1000(history[DAYS]))
    submit_rows(spark, gate, history[DAYS])
    df = spark.createDataFrame(multiply_by_1000(history[DAYS]), FIELDS).drop("day")
    gate.explain(df, bad)
    assert [record.decision.value for record in store.verdicts(Selection("flights"))] == [
        "hold",
        "accept",
    ]


def test_a_version_that_is_held_during_another_submit_waits(
    spark: SparkSession,
    store: MemoryStore,
    history: list[list[tuple[Any, ...]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gate, other = Gate("flights", store), Gate("flights", store)
    judge = module.judge_measured

    def meanwhile(*positional: Any, **keywords: Any) -> Verdict:
        monkeypatch.setattr(module, "judge_measured", judge)
        submit_rows(spark, other, multiply_by_1000(history[DAYS]))
        return judge(*positional, **keywords)

    monkeypatch.setattr(module, "judge_measured", meanwhile)
    verdict = submit_rows(spark, gate, history[DAYS])
    assert verdict.accepted
    assert [held.batch.key for held in gate.quarantine.waiting()] == [verdict.batch.key]
    assert verdict.batch.key in {batch.key for batch in store.batches(Selection("flights"))}


def test_a_batch_marked_as_bad_warns_when_it_is_submitted_again(
    spark: SparkSession, store: MemoryStore, history: list[list[tuple[Any, ...]]]
) -> None:
    gate = Gate("flights", store)
    key = submit_rows(spark, gate, history[DAYS]).batch.key
    gate.mark(key, "bad", author="ann", reason="of the test system")
    again = submit_rows(spark, gate, history[DAYS])
    assert (again.again, again.decision) == (True, Decision.WARN)
    assert again.alarms[0].reason == "ann marked this batch as bad: of the test system"
