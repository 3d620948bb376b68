"""What could not be measured of a batch: all of it, or some of its columns.

A batch that cannot be read is neither empty nor null, and nothing about it is known.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping

from assay.analyzers import Completeness, Size
from assay.analyzers.metric import Problem
from assay.engine.failure import one_line
from assay.engine.measurement import Measurement
from assay.errors import AmbiguousColumnError, UnknownColumnError
from assay.gate.finding import Finding

__all__ = ["is_of_files", "lost_columns", "unread", "without_columns"]

#: Spark's words for files that it cannot read; how many rows there are may be known all the same
_UNREAD = ("failed_read_file", "path_not_found")
#: of no rows nothing is known; what a check wants of a column that is not there, checks tell
_ELSEWHERE = frozenset(("undefined", UnknownColumnError.code, AmbiguousColumnError.code))


def is_of_files(problem: Problem) -> bool:
    """Whether the files are to blame, that are torn or gone, and not whoever reads them."""
    return problem.code.startswith(_UNREAD)


def unread(measured: Measurement) -> Problem | None:
    """Why the batch cannot be read at all, if it cannot."""
    problems = [each.problem for each in measured.metrics.values() if each.problem is not None]
    torn = next(filter(is_of_files, problems), None)
    rows = measured.metrics.get(Size())
    return torn or (None if rows is None else rows.problem)


def lost_columns(measured: Measurement) -> Mapping[str, str]:
    """The columns that fail whoever reads them, such as by a cast, and why."""
    return {
        analyzer.column: one_line(metric.problem.reason)
        for analyzer, metric in measured.metrics.items()
        if isinstance(analyzer, Completeness)
        and analyzer.where is None
        and metric.problem is not None
        and metric.problem.code not in _ELSEWHERE
    }


def without_columns(findings: Iterable[Finding], lost: Container[str | None]) -> Iterator[Finding]:
    """What was found of other columns; which are null together is not known of any."""
    for each in findings:
        of_nulls = each.column is None and each.metric in ("unseen nulls", "rare nulls")
        if each.judge == "checks" or not (each.column in lost or of_nulls):
            yield each
