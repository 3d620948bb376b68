"""Sketches of many partitions merged inside Spark, where they are too many for the driver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.analyzers.frequent import ITEMS, Frequent
from assay.analyzers.sketches import Distinct, Quantiles, Sketch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["merge_sketches"]


def merge_sketches(
    df: DataFrame, column: str, kind: type[Sketch], by: Sequence[str] = ()
) -> DataFrame:
    """The union of a column of sketches, per group of the columns `by`: one row a group.

    The column holds `Sketch.data`, and so does the result's.
    """
    from pyspark.sql import functions as F

    merged = {
        Distinct: "hll_union_agg(`{0}`)",
        Quantiles: "kll_merge_agg_double(`{0}`)",
        Frequent: _frequent(df) if kind is Frequent else "",
    }[kind].format(column.replace("`", "``"))
    return df.groupBy(*by).agg(F.expr(merged).alias(column))


def _frequent(df: DataFrame) -> str:
    """How this Spark merges frequent items: it wants its own struct, and maybe some bytes more."""
    asked = f"SELECT approx_top_k_accumulate('a', {ITEMS}) AS t"
    own = df.sparkSession.sql(asked).collect()[0]["t"]
    more = len(own["sketch"]) - len(Frequent.of(bytes(own["sketch"])).data)
    fields = ["'sketch'", f"concat(`{{0}}`, X'{'00' * more}')"]
    for name in own.__fields__[1:]:
        value = own[name]
        literal = f"'{value}'" if isinstance(value, str) else str(value)
        fields += [f"'{name}'", "cast(NULL AS string)" if value is None else literal]
    return f"approx_top_k_combine(named_struct({', '.join(fields)}), {ITEMS}).sketch"
