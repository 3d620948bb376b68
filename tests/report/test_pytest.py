"""Suites and checks as tests of pytest's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay import Check, Measurement, Outcome, Result
from assay.checks import ConstraintResult

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytest_plugins = "pytester"

#: the plugin as it is here, whether or not it is installed
ARGUMENTS = ("-p", "no:assay", "-p", "pytest_assay", "-p", "no:cacheprovider", "-p", "no:timeout")

SUITE = """\
version: 1
dataset: orders
checks:
  - name: orders
    constraints:
      - is_complete: id
      - has_max: {column: id, at_most: 1}
      - has_size: {at_least: 10, level: warning}
      - is_complete: nothing
      - has_no_anomalies: {analyzer: Size(), detector: OnlineNormal}
      - has_row_count_of: shops
notify:
  - slack: ${env:ASSAY_NO_SUCH_VARIABLE}
"""


@pytest.fixture
def orders(spark: SparkSession, pytester: pytest.Pytester) -> Path:
    """A suite and its data, on the session of all tests."""
    assert spark is not None
    (pytester.path / "orders.csv").write_text("id\n1\n2\n2\n")
    (pytester.path / "shops.csv").write_text("id\na\nb\nc\n")
    (pytester.path / "orders.assay.yaml").write_text(SUITE)
    return pytester.path


def test_a_suite_is_a_test_a_constraint(orders: Path, pytester: pytest.Pytester) -> None:
    path = f"{orders}/{{dataset}}.csv"
    result = pytester.runpytest_inprocess(
        *ARGUMENTS, "-v", "-rs", f"--assay-data={path}", "-Wdefault"
    )
    result.assert_outcomes(passed=3, failed=2, skipped=1)
    result.stdout.fnmatch_lines(
        [
            "*orders::is_complete(id) PASSED*",
            "*orders::has_max(id) FAILED*",
            "*orders::has_size() PASSED*",
            "*orders::is_complete(nothing) FAILED*",
            "*orders::has_no_anomalies(Size()) SKIPPED*",
            "*orders::has_row_count_of(shops) PASSED*",
            "has_max(id) failed: expected at most 1, actual 2.",
            "is_complete(nothing) could not be evaluated: no column 'nothing'*",
            "*PytestWarning: has_size() failed: expected at least 10, actual 3.*",
        ],
    )


@pytest.mark.usefixtures("spark")
def test_columns_have_the_types_that_the_command_line_gives_them(pytester: pytest.Pytester) -> None:
    (pytester.path / "codes.csv").write_text("code\n00501\n00502\n")
    (pytester.path / "codes.assay.yaml").write_text(
        "version: 1\ndataset: codes\nchecks:\n"
        "  - {name: codes, constraints: [has_min_length: {column: code, at_least: 5}]}\n"
    )
    result = pytester.runpytest_inprocess(*ARGUMENTS, f"--assay-data={pytester.path}/codes.csv")
    result.assert_outcomes(passed=1)


@pytest.mark.usefixtures("orders")
def test_a_check_in_a_test_is_a_subtest_a_constraint(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        from assay import Check, Suite
        from assay.engine.session import active_session

        def test_good(assay_check):
            df = active_session().range(3)
            assert assay_check(df, Check("ids").is_complete("id").has_size(equals=3)).passed

        def test_bad(assay_check):
            df = active_session().range(3)
            check = Check("ids").is_complete("id").has_size(equals=4).has_max("id", equals=9)
            assay_check(df, check, Suite("d", (Check("more").is_positive("id"),)))
        """
    )
    result = pytester.runpytest_inprocess(*ARGUMENTS)
    result.stdout.fnmatch_lines(
        [
            "E * has_size() failed: expected 4, actual 3.",
            "SUBFAILED?ids: has_size()? *",
            "SUBFAILED?ids: has_max(id)? *",
            "SUBFAILED?more: is_positive(id)? *",
        ]
    )
    result.assert_outcomes(passed=1, failed=4)


def test_before_pytest_9_all_constraints_are_one_test(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = Check("ids").has_size(equals=4)
    constraint_result = ConstraintResult("ids", check.constraints[0], Outcome.FAILED, 3)
    result = Result((constraint_result,), Measurement({}, {}), None, None, None)
    monkeypatch.setattr("assay.verify", lambda *_, **__: result)
    pytester.makepyfile("def test(assay_check): assay_check(None)")
    done = pytester.runpytest_inprocess(*ARGUMENTS, "-p", "no:subtests")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["E *1 of 1 constraint did not pass:*", "E *ids: has_size() failed*"])


def test_a_broken_suite_is_an_error_with_its_place(pytester: pytest.Pytester) -> None:
    (pytester.path / "s.assay.yaml").write_text("version: 1\ndataset: d\ncheks: []\n")
    result = pytester.runpytest_inprocess(*ARGUMENTS, "--assay-data=x")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["*s.assay.yaml:3:1: a suite has no 'cheks'; did you mean 'checks'?"]
    )


def test_data_that_cannot_be_read_is_one_sentence(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def session(_: object) -> None:
        calls.append(1)
        raise OSError("no such thing\nat all")

    monkeypatch.setattr("pytest_assay._session", session)
    (pytester.path / "s.assay.yaml").write_text(SUITE)
    result = pytester.runpytest_inprocess(*ARGUMENTS, "--assay-data=x/{dataset}")
    result.assert_outcomes(failed=6)
    result.stdout.fnmatch_lines(["x/orders cannot be verified: OSError: no such thing"])
    assert calls == [1]


def test_without_data_suites_are_not_collected(pytester: pytest.Pytester) -> None:
    (pytester.path / "s.assay.yaml").write_text("nonsense: [")
    pytester.makepyfile("def test(): pass")
    pytester.runpytest_inprocess(*ARGUMENTS).assert_outcomes(passed=1)


def test_the_path_may_stand_in_the_configuration(pytester: pytest.Pytester) -> None:
    (pytester.path / "s.assay.yaml").write_text("version: 1\ndataset: d\n")
    pytester.makeini("[pytest]\nassay_data = data/{dataset}.parquet\n")
    result = pytester.runpytest_inprocess(*ARGUMENTS, "--collect-only")
    result.stdout.fnmatch_lines(["*no tests collected*"])
    (pytester.path / "s.assay.yaml").write_text(SUITE)
    result = pytester.runpytest_inprocess(*ARGUMENTS, "--collect-only", "-q")
    result.stdout.fnmatch_lines(["s.assay.yaml::orders::is_complete(id)", "*6 tests collected*"])


def test_unused_it_imports_nothing() -> None:
    code = "import sys, pytest_assay; print([m for m in ('assay', 'pyspark') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
