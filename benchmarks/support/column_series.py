"""Real tables that come again and again, column by column: what histories are learned from.

A run is a series of batches of one schema. Batches that the data set's README names as incidents
are in none, and where an incident stayed, a new run begins. Columns that say when a row or a batch
was made are left out: a date is neither a number nor a string, and next month is no error.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np

from assay.learn.fingerprint.column_stats import ColumnKind as Kind
from assay.learn.fingerprint.column_stats import ColumnStats
from assay.learn.fingerprint.from_rows import Column, column_kind, column_stats, strings
from assay.learn.limits.kinds import measured

__all__ = ["SOURCES", "Series", "Source", "series_of"]


@dataclass(frozen=True)
class Source:
    """A recurring data set, what its README says of it, and how much of it is read."""

    name: str
    #: columns that say when
    dates: frozenset[str]
    #: stretches of batches, each by its first and its last key
    stable: tuple[tuple[str, str], ...] = (("", "~"),)
    incidents: frozenset[str] = frozenset()
    #: from this batch on, these columns are others than before
    breaks: Mapping[str, frozenset[str]] = field(default_factory=dict)
    #: so many columns of each kind and run, drawn at random; None is all
    columns: int | None = None
    #: what is written for a null
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
        # later on, values are frozen
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
    """One column of a run, oldest batch first; what is computed of a batch is computed once."""

    source: str
    name: str
    keys: Sequence[str]
    columns: Sequence[Column]
    #: the columns of the same run and kind, this one among them, in the order of the table
    kin: list[Series] = field(default_factory=list, repr=False)

    @property
    def kind(self) -> Kind:
        """Numbers or strings."""
        return column_kind(self.columns[0])

    @cached_property
    def stats(self) -> list[ColumnStats]:
        """Of each batch."""
        return [column_stats(each) for each in self.columns]

    @cached_property
    def metrics(self) -> list[dict[str, float]]:
        """Of each batch beside the one before."""
        before: list[ColumnStats | None] = [None, *self.stats[:-1]]
        return [measured(*each) for each in zip(self.stats, before, strict=True)]

    def neighbour(self, step: int) -> Series | None:
        """A column of the same kind so many places further on, itself excepted."""
        place = next(at for at, each in enumerate(self.kin) if each is self)
        found = self.kin[(place + step) % len(self.kin)]
        return None if found is self else found


def series_of(source: Source, folder: Path, least: int, seed: int = 0) -> Iterator[Series]:
    """The columns of all runs of at least so many batches."""
    rng = random.Random(seed)
    for run in _runs(source, folder):
        if len(run) < least:
            continue
        keys = [key for key, _ in run]
        names = [name for name in run[0][1] if name not in source.dates]
        few = _typed([run[0][1], run[-1][1]], names, source.null)
        for kind in ("numeric", "categorical"):
            kin = [name for name in names if few[name] and column_kind(few[name][0]) == kind]
            if source.columns is not None and len(kin) > source.columns:
                chosen = set(rng.sample(kin, source.columns))
                kin = [name for name in kin if name in chosen]
            whole = _typed([table for _, table in run], kin, source.null)
            together = [
                Series(source.name, name, keys, columns)
                for name, columns in whole.items()
                if columns and column_kind(columns[0]) == kind
            ]
            for each in together:
                each.kin.extend(together)
            for each in together:
                yield from _parts(each, source, least)


def _parts(series: Series, source: Source, least: int) -> Iterator[Series]:
    """The series, parted where its column became another one."""
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
        if end - start >= least:
            together = [
                Series(each.source, each.name, each.keys[start:end], each.columns[start:end])
                for each in series.kin
            ]
            for each in together:
                each.kin.extend(together)
            yield next(each for each in together if each.name == series.name)


def _runs(source: Source, folder: Path) -> list[list[tuple[str, dict[str, Column]]]]:
    import pandas as pd

    runs: list[list[tuple[str, dict[str, Column]]]] = []
    stretch: object = None
    for path in sorted((folder / "recurring" / source.name / "batches").iterdir()):
        key = path.name.partition(".")[0]
        within = next((each for each in source.stable if each[0] <= key <= each[1]), None)
        if within is None or key in source.incidents:
            continue
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
        table = {name: frame[name].to_numpy(dtype=object) for name in frame.columns}
        if not runs or within is not stretch or list(runs[-1][-1][1]) != list(table):
            runs.append([])
        stretch = within
        runs[-1].append((key, table))
    return runs


def _typed(
    batches: Sequence[Mapping[str, Column]], names: Sequence[str], null: str
) -> dict[str, list[Column]]:
    return {name: _column([each[name] for each in batches], null) for name in names}


def _column(batches: Sequence[Column], null: str) -> list[Column]:
    """Numbers where all that is written are numbers; none at all where nothing is."""
    import pandas as pd

    nulls = {"", null}
    texts = [
        np.array([None if text in nulls else text for text in each], dtype=object)
        for each in batches
    ]
    found: list[Column] = []
    for text in texts:
        try:
            found.append(pd.to_numeric(text).astype(np.float64))
        except (ValueError, TypeError):
            return [strings(each) for each in texts]
    return found if any((each == each).any() for each in found) else []
