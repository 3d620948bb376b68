"""Frequent items: values, shapes and null columns, counted in a few kilobytes."""

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
from assay.analyzers.schema import GROUPABLE, NUMERIC, TEMPORAL, TEXT, Column, Schema
from assay.analyzers.sketches import Sketch

__all__ = [
    "CUT",
    "ITEMS",
    "Frequent",
    "MostFrequentRatio",
    "NullSignature",
    "PairProfile",
    "RowProfile",
    "ShapeProfile",
    "TopK",
    "ValueProfile",
]

#: items that a sketch keeps at most
ITEMS = 1000
#: items of the sketch of a sample: up to about 1,500 values are counted exactly
SAMPLED_ITEMS = 2000
#: characters of a stored value; longer values are cut
CUT = 200
#: characters of a value in a pair; a hash of the whole value follows those of a longer one
CUT_OF_PAIRS = 60
#: separates the values of a pair; data hardly contain it
_BETWEEN = "\x1f"
#: families of types whose values are never long
_SHORT = NUMERIC | TEMPORAL | {"boolean"}

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

    def known(self) -> Distribution:
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
class _FrequentAnalyzer(ScanAnalyzer[Frequent]):
    abstract: ClassVar[bool] = True

    column: str = field(metadata=COLUMN)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return one sketch of items as text."""
        column = schema.column(self.column).require(GROUPABLE, type(self).__name__)
        item = filtered(label_of(key_of(column), column), self.where)
        return (_frequent_expr(item, reads(schema, self.where, column)),)

    def state(self, values: Sequence[Any], schema: Schema) -> Frequent:
        """Create the state from the sketch."""
        return Frequent.of(bytes(values[0] or b""))


@dataclass(frozen=True)
class TopK(_FrequentAnalyzer):
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
class MostFrequentRatio(_FrequentAnalyzer):
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
class ValueProfile(_FrequentAnalyzer):
    """Count values, or the most frequent of many, to compare batches.

    Parameters
    ----------
    column
        Name of a column; nested fields as ``address.zip``.
    hidden
        True if hashes are stored instead of values.
    one_in
        Count only the values whose hash is a multiple of this number: a sample of the distinct
        values. All values by default.

    Notes
    -----
    Strings are cut to 200 characters. A frequent-items sketch keeps about 1,000 values, and about
    2,000 of a sample. Without a sample, a column of many values leaves a few of the last rows.
    All occurrences of a sampled value are counted. Nulls are not counted.

    Examples
    --------
    >>> ValueProfile("ssn", hidden=True).key
    'ValueProfile(ssn, hidden=true)'
    >>> ValueProfile("order_id", one_in=32).key
    'ValueProfile(order_id, one_in=32)'
    """

    hidden: bool = False
    one_in: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("one_in", self.one_in)

    def exposed_columns(self, schema: Schema) -> frozenset[str]:
        """Return the column, unless its values are hashed."""
        return frozenset() if self.hidden else super().exposed_columns(schema)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return one sketch of items as text."""
        column = schema.column(self.column).require(GROUPABLE, "ValueProfile")
        if self.hidden:
            item = f"hex({hashed(column)})"
        else:
            item = label_of(key_of(column), column)
            item = item if column.family in _SHORT else f"left({item}, {CUT})"
        item = filtered(item, self.where)
        columns = reads(schema, self.where, column)
        if self.one_in == 1:
            return (_frequent_expr(item, columns),)
        item = f"CASE WHEN pmod({hashed(column)}, {self.one_in}) = 0 THEN {item} END"
        return (_frequent_expr(item, columns, SAMPLED_ITEMS),)


