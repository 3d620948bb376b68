"""The SQL condition for the rows that deviate."""

from __future__ import annotations

import math

import pytest

from assay.gate.explain import deviating_rows
from assay.gate.finding import Finding
from assay.learn.fingerprint.from_rows import fingerprint, numbers
from assay.store import Decision


def condition(values: list[float], judge: str = "limits") -> str | None:
    finding = Finding(judge, Decision.HOLD, "it is so.", "n", "mean")
    return deviating_rows(finding, fingerprint({"n": numbers(values)}))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.5, 2.0, 4.0], "`n` < 1.5 OR `n` > 4.0"),
        ([1.5, 2.0, math.inf], "`n` < 1.5"),
        ([-math.inf, 2.0, 4.0], "`n` > 4.0"),
        ([-math.inf, 2.0, math.inf], None),
    ],
)
def test_an_infinite_number_bounds_nothing(values: list[float], expected: str | None) -> None:
    """SQL would take `inf` for the name of a column."""
    assert condition(values) == expected


def test_a_change_of_the_schema_has_no_deviating_rows() -> None:
    assert condition([1.5, 4.0], "schema") is None
