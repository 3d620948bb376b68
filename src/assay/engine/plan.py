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
>>> others = {"customers": Schema.of(id="int", name="string")}
>>> asked = [ReferentialIntegrity("id", "customers"), RowCountMatch("customers")]
>>> print(plan(asked, schema, others=others))
3 passes over the data for 2 analyzers
  scan       no columns: 1 aggregate in 1 buffer
  comparison id with id of customers: for ReferentialIntegrity(id, table='customers')
  scan       no columns of customers: 1 aggregate in 1 buffer
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, cast

from assay.analyzers.analyzer import Analyzer, ScanAnalyzer, SchemaAnalyzer
from assay.analyzers.comparison import KeyedAnalyzer, PairedAnalyzer, Sides, refusal
from assay.analyzers.frequencies import Grouping, GroupingAnalyzer, Needs
from assay.analyzers.leaf import Leaf
from assay.analyzers.metric import Problem, Value
from assay.analyzers.predictability import Fit, ModelAnalyzer, Task
from assay.analyzers.sample import Sample
from assay.analyzers.schema import COMPARABLE, Column, Schema
from assay.analyzers.state import State
from assay.analyzers.structure import TableSchemaMatch
from assay.errors import NotComputableError

__all__ = [
    "BUFFERS",
    "Comparison",
    "Modelling",
    "Plan",
    "Sampling",
    "Scan",
    "Sharing",
    "Tabulation",
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

    plain: tuple[Leaf, ...] = ()
    sketches: tuple[Leaf, ...] = ()

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """All aggregates."""
        return self.plain + self.sketches

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read."""
        return tuple(dict.fromkeys(name for leaf in self.leaves for name in leaf.columns))

    @property
    def buffers(self) -> int:
        """Aggregation buffers of the plain aggregates."""
        return sum(leaf.buffers for leaf in self.plain)

    @property
    def parts(self) -> int:
        """How many aggregations."""
        return bool(self.plain) + bool(self.sketches)


@dataclass(frozen=True, slots=True)
class Tabulation:
    """One table of frequencies, the analyzers that read it, and those that read its margins."""

    grouping: Grouping
    needs: Needs
    analyzers: tuple[GroupingAnalyzer, ...]
    #: analyzers of a single key, with the key's position
    margins: tuple[tuple[GroupingAnalyzer, int], ...] = ()
    #: the tabulations that are its margins, where those are counted on their own
    singles: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Modelling:
    """One model that is learnt and tried, and the analyzers that ask how well it did."""

    task: Task
    analyzers: tuple[ModelAnalyzer, ...]


@dataclass(frozen=True, slots=True)
class Sampling:
    """One sample of a column's values, as large as any of the analyzers that read it asks for."""

    grouping: Grouping
    analyzers: tuple[Sample, ...]

    @property
    def size(self) -> int:
        """How many values it has at most."""
        return max(each.k for each in self.analyzers)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One pass over two tables: keys of ours looked up in another."""

    analyzer: KeyedAnalyzer
    sides: Sides


@dataclass(frozen=True)
class Plan:
    """What will be computed, and in how many passes over the data."""

    schema: Schema
    scanned: tuple[ScanAnalyzer[State], ...] = ()
    scans: tuple[Scan, ...] = ()
    tabulations: tuple[Tabulation, ...] = ()
    by: tuple[Column, ...] = ()
    sharing: Sharing = "observed"
    answered: Mapping[Analyzer, Value] = field(default_factory=dict)
    refused: Mapping[Analyzer, Problem] = field(default_factory=dict)
    modellings: tuple[Modelling, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    #: analyzers of two aggregates: ours is in the scans, theirs in the plan of the other table
    pairs: tuple[PairedAnalyzer, ...] = ()
    beside: Mapping[str, Plan] = field(default_factory=dict)
    #: the other tables, as far as they are known
    others: Mapping[str, Schema] = field(default_factory=dict)
    samplings: tuple[Sampling, ...] = ()

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
        others = (*self.tabulations, *self.modellings, *self.comparisons, *self.samplings)
        beside = sum(each.passes for each in self.beside.values())
        return self.scan_passes + len(others) + beside

    @property
    def queries(self) -> int:
        """Queries that Spark is asked: one a pass, but one for all passes that scan segments."""
        united = self.sharing == "separate" and bool(self.scans)
        return self.passes - self.scan_passes + 1 if united else self.passes

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read at all."""
        scanned = (name for scan in self.scans for name in scan.columns)
        grouped = (name for each in self.tabulations for name in each.grouping.columns)
        sampled = (name for each in self.samplings for name in each.grouping.columns)
        learnt = (name for each in self.modellings for name in each.task.columns)
        compared = (name for each in self.comparisons for name in each.sides.reads)
        read = [*(c.root for c in self.by), *scanned, *grouped, *sampled, *learnt, *compared]
        return tuple(dict.fromkeys(read))

    def __str__(self) -> str:
        measured = len(self.scanned) + sum(
            len(each.analyzers) + len(each.margins) for each in self.tabulations
        )
        measured += sum(len(each.analyzers) for each in self.modellings)
        measured += sum(len(each.analyzers) for each in self.samplings)
        measured += len(self.comparisons) + len(self.pairs)
        per = f" per ({', '.join(c.name for c in self.by)})" if self.by else ""
        passes = f"{_many(self.passes, 'pass', 'passes')} over the data"
        if self.queries < self.passes:
            passes += f" in {_many(self.queries, 'query', 'queries')}"
        lines = [f"{passes} for {_many(measured, 'analyzer', 'analyzers')}{per}"]
        lines += [f"  scan       {self._describe(scan, i)}" for i, scan in enumerate(self.scans)]
        for each in self.tabulations:
            lines.append(f"  grouping   {each.grouping}: for {self._served(each)}")
        for model in self.modellings:
            readers = ", ".join(reader.key for reader in model.analyzers)
            lines.append(f"  model      {model.task}: for {readers}")
        for sampling in self.samplings:
            readers = ", ".join(reader.key for reader in sampling.analyzers)
            lines.append(f"  sample     {sampling.grouping}: for {readers}")
        lines += [f"  comparison {each.sides}: for {each.analyzer}" for each in self.comparisons]
        for name, other in self.beside.items():
            lines += [
                f"  scan       {other._describe(scan, i, f' of {name}')}"
                for i, scan in enumerate(other.scans)
            ]
        lines += [f"  no job     {analyzer}" for analyzer in self.answered]
        lines += [f"  refused    {analyzer}: {why}" for analyzer, why in self.refused.items()]
        return "\n".join(lines)

    def _served(self, table: Tabulation) -> str:
        own = [each.key for each in (*table.analyzers, *(reader for reader, _ in table.margins))]
        wider = [
            reader.key
            for each in self.tabulations
            for at in each.singles
            if self.tabulations[at] is table
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


def plan(
    analyzers: Iterable[Analyzer],
    schema: Schema,
    *,
    by: Sequence[str] = (),
    buffers: int = BUFFERS,
    reread: bool = True,
    hide: bool = False,
    others: Mapping[str, Schema | Problem] | None = None,
) -> Plan:
    """The least work that answers all of these.

    Equal leaves are computed once; leaves are split by columns into scans that stay under the
    limits of code generation; analyzers over the same columns and selection share one grouping.
    `reread` says that reading some columns again is cheap (columnar files); where it is not,
    everything is computed in one pass. `hide` groups by hashes wherever no value has to be shown,
    for tables that are to be remembered. `others` are the tables that comparisons name, or why one
    of them cannot be read.
    """
    tables = others or {}
    known = {name: each for name, each in tables.items() if isinstance(each, Schema)}
    segments = tuple(schema.column(name).require(_SEGMENTS, "by") for name in by)
    scanned: list[ScanAnalyzer[State]] = []
    grouped: list[GroupingAnalyzer] = []
    modelled: dict[Task, list[ModelAnalyzer]] = {}
    sampled: dict[Grouping, list[Sample]] = {}
    compared: list[Comparison] = []
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
                compared.append(Comparison(analyzer, sides))
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
    leaves = dict.fromkeys(
        replace(leaf, written=analyzer.written)
        for analyzer in [*scanned, *(pair.ours for pair in pairs)]
        for leaf in analyzer.on(schema).leaves(schema)
    )
    scans = _chunks(tuple(leaves), schema, min(buffers, BUFFERS) - len(segments))
    return Plan(
        schema,
        tuple(scanned),
        scans,
        _tabulations(grouped, schema, hide=hide, reread=reread),
        segments,
        _sharing(scans, segmented=bool(segments), reread=reread),
        answered,
        refused,
        tuple(Modelling(task, tuple(readers)) for task, readers in modelled.items()),
        tuple(compared),
        tuple(pairs),
        _beside(pairs, known, buffers),
        known,
        tuple(Sampling(grouping, tuple(readers)) for grouping, readers in sampled.items()),
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


def _sharing(scans: tuple[Scan, ...], *, segmented: bool, reread: bool) -> Sharing:
    if segmented:
        return "separate" if reread else "mixed"
    return "observed" if reread or len(scans) < 2 else "stacked"


def _chunks(leaves: tuple[Leaf, ...], schema: Schema, limit: int) -> tuple[Scan, ...]:
    """Leaves in scans of so many buffers, all that read a column together where they fit."""
    position = {name: i for i, name in enumerate(schema.names)}
    groups: dict[str, list[Leaf]] = {}
    for leaf in sorted(
        leaves, key=lambda leaf: position.get(leaf.columns[0], -1) if leaf.columns else -1
    ):
        groups.setdefault(leaf.columns[0] if leaf.columns else "", []).append(leaf)
    scans: list[Scan] = []
    current = Scan()
    for group in groups.values():
        together = _with(current, group)
        if current.leaves and not _fits(together, limit):
            scans.append(current)
            together = Scan()
            for leaf in group:  # one column alone may be too much
                wider = _with(together, [leaf])
                if together.leaves and not _fits(wider, limit):
                    scans.append(together)
                    wider = _with(Scan(), [leaf])
                together = wider
        current = together
    return (*scans, current) if current.leaves else tuple(scans)


def _with(scan: Scan, leaves: Sequence[Leaf]) -> Scan:
    return Scan(
        scan.plain + tuple(leaf for leaf in leaves if not leaf.sketch),
        scan.sketches + tuple(leaf for leaf in leaves if leaf.sketch),
    )


def _fits(scan: Scan, limit: int) -> bool:
    return scan.buffers <= limit and len(scan.sketches) <= SKETCHES


def _tabulations(
    analyzers: Sequence[GroupingAnalyzer], schema: Schema, *, hide: bool, reread: bool
) -> tuple[Tabulation, ...]:
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
    if reread:
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
        Tabulation(
            grouping.hidden() if hide and not _needs_of(grouping, needs).values else grouping,
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
