"""The batches of files, folders, Hive partitions and patterns, without Spark."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assay.errors import SourceError
from assay.io.batch_names import key_of_path, partition_type, time_of_partitions
from assay.io.find_batches import FoundBatches, find_batches
from tests.realdata import data_path

ORDERS = "id,amount\n1,2.5\n2,3.5\n"
Tree = Callable[..., Path]


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    def create(*names: str, **texts: str) -> Path:
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(texts.get(Path(name).stem, ORDERS))
        return tmp_path

    return create


def located(*sources: str | Path, by: tuple[str, ...] = ()) -> FoundBatches:
    batches = find_batches([str(source) for source in sources], by=by)
    assert batches is not None
    return batches


def keys(batches: FoundBatches) -> list[str]:
    return [batch.key for batch in batches.batches]


def test_each_file_of_a_folder_is_a_batch(tree: Tree) -> None:
    folder = tree("b-2026-11-02.csv", "a-2026-11-03.csv.gz", "a-2026-11-01.csv")
    batches = located(folder)
    assert keys(batches) == ["a-2026-11-01", "b-2026-11-02", "a-2026-11-03"]
    assert batches.batches[0].time == datetime(2026, 11, 1, tzinfo=UTC)


def test_files_of_other_tables_are_left_out_with_a_reason(tree: Tree) -> None:
    folder = tree(
        "orders-2026-11-01.csv", "orders-2026-11-02.csv", "orders-2026-11-03.csv",
        "countries.csv", "README.md", "notes.txt", "archive/orders-2025-11-01.csv", "_SUCCESS",
        countries="code,name\nde,Germany\nfr,France\n", notes="Deliveries begin in November.",
    )  # fmt: skip
    (folder / "orders-2026-11-04.csv").write_text("<html><title>Down</title></html>")
    (folder / "orders-2026-11-05.csv").write_text("code,name\nde,Germany\n")
    batches = located(folder)
    assert keys(batches) == [f"orders-2026-11-0{day}" for day in range(1, 6)]
    assert sorted(path.name for path in batches.left_out) == [
        "README.md", "countries.csv", "notes.txt", "orders-2025-11-01.csv",
    ]  # fmt: skip


def test_the_partitions_of_the_time_name_batches_and_the_others_are_columns(tree: Tree) -> None:
    lake = tree(
        "date=2026-11-02/country=de/part-0.csv",
        "date=2026-11-01/country=de/part-0.csv",
        "date=2026-11-01/country=fr/part-0.csv",
        "README.md",
    )
    batches = located(lake)
    assert keys(batches) == ["date=2026-11-01", "date=2026-11-02"]
    assert [len(batch.files) for batch in batches.batches] == [2, 1]
    assert batches.layout.columns == {"country": "string"}
    assert [path.name for path in batches.left_out] == ["README.md"]
    assert keys(located(lake, by=("country",))) == ["country=de", "country=fr"]
    assert located(lake, by=("country",)).layout.columns == {"date": "date"}
    assert keys(located(lake, by=("date", "country"))) == [
        "date=2026-11-01/country=de", "date=2026-11-01/country=fr", "date=2026-11-02/country=de",
    ]  # fmt: skip
    assert find_batches([str(lake)], by=("amount",)) is None


def test_year_month_and_day_name_a_batch_together(tree: Tree) -> None:
    lake = tree("shop=7/year=2026/month=1/day=9/a.csv", "shop=8/year=2026/month=1/day=9/a.csv")
    batches = located(lake)
    assert keys(batches) == ["year=2026/month=1/day=9"]
    assert batches.batches[0].time == datetime(2026, 1, 9, tzinfo=UTC)
    assert batches.layout.columns == {"shop": "int"}


def test_a_folder_of_files_is_a_batch(tree: Tree) -> None:
    folder = tree("2026/11/01/a.csv", "2026/11/01/b.csv", "2026/11/02/a.csv")
    batches = located(folder)
    assert keys(batches) == ["2026/11/01", "2026/11/02"]
    assert batches.batches[1].time == datetime(2026, 11, 2, tzinfo=UTC)
    tree("2026/9/5/a.csv")
    assert keys(located(folder))[0] == "2026/9/5"
    assert keys(located(folder / "2026/11/*")) == keys(batches)
    assert keys(located(folder / "2026/11/*/*.csv")) == keys(batches)


def test_the_parts_that_spark_writes_are_one_batch(tree: Tree) -> None:
    folder = tree("orders-2026-11-14/part-00000-a1.csv", "orders-2026-11-14/part-00001-b2.csv")
    batches = located(folder / "orders-2026-11-14")
    assert keys(batches) == keys(located(folder)) == ["orders-2026-11-14"]
    assert len(batches.batches[0].files) == 2


def test_a_file_per_day_is_a_batch_in_any_folder(tree: Tree) -> None:
    folder = tree("README.md", "batches/2026-11-01.csv", "batches/2026-11-02T0630.csv")
    assert keys(located(folder)) == ["2026-11-01", "2026-11-02T0630"]
    tree("old/2026-11-01.csv", "old/2026-11-03.csv")
    with pytest.raises(SourceError, match="are both batch '2026-11-01'"):
        find_batches([str(folder)])


def test_names_that_differ_in_the_time_only_are_the_same_table(tree: Tree) -> None:
    folder = tree("2026-11-01.csv", "2026-11-02.csv", "2026-11-03T0630.csv")
    (folder / "2026-11-03T0630.csv").write_text("code,name\nde,Germany\n")
    assert len(keys(located(folder))) == 3


def test_real_deliveries_of_two_naming_schemes_are_all_batches() -> None:
    folder = data_path("recurring", "hhs_hospital_utilization", "batches")
    paths = sorted(folder.iterdir())
    some = [*paths[:6], *paths[-6:]]
    assert len(located(*some).batches) == len(some)


def test_a_pattern_or_several_files_are_a_batch_for_each_file(tree: Tree) -> None:
    folder = tree("a-2026-11-01.csv", "a-2026-11-02.csv", "b-2026-11-01.csv")
    assert keys(located(folder / "a-*.csv")) == ["a-2026-11-01", "a-2026-11-02"]
    assert keys(located(folder / "a-2026-11-01.csv", folder / "b-2026-11-01.csv")) == [
        "a-2026-11-01", "b-2026-11-01",
    ]  # fmt: skip


def test_daily_files_in_one_partition_are_a_batch_for_each_file(tree: Tree) -> None:
    folder = tree("region=eu/2026-11-01.csv", "region=eu/2026-11-02.csv")
    assert keys(located(folder / "region=eu")) == ["2026-11-01", "2026-11-02"]
    assert keys(located(folder / "region=eu" / "2026-11-01.csv")) == ["2026-11-01"]


def test_all_files_can_be_one_batch(tree: Tree) -> None:
    lake = tree("date=2026-11-01/part-0.csv", "date=2026-11-02/part-0.csv")
    one = located(lake).as_one("all")
    assert keys(one) == ["all"]
    assert one.layout.columns == {"date": "date"}
    day = located(lake / "date=2026-11-01").as_one("day")
    assert (day.layout.key_columns, day.layout.columns) == (("date",), {})
    assert day.batches[0].files == (lake / "date=2026-11-01" / "part-0.csv",)


def test_a_path_without_files_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no files"):
        find_batches([str(tmp_path)])
    with pytest.raises(SourceError, match="no-such-folder"):
        find_batches([str(tmp_path / "no-such-folder")])


@pytest.mark.parametrize("source", ["s3a://lake/orders", "orders", "sales.orders"])
def test_tables_that_only_spark_knows_are_not_files(source: str) -> None:
    assert find_batches([source]) is None


@pytest.mark.parametrize(
    ("path", "is_folder", "key"),
    [
        ("in/orders.2026-11-14.csv.gz", False, "orders.2026-11-14"),
        ("in/2026-11-14", True, "2026-11-14"),
        ("in/2026/1/5", True, "2026/1/5"),
        ("2026-11-14.parquet", True, "2026-11-14"),
    ],
)
def test_a_path_names_its_batch(path: str, is_folder: bool, key: str) -> None:
    assert key_of_path(Path(path), is_folder=is_folder) == key


def test_a_partition_has_the_type_that_spark_gives_it() -> None:
    assert partition_type(["1", "-20"]) == "int"
    assert partition_type(["1", "3000000000"]) == "bigint"
    assert partition_type(["2026-02-30"]) == partition_type([]) == "string"
    assert time_of_partitions({"month": "2026-03"}) == datetime(2026, 3, 1, tzinfo=UTC)
    assert time_of_partitions({"year": "2026", "month": "13"}) is None
