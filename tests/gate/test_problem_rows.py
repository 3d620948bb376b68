"""The rows of a batch that a problem is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from assay.errors import CheckError
from assay.gate.causes.cause import CauseCode
from assay.gate.diagnose import Comparison, diagnose
from assay.gate.finding import Finding
from assay.gate.problem import Problem
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import fingerprint, numbers, strings
from assay.store import Decision

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Texts = Sequence[str | None]
#: values of text columns before and now, and the rows that the cause is about
CHANGES: dict[str, tuple[Texts, Texts, CauseCode, int]] = {
    "case": (["new", "paid"] * 10, ["new", "PAID"] * 10, CauseCode.CASE_CHANGED, 10),
    "spaces": (["new", "paid"] * 10, ["new", "paid "] * 10, CauseCode.SPACES_CHANGED, 10),
    "empty": (["new", "paid"] * 10, ["new", ""] * 10, CauseCode.EMPTY_STRINGS_ROSE, 10),
    "default": (["new", "paid"] * 10, [*["new", "paid"] * 7, *["n/a"] * 6],
                CauseCode.DEFAULT_ROSE, 6),
    "it's new": (["new", "paid"] * 10, [*["new", "paid"] * 9, "it's \\ lost", "sent"],
                 CauseCode.VALUES_NEW, 2),
    "renamed": (["new", "paid"] * 10, ["new", "settled"] * 10, CauseCode.VALUE_RENAMED, 10),
    "null": (["new", "paid"] * 10, ["new", None] * 10, CauseCode.NULLS_ROSE, 10),
    "format": ([f"{n:02d}-A" for n in range(20)], [f"{n:02d}/A é" for n in range(20)],
               CauseCode.FORMAT_CHANGED, 20),
    "comma": ([f"{n}.5" for n in range(20)], [f"{n},5" for n in range(20)],
              CauseCode.DECIMAL_COMMA, 20),
    "cut": (["abc", "abcdefgh"] * 10, ["abc", "abcdef"] * 10, CauseCode.TEXT_CUT, 10),
    "a.b`c": (["new", "paid"] * 10, ["new", "PAID"] * 10, CauseCode.CASE_CHANGED, 10),
}  # fmt: skip
KEYS = ["k0", "k0", "k1", "k1", *(f"k{n}" for n in range(2, 18))]


def one_problem(
    column: str | None, batch: Fingerprint, last: Fingerprint, metric: str = metrics.L1
) -> Problem:
    finding = Finding("limits", Decision.HOLD, "it is unexpected.", column, metric)
    (problem,) = diagnose([finding], Comparison(batch, last))
    return problem


def test_each_cause_selects_the_rows_that_it_is_about(spark: SparkSession) -> None:
    last = fingerprint({name: strings(change[0]) for name, change in CHANGES.items()})
    batch = fingerprint({name: strings(change[1]) for name, change in CHANGES.items()})
    problems = {name: one_problem(name, batch, last, metrics.COMPLETENESS) for name in CHANGES}
    codes = {name: problem.cause_code for name, problem in problems.items()}
    assert codes == {name: change[2] for name, change in CHANGES.items()}

    rows = list(zip(*(change[1] for change in CHANGES.values()), strict=True))
    schema = ", ".join(f"`{name.replace('`', '``')}` string" for name in CHANGES)
    frame = spark.createDataFrame(rows, schema).coalesce(1)
    counts = frame.selectExpr(*(f"count_if({p.row_filter})" for p in problems.values())).first()

    assert counts is not None
    assert dict(zip(CHANGES, counts, strict=True)) == {n: c[3] for n, c in CHANGES.items()}
    assert problems["a.b`c"].failing(frame).columns == list(CHANGES)


def test_repeated_keys_select_all_rows_that_share_one(spark: SparkSession) -> None:
    last = fingerprint({"repeated": strings(f"k{n}" for n in range(20))})
    problem = one_problem("repeated", fingerprint({"repeated": strings(KEYS)}), last)
    frame = spark.createDataFrame([(key,) for key in KEYS], "repeated string").coalesce(1)

    assert problem.cause_code == CauseCode.KEY_DUPLICATED
    assert sorted(row[0] for row in problem.failing(frame).collect()) == ["k0", "k0", "k1", "k1"]


def test_missing_rows_have_no_rows(spark: SparkSession) -> None:
    last, batch = (fingerprint({"id": numbers(range(n))}) for n in (100, 20))
    problem = one_problem(None, batch, last, metrics.ROW_COUNT)

    assert problem.cause_code == CauseCode.ROWS_MISSING
    with pytest.raises(CheckError):
        problem.failing(spark.range(3).toDF("id"))
