"""The input of a pass, and the base of all passes with a separate query."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.metric import Problem
from assay.analyzers.schema import Column, Schema
from assay.analyzers.state import State
from assay.engine.frame import Segment

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Outcome", "PassInput", "QueryPass"]

#: the result of a pass in each segment, or why the pass failed
Outcome = Mapping[Segment, Any] | Problem


@dataclass(frozen=True)
class PassInput:
    """The table that passes read.

    Parameters
    ----------
    df
        The rows, with unambiguous names of columns.
    schema
        The schema of the table, with its original names.
    by
        The columns that split the table into segments.
    reference_tables
        The tables that comparisons name.
    tables_path
        A path under which frequency tables are written, or None if they are not stored.
    private_columns
        Columns whose values are never written.
    """

    df: DataFrame
    schema: Schema
    by: tuple[Column, ...] = ()
    reference_tables: Mapping[str, DataFrame] = field(default_factory=dict)
    tables_path: str | None = None
    private_columns: frozenset[str] = frozenset()


class QueryPass(ABC):
    """A pass over the data that is a query of its own."""

    #: the word for this kind of pass in a printed plan
    kind: ClassVar[str]

    @property
    @abstractmethod
    def measured(self) -> Sequence[Analyzer]:
        """The analyzers whose state comes from this pass."""

    @property
    def served(self) -> Sequence[Analyzer]:
        """The analyzers that a printed plan names: those measured, and those that need the pass."""
        return self.measured

    @property
    @abstractmethod
    def columns(self) -> Sequence[str]:
        """The top-level columns that are read."""

    @property
    @abstractmethod
    def subject(self) -> object:
        """The columns or the task of the pass, as a printed plan shows it."""

    @abstractmethod
    def run(self, source: PassInput) -> Mapping[Segment, Any]:
        """Run the query and return the result of each segment."""

    @abstractmethod
    def states(
        self, result: Mapping[Segment, Any], segment: Segment, outcomes: Sequence[Outcome]
    ) -> Mapping[Analyzer, State | Problem]:
        """Return the state of each analyzer in one segment.

        `outcomes` are the outcomes of all query passes of the plan, frequency passes first.
        """
