"""Suggest constraints for a table from its data (Deequ, VLDB 2018, sections 3.3, 4.2 and 5.3)."""

from assay.learn.suggest.names import uniqueness_of_name
from assay.learn.suggest.rules import RULES, Rule, all_rules, pattern_rule, per_column
from assay.learn.suggest.suggest import suggest
from assay.learn.suggest.suggestion import Suggestion, Suggestions
from assay.learn.suggest.thresholds import Thresholds

__all__ = [
    "RULES",
    "Rule",
    "Suggestion",
    "Suggestions",
    "Thresholds",
    "all_rules",
    "pattern_rule",
    "per_column",
    "suggest",
    "uniqueness_of_name",
]
