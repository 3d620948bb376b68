"""Causes about which values a column has: new, gone, renamed, default and repeated values."""

from __future__ import annotations

from assay.checks.formatting import percent, visible
from assay.gate.causes.cause import Cause, CauseCode, count_of
from assay.gate.causes.column_change import ColumnChange, distinct_share, total
from assay.gate.causes.wording import one_of, with_examples
from assay.learn.fingerprint.from_rows import Text

__all__ = [
    "constant", "default_text", "key_duplicated", "shares_moved", "value_renamed", "values_gone",
    "values_new",
]  # fmt: skip

#: smaller changes of a share are not worth a sentence
MIN_SHARE_CHANGE = 0.02
#: a missing value is reported if it was at least this share of the values ...
MIN_SHARE_OF_MISSING_VALUE = 0.1
#: ... in a column with at most this many distinct values
MAX_DISTINCT_VALUES = 30
#: a column of fewer values is often constant by chance
MIN_CONSTANT_VALUES = 5
#: a value is renamed if old and new share differ by less than this part
MAX_SHARE_DIFFERENCE = 0.3
#: one repeated value among few does not show that a key is broken
MIN_REPEATED_VALUES = 1.5
#: a key has at least this share of distinct values; sketches are not exact
MIN_DISTINCT_SHARE = 0.98
#: text that stands for a missing value, in lower case
DEFAULTS = frozenset(
    ("unknown", "none", "null", "nan", "n/a", "na", "nil", "-", "--", "?", "undefined", "missing",
     "not available", "not specified", "other", "tbd", "test", "default", "0", "-1", "999", "9999",
     "1970-01-01", "1900-01-01", "0001-01-01", "9999-12-31", "9999-99-99", "2000-01-01")
)  # fmt: skip


def constant(change: ColumnChange) -> Cause | None:
    """Find a column in which all values are equal now."""
    now = change.now
    if now.n_distinct != 1 or not change.before.n_distinct > 1:
        return None
    if now.n_values < MIN_CONSTANT_VALUES:
        return None
    if now.sample is not None:
        value = change.format(now.minimum)
    elif now.value_counts:
        value = repr(visible(next(iter(now.value_counts))))
    else:
        return None
    sentence = (
        f"{count_of(now.n_values, now.n_values, 'values')} are {value}; there were"
        f" {change.before.n_distinct:,.0f} different values before."
    )
    return Cause(CauseCode.CONSTANT, sentence, row_filter=f"{change.sql} IS NOT NULL")


def default_text(change: ColumnChange) -> Cause | None:
    """Find a value such as 'unknown' or 1970-01-01 that many more rows have than before."""
    if not change.have_counts:
        return None
    rises = {
        value: change.share(value) - change.share_before(value)
        for value in change.now.value_counts
        if value.strip().casefold().partition("t00:00")[0].partition(" 00:00")[0] in DEFAULTS
    }
    value = max(rises, key=rises.__getitem__, default=None)
    if value is None or rises[value] < max(MIN_SHARE_CHANGE, change.share_before(value) / 2):
        return None
    count = change.now.value_counts[value]
    sentence = (
        f"{count_of(count, change.now.n_values, 'values')} are {visible(value)!r}"
        f" ({percent(change.share(value))}); {percent(change.share_before(value))} before."
        " Does it stand for missing values?"
    )
    return Cause(CauseCode.DEFAULT_ROSE, sentence, row_filter=one_of(change.sql, [value]))


def value_renamed(change: ColumnChange) -> Cause | None:
    """Find a new value that has the rows of a value that is gone."""
    if not change.have_counts or change.before.n_distinct < 2:
        return None
    lost, new = change.lost_values(), change.new_values
    if not lost or not new or change.before.n_distinct > change.before.n_values / 2:
        return None
    if change.usually_has_new_values:
        return None
    if len(new) == len(change.now.value_counts):
        return None
    old_value, new_value = next(iter(lost)), next(iter(new))
    share, share_before = change.share(new_value), change.share_before(old_value)
    others = total(new) - new[new_value]
    if (
        share_before < MIN_SHARE_CHANGE
        or abs(share - share_before) > max(MAX_SHARE_DIFFERENCE * share_before, MIN_SHARE_CHANGE)
        or others > new[new_value] / 2
    ):
        return None
    sentence = (
        f"{visible(new_value)!r} is new and {visible(old_value)!r} is gone:"
        f" {count_of(new[new_value], change.now.n_values, 'rows')} now,"
        f" {lost[old_value]:,} of {change.before.n_values:,.0f} before. Was it renamed?"
    )
    return Cause(CauseCode.VALUE_RENAMED, sentence, row_filter=one_of(change.sql, [new_value]))


