"""Frequent items: values, shapes and nulls that occur together, counted in a few kilobytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from assay.analyzers.aggregate_expr import (
    AggregateExpr,
    check_positive,
    filtered,
    reads,
    sql_string,
)
from assay.analyzers.analyzer import COLUMN, ScanAnalyzer
from assay.analyzers.hashing import hashed, key_of, label_of
from assay.analyzers.literal import render_name
from assay.analyzers.metric import Distribution, Undefined, Value
from assay.analyzers.schema import GROUPABLE, NUMERIC, TEMPORAL, TEXT, Schema
from assay.analyzers.sketches import Sketch

__all__ = [
    "CUT",
    "ITEMS",
    "Frequent",
    "MostFrequentRatio",
    "NullSignature",
    "ShapeProfile",
    "TopK",
    "ValueProfile",
]

#: so many items are kept, or somewhat fewer
ITEMS = 1000
#: longer values are cut to this where many are kept
CUT = 200
#: kinds of values that are never long
_SHORT = NUMERIC | TEMPORAL | {"boolean"}

_NO_VALUES = Undefined("there are no values")


@dataclass(frozen=True, slots=True)
class Frequent(Sketch):
    """Frequent items: exact up to some 750 different values, estimates of the heaviest beyond."""

    kind: ClassVar[str] = "frequent"

    @classmethod
    def of(cls, data: bytes) -> Frequent:
        """The sketch alone: some versions of Spark append a count of nulls to it."""
        return cls(cls._unite([data]) if data else b"")

    @classmethod
    def _unite(cls, sketches: Sequence[bytes]) -> bytes:
        import datasketches

        first = datasketches.frequent_strings_sketch.deserialize(sketches[0])
        for data in sketches[1:]:
            first.merge(datasketches.frequent_strings_sketch.deserialize(data))
        return bytes(first.serialize())

    def top(self, k: int) -> Distribution:
        """The most frequent items with their estimated counts."""
        if not self.data:
            return Distribution({}, groups=0)
        total, found = self._items()
        items = sorted(((item, count) for item, count, _, _ in found), key=lambda i: (-i[1], i[0]))
        head = dict(items[:k])
        return Distribution(head, other=max(0, total - sum(head.values())))

    def known(self) -> Distribution:
        """All items that are kept, with counts that none of them falls short of.

        Where there were no more than are kept, the counts are exact and `groups` is their number.
        """
        if not self.data:
            return Distribution({}, groups=0)
        total, found = self._items()
        counts = {item: least for item, _, least, _ in sorted(found) if least}
        rest = total - sum(counts.values())
        return Distribution(counts, other=rest, groups=None if rest else len(counts))

    def _items(self) -> tuple[int, list[tuple[str, int, int, int]]]:
        """The rows counted; the items with their estimates and the bounds of these."""
        import datasketches

        sketch = datasketches.frequent_strings_sketch.deserialize(self.data)
        kind = datasketches.frequent_items_error_type.NO_FALSE_NEGATIVES
        return int(sketch.total_weight), sketch.get_frequent_items(kind)

    def metric(self) -> Value | Undefined:
        """The ten most frequent items."""
        return self.top(10)


@dataclass(frozen=True)
class _FrequentAnalyzer(ScanAnalyzer[Frequent]):
    abstract: ClassVar[bool] = True

    column: str = field(metadata=COLUMN)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """One sketch of items as text."""
        column = schema.column(self.column).require(GROUPABLE, type(self).__name__)
        item = filtered(label_of(key_of(column), column), self.where)
        return (_frequent_leaf(item, reads(schema, self.where, column)),)

    def state(self, values: Sequence[Any], schema: Schema) -> Frequent:
        """The sketch."""
        return Frequent.of(bytes(values[0] or b""))


@dataclass(frozen=True)
class TopK(_FrequentAnalyzer):
    """The `k` most frequent values with their counts."""

    k: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("k", self.k)

    def metric(self, state: Frequent) -> Value | Undefined:
        """The head."""
        return state.top(self.k)


@dataclass(frozen=True)
class MostFrequentRatio(_FrequentAnalyzer):
    """The share of the most frequent value among the values (novelty-edbt21, section 4)."""

    def metric(self, state: Frequent) -> Value | Undefined:
        """``count of the most frequent / values``."""
        head = state.top(1)
        return head.ratio(head.top) if head.top is not None else _NO_VALUES


@dataclass(frozen=True)
class ValueProfile(_FrequentAnalyzer):
    """The values, or of many the most frequent, for comparing one batch with another.

    Strings are cut to 200 characters. Where they are `hidden`, hashes stand for values.
    """

    hidden: bool = False

    def exposed_columns(self, schema: Schema) -> frozenset[str]:
        """Return the column, unless its values are hashed."""
        return frozenset() if self.hidden else super().exposed_columns(schema)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """One sketch of items as text."""
        column = schema.column(self.column).require(GROUPABLE, "ValueProfile")
        if self.hidden:
            item = f"hex({hashed(column)})"
        else:
            item = label_of(key_of(column), column)
            item = item if column.family in _SHORT else f"left({item}, {CUT})"
        item = filtered(item, self.where)
        return (_frequent_leaf(item, reads(schema, self.where, column)),)


@dataclass(frozen=True)
class NullSignature(ScanAnalyzer[Frequent]):
    """Which columns are null together: their names, in order, as `read_names` reads them.

    More than 200 characters of them are cut, and told apart by a hash.
    """

    exposes_values: ClassVar[bool] = False

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """One sketch of signatures."""
        columns = schema.columns
        named = (
            f"CASE WHEN {column.sql} IS NULL THEN {sql_string(render_name(column.name))} END"
            for column in columns
        )
        # a lambda, so that the long text is made once for each row
        item = (
            f"element_at(transform(array(concat_ws(',', {', '.join(named)})), s -> CASE WHEN"
            f" length(s) <= {CUT} THEN s ELSE concat(left(s, {CUT}), '…', hex(xxhash64(s))) END),"
            " 1)"
        )
        item = filtered(item, self.where)
        return (_frequent_leaf(item, reads(schema, self.where, *columns)),)

    def state(self, values: Sequence[Any], schema: Schema) -> Frequent:
        """The sketch."""
        return Frequent.of(bytes(values[0] or b""))


@dataclass(frozen=True)
class ShapeProfile(_FrequentAnalyzer):
    """The most frequent coarse shapes of strings: runs of digits become ``9``, of letters ``a``/``A``.

    ``"AB-1234"`` has the shape ``"A-9"``, ``"en-gb"`` the shape ``"a-a"``.
    """  # noqa: E501

    k: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("k", self.k)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """One sketch of shapes."""
        column = schema.column(self.column).require(TEXT, "ShapeProfile")
        shape = column.plain
        for run, sign in (
            (r"\\p{Nd}+", "9"),
            (r"[\\p{Lu}\\p{Lt}]+", "A"),
            (r"[\\p{L}&&[^A]]+", "a"),
        ):
            shape = f"regexp_replace({shape}, '{run}', '{sign}')"
        return (_frequent_leaf(filtered(shape, self.where), reads(schema, self.where, column)),)

    def metric(self, state: Frequent) -> Value | Undefined:
        """The head."""
        return state.top(self.k)


def _frequent_leaf(item: str, columns: tuple[str, ...]) -> AggregateExpr:
    return AggregateExpr(f"approx_top_k_accumulate({item}, {ITEMS}).sketch", columns, sketch=True)
