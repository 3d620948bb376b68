"""A PostgreSQL database is a store of every command."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.cli.exits import Exit
from tests.cli.running import assay


@pytest.mark.usefixtures("spark")
def test_the_commands_take_the_url_of_a_database(postgres_url: str, tmp_path: Path) -> None:
    for day in (1, 2, 3):
        text = "id,status\n" + "".join(f"{n},new\n" for n in range(day * 100, day * 100 + 30))
        (tmp_path / f"2026-11-0{day}.csv").write_text(text)
    last = (tmp_path / "2026-11-03.csv").rename(tmp_path.parent / "2026-11-03.csv")
    suite = tmp_path.parent / "suite.yaml"
    suite.write_text(
        "version: 1\ndataset: orders\ngate: {owner: shop team, tags: [daily]}\n"
        "checks: [{name: keys, constraints: [is_unique: id]}]\n"
    )
    for command in (
        ("backfill", "orders", tmp_path, "--suite", suite),
        ("gate", "orders", last, "--suite", suite),
        ("history", "orders"),
        ("explain", "orders/2026-11-03"),
        ("mark", "orders/2026-11-03", "--expected", "--reason", "a test"),
        ("quarantine", "list"),
        ("store", "prune", "orders", "--keep", "2"),
        ("store", "vacuum"),
    ):
        done = assay(*command, ASSAY_STORE=postgres_url)
        assert done.code == Exit.CLEAN, (command, done.err)
    (state,) = assay("status", "--tag", "daily", "--json", ASSAY_STORE=postgres_url).json
    assert (state["batch"], state["verdict"], state["batches"]) == ("2026-11-03", "accept", 2)
    assert state["owner"] == "shop team"
    size = assay("store", "info", "--json", ASSAY_STORE=postgres_url).json
    assert size["bytes"] > 10_000
