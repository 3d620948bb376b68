"""DATASET/BATCH names a batch, even if both names contain slashes."""

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


def test_the_dataset_is_the_one_that_has_the_batch_or_the_longest_name(folder: Path) -> None:
    store = ("--store", folder)
    expected = {
        "a/b/1": "a b/1",
        "a/1": "a 1",
        "a/b/2": "a/b 2",
        "a/b/c/2": "a/b c/2",
        "ab/3": "ab 3",
        "a/b": "a/b c/2",
    }
    for run, text in expected.items():
        done = assay("explain", run, *store)
        assert (done.code, f"{text} is a page." in done.out) == (Exit.CLEAN, True), run
    assert assay("quarantine", "reject", "a/b/c/2", "--reason", "a page", *store).code == Exit.CLEAN
    held = assay("quarantine", "list", *store, "--json").json
    assert [(batch["dataset"], batch["batch"]) for batch in held] == [
        ("a", "1"), ("a", "b/1"), ("a/b", "2"), ("ab", "3"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("run", "text"),
    [
        ("a/b", "'a/b'"),
        ("a/b/9", "'9'"),
        ("x/9", "'9'"),
    ],
)
def test_a_batch_that_does_not_exist_is_named_in_the_error(
    folder: Path, run: str, text: str
) -> None:
    done = assay("quarantine", "reject", run, "--reason", "a page", "--store", folder)
    assert done.code == Exit.USAGE
    assert text in done.err
