"""The rules that suggest constraints: functions from a profile to suggestions.

A rule may be wrong: its suggestions are tested on rows that it has not seen. To add a rule, write
one module and one line in `RULES`. Other packages declare an entry point of the group
``assay.suggestion_rules``.
"""

from __future__ import annotations

from functools import partial

from assay.learn.suggest.rules.categories import categorical_range, fractional_categorical_range
from assay.learn.suggest.rules.codes import codes
from assay.learn.suggest.rules.column_pairs import derived, equal, ordered
from assay.learn.suggest.rules.freshness import fresh
from assay.learn.suggest.rules.numeric import centre, natural_range, non_negative, numeric_range
from assay.learn.suggest.rules.patterns import pattern_rule, patterns
from assay.learn.suggest.rules.presence import complete, retain_completeness, retain_type, unique
from assay.learn.suggest.rules.rule import ColumnRule, Rule, per_column
from assay.learn.suggest.rules.strings import formats, lengths
from assay.learn.suggest.thresholds import Thresholds
from assay.plugins import PluginError, load_plugins

__all__ = ["RULES", "ColumnRule", "Rule", "all_rules", "pattern_rule", "per_column"]


def _rules(thresholds: Thresholds) -> dict[str, Rule]:
    return {
        "complete": per_column(complete),
        "retain_completeness": per_column(partial(retain_completeness, thresholds=thresholds)),
        "retain_type": per_column(retain_type),
        "unique": per_column(partial(unique, thresholds=thresholds)),
        "codes": per_column(codes),
        "categorical_range": per_column(partial(categorical_range, thresholds=thresholds)),
        "fractional_categorical_range": per_column(
            partial(fractional_categorical_range, thresholds=thresholds)
        ),
        "formats": per_column(formats),
        "patterns": per_column(patterns),
        "natural_range": per_column(natural_range),
        "non_negative": per_column(non_negative),
        "numeric_range": per_column(numeric_range),
        "lengths": per_column(lengths),
        "centre": per_column(centre),
        "fresh": per_column(fresh),
        "equal": equal,
        "derived": derived,
        "ordered": ordered,
    }


#: the rules of Assay, by name
RULES: dict[str, Rule] = _rules(Thresholds())


def all_rules(thresholds: Thresholds | None = None) -> dict[str, Rule]:
    """Return the rules of Assay and those of installed packages.

    Parameters
    ----------
    thresholds
        The limits of the rules of Assay.

    Raises
    ------
    PluginError
        If a package's rule cannot be imported, or has the name of a rule of Assay.

    Examples
    --------
    >>> "unique" in all_rules()
    True
    """
    rules = dict(RULES) if thresholds is None else _rules(thresholds)
    for name, rule in load_plugins("assay.suggestion_rules"):
        if name in RULES:
            raise PluginError(
                f"the suggestion rule {name!r} of another package has the name of a rule of Assay."
                " Rename its entry point."
            )
        rules[name] = rule
    return rules
