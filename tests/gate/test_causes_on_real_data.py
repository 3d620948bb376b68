"""Errors in batches of real data have the cause that names them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from assay.gate.causes.cause import CauseCode
from assay.gate.causes.column_change import ColumnChange
from assay.gate.causes.registry import cause_of_column
from assay.gate.diagnose import Comparison, diagnose
from assay.gate.finding import Finding
from assay.gate.problem import Problem
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import column_kind, column_stats, fingerprint, numbers
from assay.learn.novelty.seen_values import SeenValues
from assay.store import Decision
from benchmarks.support.batches_of_rows import KeyedRows, read_rows
from benchmarks.support.injected import ALL_KINDS, InjectedError, inject
from benchmarks.support.recurring import CASES
from tests.realdata import data_path

FLIGHTS, AIRPORTS = "nycflights13_daily", "ourairports_regions"
#: kinds of errors that other data sets can have
ELSEWHERE = {
    "5 % of keys twice": AIRPORTS,
    "text cut": AIRPORTS,
    "decimal comma": "jhu_us_daily",
    "a day stale": "hhs_hospital_utilization",
}
#: batches to read: some columns came later
N_BATCHES = {FLIGHTS: 10, AIRPORTS: 9, "hhs_hospital_utilization": 42}


@cache
def batches(dataset: str) -> list[KeyedRows]:
    case = next(case for case in CASES if case.name == dataset)
    folder = data_path("recurring", dataset).parents[1]
    return read_rows(folder, case, first=N_BATCHES.get(dataset, 9))


def alarms(error: InjectedError) -> list[Finding]:
    """Return the alarms of learners about the columns with the error, and about the rows."""
    columns = sorted(error.targets)
    metric = metrics.COMPLETENESS if error.kind.name.endswith("null") else metrics.TOP_SHARE
    findings = [
        Finding("limits", Decision.HOLD, "it is unexpected.", column, metric) for column in columns
    ]
    if error.kind.of_table:
        findings.append(Finding("limits", Decision.HOLD, "it is.", metric=metrics.ROW_COUNT))
    if any(column_kind(error.columns[c]) == "categorical" for c in columns) and (
        error.kind.name == "decimal comma"
    ):
        findings = [Finding("schema", Decision.HOLD, "the type is string.", columns[0], "type",
                            cause_code=CauseCode.TYPE_CHANGED)]  # fmt: skip
    return findings


@cache
def history(dataset: str) -> tuple[Fingerprint, SeenValues]:
    """Return the last batch before the one with the error, and the values of all before it."""
    values = SeenValues()
    last = Fingerprint(0, {})
    for batch in batches(dataset)[:-1]:
        last = fingerprint(batch.columns)
        values = values.add(last)
    return last, values


def problems_of(kind: str) -> tuple[InjectedError, tuple[Problem, ...]]:
    dataset = ELSEWHERE.get(kind, FLIGHTS)
    last, values = history(dataset)
    *earlier, batch = batches(dataset)
    before = [one.columns for one in earlier]
    errors = (inject(kind, batch.columns, before, np.random.default_rng(n)) for n in range(9))
    error = next(error for error in errors if error is not None)
    compared = Comparison(fingerprint(error.columns), last, history=values)
    return error, diagnose(alarms(error), compared)


@pytest.mark.parametrize("kind", [kind.name for kind in ALL_KINDS])
def test_the_first_cause_names_an_injected_error(kind: str) -> None:
    error, problems = problems_of(kind)

    assert problems[0].cause_code in error.kind.codes
    assert error.kind.of_table or error.targets & set(problems[0].columns)


def test_a_sequence_of_invoices_that_starts_again_is_recognized() -> None:
    last, now = (
        numbers(
            float(number) if number.isdigit() else None for number in batch.columns["InvoiceNo"]
        )
        for batch in batches("online_retail_by_day")[-2:]
    )
    restarted = now - np.nanmin(now) + 1

    cause, unchanged = (
        cause_of_column(ColumnChange("InvoiceNo", column_stats(column), column_stats(last)))
        for column in (restarted, now)
    )

    assert cause is not None
    assert cause.code is CauseCode.SEQUENCE_RESTARTED
    assert unchanged is None or unchanged.code is not CauseCode.SEQUENCE_RESTARTED


def test_two_swapped_columns_are_one_problem() -> None:
    error, problems = problems_of("columns swapped")

    assert [set(problem.columns) for problem in problems] == [error.targets]


@pytest.mark.parametrize(
    "kind", ["half of the rows", "all rows twice", "20 % of rows twice", "old batch"]
)
def test_an_event_of_the_rows_explains_all_columns(kind: str) -> None:
    _, problems = problems_of(kind)

    assert len(problems) == 1
    assert problems[0].columns == ()
