"""Findings with one cause become one problem."""

from __future__ import annotations

import numpy as np

from assay import Gate, MemoryStore
from assay.gate.causes.cause import CauseCode
from assay.gate.context import BatchContext
from assay.gate.diagnose import Comparison, diagnose, find_causes, group_findings
from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.gate.problem import Problem
from assay.gate.submit import judge_measured
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import fingerprint, numbers, strings
from assay.learn.limits.metric_history import MetricHistory
from assay.store import Decision, VerdictRecord
from benchmarks.support.batches_of_rows import BatchOfRows
from benchmarks.support.corruption import Columns
from tests.gate.histories import history_of


def sales(rows: int, *, factor: float = 1.0) -> Fingerprint:
    rng = np.random.default_rng(7)
    return fingerprint(
        {
            "amount": rng.gamma(2.0, 20.0, rows) * factor,
            "status": strings(rng.choice(["new", "paid"], rows).tolist()),
            "city": strings(rng.choice([*"abcdef"], rows).tolist()),
        }
    )


def finding(judge: str, column: str | None, metric: str, level: Decision) -> Finding:
    return Finding(judge, level, f"{metric} is unexpected.", column, metric, actual=1.0)


def hold(column: str | None, metric: str, judge: str = "limits") -> Finding:
    return finding(judge, column, metric, Decision.HOLD)


def test_missing_rows_and_their_consequences_are_one_problem() -> None:
    findings = [
        hold(None, metrics.ROW_COUNT),
        hold("amount", metrics.SUM),
        hold("status", metrics.DISTINCT_COUNT),
        hold("city", metrics.L1),
    ]
    (problem,) = diagnose(findings, Comparison(sales(500), sales(1000)))
    assert problem.cause_code == CauseCode.ROWS_MISSING
    assert problem.columns == ()
    assert problem.level is Decision.HOLD
    assert problem.findings[0].metric == metrics.ROW_COUNT
    assert len(problem.findings) == 4


def test_a_column_with_a_cause_of_its_own_is_a_problem_of_its_own() -> None:
    findings = [hold(None, metrics.ROW_COUNT), hold("amount", metrics.MEAN)]
    problems = diagnose(findings, Comparison(sales(500, factor=1000.0), sales(1000)))
    assert [(problem.cause_code, problem.columns) for problem in problems] == [
        (CauseCode.ROWS_MISSING, ()),
        (CauseCode.UNIT_CHANGED, ("amount",)),
    ]


def test_all_findings_about_a_small_batch_are_one_problem() -> None:
    findings = [hold(None, metrics.ROW_COUNT), hold("amount", metrics.MEAN)]
    compared = Comparison(sales(20), sales(1000), is_small=True)
    (problem,) = diagnose(findings, compared)
    assert problem.cause_code == CauseCode.ROWS_MISSING


def test_a_redelivery_explains_what_the_learners_report() -> None:
    again = Finding(
        "redelivery",
        Decision.HOLD,
        "all columns are exactly as in the batch before.",
        None,
        metrics.UNCHANGED,
        cause="The batch before was delivered again.",
        cause_code=CauseCode.REDELIVERED,
    )
    (problem,) = group_findings([hold("amount", metrics.L1, "novelty"), again])
    assert problem.cause_code == CauseCode.REDELIVERED
    assert problem.cause == "The batch before was delivered again."


def test_all_findings_about_a_column_are_one_problem() -> None:
    warning = finding("novelty", "city", metrics.ENTROPY, Decision.WARN)
    problems = group_findings([warning, hold("city", metrics.L1), hold("status", metrics.L1)])
    assert [(problem.columns, len(problem.findings)) for problem in problems] == [
        (("city",), 2),
        (("status",), 1),
    ]
    assert problems[0].level is Decision.HOLD


def test_several_columns_that_are_gone_are_one_problem() -> None:
    gone = [
        Finding(
            "schema",
            Decision.HOLD,
            "the column is gone.",
            f"c{number}",
            "gone",
            cause_code=CauseCode.COLUMN_GONE,
        )
        for number in range(8)
    ]
    (problem,) = group_findings(gone)
    assert problem.cause == "8 columns are gone: c0, c1, c2, c3, c4 and 3 more."


