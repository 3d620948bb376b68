"""Words and SQL conditions that several causes share."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from assay.analyzers.aggregate_expr import sql_string
from assay.checks.formatting import visible

__all__ = ["MAX_EXAMPLES", "one_of", "quoted_examples"]

#: values that a SQL condition lists at most
MAX_LISTED_VALUES = 100
MAX_EXAMPLES = 3


def quoted_examples(values: Iterable[str], *, limit: int = MAX_EXAMPLES) -> str:
    """Return the first values, quoted.

    >>> quoted_examples(["a", "b", "c", "d"])
    "such as 'a', 'b', 'c'"
    >>> quoted_examples(["a"])
    "'a'"
    """
    values = list(values)
    examples = ", ".join(repr(visible(value)) for value in values[:limit])
    return examples if len(values) <= limit else f"such as {examples}"


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
