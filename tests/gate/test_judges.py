"""What the learners must agree on before a batch is held."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from assay.gate.finding import Finding, Judge
from assay.gate.judges import Budget, agreed, judge_empty, judge_history, programs_of
from assay.gate.knowledge import Knowledge
from assay.learn.fingerprint.column import fingerprint as of
from assay.learn.fingerprint.column import numbers, strings
from assay.learn.fingerprint.facts import Fingerprint
from assay.learn.history.chronicle import Chronicle
from assay.learn.history.constraint import NEED
from assay.store.batch import Batch
from assay.store.verdict import Decision


def found(judge: Judge, column: str | None, level: Decision = Decision.HOLD) -> Finding:
    return Finding(judge, level, "it is so.", column)


def held(findings: list[Finding], **how: object) -> set[str | None]:
    judged = agreed(findings, **how)  # type: ignore[arg-type]
    return {each.column for each in judged if each.level is Decision.HOLD}


def test_a_batch_is_held_for_what_both_learners_notice() -> None:
    one = [found("history", "a"), found("novelty", "b"), found("history", None)]
    assert held(one) == set()
    assert held([*one, found("novelty", "a", Decision.WARN)]) == {"a"}
    assert held([found("schema", "a"), found("checks", "b")]) == {"a", "b"}


def test_far_fewer_rows_than_ever_are_told_of_the_table_alone() -> None:
    both = [found(judge, name) for judge in ("history", "novelty") for name in ("a", None)]
    assert held(both) == {"a", None}
    assert held(both, few=True) == {None}
    rows = Finding("novelty", Decision.HOLD, "it is so.", None, "rows")
    assert held([rows]) == held([rows], few=True) == {None}


def test_nulls_that_never_were_together_are_held_for_alone() -> None:
    assert held([Finding("novelty", Decision.HOLD, "it is so.", None, "unseen nulls")]) == {None}
    assert held([Finding("novelty", Decision.HOLD, "it is so.", None, "rare nulls")]) == set()


def test_a_change_of_what_has_one_value_a_batch_only_warns() -> None:
    both = [found(judge, name) for judge in ("history", "novelty") for name in ("a", "month")]
    assert held(both, labels=frozenset({"month"})) == {"a"}
    null = Finding("history", Decision.HOLD, "it is so.", "month", "complete_ratio")
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
    known = Knowledge(Chronicle("sales"))
    for number in range(1, 5):
        known = known.plus(Batch("sales", str(number)), month(number), None)
    assert known.labels(month(5)) == {"month", "name", "some"}
    for others, found in ((0, {"month", "name"}), (1, {"month", "name"}), (2, set())):
        once = numbers([1.0] * (50 - others) + [7.0] * others)
        names = ("month", "name", "amount", "few")
        assert known.labels(of(dict.fromkeys(names, once))) == found
    empty = of({"month": numbers([None] * 50)})
    assert known.labels(empty) == set()


def test_an_empty_batch_is_held_once_and_not_after_others() -> None:
    known = Knowledge(Chronicle("sales"))
    assert judge_empty(known) == []
    levels = []
    for number in range(1, 11):
        known = known.plus(Batch("sales", str(number)), month(number), None)
        levels += [each.level for each in judge_empty(known)]
    assert levels == [Decision.WARN] * (NEED - 1) + [Decision.HOLD] * (11 - NEED)
    known = known.plus(Batch("sales", "none"), month(11, 0), None)
    (remark,) = judge_empty(known.plus(Batch("sales", "more"), month(12), None))
    assert remark.level is Decision.ACCEPT
    assert remark.reason == "there are no rows, as in 1 of the 12 batches before."


def test_the_greatest_value_may_be_missing_for_once_but_none_may_be_greater() -> None:
    def batch(number: int, greatest: float) -> Fingerprint:
        rng = np.random.default_rng(number)
        return of({"amount": numbers([*rng.uniform(5, 6, 40), min(7.0, greatest), greatest])})

    known = Knowledge(Chronicle("sales"))
    for number in range(12):
        known = known.plus(Batch("sales", str(number)), batch(number, 9.0), None)
    programs = programs_of(known, Budget(Fraction(1, 200)), None)
    told = [
        {each.metric for each in judge_history(programs, known, batch(20, greatest))} & {"max"}
        for greatest in (9.0, 7.5, 6.9, 10.0)
    ]
    assert told == [set(), set(), {"max"}, {"max"}]
