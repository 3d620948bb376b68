"""Building the index of a lake: every format, damaged files, and adding to it later."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet
import pytest

from assay.checks.pattern import Pattern
from assay.errors import LakeError, PatternIndexError
from assay.learn.patterns import find_columns, find_columns_in_lake, lake_columns, lake_jobs
from assay.learn.patterns.evidence import Enumeration
from assay.learn.patterns.index import PatternIndex
from assay.learn.patterns.index_job import build_index_of_columns
from assay.learn.patterns.lake import (
    BuiltIndex,
    LakeProgress,
    LakeReport,
    build_index,
    build_index_of_tables,
    find_columns_in_tables,
)
from assay.learn.patterns.lake_files import File, group_tables, list_files
from assay.learn.patterns.lake_sampling import Sampling
from tests.engine.rows_read import read_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RULES = Enumeration(patterns=100)
DAYS = [f"2024-{day % 12 + 1:02}-{day + 1:02}" for day in range(25)]
CODES = [f"K{day % 7}-{day:03}" for day in range(25)]


def _csv(between: str = ",", codes: list[str] = CODES) -> str:
    rows = (between.join([day, code, str(n)]) for n, (day, code) in enumerate(zip(DAYS, codes)))  # noqa: B905
    return "\n".join([between.join(["day", "code", "n"]), *rows, ""])


def _table() -> pa.Table:
    return pa.table({"day": DAYS, "code": CODES, "n": list(range(25))})


def _write(folder: Path, name: str, content: str | bytes) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def _good(folder: Path) -> None:
    """Eight tables with the same two columns."""
    _write(folder, "comma.csv", _csv())
    _write(folder, "sub/semi [1] {x} *.csv", _csv(";").encode("utf-8-sig"))
    _write(folder, "sub/tab.tsv.gz", gzip.compress(_csv("\t").encode()))
    lines = [{"day": d, "code": c, "in": {"n": 1}} for d, c in zip(DAYS, CODES, strict=True)]
    _write(folder, "lines.jsonl", "\n".join(map(json.dumps, lines)))
    (folder / "columns").mkdir()
    pyarrow.parquet.write_table(_table(), folder / "columns/c.parquet")
    pyarrow.orc.write_table(_table(), folder / "columns/c.orc")
    first, second = _csv().splitlines()[:13], _csv().splitlines()[13:]
    _write(folder, "parts/part-00000-x.csv", "\n".join(first))
    _write(folder, "parts/part-00001-x.csv", "\n".join([first[0], *second]))
    for key, rows in (("dt=1", _table()[:12]), ("dt=2", _table()[12:].drop(["n"]))):
        (folder / "hive" / key).mkdir(parents=True)
        pyarrow.parquet.write_table(rows, folder / "hive" / key / "x.parquet")


def _odd(folder: Path) -> None:
    """Three more tables, five damaged files, and three of other kinds."""
    _write(folder, "utf16.txt", _csv("|").encode("utf-16"))
    _write(folder, "no rows.csv", "day,code\n")
    words = ["שלום-1", "🙂-2", "a\x01-3", "x" * 1_000_000]
    _write(folder, "words.csv", "w\n" + "\n".join(words * 6))
    _write(folder, "bad/junk.csv", bytes(range(256)) * 9)
    _write(folder, "bad/cut.parquet", (folder / "columns/c.parquet").read_bytes()[:200])
    _write(folder, "bad/empty.csv", b"")
    _write(folder, "bad/page.csv", "<!DOCTYPE html><html>404</html>")
    _write(folder, "bad/array.json", "[1, 2")
    _write(folder, "parts/part-00002-x.csv", b"")
    for name in ("notes.pdf", "archive.zip", "no extension"):
        _write(folder, name, b"?")
    for name in ("_hidden.csv", ".hidden.csv", "_log/0.json", ".git/x.csv"):
        _write(folder, name, _csv())


def _saved(index: PatternIndex, folder: Path) -> bytes:
    index.save(folder / "index")
    return (folder / "index").read_bytes()


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("good")
    _good(folder)
    return folder


@pytest.fixture(scope="module")
def of_good(spark: SparkSession, good: Path) -> BuiltIndex:
    return build_index(spark, good, enumeration=RULES)


@pytest.fixture(scope="module")
def messy(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, BuiltIndex]:
    folder = tmp_path_factory.mktemp("messy")
    _good(folder)
    _odd(folder)
    return folder, build_index(spark, str(folder), enumeration=RULES)


def _by_hand(spark: SparkSession, tables: int) -> PatternIndex:
    """Return the index of some tables with the same two columns."""
    columns = [
        (f"t{table}", name, values)
        for table in range(tables)
        for name, values in (("day", DAYS), ("code", CODES))
    ]
    df = spark.createDataFrame(columns, "table string, column string, values array<string>")
    return build_index_of_columns(df, RULES)


@pytest.mark.connect
def test_every_format_gives_the_same_index(
    spark: SparkSession, of_good: BuiltIndex, tmp_path: Path
) -> None:
    assert _saved(of_good.index, tmp_path) == _saved(_by_hand(spark, 8), tmp_path)
    assert of_good.report == LakeReport(tables=8, columns=16, files=10)


def test_unreadable_files_are_reported_and_skipped(messy: tuple[Path, BuiltIndex]) -> None:
    folder, built = messy
    reasons = {Path(file.path).name: file.reason for file in built.report.unreadable}
    assert reasons.keys() == {path.name for path in (folder / "bad").iterdir()}
    assert reasons["junk.csv"] == "it is not text"
    assert reasons["empty.csv"] == "it is empty"
    assert reasons["page.csv"] == "it is HTML"
    assert reasons["cut.parquet"].startswith("it cannot be read as parquet")
    assert reasons["array.json"].startswith("it cannot be read as json")
    assert not any("\n" in reason for reason in reasons.values())
    skipped = {Path(path).name for path in built.report.skipped}
    assert skipped == {"notes.pdf", "archive.zip", "no extension"}


def test_tables_of_unusual_encodings_are_read(messy: tuple[Path, BuiltIndex]) -> None:
    _, built = messy
    report = built.report
    assert (report.tables, report.files, report.columns) == (11, 13, 8 * 2 + 2 + 1)
    assert (built.index.tables, built.index.columns) == (10, 19)  # one table has no rows
    assert str(report) == "19 columns of 11 tables in 13 files; 5 unreadable, 3 of other kinds"


@pytest.mark.connect
def test_a_file_that_fails_its_job_is_isolated(spark: SparkSession, tmp_path: Path) -> None:
    # Hadoop reads the text before a colon as a scheme
    for name in ("a.csv", "b.csv", "co:lon.csv"):
        _write(tmp_path, name, _csv())
    report = build_index(spark, tmp_path, enumeration=RULES).report
    assert (report.tables, report.files, report.columns) == (2, 2, 4)
    assert [Path(file.path).name for file in report.unreadable] == ["co:lon.csv"]
    assert "\n" not in report.unreadable[0].reason


def test_large_tables_give_the_same_index_as_small_ones(
    spark: SparkSession,
    good: Path,
    of_good: BuiltIndex,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lake_jobs, "SMALL_TABLE_BYTES", 0)
    steps: list[LakeProgress] = []
    built = build_index(spark, good, enumeration=RULES, progress=steps.append)
    assert built.report == of_good.report
    assert _saved(built.index, tmp_path) == _saved(of_good.index, tmp_path)
    assert [(step.done, step.columns) for step in steps] == [(n, 2 * n) for n in range(1, 9)]


def test_the_number_of_cores_does_not_change_the_index(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark splits files by the number of cores, and rows are chosen by their places."""
    monkeypatch.setattr(lake_jobs, "SMALL_TABLE_BYTES", 0)
    codes = [f"K{n % 7}-{n:0{1 + n % 5}}" for n in range(4000)]
    (tmp_path / "lake").mkdir()
    pyarrow.parquet.write_table(
        pa.table({"code": codes}), tmp_path / "lake/t.parquet", row_group_size=100
    )
    conf = {"spark.sql.files.openCostInBytes": "1", "spark.sql.leafNodeDefaultParallelism": "1"}
    splits = "spark.sql.files.minPartitionNum"
    before = {name: spark.conf.get(name, None) for name in (*conf, splits)}

    def index_bytes() -> bytes:
        built = build_index(spark, tmp_path / "lake", enumeration=RULES, sampling=Sampling(rows=50))
        return _saved(built.index, tmp_path)

    try:
        for name, value in conf.items():
            spark.conf.set(name, value)
        one = index_bytes()
        assert spark.conf.get(splits, None) == before[splits]
        spark.conf.set("spark.sql.leafNodeDefaultParallelism", "4")
        spark.conf.set(splits, "4")
        assert index_bytes() == one
        assert spark.conf.get(splits) == "4"
    finally:
        for name, old in before.items():
            if old is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, old)


