"""Count the rows of CSV files that have more or fewer fields than columns, and broken JSON.

They are read: missing fields are null, and fields beyond the last column are left out. Small files
are counted here. In large files Spark counts them in the pass that counts the types of values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from assay.analyzers.schema import quote
from assay.io.column_types import TypeCounts
from assay.io.csv_records import CsvRecord
from assay.io.file_format import FileDescription

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = [
    "RAGGED_COLUMN",
    "broken_note",
    "count_ragged",
    "find_ragged",
    "ragged_column_of",
    "ragged_note",
    "take_broken_records",
    "without_ragged",
]

#: a column of counts with the ragged rows as its values
RAGGED_COLUMN = "__assay_ragged"
_MAX_SHOWN = 3


def find_ragged(records: Sequence[CsvRecord], n_columns: int) -> list[tuple[int, int]]:
    """Return line and number of fields of the records that have too many or too few.

    An empty field after the last column is ignored: rows may end with a delimiter.

    Examples
    --------
    >>> find_ragged([CsvRecord(["1", "2", ""], 4), CsvRecord(["1"], 5)], 2)
    [(6, 1)]
    """
    return [
        (record.lines_before + 1, len(record.fields))
        for record in records
        if len(record.fields) != n_columns
        and not (len(record.fields) == n_columns + 1 and not record.fields[-1])
    ]


def count_ragged(records: Sequence[CsvRecord], n_columns: int) -> TypeCounts:
    """Count the ragged records as values of `RAGGED_COLUMN`."""
    return TypeCounts(string=len(find_ragged(records, n_columns)))


def ragged_column_of(description: FileDescription) -> str:
    """Return the name of a column with the ragged rows that Spark shall add; "" for none.

    Spark cannot tell rows that end with a delimiter from ragged ones.
    """
    if description.format == "csv" and description.ends_with_delimiter:
        return ""
    return RAGGED_COLUMN if description.format in ("csv", "json") else ""


def take_broken_records(df: DataFrame, by: str = "") -> tuple[DataFrame, dict[str, int]]:
    """Count the broken JSON records of a table, for each value of `by`, and remove their column.

    Such records are rows of nulls. They are counted in a pass of their own, if there are any.
    """
    from pyspark.sql import functions as F

    others = [name for name in df.columns if name not in (RAGGED_COLUMN, by)]
    if RAGGED_COLUMN not in df.columns or not others:
        return df, {}
    # Spark refuses a query of the broken records alone
    values = F.expr(f"count({quote(others[0])})")
    n_broken = F.expr(f"count_if({RAGGED_COLUMN} IS NOT NULL)").alias("n_broken")
    key = F.expr(quote(by) if by else "''").alias("counted_by")
    rows = df.groupBy(key).agg(n_broken, values).where("n_broken > 0").collect()
    return df.drop(RAGGED_COLUMN), {row["counted_by"]: row["n_broken"] for row in rows}


def broken_note(n_broken: int) -> list[str]:
    """Describe the broken JSON records of files; [] without any."""
    records = "1 record is" if n_broken == 1 else f"{n_broken:,} records are"
    return [f"{records} broken JSON: all fields are null"] if n_broken else []


def without_ragged(counts: Mapping[str, TypeCounts]) -> tuple[dict[str, TypeCounts], int]:
    """Split counts into those of real columns and the number of ragged rows."""
    columns = dict(counts)
    ragged = columns.pop(RAGGED_COLUMN, TypeCounts())
    return columns, ragged.n_values + ragged.n_missing + ragged.n_blank


def ragged_note(n_ragged: int, description: FileDescription) -> list[str]:
    """Describe the ragged rows of files, with the first lines; [] without such rows.

    Examples
    --------
    >>> (note,) = ragged_note(2, FileDescription("csv", n_columns=4, ragged_lines=((7, 3),)))
    >>> note.partition(":")[0]
    '2 rows have more or fewer than 4 fields (line 7 has 3)'
    """
    if not n_ragged:
        return []
    rows = "1 row has" if n_ragged == 1 else f"{n_ragged:,} rows have"
    lines = ", ".join(
        f"line {line:,} has {width:,}" for line, width in description.ragged_lines[:_MAX_SHOWN]
    )
    fields = "1 field" if description.n_columns == 1 else f"{description.n_columns:,} fields"
    shown = f" ({lines})" if lines else ""
    ending = "missing ones are null, extra ones are left out"
    return [f"{rows} more or fewer than {fields}{shown}: {ending}"]