def test_all_findings_about_a_column_that_is_gone_are_one_problem() -> None:
    gone = Finding(
        "schema", Decision.HOLD, "the column is gone.", "city", cause_code=CauseCode.COLUMN_GONE
    )
    (problem,) = group_findings([gone, hold("city", metrics.COMPLETENESS, "novelty")])
    assert problem.cause_code == CauseCode.COLUMN_GONE
    assert problem.columns == ("city",)
    assert len(problem.findings) == 2


def test_a_new_form_of_dates_explains_why_their_type_changed() -> None:
    days = [f"2026-11-{day:02d}" for day in range(1, 29)] * 4
    before = fingerprint({"shipped": strings([f"{day} 10:00:00" for day in days])})
    now = fingerprint({"shipped": strings([f"{day[8:]}/11/2026 10:00" for day in days])})
    changed = Finding(
        "schema",
        Decision.HOLD,
        "the type is string; it was timestamp.",
        "shipped",
        "type",
        cause_code=CauseCode.TYPE_CHANGED,
    )
    (problem,) = diagnose([changed], Comparison(now, before))
    assert problem.cause_code == CauseCode.TYPE_CHANGED
    assert problem.cause.startswith("The type is string; it was timestamp. ")
    assert "'2026-11-28 10:00:00'" in problem.cause
    assert "'28/11/2026 10:00'" in problem.cause


def test_a_harmless_change_of_type_does_not_hide_a_changed_unit() -> None:
    changed = Finding(
        "schema",
        Decision.WARN,
        "the type is double; it was bigint.",
        "amount",
        "type",
        cause_code=CauseCode.TYPE_CHANGED,
    )
    compared = Comparison(sales(400, factor=0.001), sales(400))

    (problem,) = diagnose([changed, hold("amount", metrics.MEAN)], compared)
    (alone,) = diagnose([changed], Comparison(sales(400), sales(400)))

    assert problem.cause_code == CauseCode.UNIT_CHANGED
    assert problem.cause.startswith("All 400 values are about 1,000 times smaller")
    assert alone.cause_code == CauseCode.TYPE_CHANGED


def test_nulls_that_rise_in_the_same_rows_of_several_columns_are_one_problem() -> None:
    amounts, days = [float(n) for n in range(400)], [f"2026-11-{n % 28 + 1:02}" for n in range(400)]
    before = fingerprint({"left": numbers(amounts), "arrived": strings(days)})
    now = fingerprint(
        {
            "left": numbers([None if n < 200 else a for n, a in enumerate(amounts)]),
            "arrived": strings([None if n < 204 else d for n, d in enumerate(days)]),
        }
    )
    findings = [hold(column, metrics.COMPLETENESS) for column in ("left", "arrived")]

    (problem,) = diagnose(findings, Comparison(now, before))

    assert problem.cause_code == CauseCode.NULLS_TOGETHER
    assert set(problem.columns) == {"left", "arrived"}
    assert "200 of 400 rows (50 %)" in problem.cause


def test_the_code_of_another_package_is_kept() -> None:
    (problem,) = group_findings(
        [Finding("airports", Decision.HOLD, "no departures.", "origin", cause_code="closed")]
    )
    assert problem.cause_code == "closed"
    assert problem.cause == "No departures."


def test_a_problem_is_read_as_it_was_written() -> None:
    findings = [hold(None, metrics.ROW_COUNT), hold("amount", metrics.SUM)]
    (problem,) = diagnose(findings, Comparison(sales(500), sales(1000)))
    assert Problem.read(problem.to_dict()) == problem


def test_past_alarms_are_read_once_for_all_findings_of_a_batch() -> None:
    reads = 0

    class CountedAlarm(dict[str, object]):
        def get(self, key: str, default: object = None) -> object:
            nonlocal reads
            reads += key == "level"
            return super().get(key, default)

    names = [f"c{number}" for number in range(20)]
    alarms = tuple(CountedAlarm(level="warn", judge="limits", column=name) for name in names)
    past = [VerdictRecord("sales", f"{day}", Decision.WARN, alarms) for day in range(10)]
    findings = [hold(name, metrics.SUM) for name in names]

    explained = find_causes(findings, Comparison(sales(500), None), past)

    assert [finding.since for finding in explained] == ["0"] * 20
    assert reads == 10 * 20