@pytest.mark.connect
def test_columns_are_found_in_readable_tables(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lake_jobs, "SMALL_TABLE_BYTES", 100)
    _write(tmp_path, "junk.parquet", bytes(range(256)))
    pyarrow.parquet.write_table(_table(), tmp_path / "t.parquet")
    # the footer is intact, the pages are not
    intact = (tmp_path / "t.parquet").read_bytes()
    _write(tmp_path, "torn.parquet", b"PAR1" + bytes(300) + intact[304:])
    code = Pattern.parse("K<digit>-<digit>{3}")
    tagged = find_columns_in_lake(spark, tmp_path, code)
    assert [(Path(column.table).name, column[1:]) for column in tagged] == [
        ("t.parquet", ("code", 1.0))
    ]
    (tmp_path / "torn.parquet").unlink()
    rows = find_columns(lake_columns(spark, tmp_path), code).collect()
    assert [tuple(row) for row in rows] == [tuple(column) for column in tagged]


@pytest.mark.connect
def test_large_files_that_are_not_tables_are_reported(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lake_jobs, "SMALL_TABLE_BYTES", 0)
    _write(tmp_path, "cut.parquet", b"PAR1" + bytes(200))
    _write(tmp_path, "page.csv", "<html>\n404\n</html>")
    _write(tmp_path, "array.json", json.dumps([1, 2], indent=1))
    _write(tmp_path, "no rows.csv", "day,code\n")
    built = build_index(spark, tmp_path)
    reasons = {Path(file.path).name: file.reason for file in built.report.unreadable}
    assert reasons["page.csv"] == "it is HTML"
    assert reasons["array.json"].startswith("it cannot be read as json")
    assert reasons.keys() == {"cut.parquet", "page.csv", "array.json"}
    assert (built.report.tables, built.report.columns) == (1, 0)


