"""Plans are values: what is computed, in how many passes, without Spark."""

from __future__ import annotations

import pytest

from assay.analyzers import (
    Analyzer,
    ApproxCountDistinct,
    ColumnCount,
    Completeness,
    Compliance,
    Correlation,
    CountDistinct,
    Distinctness,
    Entropy,
    Histogram,
    Kurtosis,
    Maximum,
    Mean,
    Median,
    Minimum,
    MutualInformation,
    Schema,
    Size,
    StandardDeviation,
    Sum,
    Uniqueness,
)
from assay.engine.plan import Plan, plan

flights = Schema.of(carrier="string", origin="string", delay="double", distance="bigint")
wide = Schema.of(**{f"c{i}": "double" for i in range(200)})


def expressions(made: Plan) -> list[str]:
    return [expr.sql for scan in made.scans for expr in scan.exprs]


def test_equal_aggregates_are_computed_once() -> None:
    """Algorithm 1 of differential-icde19: one set of aggregates for all shareable analyzers."""
    alone = sum(
        len(plan([analyzer], flights).scans[0].exprs)
        for analyzer in (
            Mean("delay"),
            Sum("delay"),
            StandardDeviation("delay"),
            Completeness("delay"),
        )
    )
    together = plan(
        [Mean("delay"), Sum("delay"), StandardDeviation("delay"), Completeness("delay")], flights
    )
    assert alone == 9
    assert sorted(expressions(together)) == sorted(set(expressions(together)))
    assert len(expressions(together)) == 4  # count, sum, variance, rows


def test_algorithm_1_shares_the_scan_and_the_groupings() -> None:
    """Shareable analyzers in one pass, then one pass for each distinct set of grouping columns."""
    made = plan(
        [
            Size(),
            Completeness("carrier"),
            Compliance("delay >= 0"),
            Uniqueness("carrier"),
            Entropy("carrier"),
            Distinctness(["origin", "carrier"]),
            CountDistinct(["carrier", "origin"]),
        ],
        flights,
    )
    assert made.scan_passes == 1
    assert [str(frequency_pass.grouping) for frequency_pass in made.frequency_passes] == [
        "carrier",
        "carrier, origin",
    ]
    assert made.passes == 3


def test_each_selection_needs_a_grouping() -> None:
    made = plan([Uniqueness("carrier"), Uniqueness("carrier", where="delay > 0")], flights)
    assert made.passes == 2


def test_margins_of_mutual_information_serve_single_columns_in_one_pass() -> None:
    pair = MutualInformation(["carrier", "origin"])
    made = plan(
        [pair, Uniqueness("origin"), Entropy("carrier")], flights, allow_multiple_reads=False
    )
    assert made.passes == 1
    assert {(str(a), at) for a, at in made.frequency_passes[0].margins} == {
        ("Uniqueness(origin)", 1),
        ("Entropy(carrier)", 0),
    }
    # margins do not contain the most frequent values
    assert plan([pair, Histogram("origin")], flights, allow_multiple_reads=False).passes == 2


def test_single_columns_serve_mutual_information_in_several_passes() -> None:
    made = plan([MutualInformation(["carrier", "origin"]), Histogram("origin")], flights)
    assert str(made).splitlines()[1:] == [
        "  grouping   carrier: for MutualInformation(carrier, origin)",
        "  grouping   origin: for Histogram(origin), MutualInformation(carrier, origin)",
        "  grouping   carrier, origin: for MutualInformation(carrier, origin)",
    ]
    assert [frequency_pass.singles for frequency_pass in made.frequency_passes] == [(), (), (0, 1)]


def test_sketches_share_the_pass_of_a_scan() -> None:
    made = plan([Mean("delay"), Median("delay"), ApproxCountDistinct("carrier")], flights)
    assert made.sharing == "observed"
    assert made.passes == 1
    segments = plan([Mean("delay"), Median("delay")], flights, by=["origin"])
    assert segments.sharing == "separate"
    assert (segments.passes, segments.queries) == (2, 1)
    assert str(segments).splitlines() == [
        "2 passes over the data in 1 query for 2 analyzers per (origin)",
        "  scan       delay: 2 aggregates in 2 buffers, 1 sketch in a pass of its own",
    ]
    assert plan([Median("delay")], flights, by=["origin"]).passes == 1
    dear = plan(
        [Mean("delay"), Median("delay")], flights, by=["origin"], allow_multiple_reads=False
    )
    assert (dear.sharing, dear.passes) == ("mixed", 1)
    assert "1 sketch in the same pass" in str(dear)


