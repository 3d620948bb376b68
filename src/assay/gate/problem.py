"""`Problem`: all findings that have one cause, worded for people."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from assay.checks.formatting import count_noun, visible
from assay.gate.causes.cause import CauseCode
from assay.gate.finding import Finding
from assay.store.verdict import Decision

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Problem"]

#: causes whose sentence names the columns
_NAME_COLUMNS = frozenset(
    (CauseCode.NULLS_TOGETHER, CauseCode.COLUMNS_SWAPPED, CauseCode.COLUMNS_SHIFTED)
)
#: characters of the cause in the representation of a problem
_REPR_LENGTH = 80
_COUNT_ROWS = "SELECT count(*) FROM batch"
_REPEATED_ROWS = "SELECT *, count(*) FROM batch GROUP BY ALL HAVING count(*) > 1"
_SQL_OF_ROWS: Mapping[str, str] = {
    CauseCode.NO_ROWS: _COUNT_ROWS,
    CauseCode.ROWS_MISSING: _COUNT_ROWS,
    CauseCode.ROW_COUNT: _COUNT_ROWS,
    CauseCode.ROWS_REPEATED: _REPEATED_ROWS,
    CauseCode.ROWS_DUPLICATED: _REPEATED_ROWS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """An event that explains one or more findings.

    Parameters
    ----------
    cause_code : str
        Stable code of the cause (`CauseCode`).
    cause : str
        The event in one or two sentences for people.
    columns : tuple of str
        The columns that it is about; empty for the table.
    level : Decision
        The worst level of its findings.
    findings : tuple of Finding
        The evidence: the finding that tells most first, then what follows from it.
    """

    cause_code: str
    cause: str
    columns: tuple[str, ...] = ()
    level: Decision
    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Return whether it holds the batch."""
        return self.level is Decision.HOLD

    @property
    def has_known_cause(self) -> bool:
        """Return whether the cause is more than the reason of the first finding."""
        return self.cause_code != CauseCode.UNKNOWN

    @property
    def severity(self) -> float:
        """How far the farthest finding is outside its limits, in widths of the limits."""
        return max((f.severity for f in self.findings if f.severity == f.severity), default=0.0)

    @property
    def since(self) -> str | None:
        """Key of the first batch of an unbroken run of similar alarms."""
        return self._first("since")

    @property
    def segment(self) -> str | None:
        """The segment that has most of the deviating rows, in words."""
        return self._first("where")

    @property
    def sql(self) -> str | None:
        """A query that shows the problem. It reads from ``batch``."""
        return _SQL_OF_ROWS.get(self.cause_code) or self._first("sql")

    @property
    def row_filter(self) -> str | None:
        """A SQL condition for the rows that the problem is about."""
        return self._first("row_filter")

    @property
    def subject(self) -> str:
        """The columns, or ``table``, in a few words."""
        if not self.columns:
            return "table"
        names = ", ".join(map(visible, self.columns[:3]))
        n_more = len(self.columns) - 3
        return f"{names} and {n_more} more" if n_more > 0 else names

    def reason_of(self, finding: Finding) -> str:
        """Return the reason of one of its findings, which names the column if there are several."""
        return finding.reason if self.columns == (finding.column,) else str(finding)

    def failing(self, df: DataFrame) -> DataFrame:
        """Return the rows of a batch that the problem is about, lazily.

        Parameters
        ----------
        df : DataFrame
            The rows of the batch.

        Returns
        -------
        DataFrame
            Rows with the columns of `df`, such as rows with new values or with repeated keys.

        Raises
        ------
        CheckError
            If no single rows cause the problem, such as for missing rows.
        """
        # a problem is also read from a store, without Spark
        from assay.gate.problem_rows import rows_of

        return rows_of(self, df)

    def to_dict(self) -> dict[str, Any]:
        """Return the problem as JSON values, with its findings as the evidence."""
        document: dict[str, Any] = {
            "cause_code": str(self.cause_code),
            "cause": self.cause,
            "columns": list(self.columns),
            "level": self.level.value,
            "severity": self.severity if math.isfinite(self.severity) else str(self.severity),
            "since": self.since,
            "segment": self.segment,
            "sql": self.sql,
            "row_filter": self.row_filter,
            "findings": [finding.to_dict() for finding in self.findings],
        }
        return document

    @staticmethod
    def read(document: Mapping[str, Any]) -> Problem:
        """Convert a document of `to_dict` back."""
        return Problem(
            cause_code=str(document["cause_code"]),
            cause=str(document["cause"]),
            columns=tuple(document["columns"]),
            level=Decision(document["level"]),
            findings=tuple(map(Finding.read, document["findings"])),
        )

    def __str__(self) -> str:
        names_columns = self.cause_code in _NAME_COLUMNS
        return self.cause if names_columns or not self.columns else f"{self.subject}: {self.cause}"

    def __repr__(self) -> str:
        findings = count_noun(len(self.findings), "finding")
        cause = shorten(str(self), _REPR_LENGTH, placeholder="…")
        return f"Problem({self.cause_code}: {self.level.value}, {cause!r}, {findings})"

    def _first(self, name: str) -> str | None:
        return next((value for finding in self.findings if (value := getattr(finding, name))), None)
