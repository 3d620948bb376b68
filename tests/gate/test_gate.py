"""The gate, from a batch to its verdict and to what becomes of it."""

from __future__ import annotations

from collections.abc import Callable
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
from assay.gate.diagnose import since
from assay.gate.explain import segment_of
from assay.gate.finding import Finding
from assay.gate.history import load_history
from assay.gate.judges import novelty
from assay.gate.measure_many import measure_table
from assay.gate.recorded import recorded_verdict
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
start = date(2026, 11, 1)
FIELDS = "day date, amount double, carrier string, origin string"


def rows(day: int, rng: np.random.Generator) -> list[tuple[Any, ...]]:
    number = 150 + int(rng.integers(0, 20))
    amounts = rng.gamma(4.0, 5.0, number).round(2).tolist()
    carriers = rng.choice(["AA", "UA", "DL"], number, p=[0.5, 0.3, 0.2]).tolist()
    origins = rng.choice(["JFK", "LGA", "EWR"], number).tolist()
    moment = start + timedelta(days=day)
    return [(moment, a, c, o) for a, c, o in zip(amounts, carriers, origins, strict=True)]


def thousandfold(batch: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [(d, a * 1000, c, o) for d, a, c, o in batch]


def holed(batch: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [(d, a, None if o == "JFK" else c, o) for d, a, c, o in batch]


@pytest.fixture(scope="module")
def history() -> list[list[tuple[Any, ...]]]:
    rng = np.random.default_rng(11)
    return [rows(day, rng) for day in range(DAYS + 2)]


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
    store._contents = backfilled._contents  # contents that were committed never change
    return store


def submitted(
    spark: SparkSession, gate: Gate, batch: list[tuple[Any, ...]], day: int = DAYS
) -> Verdict:
    df = spark.createDataFrame(batch, FIELDS).drop("day")
    moment = datetime.combine(start + timedelta(days=day), datetime.min.time(), UTC)
    return gate.submit(df, f"day={moment:%Y-%m-%d}", time=moment)


@pytest.mark.connect
def test_a_batch_like_the_others_is_let_in(
    spark: SparkSession, store: MemoryStore, history: list[list[tuple[Any, ...]]]
) -> None:
    gate = Gate("flights", store, Check("flights").is_complete("amount"))
    verdict = submitted(spark, gate, history[DAYS])
    assert verdict.decision is Decision.ACCEPT, str(verdict)
    assert (
        verdict.headline == "flights day=2026-11-17 is accepted: it is like the 16 batches before."
    )
    assert len(store.batches(Selection("flights"))) == DAYS + 1
    again = submitted(spark, gate, history[DAYS])
    assert again.again
    assert again.decision is Decision.ACCEPT
    assert len(store.verdicts(Selection("flights"))) == 1


def test_a_second_batch_is_judged_by_what_strings_looked_like_in_the_first(
    spark: SparkSession, history: list[list[tuple[Any, ...]]]
) -> None:
    gate = Gate("flights", MemoryStore())
    assert submitted(spark, gate, history[0], 0).decision is Decision.ACCEPT
    numbered = [(d, a, f"{c}-{n % 10}", o) for n, (d, a, c, o) in enumerate(history[1])]
    verdict = submitted(spark, gate, numbered, 1)
    assert verdict.decision is Decision.WARN
    (found,) = (each for each in verdict.alarms if each.judge == "patterns")
    assert found.column == "carrier"
    assert "do not match the pattern <upper>+, such as 'AA-" in found.reason
    assert verdict.failing(found).count() == len(numbered)


def test_a_bad_batch_is_held_inspected_and_released(
    spark: SparkSession, store: MemoryStore, history: list[list[tuple[Any, ...]]]
) -> None:
    gate = Gate("flights", store)
    verdict = submitted(spark, gate, thousandfold(history[DAYS]))
    assert verdict.decision is Decision.HOLD
    worst = verdict.findings[0]
    assert worst.column == "amount"
    assert worst.cause_code == CauseCode.UNIT_CHANGED
    assert worst.sql is not None
    # it is no part of the dataset, and nothing is learned from it
    key = verdict.batch.key
    assert key not in {each.key for each in store.batches(Selection("flights"))}
    (held,) = gate.quarantine.waiting()
    assert held.batch.key == key
    assert held.problems[0].findings[0] == worst
    assert submitted(spark, gate, thousandfold(history[DAYS])).again
    with pytest.raises(StoreError, match="lacks an author or a reason"):
        gate.release(key, author="", reason="")
    gate.release(key, author="ada", reason="prices are in cents now")
    assert gate.quarantine.waiting() == ()
    assert key in {each.key for each in store.batches(Selection("flights"))}
    (mark,) = store.marks(Selection("flights"))
    assert (mark.kind, mark.author) == (MarkKind.RELEASED, "ada")
    after = submitted(spark, gate, thousandfold(history[DAYS]))
    assert after.again
    assert after.decision is Decision.ACCEPT
    assert after.track_record.false_alarms == 1


def test_a_rejected_batch_never_gets_in_but_its_next_version_may(
    spark: SparkSession, store: MemoryStore, history: list[list[tuple[Any, ...]]]
) -> None:
    gate = Gate("flights", store)
    key = submitted(spark, gate, holed(history[DAYS])).batch.key
    gate.reject(key, author="ada", reason="carriers are lost")
    assert gate.quarantine.waiting() == ()
    with pytest.raises(StoreError, match="no batch 'day=2026-11-17' of flights is held"):
        gate.release(key, author="ada", reason="…")
    mended = submitted(spark, gate, history[DAYS])
    assert mended.accepted
    said = [str(each) for each in mended.findings]
    assert "a batch with this key and other rows was judged before." in said
    assert not store.batches(Selection("flights", status=QUARANTINED))


def test_the_new_normal_is_learned_and_the_old_forgotten(
    spark: SparkSession, store: MemoryStore, history: list[list[tuple[Any, ...]]]
) -> None:
    gate = Gate("flights", store)
    key = submitted(spark, gate, thousandfold(history[DAYS])).batch.key
    gate.mark(key, "new normal", author="ada", reason="cents")
    verdict = submitted(spark, gate, thousandfold(history[DAYS + 1]), DAYS + 1)
    assert verdict.accepted, str(verdict)


def test_a_judge_that_fails_lets_nothing_through_in_silence(
    spark: SparkSession,
    store: MemoryStore,
    history: list[list[tuple[Any, ...]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("no")

    monkeypatch.setattr(novelty, "judge_novelty", broken)
    verdict = submitted(spark, Gate("flights", store), history[DAYS])
    assert verdict.decision is Decision.HOLD
    assert str(verdict.findings[0]) == "the judge 'novelty' failed: ZeroDivisionError: no"
    open_ = submitted(spark, Gate("flights", store, on_error="warn"), history[DAYS + 1], DAYS + 1)
    assert open_.decision is Decision.WARN


def test_an_empty_batch_and_a_failed_check_hold(spark: SparkSession, store: MemoryStore) -> None:
    check = Check("flights").has_size(at_least=1).is_complete("gate").warn()
    verdict = submitted(spark, Gate("flights", store, check), [])
    assert verdict.decision is Decision.HOLD
    assert {each.judge for each in verdict.alarms} >= {"checks", "empty"}


def test_where_the_deviation_sits(
    spark: SparkSession, store: MemoryStore, history: list[list[tuple[Any, ...]]]
) -> None:
    verdict = submitted(spark, Gate("flights", store), holed(history[DAYS]))
    nulls = next(each for each in verdict.alarms if each.row_filter == "`carrier` IS NULL")
    assert {row["origin"] for row in verdict.failing(nulls).collect()} == {"JFK"}
    with pytest.raises(CheckError, match="no single rows cause this"):
        verdict.failing(replace(nulls, row_filter=None))
    finding = next(each for each in verdict.findings if each.column == "carrier")
    df = spark.createDataFrame(holed(history[DAYS]), FIELDS).drop("day")
    assert verdict.proposal is not None
    own = fingerprint_of(verdict.proposal.measured.states)
    found = segment_of(df, finding, own, None)
    assert found is not None
    assert found.startswith("origin = 'JFK' has 100% of the deviating rows, and ")
    # of a column that the batch does not have no row can be asked
    assert segment_of(df, replace(finding, column="gone"), own, None) is None
    # nor whether words are between numbers
    numbers = replace(own, columns={**own.columns, "carrier": own.columns["amount"]})
    assert segment_of(df, replace(finding, metric="top"), own, numbers) is None
    explained = Gate("flights", store).explain(df, verdict)
    (said,) = store.verdicts(Selection("flights"))
    assert recorded_verdict(store, said).findings == explained.findings
    assert any(each.where == found for each in explained.alarms)


def test_a_history_is_replayed_with_only_what_came_before(
    spark: SparkSession, history: list[list[tuple[Any, ...]]]
) -> None:
    days = [*history[:DAYS], thousandfold(history[DAYS]), history[DAYS + 1]]
    later = [(d + timedelta(days=1), *r) for d, *r in history[DAYS + 1]]
    days[-2] = [(start + timedelta(days=DAYS), *r) for _, *r in days[-2]]
    frame = spark.createDataFrame([row for day in [*days[:-1], later] for row in day], FIELDS)
    gate = Gate("flights", MemoryStore())
    found = gate.backtest(frame, ["day"])
    assert len(found) == DAYS + 2
    held = [each.batch.key for each in found if not each.accepted]
    assert held == ["day=2026-11-17"]
    assert gate.store.batches(Selection("flights")) == ()
    # what comes later changes nothing of what was said before
    deliveries = measure_table(gate.spec, frame, ["day"])
    first = replay(gate.spec, deliveries[: DAYS // 2])
    assert [each.decision for each in first] == [each.decision for each in found][: DAYS // 2]


def test_a_change_that_stays_is_told_of_once_when_a_history_is_replayed(
    spark: SparkSession, history: list[list[tuple[Any, ...]]]
) -> None:
    """As it is when batches are submitted one by one: what was let in is learned from at once."""
    told = [
        (d, a, c if day < DAYS - 5 or at else "ZZ", o)
        for day, batch in enumerate(history[:DAYS])
        for at, (d, a, c, o) in enumerate(batch)
    ]
    found = Gate("flights", MemoryStore()).backtest(spark.createDataFrame(told, FIELDS), ["day"])
    metric = ("carrier", "dist_val_count")
    warned = [
        any((each.column, each.metric) == metric for each in verdict.alarms) for verdict in found
    ]
    assert warned == [False] * (DAYS - 5) + [True, False, False, False, False]


def test_a_clock_that_runs_backwards_is_remarked(
    spark: SparkSession, store: MemoryStore, history: list[list[tuple[Any, ...]]]
) -> None:
    df = spark.createDataFrame(history[DAYS], FIELDS).drop("day")
    verdict = Gate("flights", store).submit(df, "late", time=datetime(2026, 11, 10, tzinfo=UTC))
    assert verdict.n_history == 9
    assert any("batches are younger than this one" in str(each) for each in verdict.findings)


def test_private_columns_are_remembered_without_values(
    spark: SparkSession, history: list[list[tuple[Any, ...]]]
) -> None:
    store = MemoryStore()
    submitted(spark, Gate("flights", store, private=["carrier"]), history[DAYS])
    ((_, states),) = store.states(Selection("flights")).items()
    known = fingerprint_of(states).columns["carrier"]
    assert not known.shape_counts
    assert not {"AA", "UA", "DL"} & set(known.value_counts)


def test_two_may_submit_at_once(
    spark: SparkSession, history: list[list[tuple[Any, ...]]], tmp_path: Path
) -> None:
    gate = Gate("flights", EmbeddedStore(tmp_path / "store"))

    def submit(at: int) -> Verdict:
        # the first two are different batches, the third is the second again
        return submitted(spark, gate, history[min(at, 1)], min(at, 1))

    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(submit, range(3)))
    assert all(each.accepted for each in found)
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


def test_a_store_keeps_what_the_gate_says(store: MemoryStore) -> None:
    batch = Batch("flights", "x")
    verdict = Verdict(batch, Decision.ACCEPT)
    store.add_verdict(verdict.to_record())
    assert store.verdicts(Selection("flights"))[-1].decision is Decision.ACCEPT
    assert Size() in {each.metric.analyzer for each in store.metrics(Selection("flights"))}


def lower(batch: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [(d, a, c.lower(), o) for d, a, c, o in batch]


def test_other_text_under_a_key_is_another_batch(
    spark: SparkSession, store: MemoryStore, history: list[list[tuple[Any, ...]]]
) -> None:
    """No number tells that letters became small: a repaired delivery must get in, a bad one not."""
    gate = Gate("flights", store)
    assert not submitted(spark, gate, lower(history[DAYS])).accepted
    repaired = submitted(spark, gate, history[DAYS])
    assert repaired.accepted
    assert not repaired.again
    spoiled = submitted(spark, gate, lower(history[DAYS]))
    assert not spoiled.accepted
    assert not spoiled.again
    # the version that was let in is still learned from, whatever becomes of the other
    key = spoiled.batch.key
    assert marked_bad(store, "flights") == frozenset()
    again = submitted(spark, gate, history[DAYS])
    assert again.again
    assert again.accepted
    assert all(each.level is not Decision.HOLD for each in again.findings)
    gate.reject(key, author="ann", reason="small letters")
    assert marked_bad(store, "flights") == frozenset()
    gate.mark(key, "bad", author="ann", reason="it was wrong after all")
    assert marked_bad(store, "flights") == {key}


def test_a_batch_older_than_all_is_judged_all_the_same(
    spark: SparkSession, store: MemoryStore
) -> None:
    other = spark.createDataFrame([(1, "x")], "n int, text string")
    found = Gate("flights", store).submit(other, "old", time=datetime(1970, 1, 2, tzinfo=UTC))
    assert not found.accepted
    assert any("all other batches are younger" in each.reason for each in found.alarms)


def test_what_is_said_last_counts_though_the_clock_runs_backwards(store: MemoryStore) -> None:
    gate = Gate("flights", store)
    key = store.batches(Selection("flights"))[0].key
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    store.add_mark(Mark("flights", key, MarkKind.BAD, "ann", "wrong", tomorrow))
    assert marked_bad(store, "flights") == {key}
    gate.mark(key, "expected", author="bob", reason="a holiday")
    assert marked_bad(store, "flights") == frozenset()
    gate.refuse(key, "it is no table")
    assert [each.batch.key for each in gate.quarantine.waiting()] == [key]
    gate.reject(key, author="bob", reason="no table")
    assert gate.quarantine.waiting() == ()


def test_the_new_normal_of_a_batch_nobody_judged_is_all_of_it(store: MemoryStore) -> None:
    gate = Gate("flights", store)
    keys = [each.key for each in store.batches(Selection("flights"))]
    gate.mark(keys[-3], "new normal", author="ann", reason="another source")
    known = [sorted(each) for each in load_history(store, "flights").metrics.metrics]
    assert known[-4:-2] == [[], ["amount", "carrier", "origin"]]


def test_a_run_of_alarms_is_of_one_kind() -> None:
    def said(key: str, **finding: Any) -> VerdictRecord:
        return VerdictRecord("flights", key, Decision.HOLD, ({"level": "hold", **finding},))

    table = Finding("novelty", Decision.HOLD, "it is so.", None, "rows")
    column = Finding("novelty", Decision.HOLD, "it is so.", "a", "max")
    before = [said("1", judge="novelty", metric="rows"), said("2", judge="checks", metric="rows")]
    assert since(before[:1], table) == "1"
    assert since(before, table) is None
    assert since([said("1", judge="limits", column="a", metric="min")], column) == "1"
    assert since([said("1", judge="schema", column="a")], column) is None
    gone = Finding("schema", Decision.HOLD, "the column is gone.", "a", "gone")
    assert since([said("1", judge="schema", column="a", metric="gone")], gone) == "1"
    assert since([said("1", judge="schema", column="a", metric="new")], gone) is None
    assert since([said("1", judge="limits", column="a", metric="min")], gone) is None


def test_frames_of_several_schemas_are_replayed(
    spark: SparkSession, history: list[list[tuple[Any, ...]]]
) -> None:
    frames = {
        f"2026-11-{day + 1:02}": spark.createDataFrame(history[day], FIELDS).drop("day")
        for day in range(2)
    }
    frames["2026-11-03"] = frames["2026-11-02"].selectExpr("*", "1 AS more")
    frames["2026-11-04"] = frames["2026-11-02"].limit(0)
    found = Gate("flights", MemoryStore()).backtest(frames)
    assert [each.batch.key for each in found] == list(frames)
    assert [each.decision.value for each in found] == ["accept", "accept", "warn", "hold"]
    assert [each.alarms[-1].reason for each in found.verdicts[2:]] == [
        "the column is new, of type int.",
        "there are no rows; all 3 batches before had some.",
    ]


def test_what_no_batch_can_be_is_refused_in_a_sentence(frame: DataFrame) -> None:
    gate: Any = Gate("flights", MemoryStore())
    path: Any = "suite.yaml"
    wrong: dict[str, Callable[[], Any]] = {
        "a batch has a text for its key": lambda: gate.submit(frame, 5),
        "is a datetime": lambda: gate.submit(frame, "a", time="2026-11-16"),
        "must be a pyspark DataFrame, got list": lambda: gate.submit([1], "a"),
        "a gate takes": lambda: Gate("flights", MemoryStore(), path),
        "how a file is written": lambda: gate.submit(frame, "a", dialect="x"),
        "name the columns": lambda: gate.backtest(frame),
        "cannot split flights into batches": lambda: gate.backfill(frame, []),
        "columns are named by texts, such as 'day', not by 5": lambda: gate.backtest(frame, [5]),
        "for its key, such as .*, not datetime.date": lambda: gate.backtest({start: frame}),
        "batches are DataFrames": lambda: gate.backtest({"a": 1}),
        "a kind is one of": lambda: gate.mark("a", "fine", author="x", reason="y"),
    }
    for complaint, mistake in wrong.items():
        with pytest.raises((CheckError, StoreError), match=complaint):
            mistake()


def test_what_was_found_is_told_though_no_words_are_found_for_it(
    spark: SparkSession,
    store: MemoryStore,
    history: list[list[tuple[Any, ...]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError("no words")

    monkeypatch.setattr(module, "diagnose", broken)
    found = submitted(spark, Gate("flights", store), thousandfold(history[DAYS]))
    assert not found.accepted
    assert found.problems[0].cause == "The diagnosis failed: ZeroDivisionError: no words"
    assert any(each.column == "amount" for each in found.alarms)


def test_a_history_that_is_filled_in_twice_keeps_its_columns(frame: DataFrame) -> None:
    gate = Gate("flights", MemoryStore())
    first = gate.backfill(frame.where("day < '2026-11-03'"), "day")
    again = gate.backfill(frame.where("day < '2026-11-03'"), "day")
    assert [each.key for each in again] == [each.key for each in first]
    assert gate.schema() is not None


def test_what_is_explained_late_is_said_of_no_later_version(
    spark: SparkSession, store: MemoryStore, history: list[list[tuple[Any, ...]]]
) -> None:
    gate = Gate("flights", store)
    bad = submitted(spark, gate, thousandfold(history[DAYS]))
    submitted(spark, gate, history[DAYS])
    df = spark.createDataFrame(thousandfold(history[DAYS]), FIELDS).drop("day")
    gate.explain(df, bad)
    assert [each.decision.value for each in store.verdicts(Selection("flights"))] == [
        "hold",
        "accept",
    ]


def test_a_version_that_is_held_meanwhile_waits(
    spark: SparkSession,
    store: MemoryStore,
    history: list[list[tuple[Any, ...]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gate, other = Gate("flights", store), Gate("flights", store)
    judge = module.judge_measured

    def meanwhile(*given: Any, **named: Any) -> Verdict:
        monkeypatch.setattr(module, "judge_measured", judge)
        submitted(spark, other, thousandfold(history[DAYS]))
        return judge(*given, **named)

    monkeypatch.setattr(module, "judge_measured", meanwhile)
    verdict = submitted(spark, gate, history[DAYS])
    assert verdict.accepted
    assert [each.batch.key for each in gate.quarantine.waiting()] == [verdict.batch.key]
    assert verdict.batch.key in {each.key for each in store.batches(Selection("flights"))}


def test_what_was_marked_as_bad_is_not_called_fine_when_it_comes_again(
    spark: SparkSession, store: MemoryStore, history: list[list[tuple[Any, ...]]]
) -> None:
    gate = Gate("flights", store)
    key = submitted(spark, gate, history[DAYS]).batch.key
    gate.mark(key, "bad", author="ann", reason="of the test system")
    again = submitted(spark, gate, history[DAYS])
    assert (again.again, again.decision) == (True, Decision.WARN)
    assert again.alarms[0].reason == "ann marked this batch as bad: of the test system"
