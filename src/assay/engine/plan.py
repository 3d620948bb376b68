"""Plan which aggregates are computed in which passes over the data, before a query runs.

`plan_for` resolves the analyzers on a DataFrame. `plan` collects their aggregates and splits them
into passes. A plan is a value: it can be printed, compared and tested without Spark.

>>> from assay.analyzers import Completeness, Mean, Median, Schema, Uniqueness
>>> schema = Schema.of(id="bigint", amount="double")
>>> print(plan([Completeness("id"), Mean("amount"), Median("amount"), Uniqueness("id")], schema))
2 passes over the data for 4 analyzers
  scan       id, amount: 4 aggregates in 4 buffers, 1 sketch observed in the same pass
  grouping   id: for Uniqueness(id)

The passes over other tables are part of the plan:

>>> from assay.analyzers import ReferentialIntegrity, RowCountMatch
>>> customers = Schema.of(id="int", name="string")
>>> analyzers = [ReferentialIntegrity("id", "customers"), RowCountMatch("customers")]
>>> print(plan(analyzers, schema, reference_tables={"customers": customers}))
3 passes over the data for 2 analyzers
  scan       no columns: 1 aggregate in 1 buffer
  comparison id with id of customers: for ReferentialIntegrity(id, table='customers')
  scan       no columns of customers: 1 aggregate in 1 buffer
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from assay.analyzers.analyzer import Analyzer, ScanAnalyzer, SchemaAnalyzer
from assay.analyzers.frequencies import GroupingAnalyzer
from assay.analyzers.metric import Problem, Value
from assay.analyzers.other_table import KeyedAnalyzer, PairedAnalyzer, refusal
from assay.analyzers.predictability import ModelAnalyzer
from assay.analyzers.sample import Sample
from assay.analyzers.schema import COMPARABLE, Column, Schema
from assay.analyzers.state import State
from assay.analyzers.structure import TableSchemaMatch
from assay.deprecation import renamed_arguments
from assay.engine.frame import (
    MAX_BUFFERS,
    buffer_limit,
    is_columnar,
    names_of,
    require_analyzers,
    require_frame,
    schema_of,
    unambiguous,
)
from assay.engine.passes.comparison_pass import ComparisonPass, plan_comparison_passes
from assay.engine.passes.frequency_pass import FrequencyPass, plan_frequency_passes
from assay.engine.passes.model_pass import ModelPass, plan_model_passes, refuse_segments
from assay.engine.passes.query_pass import QueryPass
from assay.engine.passes.sample_pass import SamplePass, plan_sample_passes
from assay.engine.passes.scan_pass import (
    ScanPass,
    Sharing,
    count_scan_passes,
    plan_scan_passes,
    sharing_of,
)
from assay.engine.reference_tables import ReferenceTables, read_schemas, unresolved_there
from assay.engine.resolve import unresolved
from assay.errors import require_instance
from assay.html_table import html_table
from assay.text import count_noun, visible

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Plan", "plan", "plan_for"]

#: families of types whose values may split a table into segments
_SEGMENT_FAMILIES = COMPARABLE - {"binary"}
#: analyzers that no scan measures
_OTHER_KINDS = (
    SchemaAnalyzer,
    TableSchemaMatch,
    KeyedAnalyzer,
    PairedAnalyzer,
    GroupingAnalyzer,
    ModelAnalyzer,
    Sample,
)


@dataclass(frozen=True, repr=False)
class Plan:
    """The passes over the data that measure some analyzers.

    `plan_for` creates it. ``str(plan)`` describes each pass in one line.

    Attributes
    ----------
    scans : tuple of ScanPass
        The aggregations of the shared scan.
    frequency_passes, model_passes, sample_passes, comparison_passes : tuple
        The passes with a query of their own.
    refused : Mapping
        The analyzers that cannot be measured, with the problem of each.

    Examples
    --------
    >>> from assay.analyzers import Mean, Uniqueness
    >>> planned = plan_for(spark.range(3), [Mean("id"), Uniqueness("id"), Mean("nr")])
    >>> len(planned.scans), len(planned.frequency_passes), [a.key for a in planned.refused]
    (1, 1, ['Mean(nr)'])
    """

    schema: Schema
    by: tuple[Column, ...] = ()
    scan_analyzers: tuple[ScanAnalyzer[State], ...] = ()
    #: analyzers of two aggregates: ours is in the scans, the other in `reference_plans`
    paired_analyzers: tuple[PairedAnalyzer, ...] = ()
    scans: tuple[ScanPass, ...] = ()
    sharing: Sharing = "observed"
    frequency_passes: tuple[FrequencyPass, ...] = ()
    model_passes: tuple[ModelPass, ...] = ()
    sample_passes: tuple[SamplePass, ...] = ()
    comparison_passes: tuple[ComparisonPass, ...] = ()
    #: metrics that the schema alone determines
    schema_metrics: Mapping[Analyzer, Value] = field(default_factory=dict)
    refused: Mapping[Analyzer, Problem] = field(default_factory=dict)
    #: the schemas of other tables, and the scans that read them
    reference_schemas: Mapping[str, Schema] = field(default_factory=dict)
    reference_plans: Mapping[str, Plan] = field(default_factory=dict)

    @property
    def query_passes(self) -> tuple[QueryPass, ...]:
        """The passes with a query of their own, frequency passes first."""
        return (
            *self.frequency_passes,
            *self.model_passes,
            *self.sample_passes,
            *self.comparison_passes,
        )

    @property
    def scan_passes(self) -> int:
        """The number of passes for all scans."""
        return count_scan_passes(self.scans, self.sharing)

    @property
    def passes(self) -> int:
        """The number of passes over the data; each is about one aggregation with one shuffle.

        A classifier that the user supplies counts as one pass, and may need more.
        """
        elsewhere = sum(plan.passes for plan in self.reference_plans.values())
        return self.scan_passes + len(self.query_passes) + elsewhere

    @property
    def queries(self) -> int:
        """The number of Spark queries: one for each pass, but one for all scans of segments."""
        is_union = self.sharing == "separate" and bool(self.scans)
        return self.passes - self.scan_passes + 1 if is_union else self.passes

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read."""
        names = [column.root for column in self.by]
        names += (name for scan in self.scans for name in scan.columns)
        names += (name for query_pass in self.query_passes for name in query_pass.columns)
        return tuple(dict.fromkeys(names))

    @property
    def measured(self) -> tuple[Analyzer, ...]:
        """The analyzers that need a pass over the data."""
        by_query = (analyzer for query in self.query_passes for analyzer in query.measured)
        return (*self.scan_analyzers, *self.paired_analyzers, *by_query)

    def __repr__(self) -> str:
        analyzers = count_noun(len(self.measured), "analyzer")
        return f"Plan({analyzers}, {count_noun(self.passes, 'pass', 'passes')})"

    def _repr_html_(self) -> str:
        """Return the passes as an HTML table, which notebooks show."""
        summary, *passes = str(self).splitlines()
        rows = (line.strip().split(maxsplit=1) for line in passes)
        return html_table(("pass", "reads and computes"), rows, caption=summary)

    def __str__(self) -> str:
        passes = f"{count_noun(self.passes, 'pass', 'passes')} over the data"
        if self.queries < self.passes:
            passes += f" in {count_noun(self.queries, 'query', 'queries')}"
        per = f" per ({', '.join(column.name for column in self.by)})" if self.by else ""
        lines = [f"{passes} for {count_noun(len(self.measured), 'analyzer')}{per}"]
        lines += self._describe_scans()
        for query_pass in self.query_passes:
            analyzers = ", ".join(analyzer.key for analyzer in query_pass.served)
            lines.append(f"  {query_pass.kind:<10} {query_pass.subject}: for {analyzers}")
        for table, reference_plan in self.reference_plans.items():
            lines += reference_plan._describe_scans(table)
        lines += [f"  no job     {analyzer}" for analyzer in self.schema_metrics]
        lines += [f"  refused    {analyzer}: {why}" for analyzer, why in self.refused.items()]
        return "\n".join(map(visible, lines))

    def _describe_scans(self, table: str | None = None) -> list[str]:
        return [
            f"  scan       {scan.describe(position, self.sharing, table)}"
            for position, scan in enumerate(self.scans)
        ]


