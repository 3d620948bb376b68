"""What a profile says, against DuckDB and by hand."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from assay import Dataset, MemoryStore
from assay.data import flights_path
from assay.engine.frame import schema_of
from assay.learn.profile import Profile, profile, profile_analyzers, profile_of
from assay.learn.profile.profile import kind_of
from tests.engine.rows_read import read_rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ROWS = 1000


@pytest.fixture(scope="module")
def orders(spark: SparkSession) -> DataFrame:
    rows: list[Any] = [
        (
            i,
            None if i % 4 == 0 else f"{i % 90 / 4}",
            f"{i % 5:05d}",
            ["new", "paid", "void"][i % 3],
            date(2026, 1, 1 + i % 28),
            float("nan") if i == 7 else i / 8 - 10,
            Decimal(i) / 4,
            (f"city {i % 7}", i % 2 == 0),
            [i, i],
            "2026-02-30" if i == 3 else f"2026-02-{1 + i % 28:02d}",
            None,
        )
        for i in range(_ROWS)
    ]
    schema = (
        "id bigint, `the price` string, zip string, status string, day date, x double,"
        " amount decimal(10,2), `to` struct<city: string, home: boolean>, tags array<int>,"
        " sent string, nothing string"
    )
    return spark.createDataFrame(rows, schema)


@pytest.fixture(scope="module")
def known(orders: DataFrame) -> Profile:
    return profile(orders)


@pytest.mark.connect
def test_columns_of_all_types_are_profiled(known: Profile) -> None:
    assert list(known) == [
        *("id", "the price", "zip", "status", "day", "x", "amount", "to.city", "to.home", "tags"),
        *("sent", "nothing"),
    ]
    assert known.rows == _ROWS
    assert all(each.rows == _ROWS for each in known.values())
    kinds = {name: each.kind for name, each in known.items()}
    assert kinds == {
        "id": "integral",
        "the price": "fractional",
        "zip": "integral",
        "status": "string",
        "day": "date",
        "x": "fractional",
        "amount": "fractional",
        "to.city": "string",
        "to.home": "boolean",
        "tags": "string",
        "sent": "date",
        "nothing": None,
    }


def test_numbers_in_strings_are_numbers(known: Profile) -> None:
    price = known["the price"]
    assert (price.present, price.nulls, price.completeness) == (750, 250, 0.75)
    prices = [i % 90 / 4 for i in range(_ROWS) if i % 4]
    assert price.numbers is not None
    assert price.numbers.minimum == min(prices)
    assert price.numbers.maximum == max(prices)
    assert price.numbers.mean == pytest.approx(sum(prices) / 750)
    middle = sorted(prices)[375]
    assert price.numbers.quantiles["0.5"] == pytest.approx(middle, abs=1)
    assert price.exact
    assert price.distinct == len(set(prices))


def test_codes_that_look_like_numbers_are_noticed(known: Profile) -> None:
    assert known["zip"].texts is not None
    assert known["zip"].texts.leading_zeros == _ROWS
    assert known["zip"].texts.min_length == known["zip"].texts.max_length == 5


def test_values_shapes_and_moments(known: Profile) -> None:
    status = known["status"]
    assert status.values is not None
    assert dict(status.values.counts) == {"new": 334, "paid": 333, "void": 333}
    assert status.exact
    assert status.texts is not None
    assert status.texts.shapes is not None
    assert dict(status.texts.shapes.counts) == {"a": 1000}
    day = known["day"]
    assert (day.first, day.last) == (date(2026, 1, 1), date(2026, 1, 28))
    sent = known["sent"]
    assert sent.looks == {"date": 1000}
    # the thirtieth of February is no day
    assert isinstance(sent.last, datetime)
    assert sent.last.astimezone(UTC) < datetime(2026, 3, 1, tzinfo=UTC)
    assert known["x"].numbers is not None
    assert known["x"].numbers.nans == 1
    nothing = known["nothing"]
    assert (nothing.present, nothing.distinct, nothing.values) == (0, 0, None)


def test_profiles_add_up(orders: DataFrame, known: Profile) -> None:
    parts = profile(orders.where("id % 3 = 0")) + profile(orders.where("id % 3 <> 0"))
    assert parts.rows == _ROWS
    for name in ("id", "amount", "day", "status", "to.home"):
        mine, whole = parts[name].to_dict(), known[name].to_dict()
        for each in (mine, whole):  # estimates of quantiles may differ
            each.get("numbers", {}).pop("quantiles", None)
            each.get("numbers", {}).pop("buckets", None)
        if name not in {"id", "amount"}:
            assert mine == whole
        else:
            assert mine["numbers"] == whole["numbers"]


def test_a_dataset_remembers_profiles(orders: DataFrame, known: Profile) -> None:
    schema = schema_of(orders)
    asked = profile_analyzers(schema)
    dataset = Dataset("orders", MemoryStore(), analyzers=asked)
    dataset.append(orders.where("id < 400"), "one")
    dataset.append(orders.where("id >= 400"), "two")
    types = {name: known[name].type for name in known}
    whole = profile_of(dataset.measured(), types)
    assert whole.rows == _ROWS
    assert whole["status"].to_dict() == known["status"].to_dict()
    first = profile_of(dataset.measured(keys=["one"]), types)
    assert first.rows == 400
    assert first["id"].numbers is not None
    assert first["id"].numbers.maximum == 399


def test_everything_can_be_shown(known: Profile, capsys: pytest.CaptureFixture[str]) -> None:
    shown = json.loads(known.to_json())
    assert [each["name"] for each in shown["columns"]] == list(known)
    known.show(width=120)
    printed = capsys.readouterr().out
    assert "string of fractional" in printed
    assert "new 33 %, paid 33 %, void 33 %" in printed
    assert "no values" in printed
    assert "12 columns, 1,000 rows" in printed


@pytest.mark.parametrize(
    ("looks", "kind"),
    [
        ({}, None),
        ({"integral": 5}, "integral"),
        ({"integral": 50, "fractional": 50}, "fractional"),
        ({"integral": 95, "string": 5}, "integral"),
        ({"integral": 50, "string": 50}, "string"),
        ({"date": 5, "timestamp": 5}, "timestamp"),
        ({"boolean": 9, "string": 1}, "boolean"),
    ],
)
def test_kinds(looks: dict[str, int], kind: str | None) -> None:
    assert kind_of(looks) == kind


def test_some_columns_only_and_bad_names(orders: DataFrame) -> None:
    assert list(profile(orders, ["status", "to.city"])) == ["status", "to.city"]
    with pytest.raises(Exception, match="no column 'statu'; did you mean 'status'"):
        profile(orders, ["statu"])


@pytest.mark.parametrize(
    "rows", [[], [(None, None, None)], [(1, "a", [])]], ids=["empty", "nulls", "one"]
)
def test_little_data(spark: SparkSession, rows: list[Any]) -> None:
    known = profile(spark.createDataFrame(rows, "`select` bigint, `from` string, `a.b` array<int>"))
    assert list(known) == ["select", "from", "a.b"]
    assert known.rows == len(rows)
    known.show()
    json.loads(known.to_json())


def test_names_that_differ_in_case_or_not_at_all(spark: SparkSession) -> None:
    df = spark.range(3).selectExpr(
        "id AS a", "id * 2 AS A", "id AS b", "string(id) AS b", "id AS c"
    )
    known = profile(df)
    assert list(known) == ["a", "A", "c"]
    assert known["A"].numbers is not None
    assert known["A"].numbers.maximum == 4


def test_at_most_two_passes(spark: SparkSession, orders: DataFrame, tmp_path: Path) -> None:
    path = str(tmp_path / "orders")
    orders.coalesce(1).drop("nothing").write.option("header", True).json(path)
    df = spark.read.schema(orders.schema).json(path)
    read, _, _ = read_rows(spark, lambda: profile(df))
    assert read == 2 * _ROWS


def test_real_flights_against_duckdb(spark: SparkSession) -> None:
    path = str(flights_path())
    df = spark.read.option("header", True).option("nullValue", "NA").csv(path)
    known = profile(df)
    query = """
        SELECT count(*), count({0}), count(DISTINCT {0}),
               min({1}), max({1}), avg({1}), stddev_pop({1})
        FROM read_csv('{2}/*.csv.gz', header=true, nullstr='NA', all_varchar=true)
    """
    for name in ("dep_delay", "distance", "air_time", "flight", "minute"):
        number = f"TRY_CAST({name} AS DOUBLE)"
        found = duckdb.connect().execute(query.format(name, number, path)).fetchone()
        assert found is not None
        rows, present, distinct, low, high, mean, deviation = found
        each = known[name]
        assert (each.rows, each.present) == (rows, present)
        assert each.distinct == (distinct if each.exact else pytest.approx(distinct, rel=0.06))
        assert each.numbers is not None
        assert (each.numbers.minimum, each.numbers.maximum) == (low, high)
        assert each.numbers.mean == pytest.approx(mean)
        assert each.numbers.standard_deviation == pytest.approx(deviation)
