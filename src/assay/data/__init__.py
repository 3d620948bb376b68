"""A small real data set for demonstrations: two weeks of flights (see README.md beside it)."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path


def flights_path() -> Path:
    """The folder with one `YYYY-MM-DD.csv.gz` per day; missing values are written `NA`.

    >>> len(sorted(flights_path().glob("2013-02-*.csv.gz")))
    14
    """
    return Path(str(files(__name__))) / "flights"
