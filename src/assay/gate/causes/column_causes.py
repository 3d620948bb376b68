"""The most likely cause of an alarm about one column, from its statistics now and before.

>>> from assay.learn.fingerprint.from_rows import column_stats, numbers, strings
>>> before = column_stats(numbers([1.1, 2.4, 1.9]))
>>> now = column_stats(numbers([1000.0, 2500.0, 1800.0]))
>>> print(cause_of_column(now, before).sentence)
About 1,000 times larger than before. Was the unit changed?
>>> before, now = column_stats(strings(["9E", "AA"] * 9)), column_stats(strings(["9e", "aa"] * 9))
>>> print(cause_of_column(now, before).sentence)
Upper case became lower case: '9E' is now '9e'. All 18 rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from assay.checks.formatting import format_value, percent, visible
from assay.gate.causes.cause import Cause, CauseCode, count_of
from assay.learn.fingerprint import distances, metrics
from assay.learn.fingerprint.column_stats import ColumnStats, Pair, WeightedSample

__all__ = ["cause_of_column"]

#: A factor between two units, and the change that it suggests.
UNIT_FACTORS: Mapping[float, str] = {
    1000: "", 100: "", 10: "", 1e6: "", 1e9: "", 1024: "",
    60: "minutes to seconds", 3600: "hours to seconds", 24: "days to hours",
    86400: "days to seconds", 7: "weeks to days", 12: "years to months", 365: "years to days",
    2.54: "inches to centimetres", 1.609: "miles to kilometres", 2.205: "kilograms to pounds",
}  # fmt: skip
#: relative difference up to which two means are equal
MAX_MEAN_DIFFERENCE = 0.1
#: Kolmogorov-Smirnov distance between two ordinary batches of one column
MAX_ORDINARY_DISTANCE = 0.2
#: smaller changes of a share are not worth a sentence
MIN_SHARE_CHANGE = 0.02
#: a missing value is reported if it was at least this share of the values ...
MIN_SHARE_OF_MISSING_VALUE = 0.1
#: ... in a column with at most this many distinct values
MAX_DISTINCT_VALUES = 30
#: a column of fewer values is often constant by chance
MIN_CONSTANT_VALUES = 5
#: the most frequent shape changed if its share rose by this much
MIN_SHAPE_SHARE_CHANGE = 0.3

Rule = Callable[[ColumnStats, ColumnStats], Cause | None]


def cause_of_column(
    now: ColumnStats, before: ColumnStats, metric: str | None = None, *, may_quote: bool = True
) -> Cause | None:
    """Return the most likely cause of an alarm about a column, or None.

    Parameters
    ----------
    now, before
        Statistics of the column in this batch and in the one before.
    metric
        The metric of the alarm. Nulls are considered first if it is None or counts nulls, and
        last otherwise.
    may_quote
        True if the sentence may quote values of the column.
    """
    counts_nulls = metric is None or metrics.canonical_name(metric) in metrics.OF_NULLS
    values = _VALUE_RULES if may_quote else tuple(r for r in _VALUE_RULES if r not in _QUOTING)
    rules = (*_NULL_RULES, *values) if counts_nulls else (*values, *_NULL_RULES)
    return next((cause for rule in rules if (cause := rule(now, before)) is not None), None)


def _nulls_rose(now: ColumnStats, before: ColumnStats) -> Cause | None:
    share, share_before = _null_share(now), _null_share(before)
    if not share - share_before >= MIN_SHARE_CHANGE:
        return None
    n_rows = now["rows"]
    are_null = f"{count_of(n_rows - now['values'], n_rows, 'values')} are null"
    of_all = "" if share == 1 else f" ({percent(share)})"
    sentence = f"{are_null}{of_all}; {percent(share_before)} before."
    return Cause(CauseCode.NULLS_ROSE, sentence)


def _nulls_fell(now: ColumnStats, before: ColumnStats) -> Cause | None:
    share, share_before = _null_share(now), _null_share(before)
    if not share_before - share >= max(MIN_SHARE_CHANGE, share_before / 2):
        return None
    sentence = (
        f"Nulls fell from {percent(share_before)} to {percent(share)}."
        " Were they filled with a default?"
    )
    return Cause(CauseCode.NULLS_FELL, sentence)


def _null_share(stats: ColumnStats) -> float:
    return 1 - stats["values"] / stats["rows"] if stats["rows"] else math.nan


def _constant(now: ColumnStats, before: ColumnStats) -> Cause | None:
    if now["distinct"] != 1 or not before["distinct"] > 1 or now["values"] < MIN_CONSTANT_VALUES:
        return None
    if now.sample is not None:
        return Cause(CauseCode.CONSTANT, f"All values are {format_value(now['min'])}.")
    value = next(iter(now.value_counts), None)
    if value is None:
        return None
    return Cause(CauseCode.CONSTANT, f"All values are {visible(value)!r}.")


def _case_changed(now: ColumnStats, before: ColumnStats) -> Cause | None:
    changed = _respelled(now, before, str.casefold)
    if changed is None:
        return None
    value, value_before, n_rows = changed
    if value == value_before.lower():
        change = "Upper case became lower case"
    elif value == value_before.upper():
        change = "Lower case became upper case"
    else:
        change = "The case of letters changed"
    sentence = (
        f"{change}: {visible(value_before)!r} is now {visible(value)!r}."
        f" {count_of(n_rows, now['values'], 'rows')}."
    )
    return Cause(CauseCode.CASE_CHANGED, sentence)


def _spaces_changed(now: ColumnStats, before: ColumnStats) -> Cause | None:
    changed = _respelled(now, before, str.strip)
    if changed is None:
        return None
    value, value_before, n_rows = changed
    sentence = (
        f"Spaces around values changed: {visible(value_before)!r} is now {visible(value)!r}."
        f" {count_of(n_rows, now['values'], 'rows')}."
    )
    return Cause(CauseCode.SPACES_CHANGED, sentence)


def _respelled(
    now: ColumnStats, before: ColumnStats, normalize: Callable[[str], str]
) -> tuple[str, str, int] | None:
    """Return an example of a value now and before, and the number of rows with such values."""
    if not now.value_counts or not before.value_counts or now.kind == "numeric":
        return None
    new_values = [value for value in now.value_counts if value not in before.value_counts]
    by_normal_form = {normalize(value): value for value in before.value_counts}
    respelled = [value for value in new_values if normalize(value) in by_normal_form]
    n_rows = _count(now.value_counts, respelled)
    n_new = _count(now.value_counts, new_values)
    if not respelled or n_rows < max(MIN_SHARE_CHANGE * now["values"], 0.5 * n_new):
        return None
    example = min(respelled)
    return example, by_normal_form[normalize(example)], n_rows


def _count(counts: Mapping[str, int], values: list[str]) -> int:
    return sum(counts[value] for value in values)


def _unit_changed(now: ColumnStats, before: ColumnStats) -> Cause | None:
    """Find the factor that turns the distribution before into the one now.

    No two batches have quite the same distribution. The factor must bring them closer than half of
    their distance without it.
    """
    if now.sample is None or before.sample is None:
        return None
    size, size_before = _mean_magnitude(now.sample), _mean_magnitude(before.sample)
    if not (0 < size < math.inf and 0 < size_before < math.inf):
        return None
    candidates: list[tuple[float, str]] = []
    for factor, units in UNIT_FACTORS.items():
        for scale, sentence in _scalings(factor, units):
            if abs(math.log(size / size_before / scale)) < 1:
                scaled = WeightedSample(now.sample.values / scale, now.sample.weights)
                candidates.append((_distance(scaled, before.sample), sentence))
    nearest = min((distance for distance, _ in candidates), default=1.0)
    # samples of few numbers differ by chance
    by_chance = math.sqrt(1 / now.sample.total + 1 / before.sample.total) / 2
    tolerance = max(MAX_ORDINARY_DISTANCE, by_chance)
    if nearest > min(tolerance, _distance(now.sample, before.sample) / 2):
        return None
    sentence = next(
        sentence for distance, sentence in candidates if distance <= nearest + MIN_SHARE_CHANGE
    )
    return Cause(CauseCode.UNIT_CHANGED, sentence)


def _scalings(factor: float, units: str) -> list[tuple[float, str]]:
    """Return the factor and its inverse, each with the sentence that describes the change."""
    times = f"About {factor:,.10g} times"
    if not units:
        question = "Was the unit changed?"
        larger = f"{times} larger than before. {question}"
        smaller = f"{times} smaller than before. {question}"
    else:
        small, large = units.split(" to ")
        question = "Was the unit changed from"
        larger = f"{times} larger than before. {question} {small} to {large}?"
        smaller = f"{times} smaller than before. {question} {large} to {small}?"
    return [(factor, larger), (1 / factor, smaller)]


def _mean_magnitude(ranked: WeightedSample) -> float:
    """Return the mean of the absolute values."""
    if not ranked.total:
        return math.nan
    with np.errstate(over="ignore"):
        return float(np.abs(ranked.values) @ ranked.weights) / ranked.total


def _distance(now: WeightedSample, before: WeightedSample) -> float:
    this, other = (ColumnStats("numeric", {}, sample=ranked) for ranked in (now, before))
    return distances.kolmogorov_smirnov(Pair(this, other).cumulative_shares)


def _sign_changed(now: ColumnStats, before: ColumnStats) -> Cause | None:
    if now.sample is None or before.sample is None or not before.mean:
        return None
    if abs(now.mean / before.mean + 1) >= MAX_MEAN_DIFFERENCE:
        return None
    return Cause(CauseCode.SIGN_CHANGED, "The numbers changed their sign.")


def _share_rose(name: str, code: CauseCode, noun: str) -> Rule:
    """Return a rule for a kind of value whose share rose."""

    def rule(now: ColumnStats, before: ColumnStats) -> Cause | None:
        share, share_before = now.per_value(name), before.per_value(name)
        if not share - share_before >= max(MIN_SHARE_CHANGE, share_before / 2):
            return None
        sentence = (
            f"{count_of(now[name], now['values'], 'values')} are {noun} ({percent(share)});"
            f" {percent(share_before)} before."
        )
        return Cause(code, sentence)

    return rule


def _format_changed(now: ColumnStats, before: ColumnStats) -> Cause | None:
    if not now.shape_counts or not before.shape_counts:
        return None
    shape = max(now.shape_counts, key=now.shape_counts.__getitem__)
    shape_before = max(before.shape_counts, key=before.shape_counts.__getitem__)
    share = now.shape_counts[shape] / max(1.0, now["values"])
    share_before = before.shape_counts.get(shape, 0) / max(1.0, before["values"])
    if shape == shape_before or share - share_before < MIN_SHAPE_SHARE_CHANGE:
        return None
    sentence = (
        f"The format changed: {percent(share)} of the values look like {visible(shape)!r};"
        f" before, most looked like {visible(shape_before)!r}."
    )
    return Cause(CauseCode.FORMAT_CHANGED, sentence)


def _values_new(now: ColumnStats, before: ColumnStats) -> Cause | None:
    if not now.value_counts or not before.value_counts or now.kind == "numeric":
        return None
    if before.uncounted(before.value_counts) or now.uncounted(now.value_counts):
        return None
    new_values = [value for value in now.value_counts if value not in before.value_counts]
    n_rows = _count(now.value_counts, new_values)
    if n_rows / now["values"] < MIN_SHARE_CHANGE:
        return None
    most_frequent = sorted(new_values, key=lambda value: (-now.value_counts[value], value))[:3]
    examples = ", ".join(repr(visible(value)) for value in most_frequent)
    such_as = "" if len(new_values) <= len(most_frequent) else "such as "
    sentence = (
        f"{count_of(n_rows, now['values'], 'rows')} have a value that the batch before had not"
        f" ({percent(n_rows / now['values'])}): {such_as}{examples}."
    )
    return Cause(CauseCode.VALUES_NEW, sentence)


def _values_gone(now: ColumnStats, before: ColumnStats) -> Cause | None:
    """Find a frequent value of the batch before that no row has now."""
    if (
        not now.value_counts
        or not before.is_category(MAX_DISTINCT_VALUES)
        or now.uncounted(now.value_counts)
    ):
        return None
    gone = [value for value in before.value_counts if value not in now.value_counts]
    value = max(gone, key=before.value_counts.__getitem__, default=None)
    if value is None or before.value_counts[value] < MIN_SHARE_OF_MISSING_VALUE * before["values"]:
        return None
    share = before.value_counts[value] / before["values"]
    sentence = f"No row has {visible(value)!r}; before, {percent(share)} of the rows had it."
    return Cause(CauseCode.VALUES_GONE, sentence)


_NULL_RULES: tuple[Rule, ...] = (_nulls_rose, _nulls_fell)
_VALUE_RULES: tuple[Rule, ...] = (
    _constant,
    _case_changed,
    _spaces_changed,
    _unit_changed,
    _sign_changed,
    _share_rose("empty", CauseCode.EMPTY_STRINGS_ROSE, "empty strings"),
    _share_rose("zeros", CauseCode.ZEROS_ROSE, "zeros"),
    _share_rose("negatives", CauseCode.NEGATIVES_ROSE, "negative numbers"),
    _format_changed,
    _values_new,
    _values_gone,
)
#: rules whose sentences quote values, or shapes of values
_QUOTING = frozenset(
    (_constant, _case_changed, _spaces_changed, _format_changed, _values_new, _values_gone)
)
