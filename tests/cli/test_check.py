"""Commands on a table: outcomes, exit codes, JSON, pipes and colours."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from assay import Check, Result, verify
from assay.cli.check_command import exit_code
from assay.cli.exits import Exit
from assay.cli.options import FailOn
from tests.cli.fields import has
from tests.cli.running import ORDERS, assay
from tests.report.html.reading import sound

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.usefixtures("spark")


@pytest.fixture
def orders(tmp_path: Path) -> Path:
    path = tmp_path / "my [orders] {ü}.csv"
    path.write_text(ORDERS)
    return path


@pytest.fixture(scope="module")
def outcomes(spark: SparkSession) -> dict[str, Result]:
    df = spark.createDataFrame([(1, None)], "id int, email string")
    checks = {
        "passed": Check("c").is_complete("id"),
        "warned": Check("c").is_complete("email").warn(),
        "failed": Check("c").is_complete("email"),
        "unknown": Check("c").is_complete("emial"),
        "both": Check("c").is_complete("emial").is_complete("email"),
    }
    return {name: verify(df, check) for name, check in checks.items()}


@pytest.mark.parametrize(
    ("outcome", "fail_on", "code"),
    [
        ("passed", "error", Exit.CLEAN),
        ("warned", "error", Exit.CLEAN),
        ("warned", "warning", Exit.FAILED),
        ("failed", "error", Exit.FAILED),
        ("failed", "never", Exit.CLEAN),
        ("unknown", "error", Exit.NOT_EVALUATED),
        ("unknown", "never", Exit.CLEAN),
        ("both", "error", Exit.FAILED),
    ],
)
def test_an_outcome_has_its_exit_code(
    outcomes: dict[str, Result], outcome: str, fail_on: str, code: Exit
) -> None:
    assert exit_code(outcomes[outcome], FailOn(fail_on)) is code


def test_a_suite_checks_a_file_with_a_special_name(orders: Path) -> None:
    suite = orders.with_name("suite.yaml")
    suite.write_text(
        "version: 1\ndataset: orders\nchecks:\n  - name: orders\n    constraints:\n"
        "      - is_complete: {columns: [id, email]}\n"
        "      - has_mean: {column: amount, at_most: 5, level: warning}\n"
    )
    page = orders.with_name("result.html")
    ran = assay("check", orders, "--suite", suite, "--json", "--html", page)
    assert ran.code == Exit.FAILED
    assert "is_complete(email)" in sound(page.read_text("utf-8")).text
    assert ran.json["source"] == str(orders)
    has(ran.json, "check --suite", "results")
    outcomes = {result["constraint"]: result["outcome"] for result in ran.json["results"]}
    assert outcomes == {
        "is_complete(id)": "passed",
        "is_complete(email)": "failed",
        "has_mean(amount)": "failed",
    }
    assert " ".join(ran.err.split()) == f"The page is in {page}."


def test_oddities_fail_only_with_fail_on_warning(orders: Path) -> None:
    orders.write_text(ORDERS + "5,n/a,1, Paid,2024-01-03\n")
    page = orders.with_name("overview.html")
    ran = assay("check", orders, "--fail-on", "warning", "--json", "--html", page)
    assert ran.code == Exit.FAILED
    has(ran.json, "check")
    text = sound(page.read_text("utf-8")).text
    assert "'paid' and ' Paid' may be the same" in text
    assert "Likely keysid" in text
    codes = {(remark["column"], remark["code"]) for remark in ran.json["remarks"]}
    assert {("email", "missing"), ("status", "variants"), ("status", "spaces")} <= codes
    assert ran.json["keys"] == [{"columns": ["id"], "unique": 1.0}]


def test_a_key_of_two_columns_is_found(spark: SparkSession) -> None:
    spark.range(1200).selectExpr("id % 40 AS a", "id div 40 AS b").createOrReplaceTempView("pairs")
    ran = assay("check", "pairs", "--json")
    assert ran.code == Exit.CLEAN
    assert ran.json["keys"] == [{"columns": ["a", "b"], "unique": 1.0}]


def test_colours_need_a_terminal(orders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(Console, "is_terminal", True)
    coloured = assay("profile", orders, NO_COLOR="", FORCE_COLOR="1", TERM="xterm-256color")
    page = orders.with_name("profile.html")
    plain = assay("profile", orders, "--html", page)
    assert "status" in sound(page.read_text("utf-8")).text
    assert re.search(r"\x1b\[[0-9;]*3[0-9]m", coloured.out)
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", plain.out)


@pytest.mark.parametrize("command", ["check", "profile", "suggest"])
def test_a_page_in_a_folder_that_does_not_exist_is_refused_at_once(
    command: str, orders: Path
) -> None:
    ran = assay(command, orders, "--html", orders.parent / "none" / "page.html")
    assert ran.code == Exit.USAGE
    assert "--html" in ran.err


def test_a_quiet_command_prints_nothing(orders: Path) -> None:
    assert assay("check", orders, "--quiet") == (Exit.CLEAN, "", "")


def test_an_unknown_column_is_reported_with_a_similar_name(orders: Path) -> None:
    ran = assay("profile", orders, "-c", "amout")
    assert ran.code == Exit.USAGE
    assert "'amount'" in ran.err
    assert len(ran.err.splitlines()) == 1


def test_the_doctor_reports_a_folder_that_is_not_a_store(tmp_path: Path) -> None:
    (tmp_path / "store").mkdir()
    ran = assay("doctor", "--json", "--store", tmp_path / "store")
    assert ran.code == Exit.NOT_EVALUATED
    has(ran.json, "doctor")
    findings = {finding["name"]: finding for finding in ran.json}
    assert findings["session"]["ok"]
    assert findings["Java"]["ok"]
    assert not findings["store"]["ok"]
    assert str(tmp_path / "store") in findings["store"]["said"]
