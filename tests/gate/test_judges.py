"""What the learners must agree on before a batch is held."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from assay.gate.budget import Budget
from assay.gate.context import learn_limits
from assay.gate.decide import require_agreement
from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.gate.judges.empty import judge_empty
from assay.gate.judges.limits import judge_limits
from assay.gate.judges.novelty import judge_novelty
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import fingerprint as of
from assay.learn.fingerprint.from_rows import numbers, strings
from assay.learn.limits.metric_history import MetricHistory
from assay.learn.limits.metric_limit import MIN_BATCHES
from assay.learn.limits.table_limits import judge_batch
from assay.store.batch import Batch
from assay.store.verdict import Decision
from assay.suite.settings import GateSettings


def found(judge: str, column: str | None, level: Decision = Decision.HOLD) -> Finding:
    return Finding(judge, level, "it is so.", column)


def held(findings: list[Finding], **how: object) -> set[str | None]:
    judged = require_agreement(findings, **how)  # type: ignore[arg-type]
    return {each.column for each in judged if each.level is Decision.HOLD}


def test_a_batch_is_held_for_what_both_learners_notice() -> None:
    one = [found("limits", "a"), found("novelty", "b"), found("limits", None)]
    assert held(one) == set()
    assert held([*one, found("novelty", "a", Decision.WARN)]) == {"a"}
    assert held([found("schema", "a"), found("checks", "b")]) == {"a", "b"}


def test_far_fewer_rows_than_ever_are_told_of_the_table_alone() -> None:
    both = [found(judge, name) for judge in ("limits", "novelty") for name in ("a", None)]
    assert held(both) == {"a", None}
    assert held(both, is_small=True) == {None}
    rows = Finding("novelty", Decision.HOLD, "it is so.", None, "rows")
    assert held([rows]) == held([rows], is_small=True) == {None}


def test_nulls_that_never_were_together_are_held_for_alone() -> None:
    assert held([Finding("novelty", Decision.HOLD, "it is so.", None, "unseen nulls")]) == {None}
    assert held([Finding("novelty", Decision.HOLD, "it is so.", None, "rare nulls")]) == set()


def test_a_change_of_what_has_one_value_a_batch_only_warns() -> None:
    both = [found(judge, name) for judge in ("limits", "novelty") for name in ("a", "month")]
    assert held(both, labels=frozenset({"month"})) == {"a"}
    null = Finding("limits", Decision.HOLD, "it is so.", "month", "complete_ratio")
    assert held([*both, null], labels=frozenset({"month"})) == {"a", "month"}


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


def test_labels_are_columns_that_have_had_one_value_in_every_batch() -> None:
    known = GateHistory(MetricHistory("sales"))
    for number in range(1, 5):
        known = known.plus(Batch("sales", str(number)), month(number), None)
    assert known.labels(month(5)) == {"month", "name", "some"}
    for others, found in ((0, {"month", "name"}), (1, {"month", "name"}), (2, set())):
        once = numbers([1.0] * (50 - others) + [7.0] * others)
        names = ("month", "name", "amount", "few")
        assert known.labels(of(dict.fromkeys(names, once))) == found
    empty = of({"month": numbers([None] * 50)})
    assert known.labels(empty) == set()


def test_an_empty_batch_is_held_once_and_not_after_several() -> None:
    def told(known: GateHistory) -> tuple[Decision, str]:
        (found,) = judge_empty(known)
        return found.level, found.reason

    known = GateHistory(MetricHistory("sales"))
    first = "there are no rows, and no earlier batch to compare with."
    assert told(known) == (Decision.WARN, first)
    found = []
    for number in range(1, 11):
        known = known.plus(Batch("sales", str(number)), month(number), None)
        found.append(told(known))
    levels = [level for level, _ in found]
    assert levels == [Decision.WARN] * (MIN_BATCHES - 1) + [Decision.HOLD] * (11 - MIN_BATCHES)
    assert found[0][1] == "there are no rows; the batch before had some."
    for number in range(1, 4):
        known = known.plus(Batch("sales", f"none {number}"), month(11, 0), None)
        usual = Decision.ACCEPT if number == 3 else Decision.WARN
        reason = f"there are no rows, as in {number} of {10 + number} batches before."
        assert told(known) == (usual, reason)
    seldom = replace(known, seen_values=replace(known.seen_values, batches=300))
    assert told(seldom)[0] is Decision.WARN


def day(seed: int, rows: int) -> Fingerprint:
    rng = np.random.default_rng(seed)
    carriers = rng.choice(["AA", "UA", "DL"], rows).tolist()
    return of({"amount": rng.gamma(4.0, 5.0, rows).round(2), "carrier": strings(carriers)})


@pytest.fixture(scope="module")
def fortnight() -> GateHistory:
    """Of 151 to 180 rows a day."""
    known = GateHistory(MetricHistory("flights"))
    for seed in range(14):
        known = known.plus(Batch("flights", str(seed)), day(seed, 151 + seed * 13 % 38), None)
    return known


def far(known: GateHistory, batch: Fingerprint) -> list[Finding]:
    return judge_novelty(known, batch, Budget(Fraction(1, 200)), GateSettings(detector="hbos"))


def test_a_row_less_than_ever_is_nothing_to_hold_for_alone(fortnight: GateHistory) -> None:
    def rows(number: int) -> Finding:
        found = far(fortnight, day(100, number))
        (own,) = (each for each in found if each.metric == "rows")
        return own

    assert rows(150).reason.startswith("the number of rows is 150.0, expected 151.0 to 180.0")
    assert rows(150).level is Decision.WARN
    assert rows(20).level is Decision.HOLD
    # one of fifteen is the farthest of them, whatever the budget
    assert rows(150).false_alarm_rate == rows(20).false_alarm_rate == 1 / 15


def test_of_a_batch_that_is_far_as_a_whole_no_feature_is_said_to_be(fortnight: GateHistory) -> None:
    (found,) = far(fortnight, day(111, 170))
    assert found.level is Decision.WARN
    assert found.column is None
    assert found.false_alarm_rate == 1 / 15
    assert found.metric == "score"
    assert found.actual is not None
    assert found.high is not None
    assert found.actual > found.high


def test_the_greatest_value_may_be_missing_for_once_but_none_may_be_greater() -> None:
    def batch(number: int, greatest: float) -> Fingerprint:
        rng = np.random.default_rng(number)
        return of({"amount": numbers([*rng.uniform(5, 6, 40), min(7.0, greatest), greatest])})

    known = GateHistory(MetricHistory("sales"))
    for number in range(12):
        known = known.plus(Batch("sales", str(number)), batch(number, 9.0), None)
    programs = learn_limits(known, Budget(Fraction(1, 200)), GateSettings())

    def broken(fingerprint: Fingerprint) -> set[str | None]:
        results = {
            mode: judge_batch(limits, known.metrics, fingerprint)
            for mode, limits in programs.items()
        }
        return {finding.metric for finding in judge_limits(results, known, fingerprint)}

    told = [broken(batch(20, greatest)) & {"max"} for greatest in (9.0, 7.5, 6.9, 10.0)]
    assert told == [set(), set(), {"max"}, {"max"}]
