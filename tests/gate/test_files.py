"""Batches in files: detection of files that are not tables, and types of text columns."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

from assay import Check, Gate, MemoryStore
from assay.errors import SourceError
from assay.gate.backtest import replay
from assay.gate.measure_files import measure_files
from assay.gate.measured_batch import MeasuredBatch
from assay.io.batch_files import read_batch_file
from assay.io.batch_names import time_in_name
from assay.io.file_format import NotATable
from assay.learn.fingerprint.column_stats import ColumnStats
from assay.learn.fingerprint.from_states import fingerprint_of
from assay.store.verdict import Decision
from tests.io.files_of import files_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FILES = {
    "2026-11-01.csv": "id,code,price,note\n2,008,NA,\n"
    + "".join(f"1,007,{n}.5,\n" for n in range(40)),
    "2026-11-02.csv.gz": "id,code,price,note\n3,009,2.5,a\n",
    "2026-11-03.csv": "\ufeffid,code,price,note\n4,010,3,\n",
    "2026-11-04T0630.csv": "id,code,price,note\n5,011,three,\n",
    "2026-11-05.csv": "id,code,price,note\n",
    "2026-11-06.csv": "id\tcode\tprice\tnote\n6\t012\t1\tx\n",
    "2026-11-07.csv": "<html><title>Down</title></html>",
    "2026-11-08.csv": "",
    "2026-11-10.json": "[]",
    "2026-11-09.json": '{"id": 9, "price": 4.0}\n{"id": 10, "price": null}\n',
    ".hidden": "x",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("some [days] {1}")
    for name, text in FILES.items():
        data = text.encode()
        (folder / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return folder


@pytest.fixture(scope="module")
def deliveries(spark: SparkSession, folder: Path) -> dict[str, MeasuredBatch]:
    gate = Gate("orders", MemoryStore(), Check("orders").is_complete("id"))
    batches = measure_files(gate.spec, spark, files_of(folder))
    return {batch.batch.key: batch for batch in batches}


def column_stats(delivery: MeasuredBatch, column: str) -> ColumnStats:
    assert delivery.measurement is not None
    return fingerprint_of(delivery.measurement.states).columns[column]


def test_batches_are_named_and_ordered_by_their_files(folder: Path) -> None:
    files = files_of(folder)
    assert [file.key for file in files] == [
        *(f"2026-11-0{day}" for day in (1, 2, 3)), "2026-11-04T0630",
        *(f"2026-11-0{day}" for day in (5, 6, 7, 8, 9)), "2026-11-10",
    ]  # fmt: skip
    assert files[3].time == datetime(2026, 11, 4, 6, 30, tzinfo=UTC)
    with pytest.raises(SourceError, match="no-such-folder"):
        files_of(folder / "no-such-folder")


def test_a_file_that_is_not_a_table_is_reported_and_not_read(
    deliveries: dict[str, MeasuredBatch],
) -> None:
    reasons = {key: batch.unreadable for key, batch in deliveries.items() if batch.unreadable}
    assert reasons == {
        "2026-11-07": "it is an HTML page, 'Down'.",
        "2026-11-08": "it is empty: zero bytes.",
    }


def test_text_columns_keep_the_types_of_the_first_file(
    deliveries: dict[str, MeasuredBatch],
) -> None:
    for key in ("2026-11-01", "2026-11-03", "2026-11-06"):
        columns = deliveries[key].schema
        assert columns is not None
        # a number that begins with 0 is a code; "note" has no value in the first file
        assert dict(columns.types) == {
            "id": "bigint", "code": "string", "price": "double", "note": "string",
        }  # fmt: skip
    assert column_stats(deliveries["2026-11-01"], "price")["values"] == 40
    assert column_stats(deliveries["2026-11-02"], "price")["max"] == 2.5
    assert column_stats(deliveries["2026-11-04T0630"], "price")["values"] == 0
    assert dict(column_stats(deliveries["2026-11-06"], "code").value_counts) == {"012": 1}


def test_the_dialect_of_each_file_is_compared_with_the_file_before(
    deliveries: dict[str, MeasuredBatch],
) -> None:
    verdicts = replay(Gate("orders", MemoryStore()).spec, deliveries.values(), lambda _: True)
    reasons = {
        verdict.batch.key: [f.reason for f in verdict.alarms if f.judge == "dialect"]
        for verdict in verdicts
        if not deliveries[verdict.batch.key].unreadable
    }
    assert {key: texts for key, texts in reasons.items() if texts} == {
        "2026-11-03": ["the file begins with a byte-order mark; it did not."],
        "2026-11-04T0630": [
            "The only value is not of the type of the column (100 %); 0 % before.",
            "the file does not begin with a byte-order mark; it did.",
        ],
        "2026-11-06": ["the delimiter is tab; it was comma."],
    }


def test_numbers_that_became_text_are_read_as_text(spark: SparkSession, tmp_path: Path) -> None:
    prices = {
        **{f"2026-11-0{day}": [f"{n}.{day}" for n in range(40)] for day in range(1, 6)},
        "2026-11-06": [f"EUR {n}.5" for n in range(40)],
        "2026-11-07": ["1e3", "NaN", "NA", "", *(f"EUR {n}" for n in range(5)), *"56789"],
        "2026-11-08": ["NA", "", "-"] * 9,
    }
    for key, texts in prices.items():
        (tmp_path / f"{key}.csv").write_text(
            "id,price\n" + "".join(f"1,{price}\n" for price in texts)
        )
    batches = measure_files(Gate("orders", MemoryStore()).spec, spark, files_of(tmp_path))
    types = [dict(batch.schema.types)["price"] for batch in batches if batch.schema]
    assert types == [*["double"] * 5, "string", "double", "double"]
    alarm = list(replay(Gate("orders", MemoryStore()).spec, batches))[5].alarms[0]
    assert (alarm.level, alarm.column) == (Decision.HOLD, "price")
    assert alarm.reason.startswith("values are no longer numbers, such as 'EUR ")
    for key, price_type in list(zip(prices, types, strict=True))[4:]:
        table = read_batch_file(spark, tmp_path / f"{key}.csv", {"id": "bigint", "price": "double"})
        assert not isinstance(table, NotATable)
        assert table.df.dtypes == [("id", "bigint"), ("price", price_type)]


def test_a_file_without_rows_is_a_batch_without_rows(deliveries: dict[str, MeasuredBatch]) -> None:
    assert column_stats(deliveries["2026-11-05"], "id")["rows"] == 0
    assert column_stats(deliveries["2026-11-10"], "price")["rows"] == 0
    assert deliveries["2026-11-10"].schema == deliveries["2026-11-09"].schema
    verdicts = replay(Gate("orders", MemoryStore()).spec, deliveries.values())
    decisions = {verdict.batch.key: verdict.decision for verdict in verdicts}
    assert decisions["2026-11-07"] is decisions["2026-11-08"] is Decision.HOLD
    assert decisions["2026-11-09"] is Decision.HOLD  # two columns are gone


def test_one_file_is_read_with_the_types_of_earlier_files(
    spark: SparkSession, folder: Path
) -> None:
    types = {"id": "double", "code": "string", "price": "double", "note": "string"}
    table = read_batch_file(spark, folder / "2026-11-04T0630.csv", types)
    assert not isinstance(table, NotATable)
    assert table.df.dtypes == list(types.items())
    assert isinstance(read_batch_file(spark, folder / "2026-11-07.csv"), NotATable)
    empty = read_batch_file(spark, folder / "2026-11-10.json", types)
    assert not isinstance(empty, NotATable)
    assert empty.df.dtypes == table.df.dtypes


def test_names_with_dots_are_batches_of_their_own_and_duplicates_are_refused(
    tmp_path: Path,
) -> None:
    for day in (14, 15):
        (tmp_path / f"orders.2026-11-{day}.csv").write_text("a\n1\n")
    assert [file.key for file in files_of(tmp_path)] == [
        "orders.2026-11-14",
        "orders.2026-11-15",
    ]
    (tmp_path / "orders.2026-11-15.json").write_text("[]")
    with pytest.raises(SourceError, match=r"both batch 'orders.2026-11-15'") as refused:
        files_of(tmp_path)
    assert refused.value.code == "bad_source"


@pytest.mark.parametrize("kind", ["parquet", "orc", "json"])
def test_files_with_a_schema_are_read_with_their_own_schema(
    spark: SparkSession, tmp_path: Path, kind: str
) -> None:
    days: list[dict[str, list[object]]] = [
        {"a": [1, 2], "b": ["x", "y"]},
        {"a": [3]},
        {"a": [4], "b": ["z"], "c": [True]},
        {"a": ["four"], "b": ["z"]},
    ]
    for day, columns in enumerate(days):
        path, table = tmp_path / f"2026-11-0{day + 1}.{kind}", pa.table(columns)
        if kind == "json":
            path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
        else:
            (pq.write_table if kind == "parquet" else orc.write_table)(table, path)
    gate = Gate("days", MemoryStore())
    batches = measure_files(gate.spec, spark, files_of(tmp_path))
    schemas = [batch.schema for batch in batches]
    assert [list(schema.names) for schema in schemas if schema] == [list(day) for day in days]
    assert [dict(schema.types)["a"] for schema in schemas if schema] == ["bigint"] * 3 + ["string"]


def test_a_batch_that_is_not_a_table_counts_as_held_in_a_backtest(
    spark: SparkSession, tmp_path: Path
) -> None:
    for day in (1, 2):
        (tmp_path / f"2026-11-0{day}.csv").write_text("<html><title>Down</title></html>")
    gate = Gate("days", MemoryStore())
    first, second = replay(gate.spec, measure_files(gate.spec, spark, files_of(tmp_path)))
    assert (first.budget, first.track_record.judged) == (0.005, 0)
    assert (second.track_record.judged, second.track_record.held) == (1, 1)


@pytest.mark.parametrize(
    ("name", "moment"),
    [
        ("store0001-20261114.csv", "2026-11-14T00:00"),
        ("12345678_2026-01-02", "2026-01-02T00:00"),
        ("2026-11-14_2026-11-15.csv", "2026-11-14T00:00"),
        ("20261114-20261115.csv", "2026-11-14T00:00"),
        ("2026-11-14T06-30-15.csv", "2026-11-14T06:30"),
        ("20261114_063015123.csv", "2026-11-14T06:30"),
        ("x12026-11-14", "2026-11-14T00:00"),
        ("9999-99-99_20261114T0630.csv", "2026-11-14T06:30"),
        ("202613010101", None),
        ("orders", None),
    ],
)
def test_the_first_time_in_a_name_is_the_time_of_the_batch(name: str, moment: str | None) -> None:
    time = time_in_name(name)
    assert (time and f"{time:%Y-%m-%dT%H:%M}") == moment


def test_each_file_is_read_with_its_own_escape(spark: SparkSession, tmp_path: Path) -> None:
    texts = {
        "2026-11-01": 'path,note\n"C:\\temp\\","a ""b"""\n',
        "2026-11-02": 'path,note\n"/tmp","a \\"b\\", c"\n',
    }
    for key, text in texts.items():
        (tmp_path / f"{key}.csv").write_text(text)
    batches = measure_files(Gate("paths", MemoryStore()).spec, spark, files_of(tmp_path))
    values = [
        dict(column_stats(batch, name).value_counts)
        for batch in batches
        for name in ("path", "note")
    ]
    assert values == [{"C:\\temp\\": 1}, {'a "b"': 1}, {"/tmp": 1}, {'a "b", c': 1}]
