"""A small lake of dates, item codes and decimals, and its index."""

from __future__ import annotations

from assay.learn.patterns import Enumeration, PatternIndex
from assay.learn.patterns.evidence import collect_evidence

__all__ = ["LAKE", "dates", "index"]

ENUMERATION = Enumeration()


def index(*columns: list[str]) -> PatternIndex:
    """Return the index of one table with these columns."""
    evidence = (collect_evidence(values, ENUMERATION) for values in columns)
    return PatternIndex.of(evidence, ENUMERATION, tables=1)


def dates(year: int) -> list[str]:
    """Return three days of each month of a year."""
    return [f"{year}-{month:02}-{day:02}" for month in range(1, 13) for day in (1, 14, 28)]


LAKE = index(
    *(dates(year) for year in range(2000, 2012)),
    *([f"SKU-{n * k:05}" for n in range(1, 60)] for k in range(1, 8)),
    *([f"{n / 8:.3f}" for n in range(k, k + 50)] for k in range(6)),
)