@pytest.mark.parametrize("limit", [30, 100, 150])
def test_wide_tables_are_split_by_columns_under_the_limit(limit: int) -> None:
    analyzers: list[Analyzer] = [
        made(f"c{i}")
        for i in range(200)
        for made in (Completeness, Mean, StandardDeviation, Minimum, Maximum, ApproxCountDistinct)
    ]
    made = plan(analyzers, wide, buffers=limit)
    assert all(scan.buffers <= limit for scan in made.scans)
    assert sum(len(scan.columns) for scan in made.scans) == 200  # no column is read twice
    assert set(expressions(made)) == set(expressions(plan(analyzers, wide, buffers=10**6)))
    assert made.passes == len(made.scans)


def test_one_pass_if_multiple_reads_are_not_allowed() -> None:
    analyzers: list[Analyzer] = [
        made(f"c{i}") for i in range(200) for made in (Mean, Minimum, Maximum)
    ]
    made = plan(analyzers, wide, allow_multiple_reads=False)
    assert made.sharing == "stacked"
    assert len(made.scans) > 1
    assert made.passes == 1


def test_all_scans_of_segments_are_one_query_and_each_grouping_another() -> None:
    analyzers: list[Analyzer] = [
        made(f"c{i}") for i in range(1, 200) for made in (Mean, Minimum, Maximum, Median)
    ]
    made = plan([*analyzers, Uniqueness("c1"), Entropy("c2")], wide, by=["c0"])
    assert made.scan_passes == 2 * len(made.scans)
    assert (made.passes, made.queries) == (made.scan_passes + 2, 3)
    assert plan([Uniqueness("c1")], wide, by=["c0"]).queries == 1
    unsegmented = plan(analyzers, wide)
    assert unsegmented.queries == unsegmented.passes == len(unsegmented.scans)


def test_one_column_alone_may_exceed_the_limit() -> None:
    analyzers: list[Analyzer] = [Compliance(f"delay > {i}") for i in range(250)]
    made = plan(analyzers, flights)
    assert all(scan.buffers <= 100 for scan in made.scans)
    assert len(expressions(made)) == 251


def test_an_invalid_analyzer_is_refused_and_the_others_are_planned() -> None:
    made = plan([Mean("carrier"), Mean("dely"), Mean("delay"), ColumnCount()], flights)
    assert {str(a): p.code for a, p in made.refused.items()} == {
        "Mean(carrier)": "wrong_type",
        "Mean(dely)": "unknown_column",
    }
    assert made.schema_metrics == {ColumnCount(): 4}
    assert made.passes == 1


def test_plans_are_equal_and_printable() -> None:
    analyzers: list[Analyzer] = [
        Size(),
        Kurtosis("delay"),
        Median("delay"),
        Correlation("delay", "distance"),
        Uniqueness(["carrier", "origin"], where="delay > 0"),
        Mean("carrier"),
        ColumnCount(),
    ]
    assert plan(analyzers, flights) == plan(analyzers, flights)
    assert str(plan(analyzers, flights)) == (
        "2 passes over the data for 5 analyzers\n"
        "  scan       delay, distance: 12 aggregates in 30 buffers,"
        " 1 sketch observed in the same pass\n"
        "  grouping   carrier, origin where delay > 0:"
        " for Uniqueness(carrier, origin) where delay > 0\n"
        "  no job     ColumnCount()\n"
        "  refused    Mean(carrier): column 'carrier' is string;"
        " Mean needs one of: decimal, fractional, integral."
    )


def test_old_names_of_arguments_give_the_same_plan_with_a_warning() -> None:
    analyzers: list[Analyzer] = [Mean("delay"), Median("delay")]
    with pytest.warns(DeprecationWarning, match="allow_multiple_reads"):
        old = plan(analyzers, flights, by=["origin"], reread=False)  # type: ignore[call-arg]
    assert old == plan(analyzers, flights, by=["origin"], allow_multiple_reads=False)
