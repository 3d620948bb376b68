"""An analyst has CSV files, and a machine without Java."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from assay.cli.exits import Exit
from tests.bare_machine import environment_without_java
from tests.cli.running import assay
from tests.connect_server import JAVA_OPTIONS
from tests.walkthroughs.flights import HISTORY, TODAY, damage, rows_of, write_csv

HEADS = Path(__file__).parents[1] / "io" / "heads"


@pytest.mark.classic
@pytest.mark.spark
def test_the_first_command_works_without_java(tmp_path: Path) -> None:
    # title lines, semicolons and a decimal comma, as a spreadsheet exports them
    head, *lines = write_csv(tmp_path / "plain.csv", rows_of(TODAY)).read_text().splitlines()
    table = "\n".join([head, *lines]).replace(",", ";")
    (tmp_path / "export.csv").write_text(f"Flights from New York\nExported by ada\n\n{table}\n")

    command = [sys.executable, "-m", "assay", "check", "export.csv", "--html", "page.html"]
    options = ["--spark-conf", f"spark.driver.extraJavaOptions={JAVA_OPTIONS}"]
    done = subprocess.run(
        [*command, *options],
        env=environment_without_java(tmp_path),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )

    assert done.returncode == Exit.CLEAN, done.stderr
    assert "CSV with semicolons, 3 lines before the header skipped" in done.stdout
    assert "956 rows" in done.stdout
    assert "dep_delay: 4 markers" in done.stderr
    assert "Profile of export" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("spark")
def test_from_a_file_to_checks_and_to_what_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    yesterday = write_csv(Path("yesterday.csv"), rows_of(HISTORY[-1]))
    today = write_csv(Path("today.csv"), damage(rows_of(TODAY)))

    # an outage page with the name of a table
    page = assay("check", HEADS / "hhs-2022-11-19.csv")
    assert page.code == Exit.USAGE
    assert "it is an HTML page" in page.err

    assert assay("suggest", yesterday, "--write", "flights.yaml").code == Exit.CLEAN
    assert assay("check", yesterday, "--suite", "flights.yaml").code == Exit.CLEAN
    # a list of values that is learned from one day only warns
    check = ("check", today, "--suite", "flights.yaml", "--failing-rows", "rows.csv")
    checked = assay(*check, "--fail-on", "warning")
    assert checked.code == Exit.FAILED
    shown = " ".join(checked.out.split())
    assert "! is_contained_in(carrier" in shown
    assert "956 of 956 rows fail" in shown
    assert assay("check", today, "--suite", "flights.yaml", "--quiet").code == Exit.CLEAN

    compared = assay("compare", yesterday, today, "--html", "changes.html")
    assert compared.code == Exit.HELD
    causes = compared.out.split("\n\n")[1]
    assert "'9E' is now '9e'" in causes
    assert "distance" in causes
    assert "A gate would hold this table." in compared.out
    assert "Upper case became lower case" in Path("changes.html").read_text(encoding="utf-8")
