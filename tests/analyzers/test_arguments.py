"""Arguments that mean nothing are refused where they are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from assay.analyzers import (
    ApproxQuantile,
    ApproxQuantiles,
    Compliance,
    CustomAggregate,
    DatasetMatch,
    ExactQuantile,
    Histogram,
    HistogramBinned,
    HistogramEqualWidth,
    MinLength,
    MutualInformation,
    PatternMatch,
    Predictability,
    PredictabilityWith,
    QuantileBuckets,
    ReferentialIntegrity,
    RowCountMatch,
    Sample,
    ShapeProfile,
    TopK,
    TypeConsistency,
)
from assay.errors import InvalidValueError


@pytest.mark.parametrize(
    "make",
    [
        lambda: ApproxQuantile("x", 1.5),
        lambda: ApproxQuantiles("x", ()),
        lambda: ApproxQuantiles("x", (0.5, -0.1)),
        lambda: ExactQuantile("x", 2.0),
        lambda: QuantileBuckets("x", 0),
        lambda: TopK("x", 0),
        lambda: ShapeProfile("x", -1),
        lambda: Histogram("x", 0),
        lambda: HistogramEqualWidth("x", 0),
        lambda: HistogramBinned("x", (2.0, 1.0)),
        lambda: HistogramBinned("x", (1.0,)),
        lambda: MutualInformation("x"),
        lambda: Compliance("x > 0", "empty"),
        lambda: Compliance("x > 0", "skip"),
        lambda: Sample("x", 0),
        lambda: PatternMatch("x", "a", "drop"),  # type: ignore[arg-type]
        lambda: MinLength("x", "fail"),  # type: ignore[arg-type]
        lambda: TypeConsistency("x", "number"),
        lambda: Predictability("x", ["y"], "accuracy"),
        lambda: Predictability("x", ["y"], sample=0),
        lambda: Predictability("x", ["y"], buckets=0),
        lambda: PredictabilityWith("x", ["y"], score="accuracy"),
        lambda: PredictabilityWith("x", ["y"], rows=0),
        lambda: CustomAggregate("x", [("a", "sum(x)", "mean")]),  # type: ignore[arg-type]
        lambda: ReferentialIntegrity((), "t"),
        lambda: ReferentialIntegrity(("a", "b"), "t", ("a",)),
        lambda: ReferentialIntegrity(("a",), "t", (5,)),  # type: ignore[arg-type]
        lambda: DatasetMatch("t", ()),
        lambda: DatasetMatch("t", (None,)),  # type: ignore[arg-type]
        lambda: RowCountMatch(" "),
        lambda: RowCountMatch(5),  # type: ignore[arg-type]
    ],
)
def test_nonsense_is_refused(make: Callable[[], Any]) -> None:
    with pytest.raises(InvalidValueError) as raised:
        make()
    assert raised.value.code == "bad_argument"


def test_aggregates_of_other_formulas_are_others() -> None:
    """Equal values share one state and one metric, so that these must not be equal."""
    parts = [("n", "count(1)", "sum")]
    once: Any = CustomAggregate("rows", parts, lambda n: n)  # type: ignore[arg-type]
    tenfold: Any = CustomAggregate("rows", parts, lambda n: 10 * n)  # type: ignore[arg-type]
    assert once != tenfold