@dataclass(frozen=True)
class NullSignature(ScanAnalyzer[Frequent]):
    """Count which columns are null together.

    Notes
    -----
    The metric counts lists of the names of null columns, as `assay.analyzers.literal.read_names`
    parses them. A list of more than 200 characters is cut, and a hash makes it unique.

    Examples
    --------
    >>> NullSignature().key
    'NullSignature()'
    """

    exposes_values: ClassVar[bool] = False

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return one sketch of signatures."""
        columns = schema.columns
        named = (
            f"CASE WHEN {column.sql} IS NULL THEN {sql_string(render_name(column.name))} END"
            for column in columns
        )
        # a lambda, so that Spark creates the long text once for each row
        item = (
            f"element_at(transform(array(concat_ws(',', {', '.join(named)})), s -> CASE WHEN"
            f" length(s) <= {CUT} THEN s ELSE concat(left(s, {CUT}), '…', hex(xxhash64(s))) END),"
            " 1)"
        )
        item = filtered(item, self.where)
        return (_frequent_expr(item, reads(schema, self.where, *columns)),)

    def state(self, values: Sequence[Any], schema: Schema) -> Frequent:
        """Create the state from the sketch."""
        return Frequent.of(bytes(values[0] or b""))


@dataclass(frozen=True)
class RowProfile(ScanAnalyzer[Frequent]):
    """Count equal rows, by a hash of all columns, to find repeated rows.

    Parameters
    ----------
    one_in
        Count only the rows whose hash is a multiple of this number: a sample of the distinct rows.
        All rows by default.

    Notes
    -----
    The metric counts hashes, in hexadecimal. They are exact up to about 1,500 sampled rows. All
    occurrences of a sampled row are counted. Columns that cannot be compared are left out. Nulls
    are values like others.

    Examples
    --------
    >>> RowProfile(one_in=32).key
    'RowProfile(one_in=32)'
    """

    exposes_values: ClassVar[bool] = False

    one_in: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("one_in", self.one_in)

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return one sketch of hashes."""
        columns = [
            column
            for column in schema.columns
            if column.family in GROUPABLE
            and "collate" not in column.type
            and schema.names.count(column.name) == 1
        ]
        # the hash ignores nulls, so that it needs to know where they are
        parts = (f"{key_of(column)}, {column.sql} IS NULL" for column in columns)
        row_hash = f"xxhash64({', '.join(parts) or '0'})"
        if self.one_in == 1:
            item = f"hex({row_hash})"
        else:
            # a lambda, so that Spark computes the hash once for each row
            is_sampled = f"pmod(h, {self.one_in}) = 0"
            item = f"transform(array({row_hash}), h -> CASE WHEN {is_sampled} THEN hex(h) END)"
            item = f"element_at({item}, 1)"
        item = filtered(item, self.where)
        return (_frequent_expr(item, reads(schema, self.where, *columns), SAMPLED_ITEMS),)

    def state(self, values: Sequence[Any], schema: Schema) -> Frequent:
        """Create the state from the sketch."""
        return Frequent.of(bytes(values[0] or b""))


@dataclass(frozen=True)
class PairProfile(ScanAnalyzer[Frequent]):
    """Count pairs of values of two columns, to find repeated keys and broken dependencies.

    Parameters
    ----------
    first, second
        Name of a column; nested fields as ``address.zip``.
    one_in
        Count only one in this number of pairs: those whose hash is a multiple of it. All pairs by
        default.
    by
        Column whose hash chooses the sampled rows instead of the pair. With the first column, all
        pairs of a sampled value are counted.

    Notes
    -----
    The metric counts pairs of texts. They are exact up to about 1,500 sampled pairs. Texts of more
    than 60 characters are cut, and a hash makes them unique. Rows in which a column is null are not
    counted.

    Examples
    --------
    >>> PairProfile("shop", "receipt", one_in=8).key
    'PairProfile(shop, receipt, one_in=8)'
    >>> PairProfile("a", "b").pair_of("1\\x1fx")
    ('1', 'x')
    """

    first: str = field(metadata=COLUMN)
    second: str = field(metadata=COLUMN)
    one_in: int = 1
    by: str | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive("one_in", self.one_in)

    @staticmethod
    def pair_of(item: str) -> tuple[str, str]:
        """Return the two texts of a counted item."""
        first, _, second = item.partition(_BETWEEN)
        return first, second

    def aggregate_exprs(self, schema: Schema) -> tuple[AggregateExpr, ...]:
        """Return one sketch of pairs as text."""
        names = (self.first, self.second, *([] if self.by is None else [self.by]))
        columns = [schema.column(name).require(GROUPABLE, "PairProfile") for name in names]
        first, second = map(_text_in_pair, columns[:2])
        item = f"concat({first}, {sql_string(_BETWEEN)}, {second})"
        if self.one_in > 1:
            keys = ", ".join(map(key_of, columns[:2])) if self.by is None else key_of(columns[2])
            item = f"CASE WHEN pmod(xxhash64({keys}), {self.one_in}) = 0 THEN {item} END"
        item = filtered(item, self.where)
        return (_frequent_expr(item, reads(schema, self.where, *columns), SAMPLED_ITEMS),)

    def state(self, values: Sequence[Any], schema: Schema) -> Frequent:
        """Create the state from the sketch."""
        return Frequent.of(bytes(values[0] or b""))


@dataclass(frozen=True)
class ShapeProfile(_FrequentAnalyzer):
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
        return (_frequent_expr(filtered(shape, self.where), reads(schema, self.where, column)),)

    def metric(self, state: Frequent) -> Value | Undefined:
        """Return the most frequent shapes."""
        return state.top(self.k)


def _text_in_pair(column: Column) -> str:
    text = label_of(key_of(column), column)
    if column.family in _SHORT:
        return text
    is_short = f"length({text}) <= {CUT_OF_PAIRS}"
    cut = f"concat(left({text}, {CUT_OF_PAIRS}), '…', hex(xxhash64({text})))"
    return f"CASE WHEN {is_short} THEN {text} ELSE {cut} END"


def _frequent_expr(item: str, columns: tuple[str, ...], items: int = ITEMS) -> AggregateExpr:
    return AggregateExpr(f"approx_top_k_accumulate({item}, {items}).sketch", columns, sketch=True)
