"""Tables of frequencies as states: DataFrames and files of keys and counts, merged by one shuffle.

A table is written under a name that nobody has seen yet: a writer that dies leaves files that
nothing refers to, never half a table.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.frequencies import Frequencies, Grouping, GroupKey, Key, Needs, Summary
from assay.analyzers.metric import Distribution, Undefined, Value
from assay.analyzers.schema import Column
from assay.analyzers.state import Invertible, State
from assay.engine.groupings import counts, summaries, tabulated
from assay.engine.scan import Segment, segment_of
from assay.engine.session import active_session, local_session
from assay.errors import StateError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = [
    "FrequencyTable",
    "Part",
    "TableFile",
    "collected",
    "collected_together",
    "tables",
    "written",
]

_COLLECT_LIMIT = 100_000
#: of all segments of one table together
_TOGETHER = 1_000_000
#: tables of so few keys, in so few files, are summed up faster in one task than in a shuffle
_SMALL = 250_000
_FEW_FILES = 32


@dataclass(frozen=True, slots=True)
class TableFile:
    """A table on a path that Spark can read, and its schema; a negative one is taken out.

    `groups` is how many keys it has, where that is known.
    """

    path: str
    schema: str
    sign: int = 1
    groups: int | None = None


@dataclass(frozen=True)
class Part:
    """Of which table a segment's is a part; or the margin of it at one position of the keys."""

    whole: DataFrame
    keys: tuple[GroupKey, ...]
    segment: Segment
    position: int | None = None


