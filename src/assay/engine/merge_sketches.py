"""Merge sketches inside Spark, if there are too many of them for the driver."""

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
    """Merge a column of sketches for each group of the columns `by`.

    Parameters
    ----------
    df
        A table with a column of `Sketch.data`.
    column
        The name of that column.
    kind
        The kind of its sketches.
    by
        The columns to group by.

    Returns
    -------
    DataFrame
        One row for each group, with the merged sketch in `column`.
    """
    from pyspark.sql import functions as F

    merged = {
        Distinct: "hll_union_agg(`{0}`)",
        Quantiles: "kll_merge_agg_double(`{0}`)",
        Frequent: _frequent(df) if kind is Frequent else "",
    }[kind].format(column.replace("`", "``"))
    return df.groupBy(*by).agg(F.expr(merged).alias(column))


def _frequent(df: DataFrame) -> str:
    """Return SQL that merges frequent items.

    It needs a struct that differs between versions of Spark, and in some of them extra bytes.
    """
    query = f"SELECT approx_top_k_accumulate('a', {ITEMS}) AS t"
    struct = df.sparkSession.sql(query).collect()[0]["t"]
    extra_bytes = len(struct["sketch"]) - len(Frequent.of(bytes(struct["sketch"])).data)
    fields = ["'sketch'", f"concat(`{{0}}`, X'{'00' * extra_bytes}')"]
    for name in struct.__fields__[1:]:
        value = struct[name]
        literal = f"'{value}'" if isinstance(value, str) else str(value)
        fields += [f"'{name}'", "cast(NULL AS string)" if value is None else literal]
    return f"approx_top_k_combine(named_struct({', '.join(fields)}), {ITEMS}).sketch"
