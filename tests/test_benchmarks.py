import argparse
import io
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks.support.command import benchmark_parser, run_benchmark
from benchmarks.support.goals import Goal, report_goals

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
