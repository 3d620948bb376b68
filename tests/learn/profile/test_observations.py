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
    assert observed(nearly)["mixed"] == "1 of 100 values are not integral, such as 'x'"


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
    empty = Profile(0, {}, {}, Measurement({}, {}))
    assert [str(observation) for observation in find_observations(empty, {"a": 2})] == [
        "2 columns are called 'a', and are left out",
        "it has columns and no rows",
    ]
    assert observed(ColumnProfile("c", "string", 5, 0, 0)) == {"no_values": "has no values"}
