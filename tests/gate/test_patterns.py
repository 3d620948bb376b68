"""Judge strings by the patterns of the last batch."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from assay.gate.budget import Budget
from assay.gate.causes.cause import CauseCode
from assay.gate.finding import Finding
from assay.gate.judges.patterns import judge_patterns
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint
from assay.learn.fingerprint.from_rows import fingerprint, numbers, strings
from assay.learn.novelty.seen_values import SeenValues
from assay.learn.patterns import Patterns
from assay.learn.patterns.evidence import Enumeration, collect_evidence
from assay.learn.patterns.index import PatternIndex
from assay.store.verdict import Decision
from assay.suite.settings import GateSettings

BUDGET = Budget(Fraction(1, 200))


def dates(day: str, rows: int = 200) -> list[str | None]:
    return [day.format(y=2000 + n % 20, m=n % 12 + 1, d=n % 28 + 1) for n in range(rows)]


ISO_DATES, US_DATES = dates("{y}-{m:02}-{d:02}"), dates("{m}/{d}/{y}")


def judge(
    now: Fingerprint,
    before: Fingerprint | None,
    index: PatternIndex | None = None,
    *,
    seen: SeenValues | None = None,
) -> list[Finding]:
    return judge_patterns(now, before, Patterns(index), BUDGET, private=["secret"], earlier=seen)


def batch_of(values: list[str | None]) -> Fingerprint:
    return fingerprint(
        {"day": strings(values), "secret": strings(values), "n": numbers([1.0] * len(values))}
    )


def test_a_changed_format_is_reported_after_one_batch() -> None:
    (finding,) = judge(batch_of(US_DATES), batch_of(ISO_DATES))
    assert finding.column == "day"
    assert finding.level is Decision.WARN
    assert finding.actual == 0.0
    assert finding.cause_code == CauseCode.PATTERN_BROKEN
    assert "<digit>+-<digit>+-<digit>+, such as '1/1/2000'" in finding.reason
    assert finding.sql is not None
    assert "RLIKE" in finding.sql
    assert judge(batch_of(ISO_DATES), batch_of(ISO_DATES)) == []
    assert judge(batch_of(ISO_DATES), None) == []


def test_a_form_that_earlier_batches_had_is_no_mismatch() -> None:
    sales: list[str | None] = [f"{543_000 + n}" for n in range(200)]
    cancellations: list[str | None] = [f"C{544_000 + n}" for n in range(30)]
    earlier, before = batch_of([*sales, *cancellations]), batch_of(sales)
    seen = SeenValues().add(earlier).add(before)

    assert judge(batch_of([*sales, "C900", "C901", "C902"] * 2), before) != []
    assert judge(batch_of([*sales, "C900", "C901", "C902"] * 2), before, seen=seen) == []
    assert judge(batch_of([*sales, "C9-1", "C9-2", "C9-3"] * 2), before, seen=seen) != []


def test_a_few_values_of_different_forms_are_reported_after_a_small_batch() -> None:
    """So few values would not show that the share of mismatches has risen."""
    orders: list[str | None] = [f"ORD-{17_000 + n * 31}" for n in range(60)]
    garbage: list[str | None] = ["<html>", "%$ k3", "x[1]=9", "a b c d"]

    (finding,) = judge(batch_of([*orders, *garbage]), batch_of(orders[:12]))

    assert finding.level is Decision.WARN
    assert finding.false_alarm_rate <= BUDGET.warn
    assert finding.reason.startswith("4 of 64 values (6.2 %) do not match the pattern")
    assert finding.reason.endswith(
        "Each has another form, and none of these forms was there before."
    )


def test_a_single_new_form_is_usual_after_a_small_batch() -> None:
    orders: list[str | None] = [f"ORD-{17_000 + n * 31}" for n in range(60)]
    returns: list[str | None] = [f"RET-{n}/{n + 40}" for n in range(4)]
    assert judge(batch_of([*orders, *returns]), batch_of(orders[:12])) == []


def test_different_forms_among_one_repeated_value_are_reported() -> None:
    garbage: list[str | None] = ["<html>", "%$ k3", "x[1]=9", "a b c d"]
    before: list[str | None] = ["A-1"] * 200
    assert len(judge(batch_of([*before, *garbage]), batch_of(before))) == 1


def test_a_broken_pattern_that_is_common_in_the_lake_holds_the_batch() -> None:
    lake = [
        collect_evidence([str(value) for value in ISO_DATES[n : n + 50]], Enumeration())
        for n in range(12)
    ]
    index = PatternIndex.of(lake, Enumeration())
    (finding,) = judge(batch_of(US_DATES), batch_of(ISO_DATES), index)
    assert finding.level is Decision.HOLD
    assert "12 columns of the lake have it" in finding.reason
    assert finding.false_alarm_rate == BUDGET.hold
    (finding,) = judge(batch_of([*ISO_DATES, *US_DATES[:60]]), batch_of(ISO_DATES), index)
    assert finding.level is Decision.WARN


def test_values_of_a_sketch_count_once_if_it_has_dropped_some() -> None:
    def batch_from_sketch(values: dict[str, int]) -> Fingerprint:
        metrics = {"rows": 1e6, "values": 1e6, "distinct": 9e5}
        stats = ColumnStats(
            "categorical", metrics, value_counts=values, shape_counts={"9-9-9": 10**6}
        )
        return Fingerprint(10**6, {"day": stats})

    before = batch_from_sketch({str(value): 1 for value in ISO_DATES})
    # one frequent value of another shape among 200 values says nothing about all rows
    assert (
        judge(batch_from_sketch({**{str(value): 1 for value in ISO_DATES[1:]}, "x?": 9000}), before)
        == []
    )
    assert judge(batch_from_sketch({str(value): 1 for value in US_DATES}), before)


@pytest.mark.slow
def test_good_batches_warn_at_most_as_often_as_the_budget_allows() -> None:
    rng = random.Random(3)

    def batch() -> Fingerprint:
        rows = rng.randrange(20, 200)
        codes = [
            "n/k" if rng.random() < 0.02 else f"{rng.choice('ABC')}-{rng.randrange(10**5):05}"
            for _ in range(rows)
        ]
        return fingerprint({f"c{n}": strings(codes) for n in range(3)})

    alarms = sum(bool(judge(batch(), batch())) for _ in range(400))
    assert alarms <= 2 * BUDGET.warn * 400


def test_a_lake_is_one_more_learner_that_shares_the_budget() -> None:
    assert Budget.from_settings(GateSettings()) == BUDGET
    assert Budget.from_settings(GateSettings(), has_index=True).hold < BUDGET.hold
    assert Budget.from_settings(GateSettings(patterns="lake.idx")).n_learners == 3
