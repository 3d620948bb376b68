"""The programs of a whole table: learned from what a store remembers, kept, and held to a batch.

δ is that of the table, divided over its columns; the number of rows is judged once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, ClassVar

from assay.checks.assertions.expectation import NotEnough
from assay.errors import CheckError, StoreError
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint
from assay.learn.fingerprint.from_rows import simulate_column
from assay.learn.limits.column_limits import ColumnHistory, ColumnLimits, Settings, learn_table
from assay.learn.limits.fault_injection import ROWS, InjectedFault, inject_faults
from assay.learn.limits.judge_limits import LimitResult, judge_table
from assay.learn.limits.kinds import kind_of
from assay.learn.limits.metric_history import MetricHistory, load_metric_history
from assay.learn.limits.metric_limit import Constraint, LeftOut
from assay.learn.limits.stationary import Transformation
from assay.learn.limits.tail_bounds import Interval
from assay.store.protocol import Store

__all__ = [
    "TableLimits",
    "approve",
    "approved",
    "judge_batch",
    "learn_limits",
    "learn_limits_for_each",
    "learn_stored_limits",
    "read",
    "written",
]

#: so many rows are rehearsed with in all columns together: of wide tables fewer in each
_REHEARSED = 20_000
_FEWEST = 250


@dataclass(frozen=True)
class TableLimits:
    """What the history of a dataset lets demand of its next batch, column by column.

    `kinds` says whether a column held numbers. `by` is who approved it; then it stands until it is
    approved again, while one that nobody approved is learned anew for each batch.
    """

    dataset: str
    programs: Mapping[str | None, ColumnLimits | NotEnough]
    kinds: Mapping[str, str]
    batches: int
    by: str | None = None

    def without(self, column: str | None, metric: str) -> TableLimits:
        """The same, but for what it demands of a column's metric."""
        found = self.programs.get(column)
        if not isinstance(found, ColumnLimits) or metric not in {
            e.metric for e in found.constraints
        }:
            whose = "the table" if column is None else f"column {column!r}"
            raise StoreError(
                f"the program of {self.dataset} demands nothing of {whose}'s {metric}."
            )
        kept = tuple(each for each in found.constraints if each.metric != metric)
        return replace(self, programs={**self.programs, column: replace(found, constraints=kept)})

    def renewed(self, later: TableLimits) -> TableLimits:
        """The same, with what was learned later of some columns."""
        return replace(
            self,
            programs={**self.programs, **later.programs},
            kinds={**self.kinds, **later.kinds},
            batches=later.batches,
        )

    def __iter__(self) -> Iterator[ColumnLimits]:
        """The programs that there was enough history for."""
        return (each for each in self.programs.values() if isinstance(each, ColumnLimits))

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or f"nothing is demanded of {self.dataset} yet."


def learn_stored_limits(
    store: Store,
    dataset: str,
    settings: Settings | None = None,
    *,
    until: datetime | None = None,
    latest: int = 60,
) -> TableLimits:
    """The program for the next batch of a dataset, from its latest batches before a moment.

    Batches that were held or are marked bad teach nothing (unless they were released).
    """
    return learn_limits(load_metric_history(store, dataset, until=until, latest=latest), settings)


def learn_limits(known: MetricHistory, settings: Settings | None = None) -> TableLimits:
    """The same, where the metrics are at hand."""
    (found,) = learn_limits_for_each(known, [Settings() if settings is None else settings])
    return found


