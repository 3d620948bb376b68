"""A column may change its type from one batch to the next: its states still merge."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import date
from decimal import Decimal
from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest

from assay.analyzers import Analyzer
from assay.analyzers.analyzer import ScanAnalyzer
from assay.analyzers.extremes import Greatest, Least, Scalar
from assay.analyzers.state import Invertible, State
from assay.engine.frame import schema_of
from assay.engine.measure import measure
from assay.engine.measurement import merge_state_lists
from assay.errors import NotComputableError, StateError
from tests.oracle.questions import questions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize(
    ("one", "other", "least", "greatest"),
    [
        (3, 2.5, 2.5, 3),
        (Decimal("2.25"), 2.5, Decimal("2.25"), 2.5),
        (3, float("nan"), 3, float("nan")),
        ("a", 2, 2, "a"),
        (True, 7, 7, True),
        (date(2026, 1, 1), "b", date(2026, 1, 1), "b"),
    ],
)
def test_extremes_of_values_of_two_types(
    one: Scalar, other: Scalar, least: Scalar, greatest: Scalar
) -> None:
    for a, b in ((one, other), (other, one)):
        assert repr((Least(a) + Least(b)).value) == repr(least)
        assert repr((Greatest(a) + Greatest(b)).value) == repr(greatest)
        payloads = [Least(a).payload(), Least(b).payload()]
        assert repr(Least.merged_payloads(payloads).value) == repr(least)


TYPED = {
    "bigint": "id",
    "double": "id * 0.5D",
    "decimal": "cast(id AS decimal(10, 2))",
    "string": "string(id)",
    "date": "date_add(date'2026-11-01', int(id))",
    "timestamp": "timestamp'2026-11-01 10:00:00' + make_dt_interval(int(id))",
}


def test_states_of_a_column_of_another_type_merge_or_are_refused(spark: SparkSession) -> None:
    df = spark.range(1, 6).selectExpr(*(f"{sql} AS `{name}`" for name, sql in TYPED.items()))
    analyzers = [
        analyzer
        for analyzer in questions(schema_of(df))
        if isinstance(analyzer, ScanAnalyzer) and hasattr(analyzer, "column")
    ]
    of_kind: dict[Analyzer, list[State]] = {}
    for analyzer, state in measure(df.coalesce(1), analyzers).states.items():
        unnamed: Any = analyzer
        of_kind.setdefault(replace(unnamed, column="c"), []).append(state)

    for analyzer, states in of_kind.items():
        for one, other in permutations(states, 2):
            merge_state_lists({analyzer: [one, other]})
            if isinstance(one, Invertible) and type(one) is type(other):
                with suppress(StateError, NotComputableError):
                    one - other
