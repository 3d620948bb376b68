"""Rules for strings: how long they are, and formats that everybody knows."""

from __future__ import annotations

from collections.abc import Iterator

from assay.checks.codegen.constraint_call import ConstraintCall
from assay.checks.constraint import Level
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.profile import Profile
from assay.learn.suggest.rules.rule import PLURAL, said
from assay.learn.suggest.suggestion import Suggestion

__all__ = ["formats", "lengths"]


def lengths(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """Strings of one length stay so; others are not empty, and not twice as long as any."""
    texts = column.texts
    if texts is None or column.kind in {"boolean", "date", "timestamp"}:
        return
    rows = column.present
    if texts.min_length == texts.max_length and column.distinct > 1:
        length = texts.min_length
        for method, bound in (("has_min_length", "at_least"), ("has_max_length", "at_most")):
            yield said(
                "fixed_length",
                column,
                ConstraintCall.of(method, column.name, **{bound: length}),
                f"all {rows:,} values have {length} characters",
                rows=rows,
            )
        return
    if texts.min_length >= 1:
        yield said(
            "not_empty",
            column,
            ConstraintCall.of("has_min_length", column.name, at_least=1),
            f"none of {rows:,} values is empty",
            rows=rows,
        )
    yield said(
        "max_length",
        column,
        ConstraintCall.of("has_max_length", column.name, at_most=2 * texts.max_length),
        f"the longest of {rows:,} values has {texts.max_length:,} characters",
        level=Level.WARNING,
        rows=rows,
    )


def formats(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
    """E-mail addresses, UUIDs, IP addresses, web addresses: guessed by shape, then tried."""
    texts = column.texts
    if texts is None or texts.shapes is None or not texts.shapes.counts:
        return
    shapes = list(texts.shapes.counts)[:5]
    guesses = {
        "is_email": all("@" in shape and "." in shape for shape in shapes),
        "is_url": all("://" in shape for shape in shapes),
        "is_uuid": texts.min_length == texts.max_length == 36
        and all(shape.count("-") == 4 for shape in shapes),
        "is_ip_address": all(shape.count(".") == 3 or shape.count(":") > 1 for shape in shapes)
        and texts.max_length <= 45
        and not any(" " in shape for shape in shapes),
    }
    for method, likely in guesses.items():
        if likely:
            yield said(
                "formats",
                column,
                ConstraintCall.of(method, column.name),
                f"{column.present:,} values look like {PLURAL[method]}",
                rows=column.present,
            )
