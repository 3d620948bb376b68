"""Words and SQL conditions that several causes share."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from assay.analyzers.aggregate_expr import sql_string
from assay.checks.formatting import visible

__all__ = ["MAX_EXAMPLES", "one_of", "with_examples"]

#: values that a SQL condition lists at most
MAX_LISTED_VALUES = 100
MAX_EXAMPLES = 3


def with_examples(clause: str, values: Iterable[str], *, limit: int = MAX_EXAMPLES) -> str:
    """End a clause with values, quoted: all of them, or the first ones as examples.

    >>> with_examples("10 rows have a new value", ["a", "b", "c", "d"])
    "10 rows have a new value, such as 'a', 'b', 'c'."
    >>> with_examples("10 rows have a new value", ["a"])
    "10 rows have a new value: 'a'."
    """
    values = list(values)
    if not values:
        return f"{clause}."
    examples = ", ".join(repr(visible(value)) for value in values[:limit])
    return f"{clause}: {examples}." if len(values) <= limit else f"{clause}, such as {examples}."


def one_of(column: str, values: Collection[str]) -> str | None:
    """Return a condition for rows with one of the values; None for too many values.

    Parameters
    ----------
    column
        The column as SQL.
    values
        The values as text.

    Examples
    --------
    >>> print(one_of("status", ["lost", "it's"]))
    status IN ('lost', 'it\\'s')
    """
    if not values or len(values) > MAX_LISTED_VALUES:
        return None
    return f"{column} IN ({', '.join(map(sql_string, values))})"
