"""Every script in examples/ runs, and does what it says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay.gate.judges import JUDGES
from examples import (
    append_partitions,
    check_a_table,
    custom_judge,
    gate_daily_files,
    profile_and_suggest,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_every_script_has_a_test() -> None:
    scripts = {path.stem for path in EXAMPLES.glob("*.py")} - {"__init__"}
    assert scripts <= set(globals())


def test_rows_are_split_by_the_constraints_that_they_break(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_a_table.main(spark, str(tmp_path))
    assert "458 good rows and 472 bad rows" in capsys.readouterr().out


def test_suggested_checks_are_printed_as_a_suite(
    spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    profile_and_suggest.main(spark)
    output = capsys.readouterr().out
    assert "dataset: departures" in output
    assert "✓  is_complete(carrier)" in output


def test_a_damaged_day_is_held_and_the_corrected_one_is_not(
    spark: SparkSession, tmp_path: Path
) -> None:
    held, corrected = gate_daily_files.main(spark, str(tmp_path))
    assert not held.accepted
    assert {finding.column for finding in held.alarms} >= {"carrier"}
    assert corrected.accepted


def test_partitions_are_appended_and_taken_out(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    after = append_partitions.main(spark, str(tmp_path))
    assert after.passed
    output = capsys.readouterr().out
    assert "2013-02-08: this partition failed, all partitions passed" in output
    assert "Size() of all partitions: 2,763" in output


def test_a_judge_of_your_own_holds_a_batch(spark: SparkSession) -> None:
    judges = list(JUDGES)
    try:
        verdict = custom_judge.main(spark)
    finally:
        JUDGES[:] = judges
    assert not verdict.accepted
    assert [finding.judge for finding in verdict.alarms] == ["airports"]
