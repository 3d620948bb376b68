"""The most frequent values or shapes of a column, counted in a few kilobytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from assay.analyzers.aggregate_expr import (
    AggregateExpr,
    check_positive,
    filtered,
    reads,
)
from assay.analyzers.analyzer import COLUMN, ScanAnalyzer
from assay.analyzers.hashing import key_of, label_of
from assay.analyzers.metric import Distribution, Undefined, Value
from assay.analyzers.schema import GROUPABLE, TEXT, Schema
from assay.analyzers.sketches import Sketch

__all__ = [
    "ITEMS",
    "Frequent",
    "FrequentAnalyzer",
    "MostFrequentRatio",
    "ShapeProfile",
    "TopK",
    "frequent_expr",
]

#: items that a sketch keeps at most
ITEMS = 1000
_NO_VALUES = Undefined("it has no values")


@dataclass(frozen=True, slots=True)
class Frequent(Sketch):
    """A frequent-items sketch: exact up to about 750 distinct items, estimates beyond."""

    kind: ClassVar[str] = "frequent"

    @classmethod
    def of(cls, data: bytes) -> Frequent:
        """Create the sketch; some versions of Spark append a count of nulls, which is removed."""
        return cls(cls._unite([data]) if data else b"")

    @classmethod
    def _unite(cls, sketches: Sequence[bytes]) -> bytes:
        import datasketches

        first = datasketches.frequent_strings_sketch.deserialize(sketches[0])
        for data in sketches[1:]:
            first.merge(datasketches.frequent_strings_sketch.deserialize(data))
        return bytes(first.serialize())

    def top(self, k: int) -> Distribution:
        """Return the most frequent items with lower bounds of their counts.

        The upper bounds would claim several occurrences of items that occur once.
        """
        if not self.data:
            return Distribution({}, groups=0)
        total, items = self._items()
        bounds = ((item, lower) for item, _, lower, _ in items if lower)
        ordered = sorted(bounds, key=lambda pair: (-pair[1], pair[0]))
        top = dict(ordered[:k])
        return Distribution(top, other=max(0, total - sum(top.values())))

    def kept(self) -> Distribution:
        """Return all items that are kept, with lower bounds of their counts.

        If all items fit into the sketch, the counts are exact and `groups` is their number.
        """
        if not self.data:
            return Distribution({}, groups=0)
        total, items = self._items()
        counts = {item: lower for item, _, lower, _ in sorted(items) if lower}
        other = total - sum(counts.values())
        return Distribution(counts, other=other, groups=None if other else len(counts))

    def _items(self) -> tuple[int, list[tuple[str, int, int, int]]]:
        """Return the number of rows, and the items with their estimates and bounds."""
        import datasketches

        sketch = datasketches.frequent_strings_sketch.deserialize(self.data)
        kind = datasketches.frequent_items_error_type.NO_FALSE_NEGATIVES
        return int(sketch.total_weight), sketch.get_frequent_items(kind)

    def metric(self) -> Value | Undefined:
        """Return the ten most frequent items."""
        return self.top(10)


@dataclass(frozen=True)
class FrequentAnalyzer(ScanAnalyzer[Frequent]):
    """Base class of analyzers that count the values of one column in a sketch."""

    abstract: ClassVar[bool] = True

    column: str = field(metadata=COLUMN)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return one sketch of items as text."""
        column = schema.column(self.column).require(GROUPABLE, type(self).__name__)
        item = filtered(label_of(key_of(column), column), self.where)
        return (frequent_expr(item, reads(schema, self.where, column)),)

    def state(self, values: Sequence[Any], schema: Schema) -> Frequent:
        """Create the state from the sketch."""
        return Frequent.of(bytes(values[0] or b""))


@dataclass(frozen=True)
class TopK(FrequentAnalyzer):
    """Estimate the most frequent values and their counts.

    Parameters
    ----------
    column
        Name of a column; nested fields as ``address.zip``.
    k
        The number of values.

    Notes
    -----
    A frequent-items sketch keeps about 1,000 values. Counts are exact up to about 750 distinct
    values, and lower bounds beyond. Nulls are not counted.

    Examples
    --------
    >>> TopK("city", 5).key
    'TopK(city, k=5)'
    """

    k: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("k", self.k)

    def metric(self, state: Frequent) -> Value | Undefined:
        """Return the most frequent values."""
        return state.top(self.k)


@dataclass(frozen=True)
class MostFrequentRatio(FrequentAnalyzer):
    """Estimate the share of the most frequent value.

    Parameters
    ----------
    column
        Name of a column; nested fields as ``address.zip``.

    Notes
    -----
    ``count of the most frequent value / values`` (novelty-edbt21, section 4). The share is exact up
    to about 750 distinct values, and a lower bound beyond. Nulls are ignored. Undefined without
    values.

    Examples
    --------
    >>> MostFrequentRatio("city").key
    'MostFrequentRatio(city)'
    """

    def metric(self, state: Frequent) -> Value | Undefined:
        """Return ``count of the most frequent value / values``."""
        head = state.top(1)
        return head.ratio(head.top) if head.top is not None else _NO_VALUES


@dataclass(frozen=True)
class ShapeProfile(FrequentAnalyzer):
    """Estimate the most frequent shapes of strings.

    Parameters
    ----------
    column
        Name of a string column; nested fields as ``address.zip``.
    k
        The number of shapes.

    Notes
    -----
    In a shape, ``9`` stands for a run of digits, ``A`` for upper-case and ``a`` for other letters.
    ``"AB-1234"`` has the shape ``"A-9"``. Nulls are not counted.

    Examples
    --------
    >>> ShapeProfile("sku").key
    'ShapeProfile(sku)'
    """

    k: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("k", self.k)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return one sketch of shapes."""
        column = schema.column(self.column).require(TEXT, "ShapeProfile")
        shape = column.plain
        for run, sign in (
            (r"\\p{Nd}+", "9"),
            (r"[\\p{Lu}\\p{Lt}]+", "A"),
            (r"[\\p{L}&&[^A]]+", "a"),
        ):
            shape = f"regexp_replace({shape}, '{run}', '{sign}')"
        return (frequent_expr(filtered(shape, self.where), reads(schema, self.where, column)),)

    def metric(self, state: Frequent) -> Value | Undefined:
        """Return the most frequent shapes."""
        return state.top(self.k)


def frequent_expr(item: str, columns: tuple[str, ...], items: int = ITEMS) -> AggregateExpr:
    """Return a sketch of the most frequent items, with a limit on the `items` that it keeps."""
    return AggregateExpr(f"approx_top_k_accumulate({item}, {items}).sketch", columns, sketch=True)
