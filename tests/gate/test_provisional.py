"""Judge the second to the ninth batch by limits that the first one suggests."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from assay import Gate, MemoryStore
from assay.gate.backtest import replay
from assay.gate.causes.cause import CauseCode
from assay.gate.diagnose import Comparison, diagnose
from assay.gate.finding import Finding
from assay.gate.first_batch_notes import first_batch_notes
from assay.gate.history import GateHistory
from assay.gate.judges.provisional import judge_early_batch
from assay.gate.problem import Problem
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.from_rows import Column, fingerprint, numbers, strings
from assay.learn.suggest.provisional import MAX_BATCHES, ProvisionalSuite, suggest_limits
from assay.store.verdict import Decision
from benchmarks.support.batches_of_rows import BatchOfRows
from tests.gate.histories import history_of

pytestmark = pytest.mark.unit

Columns = dict[str, Column]


def orders(day: int, rows: int = 400) -> Columns:
    rng = np.random.default_rng(day)
    return {
        "order_id": numbers(np.arange(rows) + 10_000 * day),
        "status": strings(rng.choice(["open", "paid", "sent"], rows)),
        "city": strings(rng.choice(["Rome", "Oslo", "Bern"], rows)),
        "weight": numbers(rng.gamma(2.0, 10.0, rows)),
        "day": strings([f"2026-11-{day + 10}"] * rows),
    }


def history(n_batches: int = 1) -> GateHistory:
    return history_of("orders", (fingerprint(orders(day)) for day in range(n_batches)))


def judge(columns: Columns, n_batches: int = 1) -> list[Finding]:
    return judge_early_batch(history(n_batches), fingerprint(columns))


def problems(columns: Columns) -> tuple[Problem, ...]:
    past, batch = history(), fingerprint(columns)
    compared = Comparison(batch, past.metrics.last, history=past.seen_values)
    return diagnose(judge_early_batch(past, batch), compared)


def with_nulls(columns: Columns, *names: str) -> Columns:
    changed = {name: columns[name].copy() for name in names}
    for column in changed.values():
        column[:120] = None if column.dtype == object else np.nan
    return {**columns, **changed}


@pytest.mark.parametrize("n_batches", range(1, MAX_BATCHES + 1))
def test_a_batch_like_the_first_raises_no_warning(n_batches: int) -> None:
    assert judge(orders(9), n_batches) == []


ERRORS: dict[str, tuple[Callable[[Columns], Columns], CauseCode]] = {
    "no values": (
        lambda c: {**c, "weight": np.full_like(c["weight"], np.nan)},
        CauseCode.NULLS_ROSE,
    ),
    "nulls": (lambda c: with_nulls(c, "city"), CauseCode.NULLS_ROSE),
    "unit": (lambda c: {**c, "weight": c["weight"] * 1000}, CauseCode.UNIT_CHANGED),
    "case": (
        lambda c: {**c, "status": strings(v.upper() for v in c["status"])},
        CauseCode.CASE_CHANGED,
    ),
    "a tenth": (
        lambda c: {name: column[:40] for name, column in c.items()},
        CauseCode.ROWS_MISSING,
    ),
    "twice": (
        lambda c: {name: np.tile(column, 2) for name, column in c.items()},
        CauseCode.ROWS_REPEATED,
    ),
    "swapped": (
        lambda c: {**c, "city": c["status"], "status": c["city"]},
        CauseCode.COLUMNS_SWAPPED,
    ),
    "constant": (lambda c: {**c, "weight": np.full_like(c["weight"], 20.0)}, CauseCode.CONSTANT),
    "negative": (lambda c: {**c, "weight": -c["weight"]}, CauseCode.SIGN_CHANGED),
}


@pytest.mark.parametrize(("change", "code"), ERRORS.values(), ids=ERRORS)
def test_a_gross_error_in_the_second_batch_is_one_warning_with_its_cause(
    change: Callable[[Columns], Columns], code: CauseCode
) -> None:
    found = problems(change(orders(1)))

    assert {problem.cause_code for problem in found} == {code}
    assert all(problem.level is Decision.WARN for problem in found)
    # swapped columns are one problem about two columns
    assert len(found) == 1


def test_repeated_keys_are_reported_if_their_name_is_that_of_a_key() -> None:
    columns = orders(1)
    columns["order_id"][:40] = columns["order_id"][40:80]

    (finding,) = judge(columns)

    assert (finding.column, finding.metric) == ("order_id", metrics.REPEATED_VALUES)
    assert finding.actual == 40
    (problem,) = problems(columns)
    assert problem.cause_code == CauseCode.KEY_DUPLICATED, "the ids also count up"
    assert problem.cause.startswith("order_id: 40 of 400 values repeat another value (10 %)")


def test_columns_that_are_null_in_the_same_rows_are_one_problem() -> None:
    (problem,) = problems(with_nulls(orders(1), "city", "weight"))

    assert problem.cause_code == CauseCode.NULLS_TOGETHER
    assert "city, weight" in problem.cause
    assert problem.findings[0].row_filter == "`city` IS NULL AND `weight` IS NULL"


def test_a_finding_says_how_many_batches_it_was_compared_with() -> None:
    (finding,) = judge(with_nulls(orders(3), "city"), n_batches=3)

    assert "3 batches" in finding.reason
    assert finding.actual == 0.7


def test_missing_rows_are_reported_alone() -> None:
    few = {name: column[:30] for name, column in with_nulls(orders(1), "city").items()}

    assert [finding.metric for finding in judge(few)] == [metrics.ROW_COUNT]


@pytest.mark.parametrize("n_batches", range(5, 12))
def test_a_changed_case_raises_an_alarm_after_any_number_of_batches(n_batches: int) -> None:
    days = [orders(day) for day in range(n_batches + 1)]
    days[-1]["city"] = strings([city.lower() for city in days[-1]["city"]])
    batches = [BatchOfRows.of("orders", str(n), n, columns) for n, columns in enumerate(days)]

    verdict = list(replay(Gate("orders", MemoryStore()).spec, batches, lambda _: True))[-1]

    assert verdict.problems[0].cause_code == CauseCode.CASE_CHANGED


def test_limits_take_over_after_eight_batches() -> None:
    assert judge(with_nulls(orders(9), "city"), n_batches=MAX_BATCHES)
    assert not judge(with_nulls(orders(10), "city"), n_batches=MAX_BATCHES + 1)


def test_a_batch_that_differs_widens_the_limits_of_the_next_one() -> None:
    sizes = [fingerprint(orders(day, rows)) for day, rows in enumerate((400, 900, 500))]
    past = history_of("orders", sizes)

    assert judge_early_batch(past, fingerprint(orders(3, 1_500))) == []
    assert judge(orders(3, 1_500), n_batches=3)


def test_the_tolerance_is_halved_after_three_batches() -> None:
    assert judge(orders(3, 200), n_batches=2) == []
    assert judge(orders(3, 200), n_batches=3)


def test_a_suite_is_the_same_after_it_is_stored() -> None:
    suite = suggest_limits(fingerprint(orders(0)), table="orders", change=7)

    assert ProvisionalSuite.from_json(suite.to_json()) == suite
    assert suite.change == 7


@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"a": numbers([])},
        {"a": numbers([None] * 50), "b": strings([None] * 50)},
        {"a": numbers([np.inf, -np.inf, 1.0] * 20), "b": strings(["", " ", "\ud800"] * 20)},
    ],
    ids=["no columns", "no rows", "all null", "odd values"],
)
def test_any_batches_can_be_judged(columns: Columns) -> None:
    batch = fingerprint(columns)
    past = history_of("odd", [batch])

    assert judge_early_batch(past, batch) == []
    judge_early_batch(past, fingerprint(orders(1)))
    judge_early_batch(history(), batch)


def test_the_first_batch_has_notes_about_what_is_odd() -> None:
    columns = {
        **orders(0),
        "code": strings([None] * 400),
        "city": strings(["Rome", "Oslo", "unknown", "unknown"] * 100),
        "weight": numbers([-999.0, *np.linspace(10.0, 20.0, 39).tolist()] * 10),
    }
    notes = list(first_batch_notes(fingerprint(columns), None))

    assert [note.column for note in notes] == [None, "city", "weight"]
    assert "code" in notes[0].reason
    assert "unknown" in notes[1].reason
    assert "-999" in notes[2].reason
    assert not any(note.alarm for note in notes)


def test_notes_quote_no_private_values() -> None:
    columns = {"city": strings(["Rome", "Oslo", "unknown", "unknown"] * 100)}

    assert list(first_batch_notes(fingerprint(columns), None, private=["city"])) == []


def test_an_ordinary_first_batch_has_no_notes() -> None:
    assert list(first_batch_notes(fingerprint(orders(0)), None)) == []