def test_values_that_all_came_before_are_not_called_new() -> None:
    """A column whose values are usually new has none that is new: the sentence agrees with it."""

    def batch(day: int) -> Fingerprint:
        return fingerprint({"ref": strings(f"ref-{day}-{number}" for number in range(200))})

    past = history_of("orders", map(batch, range(10)))
    alarm = Finding(
        "novelty", Decision.WARN, "", "ref", metrics.UNSEEN_VALUES, actual=0.0, low=0.9, high=1.0
    )
    compared = Comparison(batch(4), past.metrics.last, history=past.seen_values)

    assert [problem.cause_code for problem in diagnose([alarm], compared)] == ["redelivered"]


def test_a_submit_compares_values_with_the_whole_history() -> None:
    """A value that only older batches had is known: the new one is named."""
    rng = np.random.default_rng(3)

    def orders(*statuses: str) -> Columns:
        return {"status": strings(rng.choice(statuses, 400).tolist())}

    history = GateHistory(MetricHistory("orders"))
    for day in range(12):
        columns = orders("new", "paid", "old") if day < 11 else orders("new", "paid")
        batch = BatchOfRows.of("orders", f"{day}", day, columns)
        history = history.plus(batch.batch, batch.fingerprint, batch.schema)
    spec = Gate("orders", MemoryStore()).spec
    context = BatchContext(settings=spec.settings, budget=spec.budget, history=history)

    verdict = judge_measured(
        context, BatchOfRows.of("orders", "12", 12, orders("new", "paid", "old", "lost"))
    )

    assert verdict.problems[0].cause_code == CauseCode.VALUES_NEW
    assert "'lost'" in verdict.problems[0].cause
    assert "'old'" not in verdict.problems[0].cause


def test_columns_that_hold_each_others_values_are_one_problem() -> None:
    rng = np.random.default_rng(1)

    def trip() -> Columns:
        return {"miles": rng.gamma(9.0, 100.0, 300), "minutes": rng.gamma(9.0, 5.0, 300)}

    last, now = trip(), trip()
    now = {"miles": now["minutes"], "minutes": now["miles"]}
    findings = [hold("miles", metrics.MEAN), hold("minutes", metrics.MEAN)]

    (problem,) = diagnose(findings, Comparison(fingerprint(now), fingerprint(last)))

    assert problem.cause_code == CauseCode.COLUMNS_SWAPPED
    assert set(problem.columns) == {"miles", "minutes"}


def test_the_rows_of_one_segment_that_are_missing_explain_all_columns() -> None:
    def batch(*shops: str) -> Fingerprint:
        rows = [(shop, 10.0 * (shop == "Bern") + n % 5) for shop in shops for n in range(100)]
        shop, price = zip(*rows, strict=True)
        return fingerprint({"shop": strings(shop), "price": numbers(price)})

    findings = [
        hold(None, metrics.ROW_COUNT),
        hold("price", metrics.MEAN),
        hold("shop", metrics.L1),
    ]
    compared = Comparison(batch("Basel", "Chur"), batch("Bern", "Basel", "Chur"))

    (problem,) = diagnose(findings, compared)

    assert problem.cause_code == CauseCode.SEGMENT_MISSING
    assert "shop = 'Bern'" in problem.cause
    assert problem.columns == ()


def test_nulls_that_were_filled_are_a_problem_of_their_column() -> None:
    rows = np.arange(100)
    both = {"a": np.where(rows < 10, np.nan, 1.0), "b": np.where(rows < 10, np.nan, 1.0)}
    filled = {**both, "a": np.ones(100)}
    findings = [hold(None, metrics.UNSEEN_NULLS), hold("a", metrics.COMPLETENESS)]

    (problem,) = diagnose(findings, Comparison(fingerprint(filled), fingerprint(both)))

    assert (problem.cause_code, problem.columns) == (CauseCode.NULLS_FELL, ("a",))


def test_no_value_of_a_private_column_is_quoted() -> None:
    last, now = (fingerprint({"ssn": strings(values * 20)}) for values in (["a", "b"], ["a", "x"]))
    compared = Comparison(now, last, private=frozenset({"ssn"}))

    (problem,) = diagnose([hold("ssn", metrics.L1)], compared)

    assert "'x'" not in problem.cause
    assert problem.row_filter is None


def relation(level: Decision, code: CauseCode) -> Finding:
    return Finding(
        "relations",
        level,
        "it is broken.",
        "amount",
        "order",
        cause="amount and city are swapped.",
        cause_code=code,
        related=("city",),
    )


