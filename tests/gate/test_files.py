"""Batches in files: what is no table is told apart, and text keeps the types that it first had."""

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
from assay.io.batch_files import batch_files, read_batch_file, time_in_name
from assay.io.file_format import NotATable
from assay.learn.fingerprint.column_stats import ColumnStats
from assay.learn.fingerprint.from_states import fingerprint_of
from assay.store.verdict import Decision

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
    return {each.batch.key: each for each in measure_files(gate.spec, spark, batch_files(folder))}


def column_stats(delivery: MeasuredBatch, column: str) -> ColumnStats:
    assert delivery.measurement is not None
    return fingerprint_of(delivery.measurement.states).columns[column]


def test_batches_are_named_and_ordered_by_their_files(folder: Path) -> None:
    files = batch_files(folder)
    assert [each.key for each in files] == [
        *(f"2026-11-0{day}" for day in (1, 2, 3)), "2026-11-04T0630",
        *(f"2026-11-0{day}" for day in (5, 6, 7, 8, 9)), "2026-11-10",
    ]  # fmt: skip
    assert files[3].time == datetime(2026, 11, 4, 6, 30, tzinfo=UTC)
    with pytest.raises(SourceError, match="no-such-folder"):
        batch_files(folder / "no-such-folder")


def test_what_is_no_table_is_told_and_never_read(deliveries: dict[str, MeasuredBatch]) -> None:
    said = {key: each.unreadable for key, each in deliveries.items() if each.unreadable}
    assert said == {
        "2026-11-07": "it is an HTML page, 'Down'.",
        "2026-11-08": "it is empty: zero bytes.",
    }


def test_text_keeps_the_types_that_it_first_had(deliveries: dict[str, MeasuredBatch]) -> None:
    for key in ("2026-11-01", "2026-11-03", "2026-11-06"):
        columns = deliveries[key].schema
        assert columns is not None
        # a number that begins with 0 is a code; the fourth has no value in the first file
        assert dict(columns.types) == {
            "id": "bigint", "code": "string", "price": "double", "note": "string",
        }  # fmt: skip
    assert column_stats(deliveries["2026-11-01"], "price")["values"] == 40
    assert column_stats(deliveries["2026-11-02"], "price")["max"] == 2.5
    assert column_stats(deliveries["2026-11-04T0630"], "price")["values"] == 0
    assert dict(column_stats(deliveries["2026-11-06"], "code").value_counts) == {"012": 1}


def test_how_each_file_is_written_is_told_against_the_last(
    deliveries: dict[str, MeasuredBatch],
) -> None:
    everything = replay(Gate("orders", MemoryStore()).spec, deliveries.values(), lambda _: True)
    told = {
        each.batch.key: [f.reason for f in each.alarms if f.judge == "dialect"]
        for each in everything
    }
    readable = {key: said for key, said in told.items() if not deliveries[key].unreadable}
    assert {key: said for key, said in readable.items() if said} == {
        "2026-11-03": ["the file begins with a byte-order mark; it did not."],
        "2026-11-04T0630": ["the file does not begin with a byte-order mark; it did."],
        "2026-11-06": ["the delimiter is tab; it was comma."],
    }


def test_numbers_that_became_words_are_read_as_words(spark: SparkSession, tmp_path: Path) -> None:
    prices = {
        **{f"2026-11-0{day}": [f"{n}.{day}" for n in range(40)] for day in range(1, 6)},
        "2026-11-06": [f"EUR {n}.5" for n in range(40)],
        "2026-11-07": ["1e3", "NaN", "NA", "", *(f"EUR {n}" for n in range(5)), *"56789"],
        "2026-11-08": ["NA", "", "-"] * 9,
    }
    for key, texts in prices.items():
        (tmp_path / f"{key}.csv").write_text("id,price\n" + "".join(f"1,{e}\n" for e in texts))
    found = measure_files(Gate("orders", MemoryStore()).spec, spark, batch_files(tmp_path))
    kinds = [dict(each.schema.types)["price"] for each in found if each.schema]
    assert kinds == [*["double"] * 5, "string", "double", "double"]
    said = list(replay(Gate("orders", MemoryStore()).spec, found))[5].alarms[0]
    assert (said.level, said.column) == (Decision.HOLD, "price")
    assert said.reason.startswith("values are no longer numbers, such as 'EUR ")
    for key, kind in list(zip(prices, kinds, strict=True))[4:]:
        one = read_batch_file(spark, tmp_path / f"{key}.csv", {"id": "bigint", "price": "double"})
        assert not isinstance(one, NotATable)
        assert one.df.dtypes == [("id", "bigint"), ("price", kind)]


