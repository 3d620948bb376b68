"""A CSV column without values has no type yet: its first values choose it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assay import Gate, MemoryStore
from assay.gate.history import load_last_schema
from assay.gate.judges.schema import judge_schema
from assay.gate.table_schema import TableSchema
from assay.io.batch_files import dialect_of_file, read_batch_file
from assay.io.reading import OpenTable
from assay.learn.fingerprint.column_stats import Fingerprint
from tests.io.test_locations import write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NO_STATS = Fingerprint(0, {}, {})
EMPTY = TableSchema((("id", "bigint"), ("price", "string")), empty=frozenset({"price"}))
FILLED = TableSchema((("id", "bigint"), ("price", "double")))


def test_the_first_type_of_an_empty_column_is_no_change() -> None:
    assert judge_schema(FILLED, EMPTY, NO_STATS, None) == []
    text = TableSchema(EMPTY.types)
    assert [finding.metric for finding in judge_schema(FILLED, text, NO_STATS, None)] == ["type"]


def test_a_stored_schema_keeps_its_empty_columns() -> None:
    assert TableSchema.from_json(EMPTY.to_json()) == EMPTY
    assert EMPTY.known_types == {"id": "bigint"}
    assert TableSchema.from_json([["id", "bigint"]]) == TableSchema((("id", "bigint"),))


def test_a_column_that_was_empty_at_first_gets_the_type_of_its_first_values(
    spark: SparkSession, tmp_path: Path
) -> None:
    gate = Gate("orders", MemoryStore())
    columns = []
    for day, rows in ((1, '1,""\n2,\n'), (2, "3,7.5\n4,8.25\n")):
        path = write(tmp_path / f"2024-01-0{day}.csv", f"id,price\n{rows}")
        schema = load_last_schema(gate.store, "orders")
        types = {} if schema is None else schema.known_types
        table = read_batch_file(spark, path, types)
        assert isinstance(table, OpenTable)
        columns.append(table.df.dtypes)
        verdict = gate.submit(table.df, path.stem, dialect=dialect_of_file(path))

    assert columns[1] == [("id", "bigint"), ("price", "double")]
    assert "schema" not in {finding.judge for finding in verdict.findings}
