"""Real data sets for the tests; where they are absent, the tests that need them are skipped.

They are looked for in $ASSAY_DATA, and else in `../shared/data` beside the repository.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Batch(NamedTuple):
    """One delivery of a recurring data set: its key (mostly a date) and its file."""

    key: str
    path: Path


def data_path(*parts: str) -> Path:
    """A file or folder of the real data, or the test is skipped."""
    root = Path(os.environ.get("ASSAY_DATA") or Path(__file__).parents[2] / "shared" / "data")
    path = root.joinpath(*parts)
    if not path.exists():
        pytest.skip(
            f"no real data at {path} (set ASSAY_DATA to their folder)", allow_module_level=True
        )
    return path


def datasets() -> list[str]:
    """The names of the recurring data sets."""
    return sorted(path.name for path in data_path("recurring").iterdir() if path.is_dir())


def batches(dataset: str, part: str = "batches") -> list[Batch]:
    """The batches of a recurring data set, oldest first.

    Most have one `part`, "batches"; `fbposts` has "clean" and "dirty", `ca_fires` also has
    "v2_batches".
    """
    files = sorted(data_path("recurring", dataset, part).iterdir())
    return [Batch(path.name.partition(".")[0], path) for path in files]


def at_hand(df: DataFrame) -> DataFrame:
    """The same rows, without the files or objects of Python that each question would read again."""
    return df.sparkSession.createDataFrame(df.toArrow())