@renamed_arguments(reread="allow_multiple_reads", others="reference_tables", hide="hash_values")
def plan_for(
    df: DataFrame,
    analyzers: Iterable[Analyzer],
    by: str | Sequence[str] = (),
    *,
    allow_multiple_reads: bool | None = None,
    hash_values: bool = False,
    reference_tables: ReferenceTables | None = None,
) -> Plan:
    """Plan the measurement of a DataFrame, without running it.

    Parameters
    ----------
    df
        The table.
    analyzers
        The analyzers to measure.
    by
        Column or columns that split the table into segments.
    allow_multiple_reads
        True if columns may be read in several passes. By default this depends on the source.
    hash_values
        Group by hashes wherever no value has to be shown.
    reference_tables
        Tables that analyzers compare with, by name.

    Returns
    -------
    Plan
        The passes. Analyzers whose SQL Spark cannot resolve are refused, with the reason.

    Examples
    --------
    >>> from assay.analyzers import Mean
    >>> plan_for(spark.range(3), [Mean("nr")]).refused[Mean("nr")].code
    'unknown_column'
    """
    require_frame(df)
    by = names_of(by)
    schema, reference_schemas = schema_of(df), read_schemas(df, reference_tables)
    frame, max_buffers = unambiguous(df, schema), buffer_limit(df)
    distinct = require_analyzers(analyzers)
    draft = plan(distinct, schema, by=by, buffers=max_buffers, reference_tables=reference_schemas)
    fitting = [analyzer for analyzer in distinct if analyzer not in draft.refused]
    refused = {
        **draft.refused,
        **unresolved_there(reference_tables, fitting, reference_schemas),
        **unresolved(frame, fitting, schema),
    }
    if allow_multiple_reads is None:
        allow_multiple_reads = not _may_read_again(draft) or is_columnar(df)
    final = plan(
        [analyzer for analyzer in distinct if analyzer not in refused],
        schema,
        by=by,
        buffers=max_buffers,
        allow_multiple_reads=allow_multiple_reads,
        hash_values=hash_values,
        reference_tables=reference_schemas,
    )
    return replace(final, refused=refused)


