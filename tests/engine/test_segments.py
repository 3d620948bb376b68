"""All segments are measured in one query, however wide the table is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.analyzers import (
    Analyzer,
    ApproxCountDistinct,
    Completeness,
    Compliance,
    Correlation,
    CountDistinct,
    Maximum,
    Mean,
    Median,
    Minimum,
    NullSignature,
    Size,
    StandardDeviation,
)
from assay.engine import measure, plan_for
from assay.engine.frame import schema_of
from assay.learn.fingerprint.analyzers import fingerprint_analyzers
from tests.engine.rows_read import last_plan, queries_of, read_rows
from tests.traps.reasons import problem_code

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS = 600
COLUMNS = [f"c{i}" for i in range(60)]
KINDS = (Completeness, Minimum, Maximum, Mean, StandardDeviation, ApproxCountDistinct)
analyzers: list[Analyzer] = [Size(), *(kind(name) for name in COLUMNS for kind in KINDS)]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sixty columns of numbers, and `g`: of a third of the rows 0, of a third 1, else null."""
    file = tmp_path_factory.mktemp("segments") / "wide.parquet"
    data: dict[str, list[Any]] = {
        name: [(row * (i + 7)) % 101 / 2 if row % (i + 7) else None for row in range(ROWS)]
        for i, name in enumerate(COLUMNS)
    }
    data["g"] = [(0, 1, None)[row % 3] for row in range(ROWS)]
    pq.write_table(pa.table(data), file, row_group_size=ROWS // 2, use_dictionary=False)
    return file


@pytest.fixture(scope="module")
def frame(spark: SparkSession, path: Path) -> DataFrame:
    return spark.read.parquet(str(path))


def failing(frame: DataFrame, name: str = "c41") -> DataFrame:
    """The same table, but one column of it cannot be computed on one row."""
    broken = f"IF(c1 = 12.0 AND g = 0, cast('n/a' AS double), {name})"
    return frame.selectExpr(
        *(f"{broken} AS {column}" if column == name else column for column in frame.columns)
    )


@pytest.mark.classic
def test_all_segments_of_a_wide_table_are_one_query(spark: SparkSession, frame: DataFrame) -> None:
    plan = plan_for(frame, analyzers, ["g"])
    assert plan.sharing == "separate"
    assert plan.passes == plan.scan_passes == 2 * len(plan.scans) > 8
    assert plan.queries == 1
    queries, measured = queries_of(spark, lambda: measure(frame, analyzers, by=["g"]))
    assert queries == 1
    assert set(measured) == {(0,), (1,), (None,)}
    read, _, _ = read_rows(spark, lambda: measure(frame, analyzers, by=["g"]))
    assert read == plan.passes * ROWS
    queries, _ = queries_of(
        spark, lambda: measure(frame, [*analyzers, CountDistinct("c0")], by=["g"])
    )
    assert queries == plan_for(frame, [*analyzers, CountDistinct("c0")], ["g"]).queries == 2


@pytest.mark.classic
def test_every_branch_reads_its_own_columns_by_generated_code(
    spark: SparkSession, frame: DataFrame
) -> None:
    measure(frame, analyzers, by=["g"])
    plan = last_plan(spark)
    schemas = [
        line.removeprefix("ReadSchema: ") for line in plan.splitlines() if "ReadSchema" in line
    ]
    scans = plan_for(frame, analyzers, ["g"]).scans
    assert len(schemas) >= 2 * len(scans)
    widest = max(len(scan.columns) for scan in scans)
    assert max(schema.count(":") for schema in schemas) == widest + 1
    final = plan[: plan.index("Initial Plan")]
    partial = [line for line in final.splitlines() if "* HashAggregate" in line]
    assert len(partial) >= len(scans)


@pytest.mark.connect
def test_the_union_equals_one_aggregation_and_each_segment_alone(frame: DataFrame) -> None:
    few = [*analyzers[:100], Median("c0"), Correlation("c0", "c59"), Compliance("c3 > c50")]
    measured = measure(frame, few, by=["g"])
    mixed = measure(frame, few, by=["g"], allow_multiple_reads=False)
    assert plan_for(frame, few, ["g"]).sharing == "separate"
    assert set(measured) == set(mixed) == {(0,), (1,), (None,)}
    for segment, metrics in measured.items():
        assert all(metric.problem is None for metric in metrics.values())
        alone = measure(frame.where(frame["g"].eqNullSafe(segment[0])), few)
        for analyzer in few:
            assert metrics.value(analyzer) == pytest.approx(mixed[segment].value(analyzer)), (
                analyzer.key
            )
            assert metrics.value(analyzer) == pytest.approx(alone.value(analyzer)), analyzer.key


@pytest.mark.connect
def test_values_of_every_type_survive_a_union(spark: SparkSession, tmp_path: Path) -> None:
    """A union has an array for each type; of each, what a fingerprint asks and its extremes."""
    types = ["boolean", "tinyint", "bigint", "float", "decimal(9,2)", "decimal(38,0)", "string"]
    days = "timestamp'2026-11-14 01:02:03' + make_dt_interval(int(id))"
    made = [f"cast(id AS {kind}) AS c{i}" for i, kind in enumerate(types)]
    made += [f"{days} AS at", f"cast({days} AS timestamp_ntz) AS local", f"date({days}) AS day"]
    made += ["make_dt_interval(int(id)) AS wait", "cast(cast(id AS string) AS binary) AS bytes"]
    rows = spark.range(40).selectExpr(*made, "array(id, NULL) AS list", "id % 2 AS g")
    rows.write.parquet(str(tmp_path / "types"))
    df = spark.read.parquet(str(tmp_path / "types"))
    names = [name for name in df.columns if name != "g"]
    few = [*fingerprint_analyzers(schema_of(df.drop("g")))]
    few += [made(name) for name in names for made in (Minimum, Maximum)]
    assert plan_for(df, few, ["g"]).sharing == "separate"
    for segment, metrics in measure(df, few, by=["g"]).items():
        alone = measure(df.where(f"g = {segment[0]}").drop("g"), few)
        assert set(metrics) == set(alone)
        for analyzer in set(few) - {NullSignature()}:  # of all columns, and `g` is one
            assert metrics[analyzer] == alone[analyzer], analyzer.key


@pytest.mark.connect
def test_a_table_without_rows_has_no_segments(frame: DataFrame) -> None:
    assert measure(frame.limit(0), analyzers[:20], by=["g"]) == {}
    assert measure(frame.where("c0 < -1"), analyzers[:20], by=["g"]) == {}


@pytest.mark.connect
def test_odd_names_in_a_union(spark: SparkSession, tmp_path: Path) -> None:
    names = ["b0", "b1", "x0", "0", "a.b", "a`b", "ID", "id"]
    table = pa.table([pa.array([float(i), None]) for i in range(len(names))], names=names)
    pq.write_table(table, tmp_path / "odd.parquet")
    spark.conf.set("spark.sql.caseSensitive", "true")
    try:
        frame = spark.read.parquet(str(tmp_path))
        few = [kind(name) for name in names for kind in (Mean, Median)]
        measured = measure(frame, few, by=["b0"])
        assert [measured[0.0,].value(analyzer) for analyzer in few] == [
            float(i // 2) for i in range(16)
        ]
    finally:
        spark.conf.unset("spark.sql.caseSensitive")


@pytest.mark.connect
def test_only_the_failing_aggregate_of_a_union_fails(frame: DataFrame) -> None:
    bad = Compliance("1 / (c0 - 7) > 0")
    good = analyzers[:60]
    measured = measure(frame, [*good, bad, Compliance("c2 > 3")], by=["g"])
    without_failures = measure(frame, good, by=["g"])
    assert set(measured) == set(without_failures)
    for segment, metrics in measured.items():
        assert problem_code(metrics[bad]) == "divide_by_zero"
        assert metrics[Compliance("c2 > 3")].problem is None
        assert [metrics[analyzer] for analyzer in good] == [
            without_failures[segment][analyzer] for analyzer in good
        ]


@pytest.mark.connect
@pytest.mark.parametrize("by", [(), ("g",)], ids=["whole", "segments"])
def test_a_failing_column_does_not_affect_other_columns(
    frame: DataFrame, by: tuple[str, ...]
) -> None:
    pair, guarded = Correlation("c41", "c7"), Completeness("c41", where="g = 1")
    wanted = [*analyzers, pair, guarded]
    segments = measure(failing(frame), wanted, by=by)
    intact = measure(frame, wanted, by=by)
    assert set(segments) == set(intact)
    for segment, metrics in segments.items():
        lost = {
            analyzer
            for analyzer in wanted
            if metrics[analyzer].problem != intact[segment][analyzer].problem
        }
        assert lost == {pair, *(kind("c41") for kind in KINDS)}
        assert {problem_code(metrics[analyzer]) for analyzer in lost} == {"cast_invalid_input"}
        kept = [analyzer for analyzer in wanted if analyzer not in lost]
        assert [metrics[analyzer] for analyzer in kept] == [
            intact[segment][analyzer] for analyzer in kept
        ]


@pytest.mark.classic
def test_a_failing_column_is_found_in_few_queries(spark: SparkSession, frame: DataFrame) -> None:
    df = failing(frame)
    segments, _ = queries_of(spark, lambda: measure(df, analyzers, by=["g"]))
    unsegmented, _ = queries_of(spark, lambda: measure(df, analyzers))
    assert segments <= 11
    assert unsegmented <= len(plan_for(df, analyzers).scans) + 8


@pytest.mark.classic
def test_a_failing_key_of_segments_is_not_blamed_on_an_aggregate(
    spark: SparkSession, frame: DataFrame
) -> None:
    df = failing(frame, "g")
    queries, measured = queries_of(spark, lambda: measure(df, analyzers, by=["g"]))
    assert {problem_code(measured[()][analyzer]) for analyzer in analyzers} == {
        "cast_invalid_input"
    }
    assert queries <= 3


@pytest.mark.connect
def test_a_damaged_column_does_not_affect_other_columns(
    spark: SparkSession, path: Path, tmp_path: Path
) -> None:
    torn = tmp_path / "torn.parquet"
    torn.write_bytes(_torn(path.read_bytes(), pq.read_metadata(path).row_group(0).column(41)))
    measured = measure(spark.read.parquet(str(torn)), analyzers, by=["g"])
    lost = {
        analyzer
        for metrics in measured.values()
        for analyzer in analyzers
        if metrics[analyzer].problem is not None
    }
    assert lost == {kind("c41") for kind in KINDS}


def _torn(data: bytes, chunk: Any) -> bytes:
    start, size = int(chunk.data_page_offset), int(chunk.total_compressed_size)
    return data[:start] + b"\xff" * size + data[start + size :]
