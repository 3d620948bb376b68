"""Suggest patterns of strings, with or without the index of a lake (Auto-Validate)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.checks.constraint import Level
from assay.checks.pattern import Pattern, Token
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.profile import Profile
from assay.learn.suggest.rules.rule import ColumnRule, suggest_for
from assay.learn.suggest.suggestion import Suggestion

if TYPE_CHECKING:
    from assay.learn.patterns.index import PatternIndex

__all__ = ["pattern_rule", "patterns"]

#: classes that allow nearly any text
_WIDE_CLASSES = frozenset({"alphanum", "letter", "capitalised", "symbol", "all"})
#: fewer distinct values are better listed
_MIN_DISTINCT = 5


def pattern_rule(index: PatternIndex | None) -> ColumnRule:
    """Return a rule that suggests patterns of string columns.

    Parameters
    ----------
    index
        The index of a lake. A violation of a pattern that the lake knows is an error; of other
        patterns it is a warning.
    """

    def suggest_pattern(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
        # These import NumPy, which `import assay` does not need.
        from assay.learn.patterns.infer import infer
        from assay.learn.patterns.inferred import InferredPattern

        texts = column.texts
        if texts is None or texts.examples is None or column.kind in {"fractional", "boolean"}:
            return
        if column.kind == "integral" and not texts.leading_zeros:
            return
        values = {value: int(count) for value, count in texts.examples.counts.items()}
        inferred = infer(values, index) if len(values) >= _MIN_DISTINCT else None
        if not isinstance(inferred, InferredPattern) or not _is_specific(inferred.pattern):
            return
        lake = (
            f", as those of {inferred.coverage:,} columns of the lake" if inferred.coverage else ""
        )
        matching = inferred.rows - inferred.missed
        yield suggest_for(
            column,
            "patterns",
            inferred.constraint(column.name),
            f"{matching:,} of {inferred.rows:,} values are like {inferred.pattern}{lake}",
            level=Level.ERROR if inferred.coverage else Level.WARNING,
            rows=inferred.rows,
        )

    return suggest_pattern


def patterns(column: ColumnProfile, profile: Profile) -> Iterator[Suggestion]:
    """Suggest patterns without an index: by the classes of characters alone."""
    yield from pattern_rule(None)(column, profile)


def _is_specific(pattern: Pattern) -> bool:
    """Return whether a pattern has a visible constant, a length, or a narrow class."""
    return any(
        bool(piece.strip()) if isinstance(piece, str) else _is_narrow(piece)
        for pieces in pattern.alternatives
        for piece in pieces
    )


def _is_narrow(token: Token) -> bool:
    return token.kind not in _WIDE_CLASSES or token.count is not None
