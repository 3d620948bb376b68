"""Bounds: what they admit, what they are compared with, how they read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from assay.checks import Assertion
from assay.errors import CheckError

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
NAN = float("nan")
INF = float("inf")

HOLDS: list[tuple[Mapping[str, Any], Any, bool]] = [
    ({"equals": 1.0}, 1, True),
    ({"equals": 1.0}, 0.999, False),
    ({"at_least": 5}, 5, True),
    ({"at_least": 5}, 4.999, False),
    ({"more_than": 5}, 5, False),
    ({"more_than": 5}, 5.001, True),
    ({"at_most": 5}, 5, True),
    ({"at_most": 5}, 5.001, False),
    ({"less_than": 5}, 5, False),
    ({"less_than": 5}, 4.999, True),
    ({"between": (1, 5)}, 1, True),
    ({"between": (1, 5)}, 5, True),
    ({"between": [1, 5]}, 5.1, False),
    ({"between": (None, 5)}, -INF, True),
    ({"between": (1, None)}, INF, True),
    ({"more_than": 1, "at_most": 5}, 1, False),
    ({"more_than": 1, "at_most": 5}, 5, True),
    ({"at_least": 0, "satisfies": lambda n: n % 2 == 0}, 4, True),
    ({"at_least": 0, "satisfies": lambda n: n % 2 == 0}, 3, False),
    ({"at_least": 0, "satisfies": lambda n: n % 2 == 0}, -2, False),
    # what a function returns counts as true or false
    ({"satisfies": lambda n: n}, 0.0, False),
    ({"satisfies": lambda n: [n]}, 0.0, True),
    # a number beside a decimal is what was written, not its binary neighbour
    ({"equals": 0.1}, Decimal("0.10"), True),
    ({"at_least": 0.1}, Decimal("0.1"), True),
    ({"less_than": 0.1}, Decimal("0.1"), False),
    ({"at_most": INF}, Decimal("1E+30"), True),
    ({"equals": Decimal("0.1")}, 0.1, True),
    ({"at_least": Decimal("0.1")}, 0.0999, False),
    ({"equals": 3}, Decimal("3.00"), True),
    # text beside dates and times is ISO's form
    ({"at_least": "2026-01-01"}, date(2026, 1, 1), True),
    ({"more_than": "2026-01-01"}, date(2026, 1, 1), False),
    ({"at_most": "2026-01-01T12:00:00"}, NOON, True),
    ({"less_than": "2026-01-01T13:00:00+01:00"}, NOON, False),
    ({"between": ("2026-01-01", "2026-01-02")}, NOON, True),
    ({"equals": "2026-01-01"}, datetime(2026, 1, 1), True),
    ({"at_least": "08:30"}, time(8, 30), True),
    ({"at_least": "08:30"}, time(8, 29), False),
    # a date is its midnight, and what has no time zone is in UTC
    ({"at_least": date(2026, 1, 1)}, NOON, True),
    ({"at_most": date(2026, 1, 1)}, NOON, False),
    ({"at_most": NOON}, date(2026, 1, 1), True),
    ({"at_most": NOON}, date(2026, 1, 2), False),
    ({"equals": datetime(2026, 1, 1, 12)}, NOON, True),
    ({"equals": datetime(2026, 1, 1, 14, tzinfo=timezone(timedelta(hours=2)))}, NOON, True),
    ({"at_most": timedelta(days=1)}, timedelta(hours=24), True),
    ({"less_than": timedelta(days=1)}, timedelta(hours=24), False),
    ({"at_most": 90}, timedelta(seconds=90), True),
    ({"less_than": 0.5}, timedelta(seconds=0.5), False),
    ({"at_least": "b"}, "b", True),
    ({"more_than": "b"}, "a", False),
    ({"equals": True}, True, True),
]


@pytest.mark.parametrize(("bounds", "value", "expected"), HOLDS)
def test_a_bound_admits(bounds: Mapping[str, Any], value: Any, expected: bool) -> None:
    assert Assertion.of(**bounds).holds(value) is expected


@pytest.mark.parametrize("name", ["equals", "at_least", "at_most", "more_than", "less_than"])
@pytest.mark.parametrize("bound", [0, 1.5, INF, -INF, Decimal("1.5")])
def test_nan_is_within_no_bound(name: str, bound: Any) -> None:
    assert not Assertion.of(**{name: bound}).holds(NAN)


def test_nan_is_for_the_function_to_judge() -> None:
    assert Assertion.of(satisfies=math.isnan).holds(NAN)
    assert not Assertion.of(between=(-INF, INF)).holds(NAN)


@pytest.mark.parametrize(
    ("bounds", "value"),
    [
        ({"at_least": "10"}, 10.0),
        ({"equals": "10"}, 10.0),
        ({"equals": 10}, "10"),
        ({"at_least": "soon"}, date(2026, 1, 1)),
        ({"at_least": 3}, date(2026, 1, 1)),
        ({"at_least": "1 day"}, timedelta(days=1)),
    ],
)
def test_values_of_different_kinds_are_not_compared(bounds: Mapping[str, Any], value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        Assertion.of(**bounds).holds(value)


def test_bounds_are_shown_with_their_operators() -> None:
    def plausible(value: float) -> bool:
        return value > 0

    shown = {
        "== 1.0": Assertion.of(equals=1.0),
        ">= 0.123456789": Assertion.of(at_least=0.123456789),
        "in [10, 40]": Assertion.of(between=(10, 40)),
        "> 0 and < 1": Assertion.of(more_than=0, less_than=1),
        "in [1, 2] and satisfies plausible": Assertion.of(between=(1, 2), satisfies=plausible),
        "satisfies the given function": Assertion.of(satisfies=lambda _: True),
        ">= 1.50": Assertion.of(at_least=Decimal("1.50")),
        "<= 1 day, 0:00:00": Assertion.of(at_most=timedelta(days=1)),
        "< 2026-01-01": Assertion.of(less_than=date(2026, 1, 1)),
        r"== 'a\x1b[31m\n'": Assertion.of(equals="a\x1b[31m\n"),
    }
    assert {str(assertion): assertion for assertion in shown.values()} == shown


WRONG: list[tuple[Mapping[str, Any], str]] = [
    ({}, "got none"),
    ({"equals": None}, "got none"),
    ({"between": (None, None)}, "got none"),
    ({"atleast": 1}, "got 'atleast'"),
    ({"between": (5, 1)}, r"got \(5, 1\)"),
    ({"between": 5}, "got 5"),
    ({"between": (1, 2, 3)}, r"got \(1, 2, 3\)"),
    ({"between": "ab"}, "got 'ab'"),
    ({"between": (1, "2")}, r"got \(1, '2'\)"),
    ({"between": (1, 5), "at_least": 3}, "between or at_least, got both"),
    ({"between": (1, 5), "at_most": 3}, "between or at_most, got both"),
    ({"more_than": 5, "less_than": 5}, r"got \(5, 5\)"),
    ({"at_least": 5, "less_than": 5}, r"got \(5, 5\)"),
    ({"more_than": 6, "at_most": 5}, r"got \(6, 5\)"),
    ({"satisfies": 0.9}, "satisfies.*got 0.9"),
    ({"at_least": NAN}, "at_least.*got nan"),
    ({"equals": {"a": 1}}, r"equals.*got \{'a': 1\}"),
    ({"at_most": [1]}, r"at_most.*got \[1\]"),
]


@pytest.mark.parametrize(("bounds", "value"), WRONG)
def test_bounds_that_cannot_be_meant(bounds: Mapping[str, Any], value: str) -> None:
    with pytest.raises(CheckError, match=value) as caught:
        Assertion.of(**bounds)
    assert caught.value.code == "bad_check"
    assert str(caught.value).endswith(".")


def test_one_value_between_equal_ends() -> None:
    assert Assertion.of(between=(5, 5)).holds(5)
