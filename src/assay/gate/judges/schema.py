"""The schema judge: is a batch still the same table?

A column that is gone, or of another kind, holds a batch; one that was renamed too, and is
recognised by what it holds. A new column, another order, text of which all values are written
otherwise than before, or a file that is, is worth a warning.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from assay.analyzers.schema import family
from assay.checks.formatting import visible
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.table_schema import TableSchema
from assay.learn.fingerprint import distances
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint, Pair
from assay.store.verdict import Decision

__all__ = ["NUMBERS", "SchemaJudge", "is_number", "judge_schema"]

#: two columns hold the same if they are at least so alike
_ALIKE = 0.7
#: of so many values nearly all look alike
_SEVERAL, _NEARLY_ALL = 5, 0.95
#: so many digits more or less are no longer the next number
_DIGITS = 2
_NUMBER, _DIGIT = re.compile(r"\d+"), re.compile(r"\d")
#: of longer values the beginning is shown
_LONG = 40
#: kinds of types that hold the same numbers
NUMBERS = frozenset({"integral", "fractional", "decimal"})


@dataclass(frozen=True)
class SchemaJudge:
    """Compares the columns of a batch with those of the last accepted batch."""

    name: str = "schema"
    holds_alone: bool = True
    spends_budget: bool = False

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return the columns that are gone, new, renamed, or of another type or format."""
        previous_schema = context.history.schema
        return judge_schema(batch.schema, previous_schema, batch.fingerprint, context.previous)


def judge_schema(
    now: TableSchema | None,
    before: TableSchema | None,
    batch: Fingerprint,
    last: Fingerprint | None,
) -> list[Finding]:
    """Return what has changed in the schema since the last accepted batch."""
    if now is None or before is None:
        return []
    then, types = dict(before.types), dict(now.types)
    gone = [name for name in then if name not in types]
    new = [name for name in types if name not in then]
    renamed = dict(_renamed(gone, new, batch, last))
    found: list[Finding] = []
    for name in gone:
        if name in renamed:
            to = renamed[name]
            does = "is called the same" if _plain(to) == _plain(name) else "holds the same"
            reason = f"the column is gone; {visible(to)} is new and {does}."
            found.append(_held(name, "gone", reason))
        else:
            found.append(_held(name, "gone", "the column is gone."))
    if gone and len(gone) == len(then):
        reason = f"none of its {len(then)} columns is there: this is another table."
        strength = float(len(gone) + 1)
        found = [Finding("schema", Decision.HOLD, reason, metric="table", strength=strength)]
    found += (
        _warned(name, "new", f"the column is new, of type {types[name]}.")
        for name in new
        if name not in renamed.values()
    )
    found += _retyped(then, types, batch)
    found += _reshaped(batch, last)
    kept = [name for name in before.names if name in types]
    order = [name for name in now.names if name in then]
    if kept != order:
        reason = "the columns come in another order."
        found.append(Finding("schema", Decision.WARN, reason, metric="order"))
    return found


def _held(column: str, change: str, reason: str) -> Finding:
    return Finding("schema", Decision.HOLD, reason, column, change, strength=1.0)


def _warned(column: str, change: str, reason: str) -> Finding:
    return Finding("schema", Decision.WARN, reason, column, change)


def _retyped(
    then: Mapping[str, str], types: Mapping[str, str], batch: Fingerprint
) -> Iterator[Finding]:
    for name, kind in types.items():
        before = then.get(name, kind)
        if before == kind:
            continue
        reason = f"the type is {kind} and was {before}."
        word = _word(batch.columns.get(name)) if family(before) in NUMBERS else None
        if word is not None:
            reason = f"values are no numbers any more, such as {visible(word)!r}."
        kinds = {family(kind), family(before)}
        # a reader that infers types gives a column without values any
        harmless = kinds <= NUMBERS or "void" in kinds or len(kinds) == 1
        yield _warned(name, "type", reason) if harmless else _held(name, "type", reason)


def _word(stats: ColumnStats | None) -> str | None:
    """The most frequent value that is no number; where shapes are unknown, values are hashes."""
    if stats is None or not stats.shape_counts:
        return None
    words = [each for each in stats.value_counts if each.strip() and not is_number(each)]
    found = max(words, key=stats.value_counts.__getitem__, default=None)
    return found if found is None or len(found) <= _LONG else f"{found[: _LONG - 1]}…"


