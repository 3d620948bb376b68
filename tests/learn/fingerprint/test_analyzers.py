"""The analyzers of a fingerprint are known exactly, and keep no values of private columns."""

from __future__ import annotations

from assay.analyzers import (
    ApproxQuantiles,
    Completeness,
    Maximum,
    Minimum,
    RepeatedValueCount,
    ShapeProfile,
    Sum,
    ValueProfile,
)
from assay.analyzers.schema import Schema
from assay.learn.fingerprint.analyzers import (
    FingerprintPlan,
    plan_fingerprint,
    reconstruct_plan,
)

SCHEMA = Schema.of(
    amount="double", day="date", at="timestamp", code="string", tags="array<string>", flag="boolean"
)
KEEP_VALUES = (Minimum, Maximum, ApproxQuantiles, ShapeProfile)


def test_the_plan_is_reconstructed_from_the_analyzers_of_a_batch() -> None:
    for private in ((), ("amount",), ("code", "day"), SCHEMA.names):
        plan = plan_fingerprint(SCHEMA, private)
        reconstructed = reconstruct_plan(plan.analyzers)
        assert set(reconstructed.analyzers) == set(plan.analyzers)


def test_a_fingerprint_does_not_include_analyzers_of_checks() -> None:
    plan = plan_fingerprint(SCHEMA, ("amount",))
    of_checks = (
        *(
            kind(column)
            for kind in (Minimum, Maximum)
            for column in ("day", "at", "code", "amount")
        ),
        ApproxQuantiles("amount"),
        ShapeProfile("amount"),
        ValueProfile("amount"),
        Completeness("amount", where="day > '2020-01-01'"),
        Sum("amount", where="flag"),
    )

    reconstructed = reconstruct_plan((*of_checks, *plan.analyzers))

    assert set(reconstructed.analyzers) == set(plan.analyzers)


def test_no_analyzer_of_a_private_column_keeps_values() -> None:
    for analyzer in plan_fingerprint(SCHEMA, SCHEMA.names).analyzers:
        assert not isinstance(analyzer, KEEP_VALUES)
        if isinstance(analyzer, ValueProfile):
            assert analyzer.hidden


def test_columns_that_share_a_name_have_no_fingerprint() -> None:
    plan = plan_fingerprint(Schema.of(a="int", b="int"))
    assert [column.name for column in plan.columns] == ["a", "b"]


def test_a_plan_with_samples_is_read_as_it_was_written() -> None:
    plan = plan_fingerprint(SCHEMA, one_in={SCHEMA.names[0]: 32}, key_one_in={SCHEMA.names[1]: 2})

    assert FingerprintPlan.from_json(plan.to_json()) == plan
    assert plan.columns[0].sample == ValueProfile(SCHEMA.names[0], one_in=32)
    assert plan.columns[1].sample is None
    assert plan.columns[0].repeated_values is None
    assert RepeatedValueCount(SCHEMA.names[1], one_in=2) in plan.columns[1].analyzers
