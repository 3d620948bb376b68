"""Batches by name, whatever slashes are in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay import EmbeddedStore, Gate
from assay.cli.exits import Exit
from tests.cli.running import assay

RUNS = {"a": ("1", "b/1"), "a/b": ("2", "c/2"), "ab": ("3",)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    store = EmbeddedStore(tmp_path)
    for dataset, keys in RUNS.items():
        for key in keys:
            Gate(dataset, store).refuse(key, f"{dataset} {key} is a page.")
    return tmp_path


def test_the_dataset_is_one_that_has_the_batch_or_the_longest(folder: Path) -> None:
    store = ("--store", folder)
    reached = {
        "a/b/1": "a b/1",
        "a/1": "a 1",
        "a/b/2": "a/b 2",
        "a/b/c/2": "a/b c/2",
        "ab/3": "ab 3",
        "a/b": "a/b c/2",
    }
    for run, said in reached.items():
        done = assay("explain", run, *store)
        assert (done.code, f"{said} is a page." in done.out) == (Exit.CLEAN, True), run
    assert assay("quarantine", "reject", "a/b/c/2", "--reason", "a page", *store).code == Exit.CLEAN
    held = assay("quarantine", "list", *store, "--json").json
    assert [(each["dataset"], each["batch"]) for each in held] == [
        ("a", "1"), ("a", "b/1"), ("a/b", "2"), ("ab", "3"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ("a/b", "a batch is named DATASET/BATCH, not 'a/b'."),
        ("a/b/9", "no batch '9' of a/b is held"),
        ("x/9", "no batch '9' of x is held."),
    ],
)
def test_what_is_not_there_is_named(folder: Path, run: str, said: str) -> None:
    done = assay("quarantine", "reject", run, "--reason", "a page", "--store", folder)
    assert done.code == Exit.USAGE
    assert said in done.err