def test_a_relation_that_breaks_because_a_column_changed_is_a_part_of_its_problem() -> None:
    for code in (CauseCode.ORDER_BROKEN, CauseCode.COLUMNS_SWAPPED):
        findings = [hold("amount", metrics.MEAN), relation(Decision.WARN, code)]

        (problem,) = diagnose(findings, Comparison(sales(1000, factor=1000.0), sales(1000)))

        assert problem.cause_code == CauseCode.UNIT_CHANGED
        assert problem.columns == ("amount",)
        assert [f.judge for f in problem.findings] == ["limits", "relations"]


def test_a_relation_that_breaks_alone_is_a_problem_of_its_columns() -> None:
    (problem,) = group_findings([relation(Decision.WARN, CauseCode.ORDER_BROKEN)])

    assert problem.cause_code == CauseCode.ORDER_BROKEN
    assert problem.columns == ("amount", "city")
    assert Finding.read(problem.findings[0].to_dict()) == problem.findings[0]


def test_columns_that_both_changed_may_be_swapped() -> None:
    changed = {"amount": CauseCode.OFFSET, "city": CauseCode.VALUES_NEW}
    findings = [
        Finding("limits", Decision.HOLD, "it is.", name, metrics.MEAN, cause_code=code)
        for name, code in changed.items()
    ]
    swapped = relation(Decision.WARN, CauseCode.COLUMNS_SWAPPED)

    problems = group_findings([*findings, swapped])

    assert CauseCode.COLUMNS_SWAPPED in {problem.cause_code for problem in problems}


def cancelled(rows: int) -> Fingerprint:
    """Return flights of which the first ones have no times, and half of these no plane."""
    numbered = np.arange(400.0)
    times = np.where(numbered < rows, np.nan, numbered)
    plane = np.where(numbered < rows / 2, np.nan, numbered % 7)
    return fingerprint({"dep_time": times, "arr_time": times, "plane": plane})


def test_values_that_moved_because_rows_became_null_are_a_part_of_that_problem() -> None:
    findings = [
        hold(None, metrics.UNSEEN_NULLS, "novelty"),
        hold("plane", metrics.COMPLETENESS),
        hold("arr_time", metrics.MIN),
    ]

    (problem,) = diagnose(findings, Comparison(cancelled(200), cancelled(4)))

    assert problem.cause_code == CauseCode.NULLS_TOGETHER
    assert problem.cause == (
        "arr_time, dep_time are null together in 200 of 400 rows (50 %); 1.0 % before."
    )
    assert set(problem.columns) == {"dep_time", "arr_time", "plane"}


def test_a_failed_check_of_completeness_is_explained_by_the_nulls() -> None:
    failed = hold("dep_time", "has_completeness(dep_time)", "checks")

    (problem,) = diagnose([failed], Comparison(cancelled(200), cancelled(4)))

    assert problem.cause_code == CauseCode.NULLS_ROSE
    assert problem.cause == (
        "200 of 400 values are null (50 %); 1.0 % before. has_completeness(dep_time) is unexpected."
    )


def test_a_problem_with_the_rows_has_a_query_about_the_rows() -> None:
    findings = [hold("amount", metrics.SUM), hold(None, metrics.ROW_COUNT)]

    (missing,) = diagnose(findings, Comparison(sales(500), sales(1000)))

    assert missing.findings[0].column is None
    assert missing.sql == "SELECT count(*) FROM batch"


def test_nulls_in_several_columns_select_the_rows_in_which_all_are_null() -> None:
    alarm = hold(None, metrics.UNSEEN_NULLS, "novelty")

    (problem,) = diagnose([alarm], Comparison(cancelled(200), cancelled(4)))

    assert problem.row_filter == "`arr_time` IS NULL AND `dep_time` IS NULL"
    assert str(problem) == problem.cause


def test_broken_relations_that_share_a_column_are_one_problem() -> None:
    broken = {
        ("total", "positive", "negative"): CauseCode.SUM_BROKEN,
        ("negative", "tests"): CauseCode.ORDER_BROKEN,
        ("state", "code"): CauseCode.DEPENDENCY_BROKEN,
    }
    findings = [
        Finding(
            "relations", Decision.WARN, "it is.", column, related=tuple(others), cause_code=code
        )
        for (column, *others), code in broken.items()
    ]

    problems = group_findings(findings)

    assert [problem.cause_code for problem in problems] == [
        CauseCode.ORDER_BROKEN,
        CauseCode.DEPENDENCY_BROKEN,
    ]
    assert problems[0].columns == ("negative", "tests", "total", "positive")
