"""Features of values, as names: what a model learns from.

A value of input column 2 is the feature ``2=value``. Text has its words too (``2:word``, in lower
case), and is a feature as a whole only where it has few of them: long texts are all different. No
value is a value of its own, ``2?``.
"""

from __future__ import annotations

from assay.analyzers.aggregate_expr import sql_string
from assay.analyzers.schema import Column

__all__ = ["FEW_WORDS", "MOST_WORDS", "bucket_of", "has_words", "named", "words"]

#: of a longer text only so many words count, which bounds the states
MOST_WORDS = 64
#: a text of more words is not learnt as a whole
FEW_WORDS = 4

_GAPS = sql_string(r"[^\p{L}\p{M}\p{N}]+")
_TEXTUAL = frozenset({"string", "array", "struct", "map", "variant"})


def has_words(column: Column) -> bool:
    """Whether the text of its values is made of words."""
    return column.family in _TEXTUAL


def words(text: str) -> str:
    """The words of a text, in lower case."""
    found = f"filter(split(lower({text}), {_GAPS}), word -> word <> '')"
    return f"slice({found}, 1, {MOST_WORDS})"


def named(position: int, text: str, words: str | None) -> str:
    """The names of a value's features, given its text and the words of it, if it has any."""
    whole = f"array(concat('{position}=', {text}))"
    if words is not None:
        parts = f"transform({words}, word -> concat('{position}:', word))"
        whole = f"if(size({words}) <= {FEW_WORDS}, concat({whole}, {parts}), {parts})"
    return f"if({text} IS NULL, array('{position}?'), {whole})"


def bucket_of(name: str, buckets: int) -> str:
    """One of so many numbers for a name."""
    return f"pmod(xxhash64({name}), {buckets}L)"
