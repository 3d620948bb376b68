"""What strings looked like in the last batch is expected of this one."""

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
from assay.learn.patterns import Patterns
from assay.learn.patterns.evidence import Enumeration, collect_evidence
from assay.learn.patterns.index import PatternIndex
from assay.store.verdict import Decision
from assay.suite.settings import GateSettings

BUDGET = Budget(Fraction(1, 200))


def dates(day: str, rows: int = 200) -> list[str | None]:
    return [day.format(y=2000 + n % 20, m=n % 12 + 1, d=n % 28 + 1) for n in range(rows)]


ISO, SLASHED = dates("{y}-{m:02}-{d:02}"), dates("{m}/{d}/{y}")


def told(
    now: Fingerprint, before: Fingerprint | None, index: PatternIndex | None = None
) -> list[Finding]:
    return judge_patterns(now, before, Patterns(index), BUDGET, private=["secret"])


def of(values: list[str | None]) -> Fingerprint:
    return fingerprint(
        {"day": strings(values), "secret": strings(values), "n": numbers([1.0] * len(values))}
    )


def test_a_format_that_flips_is_told_after_one_batch() -> None:
    (found,) = told(of(SLASHED), of(ISO))
    assert found.column == "day"
    assert found.level is Decision.WARN
    assert found.actual == 0.0
    assert found.cause_code == CauseCode.PATTERN_BROKEN
    assert "<digit>+-<digit>+-<digit>+, such as '1/1/2000'" in found.reason
    assert found.sql is not None
    assert "RLIKE" in found.sql
    assert told(of(ISO), of(ISO)) == []
    assert told(of(ISO), None) == []


def test_what_most_columns_of_the_lake_have_holds_the_batch() -> None:
    lake = [
        collect_evidence([str(each) for each in ISO[n : n + 50]], Enumeration()) for n in range(12)
    ]
    index = PatternIndex.of(lake, Enumeration())
    (found,) = told(of(SLASHED), of(ISO), index)
    assert found.level is Decision.HOLD
    assert "12 columns of the lake have it" in found.reason
    assert found.false_alarm_rate == BUDGET.hold
    (some,) = told(of([*ISO, *SLASHED[:60]]), of(ISO), index)
    assert some.level is Decision.WARN


def test_what_a_sketch_has_forgotten_counts_once_a_value() -> None:
    def sketched(values: dict[str, int]) -> Fingerprint:
        named = {"rows": 1e6, "values": 1e6, "distinct": 9e5}
        stats = ColumnStats(
            "categorical", named, value_counts=values, shape_counts={"9-9-9": 10**6}
        )
        return Fingerprint(10**6, {"day": stats})

    before = sketched({str(each): 1 for each in ISO})
    # one heavy hitter of another form among two hundred values: of all rows nothing is known
    assert told(sketched({**{str(each): 1 for each in ISO[1:]}, "x?": 9000}), before) == []
    assert told(sketched({str(each): 1 for each in SLASHED}), before)


@pytest.mark.slow
def test_good_batches_are_told_of_no_more_often_than_warnings_may_be() -> None:
    rng = random.Random(3)

    def batch() -> Fingerprint:
        rows = rng.randrange(20, 200)
        codes = [
            "n/k" if rng.random() < 0.02 else f"{rng.choice('ABC')}-{rng.randrange(10**5):05}"
            for _ in range(rows)
        ]
        return fingerprint({f"c{n}": strings(codes) for n in range(3)})

    alarms = sum(bool(told(batch(), batch())) for _ in range(400))
    assert alarms <= 2 * BUDGET.warn * 400


def test_a_lake_is_one_more_who_may_hold() -> None:
    assert Budget.from_settings(GateSettings()) == BUDGET
    assert Budget.from_settings(GateSettings(), has_index=True).hold < BUDGET.hold
    assert Budget.from_settings(GateSettings(patterns="lake.idx")).n_learners == 3
