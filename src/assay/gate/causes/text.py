"""Causes about how text is written: case, spaces, cut text, decimal commas, another format.

>>> from assay.learn.fingerprint.from_rows import column_stats, strings
>>> before, now = column_stats(strings(["9E", "AA"] * 9)), column_stats(strings(["9e", "aa"] * 9))
>>> print(case_changed(ColumnChange("carrier", now, before)).sentence)
Upper case became lower case: '9E' is now '9e'. All 18 rows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping

from assay.analyzers.aggregate_expr import sql_string
from assay.checks.formatting import percent, visible
from assay.gate.causes.cause import Cause, CauseCode, count_in, count_of
from assay.gate.causes.column_change import ColumnChange, total
from assay.gate.causes.wording import MAX_EXAMPLES, one_of, with_examples
from assay.learn.fingerprint import pair_distances
from assay.learn.fingerprint.column_stats import ColumnStats, Pair, Stat
from assay.learn.fingerprint.from_rows import Text

__all__ = [
    "case_changed",
    "decimal_comma",
    "form_new",
    "format_changed",
    "spaces_changed",
    "text_cut",
]

#: smaller changes of a share are not worth a sentence
MIN_SHARE_CHANGE = 0.02
#: respelled values are at most this many times more frequent than before
MAX_SHARE_RATIO = 3.0
#: the most frequent shape changed if its share rose by this much
MIN_SHAPE_SHARE_CHANGE = 0.3
#: columns with a smaller share of distinct values are categories
MIN_DISTINCT_SHARE = 0.5
#: the case changed if it explains at least half of this distance of shapes
MIN_SHAPE_DISTANCE = 0.1
#: text is cut if this share of the values was longer before ...
MIN_CUT_SHARE = 0.1
#: ... and if this part of the longer values has the greatest length now
MIN_PART_AT_LIMIT = 0.6
#: a column has one form if this share of its values has the same shape
MIN_SHARE_OF_FORM = 0.9
#: shorter texts are codes with a greatest length
MIN_CUT_LENGTH = 4
_COMMA = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+),\d+")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


def case_changed(change: ColumnChange) -> Cause | None:
    """Find letters whose case changed, by the values or by their shapes."""
    changed = _respelled(change, str.casefold)
    if changed is None:
        return _case_of_shapes(change)
    value, value_before, _ = changed
    if value == value_before.lower():
        turned = "Upper case became lower case"
    elif value == value_before.upper():
        turned = "Lower case became upper case"
    else:
        turned = "The case of letters changed"
    return _respelling(CauseCode.CASE_CHANGED, turned, change, changed)


def _case_of_shapes(change: ColumnChange) -> Cause | None:
    now, before = change.now, change.before
    # the values of a category show whether they are respelled
    is_repeated = before.per_value(Stat.DISTINCT) < MIN_DISTINCT_SHARE
    is_category = is_repeated and not change.usually_has_new_values
    if is_category or not now.shape_counts or not before.shape_counts:
        return None
    if (replaced := _replaced_shapes(change)) is not None:
        looked = f"values that looked like {visible(replaced[1])!r} look like"
        n_rows = total(change.new_shapes)
        sentence = (
            f"The case of letters changed: {looked} {visible(replaced[0])!r}."
            f" {count_of(n_rows, now.n_values, 'values')}."
        )
        return Cause(CauseCode.CASE_CHANGED, sentence)
    folded = [
        ColumnStats("categorical", stats.numbers, shape_counts=_folded(stats.shape_counts))
        for stats in (now, before)
    ]
    distance = pair_distances.l1(Pair(now, before).shape_counts)
    without_case = pair_distances.l1(Pair(*folded).shape_counts)
    share = _share_with(str.isupper, now), _share_with(str.isupper, before)
    if not distance >= 2 * MIN_SHAPE_DISTANCE or not without_case <= distance / 2:
        return None
    if abs(share[0] - share[1]) < MIN_SHAPE_DISTANCE:
        return None
    shape = max(now.shape_counts, key=now.shape_counts.__getitem__)
    shape_before = max(before.shape_counts, key=before.shape_counts.__getitem__)
    looked = f"most values look like {visible(shape)!r}; before, like {visible(shape_before)!r}"
    return Cause(CauseCode.CASE_CHANGED, f"The case of letters changed: {looked}.")


def _replaced_shapes(change: ColumnChange) -> tuple[str, str] | None:
    """Return a new shape and an earlier one if new shapes replace those of another case."""
    new = change.new_shapes
    if total(new) < MIN_SHARE_CHANGE * change.now.n_values:
        return None
    earlier_shapes = {_fold(shape): shape for shape in change.history.shapes}
    kept = {_fold(shape) for shape in change.now.shape_counts if shape not in new}
    if not all(_fold(shape) in earlier_shapes and _fold(shape) not in kept for shape in new):
        return None
    shape = next(iter(new))
    return shape, earlier_shapes[_fold(shape)]


def _folded(shapes: Mapping[str, int]) -> dict[str, int]:
    """Count shapes without regard to case."""
    counts: Counter[str] = Counter()
    for shape, count in shapes.items():
        counts[_fold(shape)] += count
    return dict(counts)


def _fold(shape: str) -> str:
    """Return a shape without case. A capital and its word become one run."""
    return re.sub("a+", "a", shape.lower())


def _share_with(test: Callable[[str], bool], stats: ColumnStats) -> float:
    counted = stats.shape_counts
    return total({s: n for s, n in counted.items() if any(map(test, s))}) / max(1, total(counted))


def spaces_changed(change: ColumnChange) -> Cause | None:
    """Find spaces around values."""
    changed = _respelled(change, str.strip)
    if changed is not None:
        return _respelling(
            CauseCode.SPACES_CHANGED, "Spaces around values changed", change, changed
        )
    now, before = _share_of_spaced(change.now), _share_of_spaced(change.before)
    if abs(now - before) < MIN_SHAPE_SHARE_CHANGE:
        return None
    sentence = f"{percent(now)} of the values have spaces around them; {percent(before)} before."
    row_filter = f"{change.sql} <> trim({change.sql})" if now > before else None
    return Cause(CauseCode.SPACES_CHANGED, sentence, row_filter=row_filter)


def _share_of_spaced(stats: ColumnStats) -> float:
    spaced = {s: n for s, n in stats.shape_counts.items() if s != s.strip()}
    return total(spaced) / max(1, total(stats.shape_counts))


_Respelled = tuple[str, str, dict[str, int]]


def _respelled(change: ColumnChange, normalize: Callable[[str], str]) -> _Respelled | None:
    """Return an example of a value now and before, and the counts of such values."""
    if not change.have_counts:
        return None
    new_values = change.new_values
    normalized = {normalize(v): v for v in (*change.history.values, *change.before.value_counts)}
    respelled = {v: count for v, count in new_values.items() if normalize(v) in normalized}
    n_rows = total(respelled)
    needed = max(MIN_SHARE_CHANGE * change.now.n_values, 0.5 * total(new_values))
    if not respelled or n_rows < needed:
        return None
    # a rare value with another spelling that took over has another cause
    forms = set(map(normalize, respelled))
    earlier = {v: n for v, n in change.before.value_counts.items() if normalize(v) in forms}
    share, share_before = (
        total(counts) / max(1.0, stats.n_values)
        for counts, stats in ((respelled, change.now), (earlier, change.before))
    )
    if earlier and share > MAX_SHARE_RATIO * share_before + MIN_SHARE_CHANGE:
        return None
    example = min(respelled)
    return example, normalized[normalize(example)], respelled


def _respelling(code: CauseCode, turned: str, change: ColumnChange, respelled: _Respelled) -> Cause:
    value, value_before, counts = respelled
    sentence = (
        f"{turned}: {visible(value_before)!r} is now {visible(value)!r}."
        f" {count_of(total(counts), change.now.n_values, 'rows')}."
    )
    return Cause(code, sentence, row_filter=one_of(change.sql, counts))


def text_cut(change: ColumnChange) -> Cause | None:
    """Find text that is cut after some number of characters."""
    # only strings have shapes: true and false are not cut text
    if not change.have_counts or not change.now.shape_counts:
        return None
    lengths, lengths_before = _lengths(change.now), _lengths(change.before)
    limit = max(lengths, default=0)
    n_values, n_before = max(1, total(change.now.value_counts)), total(change.before.value_counts)
    at_limit = lengths[limit] / n_values
    longer = sum(n for length, n in lengths_before.items() if length > limit) / max(1, n_before)
    usual = lengths_before[limit] / max(1, n_before)
    if limit < MIN_CUT_LENGTH or longer < MIN_CUT_SHARE:
        return None
    if at_limit - usual < MIN_PART_AT_LIMIT * longer or _has_another_form(change):
        return None
    sentence = (
        f"Text is cut after {limit:,} characters:"
        f" {count_in(lengths[limit], change.now.n_values, 'values')} have exactly {limit:,}, and no"
        f" value is longer. Before, {percent(longer)} were longer."
    )
    row_filter = f"length({change.sql}) = {limit}"
    return Cause(CauseCode.TEXT_CUT, sentence, row_filter=row_filter)


def _has_another_form(change: ColumnChange) -> bool:
    """Return whether values of one form now begin with another form: they are not cut."""
    form, form_before = _form(change.now), _form(change.before)
    return form is not None and form_before is not None and not form_before.startswith(form)


def _form(stats: ColumnStats) -> str | None:
    """Return the shape that nearly all values of a column have, if there is one."""
    shape = max(stats.shape_counts, key=stats.shape_counts.__getitem__, default=None)
    if shape is None or stats.shape_counts[shape] < MIN_SHARE_OF_FORM * stats.n_values:
        return None
    return shape


def _lengths(stats: ColumnStats) -> Counter[int]:
    lengths: Counter[int] = Counter()
    for value, count in stats.value_counts.items():
        lengths[len(value)] += count
    return lengths


def decimal_comma(change: ColumnChange) -> Cause | None:
    """Find numbers that are written with a comma instead of a point."""
    counts = change.now.value_counts
    if change.now.kind == "numeric" or not change.now.shape_counts:
        return None
    with_comma = {value: n for value, n in counts.items() if _COMMA.fullmatch(value)}
    others = [v for v in counts if v not in with_comma and not _NUMBER.fullmatch(v)]
    if not with_comma or others or total(with_comma) < MIN_SHAPE_SHARE_CHANGE * total(counts):
        return None
    if any(map(_COMMA.fullmatch, change.before.value_counts)):
        return None
    if change.before.kind == "categorical" and not any(
        map(_NUMBER.fullmatch, change.before.value_counts)
    ):
        return None
    example = max(with_comma, key=with_comma.__getitem__)
    sentence = (
        f"Numbers are written with a decimal comma, such as {visible(example)!r}."
        f" {count_of(total(with_comma), change.now.n_values, 'values')}."
    )
    return Cause(CauseCode.DECIMAL_COMMA, sentence, row_filter=f"{change.sql} LIKE '%,%'")


def format_changed(change: ColumnChange) -> Cause | None:
    """Find values whose most frequent shape is another one."""
    now, before = change.now, change.before
    if not now.shape_counts or not before.shape_counts:
        return None
    shape = max(now.shape_counts, key=now.shape_counts.__getitem__)
    shape_before = max(before.shape_counts, key=before.shape_counts.__getitem__)
    share = now.shape_counts[shape] / max(1.0, now.n_values)
    share_before = before.shape_counts.get(shape, 0) / max(1.0, before.n_values)
    if shape == shape_before or share - share_before < MIN_SHAPE_SHARE_CHANGE:
        return None
    # known values of other shapes became more frequent
    if change.is_recount and change.share_of_new_values < MIN_SHARE_CHANGE:
        return None
    sentence = (
        f"The format changed: {count_in(now.shape_counts[shape], now.n_values, 'values')}"
        f" look like {visible(_example(now, shape))!r}; before, most looked like"
        f" {visible(_example(before, shape_before))!r}."
    )
    row_filter = f"{change.sql} RLIKE {sql_string(_regex(shape))}"
    return Cause(CauseCode.FORMAT_CHANGED, sentence, row_filter=row_filter)


def _example(stats: ColumnStats, shape: str) -> str:
    """Return the most frequent value of a shape; the shape if no such value is known."""
    counts = stats.value_counts
    of_shape = zip(counts, Text.of(list(counts)).shapes(), strict=True)
    values = [value for value, value_shape in of_shape if value_shape == shape]
    return max(values, key=lambda value: (counts[value], value), default=shape)


def form_new(change: ColumnChange) -> Cause | None:
    """Find values of a shape that no accepted batch had."""
    if not change.now.shape_counts or not change.before.shape_counts:
        return None
    shapes = change.new_shapes
    n_rows, n_values = total(shapes), change.now.n_values
    if not n_rows or n_rows / n_values - change.usual_share_of_new_shapes() < MIN_SHARE_CHANGE:
        return None
    counts = change.now.value_counts
    of_shape = zip(counts, Text.of(list(counts)).shapes(), strict=True)
    values = [value for value, shape in of_shape if shape in shapes]
    examples = sorted(values, key=lambda value: (-counts[value], value)) or list(shapes)
    no_batch = "no earlier batch had" if change.history.shapes else "the batch before did not have"
    have = "has" if n_rows == 1 else "have"
    values_of_rows = f"{count_of(n_rows, n_values, 'values')} ({percent(n_rows / n_values)})"
    sentence = with_examples(f"{values_of_rows} {have} a form that {no_batch}", examples)
    patterns = "|".join(map(_regex, list(shapes)[:MAX_EXAMPLES]))
    row_filter = f"{change.sql} RLIKE {sql_string(patterns)}"
    if len(shapes) > MAX_EXAMPLES:
        row_filter = one_of(change.sql, values) or row_filter
    return Cause(CauseCode.VALUES_NEW, sentence, row_filter=row_filter)


def _regex(shape: str) -> str:
    """Return a regular expression of Java for the values of a shape.

    >>> print(_regex("9/9"))
    ^\\p{Nd}+/\\p{Nd}+\\z
    """
    signs = {"9": r"\p{Nd}+", "A": r"[\p{Lu}\p{Lt}]+", "a": r"[\p{L}&&[^\p{Lu}\p{Lt}]]+"}
    return "^" + "".join(signs.get(sign) or re.escape(sign) for sign in shape) + r"\z"
