"""`assay store` and `assay status`, without Spark."""

from __future__ import annotations

import csv
import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from assay import EmbeddedStore, Gate
from assay.analyzers import Analyzer, Checksum, Size
from assay.cli.exits import Exit
from assay.engine.measurement import Measurement, Metric
from assay.store import Batch, DatasetInfo, Decision, VerdictRecord
from tests.cli.fields import has
from tests.cli.running import assay
from tests.store.version_0_1.make import HERE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Ten batches of orders, with one held now, and one old batch of events."""
    store = EmbeddedStore(tmp_path / "store")
    now = datetime.now(UTC)
    for day in range(10):
        key = f"day={day}"
        time = now - timedelta(days=10 - day)
        measured = Measurement({Size(): Metric(Size(), value=day)}, {})
        store.write(Batch("orders", key, time), measured)
        store.add_verdict(VerdictRecord("orders", key, Decision.ACCEPT, time=time))
    old = Batch("events", "day=0", now - timedelta(days=400))
    store.write(old, Measurement({Size(): Metric(Size(), value=1)}, {}))
    store.save("orders", "", DatasetInfo(owner="shop team", tags=("daily", "finance")))
    Gate("orders", store).refuse("day=10", "it is an HTML page.", time=now)
    return store.folder


def test_the_status_of_all_datasets(folder: Path) -> None:
    done = assay("status", "--store", folder)
    assert done.code == Exit.CLEAN
    lines = done.out.splitlines()
    assert lines[1].split() == [
        "orders",
        "hold",
        "day=10",
        "now",
        "10",
        "1",
        "shop",
        "team",
        "daily,",
        "finance",
    ]
    assert lines[2].split() == ["events", "–", "400", "days", "1"]
    listed = assay("status", "--store", folder, "--json").json
    has(listed, "status")
    assert [state["dataset"] for state in listed] == ["orders", "events"]
    tagged = assay("status", "--store", folder, "--tag", "daily", "--tag", "finance", "--json").json
    assert [state["owner"] for state in tagged] == ["shop team"]
    assert assay("status", "--store", folder, "--tag", "hourly", "--json").json == []


def test_a_dataset_without_verdicts_names_the_command_that_judges(folder: Path) -> None:
    done = assay("explain", "events", "--store", folder)
    assert done.code == Exit.USAGE
    assert "assay gate events" in done.err
    assert "Did you mean" not in done.err
    assert "'orders'" in assay("explain", "orderz", "--store", folder).err


def test_a_batch_that_was_recorded_without_a_verdict_has_a_report(folder: Path) -> None:
    page = folder / "page.html"
    done = assay("report", "events/day=0", "-o", page, "--store", folder)
    assert done.code == Exit.CLEAN, done.err
    assert "Not judged" in page.read_text(encoding="utf-8")


def test_history_leaves_out_checksums(folder: Path) -> None:
    store = EmbeddedStore(folder)
    numbers: dict[Analyzer, int] = {Size(): 3, Checksum("id"): 12345}
    values = {analyzer: Metric(analyzer, value=value) for analyzer, value in numbers.items()}
    store.write(Batch("sums", "day=0"), Measurement(values, {}))
    done = assay("history", "sums", "--store", folder)
    assert "Size()" in done.out
    assert "Checksum" not in done.out
    assert "1 checksum" in done.out


def test_info_counts_batches_and_verdicts(folder: Path) -> None:
    done = assay("store", "info", "--store", folder, "--json")
    has(done.json, "store info", "datasets")
    orders = next(size for size in done.json["datasets"] if size["dataset"] == "orders")
    assert (orders["accepted"], orders["held"], orders["verdicts"]) == (10, 1, 11)
    assert done.json["bytes"] > 1000
    assert "2 datasets" in assay("store", "info", "--store", folder).out


def test_prune_says_what_it_removes(folder: Path) -> None:
    run = ("store", "prune", "orders", "--keep", "4", "--store", folder)
    rehearsed = assay(*run, "--dry-run", "--json").json
    has(rehearsed, "store prune")
    assert rehearsed[0]["batches"] == [f"day={day}" for day in range(6)]
    done = assay(*run)
    assert "orders: 6 batches and 6 verdicts removed." in done.out
    assert "learns from up to" in done.err
    assert "orders: 0 batches" in assay(*run).out
    assert assay("store", "prune", "--store", folder).code == Exit.USAGE
    before = ("--before", f"{datetime.now(UTC) - timedelta(days=90):%Y-%m-%d}")
    assert (
        "events: 1 batch and 0 verdicts" in assay("store", "prune", *before, "--store", folder).out
    )
    assert "freed" in assay("store", "vacuum", "--store", folder).out


def test_metrics_and_verdicts_are_exported(folder: Path, tmp_path: Path) -> None:
    paths = {extension: tmp_path / f"out.{extension}" for extension in ("csv", "jsonl", "parquet")}
    for path in paths.values():
        assert assay("store", "export", "orders", "-o", path, "--store", folder).code == Exit.CLEAN
    with paths["csv"].open(newline="") as file:
        from_csv = [float(row["number"]) for row in csv.DictReader(file)]
    lines = paths["jsonl"].read_text().splitlines()
    from_json = [json.loads(line)["number"] for line in lines]
    table = pq.read_table(paths["parquet"])
    assert (
        from_csv == from_json == table.column("number").to_pylist() == list(map(float, range(10)))
    )
    done = assay("store", "export", "-o", paths["csv"], "--verdicts", "--store", folder)
    assert "11 verdicts" in done.out
    assert "an HTML page" in paths["csv"].read_text()
    wrong = assay("store", "export", "-o", tmp_path / "out.xlsx", "--store", folder)
    assert wrong.code == Exit.USAGE
    assert ".parquet" in wrong.err


def test_a_store_of_version_0_1_has_a_status_and_can_be_pruned(tmp_path: Path) -> None:
    shutil.copytree(HERE / "store", tmp_path / "store")
    (state,) = assay("status", "--json", "--store", tmp_path / "store").json
    assert (state["verdict"], state["batches"], state["held"]) == ("hold", 5, 1)
    assert (state["owner"], state["tags"]) == (None, [])
    (pruned,) = assay("store", "prune", "--keep", "2", "--json", "--store", tmp_path / "store").json
    assert (len(pruned["batches"]), pruned["verdicts"]) == (3, 3)
    (state,) = assay("status", "--json", "--store", tmp_path / "store").json
    assert (state["verdict"], state["batches"], state["held"]) == ("hold", 2, 1)


@pytest.mark.parametrize("command", ["status", "store info", "gate orders x.csv", "history"])
def test_other_urls_than_those_of_postgresql_are_refused(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = assay(*command.split(), ASSAY_STORE="s3a://lake/store")
    assert done.code == Exit.USAGE
    assert "postgresql://" in done.err
    assert list(tmp_path.iterdir()) == []
