import argparse
import io
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path

import pytest
from rich.console import Console

from assay import Verdict
from assay.gate.backtest import Backtest
from assay.gate.finding import Finding
from assay.gate.problem import Problem
from assay.store.batch import Batch
from assay.store.verdict import Decision
from benchmarks.incidents import create_table_of_reasons
from benchmarks.support.command import benchmark_parser, run_benchmark
from benchmarks.support.expected_causes import EXPECTED_CAUSES
from benchmarks.support.goals import Goal, report_goals
from benchmarks.support.incident_outcome import FIRST_COUNTED, Outcome, classify_verdicts
from benchmarks.support.recurring import CASES, Case

MET = Goal(name="CPU of Assay / CPU of DuckDB", actual=1.0, at_most=1.15)
MISSED = Goal(name="recall", actual=0.5, at_least=0.9)


@pytest.mark.parametrize(
    ("actual", "met"), [(0.92994, False), (0.92995, True), (0.93, True), (float("nan"), False)]
)
def test_a_lower_limit_applies_to_the_value_as_shown(actual: float, met: bool) -> None:
    assert Goal(name="AUC", actual=actual, at_least=0.93, decimals=4).met is met


@pytest.mark.parametrize(("actual", "met"), [(1.154, True), (1.156, False)])
def test_an_upper_limit_applies_to_the_value_as_shown(actual: float, met: bool) -> None:
    assert Goal(name="ratio", actual=actual, at_most=1.15).met is met


def test_a_goal_shows_the_value_and_its_limit_with_unit() -> None:
    goal = Goal(name="false alarms", actual=2.5, at_most=5, decimals=1, unit=" %")

    assert str(goal) == "false alarms: 2.5 % (goal: at most 5.0 %)"


def test_missed_goals_are_printed_last() -> None:
    text = io.StringIO()

    report_goals(Console(file=text), [MISSED, MET], check=False)

    assert text.getvalue().splitlines()[-1].startswith("1 of 2 goals missed: recall: 0.50")


@pytest.mark.parametrize(
    ("arguments", "goals", "status"),
    [
        ([], [MISSED], 0),
        (["--check"], [MET], 0),
        (["--check"], [MET, MISSED], 1),
        (["--quick", "--check"], [MISSED], 1),
    ],
)
def test_only_a_missed_goal_with_check_fails(
    arguments: list[str], goals: Sequence[Goal], status: int
) -> None:
    def measure(_options: argparse.Namespace, _out: Console) -> Sequence[Goal]:
        return goals

    parser = benchmark_parser("example", "Measure nothing.", quick="nothing")

    assert run_benchmark(parser, arguments, measure) == status


@pytest.mark.parametrize(
    "name",
    ["compare", "history", "incidents", "judgement", "names", "novelty", "patterns", "suggest"],
)
def test_benchmarks_are_skipped_without_real_data(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ASSAY_DATA", str(tmp_path))
    sections = ["--only", "quality"] if name == "history" else []

    status = import_module(f"benchmarks.{name}").main(["--quick", "--check", *sections])

    assert status == 0
    assert capsys.readouterr().out.startswith("skipped")


def test_every_incident_of_the_readmes_has_an_expected_cause() -> None:
    listed = {case.name: set(case.incidents) for case in CASES if case.incidents}

    assert {name: set(causes) for name, causes in EXPECTED_CAUSES.items()} == listed


JHU_US = next(case for case in CASES if case.name == "jhu_us_daily")
FLIGHTS = next(case for case in CASES if case.name == "nycflights13_daily")


def problem(code: str, *columns: str, level: Decision = Decision.WARN) -> Problem:
    finding = Finding("limits", level, "the share of nulls is 1.0, expected at most 0.4.")
    return Problem(
        cause_code=code, cause="the cause.", columns=columns, level=level, findings=(finding,)
    )


def replayed(case: Case, alarms: dict[str, Sequence[Problem]], start: str) -> Outcome:
    """Return the outcome of 40 daily batches, of which some have problems."""
    first = datetime.fromisoformat(start).replace(tzinfo=UTC)
    verdicts = []
    for day in range(40):
        time = first + timedelta(days=day)
        batch = Batch(case.name, f"{time:%Y-%m-%d}", time)
        problems = tuple(alarms.get(batch.key, ()))
        decision = problems[0].level if problems else Decision.ACCEPT
        verdicts.append(Verdict(batch, decision, problems))
    return classify_verdicts(case, Backtest(tuple(verdicts)))


@pytest.mark.parametrize(
    ("problems", "right_first", "right"),
    [
        ([problem("nulls_rose", "People_Hospitalized")], 1, 1),
        ([problem("nulls_rose", "Deaths")], 0, 0),
        ([problem("constant", "People_Hospitalized")], 0, 0),
        ([problem("row_count"), problem("nulls_together", "Hospitalization_Rate")], 0, 1),
    ],
)
def test_a_reason_is_right_if_cause_and_column_agree_with_the_readme(
    problems: Sequence[Problem], right_first: int, right: int
) -> None:
    outcome = replayed(JHU_US, {"2020-08-28": problems}, "2020-07-25")

    assert outcome.n_incidents == len(outcome.caught) == 1
    assert len(outcome.with_right_reason) == right_first
    assert len(outcome.with_right_problem) == right


def test_an_incident_without_an_alarm_is_missed_and_has_no_reason() -> None:
    outcome = replayed(JHU_US, {}, "2020-07-25")

    assert outcome.missed == ["2020-08-28"]
    assert outcome.with_right_reason == outcome.with_right_problem == []


def test_a_warning_is_useful_on_days_that_are_listed() -> None:
    warned = [problem("shares_moved", "carrier")]
    storm, quiet, early = "2013-02-08", "2013-02-10", "2013-01-20"

    outcome = replayed(FLIGHTS, dict.fromkeys((storm, quiet, early), warned), "2013-01-05")

    assert [verdict.batch.key for verdict in outcome.useful_warnings] == [storm]
    assert [verdict.batch.key for verdict in outcome.other_warnings] == [quiet]
    assert outcome.n_counted == 40 - FIRST_COUNTED


def test_reasons_and_warnings_are_shown_per_data_set_and_in_all() -> None:
    reason = [problem("nulls_rose", "People_Hospitalized")]
    incidents = replayed(JHU_US, {"2020-08-28": reason}, "2020-07-25")
    warned = [problem("shares_moved", "carrier")]
    warnings = replayed(FLIGHTS, dict.fromkeys(("2013-02-08", "2013-02-10"), warned), "2013-01-05")
    text = io.StringIO()

    Console(file=text, width=120).print(create_table_of_reasons([incidents, warnings]))

    rows = [line.strip("│").split("│") for line in text.getvalue().splitlines() if "│" in line]
    assert [[cell.strip() for cell in row] for row in rows] == [
        ["jhu_us_daily", "1", "1", "1", "1", "1", "1", "100 %", "0.0"],
        ["nycflights13_daily", "0", "0", "0", "0", "2", "1", "50 %", "10.0"],
        ["all", "1", "1", "1", "1", "3", "2", "67 %", "5.0"],
    ]
