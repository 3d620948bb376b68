"""Observations: which columns are odd, and which are not."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from assay.analyzers.metric import Distribution
from assay.engine.measurement import Measurement
from assay.learn.profile import ColumnProfile, Numbers, Profile, Texts
from assay.learn.profile.observations import find_observations


def texts(**counts: int) -> ColumnProfile:
    """Return the profile of strings with these counts."""
    present = sum(counts.values())
    values = Distribution(counts)
    lengths = Texts(1, 9, 5.0, counts.get("", 0), examples=values)
    looks = {"string": present}
    return ColumnProfile(
        "c", "string", present, present, len(counts), "string", looks, None, lengths,
        values=values, exact=True,
    )  # fmt: skip


def numbers(low: float, high: float, **more: Any) -> ColumnProfile:
    """Return the profile of 1,000 numbers from 0 to 100, with another minimum and maximum."""
    quantiles = {"0.01": 0.0, "0.5": 50.0, "0.99": 100.0}
    statistics = Numbers(low, high, 50.0, 20.0, quantiles, **more)
    return ColumnProfile("c", "double", 1000, 1000, 900, "fractional", {}, statistics)


def observed(column: ColumnProfile) -> dict[str, str]:
    table = Profile(column.rows, {"c": column}, {"c": column.type}, Measurement({}, {}))
    return {observation.code: observation.sentence for observation in find_observations(table)}


@pytest.mark.parametrize(
    ("column", "code", "sentence"),
    [
        (texts(x=30), "constant", "is 'x' in every row that has a value"),
        (texts(**{"": 2, "x": 9, "y": 9}), "empty", "2 of 20 values are empty strings"),
        (
            texts(**{"n/a": 3, "Anna": 9, "Bob": 9}),
            "missing",
            "'n/a' may stand for no value (3",
        ),
        (texts(**{" x": 1, "y": 9}), "spaces", "values have spaces around them, such as ' x'"),
        (texts(Paid=4, paid=9), "variants", "'Paid' and 'paid' may be the same"),
        (texts(**{"MÃ¼ller": 1, "Ann": 9}), "garbled", "wrongly encoded, such as 'MÃ¼ller'"),
        (texts(**{"M\ufffdller": 1}), "garbled", "wrongly encoded"),
        (
            numbers(0, 99999),
            "far",
            "the greatest, 99,999, is far off: 99 % are at most 100; it",
        ),
        (numbers(-9000.5, 100), "far", "the least, -9,000.5, is far off: 99 % are at least 0"),
        (numbers(-1, 100, negatives=3), "negative", "3 of 1,000 values are negative"),
        (numbers(0, 100, nans=7), "nan", "7 of 1,000 values are NaN"),
    ],
)
def test_odd_columns_are_reported(column: ColumnProfile, code: str, sentence: str) -> None:
    assert sentence in observed(column)[code]


@pytest.mark.parametrize(
    "column",
    [
        texts(x=3, y=2),
        texts(**dict.fromkeys(("EU", "AS", "AF", "NA", "SA", "OC"), 9)),
        texts(Müller=2, Ärger=3),
        numbers(0, 100),
        numbers(-50, 200, negatives=500),
    ],
)
def test_usual_columns_are_not_reported(column: ColumnProfile) -> None:
    assert observed(column) == {}


def test_strings_that_are_not_numbers_among_numbers_are_reported() -> None:
    column = texts(**{"1": 50, "2": 49, "x": 1})
    nearly = replace(column, kind="integral", looks={"integral": 99, "string": 1})
    assert observed(nearly)["mixed"] == "1 of 100 values is not a whole number, such as 'x'"


@pytest.mark.parametrize(
    ("values", "code", "sentence"),
    [
        ({"3,14": 60, "2": 30, "1.234,5": 10}, "number_format", "decimal comma, such as '3,14'"),
        ({"1,234": 90, "12": 10}, "number_format", "commas between thousands, such as '1,234'"),
        ({"31.12.2026": 9}, "date_format", "values are dates, day.month.year, such as"),
        ({"12/31/2026 8:26": 8, "1/2/2026": 9}, "date_format", "month/day/year"),
        ({"01/02/2026": 9}, "date_format", "day or month first"),
        (
            {"2026-01-31": 5, "31/01/2026": 4},
            "date_format",
            "dates have 2 formats: year-month-day ('2026-01-31') and day/month/year ('31/01/2026')",
        ),
        ({"31/01/2026": 5, "01/31/2026": 4}, "date_format", "dates have 2 formats"),
    ],
)
def test_written_forms_of_numbers_and_dates_are_reported(
    values: dict[str, int], code: str, sentence: str
) -> None:
    assert sentence in observed(texts(**values))[code]


@pytest.mark.parametrize(
    "values", [{"a, b": 9}, {"1,2,3": 9}, {"2026-01-31": 9}, {"1.2.3": 5, "x": 5}, {"12-3": 9}]
)
def test_other_texts_with_commas_and_dates_are_not_reported(values: dict[str, int]) -> None:
    assert not {"number_format", "date_format"} & set(observed(texts(**values)))


def test_numbers_that_are_stored_as_text_are_reported() -> None:
    column = replace(texts(**{"1": 50, "2": 50}), kind="integral", looks={"integral": 100})
    assert observed(column)["text_numbers"] == "holds whole numbers as text"
    assert column.texts is not None
    codes = replace(column, texts=replace(column.texts, leading_zeros=5))
    assert "text_numbers" not in observed(codes)


def test_a_column_with_one_value_in_nearly_all_rows_is_reported() -> None:
    assert (
        observed(texts(a=995, b=5))["almost_constant"]
        == "is 'a' in all but 5 of 1,000 rows with a value"
    )
    assert "almost_constant" not in observed(texts(a=980, b=20))


def test_a_default_far_from_all_other_numbers_is_reported() -> None:
    years = {str(year): 10 for year in range(1990, 2010)}
    column = replace(numbers(0, 2009), exact=True, values=Distribution({**years, "0": 50}))
    assert (
        observed(column)["default"]
        == "0 may stand for no value (50 times, 5.0 %): all others are from 1,990 to 2,009"
    )
    assert "far" not in observed(column)
    scores = {str(score): 10 for score in range(10)}
    usual = replace(numbers(0, 9), exact=True, values=Distribution(scores))
    assert "default" not in observed(usual)


def test_a_far_more_frequent_number_of_nines_is_a_default() -> None:
    amounts = {str(amount): 2 for amount in range(1, 400)}
    column = replace(
        numbers(1, 999_999), exact=True, values=Distribution({**amounts, "999999": 50})
    )
    assert "999,999 may stand for no value (50 times, 5.0 %)" in observed(column)["default"]


def test_a_frequent_negative_number_among_positive_ones_is_a_default() -> None:
    ages = {str(age): 10 for age in range(18, 100)}
    column = replace(numbers(-1, 99), exact=True, values=Distribution({**ages, "-1": 180}))
    assert observed(column)["default"] == (
        "-1 may stand for no value (180 times, 18 %): all others are far less frequent"
    )
    prices = replace(numbers(-1, 99, negatives=40), frequent=Distribution({"-1.0": 40}, other=960))
    assert "-1 may stand for no value (40 times, 4.0 %)" in observed(prices)["default"]
    changes = {str(change): 100 for change in range(-1, 9)}
    usual = replace(numbers(-1, 8), exact=True, values=Distribution(changes))
    assert "default" not in observed(usual)


def test_a_frequent_value_among_different_ones_is_known() -> None:
    notes = replace(texts(first=1, second=1), frequent=Distribution({"unknown": 40}))
    assert observed(notes)["missing"] == "'unknown' may stand for no value (40 times)"


@pytest.mark.parametrize("placeholder", ["x", "XXX", "tbd", "n.a.", "0", "*"])
def test_short_words_for_a_missing_value_are_reported(placeholder: str) -> None:
    column = texts(**{placeholder: 3, "Anna": 9, "Bob": 9, "Carla": 9})
    assert observed(column)["missing"] == f"{placeholder!r} may stand for no value (3 times)"


def test_letters_and_zeros_among_values_like_them_are_usual() -> None:
    assert "missing" not in observed(texts(x=3, y=4, z=5))
    assert "missing" not in observed(texts(**{"0": 9, "1": 9, "many": 9}))


@pytest.mark.parametrize("value", ["Jan-14", "9-Mar", "9.78848E+12"])
def test_values_that_a_spreadsheet_changed_are_reported(value: str) -> None:
    codes = {f"{number}-{number + 17}": 1 for number in range(1000, 1040)}
    assert observed(texts(**codes, **{value: 2}))["spreadsheet"] == (
        f"{value!r} may be a code that a spreadsheet has changed"
    )
    months = texts(**{f"{month}-14": 5 for month in ("Jan", "Feb", "Mar", "Apr", "May")})
    assert "spreadsheet" not in observed(months)


def test_a_rare_value_next_to_a_frequent_one_may_be_a_typo() -> None:
    cities = texts(birmingham=40, birminghxm=1, montgomery=30, oneonta=20)
    assert observed(cities)["typo"] == ("'birminghxm' (1 time) may be 'birmingham' (40 times)")


@pytest.mark.parametrize(
    "column",
    [
        texts(store=40, stores=30),
        texts(**{"pn-3a": 40, "pn-3b": 1}),
        texts(room=40, roof=1),
        texts(Austria=40, Australia=1),
    ],
)
def test_values_that_only_look_alike_are_not_typos(column: ColumnProfile) -> None:
    assert "typo" not in observed(column)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"0.05": 60, "0.09%": 30}, "some numbers end with '%' (30 of 90 values), such as '0.09%'"),
        (
            {"12.0 oz": 20, "12.0 OZ.": 6, "16.0 oz": 9},
            "a unit is written in 2 ways: ' oz' and ' OZ.'",
        ),
    ],
)
def test_numbers_with_several_endings_are_reported(values: dict[str, int], sentence: str) -> None:
    assert observed(texts(**values))["units"] == sentence


@pytest.mark.parametrize(
    "values", [{"12A": 9, "12B": 9}, {"5 kg": 9, "6 kg": 9}, {"3 m": 5, "4 s": 9}]
)
def test_numbers_with_one_ending_or_several_units_are_usual(values: dict[str, int]) -> None:
    assert "units" not in observed(texts(**values))


def test_a_default_is_found_by_quantiles_if_there_are_many_numbers() -> None:
    quantiles = {"0.01": 0.0, "0.05": 150.0, "0.25": 160.0, "0.5": 170.0, "0.95": 190.0}
    heights = Numbers(0, 200, 160.0, 30.0, {**quantiles, "0.99": 195.0}, zeros=30)
    column = ColumnProfile("c", "double", 1000, 1000, 900, "fractional", {}, heights)
    assert "0 may stand for no value" in observed(column)["default"]


def test_a_first_of_january_that_is_too_frequent_is_reported() -> None:
    counts = {"2000-01-01": 300.0, "1981-05-03": 4.0, "1990-08-12": 3.0}
    day = ColumnProfile(
        "c", "date", 1000, 1000, 700, "date", values=Distribution(counts, other=693)
    )
    assert observed(day)["default_date"] == "'2000-01-01' may stand for no value (300 times)"


def test_dates_that_stand_for_no_value_are_reported() -> None:
    day = ColumnProfile("c", "timestamp", 9, 9, 9, "timestamp")
    times = {
        "the latest is 9999-12-31, which may": (datetime(2024, 1, 1), datetime(9999, 12, 31)),
        "the earliest is 1970-01-01, which may": (datetime(1970, 1, 1), datetime(2024, 1, 1)),
        "is in the future": (datetime(2024, 1, 1), datetime(2098, 1, 1)),
    }
    for sentence, (first, last) in times.items():
        observations = observed(
            replace(day, first=first.replace(tzinfo=UTC), last=last.replace(tzinfo=UTC))
        )
        assert sentence in observations["time"]


def test_empty_tables_and_columns_are_reported() -> None:
    empty = Profile(0, {}, {}, Measurement({}, {}), {"a": 2})
    assert [str(observation) for observation in find_observations(empty)] == [
        "2 columns are called 'a', and are left out",
        "it has columns and no rows",
    ]
    assert observed(ColumnProfile("c", "string", 5, 0, 0)) == {"no_values": "has no values"}
