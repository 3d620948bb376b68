"""Count how often each value occurs: one grouping, shared by all analyzers of the same columns."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.frequencies import Grouping, GroupingAnalyzer, GroupKey, Needs, Summary
from assay.analyzers.metric import Problem
from assay.analyzers.schema import Schema
from assay.analyzers.state import State
from assay.engine.frame import Segment
from assay.engine.frequency_query import basic_counts, count_groups, summarize
from assay.engine.frequency_table import (
    FrequencyTable,
    SegmentTable,
    TableFile,
    file_groups,
    rows_of_segment,
    write_frame,
)
from assay.engine.passes.query_pass import Outcome, PassInput, QueryPass

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["FrequencyPass", "plan_frequency_passes"]


@dataclass(frozen=True, slots=True)
class FrequencyPass(QueryPass):
    """Count the groups of one set of columns.

    Parameters
    ----------
    grouping
        The columns and the selection.
    needs
        Content of the summary beyond the basic counts.
    analyzers
        The analyzers that read the table.
    margins
        Analyzers of a single key that read it from this table, each with the key's position.
    singles
        Positions of the frequency passes that count each key alone, if they are planned.
    wider
        Analyzers of several keys that need the counts of this single key.
    """

    kind: ClassVar[str] = "grouping"
    grouping: Grouping
    needs: Needs
    analyzers: tuple[GroupingAnalyzer, ...]
    margins: tuple[tuple[GroupingAnalyzer, int], ...] = ()
    singles: tuple[int, ...] = ()
    wider: tuple[GroupingAnalyzer, ...] = ()

    @property
    def measured(self) -> Sequence[Analyzer]:
        """The analyzers whose state comes from this pass."""
        return (*self.analyzers, *(analyzer for analyzer, _ in self.margins))

    @property
    def served(self) -> Sequence[Analyzer]:
        """The analyzers that read the table, wider ones included."""
        return tuple(dict.fromkeys([*self.measured, *self.wider]))

    @property
    def columns(self) -> Sequence[str]:
        """The columns that rows are grouped by."""
        return self.grouping.columns

    @property
    def subject(self) -> object:
        """The columns and the selection."""
        return self.grouping

    def run(self, source: PassInput) -> Mapping[Segment, FrequencyTable]:
        """Count the groups of each segment and summarize them.

        This is one query. If tables are stored, it writes them, and a second query summarizes what
        was written.
        """
        table = count_groups(source.df, self.grouping, source.by)
        folder = source.tables_path
        # a table that serves only as a margin is not stored, and private values are never written
        is_private = bool(source.private_columns & frozenset(self.grouping.exposed_columns))
        if folder is None or is_private or not self.analyzers:
            return self._summarize(table, len(source.by))
        path = f"{folder}/{uuid.uuid4().hex}"
        if source.by:
            return self._write_segments(table, path, len(source.by))
        return {(): _write_table(table, path, self.grouping.keys, self.needs)}

    def states(
        self, result: Mapping[Segment, Any], segment: Segment, outcomes: Sequence[Outcome]
    ) -> Mapping[Analyzer, State | Problem]:
        """Return the table for every analyzer of it, and a margin for analyzers of one key."""
        table = self._with_margins(result.get(segment), segment, outcomes)
        if isinstance(table, Problem):
            return dict.fromkeys(self.measured, table)
        states: dict[Analyzer, State | Problem] = dict.fromkeys(self.analyzers, table)
        for analyzer, position in self.margins:
            states[analyzer] = _margin(table, position)
        return states

    def _summarize(self, table: DataFrame, by_count: int) -> dict[Segment, FrequencyTable]:
        keys, needs = self.grouping.keys, self.needs
        summaries = summarize(table, keys, needs, [f"b{i}" for i in range(by_count)])
        return {
            segment: FrequencyTable(
                keys,
                (rows_of_segment(table, segment),),
                known_summary=summary,
                needs=needs,
                part=SegmentTable(table, keys, segment) if by_count else None,
            )
            for segment, summary in summaries.items()
        }

    def _write_segments(
        self, table: DataFrame, path: str, by_count: int
    ) -> dict[Segment, FrequencyTable]:
        """Write one folder for each segment, all in one query."""
        from pyspark.sql import functions as F

        keys, needs = self.grouping.keys, self.needs
        names = [f"b{i}" for i in range(by_count)]
        parted = table.withColumn("part", F.expr(f"hex(xxhash64({', '.join(names)}))"))
        parted.repartition("part").write.partitionBy("part").parquet(path)
        written = table.sparkSession.read.schema(parted.schema).parquet(path)
        schema = table.drop(*names).schema.json()
        tables = {}
        for (*segment, part), summary in summarize(written, keys, needs, [*names, "part"]).items():
            file = TableFile(f"{path}/part={part}", schema, groups=file_groups(summary))
            tables[tuple(segment)] = FrequencyTable(keys, (), (file,), summary, needs)
        return tables

    def _with_margins(
        self, table: FrequencyTable | None, segment: Segment, outcomes: Sequence[Outcome]
    ) -> FrequencyTable | Problem:
        """Add the margins to a summary, if other passes counted them."""
        if table is None:  # the table is empty
            return FrequencyTable(self.grouping.keys, known_summary=Summary(), needs=self.needs)
        if table.known_summary is None or not self.singles:
            return table
        summaries = []
        for position in self.singles:
            outcome = outcomes[position]
            if isinstance(outcome, Problem):
                return outcome
            summaries.append(outcome[segment].known_summary or Summary())
        summary = table.known_summary.with_margins(summaries)
        return replace(table, known_summary=summary, needs=replace(self.needs, marginals=True))


def plan_frequency_passes(
    analyzers: Iterable[GroupingAnalyzer],
    schema: Schema,
    *,
    hash_values: bool,
    allow_multiple_reads: bool,
) -> tuple[FrequencyPass, ...]:
    """Plan one pass for each set of columns and selection.

    Mutual information also needs the margins of its table: the counts of each key alone. If the
    data may be read again, each key is counted in a separate pass. This costs less than another
    shuffle of the table. Otherwise the margins are derived from the table, and analyzers of a
    single key read them too.
    """
    groups: dict[Grouping, list[GroupingAnalyzer]] = {}
    for analyzer in analyzers:
        groups.setdefault(analyzer.grouping(schema), []).append(analyzer)
    needs: dict[Grouping, Needs] = {}
    for grouping, group in groups.items():
        for analyzer in group:
            needs[grouping] = needs.get(grouping, Needs()) | analyzer.needs()
    margins: dict[Grouping, list[tuple[GroupingAnalyzer, int]]] = {}
    singles: dict[Grouping, tuple[Grouping, ...]] = {}
    wider: dict[Grouping, list[GroupingAnalyzer]] = {}
    if allow_multiple_reads:
        for grouping, needed in list(needs.items()):
            if needed.marginals:
                needs[grouping] = replace(needed, marginals=False)
                singles[grouping] = tuple(Grouping((k,), grouping.where) for k in grouping.keys)
                groups = {**{single: [] for single in singles[grouping]}, **groups}
                for single in singles[grouping]:
                    with_margins = [
                        analyzer for analyzer in groups[grouping] if analyzer.needs().marginals
                    ]
                    wider.setdefault(single, []).extend(with_margins)
    else:
        for grouping, group in list(groups.items()):
            host = _find_host(grouping, needs)
            if host is not None:
                position = host.keys.index(grouping.keys[0])
                margins.setdefault(host, []).extend((analyzer, position) for analyzer in group)
                del groups[grouping]
    positions = {grouping: i for i, grouping in enumerate(groups)}
    passes = []
    for grouping, group in groups.items():
        needed = needs.get(grouping, Needs())
        passes.append(
            FrequencyPass(
                grouping.hash_values() if hash_values and not needed.values else grouping,
                needed,
                tuple(group),
                margins=tuple(margins.get(grouping, ())),
                singles=tuple(positions[single] for single in singles.get(grouping, ())),
                wider=tuple(wider.get(grouping, ())),
            )
        )
    return tuple(passes)


def _find_host(grouping: Grouping, needs: Mapping[Grouping, Needs]) -> Grouping | None:
    """Return a planned table with margins that contains all that a single key needs."""
    if len(grouping.keys) != 1 or needs[grouping] != Needs():
        return None
    (key,) = grouping.keys
    for other, needed in needs.items():
        if needed.marginals and other.where == grouping.where and key in other.keys:
            return other
    return None


def _margin(table: FrequencyTable, position: int) -> FrequencyTable:
    """Return the table of one key, with the summary that the wider table contains."""
    summary = (
        table.known_summary.marginal(position)
        if table.known_summary and not table.empty
        else Summary()
    )
    return replace(table.margin(position), known_summary=summary)


def _write_table(
    table: DataFrame, path: str, keys: tuple[GroupKey, ...], needs: Needs
) -> FrequencyTable:
    """Write a table and summarize it. Basic counts are observed during the write."""
    from pyspark.sql import Observation

    if needs != Needs():
        stored = FrequencyTable(keys, (), (write_frame(table, path),))
        summary = summarize(stored.frame(), keys, needs).get((), Summary())
        files = tuple(replace(file, groups=file_groups(summary)) for file in stored.files)
        return replace(stored, files=files, known_summary=summary, needs=needs)
    observation = Observation()
    counts = basic_counts([f"k{i}" for i in range(len(keys))])
    file = write_frame(table.observe(observation, *counts), path)
    values = observation.get
    summary = Summary(
        values["rows"], values["groups"], values["singles"], values["x"], values["nulls"]
    )
    return FrequencyTable(keys, (), (replace(file, groups=file_groups(summary)),), summary)
