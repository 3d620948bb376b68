"""The rules: from the profile of a table to what could be demanded of it.

Each is a function under its name in `RULES`; users add theirs. A rule may be wrong: whatever it
suggests is tried on rows that it has not seen.
"""

from __future__ import annotations

from assay.learn.suggest.rules.categories import (
    categorical_range,
    codes,
    fractional_categorical_range,
)
from assay.learn.suggest.rules.freshness import fresh
from assay.learn.suggest.rules.numeric import centre, natural_range, non_negative, numeric_range
from assay.learn.suggest.rules.pairs import derived, equal, ordered
from assay.learn.suggest.rules.patterns import pattern_rule, patterns
from assay.learn.suggest.rules.presence import complete, retain_completeness, retain_type, unique
from assay.learn.suggest.rules.rule import ColumnRule, Rule, per_column
from assay.learn.suggest.rules.strings import formats, lengths

__all__ = ["RULES", "ColumnRule", "Rule", "pattern_rule", "per_column"]

_COLUMN_RULES: tuple[ColumnRule, ...] = (
    complete,
    retain_completeness,
    retain_type,
    unique,
    codes,
    categorical_range,
    fractional_categorical_range,
    formats,
    patterns,
    natural_range,
    non_negative,
    numeric_range,
    lengths,
    centre,
    fresh,
)

#: all rules, by name
RULES: dict[str, Rule] = {
    **{rule.__name__: per_column(rule) for rule in _COLUMN_RULES},
    **{rule.__name__: rule for rule in (equal, derived, ordered)},
}
