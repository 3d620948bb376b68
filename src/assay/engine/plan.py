"""Plans: which aggregates, in which passes over which columns, decided before anything runs.

A plan is a value. It can be printed, compared and tested without Spark:

>>> from assay.analyzers import Completeness, Mean, Median, Schema, Uniqueness
>>> schema = Schema.of(id="bigint", amount="double")
>>> print(plan([Completeness("id"), Mean("amount"), Median("amount"), Uniqueness("id")], schema))
2 passes over the data for 4 analyzers
  scan       id, amount: 4 aggregates in 4 buffers, 1 sketch observed in the same pass
  grouping   id: for Uniqueness(id)

What another table is asked for is said too; of it, the plan knows the schema:

>>> from assay.analyzers import ReferentialIntegrity, RowCountMatch
>>> reference_tables = {"customers": Schema.of(id="int", name="string")}
>>> asked = [ReferentialIntegrity("id", "customers"), RowCountMatch("customers")]
>>> print(plan(asked, schema, reference_tables=reference_tables))
3 passes over the data for 2 analyzers
  scan       no columns: 1 aggregate in 1 buffer
  comparison id with id of customers: for ReferentialIntegrity(id, table='customers')
  scan       no columns of customers: 1 aggregate in 1 buffer
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, cast

from assay.analyzers.aggregate_expr import AggregateExpr
from assay.analyzers.analyzer import Analyzer, ScanAnalyzer, SchemaAnalyzer
from assay.analyzers.comparison import KeyedAnalyzer, PairedAnalyzer, Sides, refusal
from assay.analyzers.frequencies import Grouping, GroupingAnalyzer, Needs
from assay.analyzers.metric import Problem, Value
from assay.analyzers.predictability import Fit, ModelAnalyzer, Task
from assay.analyzers.sample import Sample
from assay.analyzers.schema import COMPARABLE, Column, Schema
from assay.analyzers.state import State
from assay.analyzers.structure import TableSchemaMatch
from assay.deprecation import renamed_arguments
from assay.errors import NotComputableError

__all__ = [
    "BUFFERS",
    "ComparisonPass",
    "FrequencyPass",
    "ModelPass",
    "Plan",
    "SamplePass",
    "Scan",
    "Sharing",
    "plan",
]

#: Spark gives up code generation for an aggregation of more buffers (spark.sql.codegen.maxFields);
#: where that limit is raised, larger aggregations are no faster, and far above they collapse
BUFFERS = 100
#: the cost of a sketch rises with the number of them in one aggregation
SKETCHES = 32
#: what segments can be told by
_SEGMENTS = COMPARABLE - {"binary"}

#: how plain aggregates and sketches, which must not share an aggregation, share the data:
#: *observed*: one pass a scan, the sketches as an observation on the way to the aggregation;
#: *stacked*: one pass in all, every scan but the first as an observation;
#: of segments, for an observation cannot be grouped:
#: *separate*: two passes a scan, all of them branches of one query;
#: *mixed*: one pass in all, everything in one aggregation, which for wide tables is many times the
#: work (``python -m benchmarks.segments``)
Sharing = Literal["observed", "stacked", "separate", "mixed"]


@dataclass(frozen=True, slots=True)
class Scan:
    """Aggregates over the same columns: at most two aggregations, plain and sketches."""

    plain: tuple[AggregateExpr, ...] = ()
    sketches: tuple[AggregateExpr, ...] = ()

    @property
    def exprs(self) -> tuple[AggregateExpr, ...]:
        """All aggregates."""
        return self.plain + self.sketches

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read."""
        return tuple(dict.fromkeys(name for expr in self.exprs for name in expr.columns))

    @property
    def buffers(self) -> int:
        """Aggregation buffers of the plain aggregates."""
        return sum(expr.buffers for expr in self.plain)

    @property
    def parts(self) -> int:
        """How many aggregations."""
        return bool(self.plain) + bool(self.sketches)


