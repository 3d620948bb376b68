"""Suggest lengths of strings, and well-known formats."""

from __future__ import annotations

from collections.abc import Iterator

from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.constraint import Level
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.profile import Profile
from assay.learn.suggest.rules.rule import PLURALS, suggest_for
from assay.learn.suggest.suggestion import Suggestion
from assay.text import count_noun

__all__ = ["formats", "lengths"]

#: the most frequent shapes that must fit a format
_SHAPES = 5
_UUID_LENGTH = 36
#: the longest text of an IPv6 address
_MAX_IP_LENGTH = 45


def lengths(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """Suggest a fixed length; or that strings are not empty, and at most twice as long as now."""
    texts = column.texts
    if texts is None or column.kind in {"boolean", "date", "timestamp"}:
        return
    rows = column.present
    if texts.min_length == texts.max_length and column.distinct > 1:
        length = texts.min_length
        for method, bound in (("has_min_length", "at_least"), ("has_max_length", "at_most")):
            yield suggest_for(
                column,
                "fixed_length",
                ConstraintCall.of(method, column.name, **{bound: length}),
                f"all {rows:,} values have {count_noun(length, 'character')}",
                rows=rows,
            )
        return
    if texts.min_length >= 1:
        yield suggest_for(
            column,
            "not_empty",
            ConstraintCall.of("has_min_length", column.name, at_least=1),
            f"none of {rows:,} values is empty",
            rows=rows,
        )
    yield suggest_for(
        column,
        "max_length",
        ConstraintCall.of("has_max_length", column.name, at_most=2 * texts.max_length),
        f"the longest of {rows:,} values has {count_noun(texts.max_length, 'character')}",
        level=Level.WARNING,
        rows=rows,
    )


def formats(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """Suggest e-mail addresses, UUIDs, IP addresses and URLs, by the shapes of the values."""
    texts = column.texts
    if texts is None or texts.shapes is None or not texts.shapes.counts:
        return
    shapes = list(texts.shapes.counts)[:_SHAPES]
    likely = {
        "is_email": all("@" in shape and "." in shape for shape in shapes),
        "is_url": all("://" in shape for shape in shapes),
        "is_uuid": texts.min_length == texts.max_length == _UUID_LENGTH
        and all(shape.count("-") == 4 for shape in shapes),
        "is_ip_address": all(shape.count(".") == 3 or shape.count(":") > 1 for shape in shapes)
        and texts.max_length <= _MAX_IP_LENGTH
        and not any(" " in shape for shape in shapes),
    }
    for method, fits in likely.items():
        if fits:
            yield suggest_for(
                column,
                "formats",
                ConstraintCall.of(method, column.name),
                f"{column.present:,} values look like {PLURALS[method]}",
                rows=column.present,
            )
