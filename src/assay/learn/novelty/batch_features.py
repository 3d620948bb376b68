"""The features of a batch: its own, and against the accepted batches before it.

>>> from assay.learn.fingerprint.column import fingerprint, strings
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
from assay.learn.fingerprint.facts import Facts, Fingerprint, Floats, Pair
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
    for name, facts in batch.columns.items():
        found |= of_column(name, facts, memory.columns.get(name, SeenColumn()))
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


def of_column(name: str, facts: Facts, seen: SeenColumn) -> dict[Feature, float]:
    """Those of one column, of which so much was seen before."""
    rows, values = facts["rows"], facts["values"]
    named = {
        "completeness": values / rows if rows else math.nan,
        # a share that varies may be anything by its band, but none at all is another thing
        "filled": float(values > 0) if rows else math.nan,
        "numeric": float(facts.table == "numeric") if values else math.nan,
        "distinct": facts["distinct"] if values else math.nan,
        "distinct ratio": min(facts.per_value("distinct"), 1.0),
        "top": top_share(facts),
        "entropy": entropy(facts),
    }
    # numbers that overflow are infinite, and judged as such
    with np.errstate(over="ignore", invalid="ignore"):
        named |= _of_numbers(facts) if facts.table == "numeric" else _of_strings(facts, seen)
    return {Feature(name, metric): METRICS[metric].inward(each) for metric, each in named.items()}


def _of_numbers(facts: Facts) -> dict[str, float]:
    found = {name: facts[name] for name in _NAMED} | {"mean": facts.mean}
    found |= {name: facts.per_value(name) for name in _SHARES}
    if facts.ranked is not None and facts.ranked.total:
        quartiles = facts.ranked.quantiles(np.array(list(_QUARTILES.values())))
        found |= dict(zip(_QUARTILES, quartiles.tolist(), strict=True))
    return found


def _of_strings(facts: Facts, seen: SeenColumn) -> dict[str, float]:
    found = {"length": facts.per_value("characters")}
    characters = facts["characters"]
    found |= {each: facts[each] / characters if characters else math.nan for each in _CLASSES}
    if not seen.total or not facts.values:
        return found
    values, shapes = known_as(facts.values), known_as(facts.patterns)
    pair = Pair(Facts("categorical", facts.named, values=values, patterns=shapes), seen.facts)
    return found | {
        "unseen": _unseen(values, seen.values),
        "unseen shapes": _unseen(shapes, seen.shapes),
        "surprise": seen.trigrams.surprise(Trigrams.of(facts.values)),
        "l1": distances.l1(pair.counts),
        "l_inf": distances.l_inf(pair.counts),
    }


def _unseen(now: Mapping[str, int], before: Mapping[str, int]) -> float:
    """Of what is known of this batch: where only the most frequent are, the rest may be either."""
    total = sum(now.values())
    return sum(n for each, n in now.items() if each not in before) / total if total else math.nan


def top_share(facts: Facts) -> float:
    """The share of the most frequent value (paper, section 4)."""
    counts, rest = _counts(facts)
    total = counts.sum() + rest
    return float(counts.max() / total) if len(counts) and total > 0 else math.nan


def entropy(facts: Facts) -> float:
    """``-Σ p ln p``; values of which only the number is known are taken to be equally frequent."""
    counts, rest = _counts(facts)
    total = counts.sum() + rest
    if not len(counts) or not total > 0:
        return math.nan
    p = counts[counts > 0] / total
    found = -float(p @ np.log(p))
    if rest:
        others = max(1.0, facts["distinct"] - len(counts))
        found -= rest / total * math.log(rest / total / others)
    return max(0.0, found)


def _counts(facts: Facts) -> tuple[Floats, float]:
    """How often each known value occurs, and all others together."""
    if facts.values or facts.ranked is None:
        counts = np.fromiter(facts.values.values(), np.float64, len(facts.values))
        return counts, facts.rest(facts.values)
    return facts.ranked.weights, 0.0


def _alike(batch: Fingerprint, memory: SeenValues) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Combinations of nulls among the columns that were there before and still are."""
    both = batch.columns.keys() & memory.columns.keys()
    if both == memory.columns.keys():
        return null_combinations(batch.nulls, both), memory.nulls
    return null_combinations(batch.nulls, both), null_combinations(memory.nulls, both)
