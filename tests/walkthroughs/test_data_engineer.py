"""A data engineer has Hive partitions of Parquet, and a PostgreSQL database for the team."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.cli.exits import Exit
from tests.cli.running import Ran, assay
from tests.store import postgres
from tests.walkthroughs.flights import HISTORY, TODAY, damage, rows_of, write_partition

SUITE = """
version: 1
dataset: flights
gate: {owner: airport team, tags: [daily]}
checks:
- name: flights
  constraints:
  - is_complete: carrier
  - is_unique: [time_hour, carrier, flight]
"""


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    with postgres.server() as url:
        yield url


@pytest.mark.usefixtures("spark")
def test_from_existing_partitions_to_a_corrected_delivery(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lake = Path("lake")
    for day in HISTORY:
        write_partition(lake, day, rows_of(day))
    (lake / "_SUCCESS").touch()
    (lake / "README.md").write_text("Flights by day.")
    Path("flights.yaml").write_text(SUITE)

    def run(*command: str, code: Exit = Exit.CLEAN) -> Ran:
        done = assay(*command, ASSAY_STORE=database)
        assert done.code == code, (command, done.err, done.out)
        return done

    recorded = run("backfill", "flights", "lake", "--suite", "flights.yaml")
    assert "11 batches of flights recorded" in recorded.out
    assert "README.md is left out" in recorded.err

    # the carriers of today are in lower case, and its distances are kilometres
    write_partition(lake, TODAY, damage(rows_of(TODAY)))
    gate = ("gate", "flights", f"lake/date={TODAY}", "--suite", "flights.yaml")
    held = run(*gate, code=Exit.HELD)
    problems = held.out.split("\n\n")[1]
    assert re.findall(r"^  (\d) ", problems, re.MULTILINE) == ["1", "2"]
    assert "compared with 11 batches since date=2013-02-01" in held.out
    causes = " ".join(problems.split())  # a long sentence is wrapped
    assert "'9E' is now '9e'" in causes
    assert "1.609 times larger" in causes

    (state,) = run("status", "--tag", "daily", "--json").json
    assert (state["verdict"], state["held"], state["owner"]) == ("hold", 1, "airport team")
    batch = f"flights/date={TODAY}"
    assert "'9E' is now '9e'" in run("explain", batch).out
    assert batch in run("quarantine", "list").out
    run("report", batch, "--output", "report.html")
    assert "Upper case became lower case" in Path("report.html").read_text(encoding="utf-8")

    run("reject", batch, "--reason", "wrong units", "--by", "ada")
    write_partition(lake, TODAY, rows_of(TODAY))
    assert run(*gate).out.startswith("✓ ACCEPTED")
    # the same rows again get the same verdict, and the key still holds in the whole dataset
    assert "the same as before" in run(*gate).out
    (state,) = run("status", "--json").json
    assert (state["verdict"], state["batches"], state["held"]) == ("accept", 12, 0)
    assert run("store", "info", "--json").json["datasets"][0]["accepted"] == 12
