"""A report shows what the store has about a batch, held batches too."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from assay.engine.measurement import Measurement
from assay.errors import StoreError
from assay.gate import Finding, Gate
from assay.gate.table_schema import TableSchema
from assay.learn.fingerprint import metrics
from assay.report.html import Report, report_of
from assay.report.number_format import percent
from assay.store import Batch, BatchStatus, Decision, MarkKind, Selection
from assay.store.verdict import VerdictRecord
from assay.suite import GateSettings
from tests.report.html.batches import (
    START,
    corrupted,
    flights,
    gate,
    history,
    key,
    measured,
    remember,
    types_of,
)
from tests.report.html.reading import sound

COMPLETENESS = Finding(
    "limits", Decision.HOLD, "the completeness is 0.5, expected 1.0.", "carrier",
    "complete_ratio", actual=0.5, low=0.99, high=1.0, false_alarm_rate=0.001,
)  # fmt: skip
MEAN = Finding(
    "novelty", Decision.HOLD, "the mean is 120,000.0, expected 100.0 to 140.0.", "amount",
    "mean", actual=120_000.0, low=100.0, high=140.0, false_alarm_rate=0.0025,
)  # fmt: skip
ROWS = Finding("limits", Decision.WARN, "the number of rows is 1.", None, "row_count", actual=1.0)


@pytest.fixture(scope="module")
def held() -> Gate:
    """Create a gate with ten good days and one bad day."""
    flights_gate = gate()
    history(flights_gate, 10)
    remember(flights_gate, corrupted(10), 10, Decision.HOLD, (MEAN, COMPLETENESS, ROWS))
    return flights_gate


@pytest.fixture(scope="module")
def report(held: Gate) -> Report:
    return report_of(held.store, "flights", key(10), GateSettings())


def test_a_held_batch_is_compared_with_the_previous_batch(report: Report) -> None:
    assert report.decision is Decision.HOLD
    assert report.verdict is not None
    assert set(report.verdict.findings) == {MEAN, COMPLETENESS, ROWS}
    assert report.batch == Batch("flights", key(10), START + timedelta(days=10))
    assert report.verdict.n_history == 10
    assert report.previous_batch == key(9)
    assert report.columns is not None
    assert report.previous_columns is not None
    assert report.columns.columns["carrier"]["values"] < report.columns.rows
    assert report.previous_columns.columns["carrier"]["values"] == report.previous_columns.rows
    page = sound(report.html)
    nulls = percent(report.columns.rows // 2, report.columns.rows)
    assert f"nulls0 %{nulls}" in page.text
    # three findings, the row count, and a trend of the table and of each column
    assert page.html.count('<svg class="spark"') == 3 + 1 + 1 + 5


def test_the_trend_of_a_column_is_its_mean_or_what_its_problem_is_about(report: Report) -> None:
    days = [flights(day) for day in range(10)]
    amount, carrier = report.trends["amount"], report.trends["carrier"]
    assert amount.metric == metrics.MEAN
    assert amount.series.values == pytest.approx([day["amount"].mean() for day in days])
    assert carrier.metric == metrics.COMPLETENESS
    assert report.trends["origin"].metric == metrics.DISTINCT_COUNT
    assert report.trends[None].series.values == tuple(float(len(day["amount"])) for day in days)
    assert report.trends[None].series.keys == tuple(key(day) for day in range(10))


def test_a_verdict_without_trends_has_a_page(report: Report) -> None:
    page = sound(replace(report, trends={}).html)
    assert "mean" in page.text


def test_the_history_of_a_metric_has_the_unit_of_its_column(report: Report) -> None:
    days = [flights(day) for day in range(10)]
    mean = report.series["novelty", "amount", "mean"]
    assert mean.keys == tuple(key(day) for day in range(10))
    assert mean.values == pytest.approx([day["amount"].mean() for day in days])
    assert report.series["limits", "carrier", "complete_ratio"].values == (1.0,) * 10
    rows = report.series["limits", None, "row_count"]
    assert rows.values == tuple(float(len(day["amount"])) for day in days)


def test_limits_are_learned_from_earlier_batches(report: Report) -> None:
    assert report.limits is not None
    assert report.limits.n_batches == 10
    assert report.kept_limits
    assert not any("carrier: the completeness" in sentence for sentence in report.kept_limits)
    assert "learned from 10 batches" in sound(report.html).text


def test_an_earlier_batch_is_compared_only_with_batches_before_it(held: Gate) -> None:
    report = report_of(held.store, "flights", key(3))
    assert report.verdict is not None
    assert report.verdict.n_history == 3
    assert report.open_limits == ("not enough history: 3 batches, 8 needed.",) * 6
    page = sound(report.html)
    assert "not enough history: 3 batches, 8 needed. (6 times)" in page.text
    assert "flights date=2026-10-04 is accepted: it is like the 3 batches before." in page.text


def test_the_first_batch_has_no_comparison_and_an_unknown_one_is_an_error(held: Gate) -> None:
    report = report_of(held.store, "flights", key(0))
    assert report.verdict is not None
    assert (report.verdict.n_history, report.previous_batch) == (0, None)
    assert "no previous batch" in sound(report.html).text
    with pytest.raises(StoreError, match="flights has no batch 'nope'"):
        report_of(held.store, "flights", "nope")


@pytest.mark.parametrize("kind", [MarkKind.RELEASED, MarkKind.REJECTED])
def test_a_mark_and_its_reason_are_shown(kind: MarkKind) -> None:
    flights_gate = gate()
    history(flights_gate, 2)
    remember(flights_gate, corrupted(2), 2, Decision.HOLD, (MEAN,))
    act = flights_gate.release if kind is MarkKind.RELEASED else flights_gate.reject
    act(key(2), author="ann", reason="a new price list")
    report = report_of(flights_gate.store, "flights", key(2))
    assert report.outcome == f"Held, then {kind.value}"
    assert report.columns is not None
    page = sound(report.html)
    assert "ann" in page.text
    assert "a new price list" in page.text


def test_an_unreadable_batch_has_only_a_verdict() -> None:
    flights_gate = gate()
    history(flights_gate, 1)
    flights_gate.refuse("bad", "it is not a table.", time=START + timedelta(days=1))
    report = report_of(flights_gate.store, "flights", "bad")
    assert report.columns is None
    assert report.schema is None
    assert report.batch.time == START + timedelta(days=1)
    assert "statistics of this batch were not recorded" in sound(report.html).text


def test_a_batch_without_rows_has_a_report() -> None:
    flights_gate = gate()
    history(flights_gate, 1)
    empty = {name: column[:0] for name, column in flights(1).items()}
    remember(flights_gate, empty, 1, Decision.HOLD, (ROWS,))
    report = report_of(flights_gate.store, "flights", key(1))
    assert report.columns is not None
    assert report.columns.rows == 0
    sound(report.html)


def test_values_of_private_columns_are_withheld() -> None:
    flights_gate = gate(private=["carrier"])
    history(flights_gate, 2)
    report = report_of(flights_gate.store, "flights", key(1))
    assert report.private == {"carrier"}
    text = sound(report.html).text
    assert "WN" not in text
    assert "KA" in text


def test_a_report_shows_what_its_verdict_recorded(held: Gate, report: Report) -> None:
    recorded = types_of(flights(3))
    assert report_of(held.store, "flights", key(3)).schema == recorded
    states = held.store.states(Selection.one("flights", key(10), BatchStatus.HELD))
    ((batch, batch_states),) = states.items()
    # a batch that is written again loses its derived records, and its verdict stays
    held.store.write(batch, Measurement({}, batch_states))
    again = report_of(held.store, "flights", key(10))
    assert again.schema == report.schema == recorded
    assert again.columns is not None
    assert report.columns is not None
    assert again.columns.rows == report.columns.rows
    assert again.columns.columns.keys() == report.columns.columns.keys()


def test_types_that_were_not_recorded_are_unknown(held: Gate) -> None:
    states = held.store.states(Selection.one("flights", key(3)))
    ((_, batch_states),) = states.items()
    held.store.write(Batch("other", "1"), Measurement({}, batch_states))
    report = report_of(held.store, "other", "1")
    names = types_of(flights(3)).names
    assert report.decision is None
    assert report.schema == TableSchema(tuple((name, "") for name in names))
    assert "types were not recorded" in report.html


def test_a_verdict_of_version_0_1_shows_its_findings_and_the_stored_statistics() -> None:
    flights_gate = gate()
    history(flights_gate, 2)
    store = flights_gate.store
    findings = (COMPLETENESS.to_dict(),)
    store.add_verdict(VerdictRecord("flights", key(1), Decision.HOLD, findings))

    report = report_of(store, "flights", key(1), GateSettings(private=("amount",)))

    assert report.columns is not None
    assert report.limits is None
    page = sound(report.html)
    assert "The completeness is 0.5, expected 1.0." in page.text


def test_the_states_of_these_tests_are_those_of_a_fingerprint() -> None:
    from assay.analyzers.schema import Schema
    from assay.learn.fingerprint.analyzers import fingerprint_analyzers

    columns = flights(0, 20)
    schema = Schema.of(**dict(types_of(columns).types))
    assert set(measured(columns).states) == set(fingerprint_analyzers(schema))
    private = set(measured(columns, ["carrier"]).states)
    assert private == set(fingerprint_analyzers(schema, ["carrier"]))