def is_number(text: str) -> bool:
    """Whether text is a number, in whatever spelling.

    >>> [is_number(each) for each in ("-1.5e3", " 7", "NaN", "7,5", "EUR 7")]
    [True, True, True, False, False]
    """
    try:
        float(text)
    except ValueError:
        return False
    return True


def _reshaped(batch: Fingerprint, last: Fingerprint | None) -> Iterator[Finding]:
    """Text whose values all looked alike, and now look otherwise, such as dates."""
    for name, now in batch.columns.items():
        before = None if last is None else last.columns.get(name)
        if before is None or min(now["values"], before["values"]) < _SEVERAL:
            continue
        was = max(before.shape_counts, key=before.shape_counts.__getitem__, default=None)
        if was is None or before.shape_counts[was] < _NEARLY_ALL * before["values"]:
            continue
        share = now.shape_counts.get(was, 0) / now["values"]
        if now.shape_counts and share < 1 - _NEARLY_ALL:
            most = max(now.shape_counts, key=now.shape_counts.__getitem__)
            yield _looks(name, most, was)
        elif share >= _NEARLY_ALL and _resized(now, before, was.count("9")):
            yield _looks(name, _commonest(now), _commonest(before))


def _looks(column: str, now: str, before: str) -> Finding:
    looks = f"values look like {visible(now)!r} and looked like {visible(before)!r}."
    return _warned(column, "looks", looks)


def _resized(now: ColumnStats, before: ColumnStats, numbers: int) -> bool:
    """Whether a number within all values has at least two digits more, or less, than any had.

    What is counted on, as days are, gains or loses one digit at a time. Years lose two.
    """
    widths = [_widths(stats, numbers) for stats in (now, before)]
    return any(
        min(this) >= max(that) + _DIGITS or max(this) <= min(that) - _DIGITS
        for this, that in zip(*widths, strict=False)
    )


def _widths(stats: ColumnStats, numbers: int) -> list[set[int]]:
    """How many digits each of so many numbers within a value has; nothing where values are lost."""
    if stats.uncounted(stats.value_counts) > (1 - _NEARLY_ALL) * stats["values"]:
        return []
    found = [[len(each) for each in _NUMBER.findall(value)] for value in stats.value_counts]
    return [set(each) for each in zip(*(own for own in found if len(own) == numbers), strict=True)]


def _commonest(stats: ColumnStats) -> str:
    return _DIGIT.sub("9", max(stats.value_counts, key=stats.value_counts.__getitem__))


def _renamed(
    gone: Sequence[str], new: Sequence[str], batch: Fingerprint, last: Fingerprint | None
) -> Iterator[tuple[str, str]]:
    """Pairs of columns that hold the same, the most alike in that and in name first; each once."""
    if last is None:
        return
    pairs = [
        (_likeness(last.columns[old], batch.columns[name]), old, name)
        for old in gone
        for name in new
        if old in last.columns and name in batch.columns
    ]
    used: set[str] = set()
    pairs.sort(key=lambda each: (-each[0] - _called(each[1], each[2]), each[1], each[2]))
    for likeness, old, name in pairs:
        alike = likeness >= _ALIKE or _plain(old) == _plain(name)
        if alike and not {old, name} & used:
            used |= {old, name}
            yield old, name


def _called(before: str, now: str) -> float:
    """From 0 to 1: how far two names have the same letters; 2 if all are."""
    one, other = _plain(before), _plain(now)
    return 2.0 if one == other else SequenceMatcher(None, one, other).ratio()


def _plain(name: str) -> str:
    """Letters and digits alone, in whatever case."""
    return "".join(filter(str.isalnum, name.casefold()))


def _likeness(before: ColumnStats, now: ColumnStats) -> float:
    """From 0 to 1: how far two columns hold the same values, shapes or numbers."""
    if before.kind != now.kind:
        return 0.0
    pair = Pair(now, before)
    if now.kind == "numeric":
        found = 1 - distances.kolmogorov_smirnov(pair.cumulative_shares)
    else:
        values = (
            distances.l1(pair.value_counts)
            if now.mostly_counted and before.mostly_counted
            else math.inf
        )
        found = 1 - min(values, distances.l1(pair.shape_counts)) / 2
    return found if found == found else 0.0
