"""Each rule, on profiles for which it suggests a constraint and on others."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from assay import Level
from assay.analyzers.metric import Distribution
from assay.checks.code_lists import CODE_LISTS
from assay.engine.measurement import Measurement
from assay.errors import CheckError
from assay.learn.profile import ColumnProfile, Numbers, Profile, Texts
from assay.learn.suggest import RULES, Suggestion, Thresholds, all_rules, uniqueness_of_name

_ROWS = 10_000


def table(*columns: ColumnProfile) -> Profile:
    types = {column.name: column.type for column in columns}
    by_name = {column.name: column for column in columns}
    return Profile(_ROWS, by_name, types, Measurement({}, {}))


def numbers(low: float, high: float, **more: Any) -> Numbers:
    step = (high - low) / 100
    spread = {
        q: low + float(q) * 100 * step
        for q in ("0.01", "0.05", "0.25", "0.5", "0.75", "0.95", "0.99")
    }
    defaults: dict[str, Any] = {
        "quantiles": spread,
        "zeros": 0,
        "negatives": 0 if low >= 0 else 9,
    }
    return Numbers(low, high, (low + high) / 2, max(step * 25, 1e-9), **(defaults | more))


def number(name: str, low: float, high: float, distinct: int = 500, **more: Any) -> ColumnProfile:
    kind, type_name = ("integral", "bigint") if isinstance(low, int) else ("fractional", "double")
    column = ColumnProfile(name, type_name, _ROWS, _ROWS, distinct, kind)
    return replace(column, numbers=numbers(low, high), **more)


def text(name: str, values: dict[str, int] | None = None, **more: Any) -> ColumnProfile:
    lengths = [len(value) for value in values or {"abc": 1, "defghi": 1}]
    texts = Texts(min(lengths), max(lengths), sum(lengths) / len(lengths), 0)
    present = sum(values.values()) if values else _ROWS
    column = ColumnProfile(name, "string", _ROWS, present, len(values or ()) or 5000, "string")
    counts = Distribution(values) if values else None
    column = replace(column, texts=texts, values=counts, exact=values is not None)
    return replace(column, **more)


def suggested(rule: str, *columns: ColumnProfile) -> list[Suggestion]:
    return list(RULES[rule](table(*columns)))


def code(rule: str, *columns: ColumnProfile) -> list[str]:
    return [suggestion.python for suggestion in suggested(rule, *columns)]


def test_suggestions_require_the_observed_completeness() -> None:
    full = number("id", 1, 9)
    assert code("complete", full) == ['.is_complete("id")']
    gaps = replace(full, present=8000)
    assert code("complete", gaps) == []
    assert code("retain_completeness", full) == []
    assert code("retain_completeness", gaps) == ['.has_completeness("id", at_least=0.77)']
    assert code("retain_completeness", replace(full, present=0)) == []


def test_a_suggestion_from_few_rows_is_a_warning() -> None:
    few = replace(number("id", 1, 9), rows=20, present=20)
    assert [suggestion.level for suggestion in suggested("complete", few)] == [Level.WARNING]


def test_the_kind_of_strings_is_kept() -> None:
    price = text("price", kind="fractional", looks={"integral": 4000, "fractional": 6000})
    assert code("retain_type", price) == ['.has_data_type("price", "fractional")']
    mostly = text("price", kind="integral", looks={"integral": 9800, "string": 200})
    assert code("retain_type", mostly) == [
        '.has_data_type("price", "integral", at_least=0.96).warn()'
    ]
    assert mostly.texts is not None
    zips = replace(mostly, looks={"integral": _ROWS}, texts=replace(mostly.texts, leading_zeros=3))
    assert code("retain_type", zips) == []
    assert code("retain_type", number("n", 1, 9)) == []


def test_uniqueness_depends_on_the_name() -> None:
    """Section 5.3: `id` is a key; `statuses_count` is not, although its values are distinct."""
    key = number("id", 1, _ROWS, distinct=9900)
    count = number("statuses_count", 1, 10**9, distinct=9900)
    (suggestion,) = suggested("unique", key, count)
    assert suggestion.python == '.is_primary_key("id")'
    assert suggestion.level is Level.ERROR
    assert "probability" in suggestion.evidence
    assert (
        suggested("unique", replace(key, present=9000, distinct=8900))[0].python
        == '.is_unique("id")'
    )
    assert suggested("unique", replace(key, distinct=5000)) == []
    assert suggested("unique", number("temperature", 0.5, 40.0, distinct=9990)) == []


def test_the_name_of_a_number_tells_its_range_also_if_it_is_not_filled() -> None:
    hour = number("hour", 5, 23, distinct=19)
    assert code("natural_range", hour) == ['.is_in_range("hour", 0, 23)']
    assert code("numeric_range", hour) == []
    assert code("natural_range", number("hour", 5, 40, distinct=30)) == []
    assert code("natural_range", number("delay_hour", 5, 20, distinct=16)) == []


def test_a_number_with_the_name_of_its_table_is_an_identifier() -> None:
    flights = table(number("flight", 1, 6055))
    for rule in ("numeric_range", "centre"):
        assert list(RULES[rule](replace(flights, table="flights"))) == []
        assert list(RULES[rule](replace(flights, table="flights-2013-02-14"))) == []
        assert list(RULES[rule](replace(flights, table="days"))) != []


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (number("month", 1, 12, distinct=12), '.is_in_range("month", 1, 12)'),
        (number("lat", -89.5, 89.9, distinct=9000), '.is_in_range("lat", -90, 90)'),
        (number("share", 0.0, 1.0, distinct=9000), '.is_in_range("share", 0, 1)'),
    ],
)
def test_numbers_that_fill_a_natural_range_stay_in_it(column: ColumnProfile, expected: str) -> None:
    assert code("natural_range", column) == [expected]
    assert code("numeric_range", column) == []


def test_an_observed_range_is_extended_by_its_width() -> None:
    assert code("natural_range", number("x", 3, 700)) == []
    assert code("numeric_range", number("x", 3, 700)) == ['.is_in_range("x", 0, 1400).warn()']
    assert code("numeric_range", number("x", -5.0, 5.0)) == ['.is_in_range("x", -15, 15).warn()']
    endless = replace(number("x", 1, 2), numbers=numbers(1.0, float("inf")))
    assert code("numeric_range", endless) == []


def test_a_sign_is_certain_only_near_zero() -> None:
    assert suggested("non_negative", number("x", 0, 100))[0].level is Level.ERROR
    assert suggested("non_negative", number("x", 5000, 5100))[0].level is Level.WARNING
    assert suggested("non_negative", number("x", -1, 100)) == []


def test_few_frequent_values_are_categories() -> None:
    few = text("status", {"new": 6000, "paid": 3990, "void": 10})
    assert code("categorical_range", few) == ['.is_contained_in("status", ["new", "paid", "void"])']
    rare = text("status", {"new": 6000, "paid": 3999, "void": 1})
    assert code("categorical_range", rare) == []
    assert code("fractional_categorical_range", rare) == [
        '.is_contained_in("status", ["new", "paid"], at_least=0.99).warn()'
    ]
    one = text("status", {"new": _ROWS})
    assert suggested("categorical_range", one)[0].level is Level.WARNING
    many = text("city", {f"c{i}": 10 for i in range(1000)})
    assert code("categorical_range", many) == []
    assert code("fractional_categorical_range", many) == []


def test_all_codes_of_a_standard_are_allowed() -> None:
    land = text("land", {"DE": 5000, "FR": 4999, "GB": 1})
    (suggestion,) = suggested("codes", land)
    assert suggestion.python == '.is_code("land", "ISO 3166-1 alpha-2")'
    assert "country codes of two letters" in suggestion.evidence
    assert code("categorical_range", land) == []
    assert suggested("codes", text("land", {"DE": 5000, "FR": 4999, "XX": 1})) == []


def test_codes_of_a_standard_may_have_a_few_exceptions() -> None:
    """Airports in Kosovo have the country XK, which the standard leaves to its users."""
    countries = sorted(CODE_LISTS["ISO 3166-1 alpha-2"])[:21]
    land = text("land", {**dict.fromkeys(countries, 400), "XK": 7})
    (suggestion,) = suggested("codes", land)
    assert suggestion.python == '.is_code("land", "ISO 3166-1 alpha-2", at_least=0.99).warn()'
    assert suggested("codes", text("land", {**dict.fromkeys(countries, 400), "XK": 4000})) == []


def test_a_number_whose_name_tells_its_range_is_no_list_of_categories() -> None:
    """A sample of January and February does not show the other months."""
    values = Distribution({"1": 5000, "2": 5000})
    month = number("month", 1, 2, distinct=2, values=values, exact=True)
    assert code("categorical_range", month) == []
    assert code("natural_range", month) == ['.is_in_range("month", 1, 12)']
    assert code("categorical_range", replace(month, name="half")) != []


def test_lengths_are_bounded() -> None:
    fixed = text("plate", {"abc": 4000, "def": 6000})
    assert code("lengths", fixed) == [
        '.has_min_length("plate", at_least=3)',
        '.has_max_length("plate", at_most=3)',
    ]
    assert code("lengths", text("name")) == [
        '.has_min_length("name", at_least=1)',
        '.has_max_length("name", at_most=12).warn()',
    ]


def test_a_single_character_is_counted_in_the_singular() -> None:
    (longest,) = [
        s for s in suggested("lengths", text("flag", {"A": 9, "": 1})) if "longest" in s.evidence
    ]
    assert longest.evidence == "the longest of 10 values has 1 character"


def test_formats_are_recognized_by_shape() -> None:
    def of_shape(shape: str, length: int) -> ColumnProfile:
        texts = Texts(length, length, length, 0, Distribution({shape: _ROWS}))
        return replace(text("x"), texts=texts)

    assert code("formats", of_shape("a@a.a", 20)) == ['.is_email("x")']
    assert code("formats", of_shape("9a-9a-9-a9-9a", 36)) == ['.is_uuid("x")']
    assert code("formats", of_shape("9.9.9.9", 12)) == ['.is_ip_address("x")']
    assert code("formats", of_shape("a://a.a/a", 30)) == ['.is_url("x")']
    assert code("formats", of_shape("a a", 30)) == []


def test_a_table_that_is_up_to_date_stays_so() -> None:
    now = datetime.now(UTC)
    column = ColumnProfile("at", "timestamp", _ROWS, _ROWS, 9000, "timestamp")
    fresh = replace(column, first=now - timedelta(days=90), last=now - timedelta(hours=5))
    assert code("fresh", fresh) == ['.is_fresh("at", timedelta(days=2)).warn()']
    assert code("fresh", replace(fresh, last=now - timedelta(days=400))) == []


def test_the_mean_of_measurements_is_bounded() -> None:
    suggestions = suggested("centre", number("x", 0, 100))
    assert [suggestion.rule for suggestion in suggestions] == ["mean", "standard_deviation"]
    assert {suggestion.level for suggestion in suggestions} == {Level.WARNING}
    assert suggested("centre", number("id", 1, _ROWS, distinct=9990)) == []


def test_the_mean_of_numbers_that_are_not_negative_is_not_negative() -> None:
    skewed = number("paid", 0.0, 1e6)
    assert skewed.numbers is not None
    skewed = replace(skewed, numbers=replace(skewed.numbers, mean=500.0, standard_deviation=9e4))
    assert code("centre", skewed)[0] == '.has_mean("paid", between=(0.0, 28400.0)).warn()'


def test_identifiers_have_no_range_and_no_mean() -> None:
    """The next order has a higher number: a range would fail, and a mean says nothing."""
    order = number("order_id", 1, _ROWS, distinct=9990)
    serial = number("position", 1, _ROWS, distinct=9990)
    reference = number("customer_id", 1, 500, distinct=480)
    # with nulls, many readers make fractions of integers
    fractions = number("CustomerID", 12377.0, 18256.0)
    invoice = number("InvoiceNo", 536365, 539656, distinct=300)
    for column in (order, serial, reference, fractions, invoice):
        assert code("numeric_range", column) == []
        assert code("centre", column) == []
    assert code("numeric_range", number("paid", 1, 5000)) != []
    assert code("numeric_range", number("number_of_seats", 1, 5000)) != []
    assert code("centre", number("paid", 1, 5000)) != []


@pytest.mark.parametrize(
    "column",
    [
        number("receipt", 1, 2000, distinct=1950),
        number("year", 1990, 2026, distinct=37),
        number("day", 20260101, 20261114, distinct=300),
        number("created_at", 1_600_000_000, 1_700_000_000),
        number("created_at", 1_600_000_000_000, 1_700_000_000_000),
    ],
)
def test_numbers_that_only_count_up_have_no_range_and_no_mean(column: ColumnProfile) -> None:
    assert code("numeric_range", column) == []
    assert code("centre", column) == []


def test_strings_that_hold_numbers_get_the_numeric_rules() -> None:
    looks = {"integral": 5000, "fractional": 5000}
    price = text("price", kind="fractional", looks=looks, numbers=numbers(0.0, 90.0))
    assert code("non_negative", price) == [
        '.satisfies("try_cast(`price` AS double) >= 0", nulls="ignore")'
    ]
    assert code("numeric_range", price) == [
        '.satisfies("try_cast(`price` AS double) BETWEEN 0 AND 180", nulls="ignore").warn()'
    ]
    month = text("month", kind="integral", looks=looks, numbers=numbers(1, 12), distinct=12)
    assert code("natural_range", month) == [
        '.satisfies("try_cast(`month` AS double) BETWEEN 1 AND 12", nulls="ignore")'
    ]
    share = text("share", kind="fractional", looks=looks, numbers=numbers(0.0, 1.0))
    assert code("natural_range", share) != []
    assert code("non_negative", share) == [], "the range from 0 on says it"
    assert month.texts is not None
    zips = replace(month, texts=replace(month.texts, leading_zeros=5))
    for rule in ("non_negative", "natural_range", "numeric_range"):
        assert code(rule, zips) == []


def test_the_name_of_the_table_tells_which_id_is_a_key() -> None:
    key = number("user_id", 1, 10**9, distinct=9990)
    users = replace(table(key), table="users")
    (suggestion,) = RULES["unique"](users)
    assert suggestion.level is Level.ERROR
    assert suggestion.confidence > uniqueness_of_name("user_id", "orders", "bigint")


def test_thresholds_change_the_limits_of_rules() -> None:
    status = text("status", {"new": 6000, "paid": 3997, "void": 3})
    assert code("categorical_range", status) == []
    rule = all_rules(Thresholds(min_category_rows=3))["categorical_range"]
    assert len(list(rule(table(status)))) == 1
    rule = all_rules(Thresholds(min_category_rows=3, max_categories=2))["categorical_range"]
    assert list(rule(table(status))) == []
    with pytest.raises(CheckError) as error:
        Thresholds(max_categories=0)
    assert error.value.code == "bad_check"


def test_related_columns_are_recognized() -> None:
    low, high = number("price_min", 1.0, 80.0), number("price_max", 5.0, 99.0)
    assert code("ordered", low, high) == ['.is_at_most("price_min", "price_max")']
    assert code("ordered", number("minutes", 1.0, 80.0), number("miles", 5.0, 99.0)) == []
    assert code("ordered", low, number("price_max", 500.0, 990.0)) == []
    twin = replace(low, name="copy")
    assert code("equal", low, twin, high) == ['.is_equal_to("price_min", "copy")']
    total = replace(high, name="total", numbers=replace(numbers(6.0, 179.0), mean=92.5))
    (suggestion,) = suggested("derived", low, high, total)
    assert suggestion.columns == ("total", "price_min", "price_max")
    assert "total is price_min + price_max" in suggestion.evidence


def test_parts_of_dates_are_recognized() -> None:
    day = ColumnProfile("sold_at", "date", _ROWS, _ROWS, 700, "date")
    day = replace(day, first=datetime(2025, 1, 1).date(), last=datetime(2026, 12, 31).date())
    assert code("derived", day, number("year", 2025, 2026, distinct=2)) == [
        '.satisfies("`year` = year(`sold_at`)", nulls="ignore")'
    ]
    assert code("derived", day, number("year", 1990, 1999, distinct=10)) == []