@renamed_arguments(reread="allow_multiple_reads", others="reference_tables", hide="hash_values")
def plan(
    analyzers: Iterable[Analyzer],
    schema: Schema,
    *,
    by: str | Sequence[str] = (),
    buffers: int = MAX_BUFFERS,
    allow_multiple_reads: bool = True,
    hash_values: bool = False,
    reference_tables: Mapping[str, Schema | Problem] | None = None,
) -> Plan:
    """Plan the passes over a table of a schema.

    Equal aggregates are computed once. They are split by columns into scans for which Spark
    generates code. Analyzers over the same columns and selection share one grouping.

    Parameters
    ----------
    analyzers
        The analyzers to measure.
    schema
        The schema of the table.
    by
        Column or columns that split the table into segments.
    buffers
        Aggregation buffers up to which Spark generates code for an aggregation.
    allow_multiple_reads
        True if some columns may be read again, which is cheap in columnar files. Otherwise
        everything is computed in one pass.
    hash_values
        Group by hashes wherever no value has to be shown, for tables that are stored.
    reference_tables
        The schema of each table that comparisons name, or why it cannot be read.

    Raises
    ------
    CheckError
        If an argument is not a list of analyzers or a schema.

    Examples
    --------
    >>> from assay.analyzers import Mean, Schema, Uniqueness
    >>> plan([Mean("amount"), Uniqueness("id")], Schema.of(id="bigint", amount="double")).passes
    2
    """
    require_instance(schema, Schema, "invalid schema", "a Schema, such as Schema.of(id='bigint')")
    tables = reference_tables or {}
    schemas = {name: other for name, other in tables.items() if isinstance(other, Schema)}
    segments = tuple(schema.column(name).require(_SEGMENT_FAMILIES, "by") for name in names_of(by))
    accepted: list[Analyzer] = []
    refused: dict[Analyzer, Problem] = {}
    for analyzer in require_analyzers(analyzers):
        problem = refusal(analyzer, schema, tables, segmented=bool(segments))
        if problem is None and segments:
            problem = refuse_segments(analyzer, schema)
        if problem is None:
            accepted.append(analyzer)
        else:
            refused[analyzer] = problem

    scanned = [analyzer for analyzer in accepted if not isinstance(analyzer, _OTHER_KINDS)]
    scan_analyzers = cast("list[ScanAnalyzer[State]]", scanned)
    paired: list[PairedAnalyzer] = _of_kind(PairedAnalyzer, accepted)
    exprs = dict.fromkeys(
        replace(expr, has_user_sql=analyzer.has_user_sql)
        for analyzer in [*scan_analyzers, *(pair.ours for pair in paired)]
        for expr in analyzer.on(schema).aggregate_exprs(schema)
    )
    scans = plan_scan_passes(exprs, schema, min(buffers, MAX_BUFFERS) - len(segments))
    theirs: dict[str, list[Analyzer]] = {}
    for pair in paired:
        theirs.setdefault(pair.table, []).append(pair.theirs)
    return Plan(
        schema,
        by=segments,
        scan_analyzers=tuple(scan_analyzers),
        paired_analyzers=tuple(paired),
        scans=scans,
        sharing=sharing_of(
            scans, segmented=bool(segments), allow_multiple_reads=allow_multiple_reads
        ),
        frequency_passes=plan_frequency_passes(
            _of_kind(GroupingAnalyzer, accepted),
            schema,
            hash_values=hash_values,
            allow_multiple_reads=allow_multiple_reads,
        ),
        model_passes=plan_model_passes(_of_kind(ModelAnalyzer, accepted), schema),
        sample_passes=plan_sample_passes(_of_kind(Sample, accepted), schema),
        comparison_passes=plan_comparison_passes(
            _of_kind(KeyedAnalyzer, accepted), schema, schemas
        ),
        schema_metrics=_measure_schema(accepted, schema, schemas),
        refused=refused,
        reference_schemas=schemas,
        reference_plans={
            name: plan(others, schemas[name], buffers=buffers) for name, others in theirs.items()
        },
    )


def _of_kind(kind: type, analyzers: Iterable[Analyzer]) -> list[Any]:
    return [analyzer for analyzer in analyzers if isinstance(analyzer, kind)]


def _measure_schema(
    analyzers: Iterable[Analyzer], schema: Schema, reference_schemas: Mapping[str, Schema]
) -> dict[Analyzer, Value]:
    """Return the metrics that need no pass over the data."""
    metrics: dict[Analyzer, Value] = {}
    for analyzer in analyzers:
        if isinstance(analyzer, SchemaAnalyzer):
            metrics[analyzer] = analyzer.value(schema)
        elif isinstance(analyzer, TableSchemaMatch):
            metrics[analyzer] = analyzer.value(schema, reference_schemas[analyzer.table])
    return metrics


def _may_read_again(draft: Plan) -> bool:
    """Return whether the data could be read once or several times."""
    is_mixed = any(len(scan.aggregations) > 1 for scan in draft.scans)
    if len(draft.scans) > 1 or (draft.by and is_mixed):
        return True
    return any(frequency_pass.singles for frequency_pass in draft.frequency_passes)