@dataclass(frozen=True, slots=True)
class FrequencyPass:
    """One table of frequencies, the analyzers that read it, and those that read its margins."""

    grouping: Grouping
    needs: Needs
    analyzers: tuple[GroupingAnalyzer, ...]
    #: analyzers of a single key, with the key's position
    margins: tuple[tuple[GroupingAnalyzer, int], ...] = ()
    #: the frequency_passes that are its margins, where those are counted on their own
    singles: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelPass:
    """One model that is learnt and tried, and the analyzers that ask how well it did."""

    task: Task
    analyzers: tuple[ModelAnalyzer, ...]


@dataclass(frozen=True, slots=True)
class SamplePass:
    """One sample of a column's values, as large as any of the analyzers that read it asks for."""

    grouping: Grouping
    analyzers: tuple[Sample, ...]

    @property
    def size(self) -> int:
        """How many values it has at most."""
        return max(each.k for each in self.analyzers)


@dataclass(frozen=True, slots=True)
class ComparisonPass:
    """One pass over two tables: keys of ours looked up in another."""

    analyzer: KeyedAnalyzer
    sides: Sides


@dataclass(frozen=True)
class Plan:
    """What will be computed, and in how many passes over the data."""

    schema: Schema
    scanned: tuple[ScanAnalyzer[State], ...] = ()
    scans: tuple[Scan, ...] = ()
    frequency_passes: tuple[FrequencyPass, ...] = ()
    by: tuple[Column, ...] = ()
    sharing: Sharing = "observed"
    answered: Mapping[Analyzer, Value] = field(default_factory=dict)
    refused: Mapping[Analyzer, Problem] = field(default_factory=dict)
    model_passes: tuple[ModelPass, ...] = ()
    comparison_passes: tuple[ComparisonPass, ...] = ()
    #: analyzers of two aggregates: ours is in the scans, theirs in the plan of the other table
    pairs: tuple[PairedAnalyzer, ...] = ()
    beside: Mapping[str, Plan] = field(default_factory=dict)
    #: the other tables, as far as they are known
    reference_tables: Mapping[str, Schema] = field(default_factory=dict)
    sample_passes: tuple[SamplePass, ...] = ()

    @property
    def scan_passes(self) -> int:
        """Passes for the scan analyzers, whatever their number."""
        if self.sharing in ("stacked", "mixed"):
            return min(1, len(self.scans))
        if self.sharing == "separate":
            return sum(scan.parts for scan in self.scans)
        return len(self.scans)

    @property
    def passes(self) -> int:
        """Passes over the user's data in all; each is one aggregation with one shuffle or so.

        (A classifier of the user's own counts as one, and may need more.)
        """
        unscanned = (
            *self.frequency_passes,
            *self.model_passes,
            *self.comparison_passes,
            *self.sample_passes,
        )
        beside = sum(each.passes for each in self.beside.values())
        return self.scan_passes + len(unscanned) + beside

    @property
    def queries(self) -> int:
        """Queries that Spark is asked: one a pass, but one for all passes that scan segments."""
        united = self.sharing == "separate" and bool(self.scans)
        return self.passes - self.scan_passes + 1 if united else self.passes

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read at all."""
        scanned = (name for scan in self.scans for name in scan.columns)
        grouped = (name for each in self.frequency_passes for name in each.grouping.columns)
        sampled = (name for each in self.sample_passes for name in each.grouping.columns)
        learnt = (name for each in self.model_passes for name in each.task.columns)
        compared = (name for each in self.comparison_passes for name in each.sides.reads)
        read = [*(c.root for c in self.by), *scanned, *grouped, *sampled, *learnt, *compared]
        return tuple(dict.fromkeys(read))

    def __str__(self) -> str:
        measured = len(self.scanned) + sum(
            len(each.analyzers) + len(each.margins) for each in self.frequency_passes
        )
        measured += sum(len(each.analyzers) for each in self.model_passes)
        measured += sum(len(each.analyzers) for each in self.sample_passes)
        measured += len(self.comparison_passes) + len(self.pairs)
        per = f" per ({', '.join(c.name for c in self.by)})" if self.by else ""
        passes = f"{_many(self.passes, 'pass', 'passes')} over the data"
        if self.queries < self.passes:
            passes += f" in {_many(self.queries, 'query', 'queries')}"
        lines = [f"{passes} for {_many(measured, 'analyzer', 'analyzers')}{per}"]
        lines += [f"  scan       {self._describe(scan, i)}" for i, scan in enumerate(self.scans)]
        for each in self.frequency_passes:
            lines.append(f"  grouping   {each.grouping}: for {self._served(each)}")
        for model in self.model_passes:
            readers = ", ".join(reader.key for reader in model.analyzers)
            lines.append(f"  model      {model.task}: for {readers}")
        for sample_pass in self.sample_passes:
            readers = ", ".join(reader.key for reader in sample_pass.analyzers)
            lines.append(f"  sample     {sample_pass.grouping}: for {readers}")
        lines += [
            f"  comparison {each.sides}: for {each.analyzer}" for each in self.comparison_passes
        ]
        for name, other in self.beside.items():
            lines += [
                f"  scan       {other._describe(scan, i, f' of {name}')}"
                for i, scan in enumerate(other.scans)
            ]
        lines += [f"  no job     {analyzer}" for analyzer in self.answered]
        lines += [f"  refused    {analyzer}: {why}" for analyzer, why in self.refused.items()]
        return "\n".join(lines)

    def _served(self, table: FrequencyPass) -> str:
        own = [each.key for each in (*table.analyzers, *(reader for reader, _ in table.margins))]
        wider = [
            reader.key
            for each in self.frequency_passes
            for at in each.singles
            if self.frequency_passes[at] is table
            for reader in each.analyzers
            if reader.needs().marginals
        ]
        return ", ".join(dict.fromkeys([*own, *wider]))

    def _describe(self, scan: Scan, position: int, of: str = "") -> str:
        shown = list(scan.columns[:6])
        more = f", … {len(scan.columns) - 6} more" if scan.columns[6:] else ""
        parts = []
        if scan.plain:
            plain = _many(len(scan.plain), "aggregate", "aggregates")
            parts.append(f"{plain} in {_many(scan.buffers, 'buffer', 'buffers')}")
        if scan.sketches:
            sketches = _many(len(scan.sketches), "sketch", "sketches")
            beside = bool(scan.plain) or position > 0
            own = "its" if len(scan.sketches) == 1 else "their"
            how = {
                "observed": " observed in the same pass" if scan.plain else "",
                "separate": f" in a pass of {own} own" if scan.plain else "",
                "stacked": " observed in the same pass" if beside else "",
                "mixed": " in the same pass" if beside else "",
            }[self.sharing]
            parts.append(sketches + how)
        if self.sharing == "stacked" and position > 0:
            parts.append("all observed in the first scan's pass")
        if self.sharing == "mixed" and position > 0:
            parts.append("all in the first scan's pass")
        return f"{', '.join(shown) or 'no columns'}{more}{of}: {', '.join(parts)}"


@renamed_arguments(reread="allow_multiple_reads", others="reference_tables", hide="hash_values")
def plan(
    analyzers: Iterable[Analyzer],
    schema: Schema,
    *,
    by: Sequence[str] = (),
    buffers: int = BUFFERS,
    allow_multiple_reads: bool = True,
    hash_values: bool = False,
    reference_tables: Mapping[str, Schema | Problem] | None = None,
) -> Plan:
    """The least work that answers all of these.

    Equal expressions are computed once. They are split by columns into scans that stay under the
    limits of code generation. Analyzers over the same columns and selection share one grouping.

    Parameters
    ----------
    analyzers
        What to measure.
    schema
        The schema of the table.
    by
        Columns that split the table into segments.
    buffers
        Aggregation buffers up to which Spark generates code for an aggregation.
    allow_multiple_reads
        Whether some columns may be read again, which is cheap in columnar files. Otherwise
        everything is computed in one pass.
    hash_values
        Group by hashes wherever no value has to be shown, for tables that are stored.
    reference_tables
        The schema of each table that comparisons name, or why it cannot be read.
    """
    tables = reference_tables or {}
    known = {name: each for name, each in tables.items() if isinstance(each, Schema)}
    segments = tuple(schema.column(name).require(_SEGMENTS, "by") for name in by)
    scanned: list[ScanAnalyzer[State]] = []
    grouped: list[GroupingAnalyzer] = []
    modelled: dict[Task, list[ModelAnalyzer]] = {}
    sampled: dict[Grouping, list[Sample]] = {}
    compared: list[ComparisonPass] = []
    pairs: list[PairedAnalyzer] = []
    answered: dict[Analyzer, Value] = {}
    refused: dict[Analyzer, Problem] = {}
    for analyzer in dict.fromkeys(analyzers):
        problem = refusal(analyzer, schema, tables, segmented=bool(segments))
        if problem is None and segments and isinstance(analyzer, ModelAnalyzer):
            problem = _not_by_segment(analyzer, schema)
        if problem is not None:
            refused[analyzer] = problem
            continue
        match analyzer:
            case SchemaAnalyzer():
                answered[analyzer] = analyzer.value(schema)
            case TableSchemaMatch():
                answered[analyzer] = analyzer.value(schema, known[analyzer.table])
            case KeyedAnalyzer():
                sides = analyzer.against(schema, known[analyzer.table])
                compared.append(ComparisonPass(analyzer, sides))
            case PairedAnalyzer():
                pairs.append(analyzer)
            case GroupingAnalyzer():
                grouped.append(analyzer)
            case ModelAnalyzer():
                modelled.setdefault(analyzer.task(schema), []).append(analyzer)
            case Sample():
                sampled.setdefault(analyzer.grouping(schema), []).append(analyzer)
            case _:
                scanned.append(cast("ScanAnalyzer[State]", analyzer))
    exprs = dict.fromkeys(
        replace(expr, written=analyzer.written)
        for analyzer in [*scanned, *(pair.ours for pair in pairs)]
        for expr in analyzer.on(schema).aggregate_exprs(schema)
    )
    scans = _chunks(tuple(exprs), schema, min(buffers, BUFFERS) - len(segments))
    return Plan(
        schema,
        tuple(scanned),
        scans,
        _tabulations(
            grouped, schema, hash_values=hash_values, allow_multiple_reads=allow_multiple_reads
        ),
        segments,
        _sharing(scans, segmented=bool(segments), allow_multiple_reads=allow_multiple_reads),
        answered,
        refused,
        tuple(ModelPass(task, tuple(readers)) for task, readers in modelled.items()),
        tuple(compared),
        tuple(pairs),
        _beside(pairs, known, buffers),
        known,
        tuple(SamplePass(grouping, tuple(readers)) for grouping, readers in sampled.items()),
    )


def _not_by_segment(analyzer: ModelAnalyzer, schema: Schema) -> Problem | None:
    if not isinstance(analyzer.task(schema), Fit):
        return None
    error = NotComputableError.per_segment(type(analyzer).__name__)
    return Problem(error.code, str(error))


def _beside(
    pairs: Sequence[PairedAnalyzer], tables: Mapping[str, Schema], buffers: int
) -> dict[str, Plan]:
    """One plan for each other table, for all that is asked of it."""
    asked: dict[str, list[Analyzer]] = {}
    for pair in pairs:
        asked.setdefault(pair.table, []).append(pair.theirs)
    return {name: plan(each, tables[name], buffers=buffers) for name, each in asked.items()}


def _sharing(scans: tuple[Scan, ...], *, segmented: bool, allow_multiple_reads: bool) -> Sharing:
    if segmented:
        return "separate" if allow_multiple_reads else "mixed"
    return "observed" if allow_multiple_reads or len(scans) < 2 else "stacked"


def _chunks(exprs: tuple[AggregateExpr, ...], schema: Schema, limit: int) -> tuple[Scan, ...]:
    """Leaves in scans of so many buffers, all that read a column together where they fit."""
    position = {name: i for i, name in enumerate(schema.names)}
    groups: dict[str, list[AggregateExpr]] = {}
    for expr in sorted(
        exprs, key=lambda expr: position.get(expr.columns[0], -1) if expr.columns else -1
    ):
        groups.setdefault(expr.columns[0] if expr.columns else "", []).append(expr)
    scans: list[Scan] = []
    current = Scan()
    for group in groups.values():
        together = _with(current, group)
        if current.exprs and not _fits(together, limit):
            scans.append(current)
            together = Scan()
            for expr in group:  # one column alone may be too much
                wider = _with(together, [expr])
                if together.exprs and not _fits(wider, limit):
                    scans.append(together)
                    wider = _with(Scan(), [expr])
                together = wider
        current = together
    return (*scans, current) if current.exprs else tuple(scans)


def _with(scan: Scan, exprs: Sequence[AggregateExpr]) -> Scan:
    return Scan(
        scan.plain + tuple(expr for expr in exprs if not expr.sketch),
        scan.sketches + tuple(expr for expr in exprs if expr.sketch),
    )


def _fits(scan: Scan, limit: int) -> bool:
    return scan.buffers <= limit and len(scan.sketches) <= SKETCHES


def _tabulations(
    analyzers: Sequence[GroupingAnalyzer],
    schema: Schema,
    *,
    hash_values: bool,
    allow_multiple_reads: bool,
) -> tuple[FrequencyPass, ...]:
    """One table for each grouping.

    The margins of a table are counted on their own where reading the data again is cheap, which is
    less work than shuffling the table once more for each; else they are taken from the table, and
    serve whoever asks for a single key too.
    """
    asked: dict[Grouping, list[GroupingAnalyzer]] = {}
    for analyzer in analyzers:
        asked.setdefault(analyzer.grouping(schema), []).append(analyzer)
    needs = {grouping: _all_needs(readers) for grouping, readers in asked.items()}
    margins: dict[Grouping, list[tuple[GroupingAnalyzer, int]]] = {}
    singles: dict[Grouping, tuple[Grouping, ...]] = {}
    if allow_multiple_reads:
        for grouping, wanted in list(needs.items()):
            if wanted.marginals:
                needs[grouping] = replace(wanted, marginals=False)
                singles[grouping] = tuple(Grouping((k,), grouping.where) for k in grouping.keys)
                asked = {**{each: [] for each in singles[grouping]}, **asked}
    else:
        for grouping, readers in list(asked.items()):
            host = _host(grouping, needs)
            if host is not None:
                at = host.keys.index(grouping.keys[0])
                margins.setdefault(host, []).extend((reader, at) for reader in readers)
                del asked[grouping]
    position = {grouping: i for i, grouping in enumerate(asked)}
    return tuple(
        FrequencyPass(
            grouping.hash_values()
            if hash_values and not _needs_of(grouping, needs).values
            else grouping,
            _needs_of(grouping, needs),
            tuple(readers),
            tuple(margins.get(grouping, ())),
            tuple(position[each] for each in singles.get(grouping, ())),
        )
        for grouping, readers in asked.items()
    )


def _needs_of(grouping: Grouping, needs: Mapping[Grouping, Needs]) -> Needs:
    return needs.get(grouping, Needs())


def _all_needs(readers: Sequence[GroupingAnalyzer]) -> Needs:
    needs = Needs()
    for reader in readers:
        needs |= reader.needs()
    return needs


def _host(grouping: Grouping, needs: Mapping[Grouping, Needs]) -> Grouping | None:
    """A table with margins that holds all that this grouping needs."""
    if len(grouping.keys) != 1 or needs[grouping] != Needs():
        return None
    return next(
        (
            other
            for other, wanted in needs.items()
            if wanted.marginals and other.where == grouping.where and grouping.keys[0] in other.keys
        ),
        None,
    )


def _many(number: int, one: str, more: str) -> str:
    return f"{number:,} {one if number == 1 else more}"
