"""Frequency tables as states: DataFrames and files of keys and counts, merged by one shuffle.

A table is written under a new random name. A writer that dies leaves files that nothing refers to,
and never half a table.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.frequencies import Frequencies, GroupKey, Key, Needs, Summary
from assay.analyzers.metric import Distribution, Undefined, Value
from assay.analyzers.state import Invertible, State
from assay.engine.frame import Segment, segment_of
from assay.engine.frequency_query import summarize
from assay.engine.session import active_session, local_session
from assay.errors import StateError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = [
    "FrequencyTable",
    "SegmentTable",
    "TableFile",
    "collect_segments",
    "collect_tables",
    "file_groups",
    "rows_of_segment",
    "write_frame",
    "write_table",
]

#: keys of one table that are brought to the driver
_MAX_COLLECTED_KEYS = 100_000
#: keys of one table in all segments that are brought to the driver
_MAX_SEGMENT_KEYS = 1_000_000
#: tables below both limits are summed in one task, which is faster than a shuffle
_MAX_KEYS_IN_ONE_TASK = 250_000
_MAX_FILES_IN_ONE_TASK = 32


@dataclass(frozen=True, slots=True)
class TableFile:
    """A frequency table on a path that Spark can read.

    Parameters
    ----------
    path
        The folder of the files.
    schema
        The schema as JSON.
    sign
        1, or -1 if the counts are subtracted.
    groups
        The number of keys, if it is known.
    """

    path: str
    schema: str
    sign: int = 1
    groups: int | None = None


@dataclass(frozen=True)
class SegmentTable:
    """The table of all segments that contains the table of one segment.

    With a `position`, it is the margin of the key at this position.
    """

    all_segments: DataFrame
    keys: tuple[GroupKey, ...]
    segment: Segment
    position: int | None = None


@dataclass(frozen=True)
class FrequencyTable(Invertible):
    """A lazy frequency table: DataFrames and files of keys and counts.

    Adding tables only records them. Any number of tables is summed by one union and one shuffle.
    Subtracting a table adds its negative counts.
    """

    keys: tuple[GroupKey, ...]
    frames: tuple[DataFrame, ...] = ()
    files: tuple[TableFile, ...] = ()
    known_summary: Summary | None = field(default=None, compare=False)
    needs: Needs = field(default=Needs(), compare=False)
    part: SegmentTable | None = field(default=None, compare=False)

    @classmethod
    def identity(cls) -> FrequencyTable:
        """Return the table of no rows."""
        return cls(())

    @classmethod
    def merged(cls, states: Iterable[FrequencyTable]) -> FrequencyTable:
        """Merge all tables. They are summed by one union and one shuffle.

        Raises
        ------
        StateError
            If a column has another name or type in some tables (``columns_changed``).
        """
        full = [state for state in states if not state.empty]
        if len(full) < 2:
            return full[0] if full else cls.identity()
        if not _have_same_keys(full):
            full = [state.hash_values() for state in full]
        if not _have_same_keys(full):
            raise StateError.columns_changed([key.name for key in full[0].keys])
        frames = tuple(frame for state in full for frame in state.frames)
        return cls(full[0].keys, frames, tuple(file for state in full for file in state.files))

    @property
    def empty(self) -> bool:
        """Return whether the table has neither frames nor files."""
        return not self.frames and not self.files

    def __add__(self, other: FrequencyTable) -> FrequencyTable:
        return FrequencyTable.merged((self, other))

    def __sub__(self, other: FrequencyTable) -> FrequencyTable:
        frames = tuple(_negative(frame) for frame in other.frames)
        files = tuple(replace(file, sign=-file.sign) for file in other.files)
        return self + FrequencyTable(other.keys, frames, files)

    def hash_values(self) -> FrequencyTable:
        """Replace values by hashes, so that the table merges with one that has only hashes."""
        from pyspark.sql import functions as F

        hashed_keys = tuple(key.hash_values() for key in self.keys)
        if hashed_keys == self.keys:
            return self
        columns = [
            F.expr(f"if(k{i} IS NULL, NULL, xxhash64(k{i}))").alias(f"k{i}")
            if now.hidden != before.hidden
            else F.col(f"k{i}")
            for i, (before, now) in enumerate(zip(self.keys, hashed_keys, strict=True))
        ]
        return FrequencyTable(
            hashed_keys, tuple(frame.select(*columns, "n") for frame in self._sources())
        )

    def margin(self, position: int) -> FrequencyTable:
        """Return the table of the key at this position."""
        from pyspark.sql import functions as F

        key = (self.keys[position],)
        if self.empty:
            return FrequencyTable(key)
        alone = self.frame().groupBy(F.col(f"k{position}").alias("k0"))
        part = None if self.part is None else replace(self.part, position=position)
        return FrequencyTable(key, (alone.agg(F.sum("n").alias("n")),), part=part)

    def frame(self) -> DataFrame:
        """Return the keys ``k0, k1, …`` and their count ``n``, each key once."""
        from pyspark.sql import functions as F

        if self.empty:
            raise StateError("an empty table of frequencies has no DataFrame.")
        sources = self._sources()
        if len(self.frames) + len(self.files) == 1:
            return sources[0]
        union = reduce(lambda a, b: a.unionAll(b), sources)
        if self._fits_one_task():
            union = union.coalesce(1)
        names = [f"k{i}" for i in range(len(self.keys))]
        return union.groupBy(*names).agg(F.sum("n").alias("n")).where("n <> 0")

    def _fits_one_task(self) -> bool:
        limit = _MAX_KEYS_IN_ONE_TASK
        key_counts = [limit if file.groups is None else file.groups for file in self.files]
        few_files = len(key_counts) <= _MAX_FILES_IN_ONE_TASK
        return not self.frames and few_files and sum(key_counts) < limit

    def summary(self, needs: Needs) -> Summary:
        """Summarize the table: one job, or none if it has its summary."""
        if self.empty:
            return Summary()
        if self.known_summary is not None and needs | self.needs == self.needs:
            return self.known_summary
        if needs.values and any(key.hidden for key in self.keys):
            raise StateError.values_hashed()
        return summarize(self.frame(), self.keys, needs).get((), Summary())

    def with_summary(self, needs: Needs) -> FrequencyTable:
        """Return the table with its summary: one job, or none."""
        if self.known_summary is not None and needs | self.needs == self.needs:
            return self
        return replace(self, known_summary=self.summary(needs), needs=needs)

    def metric(self) -> Value | Undefined:
        """Return the ten most frequent values: one job."""
        summary = self.summary(Needs(top=10))
        top = dict(summary.top)
        other = summary.rows - sum(top.values())
        return Distribution(top, other=other, nulls=summary.nulls, groups=summary.groups)

    def collect(self, limit: int = _MAX_COLLECTED_KEYS) -> Frequencies:
        """Bring the table to the driver. It is an error if it has more than `limit` keys."""
        from pyspark.sql import functions as F

        if self.empty:
            return Frequencies.identity()
        labels = [F.expr(key.label.format(f"k{i}")) for i, key in enumerate(self.keys)]
        rows = self.frame().select(*labels, "n").limit(limit + 1).collect()
        if len(rows) > limit:
            raise StateError.too_large(limit)
        return Frequencies({tuple(row[:-1]): row[-1] for row in rows})

    def to_bytes(self) -> bytes:
        """Return the binary form of a table that is small enough for the driver."""
        return self.collect().to_bytes()

    def _sources(self) -> list[DataFrame]:
        """Return the frames, and all files of one kind as one frame, to keep plans small."""
        from pyspark.sql.types import StructType

        sources = list(self.frames)
        kinds = dict.fromkeys((file.schema, file.sign) for file in self.files)
        for schema, sign in kinds:
            paths = [f.path for f in self.files if (f.schema, f.sign) == (schema, sign)]
            session = active_session() or local_session()
            struct = StructType.fromJson(json.loads(schema))
            # a segment without rows in the selection has a key with count 0
            frame = session.read.schema(struct).parquet(*paths).where("n <> 0")
            sources.append(frame if sign > 0 else _negative(frame))
        return sources


def file_groups(summary: Summary) -> int:
    """Return the number of keys that a stored table has."""
    return summary.groups + bool(summary.nulls)


def collect_tables(states: Mapping[Analyzer, State]) -> dict[Analyzer, State]:
    """Bring all frequency tables to the driver, each once. Other states stay as they are."""
    collected: dict[int, State] = {}
    for state in states.values():
        if isinstance(state, FrequencyTable) and id(state) not in collected:
            collected[id(state)] = state.collect()
    return {analyzer: collected.get(id(state), state) for analyzer, state in states.items()}


def collect_segments(
    segments: Sequence[Mapping[Analyzer, State]], most: int = _MAX_SEGMENT_KEYS
) -> list[dict[Analyzer, State]]:
    """Bring the frequency tables of segments to the driver: one job for each grouping.

    The tables of a grouping stay in Spark if it has more than `most` keys in all segments.
    """
    tables = [
        state
        for states in segments
        for state in states.values()
        if isinstance(state, FrequencyTable) and state.part is not None
    ]
    parts = {id(table.part.all_segments): table.part for table in tables if table.part is not None}
    by_grouping = {identity: _collect_segments(part, most) for identity, part in parts.items()}
    collected: dict[int, State] = {}
    for table in tables:
        if table.part is None or id(table) in collected:
            continue
        by_segment = by_grouping[id(table.part.all_segments)]
        if by_segment is not None:
            frequencies = Frequencies(by_segment.get(table.part.segment, {}))
            position = table.part.position
            collected[id(table)] = frequencies if position is None else frequencies.margin(position)
    return [
        {analyzer: collected.get(id(state), state) for analyzer, state in states.items()}
        for states in segments
    ]


def _collect_segments(part: SegmentTable, most: int) -> dict[Segment, dict[Key, int]] | None:
    """Return the tables of all segments, or None if they are too large."""
    from pyspark.sql import functions as F

    names = [f"b{i}" for i in range(len(part.segment))]
    labels = [F.expr(key.label.format(f"k{i}")) for i, key in enumerate(part.keys)]
    nonzero = part.all_segments.where("n <> 0")
    rows = nonzero.select(*names, *labels, "n").limit(most + 1).collect()
    if len(rows) > most:
        return None
    tables: dict[Segment, dict[Key, int]] = {}
    for row in rows:
        segment = segment_of(row[: len(names)])
        tables.setdefault(segment, {})[tuple(row[len(names) : -1])] = row[-1]
    return tables


def write_table(table: FrequencyTable, root: str) -> FrequencyTable:
    """Write a table as one file under a path."""
    file = write_frame(table.frame(), f"{root}/{uuid.uuid4().hex}")
    groups = None if table.known_summary is None else file_groups(table.known_summary)
    return replace(table, frames=(), files=(replace(file, groups=groups),), part=None)


def write_frame(frame: DataFrame, path: str) -> TableFile:
    """Write the rows of a table to a path."""
    frame.write.parquet(path)
    return TableFile(path, frame.schema.json())


def rows_of_segment(table: DataFrame, segment: Segment) -> DataFrame:
    """Return the rows of one segment from the table of all segments."""
    from pyspark.sql import functions as F

    if not segment:
        return table
    for i, value in enumerate(segment):
        table = table.where(F.col(f"b{i}").eqNullSafe(F.lit(value)))
    return table.where("n <> 0").drop(*(f"b{i}" for i in range(len(segment))))


def _have_same_keys(tables: Sequence[FrequencyTable]) -> bool:
    first = tables[0].keys
    return all(
        len(table.keys) == len(first) and all(map(GroupKey.is_like, table.keys, first))
        for table in tables
    )


def _negative(frame: DataFrame) -> DataFrame:
    return frame.withColumn("n", -frame["n"])
