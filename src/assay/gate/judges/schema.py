"""The judge of the schema: is a batch still the same table?

A column that is gone or renamed, or whose type is of another kind, holds the batch. A new column,
another order of columns, or text in another format is a warning. A renamed column is recognized by
its content.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from assay.analyzers.schema import family
from assay.checks.formatting import visible
from assay.gate.causes.cause import CauseCode
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.table_schema import TableSchema
from assay.learn.fingerprint import pair_distances
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint, Pair
from assay.store.verdict import Decision

__all__ = ["NUMBERS", "SchemaJudge", "is_number", "judge_schema"]

#: two columns have the same content if their similarity (0 to 1) is at least this
MIN_SIMILARITY = 0.7
#: a format is learned from at least this many values ...
MIN_VALUES = 5
#: ... if at least this share of them have it
MIN_FORMAT_SHARE = 0.95
#: a counter gains one digit at a time; a change of more digits is another format
MIN_DIGITS_CHANGED = 2
#: characters of a value that are shown
MAX_VALUE_LENGTH = 40
_NUMBER, _DIGIT = re.compile(r"\d+"), re.compile(r"\d")
#: families of types that hold the same numbers
NUMBERS = frozenset({"integral", "fractional", "decimal"})


@dataclass(frozen=True)
class SchemaJudge:
    """Compares the columns of a batch with those of the last accepted batch."""

    name: str = "schema"
    holds_alone: bool = True

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return the columns that are gone, new, renamed, or of another type or format."""
        previous_schema = context.history.schema
        return judge_schema(batch.schema, previous_schema, batch.fingerprint, context.previous)


def judge_schema(
    schema: TableSchema | None,
    schema_before: TableSchema | None,
    batch: Fingerprint,
    last: Fingerprint | None,
) -> list[Finding]:
    """Return the changes of the schema since the last accepted batch."""
    if schema is None or schema_before is None:
        return []
    types, types_before = dict(schema.types), dict(schema_before.types)
    gone = [name for name in types_before if name not in types]
    new = [name for name in types if name not in types_before]
    if gone and len(gone) == len(types_before):
        findings = [_other_table(len(gone))]
        renamed: dict[str, str] = {}
    else:
        renamed = dict(_renamed_columns(gone, new, batch, last))
        findings = [_gone_column(name, renamed.get(name)) for name in gone]
    findings += [
        _warning(name, "new", f"the column is new, of type {types[name]}.", CauseCode.COLUMN_NEW)
        for name in new
        if name not in renamed.values()
    ]
    findings += _changed_types(types, schema_before.known_types, batch)
    findings += _changed_formats(batch, last)
    order_before = [name for name in schema_before.names if name in types]
    order = [name for name in schema.names if name in types_before]
    if order_before != order:
        reason = "the columns are in another order."
        findings.append(
            Finding(
                "schema",
                Decision.WARN,
                reason,
                metric="order",
                cause_code=CauseCode.COLUMN_ORDER,
            )
        )
    return findings


def _other_table(n_columns: int) -> Finding:
    return Finding(
        "schema",
        Decision.HOLD,
        f"none of the {n_columns} columns exists any more: this is another table.",
        metric="table",
        severity=float(n_columns + 1),
        cause_code=CauseCode.OTHER_TABLE,
    )


def _gone_column(name: str, new_name: str | None) -> Finding:
    if new_name is None:
        return _hold(name, "gone", "the column is gone.", CauseCode.COLUMN_GONE)
    same = "the same name" if _letters(new_name) == _letters(name) else "the same content"
    reason = f"the column is gone; the new column {visible(new_name)} has {same}."
    return _hold(name, "gone", reason, CauseCode.COLUMN_RENAMED)


def _hold(column: str, change: str, reason: str, code: CauseCode) -> Finding:
    return Finding("schema", Decision.HOLD, reason, column, change, severity=1.0, cause_code=code)


def _warning(column: str, change: str, reason: str, code: CauseCode) -> Finding:
    return Finding("schema", Decision.WARN, reason, column, change, cause_code=code)


def _changed_types(
    types: Mapping[str, str], types_before: Mapping[str, str], batch: Fingerprint
) -> Iterator[Finding]:
    for name, column_type in types.items():
        type_before = types_before.get(name, column_type)
        if type_before == column_type:
            continue
        reason = f"the type is {column_type}; it was {type_before}."
        example = _text_example(batch.columns.get(name)) if family(type_before) in NUMBERS else None
        if example is not None:
            reason = f"values are no longer numbers, such as {visible(example)!r}."
        families = {family(column_type), family(type_before)}
        # a reader that infers types gives a column without values any type
        is_harmless = families <= NUMBERS or "void" in families or len(families) == 1
        make = _warning if is_harmless else _hold
        yield make(name, "type", reason, CauseCode.TYPE_CHANGED)


def _text_example(stats: ColumnStats | None) -> str | None:
    """Return the most frequent value that is not a number.

    A column without shapes is private, and its values are hashes: it has no example.
    """
    if stats is None or not stats.shape_counts:
        return None
    texts = [value for value in stats.value_counts if value.strip() and not is_number(value)]
    example = max(texts, key=stats.value_counts.__getitem__, default=None)
    if example is None or len(example) <= MAX_VALUE_LENGTH:
        return example
    return f"{example[: MAX_VALUE_LENGTH - 1]}…"


