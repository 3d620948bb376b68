"""Show the limits that were learned from history, and how many false alarms they may raise."""

from __future__ import annotations

import math
from collections.abc import Collection

from assay.checks.assertions.expectation import NotEnough
from assay.checks.formatting import counted_batches
from assay.learn.limits.column_limits import ColumnLimits
from assay.learn.limits.table_limits import TableLimits
from assay.report.html.markup import Html, bidi_text, element, join
from assay.report.html.numbers import false_alarms
from assay.report.html.page import table
from assay.report.html.privacy import is_value_metric
from assay.report.html.size_budget import fit, omission

__all__ = ["limits_table"]

_MAX_BYTES = 80_000


def limits_table(limits: TableLimits, private: Collection[str] = ()) -> Html:
    """Show a row per column with its limits. Limits on values of private columns are withheld."""
    columns = [column for column in limits if column.constraints]
    if not columns:
        return element("p", _why_empty(limits))
    rate = math.fsum(column.rate for column in limits)
    allowed = math.fsum(column.delta for column in limits)
    origin = (
        f"approved by {limits.by}"
        if limits.by
        else f"learned from {counted_batches(limits.batches)}"
    )
    summary = (
        f"These limits, {origin}, raise {false_alarms(rate)}."
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


def _why_empty(limits: TableLimits) -> str:
    waiting = [column for column in limits.columns.values() if isinstance(column, NotEnough)]
    if waiting:
        return f"No limits are learned yet: {waiting[0]}."
    return "No limits are learned yet."