def values_new(change: ColumnChange) -> Cause | None:
    """Find values that no accepted batch had, in a column that seldom has new values."""
    if not change.is_recount:
        return None
    new_values = change.new_values
    n_rows, n_values = total(new_values), change.now.n_values
    if not n_rows or n_rows / n_values - change.usual_share_of_new_values < MIN_SHARE_CHANGE:
        return None
    no_batch = "no earlier batch had" if change.history.values else "the batch before did not have"
    have = "has" if n_rows == 1 else "have"
    rows = f"{count_of(n_rows, n_values, 'rows')} ({percent(n_rows / n_values)})"
    sentence = with_examples(f"{rows} {have} a value that {no_batch}", _strangest_first(change))
    return Cause(CauseCode.VALUES_NEW, sentence, row_filter=one_of(change.sql, new_values))


def _strangest_first(change: ColumnChange) -> list[str]:
    """Return the new values, those of a shape that no accepted batch had first."""
    values = list(change.new_values)
    shapes = Text.of(values).shapes() if change.new_shapes else [""] * len(values)
    shape_of = dict(zip(values, shapes, strict=True))
    return sorted(values, key=lambda value: shape_of[value] not in change.new_shapes)


def values_gone(change: ColumnChange) -> Cause | None:
    """Find a frequent value of the batch before that no row has now."""
    now, before = change.now, change.before
    if not now.value_counts or now.uncounted(now.value_counts):
        return None
    if not before.is_category(MAX_DISTINCT_VALUES) or change.usually_has_new_values:
        return None
    value = next(iter(change.lost_values()), None)
    if value is None or change.share_before(value) < MIN_SHARE_OF_MISSING_VALUE:
        return None
    if not change.is_usual(value):
        return None
    share = percent(change.share_before(value))
    sentence = f"No row has {visible(value)!r}; before, {share} of the rows had it."
    return Cause(CauseCode.VALUES_GONE, sentence)


def shares_moved(change: ColumnChange) -> Cause | None:
    """Find the value whose share changed most."""
    if not change.have_counts or not (change.now.mostly_counted and change.before.mostly_counted):
        return None
    values = change.now.value_counts.keys() & change.before.value_counts.keys()
    moves = {value: change.share(value) - change.share_before(value) for value in sorted(values)}
    value = max(moves, key=lambda value: abs(moves[value]), default=None)
    if value is None or abs(moves[value]) < MIN_SHARE_CHANGE:
        return None
    sentence = (
        f"The shares of values moved: {percent(change.share(value))} of the values are"
        f" {visible(value)!r}; {percent(change.share_before(value))} before."
    )
    return Cause(CauseCode.SHARES_MOVED, sentence, row_filter=one_of(change.sql, [value]))


def key_duplicated(change: ColumnChange) -> Cause | None:
    """Find repeated values in a column whose values were all different."""
    now, before = change.now, change.before
    if not min(now.n_values, before.n_values) >= MIN_CONSTANT_VALUES:
        return None
    share = 1 - distinct_share(now)
    if distinct_share(before) < MIN_DISTINCT_SHARE or not share >= MIN_SHARE_CHANGE:
        return None
    if not now.n_distinct > 1 or share * now.n_values < MIN_REPEATED_VALUES:
        return None
    twice = {value: count for value, count in now.value_counts.items() if count > 1}
    most_frequent = sorted(twice, key=lambda value: (-twice[value], value))
    sentence = with_examples(
        f"About {share * now.n_values:,.0f} of {now.n_values:,.0f} values ({percent(share)}) repeat"
        " another one; all were different before",
        most_frequent if change.may_quote else (),
    )
    row_filter = one_of(change.sql, twice) if change.may_quote else None
    return Cause(CauseCode.KEY_DUPLICATED, sentence, row_filter=row_filter)