def is_number(text: str) -> bool:
    """Return whether text is a number in Python's notation, with spaces around it or not.

    >>> [is_number(text) for text in ("-1.5e3", " 7", "NaN", "7,5", "EUR 7")]
    [True, True, True, False, False]
    """
    try:
        float(text)
    except ValueError:
        return False
    return True


def _changed_formats(batch: Fingerprint, last: Fingerprint | None) -> Iterator[Finding]:
    """Report text whose values all had one format, and have another one now, such as dates."""
    for name, now in batch.columns.items():
        before = None if last is None else last.columns.get(name)
        if before is None or min(now.n_values, before.n_values) < MIN_VALUES:
            continue
        shape_before = max(before.shape_counts, key=before.shape_counts.__getitem__, default=None)
        if (
            shape_before is None
            or before.shape_counts[shape_before] < MIN_FORMAT_SHARE * before.n_values
        ):
            continue
        share = now.shape_counts.get(shape_before, 0) / now.n_values
        if now.shape_counts and share < 1 - MIN_FORMAT_SHARE:
            shape = max(now.shape_counts, key=now.shape_counts.__getitem__)
            yield _format_finding(name, shape, shape_before)
        elif share >= MIN_FORMAT_SHARE and _digits_changed(now, before, shape_before.count("9")):
            yield _format_finding(name, _most_frequent_shape(now), _most_frequent_shape(before))


def _format_finding(column: str, shape: str, shape_before: str) -> Finding:
    reason = f"values look like {visible(shape)!r}; before, they looked like"
    reason = f"{reason} {visible(shape_before)!r}."
    return _warning(column, "looks", reason, CauseCode.FORMAT_CHANGED)


def _digits_changed(now: ColumnStats, before: ColumnStats, n_numbers: int) -> bool:
    """Return whether a number within the values has gained or lost `MIN_DIGITS_CHANGED` digits.

    Counters and days gain or lose one digit at a time. Years lose two.
    """
    lengths, lengths_before = (_number_lengths(stats, n_numbers) for stats in (now, before))
    return any(
        min(lengths_now) >= max(lengths_then) + MIN_DIGITS_CHANGED
        or max(lengths_now) <= min(lengths_then) - MIN_DIGITS_CHANGED
        for lengths_now, lengths_then in zip(lengths, lengths_before, strict=False)
    )


def _number_lengths(stats: ColumnStats, n_numbers: int) -> list[set[int]]:
    """Return the digits that each number within a value has.

    Empty if the sketch has forgotten too many values.
    """
    if stats.uncounted(stats.value_counts) > (1 - MIN_FORMAT_SHARE) * stats.n_values:
        return []
    lengths = [[len(number) for number in _NUMBER.findall(value)] for value in stats.value_counts]
    complete = (numbers for numbers in lengths if len(numbers) == n_numbers)
    return [set(column) for column in zip(*complete, strict=True)]


def _most_frequent_shape(stats: ColumnStats) -> str:
    return _DIGIT.sub("9", max(stats.value_counts, key=stats.value_counts.__getitem__))


def _renamed_columns(
    gone: Sequence[str], new: Sequence[str], batch: Fingerprint, last: Fingerprint | None
) -> Iterator[tuple[str, str]]:
    """Pair columns that are gone with new ones of the same content or name, each at most once.

    The most similar pairs come first.
    """
    if last is None:
        return
    pairs = [
        (_content_similarity(last.columns[old], batch.columns[name]), old, name)
        for old in gone
        for name in new
        if old in last.columns and name in batch.columns
    ]
    pairs.sort(key=lambda pair: (-pair[0] - _name_similarity(pair[1], pair[2]), pair[1], pair[2]))
    paired: set[str] = set()
    for similarity, old, name in pairs:
        is_same = similarity >= MIN_SIMILARITY or _letters(old) == _letters(name)
        if is_same and not {old, name} & paired:
            paired |= {old, name}
            yield old, name


def _name_similarity(before: str, now: str) -> float:
    """Return 0 to 1 by how many letters two names share; 2 if they have the same letters."""
    letters_before, letters = _letters(before), _letters(now)
    if letters_before == letters:
        return 2.0
    return SequenceMatcher(None, letters_before, letters).ratio()


def _letters(name: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    return "".join(filter(str.isalnum, name.casefold()))


def _content_similarity(before: ColumnStats, now: ColumnStats) -> float:
    """Return 0 to 1 by how similar the values, shapes or numbers of two columns are."""
    if before.kind != now.kind:
        return 0.0
    pair = Pair(now, before)
    if now.kind == "numeric":
        similarity = 1 - pair_distances.kolmogorov_smirnov(pair.cumulative_shares)
    else:
        values = (
            pair_distances.l1(pair.value_counts)
            if now.mostly_counted and before.mostly_counted
            else math.inf
        )
        similarity = 1 - min(values, pair_distances.l1(pair.shape_counts)) / 2
    return 0.0 if math.isnan(similarity) else similarity