@dataclass(frozen=True)
class FrequencyTable(Invertible):
    """A table of frequencies as DataFrames and files of keys and counts; lazy.

    Adding tables only notes them down: any number of them is summed up by one union and one
    shuffle. Taking one out is adding its negative.
    """

    keys: tuple[GroupKey, ...]
    frames: tuple[DataFrame, ...] = ()
    files: tuple[TableFile, ...] = ()
    known: Summary | None = field(default=None, compare=False)
    needs: Needs = field(default=Needs(), compare=False)
    part: Part | None = field(default=None, compare=False)

    @classmethod
    def identity(cls) -> FrequencyTable:
        """The table of no rows."""
        return cls(())

    @classmethod
    def merged(cls, states: Iterable[FrequencyTable]) -> FrequencyTable:
        """All of these as one: still one union and one shuffle."""
        full = [state for state in states if not state.empty]
        if len(full) < 2:
            return full[0] if full else cls.identity()
        if len({state.keys for state in full}) > 1:
            full = [state.hash_values() for state in full]
        frames = tuple(frame for state in full for frame in state.frames)
        return cls(full[0].keys, frames, tuple(file for state in full for file in state.files))

    @property
    def empty(self) -> bool:
        """Whether nothing was noted down."""
        return not self.frames and not self.files

    def __add__(self, other: FrequencyTable) -> FrequencyTable:
        return FrequencyTable.merged((self, other))

    def __sub__(self, other: FrequencyTable) -> FrequencyTable:
        frames = tuple(_negative(frame) for frame in other.frames)
        files = tuple(replace(file, sign=-file.sign) for file in other.files)
        return self + FrequencyTable(other.keys, frames, files)

    def hash_values(self) -> FrequencyTable:
        """The same table by hashes: what merges with tables that know no values."""
        from pyspark.sql import functions as F

        hidden = tuple(key.hash_values() for key in self.keys)
        if hidden == self.keys:
            return self
        columns = [
            F.expr(f"if(k{i} IS NULL, NULL, xxhash64(k{i}))").alias(f"k{i}")
            if now.hidden != before.hidden
            else F.col(f"k{i}")
            for i, (before, now) in enumerate(zip(self.keys, hidden, strict=True))
        ]
        return FrequencyTable(
            hidden, tuple(frame.select(*columns, "n") for frame in self._sources())
        )

    def margin(self, position: int) -> FrequencyTable:
        """The table of one of the keys alone."""
        from pyspark.sql import functions as F

        key = (self.keys[position],)
        if self.empty:
            return FrequencyTable(key)
        alone = self.frame().groupBy(F.col(f"k{position}").alias("k0"))
        part = None if self.part is None else replace(self.part, position=position)
        return FrequencyTable(key, (alone.agg(F.sum("n").alias("n")),), part=part)

    def frame(self) -> DataFrame:
        """Keys ``k0, k1, …`` and their count ``n``, each key once."""
        from pyspark.sql import functions as F

        if self.empty:
            raise StateError("an empty table of frequencies has no DataFrame.")
        sources = self._sources()
        if len(self.frames) + len(self.files) == 1:
            return sources[0]
        union = reduce(lambda a, b: a.unionAll(b), sources)
        if self._small():
            union = union.coalesce(1)
        names = [f"k{i}" for i in range(len(self.keys))]
        return union.groupBy(*names).agg(F.sum("n").alias("n")).where("n <> 0")

    def _small(self) -> bool:
        groups = [_SMALL if file.groups is None else file.groups for file in self.files]
        return not self.frames and len(groups) <= _FEW_FILES and sum(groups) < _SMALL

    def summary(self, needs: Needs) -> Summary:
        """Sum it up: one job, or none where it is known already."""
        if self.empty:
            return Summary()
        if self.known is not None and needs | self.needs == self.needs:
            return self.known
        if needs.values and any(key.hidden for key in self.keys):
            raise StateError("only hashes were remembered, and this needs the values.")
        return summaries(self.frame(), self.keys, needs).get((), Summary())

    def summed_up(self, needs: Needs) -> FrequencyTable:
        """The same table, whose summary is known: one job, or none."""
        if self.known is not None and needs | self.needs == self.needs:
            return self
        return replace(self, known=self.summary(needs), needs=needs)

    def metric(self) -> Value | Undefined:
        """The ten most frequent values: one job."""
        summary = self.summary(Needs(top=10))
        head = dict(summary.top)
        rest = summary.rows - sum(head.values())
        return Distribution(head, other=rest, nulls=summary.nulls, groups=summary.groups)

    def collect(self, limit: int = _COLLECT_LIMIT) -> Frequencies:
        """The table on the driver; refused where it has more than `limit` keys."""
        from pyspark.sql import functions as F

        if self.empty:
            return Frequencies.identity()
        labels = [F.expr(key.label.format(f"k{i}")) for i, key in enumerate(self.keys)]
        rows = self.frame().select(*labels, "n").limit(limit + 1).collect()
        if len(rows) > limit:
            raise StateError.too_large(limit)
        return Frequencies({tuple(row[:-1]): row[-1] for row in rows})

    def to_bytes(self) -> bytes:
        """The binary form of a table small enough for the driver."""
        return self.collect().to_bytes()

    def _sources(self) -> list[DataFrame]:
        """The frames, and all files of one kind as one frame: plans stay small."""
        from pyspark.sql.types import StructType

        sources = list(self.frames)
        kinds = dict.fromkeys((file.schema, file.sign) for file in self.files)
        for schema, sign in kinds:
            paths = [f.path for f in self.files if (f.schema, f.sign) == (schema, sign)]
            session = active_session() or local_session()
            struct = StructType.fromJson(json.loads(schema))
            # a segment that the selection left without a row has a key of no rows
            frame = session.read.schema(struct).parquet(*paths).where("n <> 0")
            sources.append(frame if sign > 0 else _negative(frame))
        return sources


def tables(
    df: DataFrame,
    grouping: Grouping,
    needs: Needs,
    by: Sequence[Column] = (),
    keep: str | None = None,
) -> dict[Segment, FrequencyTable]:
    """The table of every segment, summed up.

    One query over the data; where tables are to be kept under a path, it writes them there first,
    and the summary is taken from what was written.
    """
    table = tabulated(df, grouping, by)
    names = [f"b{i}" for i in range(len(by))]
    if keep is None:
        found = summaries(table, grouping.keys, needs, names)
        return {
            segment: FrequencyTable(
                grouping.keys,
                (_part(table, segment),),
                known=summary,
                needs=needs,
                part=Part(table, grouping.keys, segment) if by else None,
            )
            for segment, summary in found.items()
        }
    path = f"{keep}/{uuid.uuid4().hex}"
    if not by:
        return {(): _kept(table, path, grouping.keys, needs)}
    from pyspark.sql import functions as F

    parted = table.withColumn("part", F.expr(f"hex(xxhash64({', '.join(names)}))"))
    parted.repartition("part").write.partitionBy("part").parquet(path)
    read = df.sparkSession.read.schema(parted.schema).parquet(path)
    schema = table.drop(*names).schema.json()
    return {
        segment: FrequencyTable(
            grouping.keys,
            (),
            (TableFile(f"{path}/part={part}", schema, groups=_groups(summary)),),
            summary,
            needs,
        )
        for (*segment_values, part), summary in summaries(
            read, grouping.keys, needs, [*names, "part"]
        ).items()
        for segment in [tuple(segment_values)]
    }