def test_new_tables_are_added_without_reading_the_others(
    spark: SparkSession, good: Path, of_good: BuiltIndex, tmp_path: Path
) -> None:
    parts = sorted(good.iterdir())
    some = build_index(spark, parts[:3], enumeration=RULES)
    (tmp_path / "index").write_bytes(_saved(some.index, tmp_path))
    before = PatternIndex.load(tmp_path / "index")
    more = build_index(spark, parts[3:], add_to=before)
    assert 0 < more.report.tables < 8
    assert some.report.tables + more.report.tables == 8
    assert _saved(more.index, tmp_path) == _saved(of_good.index, tmp_path)
    with pytest.raises(PatternIndexError, match="different settings"):
        build_index(spark, parts[3:], add_to=before, enumeration=Enumeration())


def test_the_size_of_groups_does_not_change_the_index(
    spark: SparkSession,
    good: Path,
    of_good: BuiltIndex,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(lake_jobs, "GROUP_FILES", 3)
    steps: list[LakeProgress] = []
    built = build_index(spark, good, enumeration=RULES, progress=steps.append)
    assert _saved(built.index, tmp_path) == _saved(of_good.index, tmp_path)
    assert [step.done for step in steps] == [3, 5, 7, 8]
    assert str(steps[-1]) == "8 of 8 tables, 16 columns, 0 unreadable"


def test_each_file_is_read_once_in_one_job(spark: SparkSession, tmp_path: Path) -> None:
    for number in range(20):
        _write(tmp_path, f"{number}.csv", _csv())
    listed, listing, _ = read_rows(spark, lambda: list_files(spark, [str(tmp_path)]))
    read, jobs, built = read_rows(spark, lambda: build_index(spark, tmp_path, enumeration=RULES))
    assert built.report.tables == 20
    assert (listed, read - listed) == (20, 20)
    assert jobs - listing <= 3  # adaptive execution runs each shuffle as a job


def test_parts_of_two_formats_are_two_tables() -> None:
    paths = ["/t/part-0.csv", "/t/part-1.csv", "/t/part-0.parquet", "/u/part-0.csv"]
    tables, _ = group_tables(File(path, 1) for path in paths)
    assert [(table.name, len(table.files)) for table in tables] == [
        ("/t/*.csv", 2),
        ("/t/*.parquet", 1),
        ("/u", 1),
    ]


def test_an_empty_lake_has_an_empty_index(spark: SparkSession, tmp_path: Path) -> None:
    built = build_index(spark, tmp_path)
    assert (built.index.columns, len(built.index.sums.keys)) == (0, 0)
    assert str(built.report) == "the lake has no tables; 0 files of other kinds"


@pytest.mark.connect
def test_a_missing_lake_is_an_error(spark: SparkSession, tmp_path: Path) -> None:
    path = os.fspath(tmp_path / "nowhere")
    with pytest.raises(LakeError) as caught:
        build_index(spark, path)
    assert str(caught.value) == f"there is no lake at {path}: no such file or directory."
    assert caught.value.__cause__ is None
    with pytest.raises(LakeError, match=r"^the files of the lake at 'nofs://x' cannot be listed: "):
        build_index(spark, "nofs://x")


@pytest.mark.parametrize(
    "size", [lake_jobs.SMALL_TABLE_BYTES, pytest.param(0, marks=pytest.mark.connect)]
)
def test_a_table_of_five_thousand_columns_is_read(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(lake_jobs, "SMALL_TABLE_BYTES", size)
    names = [f"c{number}" for number in range(5000)]
    rows = [",".join([f"k{row}", *[str(row)] * 4998, f"{row}-z"]) for row in range(21)]
    _write(tmp_path, "wide.csv", "\n".join([",".join(names), *rows]))
    built = build_index(spark, tmp_path, enumeration=RULES)
    assert (built.report.unreadable, built.report.columns) == ((), 2)
    assert "<digit>+-z" in built.index.texts.values()


@pytest.mark.connect
def test_tables_of_the_catalog_are_indexed(spark: SparkSession, good: Path, tmp_path: Path) -> None:
    csv = spark.read.csv(str(good / "comma.csv"), header=True)
    spark.sql("CREATE DATABASE lake_of_patterns")
    try:
        for number in range(2):
            csv.write.saveAsTable(f"lake_of_patterns.t_{number}")
        names = ["lake_of_patterns.*", "lake_of_patterns.none"]
        built = build_index_of_tables(spark, names, enumeration=RULES)
        tagged = find_columns_in_tables(spark, names, "<digit>{4}-<digit>{2}-<digit>{2}")
    finally:
        spark.sql("DROP DATABASE lake_of_patterns CASCADE")
    assert [(column.table[-4:-1], column.column) for column in tagged] == [
        ("t_0", "day"),
        ("t_1", "day"),
    ]
    assert _saved(built.index, tmp_path) == _saved(_by_hand(spark, 2), tmp_path)
    assert (built.report.tables, built.report.columns) == (2, 4)
    assert [table.path for table in built.report.unreadable] == ["lake_of_patterns.none"]
    with pytest.raises(LakeError, match="has no database 'nowhere'"):
        build_index_of_tables(spark, "nowhere.*")


def test_large_files_are_read_in_the_encoding_of_small_ones(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "k,word\r\n" + "".join(f"K{n % 9}-{n},Stra\xdfe {n % 7}\r\n" for n in range(40))
    for encoding in ("latin-1", "utf-16", "utf-8-sig"):
        folder = tmp_path / encoding
        folder.mkdir()
        (folder / "t.csv").write_bytes(text.encode(encoding))
    indexes = []
    for size in (lake_jobs.SMALL_TABLE_BYTES, 0):
        monkeypatch.setattr(lake_jobs, "SMALL_TABLE_BYTES", size)
        built = build_index(spark, tmp_path, enumeration=RULES)
        assert (built.report.columns, built.report.unreadable) == (6, ())
        indexes.append(_saved(built.index, tmp_path))
    assert indexes[0] == indexes[1]


def test_a_wide_table_of_the_catalog_is_read_once(spark: SparkSession, tmp_path: Path) -> None:
    names = [f"c{number}" for number in range(450)]
    rows = [",".join([*(f"k{row}-{number}" for number in range(450))]) for row in range(30)]
    _write(tmp_path, "wide.csv", "\n".join([",".join(names), *rows]))
    spark.read.csv(str(tmp_path), header=True).createOrReplaceTempView("wide_of_patterns")
    try:
        read, _, built = read_rows(
            spark, lambda: build_index_of_tables(spark, "wide_of_patterns", enumeration=RULES)
        )
    finally:
        spark.catalog.dropTempView("wide_of_patterns")
    assert (built.report.tables, built.report.columns) == (1, 450)
    assert read == 30


def test_a_sample_has_the_rows_and_files_that_were_asked_for(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a sample by value would have all or none of the rows of the frequent value
    _write(tmp_path, "many.csv", "k\n" + "\n".join(["A-1", "A-1", "B-22"] * 1000))
    for number in range(30):
        _write(tmp_path, f"parts/part-{number:05}.csv", _csv())
    sampling = Sampling(rows=300, files=3)
    for size in (lake_jobs.SMALL_TABLE_BYTES, 0):
        monkeypatch.setattr(lake_jobs, "SMALL_TABLE_BYTES", size)
        built = build_index(spark, tmp_path, enumeration=RULES, sampling=sampling)
        assert (built.report.tables, built.report.files) == (2, 4)
        assert built.index.columns == 3
    few = build_index(spark, tmp_path, sampling=Sampling(rows=300, least_values=301))
    assert few.index.columns == 0
