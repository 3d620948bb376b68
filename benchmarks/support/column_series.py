"""Recurring data sets as series of columns, from which limits are learned.

A run is a series of consecutive batches with one schema:

- Batches that the data set's README names as incidents are left out.
- A lasting change of a column begins a new series of that column.
- Columns that hold the time of a row or a batch are left out: later dates are not errors.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import numpy as np

from assay.learn.fingerprint.column_stats import ColumnKind as Kind
from assay.learn.fingerprint.from_rows import Column, column_kind, strings
from tools.real_data import batch_key, batch_paths

__all__ = ["SOURCES", "Series", "Source", "series_of"]


@dataclass(frozen=True)
class Source:
    """A recurring data set, its incidents according to its README, and how much of it is read."""

    name: str
    #: columns that hold times
    dates: frozenset[str]
    #: spans of batches to read, each by its first and its last key
    stable: tuple[tuple[str, str], ...] = (("", "~"),)
    #: keys of batches that are left out
    incidents: frozenset[str] = frozenset()
    #: by the key of a batch, the columns that changed for good with it
    breaks: Mapping[str, frozenset[str]] = field(default_factory=dict)
    #: number of columns of each kind, drawn at random from a run; None for all
    columns: int | None = None
    #: text that stands for a null
    null: str = ""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


SOURCES = (
    Source(
        "nycflights13_daily",
        _names("year month day time_hour"),
        incidents=_names("2013-02-08 2013-02-09"),
        null="NA",
    ),
    Source("online_retail_by_day", _names("InvoiceDate")),
    Source(
        "jhu_us_daily",
        _names("Last_Update"),
        breaks={
            "2020-08-28": _names("People_Hospitalized Hospitalization_Rate"),
            "2021-03-07": _names("Recovered Active"),
        },
        columns=6,
    ),
    Source(
        "covid_tracking_states",
        _names("date lastUpdateEt dateModified checkTimeEt dateChecked"),
        # from 2021-03-07 on, the values do not change
        stable=(("", "2021-03-06"),),
        incidents=_names("2020-08-17"),
        columns=6,
    ),
    Source(
        "hhs_hospital_utilization",
        _names("reporting_cutoff_start date"),
        stable=(
            ("2020-11-23", "2021-04-02~"),
            ("2021-09-21", "2022-04-27~"),
            ("2022-04-29", "2022-11-18~"),
        ),
        columns=6,
    ),
    Source(
        "ourairports_regions",
        frozenset(),
        incidents=_names("2025-01-31"),
        breaks={"2022-06-24": _names("keywords")},
    ),
)


@dataclass(frozen=True)
class Series:
    """One column of a run: the key and the values of each batch, oldest first."""

    source: str
    name: str
    keys: Sequence[str]
    columns: Sequence[Column]
    #: columns of the same run and kind in the order of the table, this one included
    siblings: list[Series] = field(default_factory=list, repr=False)

    @property
    def kind(self) -> Kind:
        """The kind of the column: numeric or categorical."""
        return column_kind(self.columns[0])

    def neighbour(self, step: int) -> Series | None:
        """Return the sibling `step` places further on, or None if that is this column."""
        place = next(at for at, sibling in enumerate(self.siblings) if sibling is self)
        neighbour = self.siblings[(place + step) % len(self.siblings)]
        return None if neighbour is self else neighbour


def series_of(source: Source, folder: Path, min_batches: int, seed: int = 0) -> Iterator[Series]:
    """Read the columns of all runs of at least `min_batches` batches."""
    rng = random.Random(seed)
    for run in _runs(source, folder):
        if len(run) < min_batches:
            continue
        keys = [key for key, _ in run]
        names = [name for name in run[0][1] if name not in source.dates]
        # the first and the last batch decide which columns are of a kind
        samples = _parse_columns([run[0][1], run[-1][1]], names, source.null)
        for kind in ("numeric", "categorical"):
            chosen = [
                name for name in names if samples[name] and column_kind(samples[name][0]) == kind
            ]
            if source.columns is not None and len(chosen) > source.columns:
                drawn = set(rng.sample(chosen, source.columns))
                chosen = [name for name in chosen if name in drawn]
            parsed = _parse_columns([table for _, table in run], chosen, source.null)
            siblings = [
                Series(source.name, name, keys, columns)
                for name, columns in parsed.items()
                if columns and column_kind(columns[0]) == kind
            ]
            for series in _with_siblings(siblings):
                yield from _split_at_breaks(series, source, min_batches)


def _with_siblings(siblings: list[Series]) -> list[Series]:
    for series in siblings:
        series.siblings.extend(siblings)
    return siblings


def _split_at_breaks(series: Series, source: Source, min_batches: int) -> Iterator[Series]:
    """Split a series where its column changed for good."""
    cuts = [
        sum(key < first for key in series.keys)
        for first, names in source.breaks.items()
        if series.name in names
    ]
    bounds = sorted({0, *cuts, len(series.keys)})
    if len(bounds) == 2:
        yield series
        return
    for start, end in pairwise(bounds):
        if end - start >= min_batches:
            siblings = [
                Series(
                    sibling.source,
                    sibling.name,
                    sibling.keys[start:end],
                    sibling.columns[start:end],
                )
                for sibling in series.siblings
            ]
            yield next(
                sibling for sibling in _with_siblings(siblings) if sibling.name == series.name
            )


def _runs(source: Source, folder: Path) -> list[list[tuple[str, dict[str, Column]]]]:
    """Read the batches of each run: its keys with its columns as text."""
    import pandas as pd

    runs: list[list[tuple[str, dict[str, Column]]]] = []
    previous_span: object = None
    for path in batch_paths(source.name, folder=folder):
        key = batch_key(path)
        span = next((span for span in source.stable if span[0] <= key <= span[1]), None)
        if span is None or key in source.incidents:
            continue
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
        table = {name: frame[name].to_numpy(dtype=object) for name in frame.columns}
        if not runs or span is not previous_span or list(runs[-1][-1][1]) != list(table):
            runs.append([])
        previous_span = span
        runs[-1].append((key, table))
    return runs


def _parse_columns(
    tables: Sequence[Mapping[str, Column]], names: Sequence[str], null: str
) -> dict[str, list[Column]]:
    return {name: _parse_column([table[name] for table in tables], null) for name in names}


def _parse_column(batches: Sequence[Column], null: str) -> list[Column]:
    """Convert a column to numbers if all its values are; empty if it has no values at all."""
    import pandas as pd

    nulls = {"", null}
    texts = [
        np.array([None if text in nulls else text for text in batch], dtype=object)
        for batch in batches
    ]
    numbers: list[Column] = []
    for text in texts:
        try:
            numbers.append(pd.to_numeric(text).astype(np.float64))
        except (ValueError, TypeError):
            return [strings(values) for values in texts]
    return numbers if any(not np.isnan(values).all() for values in numbers) else []
