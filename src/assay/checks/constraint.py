"""Constraints: an analyzer, the assertion on its metric, and the level of a failure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import get_args

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.counting import Completeness, Compliance, PatternMatch
from assay.analyzers.distinctness import Distinctness, Uniqueness, UniqueValueRatio
from assay.analyzers.matches import DatasetMatch, ReferentialIntegrity
from assay.analyzers.metric import Problem
from assay.analyzers.other_table import ComparisonAnalyzer, refusal
from assay.analyzers.sample import Sample
from assay.analyzers.schema import Schema
from assay.analyzers.structure import SchemaMatch, TableSchemaMatch
from assay.analyzers.text_types import TypeConsistency
from assay.checks.assertions.anomaly import AnomalyAssertion
from assay.checks.assertions.bounds import Assertion
from assay.checks.assertions.distance import DistanceAssertion
from assay.checks.assertions.learned_pattern import LearnedPatternAssertion
from assay.checks.assertions.proportion_test import ProportionTest
from assay.checks.constraint_options import On
from assay.checks.formatting import one_line
from assay.errors import AssayError, CheckError
from assay.store.protocol import Scope

__all__ = ["AnyAssertion", "Constraint", "Level", "require_scope"]

#: The assertion on a metric: fixed bounds, or a range that is expected from earlier batches.
AnyAssertion = (
    Assertion | AnomalyAssertion | DistanceAssertion | LearnedPatternAssertion | ProportionTest
)

#: assertions that compare a batch with the batches before it
_ON_BATCHES = (DistanceAssertion, LearnedPatternAssertion)
#: analyzers whose metric is a share of rows or values: people read it as a percentage
_SHARES = (
    Completeness,
    Compliance,
    DatasetMatch,
    Distinctness,
    PatternMatch,
    ReferentialIntegrity,
    Sample,
    SchemaMatch,
    TableSchemaMatch,
    TypeConsistency,
    UniqueValueRatio,
    Uniqueness,
)

_BATCH: frozenset[Scope] = frozenset({"batch"})
_BOTH: frozenset[Scope] = frozenset({"batch", "whole"})


class Level(StrEnum):
    """The severity of a failed constraint."""

    ERROR = "error"
    WARNING = "warning"

    @classmethod
    def _missing_(cls, value: object) -> Level | None:
        raise CheckError.unexpected("invalid level", "'error' or 'warning'", value)


def require_scope(on: object) -> None:
    """Raise `CheckError` unless the value is None or one of `On`."""
    if on is not None and on not in get_args(On):
        raise CheckError.unexpected("invalid scope", "on='batch', 'whole' or 'both'", on)


@dataclass(frozen=True, repr=False)
class Constraint:
    """An assertion on a metric.

    Attributes
    ----------
    name
        The call as the user wrote it, such as ``is_complete(title)``.
    analyzer
        The analyzer that is measured.
    assertion
        The condition for the metric.
    level
        Severity of a failure.
    hint
        Advice for a failure.
    id
        Name of the constraint in stores and in failing rows. It stays the same when bounds or the
        check's name change. It is made of the name and the condition if it is omitted.
    requires
        Types that columns must have beyond what the analyzer requires.
    subject
        Name of the metric in messages, if the analyzer's key is too technical.
    on
        The scope of the constraint in a dataset; None stands for the default, see `scopes`.
    """

    name: str
    analyzer: Analyzer
    assertion: AnyAssertion
    level: Level = Level.ERROR
    hint: str = ""
    id: str = ""
    requires: tuple[tuple[str, frozenset[str]], ...] = ()
    subject: str = ""
    on: On | None = None

    def __post_init__(self) -> None:
        require_scope(self.on)
        if self.on not in {None, "batch"} and isinstance(self.assertion, _ON_BATCHES):
            reason = "a learned pattern and a distance to the previous batch judge batches."
            raise CheckError.unexpected("invalid scope", "on='batch' or none", self.on, reason)
        if not self.id:
            object.__setattr__(self, "id", self.label)

    @property
    def label(self) -> str:
        """The name, with the condition that selects rows."""
        where = f" where {one_line(self.analyzer.where)}" if self.analyzer.where else ""
        return f"{self.name}{where}"

    @property
    def analyzers(self) -> tuple[Analyzer, ...]:
        """The analyzers whose metrics a dataset measures and remembers for the constraint."""
        if isinstance(self.assertion, LearnedPatternAssertion) and isinstance(
            self.analyzer, Sample
        ):
            return self.analyzer, self.assertion.frequent_values(self.analyzer)
        return (self.analyzer,)

    @property
    def is_share(self) -> bool:
        """True if the metric is a share, which people read as a percentage."""
        return isinstance(self.analyzer, _SHARES)

    @property
    def expected_text(self) -> str:
        """The expected metric in words."""
        if isinstance(self.assertion, Assertion):
            return self.assertion.describe(share=self.is_share)
        if isinstance(self.assertion, DistanceAssertion):
            return self.assertion.bounds.describe()
        return str(self.assertion)

    @property
    def mergeable(self) -> bool:
        """True if the metric of the whole dataset follows from the states of its batches."""
        return self.analyzer.incremental

    def scopes(self, *, gate: bool = False) -> frozenset[Scope]:
        """Return the scopes of the constraint: the batch, the whole dataset, or both.

        Parameters
        ----------
        gate
            True if a gate asks. It decides what applies where `on` is omitted.

        Notes
        -----
        The first rule that fits decides:

        - ``has_no_anomalies`` has its ``scope``.
        - ``has_distance`` to the batch before, and ``matches_learned_pattern``: the batch.
        - ``on`` is given: what it says.
        - Keys and uniqueness: both.
        - A comparison with another table: the batch.
        - Everything else: the batch in a gate, and both in a `Dataset`.

        A metric that does not merge is evaluated on the batch in any case. Evaluated on the whole,
        it has the problem ``not_incremental``, which is not serious.
        """
        if isinstance(self.assertion, AnomalyAssertion):
            return frozenset({self.assertion.scope})
        if isinstance(self.assertion, _ON_BATCHES) or self.on == "batch":
            return _BATCH
        if self.on == "whole":
            return frozenset({"whole"}) if self.mergeable else _BOTH
        if self.on == "both":
            return _BOTH
        if gate:
            return _BOTH if isinstance(self.analyzer, Uniqueness) else _BATCH
        # the other table may have changed since: only the batch that is read can be compared
        return _BATCH if isinstance(self.analyzer, ComparisonAnalyzer) else _BOTH

    def problem(
        self, schema: Schema, reference_tables: Mapping[str, Schema] | None = None
    ) -> Problem | None:
        """Return why the constraint cannot be evaluated on tables with these schemas, if so."""
        try:
            for column, families in self.requires:
                schema.column(column).require(families, self.name.partition("(")[0])
            return refusal(self.analyzer, schema, reference_tables)
        except AssayError as error:
            return Problem(error.code, str(error))
        except Exception as error:  # an analyzer of the user may raise anything
            return Problem("bad_argument", f"{type(error).__name__}: {error}")

    def __str__(self) -> str:
        return f"{one_line(self.label)}: expected {self.expected_text}"

    def __repr__(self) -> str:
        parts = [repr(self.label), repr(self.expected_text), f"level={self.level.value!r}"]
        if self.on is not None:
            parts.append(f"on={self.on!r}")
        return f"Constraint({', '.join(parts)})"

    @property
    def metric(self) -> str:
        """The name of the metric in messages."""
        return self.subject or str(self.analyzer)
