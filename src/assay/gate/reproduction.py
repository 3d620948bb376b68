"""The SQL that shows a finding again, on the batch itself, and which rows it is about.

>>> print(reproduction("e-mail", "complete_ratio"))
SELECT count(`e-mail`) / nullif(count(*), 0) FROM batch
>>> print(selection("e-mail", "complete_ratio", 0.5, 0.98, 1.0))
`e-mail` IS NULL
"""

from __future__ import annotations

from assay.analyzers.literal import read_names
from assay.analyzers.schema import quote
from assay.gate.table_causes import risen_nulls
from assay.learn.fingerprint.facts import Fingerprint

__all__ = ["null_rows", "reproduction", "selection"]

#: an expression for each metric, of history's names and of novelty's
_EXPRESSIONS = {
    ("complete_ratio", "completeness"): "count({c}) / nullif(count(*), 0)",
    ("min",): "min({c})",
    ("max",): "max({c})",
    ("mean",): "avg({c})",
    ("sum",): "sum({c})",
    ("median", "q50"): "percentile({c}, 0.5)",
    ("q25",): "percentile({c}, 0.25)",
    ("q75",): "percentile({c}, 0.75)",
    ("sd",): "stddev_pop({c})",
    ("range",): "max({c}) - min({c})",
    ("zero_ratio", "zeros"): "count_if({c} = 0) / nullif(count({c}), 0)",
    ("negative_ratio", "negatives"): "count_if({c} < 0) / nullif(count({c}), 0)",
    ("integers",): "count_if({c} = rint({c})) / nullif(count({c}), 0)",
    ("str_len", "length"): "avg(length({c}))",
    ("empty_ratio",): "count_if({c} = '') / nullif(count({c}), 0)",
    ("dist_val_count", "distinct"): "count(DISTINCT {c})",
    ("unique_ratio", "distinct ratio"): "count(DISTINCT {c}) / nullif(count({c}), 0)",
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


def reproduction(column: str | None, metric: str | None, rows: str | None = None) -> str | None:
    """A query over ``batch``; of what compares values, the values and how often each occurs.

    Of a share of the table's rows, which are told by the condition `rows`, it is that share.
    """
    if column is None:
        if rows is not None:
            return f"SELECT count_if({rows}) / nullif(count(*), 0) FROM batch"  # noqa: S608
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


def null_rows(batch: Fingerprint, last: Fingerprint | None) -> str | None:
    """The condition of the rows whose combination of nulls became more frequent by the most.

    Of the other columns it names those that are null beside these in other rows. None where that
    cannot be said: no combination did, or its names are too many to be remembered.
    """
    most = None if last is None else risen_nulls(batch, last)
    if most is None:
        return None
    names = read_names(most)
    if not batch.columns.keys() >= set(names):
        return None
    seen = map(read_names, batch.nulls)
    more = {name for each in seen if set(each) > set(names) for name in each} - set(names)
    return " AND ".join(
        [
            *(f"{quote(name)} IS NULL" for name in names),
            *(f"{quote(name)} IS NOT NULL" for name in batch.columns if name in more),
        ]
    )
