"""The rows of a DataFrame in DuckDB, which shares no code with Spark."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import duckdb

from assay.analyzers.schema import Schema
from assay.engine.frame import schema_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

NAN = "nan"  # NaN is not equal to itself; as a key it is this


class Duck:
    """A table `t` with the same rows; selections are conditions that both engines understand."""

    def __init__(self, frame: DataFrame) -> None:
        self.schema: Schema = schema_of(frame)
        self._db = duckdb.connect()
        self._db.execute("SET timezone = 'UTC'")
        self._db.register("arrow", frame.toArrow())
        self._db.execute("CREATE TABLE t AS SELECT * FROM arrow")

    def family(self, column: str) -> str:
        return self.schema.column(column).family

    def spelling(self, column: str) -> str:
        """Return the format of the column's values as text: its family, or *float*."""
        return "float" if self.schema.column(column).type == "float" else self.family(column)

    @cached_property
    def types(self) -> dict[str, str]:
        """The types of the columns in DuckDB."""
        result = self._db.execute("SELECT column_name, column_type FROM (DESCRIBE t)").fetchall()
        return {str(name): str(kind) for name, kind in result}

    def one(self, expression: str, where: str | None = None) -> Any:
        """Compute one aggregate over the selection."""
        return self.row(where, expression)[0]

    def row(self, where: str | None, *expressions: str) -> tuple[Any, ...]:
        """Compute several aggregates over the selection."""
        sql = f"SELECT {', '.join(expressions)} FROM t WHERE {where or 'true'}"
        result = self._db.execute(sql).fetchone()
        assert result is not None
        return result

    def counts(self, columns: Sequence[str], where: str | None) -> Counter[tuple[Any, ...]]:
        """Count each combination of values, nulls included."""
        return self.counts_of([ref(name) for name in columns], where)

    def counts_of(self, keys: Sequence[str], where: str | None) -> Counter[tuple[Any, ...]]:
        """Count each combination of the values of some expressions."""
        sql = f"SELECT {', '.join(keys)}, count(*) FROM t WHERE {where or 'true'} GROUP BY ALL"
        result: Counter[tuple[Any, ...]] = Counter()
        for *values, n in self._db.execute(sql).fetchall():
            result[tuple(map(hashable, values))] += n
        return result

    def numbers(self, column: str, where: str | None) -> list[Any]:
        """Return the values in order, without nulls but with NaN."""
        sql = f"SELECT {ref(column)} AS v FROM t WHERE v IS NOT NULL AND ({where or 'true'})"
        result = [value for (value,) in self._db.execute(sql).fetchall()]
        return sorted(result, key=lambda v: (isinstance(v, float) and math.isnan(v), v))

    def pairs(self, first: str, second: str, where: str | None) -> list[tuple[Any, Any]]:
        """Return the pairs in which both columns have a value."""
        sql = (
            f"SELECT {ref(first)} AS v, {ref(second)} AS w FROM t"
            f" WHERE v IS NOT NULL AND w IS NOT NULL AND ({where or 'true'})"
        )
        return [(v, w) for v, w in self._db.execute(sql).fetchall()]


#: an oracle: computes the metric of an analyzer
Ask = Callable[[Any, Duck], object]


def ref(column: str) -> str:
    """Return a column, or a member of a struct, as DuckDB SQL."""
    return ".".join('"' + part.replace('"', '""') + '"' for part in column.split("."))


def hashable(value: Any) -> Any:
    """Return a value as a key: all NaN are equal, structs and lists are text."""
    if isinstance(value, float) and math.isnan(value):
        return NAN
    return repr(value) if isinstance(value, dict | list) else value
