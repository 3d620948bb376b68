"""`backfill`, `backtest` and `gate` take folders, Hive partitions, patterns and tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay.cli.exits import Exit
from assay.store import EmbeddedStore, Selection
from tests.cli.running import assay

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.usefixtures("spark")

DAYS = ("2026-11-01", "2026-11-02", "2026-11-03")


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three days of two countries in Hive partitions, with a README beside them."""
    lake = tmp_path_factory.mktemp("lake")
    for day in DAYS:
        for country in ("de", "fr"):
            folder = lake / f"date={day}" / f"country={country}"
            folder.mkdir(parents=True)
            (folder / "part-0.csv").write_text(
                "id,amount\n" + "".join(f"{n},{n}.5\n" for n in range(9))
            )
    (lake / "README.md").write_text("Orders.")
    return lake


def keys(folder: Path) -> list[str]:
    return [batch.key for batch in EmbeddedStore(folder).batches(Selection("orders"))]


def test_hive_partitions_from_backfill_to_gate(lake: Path, tmp_path: Path) -> None:
    store = ("--store", tmp_path / "store")
    done = assay("backfill", "orders", lake, "--where", "date < '2026-11-03'", *store, "--json")
    assert done.code == Exit.CLEAN, done.err
    assert done.json["batches"] == 2
    assert list(done.json["left_out"]) == [str(lake / "README.md")]
    assert "README.md is left out" in done.err
    assert keys(tmp_path / "store") == [f"date={day}" for day in DAYS[:2]]

    day = lake / f"date={DAYS[2]}"
    done = assay("gate", "orders", day, *store, "--json")
    assert done.err == ""
    assert (done.code, done.json["batch"]) == (Exit.CLEAN, f"date={DAYS[2]}"), done.err
    assert done.json["time"] == "2026-11-03T00:00:00+00:00"
    assert done.json["row_count"] == 18
    assert not [finding for finding in done.json["findings"] if finding["judge"] == "schema"]

    several = assay("gate", "orders", lake, *store)
    assert several.code == Exit.USAGE
    assert "3 batches" in several.err
    where = ("--where", f"date = '{DAYS[2]}' AND country = 'de'")
    done = assay("gate", "orders", lake, *where, *store, "--json")
    assert (done.json["batch"], done.json["row_count"]) == (f"date={DAYS[2]}", 9)
    done = assay("gate", "orders", day / "country=de", "--batch", "x", *store, "--json")
    assert (done.json["batch"], done.json["row_count"]) == ("x", 9)


def test_by_overrules_the_partition_of_the_time(lake: Path, tmp_path: Path) -> None:
    store = ("--store", tmp_path)
    assert assay("backfill", "orders", lake, "--by", "country", *store).code == Exit.CLEAN
    assert keys(tmp_path) == ["country=de", "country=fr"]


def test_a_table_is_split_by_a_column(spark: SparkSession, tmp_path: Path) -> None:
    rows = spark.range(30).selectExpr("id", "date_add(DATE'2026-11-01', int(id % 3)) AS `the day`")
    rows.createOrReplaceTempView("orders_by_day")
    store = ("--store", tmp_path)
    by = ("--by", "the day")
    where = ("--where", "`the day` < '2026-11-03'")
    done = assay("backfill", "orders", "orders_by_day", *by, *where, *store)
    assert done.code == Exit.CLEAN, done.err
    assert keys(tmp_path) == ["the day=2026-11-01", "the day=2026-11-02"]
    where = ("--where", "`the day` = '2026-11-03'")
    done = assay("gate", "orders", "orders_by_day", *by, *where, *store, "--json")
    assert (done.json["batch"], done.json["column_count"]) == ("the day=2026-11-03", 1)
    done = assay("gate", "orders", "orders_by_day", *store)
    assert done.code == Exit.USAGE
    assert "--by COLUMN" in done.err
    done = assay("backtest", "orders", "orders_by_day", "--by", "the_day")
    assert done.code == Exit.USAGE
    assert "'the day'" in done.err


def test_a_partitioned_table_of_the_catalog_needs_no_column(
    spark: SparkSession, tmp_path: Path
) -> None:
    spark.sql(f"""CREATE TABLE partitioned_orders (id BIGINT, country STRING, day DATE)
        USING PARQUET PARTITIONED BY (country, day) LOCATION '{tmp_path / "table"}'""")
    try:
        spark.sql("""INSERT INTO partitioned_orders VALUES
            (1, 'de', DATE'2026-11-01'), (2, 'fr', DATE'2026-11-02')""")
        store = tmp_path / "store"
        done = assay("backfill", "orders", "partitioned_orders", "--store", store)
        assert done.code == Exit.CLEAN, done.err
        assert keys(store) == ["day=2026-11-01", "day=2026-11-02"]
    finally:
        spark.sql("DROP TABLE partitioned_orders")


def test_a_backtest_counts_equal_holds_as_one_alarm(tmp_path: Path) -> None:
    for day in range(1, 15):
        amounts = [n * (100 if day > 10 else 1) + day / 10 for n in range(200)]
        status = "NEW" if day > 10 else "new"
        text = "amount,status\n" + "".join(f"{amount},{status}\n" for amount in amounts)
        (tmp_path / f"2026-11-{day:02}.csv").write_text(text)
    held = assay("backtest", "orders", tmp_path, "--json").json
    alarms = [alarm for alarm in held["alarms"] if alarm["decision"] == "hold"]
    assert [(alarm["first"], alarm["batches"]) for alarm in alarms] == [("2026-11-11", 4)]
    assert (held["review"], held["released"]) == ("none", [])
    done = assay("backtest", "orders", tmp_path, "--review", "release")
    assert done.code == Exit.CLEAN
    assert "The review released " in done.out
    assert assay("backtest", "orders", tmp_path, "--review", "often").code == Exit.USAGE
    old = assay("backtest", "orders", tmp_path, "--release", "--json")
    assert "--review release" in old.err
    assert old.json["released"][0] == "2026-11-11"
