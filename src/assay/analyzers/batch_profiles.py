"""Profiles of a batch that learners compare: its values, pairs, rows and null columns.

Each is a frequent-items sketch. A profile of a large batch counts a sample, chosen by hash. The
same values are in the sample of each batch, and all their occurrences are counted.
"""

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
from assay.analyzers.frequent import Frequent, FrequentAnalyzer, frequent_expr
from assay.analyzers.hashing import hashed, key_of, label_of
from assay.analyzers.literal import render_name
from assay.analyzers.schema import GROUPABLE, NUMERIC, TEMPORAL, Column, Schema

__all__ = ["CUT", "NullSignature", "PairProfile", "RowProfile", "ValueProfile"]

#: items of the sketch of a sample: up to about 1,500 values are counted exactly
_SAMPLED_ITEMS = 2000
#: characters of a stored value; longer values are cut
CUT = 200
#: characters of a value in a pair; a hash of the whole value follows those of a longer one
_CUT_OF_PAIRS = 60
#: separates the values of a pair; data hardly contain it
_BETWEEN = "\x1f"
#: families of types whose values are never long
_SHORT = NUMERIC | TEMPORAL | {"boolean"}


@dataclass(frozen=True)
class ValueProfile(FrequentAnalyzer):
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
            return (frequent_expr(item, columns),)
        item = f"CASE WHEN pmod({hashed(column)}, {self.one_in}) = 0 THEN {item} END"
        return (frequent_expr(item, columns, _SAMPLED_ITEMS),)


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
        return (frequent_expr(item, reads(schema, self.where, *columns)),)

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
        return (frequent_expr(item, reads(schema, self.where, *columns), _SAMPLED_ITEMS),)

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
        return (frequent_expr(item, reads(schema, self.where, *columns), _SAMPLED_ITEMS),)

    def state(self, values: Sequence[Any], schema: Schema) -> Frequent:
        """Create the state from the sketch."""
        return Frequent.of(bytes(values[0] or b""))


def _text_in_pair(column: Column) -> str:
    text = label_of(key_of(column), column)
    if column.family in _SHORT:
        return text
    is_short = f"length({text}) <= {_CUT_OF_PAIRS}"
    cut = f"concat(left({text}, {_CUT_OF_PAIRS}), '…', hex(xxhash64({text})))"
    return f"CASE WHEN {is_short} THEN {text} ELSE {cut} END"