def learn_limits_for_each(
    known: MetricHistory,
    settings: Iterable[Settings],
    *,
    only: Collection[str | None] | None = None,
) -> Iterator[TableLimits]:
    """A program for each of the settings; what they have in common is worked out once.

    With `only`, the programs of some columns.
    """
    columns = {} if known.last is None else known.last.columns
    rows = max(_FEWEST, min(ROWS, _REHEARSED // max(1, len(columns))))
    plain = {name: ColumnHistory(stats.kind, known.of(name)) for name, stats in columns.items()}
    kinds = {name: str(stats.kind) for name, stats in columns.items()}
    for each in settings:
        past = plain
        # a sensitive program demands something of every metric: there is nothing to choose
        if each.mode == "strict":
            past = {
                name: replace(own, rehearsed=_rehearsed(known, name, columns[name], rows))
                if only is None or None in only or name in only
                else own
                for name, own in plain.items()
            }
        learned = learn_table(past, each, only=only)
        yield TableLimits(known.dataset, learned, kinds, len(known.batches))


def judge_batch(
    program: TableLimits, known: MetricHistory, batch: Fingerprint
) -> tuple[LimitResult, ...]:
    """All findings of a batch, the worst first; `known` is what came before it."""
    observed = known.measured(batch)
    turned = [
        name
        for name, kind in program.kinds.items()
        if name in batch.columns and batch.columns[name].kind != kind
    ]
    found = [_turned(name, program.kinds[name], batch.columns[name]) for name in turned]
    found += (
        LimitResult(name, "not enough history", "the column is new.")
        for name in observed
        if name not in program.programs
    )
    comparable = {name: own for name, own in program.programs.items() if name not in turned}
    histories = {name: known.of(name) for name in observed}
    found += judge_table(comparable, histories, observed)
    return tuple(sorted(found, key=lambda each: _ORDER.index(each.status)))


def _turned(name: str, kind: str, now: ColumnStats) -> LimitResult:
    reason = f"the column held {_KINDS[kind]} and now holds {_KINDS[now.kind]}."
    return LimitResult(name, "broken", reason)


def approve(store: Store, program: TableLimits, by: str) -> TableLimits:
    """Keep a program as a person wants it, until another is approved."""
    if not by:
        raise StoreError("a program is approved by somebody: say who.")
    limits = replace(program, by=by)
    store.save(program.dataset, "", _ApprovedLimits(limits))
    return limits


def approved(store: Store, dataset: str) -> TableLimits | None:
    """The program that was approved, if there is one."""
    record = store.derived(_ApprovedLimits, dataset, [""]).get("")
    return None if record is None else replace(record.limits, dataset=dataset)


@dataclass(frozen=True)
class _ApprovedLimits:
    """Limits that a person approved, as a store keeps them.

    The form has a version in its document: limits of a newer one must not be ignored.
    """

    kind: ClassVar[str] = "approved limits"
    version: ClassVar[int] = 1

    limits: TableLimits

    def to_json(self) -> Any:
        return {
            "version": 1,
            "by": self.limits.by,
            "batches": self.limits.batches,
            "kinds": dict(self.limits.kinds),
            "columns": [
                [
                    column,
                    {"have": own.have, "need": own.need}
                    if isinstance(own, NotEnough)
                    else written(own),
                ]
                for column, own in self.limits.programs.items()
            ],
        }

    @classmethod
    def from_json(cls, document: Any) -> _ApprovedLimits:
        if document.get("version") != 1:
            raise StoreError.newer("of approved limits", document.get("version"), 1)
        programs = {
            column: NotEnough(**own) if "need" in own else read(own)
            for column, own in document["columns"]
        }
        kinds, batches = document["kinds"], document["batches"]
        return cls(TableLimits("", programs, kinds, batches, document["by"]))


_ORDER = ("broken", "unknown", "not enough history", "kept")
_KINDS = {"numeric": "numbers", "categorical": "no numbers"}


def _rehearsed(
    known: MetricHistory, name: str, stats: ColumnStats, rows: int
) -> tuple[InjectedFault, ...]:
    """What issues would have done to the last batch, by what is remembered of its values."""
    before = None if known.before is None else known.before.columns.get(name)
    if before is not None and before.kind != stats.kind:
        before = None
    sample = simulate_column(stats, rows)
    if not len(sample):
        return ()
    return inject_faults(sample, before, whole=known.of(name)[-1], rows=rows)


def written(program: ColumnLimits) -> dict[str, Any]:
    """The program in numbers, strings, lists and dictionaries."""
    found = asdict(program)
    return {**found, "constraints": list(found["constraints"]), "left_out": list(found["left_out"])}


def read(document: Mapping[str, Any]) -> ColumnLimits:
    """The inverse of `written`; a metric that is not registered is an error."""
    try:
        return ColumnLimits(
            **{
                **document,
                "settings": Settings(**document["settings"]),
                "constraints": tuple(map(_constraint, document["constraints"])),
                "left_out": tuple(LeftOut(**each) for each in document["left_out"]),
            }
        )
    except (KeyError, TypeError) as error:
        raise CheckError(f"this is no program of a column: {error}.") from error


def _constraint(document: Mapping[str, Any]) -> Constraint:
    kind_of(document["metric"])
    return Constraint(
        **{
            **document,
            "interval": Interval(**document["interval"]),
            "transformation": Transformation(**document["transformation"]),
        }
    )
