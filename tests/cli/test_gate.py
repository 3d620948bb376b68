"""A gate used from a shell: backfill, submit, hold, explain, release."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from assay.cli.exits import Exit
from assay.gate import Gate
from tests.cli.fields import has
from tests.cli.running import assay
from tests.report.receiver import receiving

pytestmark = pytest.mark.usefixtures("spark")

DAYS = 9


def rows(rng: np.random.Generator) -> list[tuple[float, str]]:
    number = 120 + int(rng.integers(0, 10))
    amounts = rng.gamma(4.0, 5.0, number).round(2).tolist()
    return list(zip(amounts, rng.choice(["new", "paid"], number).tolist(), strict=True))


def write(path: Path, batch: Sequence[tuple[float, str]]) -> Path:
    text = "amount,status\n" + "".join(f"{amount},{status}\n" for amount, status in batch)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("days")
    rng = np.random.default_rng(2)
    for day in range(1, DAYS + 1):
        write(folder / f"2026-11-{day:02d}.csv.gz", rows(rng))
    (folder / "2026-11-10.csv").write_text("<html><title>Site Unavailable</title></html>")
    return folder


def test_a_batch_from_backfill_to_release(days: Path, tmp_path: Path) -> None:
    store = ("--store", tmp_path / "store")
    done = assay("backfill", "orders", days, *store)
    assert done.code == Exit.CLEAN
    assert "9 batches of orders recorded." in done.out
    assert "2026-11-10 is left out" in done.out

    good = write(tmp_path / "good.csv", rows(np.random.default_rng(3)))
    at = ("--time", "2026-11-14")
    done = assay("gate", "orders", good, "--batch", "2026-11-14", *at, *store, "--json")
    assert done.code == Exit.CLEAN, done.out
    assert done.json["decision"] in ("accept", "warn")
    has(done.json, "gate")

    bad = write(
        tmp_path / "bad.csv", [(a * 1000, s.upper()) for a, s in rows(np.random.default_rng(4))]
    )
    run = ("gate", "orders", bad, "--batch", "2026-11-15", "--time", "2026-11-15", *store)
    done = assay(*run, "--junit", tmp_path / "junit.xml")
    assert done.code == Exit.HELD
    assert ET.parse(tmp_path / "junit.xml").getroot().get("failures") != "0"
    assert "✗ HELD  orders 2026-11-15" in done.out
    assert "Lower case became upper case: 'new' is now 'NEW'." in done.out
    assert assay(*run, "--fail-on", "never").code == Exit.CLEAN

    page = days / "2026-11-10.csv"
    done = assay("gate", "orders", page, "--batch", "2026-11-16", *store)
    assert done.code == Exit.HELD
    assert "'Site Unavailable'" in done.out

    listed = assay("quarantine", "list", *store, "--json").json
    assert [held["batch"] for held in listed] == ["2026-11-15", "2026-11-16"]
    shown = assay("quarantine", "show", "orders/2026-11-15", *store)
    assert "amount" in shown.out
    assert assay("explain", "orders/2026-11-15", *store).code == Exit.CLEAN
    done = assay("quarantine", "release", "orders/2026-11-15", "--reason", "cents", *store)
    assert done.code == Exit.CLEAN
    done = assay("quarantine", "release", "orders/2026-11-16", "--reason", "…", *store)
    assert done.code == Exit.USAGE
    assert "'2026-11-16'" in done.err
    done = assay("quarantine", "reject", "orders/2026-11-16", "--reason", "a page", *store)
    assert done.code == Exit.CLEAN
    assert assay("quarantine", "list", *store).out == "No batch is held.\n"
    done = assay("mark", "orders/2026-11-14", "--bad", "--reason", "a test", *store)
    assert done.code == Exit.CLEAN
    explained = assay("explain", "orders/2026-11-15", *store).out
    assert "released by " in explained


def test_a_verdict_is_printed_even_if_its_explanation_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = tmp_path / "suite.yaml"
    check = "  - name: orders\n    constraints:\n      - is_complete: status\n"
    suite.write_text(f"version: 1\ndataset: orders\nchecks:\n{check}")
    options = ("--store", tmp_path / "s", "--suite", suite)
    good = write(tmp_path / "good.csv", [(1.5, "new"), (2.5, "paid")] * 9)
    assert assay("gate", "orders", good, "--batch", "1", *options).code == Exit.CLEAN
    bad = tmp_path / "bad.csv"
    bad.write_text("amount,state\n" + "1.5,new\n2.5,paid\n" * 9)
    done = assay("gate", "orders", bad, "--batch", "2", *options)
    assert (done.code, done.err) == (Exit.HELD, "")
    assert "The column is gone; the new column state has the same content." in done.out

    def failing(*_: object) -> None:
        raise RuntimeError("no more memory\nat line 1")

    monkeypatch.setattr(Gate, "explain", failing)
    bad.write_text("amount,state\n" + "1.5,new\n" * 9)
    done = assay("gate", "orders", bad, "--batch", "3", *options)
    assert done.code == Exit.HELD
    assert "HELD  orders 3" in done.out
    assert "no more memory at line 1" in done.err


def test_a_file_in_a_new_dialect_raises_one_warning(
    tmp_path: Path,
) -> None:
    store = ("--store", tmp_path / "s")
    texts = {
        "1": "place,n\nMünchen,1\n".encode(),
        "2": b"place,n\nBonn,2\n",
        "3": "place;n\nKöln;3\n".encode("latin-1"),
        "4": "place;n\nKöln;4\n".encode("latin-1"),
    }
    verdicts = {}
    for key, text in texts.items():
        (tmp_path / "file.csv").write_bytes(text)
        done = assay("gate", "places", tmp_path / "file.csv", "--batch", key, *store, "--json")
        assert done.code == Exit.CLEAN, done.out
        reasons = [finding["reason"] for finding in done.json["findings"]]
        verdicts[key] = done.json["decision"], reasons
    rewritten = [
        "the delimiter is semicolon; it was comma.",
        "the encoding is latin-1; it was utf-8.",
    ]
    nothing: list[str] = []
    assert verdicts == {
        "1": ("accept", nothing),
        "2": ("accept", nothing),
        "3": ("warn", rewritten),
        "4": ("accept", nothing),
    }
    recorded = assay("explain", "places/3", *store, "--json").json
    assert [finding["reason"] for finding in recorded["findings"]] == rewritten


def test_a_backtest_replays_a_folder(days: Path) -> None:
    done = assay("backtest", "orders", days, "--json")
    assert done.code == Exit.CLEAN
    has(done.json, "backtest", "batches")
    assert [batch["decision"] for batch in done.json["batches"]][-1] == "hold"
    assert len(done.json["batches"]) == DAYS + 1


def test_files_are_read_with_the_stated_options(tmp_path: Path) -> None:
    text = "1;x\n2;?\n3;?\n"
    for name in ("2026-11-01.csv", "2026-11-02.csv"):
        (tmp_path / name).write_text(text)
    options = ("--delimiter", ";", "--no-header", "--null", "?", "--store", tmp_path / "s")
    (tmp_path / "past").mkdir()
    (tmp_path / "2026-11-01.csv").rename(tmp_path / "past" / "2026-11-01.csv")
    assert assay("backfill", "orders", tmp_path / "past", *options).code == Exit.CLEAN
    ran = assay("gate", "orders", tmp_path / "2026-11-02.csv", "--batch", "2", *options, "--json")
    assert (ran.code, ran.json["time"]) == (Exit.CLEAN, "2026-11-02T00:00:00+00:00")
    recorded = assay("history", "orders", "--store", tmp_path / "s", "--json").json
    shares = [
        metric["value"] for metric in recorded if metric["analyzer"].startswith("Completeness(")
    ]
    assert [round(share, 2) for share in shares] == [1.0, 0.33, 1.0, 0.33]


def test_people_are_notified_once_and_a_failed_message_changes_nothing(
    days: Path, tmp_path: Path
) -> None:
    suite = tmp_path / "suite.yaml"
    page = days / "2026-11-10.csv"
    run = ("gate", "orders", page, "--batch", "1", "--store", tmp_path / "s", "--suite", suite)
    with receiving() as server:
        head = "version: 1\ndataset: orders\nchecks: []\nnotify:\n"
        suite.write_text(f"{head}  - webhook: {server.url('/status/500/s3cr3t')}\n")
        failed = assay(*run)
        assert failed.code == Exit.HELD
        assert "answered 500" in failed.err
        assert "s3cr3t" not in failed.err + failed.out
        suite.write_text(f"{head}  - webhook: {server.url('/hook')}\n")
        for _ in range(2):
            assert assay(*run) == (Exit.HELD, failed.out, "")
    assert [path for path, _, _ in server.seen] == ["/status/500/s3cr3t", "/hook"]
