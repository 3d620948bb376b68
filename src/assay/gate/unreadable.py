"""Recognize a batch that cannot be read, wholly or in some columns.

A batch that cannot be read is neither empty nor null: nothing is known about it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping

from assay.analyzers import Completeness, Size
from assay.analyzers.metric import Problem
from assay.engine.failure import one_line
from assay.engine.measurement import Measurement
from assay.errors import AmbiguousColumnError, UnknownColumnError
from assay.gate.finding import Finding
from assay.learn.fingerprint import metrics

__all__ = ["is_file_problem", "problem_of_batch", "unreadable_columns", "without_columns"]

#: Spark's codes for files that it cannot read. The row count may be known all the same.
_FILE_PROBLEMS = ("failed_read_file", "path_not_found")
#: Codes that do not make a column unreadable: the batch is empty, or the checks report the column.
_HARMLESS = frozenset(("undefined", UnknownColumnError.code, AmbiguousColumnError.code))


def is_file_problem(problem: Problem) -> bool:
    """Return whether files are damaged or missing."""
    return problem.code.startswith(_FILE_PROBLEMS)


def problem_of_batch(measured: Measurement) -> Problem | None:
    """Return why the batch cannot be read at all; None if it can."""
    problems = [metric.problem for metric in measured.metrics.values() if metric.problem]
    file_problem = next(filter(is_file_problem, problems), None)
    row_count = measured.metrics.get(Size())
    return file_problem or (None if row_count is None else row_count.problem)


def unreadable_columns(measured: Measurement) -> Mapping[str, str]:
    """Return the columns that cannot be read, such as for a cast that fails, and why."""
    return {
        analyzer.column: one_line(metric.problem.reason)
        for analyzer, metric in measured.metrics.items()
        if isinstance(analyzer, Completeness)
        and analyzer.where is None
        and metric.problem is not None
        and metric.problem.code not in _HARMLESS
    }


def without_columns(
    findings: Iterable[Finding], unreadable: Container[str | None]
) -> Iterator[Finding]:
    """Drop findings about unreadable columns, and about combinations of nulls.

    Findings of declared checks stay.
    """
    for finding in findings:
        metric = metrics.canonical_name(finding.metric or "")
        is_about_nulls = finding.column is None and metric in metrics.NULL_COMBINATIONS
        if finding.judge == "checks" or not (finding.column in unreadable or is_about_nulls):
            yield finding
