"""Select the rows of a batch that a problem is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.analyzers.schema import COMPARABLE
from assay.engine.frame import schema_of, unambiguous
from assay.errors import CheckError
from assay.gate.causes.cause import CauseCode

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from assay.gate.problem import Problem

__all__ = ["rows_of"]

_REPEATED_ROWS = frozenset((CauseCode.ROWS_REPEATED, CauseCode.ROWS_DUPLICATED))


def rows_of(problem: Problem, df: DataFrame) -> DataFrame:
    """Return the rows that a problem is about, lazily.

    Repeated keys and repeated rows are found by a window over the batch, other rows by the filter
    of the problem.

    Raises
    ------
    CheckError
        If no rows can be named.
    """
    schema = schema_of(df)
    frame = unambiguous(df, schema)
    is_key = problem.cause_code == CauseCode.KEY_DUPLICATED
    is_pair = problem.findings[0].metric == "repeated_pairs"
    if problem.row_filter is not None and (is_pair or not is_key):
        rows = frame.where(schema.resolved(problem.row_filter))
    elif is_key and all(map(schema.has, problem.columns)) and problem.columns:
        rows = _repeated(frame, [[schema.column(name).sql] for name in problem.columns])
    elif problem.cause_code in _REPEATED_ROWS:
        rows = _repeated(frame, [[c.sql for c in schema.columns if c.family in COMPARABLE]])
    else:
        raise CheckError(f"no single rows cause this: {problem}")
    return rows if rows.columns == df.columns else rows.toDF(*df.columns)


def _repeated(frame: DataFrame, keys: Sequence[Sequence[str]]) -> DataFrame:
    """Return the rows that share the values of one of the keys with another row."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    def is_repeated(key: Sequence[str]) -> Column:
        columns = [F.expr(sql) for sql in key]
        has_value = F.lit(True) if len(columns) > 1 else columns[0].isNotNull()
        return has_value & (F.count(F.lit(1)).over(Window.partitionBy(*columns)) > 1)

    flag = _unused_name(frame.columns)
    repeated = F.lit(False)
    for key in keys:
        repeated = repeated | is_repeated(key)
    return frame.withColumn(flag, repeated).where(F.col(flag)).drop(flag)


def _unused_name(names: Sequence[str]) -> str:
    """Return a name that no column has, without regard to case.

    >>> _unused_name(["id", "Repeated"])
    'repeated_'
    """
    lower_names, name = {name.lower() for name in names}, "repeated"
    while name in lower_names:
        name += "_"
    return name
