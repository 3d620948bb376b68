"""Real data sets for the tests. Tests that need them are skipped where they are absent.

`tools.real_data` says where they are looked for.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tools.real_data import RealDataMissingError, batch_key, batch_paths, real_data_path

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Batch(NamedTuple):
    """One batch of a recurring data set: its key (usually a date) and its file."""

    key: str
    path: Path


def data_path(*parts: str) -> Path:
    """Return a file or folder of the real data, or skip the test."""
    try:
        return real_data_path(*parts)
    except RealDataMissingError as error:
        pytest.skip(str(error), allow_module_level=True)


def datasets() -> list[str]:
    """Return the names of the recurring data sets."""
    return sorted(path.name for path in data_path("recurring").iterdir() if path.is_dir())


def batches(dataset: str, part: str = "batches") -> list[Batch]:
    """Return the batches of a recurring data set, oldest first, or skip the test.

    See `tools.real_data.batch_paths` for the parts of each data set.
    """
    data_path("recurring", dataset, part)
    return [Batch(batch_key(path), path) for path in batch_paths(dataset, part)]


def at_hand(df: DataFrame) -> DataFrame:
    """Copy the rows into memory, so that later queries do not read files or Python objects."""
    return df.sparkSession.createDataFrame(df.toArrow())
