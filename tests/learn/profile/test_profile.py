"""Profiles of tables, compared with DuckDB and with values computed by hand."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from assay import Dataset, MemoryStore
from assay.analyzers.metric import Distribution
from assay.data import flights_path
from assay.engine.frame import schema_of
from assay.engine.measurement import Measurement
from assay.learn.profile import ColumnProfile, Profile, profile, profile_analyzers, profile_of
from assay.learn.profile.column_profile import kind_of
from tests.engine.rows_read import read_rows
from tests.report.html.reading import sound

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
def orders_profile(orders: DataFrame) -> Profile:
    return profile(orders)


@pytest.mark.connect
def test_columns_of_all_types_are_profiled(orders_profile: Profile) -> None:
    assert list(orders_profile) == [
        *("id", "the price", "zip", "status", "day", "x", "amount", "to.city", "to.home", "tags"),
        *("sent", "nothing"),
    ]
    assert orders_profile.rows == _ROWS
    assert all(column.rows == _ROWS for column in orders_profile.values())
    kinds = {name: column.kind for name, column in orders_profile.items()}
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


def test_numbers_in_strings_are_measured(orders_profile: Profile) -> None:
    price = orders_profile["the price"]
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


def test_leading_zeros_are_counted(orders_profile: Profile) -> None:
    assert orders_profile["zip"].texts is not None
    assert orders_profile["zip"].texts.leading_zeros == _ROWS
    assert orders_profile["zip"].texts.min_length == orders_profile["zip"].texts.max_length == 5


def test_values_shapes_and_dates_are_measured(orders_profile: Profile) -> None:
    status = orders_profile["status"]
    assert status.values is not None
    assert dict(status.values.counts) == {"new": 334, "paid": 333, "void": 333}
    assert status.exact
    assert status.texts is not None
    assert status.texts.shapes is not None
    assert dict(status.texts.shapes.counts) == {"a": 1000}
    day = orders_profile["day"]
    assert (day.first, day.last) == (date(2026, 1, 1), date(2026, 1, 28))
    sent = orders_profile["sent"]
    assert sent.looks == {"date": 1000}
    # 2026-02-30 is not a date
    assert isinstance(sent.last, datetime)
    assert sent.last.astimezone(UTC) < datetime(2026, 3, 1, tzinfo=UTC)
    assert orders_profile["x"].numbers is not None
    assert orders_profile["x"].numbers.nans == 1
    nothing = orders_profile["nothing"]
    assert (nothing.present, nothing.distinct, nothing.values) == (0, 0, None)


def test_moments_have_a_distribution_and_arrays_a_number_of_entries(
    orders_profile: Profile,
) -> None:
    for name in ("day", "sent"):
        period = orders_profile[name].period
        assert period is not None
        assert len(period) == 10
        assert sum(period.counts.values()) == pytest.approx(_ROWS, abs=5)
    lengths = orders_profile["tags"].lengths
    assert lengths is not None
    assert (lengths.minimum, lengths.mean, lengths.maximum) == (2, 2, 2)
    assert orders_profile["tags"].numbers is None


@pytest.mark.connect
def test_repeated_rows_are_counted_by_position_and_with_nulls(
    spark: SparkSession, orders_profile: Profile
) -> None:
    assert orders_profile.repeated_share == 0
    rows = [(None, "a"), ("a", None), ("a", "b"), ("a", "b")]
    few = profile(spark.createDataFrame(rows, "first string, second string"))
    assert few.repeated_share == 0.25
    assert profile(spark.range(2).toDF("n"), ["n"]).repeated_share is None


def test_the_share_of_repeated_rows_is_estimated_from_a_sample(spark: SparkSession) -> None:
    """A twentieth of the rows occurs twice. A sample has about 350 of the distinct rows."""
    df = spark.range(10_000).selectExpr("if(id < 9500, id, id - 9500) AS id", "map('a', 1) AS more")
    table = profile(df)
    assert table.repeated_share == pytest.approx(0.05, abs=0.035)
    assert "repeated_rows" in {observation.code for observation in table.observations}


def test_profiles_of_parts_can_be_added(orders: DataFrame, orders_profile: Profile) -> None:
    parts = profile(orders.where("id % 3 = 0")) + profile(orders.where("id % 3 <> 0"))
    assert parts.rows == _ROWS
    for name in ("id", "amount", "day", "status", "to.home"):
        total, expected = parts[name].to_dict(), orders_profile[name].to_dict()
        for column in (total, expected):  # estimates of quantiles may differ
            column.get("numbers", {}).pop("quantiles", None)
            column.get("numbers", {}).pop("buckets", None)
            column.pop("period", None)
        if name not in {"id", "amount"}:
            assert total == expected
        else:
            assert total["numbers"] == expected["numbers"]


def test_a_dataset_can_remember_profiles(orders: DataFrame, orders_profile: Profile) -> None:
    schema = schema_of(orders)
    dataset = Dataset("orders", MemoryStore(), analyzers=profile_analyzers(schema))
    dataset.append(orders.where("id < 400"), "one")
    dataset.append(orders.where("id >= 400"), "two")
    types = {name: orders_profile[name].type for name in orders_profile}
    remembered = profile_of(dataset.measured(), types)
    assert remembered.rows == _ROWS
    assert remembered["status"].to_dict() == orders_profile["status"].to_dict()
    first = profile_of(dataset.measured(keys=["one"]), types)
    assert first.rows == 400
    assert first["id"].numbers is not None
    assert first["id"].numbers.maximum == 399


def test_a_profile_is_printed_and_written_as_json(
    orders_profile: Profile, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = json.loads(orders_profile.to_json())
    assert [column["name"] for column in shown["columns"]] == list(orders_profile)
    orders_profile.show(width=120)
    printed = capsys.readouterr().out
    assert "number (text)" in printed
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
def test_the_kind_of_a_column_has_nine_tenths_of_its_values(
    looks: dict[str, int], kind: str | None
) -> None:
    assert kind_of(looks) == kind


def test_some_columns_are_profiled_and_unknown_ones_refused(orders: DataFrame) -> None:
    assert list(profile(orders, ["status", "to.city"])) == ["status", "to.city"]
    with pytest.raises(Exception, match="no column 'statu'; did you mean 'status'"):
        profile(orders, ["statu"])


@pytest.mark.parametrize(
    "rows", [[], [(None, None, None)], [(1, "a", [])]], ids=["empty", "nulls", "one"]
)
def test_tables_with_few_rows_are_profiled(spark: SparkSession, rows: list[Any]) -> None:
    table = profile(spark.createDataFrame(rows, "`select` bigint, `from` string, `a.b` array<int>"))
    assert list(table) == ["select", "from", "a.b"]
    assert table.rows == len(rows)
    table.show()
    json.loads(table.to_json())


def test_repeated_names_are_left_out(spark: SparkSession) -> None:
    df = spark.range(3).selectExpr(
        "id AS a", "id * 2 AS A", "id AS b", "string(id) AS b", "id AS c"
    )
    table = profile(df)
    assert list(table) == ["a", "A", "c"]
    assert table["A"].numbers is not None
    assert table["A"].numbers.maximum == 4


def test_a_table_is_read_at_most_twice(
    spark: SparkSession, orders: DataFrame, tmp_path: Path
) -> None:
    path = str(tmp_path / "orders")
    orders.coalesce(1).drop("nothing").write.option("header", True).json(path)
    df = spark.read.schema(orders.schema).json(path)
    read, _, _ = read_rows(spark, lambda: profile(df))
    assert read == 2 * _ROWS


def test_statistics_of_flights_agree_with_duckdb(spark: SparkSession) -> None:
    path = str(flights_path())
    df = spark.read.option("header", True).option("nullValue", "NA").csv(path)
    table = profile(df)
    query = """
        SELECT count(*), count({0}), count(DISTINCT {0}),
               min({1}), max({1}), avg({1}), stddev_pop({1})
        FROM read_csv('{2}/*.csv.gz', header=true, nullstr='NA', all_varchar=true)
    """
    for name in ("dep_delay", "distance", "air_time", "flight", "minute"):
        number = f"TRY_CAST({name} AS DOUBLE)"
        row = duckdb.connect().execute(query.format(name, number, path)).fetchone()
        assert row is not None
        rows, present, distinct, low, high, mean, deviation = row
        column = table[name]
        assert (column.rows, column.present) == (rows, present)
        assert column.distinct == (distinct if column.exact else pytest.approx(distinct, rel=0.06))
        assert column.numbers is not None
        assert (column.numbers.minimum, column.numbers.maximum) == (low, high)
        assert column.numbers.mean == pytest.approx(mean)
        assert column.numbers.standard_deviation == pytest.approx(deviation)


def text_profile(values: dict[str, int]) -> Profile:
    counts = Distribution(values)
    rows = sum(values.values())
    column = ColumnProfile(
        "<b>", "string", rows, rows, len(values), "string", values=counts, exact=True
    )
    return Profile(rows, {"<b>": column}, {"<b>": "string"}, Measurement({}, {}))


def test_representations_are_short_and_escape_text() -> None:
    table = text_profile({"<script>": 3, "x": 1})
    assert repr(table) == str(table) == "Profile(1 column, 4 rows)"
    assert repr(table["<b>"]) == "ColumnProfile('<b>', string, 100 % complete, 2 distinct)"
    html = table._repr_html_()
    assert "&lt;script&gt; 75 %" in html
    assert "<script>" not in html


def test_the_page_leads_with_what_is_worth_a_look_and_shows_all_columns(
    orders_profile: Profile,
) -> None:
    text = sound(orders_profile.to_html()).text
    assert "Profile of the table" in text
    assert text.index("Worth a look") < text.index("All columns")
    for column in orders_profile.values():
        assert column.name in text
    assert "2026-01-01 … 2026-01-28" in text
    assert "number (text)" in text


def test_a_wide_table_is_printed_and_shown_in_part(capsys: pytest.CaptureFixture[str]) -> None:
    columns = {f"c{n}": ColumnProfile(f"c{n}", "int", 9, 9, 9) for n in range(1500)}
    types = dict.fromkeys(columns, "int")
    wide = Profile(9, columns, types, Measurement({}, {}))
    wide.show(width=100)
    printed = capsys.readouterr().out
    assert "c59 " in printed
    assert "c60 " not in printed
    assert "1,440 more columns" in printed
    page = sound(wide.to_html())
    assert "c59" in page.text
    assert "more columns" in page.text


def test_values_in_brackets_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """The terminal must not read them as styles."""
    text_profile({"[red]": 3, "[/]": 1}).show(width=100)
    assert "[red] 75 %, [/] 25 %" in capsys.readouterr().out
