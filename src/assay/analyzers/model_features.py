"""Features of values, as names that a model learns from.

The value of input column 2 is the feature ``2=value``. A text also has its words as features
(``2:word``, in lower case). A text with many words has no feature for the whole text, since long
texts are all different. A missing value is the feature ``2?``.
"""

from __future__ import annotations

from assay.analyzers.aggregate_expr import sql_string
from assay.analyzers.schema import Column

__all__ = ["FEW_WORDS", "MOST_WORDS", "bucket_of", "has_words", "named", "words"]

#: words of a text that become features, which bounds the size of states
MOST_WORDS = 64
#: a text with more words has no feature for the whole text
FEW_WORDS = 4

_GAPS = sql_string(r"[^\p{L}\p{M}\p{N}]+")
_TEXTUAL = frozenset({"string", "array", "struct", "map", "variant"})


def has_words(column: Column) -> bool:
    """Return whether the values of a column are text with words."""
    return column.family in _TEXTUAL


def words(text: str) -> str:
    """Return SQL for the words of a text, in lower case."""
    all_words = f"filter(split(lower({text}), {_GAPS}), word -> word <> '')"
    return f"slice({all_words}, 1, {MOST_WORDS})"


def named(position: int, text: str, words: str | None) -> str:
    """Return SQL for the names of a value's features, from its text and the words of it, if any."""
    feature = f"array(concat('{position}=', {text}))"
    if words is not None:
        parts = f"transform({words}, word -> concat('{position}:', word))"
        feature = f"if(size({words}) <= {FEW_WORDS}, concat({feature}, {parts}), {parts})"
    return f"if({text} IS NULL, array('{position}?'), {feature})"


def bucket_of(name: str, buckets: int) -> str:
    """Return SQL for the bucket of a feature's name."""
    return f"pmod(xxhash64({name}), {buckets}L)"
