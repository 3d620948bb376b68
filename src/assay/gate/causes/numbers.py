"""Causes about columns of numbers: a unit, a sign, an offset, a sequence, zeros, a default.

No two batches have quite the same distribution. A transformation explains a change if undoing it
leaves less than half of the distance between the two distributions.

>>> from assay.learn.fingerprint.from_rows import column_stats, numbers
>>> before = column_stats(numbers([1.1, 2.4, 1.9]))
>>> now = column_stats(numbers([1000.0, 2500.0, 1800.0]))
>>> print(transformed(ColumnChange("weight", now, before)).sentence)
All 3 values are about 1,000 times larger than before. Was the unit changed?
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from assay.checks.formatting import percent
from assay.gate.causes.cause import Cause, CauseCode, count_in, count_of
from assay.gate.causes.column_change import ColumnChange
from assay.gate.causes.similarity import sample_distance, tolerance
from assay.learn.fingerprint.column_stats import Floats, Stat, WeightedSample

__all__ = ["default_number", "restarted", "share_rose", "transformed", "values_shifted"]

#: A factor between two units, and the change that it suggests.
UNIT_FACTORS: Mapping[float, str] = {
    1000: "", 100: "", 10: "", 1e6: "", 1e9: "", 1024: "",
    60: "minutes to seconds", 3600: "hours to seconds", 24: "days to hours",
    86400: "days to seconds", 7: "weeks to days", 12: "years to months", 365: "years to days",
    2.54: "inches to centimetres", 1.609: "miles to kilometres", 2.205: "kilograms to pounds",
}  # fmt: skip
#: smaller factors occur by chance if the number of rows changed, too
MIN_UNMISTAKABLE_FACTOR = 50
#: numbers have one sign if at most this share has the other
MAX_SHARE_OF_OTHER_SIGN = 0.1
#: medians have about the same size up to this ratio
MAX_SIZE_RATIO = 2.0
#: largest median difference of the logarithms of ratios if all numbers have the same factor
MAX_SPREAD_OF_RATIOS = 0.5
#: largest difference between the logarithms of the ratio and of a factor, as a part of the latter
MAX_ERROR_OF_FACTOR = 0.1
#: of two factors whose logarithms differ by less than this, the more usual one is named
MIN_DIFFERENCE_OF_FACTORS = 0.1
#: row counts are about the same up to this ratio
MAX_ROW_RATIO = 1.5
#: relative difference up to which two means are equal
MAX_MEAN_DIFFERENCE = 0.1
#: a transformation is preferred to simpler ones only if it fits this much better
MIN_BETTER_FIT = 0.02
#: smaller changes of a share are not worth a sentence
MIN_SHARE_CHANGE = 0.02
#: a number that hardly any row had before is a default if it has this share of the values
MIN_DEFAULT_SHARE = 0.1
#: smaller distances of two distributions are not worth a sentence
MIN_DISTANCE = 0.1
#: shares at which two distributions are compared to find an offset
_QUANTILES = np.arange(1, 20) / 20
#: a sequence begins with one of these
_FIRST_NUMBERS = (0.0, 1.0)
#: shorter sequences begin with 1 by chance
_MIN_SEQUENCE = 10


@dataclass(frozen=True, slots=True)
class _Transformation:
    """A change of all numbers, and the numbers without it."""

    code: CauseCode
    sentence: str
    undone: WeightedSample


def transformed(change: ColumnChange) -> Cause | None:
    """Find the factor, the sign or the offset that explains a changed distribution."""
    now, before = change.now.sample, change.before.sample
    if now is None or before is None or not now.total or not before.total:
        return None
    all_values = f"{change.sql} IS NOT NULL"
    if _is_negated(now, before):
        return Cause(CauseCode.SIGN_CHANGED, _sign_sentence(change), row_filter=all_values)
    distance = sample_distance(now, before)
    limit = min(tolerance(now, before), distance / 2)
    candidates = [
        *_negated(change, now),
        *_units(change, now, before),
        *_moved(change, now, before),
    ]
    distances = [sample_distance(one.undone, before) for one in candidates]
    nearest = min(distances, default=1.0)
    if nearest > limit:
        return _magnified(change, now, before)
    best = next(
        one
        for one, distance in zip(candidates, distances, strict=True)
        if distance <= nearest + MIN_BETTER_FIT
    )
    return Cause(best.code, best.sentence, row_filter=all_values)


def _is_negated(now: WeightedSample, before: WeightedSample) -> bool:
    """Return whether numbers of one sign have the other sign, and about the same size."""
    shares = [
        float(
            sample.weights[sample.values < 0].sum()
            / max(1.0, sample.weights[sample.values != 0].sum())
        )
        for sample in (now, before)
    ]
    size, size_before = abs(now.median), abs(before.median)
    is_same_size = size <= MAX_SIZE_RATIO * size_before and size_before <= MAX_SIZE_RATIO * size
    return is_same_size and abs(shares[0] - shares[1]) > 1 - MAX_SHARE_OF_OTHER_SIGN


def _magnified(change: ColumnChange, now: WeightedSample, before: WeightedSample) -> Cause | None:
    """Find a large factor of numbers whose distribution differs from batch to batch.

    Such numbers are identifiers, amounts and delays. Most quantiles have about the same ratio. The
    ones around 0 have none.
    """
    values, values_before = now.quantiles(_QUANTILES), before.quantiles(_QUANTILES)
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        all_ratios: Floats = values / values_before
    ratios: Floats = np.log(all_ratios[(all_ratios > 0) & np.isfinite(all_ratios)])
    if len(ratios) <= len(_QUANTILES) / 2:
        return None
    middle = float(np.median(ratios))
    if np.median(np.abs(ratios - middle)) > MAX_SPREAD_OF_RATIOS:
        return None
    scales = [
        scaling
        for factor, units in UNIT_FACTORS.items()
        if factor >= MIN_UNMISTAKABLE_FACTOR
        for scaling in _scalings(change, factor, units)
    ]
    errors = [abs(math.log(scale) - middle) for scale, _ in scales]
    place = next(p for p, e in enumerate(errors) if e <= min(errors) + MIN_DIFFERENCE_OF_FACTORS)
    scale, sentence = scales[place]
    is_near = errors[place] <= MAX_ERROR_OF_FACTOR * abs(math.log(scale))
    if not is_near:
        return None
    row_filter = f"{change.sql} IS NOT NULL"
    return Cause(CauseCode.UNIT_CHANGED, sentence, row_filter=row_filter)


def _units(
    change: ColumnChange, now: WeightedSample, before: WeightedSample
) -> Iterator[_Transformation]:
    size, size_before = _mean_magnitude(now), _mean_magnitude(before)
    if not (0 < size < math.inf and 0 < size_before < math.inf):
        return
    row_ratio = change.now.n_rows / max(1.0, change.before.n_rows)
    has_other_rows = not 1 / MAX_ROW_RATIO < row_ratio < MAX_ROW_RATIO
    for factor, units in UNIT_FACTORS.items():
        if has_other_rows and factor < MIN_UNMISTAKABLE_FACTOR:
            continue
        for scale, sentence in _scalings(change, factor, units):
            if abs(math.log(size / size_before / scale)) < 1:
                undone = WeightedSample(now.values / scale, now.weights)
                yield _Transformation(CauseCode.UNIT_CHANGED, sentence, undone)


def _scalings(change: ColumnChange, factor: float, units: str) -> list[tuple[float, str]]:
    """Return the factor and its inverse, each with the sentence that describes the change."""
    n_values = change.now.n_values
    times = f"{count_of(n_values, n_values, 'values')} are about {factor:,.10g} times"
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
    with np.errstate(over="ignore"):
        return float(np.abs(ranked.values) @ ranked.weights) / ranked.total


def _negated(change: ColumnChange, now: WeightedSample) -> Iterator[_Transformation]:
    has_both_signs = 0 < change.before.per_value(Stat.NEGATIVES) < 1 - MAX_MEAN_DIFFERENCE
    if has_both_signs and abs(change.now.mean / change.before.mean + 1) >= MAX_MEAN_DIFFERENCE:
        return
    undone = WeightedSample(-now.values[::-1], now.weights[::-1])
    yield _Transformation(CauseCode.SIGN_CHANGED, _sign_sentence(change), undone)


def _sign_sentence(change: ColumnChange) -> str:
    """Say how many numbers are negative, now and before."""
    now, before = change.now, change.before
    counts = count_in(now[Stat.NEGATIVES], now.n_values, "values")
    if math.isnan(now[Stat.NEGATIVES]) or math.isnan(before[Stat.NEGATIVES]):
        return "The numbers changed their sign."
    share_before = percent(before.per_value(Stat.NEGATIVES))
    return f"The numbers changed their sign: {counts} are negative; {share_before} before."


def _moved(
    change: ColumnChange, now: WeightedSample, before: WeightedSample
) -> Iterator[_Transformation]:
    differences: Floats = now.quantiles(_QUANTILES) - before.quantiles(_QUANTILES)
    offset = _rounded(differences)
    if not offset or not math.isfinite(offset):
        return
    direction = "larger" if offset > 0 else "smaller"
    sentence = (
        f"All numbers are about {abs(offset):,.10g} {direction} than before."
        f" {_medians(change, now, before)}"
    )
    undone = WeightedSample(now.values - offset, now.weights)
    yield _Transformation(CauseCode.OFFSET, sentence, undone)


def _rounded(differences: Floats) -> float:
    """Return the middle of differences, with no more digits than their spread allows."""
    middle = float(np.median(differences))
    if not middle or not math.isfinite(middle):
        return 0.0
    spread = float(np.median(np.abs(differences - middle)))
    allowed = max(spread, abs(middle) * 1e-3)
    for digits in range(1, 5):
        rounded = float(f"{middle:.{digits}g}")
        if abs(rounded - middle) <= allowed:
            return rounded
    return middle


def _medians(change: ColumnChange, now: WeightedSample, before: WeightedSample) -> str:
    median, median_before = (_four_digits(sample.median) for sample in (now, before))
    return f"The median is {change.format(median)}; {change.format(median_before)} before."


def _four_digits(value: float) -> float:
    """Round to four significant digits, and large numbers to a whole number.

    >>> [_four_digits(value) for value in (1848.7734, 16.0982, 0.0123456, 20001.95)]
    [1849.0, 16.1, 0.01235, 20002.0]
    """
    if not value or not math.isfinite(value):
        return value
    return round(value, max(0, 3 - math.floor(math.log10(abs(value)))))


def values_shifted(change: ColumnChange) -> Cause | None:
    """Describe a distribution that moved or became wider without a simple rule."""
    now, before = change.now.sample, change.before.sample
    if now is None or before is None or not now.total or not before.total:
        return None
    if sample_distance(now, before) < MIN_DISTANCE:
        return None
    if now.median == before.median:
        ends = [change.format(_four_digits(float(sample.quantiles(np.array([share]))[0])))
                for sample in (now, before) for share in (0.05, 0.95)]  # fmt: skip
        sentence = (
            f"The numbers are spread differently: most are between {ends[0]} and {ends[1]};"
            f" before, between {ends[2]} and {ends[3]}."
        )
    else:
        direction = "larger" if now.median > before.median else "smaller"
        sentence = f"The numbers are {direction} than before. {_medians(change, now, before)}"
    return Cause(CauseCode.VALUES_SHIFTED, sentence)


def restarted(change: ColumnChange) -> Cause | None:
    """Find a sequence of numbers that begins with 0 or 1 again."""
    now, before = change.now, change.before
    if now.sample is None or before.sample is None or not now.n_values >= _MIN_SEQUENCE:
        return None
    counts = [stats.holds_integers for stats in (now, before)]
    is_sequence = all(counts) and now.maximum - now.minimum < 2 * now.n_values
    goes_on = before.minimum > now.maximum and before.maximum - before.minimum < 2 * before.n_values
    if not is_sequence or not goes_on or now.minimum not in _FIRST_NUMBERS:
        return None
    sentence = (
        f"The sequence starts again with {now.minimum:.0f}; the batch before went from"
        f" {change.format(before.minimum)} to {change.format(before.maximum)}."
    )
    return Cause(CauseCode.SEQUENCE_RESTARTED, sentence, row_filter=f"{change.sql} IS NOT NULL")


def default_number(change: ColumnChange) -> Cause | None:
    """Find one number that many rows have now, and hardly any had before."""
    now, before = change.now.sample, change.before.sample
    if now is None or before is None or not now.total or not before.total:
        return None
    place = int(np.argmax(now.weights))
    value, share = float(now.values[place]), float(now.weights[place]) / now.total
    share_before = float(before.weights[before.values == value].sum()) / before.total
    if share - share_before < MIN_DEFAULT_SHARE or share_before > MIN_SHARE_CHANGE:
        return None
    others = WeightedSample(np.delete(now.values, place), np.delete(now.weights, place))
    if not others.total or sample_distance(others, before) > tolerance(others, before):
        return None
    sentence = (
        f"About {share * change.now.n_values:,.0f} of {change.now.n_values:,.0f} values"
        f" ({percent(share)}) are {change.format(value)}; {percent(share_before)} before."
        " Does it stand for missing values?"
    )
    return Cause(CauseCode.DEFAULT_ROSE, sentence, row_filter=f"{change.sql} = {value!r}")


def share_rose(
    name: str, code: CauseCode, noun: str, condition: str
) -> Callable[[ColumnChange], Cause | None]:
    """Return a rule for a kind of value whose share rose.

    Parameters
    ----------
    name
        The count in `ColumnStats.numbers`.
    code
        The cause.
    noun
        The values in words.
    condition
        The values as SQL: what follows the column's name.
    """

    def rule(change: ColumnChange) -> Cause | None:
        now = change.now
        share, share_before = now.per_value(name), change.before.per_value(name)
        if not share - share_before >= max(MIN_SHARE_CHANGE, share_before / 2):
            return None
        sentence = (
            f"{count_of(now[name], now.n_values, 'values')} are {noun} ({percent(share)});"
            f" {percent(share_before)} before."
        )
        return Cause(code, sentence, row_filter=f"{change.sql} {condition}")

    return rule
