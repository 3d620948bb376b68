"""What history lets demand of a batch, and how many false alarms each demand may raise."""

from __future__ import annotations

import math
from collections.abc import Collection

from assay.checks.assertions.expectation import NotEnough
from assay.checks.formatting import format_value
from assay.learn.limits.column_limits import ColumnLimits
from assay.learn.limits.table_limits import TableLimits
from assay.report.html.markup import Html, data, element, joined
from assay.report.html.numbers import share
from assay.report.html.page import table
from assay.report.html.privacy import reveals
from assay.report.html.size_budget import omitted, within

__all__ = ["rules"]

_ROOM = 80_000


def rules(program: TableLimits, private: Collection[str] = ()) -> Html:
    """A row a column: its rules, and what they cost of the budget."""
    programs = [each for each in program if each.constraints]
    if not programs:
        return element("p", _nothing(program))
    cost = math.fsum(each.rate for each in program)
    may = math.fsum(each.delta for each in program)
    word = f"approved by {program.by}" if program.by else f"learned from {program.batches} batches"
    constant = math.fsum(each.constant_rate for each in programs)
    more = (
        f" Those on what never changed may raise {format_value(constant)} more." if constant else ""
    )
    told = (
        f"These rules, {word}, may raise {format_value(cost)} false alarms a batch,"
        f" {share(cost, may)} of the {format_value(may)} that they are given.{more}"
    )
    rows, left = within(lambda each: _row(each, private), programs, _ROOM)
    heads = ("column", "rules", "false alarms")
    return joined((element("p", told), table("Rules", heads, rows), omitted(left, "column")))


def _row(program: ColumnLimits, private: Collection[str]) -> Html:
    hidden = program.column in private
    sentences = [
        element("li", "a limit that is not shown" if hidden and reveals(each.metric) else str(each))
        for each in program.constraints
    ]
    own = program.constant_rate
    more = f", and {format_value(own)} for what never changed" if own else ""
    return element(
        "tr",
        element("th", "the table" if program.column is None else data(program.column), scope="row"),
        element("td", element("ul", *sentences)),
        element("td", f"{format_value(program.rate)}{more}"),
    )


def _nothing(program: TableLimits) -> str:
    waiting = [each for each in program.programs.values() if isinstance(each, NotEnough)]
    if waiting:
        return f"Nothing is demanded yet: {waiting[0]}."
    return "Nothing is demanded yet."