def _kept(table: DataFrame, path: str, keys: tuple[GroupKey, ...], needs: Needs) -> FrequencyTable:
    """A table written, and its summary: the basic counts are seen on the way into the file."""
    from pyspark.sql import Observation

    if needs != Needs():
        kept = FrequencyTable(keys, (), (_write(table, path),))
        summary = summaries(kept.frame(), keys, needs).get((), Summary())
        files = tuple(replace(file, groups=_groups(summary)) for file in kept.files)
        return replace(kept, files=files, known=summary, needs=needs)
    seen = Observation()
    file = _write(table.observe(seen, *counts([f"k{i}" for i in range(len(keys))])), path)
    found = seen.get
    summary = Summary(found["rows"], found["groups"], found["singles"], found["x"], found["nulls"])
    return FrequencyTable(keys, (), (replace(file, groups=_groups(summary)),), summary)


def _groups(summary: Summary) -> int:
    return summary.groups + bool(summary.nulls)


def collected(states: Mapping[Analyzer, State]) -> dict[Analyzer, State]:
    """The same states, tables of frequencies on the driver, each collected once."""
    done: dict[int, State] = {}
    for state in states.values():
        if isinstance(state, FrequencyTable) and id(state) not in done:
            done[id(state)] = state.collect()
    return {analyzer: done.get(id(state), state) for analyzer, state in states.items()}


def collected_together(
    measured: Sequence[Mapping[Analyzer, State]], most: int = _TOGETHER
) -> list[dict[Analyzer, State]]:
    """The states of segments, tables of frequencies on the driver: one job for each grouping.

    The tables of a grouping that has more than `most` keys in all segments stay where they are.
    """
    every = [state for states in measured for state in states.values()]
    parts = [each for each in every if isinstance(each, FrequencyTable) and each.part is not None]
    wholes = {id(each.part.whole): each.part for each in parts if each.part is not None}
    found = {own: _by_segment(part, most) for own, part in wholes.items()}
    together: dict[int, State] = {}
    for each in parts:
        if each.part is None or id(each) in together:
            continue
        segments = found[id(each.part.whole)]
        if segments is not None:
            own, at = Frequencies(segments.get(each.part.segment, {})), each.part.position
            together[id(each)] = own if at is None else own.margin(at)
    return [
        {analyzer: together.get(id(state), state) for analyzer, state in states.items()}
        for states in measured
    ]


def _by_segment(part: Part, most: int) -> dict[Segment, dict[Key, int]] | None:
    """The tables of all segments, if they are not too large together."""
    from pyspark.sql import functions as F

    segments = [f"b{i}" for i in range(len(part.segment))]
    labels = [F.expr(key.label.format(f"k{i}")) for i, key in enumerate(part.keys)]
    rows = part.whole.where("n <> 0").select(*segments, *labels, "n").limit(most + 1).collect()
    if len(rows) > most:
        return None
    found: dict[Segment, dict[Key, int]] = {}
    for row in rows:
        segment = segment_of(row[: len(segments)])
        found.setdefault(segment, {})[tuple(row[len(segments) : -1])] = row[-1]
    return found


def written(table: FrequencyTable, root: str) -> FrequencyTable:
    """The same table in one file of its own under a path."""
    file = _write(table.frame(), f"{root}/{uuid.uuid4().hex}")
    groups = None if table.known is None else _groups(table.known)
    return replace(table, frames=(), files=(replace(file, groups=groups),), part=None)


def _write(frame: DataFrame, path: str) -> TableFile:
    frame.write.parquet(path)
    return TableFile(path, frame.schema.json())


def _negative(frame: DataFrame) -> DataFrame:
    return frame.withColumn("n", -frame["n"])


def _part(table: DataFrame, segment: Segment) -> DataFrame:
    """The part of a table that belongs to one segment, as a table of its own."""
    from pyspark.sql import functions as F

    for i, value in enumerate(segment):
        table = table.where(F.col(f"b{i}").eqNullSafe(F.lit(value)))
    return table.where("n <> 0").drop(*(f"b{i}" for i in range(len(segment)))) if segment else table
