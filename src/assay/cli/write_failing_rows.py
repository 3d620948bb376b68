"""Write the rows that fail a suite to a file, a folder or a table, for ``--failing-rows``."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from assay.analyzers.hashing import key_of, label_of
from assay.analyzers.schema import TEMPORAL, Column, quote
from assay.checks import Result
from assay.engine.frame import schema_of
from assay.errors import CheckError
from assay.io.locations import is_remote

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["RowTarget", "write_failing_rows"]

_TABLE = re.compile(r"(?:\w+|`[^`]+`)(?:\.(?:\w+|`[^`]+`)){1,3}")
_SUFFIXES: dict[str, Literal["csv", "parquet"]] = {".csv": "csv", ".parquet": "parquet"}
#: families of types that a CSV file holds; values of other types are written as JSON or text
_PLAIN = TEMPORAL | {"integral", "fractional", "decimal", "string", "boolean"}


@dataclass(frozen=True, slots=True)
class RowTarget:
    """The place that failing rows are written to.

    Attributes
    ----------
    name
        The place as the user wrote it.
    kind
        A single file, a folder of files as Spark writes it, or a table of the catalog.
    format
        The format of the files.
    """

    name: str
    kind: Literal["file", "folder", "table"]
    format: Literal["csv", "parquet"] = "parquet"

    @classmethod
    def parse(cls, name: str) -> RowTarget:
        """Return the target of a name.

        - ``rows.csv`` and ``out/rows.parquet`` are one file. It replaces an existing one.
        - ``out/rows``, ``./rows`` and ``s3a://…`` are a new folder of files. They are Parquet files
          unless the name ends with ``.csv``.
        - ``quality.rows`` is a table. The rows are added to it.

        Raises
        ------
        CheckError
            If the name can be both a folder and a table, or the folder exists.
        """
        file_format = _SUFFIXES.get(Path(name).suffix.lower(), "parquet")
        if is_remote(name):
            return cls(name, "folder", file_format)
        if Path(name).suffix.lower() in _SUFFIXES and not Path(name).is_dir():
            if not Path(name).absolute().parent.is_dir():
                raise CheckError(f"--failing-rows: the folder of {name!r} does not exist.")
            return cls(name, "file", file_format)
        if _TABLE.fullmatch(name):
            return cls(name, "table")
        if re.fullmatch(r"\w+", name):
            raise CheckError(
                f"--failing-rows: {name!r} may be a folder or a table."
                f" Write './{name}' for a folder, or 'database.{name}' for a table."
            )
        if Path(name).exists():
            raise CheckError(f"--failing-rows: {name!r} exists already. Give a new folder.")
        return cls(name, "folder", file_format)


def write_failing_rows(result: Result, target: RowTarget) -> None:
    """Write the rows that fail a constraint, with the columns ``errors`` and ``warnings``.

    Private columns are left out. It costs one pass over the rows.
    """
    _, bad = result.split(warnings=True)
    rows = _without_columns(bad, result.private)
    if target.kind == "table":
        rows.write.mode("append").saveAsTable(target.name)
        return
    if target.format == "csv":
        rows = _as_text(rows)
    is_local_session = not type(rows).__module__.startswith("pyspark.sql.connect")
    if target.kind == "file" and is_local_session:
        _write_one_file(rows, Path(target.name).absolute(), target.format)
    else:
        _write_folder(rows, target.name, target.format)


def _without_columns(rows: DataFrame, private: Collection[str]) -> DataFrame:
    """Return the rows without private columns, and with names that a file can tell apart."""
    names = list(_distinct(rows.columns))
    kept = [new for new, old in zip(names, rows.columns, strict=True) if old not in private]
    return rows.toDF(*names).select(*map(quote, kept))


def _distinct(names: Iterable[str]) -> Iterable[str]:
    used: set[str] = set()
    for name in names:
        new, number = name, 2
        while new.lower() in used:
            new, number = f"{name}_{number}", number + 1
        used.add(new.lower())
        yield new


def _as_text(rows: DataFrame) -> DataFrame:
    """Return the rows with values that a CSV file can hold; lists of constraints are joined."""
    from pyspark.sql import functions as F

    *columns, errors, warnings = schema_of(rows).columns
    return rows.select(
        *(F.expr(_plain_sql(column)).alias(column.name) for column in columns),
        *(F.expr(f"concat_ws('; ', {c.sql})").alias(c.name) for c in (errors, warnings)),
    )


def _plain_sql(column: Column) -> str:
    return column.sql if column.family in _PLAIN else label_of(key_of(column), column)


def _write_folder(rows: DataFrame, path: str, file_format: str) -> None:
    # a quote inside a value is doubled, as in RFC 4180
    options = {"header": "true", "escape": '"'} if file_format == "csv" else {}
    rows.write.format(file_format).options(**options).save(path)


def _write_one_file(rows: DataFrame, path: Path, file_format: str) -> None:
    """Write a folder beside the file, and move its only file to the path."""
    folder = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}."))
    try:
        _write_folder(rows.repartition(1), str(folder / "rows"), file_format)
        (part,) = (folder / "rows").glob("part-*")
        part.replace(path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
