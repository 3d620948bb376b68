"""`TableComparison`: what changed between a table and older ones."""

from __future__ import annotations

import json
from dataclasses import KW_ONLY, dataclass
from typing import Any

from assay.checks.formatting import visible
from assay.gate.compare.compared_table import ComparedTable
from assay.gate.compare.row_matches import RowMatches
from assay.gate.finding import Finding
from assay.gate.problem import Problem
from assay.html.has_page import HasPage
from assay.html.page import HtmlPage
from assay.report.comparison.column_comparison import ColumnComparison, ColumnSummary
from assay.report.html.distribution_chart import distributions
from assay.store.verdict import Decision
from assay.text import count_noun

__all__ = ["TableComparison"]

#: version of `TableComparison.to_dict`
FORMAT_VERSION = 1
_LEVELS = (Decision.ACCEPT, Decision.WARN, Decision.HOLD)


@dataclass(frozen=True, repr=False)
class TableComparison(HasPage):
    """The changes between a new table and one or several older ones.

    Parameters
    ----------
    new : ComparedTable
        The new table.
    old : tuple of ComparedTable
        The older tables, the last one at the end.
    problems : tuple of Problem
        The changes that matter, the worst first.
    observations : tuple of Finding
        Facts worth knowing, without an alarm.
    rows : RowMatches, optional
        Rows added, removed and changed; None without a key.
    private : frozenset of str
        Columns whose values are not shown.
    """

    new: ComparedTable
    old: tuple[ComparedTable, ...]
    _: KW_ONLY
    problems: tuple[Problem, ...] = ()
    observations: tuple[Finding, ...] = ()
    rows: RowMatches | None = None
    private: frozenset[str] = frozenset()

    @property
    def would_hold(self) -> bool:
        """Return whether a gate with enough history would hold the new table."""
        return any(problem.holds for problem in self.problems)

    @property
    def decision(self) -> Decision:
        """The worst level of the problems. Rows that a key shows as changed are a warning."""
        changed_rows = self.rows is not None and not self.rows.is_equal
        levels = [problem.level for problem in self.problems]
        return max((*levels, _LEVELS[changed_rows]), key=_LEVELS.index)

    @property
    def outcome(self) -> str:
        """The outcome in a sign and a word, such as ``✗ CHANGED``."""
        words = {Decision.ACCEPT: "✓ NO CHANGE", Decision.WARN: "! CHANGED"}
        return words.get(self.decision, "✗ CHANGED")

    @property
    def compared_with(self) -> str:
        """The size of the new table and the older tables, in words."""
        stats, last = self.new.stats, self.old[-1]
        size = f"{count_noun(stats.rows, 'row')}, {count_noun(self._n_columns(self.new), 'column')}"
        rows_before = count_noun(last.stats.rows, "row")
        if len(self.old) == 1:
            return f"{size}, compared with {visible(last.name)} ({rows_before})"
        n_tables = count_noun(len(self.old), "table")
        return (
            f"{size}, compared with {n_tables}, the last one {visible(last.name)} ({rows_before})"
        )

    @property
    def columns(self) -> tuple[ColumnComparison, ...]:
        """The columns of the new table and the last older one, those with problems first."""
        levels: dict[str, Decision] = {}
        for problem in self.problems:
            for name in problem.columns:
                levels.setdefault(name, problem.level)
        names = dict.fromkeys((*_names(self.new), *_names(self.old[-1])))
        ordered = dict.fromkeys((*(name for name in levels if name in names), *names))
        return tuple(self._column(name, levels.get(name, Decision.ACCEPT)) for name in ordered)

    def _column(self, name: str, level: Decision) -> ColumnComparison:
        last, is_private = self.old[-1], name in self.private
        now, before = self.new.stats.columns.get(name), last.stats.columns.get(name)
        return ColumnComparison(
            name=name,
            old=_summary(last, name, private=is_private),
            new=_summary(self.new, name, private=is_private),
            level=level,
            distribution=None if is_private else distributions(now, before),
        )

    @staticmethod
    def _n_columns(table: ComparedTable) -> int:
        return len(table.stats.columns if table.schema is None else table.schema.types)

    @property
    def page(self) -> HtmlPage:
        """The HTML page as a value."""
        from assay.report.comparison.page import comparison_page

        return comparison_page(self)

    def show(self) -> None:
        """Print the problems, and a line for each column."""
        from rich.console import Console

        from assay.report.comparison.terminal import print_comparison

        print_comparison(self, Console(highlight=False))

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON values."""
        return {
            "version": FORMAT_VERSION,
            "decision": self.decision.value,
            "would_hold": self.would_hold,
            "new": _table_dict(self.new),
            "old": [_table_dict(table) for table in self.old],
            "problems": [problem.to_dict() for problem in self.problems],
            "observations": [finding.to_dict() for finding in self.observations],
            "rows": None if self.rows is None else self.rows.to_dict(),
            "columns": [column.to_dict() for column in self.columns],
        }

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return the comparison as JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def __repr__(self) -> str:
        problems = count_noun(len(self.problems), "problem")
        return f"TableComparison({visible(self.new.name)}: {self.decision.value}, {problems})"

    def __str__(self) -> str:
        lines = [f"{self.outcome}  {self.new.name}        {self.compared_with}"]
        width = max((len(problem.subject) for problem in self.problems), default=0)
        lines += (
            f"  {number}  {problem.subject:<{width}}  {problem.cause}"
            for number, problem in enumerate(self.problems, 1)
        )
        if self.rows is not None:
            lines.append(f"  ·  {self.rows}")
        lines += (f"  ·  {finding}" for finding in self.observations)
        return "\n".join(map(visible, lines))


def _names(table: ComparedTable) -> tuple[str, ...]:
    return tuple(table.stats.columns) if table.schema is None else table.schema.names


def _summary(table: ComparedTable, name: str, *, private: bool) -> ColumnSummary | None:
    stats = table.stats.columns.get(name)
    types = {} if table.schema is None else dict(table.schema.types)
    return None if stats is None else ColumnSummary.of(stats, types.get(name, ""), private=private)


def _table_dict(table: ComparedTable) -> dict[str, Any]:
    types = [] if table.schema is None else [list(column) for column in table.schema.types]
    return {"name": table.name, "rows": table.stats.rows, "columns": types}
