"""Recurring data sets as columns in memory, one mapping of columns per batch."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from assay.learn.fingerprint.from_rows import Column, strings
from benchmarks.support.corruption import Columns
from tools.real_data import batch_paths

__all__ = ["read_batches"]


def read_batches(
    data: Path,
    dataset: str,
    part: str = "batches",
    *,
    like: Sequence[Columns] = (),
    within: tuple[str, str] = ("", "~"),
) -> list[Columns]:
    """Read the batches of a recurring data set, oldest first.

    Parameters
    ----------
    data
        The folder of the real data sets.
    like
        Other batches, whose column types apply. Without them, a column is numeric if all its
        values in all batches are numbers.
    within
        The first and the last file name to read.
    """
    paths = [
        path
        for path in batch_paths(dataset, part, folder=data)
        if within[0] <= path.name <= within[1]
    ]
    frames = [_read(path, ()) for path in paths]
    text = {name for batch in like for name in batch if batch[name].dtype == object}
    if not like:
        text = {name for frame in frames for name in frame if _is_text(frame[name])}
    for place, (path, frame) in enumerate(zip(paths, frames, strict=True)):
        if any(name in text and frame[name].dtype != object for name in frame):
            frames[place] = _read(path, text)
    return [{name: _column(frame[name], text=name in text) for name in frame} for frame in frames]


def _read(path: Path, text: Collection[str]) -> Any:
    return pd.read_csv(
        path,
        sep="\t" if ".tsv" in path.name else ",",
        dtype=dict.fromkeys(text, str),
        keep_default_na=False,
        na_values=["", "NA"],
        low_memory=False,
    )


def _is_text(series: Any) -> bool:
    return bool(series.dtype in (object, bool) and series.notna().any())


def _column(series: Any, *, text: bool) -> Column:
    if text:
        # NaN is the only value that differs from itself
        return strings(None if value != value else str(value) for value in series.tolist())
    numbers: Column = series.to_numpy(dtype="float64", na_value=float("nan"))
    return numbers
