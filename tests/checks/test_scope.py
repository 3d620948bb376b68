"""The scope of a constraint: the batch, the whole dataset, or both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from assay import Check, Dataset, Gate, MemoryStore, Suite
from assay.analyzers import Size
from assay.checks.codegen.constraint_call import calls_of
from assay.errors import ArgumentError, CheckError
from assay.learn.anomaly import OnlineNormal
from assay.learn.patterns import Patterns
from assay.store.verdict import Decision

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def rows(spark: SparkSession, *ids: int) -> DataFrame:
    return spark.createDataFrame([(id_,) for id_ in ids], "id int")


def scopes(check: Check, *, gate: bool) -> list[set[str]]:
    return [set(constraint.scopes(gate=gate)) for constraint in check.constraints]


def test_a_gate_evaluates_keys_and_uniqueness_on_both_and_all_else_on_the_batch() -> None:
    check = Check("c").is_unique("id").has_uniqueness("id", at_least=1).has_size(at_least=1)
    assert scopes(check, gate=True) == [{"batch", "whole"}, {"batch", "whole"}, {"batch"}]


def test_a_dataset_evaluates_constraints_on_both_by_default() -> None:
    check = Check("c").is_unique("id").has_size(at_least=1).has_row_count_of("other")
    assert scopes(check, gate=False) == [{"batch", "whole"}, {"batch", "whole"}, {"batch"}]


@pytest.mark.parametrize("gate", [True, False])
def test_on_overrides_the_default(gate: bool) -> None:
    check = (
        Check("c", on="both")
        .has_size(at_least=1)
        .has_size(at_least=2, on="batch")
        .has_size(at_least=3, on="whole")
    )
    assert scopes(check, gate=gate) == [{"batch", "whole"}, {"batch"}, {"whole"}]


def test_a_metric_that_does_not_merge_is_evaluated_on_the_batch_in_any_case() -> None:
    check = Check("c").has_custom_sql("max(id)", at_most=9, on="whole")
    assert scopes(check, gate=True) == [{"batch", "whole"}]


def test_anomalies_keep_their_own_scope() -> None:
    check = Check("c", on="both").has_no_anomalies(Size(), OnlineNormal(), scope="whole")
    assert scopes(check, gate=True) == [{"whole"}]
    call: Any = Check("c").has_no_anomalies
    with pytest.raises(ArgumentError, match=r"^c: has_no_anomalies takes no on=: .*scope="):
        call(Size(), OnlineNormal(), on="whole")


def test_a_learned_pattern_judges_batches_only() -> None:
    assert scopes(Check("c").matches_learned_pattern("s", Patterns()), gate=False) == [{"batch"}]
    with pytest.raises(CheckError, match=r"a learned pattern .* judge batches"):
        Check("c").matches_learned_pattern("s", Patterns(), on="both")


def test_an_unknown_scope_is_refused() -> None:
    unknown: Any = "all"
    with pytest.raises(CheckError, match="got 'all'"):
        Check("c", on=unknown)
    with pytest.raises(CheckError, match="got 'all'"):
        Check("c").has_size(at_least=1, on=unknown)


def test_the_scope_is_written_as_python_and_as_yaml() -> None:
    check = Check("c", on="both").has_size(at_least=1).is_complete("id", on="batch")
    assert calls_of(check)[1].python == '.is_complete("id", on="batch")'
    suite = Suite("d", (check,))
    assert Suite.parse(suite.yaml).checks == (check,)


def test_a_suite_reads_the_scope_of_checks_and_constraints() -> None:
    suite = Suite.parse(
        "version: 1\ndataset: d\nchecks:\n- name: c\n  on: whole\n  constraints:\n"
        "  - has_size: {at_least: 1}\n  - has_size: {at_least: 2, on: batch}\n"
    )
    (check,) = suite.checks
    assert check.on == "whole"
    assert [constraint.on for constraint in check.constraints] == ["whole", "batch"]


def outcomes(result: Any) -> list[tuple[str, str]]:
    return [
        (
            constraint_result.constraint.name,
            constraint_result.problem.code
            if constraint_result.problem
            else constraint_result.outcome.value,
        )
        for constraint_result in result
    ]


def test_a_dataset_evaluates_each_constraint_on_its_scope(spark: SparkSession) -> None:
    check = Check("c").has_size(equals=2, on="batch").has_sum("id", at_most=5, on="whole")
    dataset = Dataset("d", MemoryStore(), check)
    dataset.append(rows(spark, 1, 2), "2026-01-01")

    second = dataset.append(rows(spark, 1, 2), "2026-01-02")

    assert outcomes(second.delta) == [("has_size()", "passed")]
    assert outcomes(second.whole) == [("has_sum(id)", "failed")]


def test_a_metric_that_cannot_merge_is_not_evaluated_on_the_whole(
    spark: SparkSession,
) -> None:
    check = Check("c").has_custom_sql("max(id)", at_most=9, on="whole")
    dataset = Dataset("d", MemoryStore(), check)
    dataset.append(rows(spark, 1), "2026-01-01")

    second = dataset.append(rows(spark, 2), "2026-01-02")

    assert outcomes(second.delta) == [("has_custom_sql(max(id))", "passed")]
    assert outcomes(second.whole) == [("has_custom_sql(max(id))", "not_incremental")]
    assert not second.whole.results[0].serious
    assert second.whole.passed


def test_anomalies_of_the_whole_do_not_make_verify_or_retract_fail(spark: SparkSession) -> None:
    check = Check("c").has_no_anomalies(Size(), OnlineNormal(), scope="whole")
    dataset = Dataset("d", MemoryStore(), check)
    dataset.append(rows(spark, 1), "2026-01-01")
    dataset.append(rows(spark, 2), "2026-01-02")
    assert outcomes(dataset.verify()) == [("has_no_anomalies(Size(), whole)", "no_judged_batch")]
    assert dataset.verify().passed
    assert dataset.retract("2026-01-02").passed


def test_a_constraint_added_later_is_not_held_for_want_of_past_states(
    spark: SparkSession,
) -> None:
    store = MemoryStore()
    Gate("d", store).submit(rows(spark, *range(30)), "2026-01-01")
    check = Check("c", on="both").has_sum("id", at_least=0).is_unique("id")

    verdict = Gate("d", store, check).submit(rows(spark, *range(30, 60)), "2026-01-02")

    assert verdict.decision is Decision.ACCEPT


def test_a_gate_judges_the_whole_where_the_constraint_says_so(spark: SparkSession) -> None:
    store = MemoryStore()
    gate = Gate(
        "d",
        store,
        [
            Check("whole").has_size(at_most=50, on="whole"),
            Check("batch").has_sum("id", at_most=10_000),
        ],
    )
    gate.submit(rows(spark, *range(30)), "2026-01-01")

    verdict = gate.submit(rows(spark, *range(30, 60)), "2026-01-02")

    assert verdict.decision is Decision.HOLD
    failed = [finding.metric for finding in verdict.findings if finding.judge == "checks"]
    assert failed == ["has_size()"]


def test_bounds_on_sums_and_sizes_hold_no_later_batch(spark: SparkSession) -> None:
    check = (
        Check("c")
        .has_size(equals=30)
        .has_sum("id", at_most=2_000)
        .has_custom_sql("max(id)", at_most=100)
        .has_exact_quantile("id", 0.5, at_most=100)
    )
    gate = Gate("d", MemoryStore(), check)
    for day in range(1, 4):
        verdict = gate.submit(rows(spark, *range(day * 10, day * 10 + 30)), f"2026-01-0{day}")
        assert not [f for f in verdict.findings if f.judge == "checks" and f.alarm], day
