"""A platform engineer runs gates in jobs: notices, JUnit reports, exit codes and one overview."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from assay import Gate, Suite
from assay.cli.exits import Exit
from assay.gate import BatchHeldError
from assay.store import open_store
from tests.cli.running import assay
from tests.report.receiver import receiving
from tests.walkthroughs.flights import HISTORY, TODAY, damage, rows_of, write_csv

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SUITE = """
version: 1
dataset: flights
gate: {{owner: airport team, tags: [daily], budget: 1/200}}
checks:
- name: flights
  constraints: [is_complete: carrier]
notify:
- webhook: {url}
"""


def test_from_a_job_to_a_page_in_the_night(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for day in HISTORY:
        write_csv(Path("days") / f"{day}.csv", rows_of(day))
    today = write_csv(Path("inbox") / f"{TODAY}.csv", damage(rows_of(TODAY)))
    with receiving() as server:
        Path("flights.yaml").write_text(SUITE.format(url=server.url()))
        options = ("--store", "store", "--suite", "flights.yaml")
        assert assay("backfill", "flights", "days", *options).code == Exit.CLEAN

        held = assay("gate", "flights", today, *options, "--junit", "junit.xml", "--quiet")
        assert (held.code, held.out) == (Exit.HELD, "")
        # a retry of the job gets the same verdict, and sends no second notice
        again = assay("gate", "flights", today, *options, "--fail-on", "never", "--json")
        assert (again.code, again.json["again"]) == (Exit.CLEAN, True)
        ((_, _, notice),) = server.seen
    assert notice["dataset"] == "flights"
    assert "'9E' is now '9e'" in str(notice)

    report = ET.parse("junit.xml").getroot()
    failures = [case.find("failure") for case in report.iter("testcase")]
    messages = [failure.get("message", "") for failure in failures if failure is not None]
    assert int(report.get("failures", 0)) == len(messages) > 0
    assert any("Upper case became lower case" in message for message in messages)

    (state,) = assay("status", "--store", "store", "--tag", "daily", "--json").json
    assert (state["dataset"], state["verdict"], state["held"]) == ("flights", "hold", 1)

    # the same gate in a job in Python
    gate = Gate("flights", open_store("store"), Suite.read("flights.yaml"))
    rows = spark.createDataFrame(damage(rows_of(TODAY))[:10]).select("carrier")
    with pytest.raises(BatchHeldError):
        gate.submit(rows, "2013-02-15").raise_if_held()
