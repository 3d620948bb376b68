"""The index as a Spark job: each column says what it has, executors add it up (section 2.4).

What is shuffled are indexes in their binary form, one for each range of hashes: millions of
patterns as some hundred rows. Impurities are whole numbers, so that the index is the same bit for
bit however the columns are spread. The executors run this package: it has to be installed there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from assay.errors import CheckError
from assay.learn.patterns.arguments import require_kind
from assay.learn.patterns.evidence import Enumeration, Evidence, evidence
from assay.learn.patterns.file_columns import cut_texts
from assay.learn.patterns.hierarchy import HIERARCHIES, Hierarchy, know
from assay.learn.patterns.index import IndexAccumulator, PatternIndex

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["COLUMNS", "Gathered", "build_index_of_columns", "gathered", "spread"]

#: what readers give: values of a column, or that a table was read, or why not (`problem`)
COLUMNS = "table string, column string, values array<string>, problem string"
#: the index of one range of hashes; or, without a range, what is noted of a table
_FOUND = "part int, index binary, table string, columns bigint, problem string"
#: patterns of columns that are added up at once
_AT_ONCE = 200_000
#: values of a column that are looked at
_VALUES = 10_000

Wanted = Callable[[Mapping[str, int]], bool]


def build_index_of_columns(
    columns: DataFrame, enumeration: Enumeration | None = None
) -> PatternIndex:
    """The index of columns, one a row: (table string, column string, values array<string>).

    Every row is a column of the lake, with patterns or without; nulls are no values. Of a column of
    more than 10,000 values, so many are taken, spread evenly.
    """
    kind = dict(columns.dtypes).get("values", "missing")
    if kind.partition(" collate ")[0].removesuffix(">") != "array<string":
        raise CheckError(f"values are array<string>, and they are {kind} here: cast them first.")
    require_kind("enumeration", enumeration, Enumeration)
    named = columns.selectExpr(
        "string(table) AS table",
        # a row without a column's name would be the note that a table was read
        "coalesce(string(column), '') AS column",
        # every so many-th, and of no more rows than that all
        f"CASE WHEN size(values) > {_VALUES} THEN transform(sequence(0, {_VALUES - 1}),"
        f" i -> values[int(i * bigint(size(values)) div {_VALUES})]) ELSE values END AS values",
        "string(NULL) AS problem",
    )
    return gathered(spread(named), enumeration or Enumeration()).index


@dataclass(frozen=True)
class Gathered:
    """An index, the tables that were read for it, and what was wrong with others."""

    index: PatternIndex
    tables: Collection[str]
    problems: Mapping[str, str]


def spread(columns: DataFrame) -> DataFrame:
    """Columns evenly over the executors: some of them have a thousand times the patterns."""
    return columns.repartition(_partitions(columns.sparkSession), "table", "column")


def gathered(
    columns: DataFrame, enumeration: Enumeration, *, wanted: Wanted | None = None
) -> Gathered:
    """The index of the columns that are wanted, in one job; `columns` are as `COLUMNS` says."""
    parts = _partitions(columns.sparkSession)
    found = (
        columns.mapInArrow(_found(enumeration, wanted, parts), _FOUND)
        .repartition(parts, "part")
        .mapInArrow(_added(enumeration), _FOUND)
        .toArrow()
    )
    pile = IndexAccumulator(PatternIndex.empty(enumeration))
    columns_of: Counter[str] = Counter()
    problems: dict[str, str] = {}
    for _, index, table, number, problem in zip(
        *(each.to_pylist() for each in found.columns), strict=True
    ):
        if index is not None:
            pile.add(PatternIndex.from_bytes(index))
            continue
        columns_of[table] += number
        if problem is not None:
            problems[table] = problem
    whole = replace(
        pile.total(),
        tables=sum(1 for number in columns_of.values() if number),
        columns=columns_of.total(),
    )
    return Gathered(whole, columns_of.keys() - problems.keys(), problems)


def _partitions(spark: SparkSession) -> int:
    """As many as the session shuffles into: Connect has no context to ask for its cores."""
    return max(int(spark.conf.get("spark.sql.shuffle.partitions") or 1), 1)


def _found(
    enumeration: Enumeration, wanted: Wanted | None, parts: int
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What executors run: from columns to the index of them all."""
    hierarchy = _travelling(enumeration)

    def found(batches: Iterator[Any]) -> Iterator[Any]:
        know(hierarchy)
        pile = IndexAccumulator(PatternIndex.empty(enumeration))
        said: list[Evidence] = []
        patterns = 0
        texts: set[int] = set()
        notes: Counter[tuple[str | None, str | None]] = Counter()
        for batch in batches:
            every = zip(*(batch.column(name) for name in batch.schema.names), strict=True)
            for table, column, values, problem in every:
                note = table.as_py(), problem.as_py()
                notes[note] += 0
                counts = _counted(values) if column.is_valid else {}
                if not column.is_valid or (wanted is not None and not wanted(counts)):
                    continue
                notes[note] += 1
                said.append(evidence(counts, enumeration, known=texts))
                texts.update(said[-1].texts)
                patterns += len(said[-1].keys)
                if patterns >= _AT_ONCE:
                    pile.add(PatternIndex.of(said, enumeration))
                    said, patterns = [], 0
        pile.add(PatternIndex.of(said, enumeration))
        yield from _rows(pile, parts)
        tables, problems = zip(*notes, strict=True) if notes else ((), ())
        yield _batch([None] * len(notes), [None] * len(notes), tables, notes.values(), problems)

    return found


def _added(enumeration: Enumeration) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What executors run then: the indexes of a range as one."""
    hierarchy = _travelling(enumeration)

    def added(batches: Iterator[Any]) -> Iterator[Any]:
        know(hierarchy)
        piles: dict[int, IndexAccumulator] = {}
        for batch in batches:
            notes = batch.filter(batch.column("part").is_null())
            if notes.num_rows:
                yield notes
            for part, index in zip(batch.column("part"), batch.column("index"), strict=True):
                if part.is_valid:
                    pile = piles.setdefault(
                        part.as_py(), IndexAccumulator(PatternIndex.empty(enumeration))
                    )
                    pile.add(PatternIndex.from_bytes(index.as_buffer()))
        for part, pile in piles.items():
            yield _batch([part], [pile.total().to_bytes()], [None], [None], [None])

    return added


def _travelling(enumeration: Enumeration) -> Hierarchy:
    """The hierarchy itself, for its name may mean nothing to executors; without what it keeps."""
    return replace(HIERARCHIES[enumeration.hierarchy], _known={})


def _counted(values: Any) -> dict[str, int]:
    """Rows by value. Values too long for a shape are cut, so long that they still have none."""
    import pyarrow.compute as pc

    if not values.is_valid or not len(values.values):
        return {}
    counted = pc.value_counts(cut_texts(values.values))
    return dict(
        zip(counted.field("values").to_pylist(), counted.field("counts").to_pylist(), strict=True)
    )


def _rows(pile: IndexAccumulator, parts: int) -> Iterator[Any]:
    for part, index in enumerate(pile.total().split(parts)):
        if len(index.sums.keys):
            yield _batch([part], [index.to_bytes()], [None], [None], [None])


def _batch(*columns: Iterable[Any]) -> Any:
    import pyarrow as pa

    kinds = (pa.int32(), pa.binary(), pa.string(), pa.int64(), pa.string())
    names = [each.split()[0] for each in _FOUND.split(", ")]
    arrays = [pa.array(list(each), kind) for each, kind in zip(columns, kinds, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, names)
