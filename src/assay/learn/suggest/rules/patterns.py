"""The rule for what strings look like: patterns, as the lake knows them (auto-validate)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.checks.constraint import Level
from assay.checks.pattern import Pattern, Token
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.profile import Profile
from assay.learn.suggest.rules.rule import ColumnRule, said
from assay.learn.suggest.suggestion import Suggestion

if TYPE_CHECKING:
    from assay.learn.patterns.index import PatternIndex

__all__ = ["pattern_rule", "patterns"]

#: classes that say next to nothing
_WIDE = frozenset({"alphanum", "letter", "capitalised", "symbol", "all"})
#: fewer different values are better listed
_FEW = 5


def pattern_rule(index: PatternIndex | None) -> ColumnRule:
    """The rule with an index of the lake, by which a pattern is demanded and not just guessed."""

    def patterns(column: ColumnProfile, _: Profile) -> Iterator[Suggestion]:
        # NumPy is not for everybody who imports Assay
        from assay.learn.patterns.infer import infer
        from assay.learn.patterns.inferred import InferredPattern

        texts = column.texts
        if texts is None or texts.examples is None or column.kind in {"fractional", "boolean"}:
            return
        if column.kind == "integral" and not texts.leading_zeros:
            return
        values = {value: int(count) for value, count in texts.examples.counts.items()}
        learned = infer(values, index) if len(values) >= _FEW else None
        if not isinstance(learned, InferredPattern) or not _tells(learned.pattern):
            return
        of = f", as those of {learned.coverage:,} columns of the lake" if learned.coverage else ""
        match = learned.rows - learned.missed
        yield said(
            "patterns",
            column,
            learned.constraint(column.name),
            f"{match:,} of {learned.rows:,} values are like {learned.pattern}{of}",
            level=Level.ERROR if learned.coverage else Level.WARNING,
            rows=learned.rows,
        )

    return patterns


def patterns(column: ColumnProfile, profile: Profile) -> Iterator[Suggestion]:
    """What strings look like by their characters alone; see `pattern_rule`."""
    yield from pattern_rule(None)(column, profile)


def _tells(pattern: Pattern) -> bool:
    """Whether it says more than that there are words."""
    return any(
        bool(each.strip()) if isinstance(each, str) else _narrow(each)
        for pieces in pattern.alternatives
        for each in pieces
    )


def _narrow(token: Token) -> bool:
    return token.kind not in _WIDE or token.count is not None