def test_a_file_without_rows_is_a_batch_without_rows(deliveries: dict[str, MeasuredBatch]) -> None:
    assert column_stats(deliveries["2026-11-05"], "id")["rows"] == 0
    assert column_stats(deliveries["2026-11-10"], "price")["rows"] == 0
    assert deliveries["2026-11-10"].schema == deliveries["2026-11-09"].schema
    found = replay(Gate("orders", MemoryStore()).spec, deliveries.values())
    decisions = {each.batch.key: each.decision for each in found}
    assert decisions["2026-11-07"] is decisions["2026-11-08"] is Decision.HOLD
    assert decisions["2026-11-09"] is Decision.HOLD  # two columns are gone


def test_one_file_is_read_as_those_before_it(spark: SparkSession, folder: Path) -> None:
    types = {"id": "double", "code": "string", "price": "double", "note": "string"}
    found = read_batch_file(spark, folder / "2026-11-04T0630.csv", types)
    assert not isinstance(found, NotATable)
    assert found.df.dtypes == list(types.items())
    assert isinstance(read_batch_file(spark, folder / "2026-11-07.csv"), NotATable)
    none = read_batch_file(spark, folder / "2026-11-10.json", types)
    assert not isinstance(none, NotATable)
    assert none.df.dtypes == found.df.dtypes


def test_names_with_dots_are_batches_of_their_own_and_two_of_one_name_are_refused(
    tmp_path: Path,
) -> None:
    for day in (14, 15):
        (tmp_path / f"orders.2026-11-{day}.csv").write_text("a\n1\n")
    assert [each.key for each in batch_files(tmp_path)] == [
        "orders.2026-11-14",
        "orders.2026-11-15",
    ]
    (tmp_path / "orders.2026-11-15.json").write_text("[]")
    with pytest.raises(SourceError, match=r"csv and orders.*json are both batch 'orders.2026-11-1"):
        batch_files(tmp_path)


@pytest.mark.parametrize("kind", ["parquet", "orc", "json"])
def test_files_that_tell_their_own_fields_are_not_read_by_those_of_others(
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
    found = [each.schema for each in measure_files(gate.spec, spark, batch_files(tmp_path))]
    assert [list(own.names) for own in found if own] == [list(columns) for columns in days]
    assert [dict(own.types)["a"] for own in found if own] == ["bigint"] * 3 + ["string"]


def test_a_batch_that_is_no_table_counts_as_held_in_a_replay(
    spark: SparkSession, tmp_path: Path
) -> None:
    for day in (1, 2):
        (tmp_path / f"2026-11-0{day}.csv").write_text("<html><title>Down</title></html>")
    gate = Gate("days", MemoryStore())
    first, second = replay(gate.spec, measure_files(gate.spec, spark, batch_files(tmp_path)))
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
def test_the_first_moment_in_a_name_is_its_time(name: str, moment: str | None) -> None:
    found = time_in_name(name)
    assert (found and f"{found:%Y-%m-%dT%H:%M}") == moment


def test_each_file_is_read_with_its_own_escape(spark: SparkSession, tmp_path: Path) -> None:
    texts = {
        "2026-11-01": 'path,note\n"C:\\temp\\","a ""b"""\n',
        "2026-11-02": 'path,note\n"/tmp","a \\"b\\", c"\n',
    }
    for key, text in texts.items():
        (tmp_path / f"{key}.csv").write_text(text)
    found = measure_files(Gate("paths", MemoryStore()).spec, spark, batch_files(tmp_path))
    values = [
        dict(column_stats(each, name).value_counts) for each in found for name in ("path", "note")
    ]
    assert values == [{"C:\\temp\\": 1}, {'a "b"': 1}, {"/tmp": 1}, {'a "b", c': 1}]
