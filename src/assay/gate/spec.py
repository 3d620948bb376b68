"""`GateSpec`: the parts of a gate. Every step of a submit, backfill or backtest gets it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.schema import Schema
from assay.checks.check import Check
from assay.gate.budget import Budget
from assay.gate.selection import is_selected_column
from assay.gate.verdict import Verdict
from assay.learn.fingerprint.analyzers import FingerprintPlan, plan_fingerprint
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.sample_rates import key_rates, row_sample, sample_rates
from assay.learn.patterns.index import PatternIndex
from assay.learn.relations.history import BatchRelations
from assay.learn.relations.plan import plan_relations
from assay.store.protocol import Store
from assay.suite.settings import GateSettings

__all__ = ["GateSpec"]


@dataclass(frozen=True, kw_only=True)
class GateSpec:
    """A dataset, its store, checks and settings.

    Parameters
    ----------
    dataset : str
        Name of the dataset.
    store : Store
        The store that keeps batches, verdicts and marks.
    checks : tuple of Check
        Declared checks.
    settings : GateSettings
        Budget, private columns and other settings.
    index : PatternIndex, optional
        Pattern index of the lake, if it is in memory. It is loaded from the path in the settings
        otherwise.
    notify : callable, optional
        Called with each verdict once it is recorded.
    """

    dataset: str
    store: Store
    checks: tuple[Check, ...] = ()
    settings: GateSettings = field(default_factory=GateSettings)
    index: PatternIndex | None = None
    notify: Callable[[Verdict], None] | None = None

    def __str__(self) -> str:
        checks = "1 check" if len(self.checks) == 1 else f"{len(self.checks)} checks"
        n_batches = f"{1 / float(self.settings.budget_share):,.0f}"
        return f"{self.dataset!r}, {checks}, about 1 false alarm in {n_batches} batches"

    @property
    def budget(self) -> Budget:
        """The false-alarm budget, with each learner's share."""
        return Budget.from_settings(self.settings, has_index=self.index is not None)

    def load_index(self) -> PatternIndex | None:
        """Return the pattern index of the lake; None if the gate has none."""
        if self.index is None and self.settings.patterns is not None:
            return PatternIndex.load(self.settings.patterns)
        return self.index

    def plan_fingerprint(
        self,
        schema: Schema,
        last: Fingerprint | None = None,
        relations: Sequence[BatchRelations] = (),
        *,
        n_batches: int = 1,
        n_rounds: int = 1,
    ) -> FingerprintPlan:
        """Return the plan of the fingerprint, which the learners need.

        Columns that had many values in the `last` batch are sampled. Columns without a repeated
        value in it may be keys. Relations between columns are chosen from it, and from those of
        earlier batches.

        Parameters
        ----------
        schema : Schema
            The columns of the batch.
        last : Fingerprint, optional
            The statistics of the last batch.
        relations : sequence of BatchRelations
            The relations of earlier batches.
        n_batches : int
            The number of batches that are measured at the same time.
        n_rounds : int
            The number of batches whose relations are tried at once.
        """
        names = schema.top_level(self.settings.private)
        private = [name for name in names if schema.names.count(name) == 1]
        plan = plan_fingerprint(schema, private, sample_rates(last), key_rates(last, n_batches))
        columns = tuple(column for column in plan.columns if self._is_selected(column.name))
        left_out = [name for name in schema.names if not self._is_selected(name)]
        planned = plan_relations(schema, [*private, *left_out], last, relations, n_rounds=n_rounds)
        return replace(plan, columns=columns, rows=row_sample(last), relations=planned)

    def _is_selected(self, column: str) -> bool:
        return is_selected_column(column, self.settings)

    def analyzers(
        self, schema: Schema, fingerprint: FingerprintPlan | None = None
    ) -> tuple[Analyzer, ...]:
        """Return all analyzers: those of the checks, and those of the fingerprint."""
        fingerprint = fingerprint or self.plan_fingerprint(schema)
        of_checks = [
            analyzer
            for check in self.checks
            for constraint in check.constraints
            for analyzer in constraint.analyzers
        ]
        return tuple(dict.fromkeys([*of_checks, *fingerprint.analyzers]))

    def in_store(self, store: Store) -> GateSpec:
        """Return the same gate with another store, without its notifier."""
        return replace(self, store=store, notify=None)
