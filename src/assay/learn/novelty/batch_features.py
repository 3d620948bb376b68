"""The features of a batch: its own, and against the accepted batches before it.

>>> from assay.learn.fingerprint.from_rows import fingerprint, strings
>>> first = fingerprint({"code": strings(["a-1", "b-2", "b-2", None])})
>>> second = fingerprint({"code": strings(["a-1", "A 1", "b-2", "c-3"])})
>>> found = features(second, Memory().add(first))
>>> [round(found[Feature("code", each)], 2) for each in ("unseen", "unseen shapes", "top", "l1")]
[0.5, 0.25, 0.25, 1.0]
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from assay.learn.fingerprint import distances
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint, Floats, Pair
from assay.learn.novelty.metrics import METRICS, Feature
from assay.learn.novelty.repetition import unchanged
from assay.learn.novelty.seen_values import SeenColumn, SeenValues, known_as, null_combinations
from assay.learn.novelty.trigrams import Trigrams

__all__ = ["entropy", "features", "of_column", "of_table", "top_share"]

#: a combination of nulls is rare if fewer rows than this had it
_RARE = 0.001
_NAMED = ("min", "max", "sd")
_QUARTILES = {"q25": 0.25, "q50": 0.5, "q75": 0.75}
_SHARES = ("zeros", "negatives", "integers")
_CLASSES = ("letters", "digits", "spaces", "symbols")


def features(batch: Fingerprint, memory: SeenValues) -> dict[Feature, float]:
    """All of them; a column that is gone is one without a value."""
    found = of_table(batch, memory)
    for name, stats in batch.columns.items():
        found |= of_column(name, stats, memory.columns.get(name, SeenColumn()))
    for name in memory.columns:
        if name not in batch.columns:
            found |= {Feature(name, "completeness"): 0.0, Feature(name, "filled"): 0.0}
    return found


def of_table(batch: Fingerprint, memory: SeenValues) -> dict[Feature, float]:
    """Those of the table: rows, which columns are null together, and how many are as before."""
    unseen = rare = math.nan
    if batch.rows and memory.rows and batch.nulls:
        now, before = _alike(batch, memory)
        least = _RARE * memory.rows
        unseen = sum(n for each, n in now.items() if each not in before) / batch.rows
        rare = sum(n for each, n in now.items() if before.get(each, 0) < least) / batch.rows
    named = {
        "rows": float(batch.rows),
        "unseen nulls": unseen,
        "rare nulls": rare,
        "unchanged": unchanged(batch, memory.last, memory.several),
    }
    return {Feature(None, name): METRICS[name].inward(each) for name, each in named.items()}


def of_column(name: str, stats: ColumnStats, seen: SeenColumn) -> dict[Feature, float]:
    """Those of one column, of which so much was seen before."""
    rows, values = stats["rows"], stats["values"]
    named = {
        "completeness": values / rows if rows else math.nan,
        # a share that varies may be anything by its band, but none at all is another thing
        "filled": float(values > 0) if rows else math.nan,
        "numeric": float(stats.kind == "numeric") if values else math.nan,
        "distinct": stats["distinct"] if values else math.nan,
        "distinct ratio": min(stats.per_value("distinct"), 1.0),
        "top": top_share(stats),
        "entropy": entropy(stats),
    }
    # numbers that overflow are infinite, and judged as such
    with np.errstate(over="ignore", invalid="ignore"):
        named |= _of_numbers(stats) if stats.kind == "numeric" else _of_strings(stats, seen)
    return {Feature(name, metric): METRICS[metric].inward(each) for metric, each in named.items()}


def _of_numbers(stats: ColumnStats) -> dict[str, float]:
    found = {name: stats[name] for name in _NAMED} | {"mean": stats.mean}
    found |= {name: stats.per_value(name) for name in _SHARES}
    if stats.sample is not None and stats.sample.total:
        quartiles = stats.sample.quantiles(np.array(list(_QUARTILES.values())))
        found |= dict(zip(_QUARTILES, quartiles.tolist(), strict=True))
    return found


def _of_strings(stats: ColumnStats, seen: SeenColumn) -> dict[str, float]:
    found = {"length": stats.per_value("characters")}
    characters = stats["characters"]
    found |= {each: stats[each] / characters if characters else math.nan for each in _CLASSES}
    if not seen.total or not stats.value_counts:
        return found
    values, shapes = known_as(stats.value_counts), known_as(stats.shape_counts)
    pair = Pair(
        ColumnStats("categorical", stats.numbers, value_counts=values, shape_counts=shapes),
        seen.stats,
    )
    return found | {
        "unseen": _unseen(values, seen.values),
        "unseen shapes": _unseen(shapes, seen.shapes),
        "surprise": seen.trigrams.surprise(Trigrams.of(stats.value_counts)),
        "l1": distances.l1(pair.value_counts),
        "l_inf": distances.l_inf(pair.value_counts),
    }


def _unseen(now: Mapping[str, int], before: Mapping[str, int]) -> float:
    """Of what is known of this batch: where only the most frequent are, the rest may be either."""
    total = sum(now.values())
    return sum(n for each, n in now.items() if each not in before) / total if total else math.nan


def top_share(stats: ColumnStats) -> float:
    """The share of the most frequent value (paper, section 4)."""
    counts, rest = _counts(stats)
    total = counts.sum() + rest
    return float(counts.max() / total) if len(counts) and total > 0 else math.nan


def entropy(stats: ColumnStats) -> float:
    """``-Σ p ln p``; values of which only the number is known are taken to be equally frequent."""
    counts, rest = _counts(stats)
    total = counts.sum() + rest
    if not len(counts) or not total > 0:
        return math.nan
    p = counts[counts > 0] / total
    found = -float(p @ np.log(p))
    if rest:
        others = max(1.0, stats["distinct"] - len(counts))
        found -= rest / total * math.log(rest / total / others)
    return max(0.0, found)


def _counts(stats: ColumnStats) -> tuple[Floats, float]:
    """How often each known value occurs, and all others together."""
    if stats.value_counts or stats.sample is None:
        counts = np.fromiter(stats.value_counts.values(), np.float64, len(stats.value_counts))
        return counts, stats.uncounted(stats.value_counts)
    return stats.sample.weights, 0.0


def _alike(batch: Fingerprint, memory: SeenValues) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Combinations of nulls among the columns that were there before and still are."""
    both = batch.columns.keys() & memory.columns.keys()
    if both == memory.columns.keys():
        return null_combinations(batch.nulls, both), memory.nulls
    return null_combinations(batch.nulls, both), null_combinations(memory.nulls, both)
