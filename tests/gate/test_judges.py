"""The learners must agree before a batch is held."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest

from assay.gate.budget import Budget
from assay.gate.context import BatchContext, learn_limits
from assay.gate.decide import require_agreement
from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.gate.judges import registry
from assay.gate.judges.empty import judge_empty
from assay.gate.judges.limits import LimitsJudge, judge_limits
from assay.gate.judges.novelty import NoveltyJudge, judge_novelty
from assay.gate.measured_batch import MeasuredBatch
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import fingerprint as of
from assay.learn.fingerprint.from_rows import numbers, strings
from assay.learn.limits.metric_history import MetricHistory
from assay.learn.limits.metric_limit import MIN_BATCHES
from assay.learn.limits.table_limits import judge_batch
from assay.store.batch import Batch
from assay.store.verdict import Decision
from assay.suite.settings import GateSettings
from tests.gate.histories import history_of


def finding_of(judge: str, column: str | None, level: Decision = Decision.HOLD) -> Finding:
    return Finding(judge, level, "it is so.", column)


def held(findings: list[Finding], **options: object) -> set[str | None]:
    agreed = require_agreement(findings, **options)  # type: ignore[arg-type]
    return {finding.column for finding in agreed if finding.level is Decision.HOLD}


def test_a_batch_is_held_if_both_learners_report_a_column() -> None:
    findings = [finding_of("limits", "a"), finding_of("novelty", "b"), finding_of("limits", None)]
    assert held(findings) == set()
    assert held([*findings, finding_of("novelty", "a", Decision.WARN)]) == {"a"}
    assert held([finding_of("schema", "a"), finding_of("checks", "b")]) == {"a", "b"}


def test_a_relation_is_held_if_a_learner_reports_either_of_its_columns() -> None:
    relation = replace(finding_of("relations", "shipped"), related=("ordered",))
    assert held([relation]) == set()
    assert "shipped" in held([relation, finding_of("limits", "ordered", Decision.WARN)])


def test_a_column_warns_if_the_batch_before_was_released_with_the_same_alarm() -> None:
    findings = [finding_of(judge, column) for judge in ("limits", "novelty") for column in "ab"]
    assert held(findings, released={"a"}) == {"b"}
    assert held([*findings, finding_of("schema", "a")], released={"a"}) == {"a", "b"}


@dataclass(frozen=True)
class NamedJudge:
    name: str
    holds_alone: bool

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        return []


@pytest.mark.unit
def test_a_judge_says_whether_it_holds_alone() -> None:
    judges = (
        LimitsJudge(),
        NoveltyJudge(),
        NamedJudge("own", holds_alone=False),
        NamedJudge("certain", holds_alone=True),
    )
    own = [finding_of("own", "a"), finding_of("own", "b")]
    assert held(own, judges=judges) == set()
    assert held([*own, finding_of("limits", "a", Decision.WARN)], judges=judges) == {"a"}
    assert held([*own, finding_of("novelty", "b", Decision.WARN)], judges=judges) == {"b"}
    # only a learner confirms, and an observation does not
    assert held([*own, finding_of("certain", "a", Decision.WARN)], judges=judges) == set()
    assert held([*own, finding_of("limits", "a", Decision.ACCEPT)], judges=judges) == set()
    assert held([finding_of("limits", "a"), finding_of("own", "a")], judges=judges) == {"a"}
    assert held([finding_of("certain", "a")], judges=judges) == {"a"}
    # a finding of the gate itself has no judge
    assert held([finding_of("gate", "a")], judges=judges) == {"a"}


@pytest.mark.unit
def test_a_registered_judge_is_asked_whether_it_holds_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = NamedJudge("own", holds_alone=False)
    monkeypatch.setattr(registry, "JUDGES", [*registry.JUDGES, own])
    assert held([finding_of("own", "a")]) == set()


def test_only_findings_on_the_table_hold_a_small_batch() -> None:
    both = [finding_of(judge, name) for judge in ("limits", "novelty") for name in ("a", None)]
    assert held(both) == {"a", None}
    assert held(both, is_small=True) == {None}
    rows = Finding("novelty", Decision.HOLD, "it is so.", None, "row_count")
    assert held([rows]) == held([rows], is_small=True) == {None}


def test_a_new_combination_of_nulls_holds_without_a_second_learner() -> None:
    assert held([Finding("novelty", Decision.HOLD, "it is so.", None, "unseen_nulls")]) == {None}
    assert held([Finding("novelty", Decision.HOLD, "it is so.", None, "rare_nulls")]) == set()


def test_a_new_value_of_a_column_with_one_value_per_batch_only_warns() -> None:
    both = [finding_of(judge, name) for judge in ("limits", "novelty") for name in ("a", "month")]
    assert held(both, labels=frozenset({"month"})) == {"a"}
    nulls = Finding("limits", Decision.HOLD, "it is so.", "month", "complete_ratio")
    assert held([*both, nulls], labels=frozenset({"month"})) == {"a", "month"}


def month(number: int, rows: int = 50) -> Fingerprint:
    rng = np.random.default_rng(number)
    return of(
        {
            "month": numbers([float(number)] * rows),
            "name": strings([f"m{number}"] * rows),
            "amount": rng.normal(size=rows),
            "few": numbers(([1.0] * rows + [2.0])[-rows:] if rows else []),
            "some": numbers([None, *[1.0] * rows][:rows]),
        }
    )


def test_labels_are_columns_with_one_value_in_every_batch() -> None:
    history = history_of("sales", (month(number) for number in range(1, 5)))
    assert history.labels(month(5)) == {"month", "name", "some"}
    for other_values, labels in ((0, {"month", "name"}), (1, {"month", "name"}), (2, set())):
        column = numbers([1.0] * (50 - other_values) + [7.0] * other_values)
        names = ("month", "name", "amount", "few")
        assert history.labels(of(dict.fromkeys(names, column))) == labels
    empty = of({"month": numbers([None] * 50)})
    assert history.labels(empty) == set()


def test_an_empty_batch_is_held_unless_several_were_empty_before() -> None:
    def judge(history: GateHistory) -> tuple[Decision, str]:
        (finding,) = judge_empty(history)
        return finding.level, finding.reason

    history = GateHistory(MetricHistory("sales"))
    first = "the batch is empty, and there is nothing to compare it with."
    assert judge(history) == (Decision.WARN, first)
    outcomes = []
    for number in range(1, 11):
        history = history.plus(Batch("sales", str(number)), month(number), None)
        outcomes.append(judge(history))
    levels = [level for level, _ in outcomes]
    assert levels == [Decision.WARN] * (MIN_BATCHES - 1) + [Decision.HOLD] * (11 - MIN_BATCHES)
    assert outcomes[0][1] == "the batch is empty; the batch before had rows."
    for number in range(1, 4):
        history = history.plus(Batch("sales", f"none {number}"), month(11, 0), None)
        usual = Decision.ACCEPT if number == 3 else Decision.WARN
        reason = f"the batch is empty, as were {number} of {10 + number} batches before."
        assert judge(history) == (usual, reason)
    rarely_empty = replace(history, seen_values=replace(history.seen_values, batches=300))
    assert judge(rarely_empty)[0] is Decision.WARN


def day(seed: int, rows: int) -> Fingerprint:
    rng = np.random.default_rng(seed)
    carriers = rng.choice(["AA", "UA", "DL"], rows).tolist()
    return of({"amount": rng.gamma(4.0, 5.0, rows).round(2), "carrier": strings(carriers)})


@pytest.fixture(scope="module")
def fortnight() -> GateHistory:
    """Create a history of 14 days with 151 to 180 rows."""
    return history_of("flights", (day(seed, 151 + seed * 13 % 38) for seed in range(14)))


def judge_with_hbos(history: GateHistory, batch: Fingerprint) -> list[Finding]:
    return judge_novelty(history, batch, Budget(Fraction(1, 200)), GateSettings(detector="hbos"))


def test_one_row_less_than_ever_only_warns(fortnight: GateHistory) -> None:
    def rows(number: int) -> Finding:
        findings = judge_with_hbos(fortnight, day(100, number))
        (finding,) = (f for f in findings if f.metric == "row_count")
        return finding

    assert rows(150).reason.startswith("the number of rows is 150, expected 151 to 180")
    assert rows(150).level is Decision.WARN
    assert rows(20).level is Decision.HOLD
    # one of 15 batches is always the farthest, so the rate cannot be lower
    assert rows(150).false_alarm_rate == rows(20).false_alarm_rate == 1 / 15


def test_a_batch_that_is_far_as_a_whole_names_no_feature(fortnight: GateHistory) -> None:
    (finding,) = judge_with_hbos(fortnight, day(111, 170))
    assert finding.level is Decision.WARN
    assert finding.column is None
    assert finding.false_alarm_rate == 1 / 15
    assert finding.metric == "score"
    assert finding.actual is not None
    assert finding.high is not None
    assert finding.actual > finding.high


def test_the_maximum_may_be_missing_once_but_must_not_grow() -> None:
    def batch(number: int, greatest: float) -> Fingerprint:
        rng = np.random.default_rng(number)
        return of({"amount": numbers([*rng.uniform(5, 6, 40), min(7.0, greatest), greatest])})

    history = history_of("sales", (batch(number, 9.0) for number in range(12)))
    learned_limits = learn_limits(history, Budget(Fraction(1, 200)), GateSettings())

    def broken(fingerprint: Fingerprint) -> set[str | None]:
        results = {
            mode: judge_batch(limits, history.metrics, fingerprint)
            for mode, limits in learned_limits.items()
        }
        return {finding.metric for finding in judge_limits(results, history, fingerprint)}

    metrics = [broken(batch(20, greatest)) & {"max"} for greatest in (9.0, 7.5, 6.9, 10.0)]
    assert metrics == [set(), set(), {"max"}, {"max"}]
