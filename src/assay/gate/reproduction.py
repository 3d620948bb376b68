"""The SQL that shows a finding again, on the batch itself, and which rows it is about.

>>> print(reproduction("e-mail", "complete_ratio"))
SELECT count(`e-mail`) / count(*) FROM batch
>>> print(selection("e-mail", "complete_ratio", 0.5, 0.98, 1.0))
`e-mail` IS NULL
"""

from __future__ import annotations

from assay.analyzers.schema import quote

__all__ = ["reproduction", "selection"]

#: an expression for each metric, of history's names and of novelty's
_EXPRESSIONS = {
    ("complete_ratio", "completeness"): "count({c}) / count(*)",
    ("min",): "min({c})",
    ("max",): "max({c})",
    ("mean",): "avg({c})",
    ("sum",): "sum({c})",
    ("median", "q50"): "percentile({c}, 0.5)",
    ("q25",): "percentile({c}, 0.25)",
    ("q75",): "percentile({c}, 0.75)",
    ("sd",): "stddev_pop({c})",
    ("range",): "max({c}) - min({c})",
    ("zero_ratio", "zeros"): "count_if({c} = 0) / count({c})",
    ("negative_ratio", "negatives"): "count_if({c} < 0) / count({c})",
    ("integers",): "count_if({c} = rint({c})) / count({c})",
    ("str_len", "length"): "avg(length({c}))",
    ("empty_ratio",): "count_if({c} = '') / count({c})",
    ("dist_val_count", "distinct"): "count(DISTINCT {c})",
    ("unique_ratio", "distinct ratio"): "count(DISTINCT {c}) / count({c})",
    ("digit_len", "digits"): "avg(regexp_count({c}, '[0-9]'))",
    ("char_len", "letters"): "avg(regexp_count({c}, '[A-Za-z]'))",
}
_BY_METRIC = {name: sql for names, sql in _EXPRESSIONS.items() for name in names}
#: the rows that lower a metric, and those that raise it
_LOWERED = {
    **dict.fromkeys(("complete_ratio", "completeness"), "{c} IS NULL"),
    "min": "{c} < {low!r}",
    "integers": "{c} <> rint({c})",
}
_RAISED = {
    "max": "{c} > {high!r}",
    **dict.fromkeys(("zero_ratio", "zeros"), "{c} = 0"),
    **dict.fromkeys(("negative_ratio", "negatives"), "{c} < 0"),
    "empty_ratio": "{c} = ''",
}


def reproduction(column: str | None, metric: str | None) -> str | None:
    """A query over ``batch``; of what compares values, the values and how often each occurs."""
    if column is None:
        return "SELECT count(*) FROM batch" if metric in ("row_count", "rows") else None
    quoted = quote(column)
    if metric in _BY_METRIC:
        return f"SELECT {_BY_METRIC[metric].format(c=quoted)} FROM batch"  # noqa: S608 - to be read
    return f"SELECT {quoted}, count(*) FROM batch GROUP BY 1 ORDER BY 2 DESC"  # noqa: S608


def selection(
    column: str | None,
    metric: str | None,
    observed: float | None,
    low: float | None,
    high: float | None,
) -> str | None:
    """The condition of the rows that carry a metric out of its limits; None if all of them do."""
    if column is None or metric is None or observed is None:
        return None
    found = None
    if low is not None and observed < low:
        found = _LOWERED.get(metric)
    elif high is not None and observed > high:
        found = _RAISED.get(metric)
    return None if found is None else found.format(c=quote(column), low=low, high=high)
