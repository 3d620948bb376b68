"""Show the limits that were learned from history, and how many false alarms they may raise."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from assay.checks.formatting import counted_batches
from assay.html.markup import Html, bidi_text, element, join
from assay.html.page import table
from assay.html.size_budget import fit, omission
from assay.learn.limits.column_limits import ColumnLimits
from assay.report.html.privacy import is_value_metric
from assay.report.number_format import false_alarms

__all__ = ["limits_table"]

_MAX_BYTES = 70_000


def limits_table(
    limits: Sequence[ColumnLimits],
    n_batches: int,
    *,
    approved_by: str | None = None,
    private: Collection[str] = (),
) -> Html:
    """Show a row per column with its limits.

    Parameters
    ----------
    limits
        The limits of each column, and of the table.
    n_batches
        Number of batches from which they were learned.
    approved_by
        The person who approved them.
    private
        Columns whose limits on values are withheld.
    """
    columns = [column for column in limits if column.constraints]
    if not columns:
        return element("p", "No limits are learned yet.")
    rate = math.fsum(column.rate for column in limits)
    allowed = math.fsum(column.delta for column in limits)
    origin = f"approved by {approved_by}" if approved_by else "learned"
    summary = (
        f"These limits, {origin} from {counted_batches(n_batches)}, raise {false_alarms(rate)}."
        f" The budget allows {false_alarms(allowed)}."
    )
    constant_rate = math.fsum(column.constant_rate for column in columns)
    if constant_rate:
        summary += f" Limits on constant metrics raise {false_alarms(constant_rate)} more."
    rows, n_omitted = fit(lambda column: _row(column, private), columns, _MAX_BYTES)
    titles = ("column", "limits", "false alarms")
    parts = (element("p", summary), table("Limits", titles, rows), omission(n_omitted, "column"))
    return join(parts)


def _row(column: ColumnLimits, private: Collection[str]) -> Html:
    is_private = column.column in private
    sentences = [
        element(
            "li",
            "a limit on a private value"
            if is_private and is_value_metric(limit.metric)
            else str(limit),
        )
        for limit in column.constraints
    ]
    rates = false_alarms(column.rate)
    if column.constant_rate:
        rates += f", and {false_alarms(column.constant_rate)} on constant metrics"
    name = "table" if column.column is None else bidi_text(column.column)
    return element(
        "tr",
        element("th", name, scope="row"),
        element("td", element("ul", *sentences)),
        element("td", rates),
    )
