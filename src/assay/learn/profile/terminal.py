"""Print a profile in a terminal: one line for each column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.checks.formatting import count_noun, visible
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.summary import (
    HEADINGS,
    count_other_kinds,
    short_type,
    summarize,
)

if TYPE_CHECKING:
    from assay.learn.profile.profile import Profile

__all__ = ["print_profile"]


def print_profile(profile: Profile, out: Console) -> None:
    """Print a profile."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in HEADINGS:
        numeric = heading in {"complete", "distinct"}
        folded = heading in {"column", "values"}
        table.add_column(
            heading,
            justify="right" if numeric else "left",
            overflow="fold" if folded else "ellipsis",
        )
    for column in profile.values():
        name, _, complete, distinct, values = summarize(column)
        table.add_row(
            Text(visible(name), style="bold"),
            _type(column),
            Text(complete, style=_completeness_style(column)),
            distinct,
            Text(values),
        )
    out.print(table)
    out.print(f"\n{count_noun(len(profile), 'column')}, {count_noun(profile.rows, 'row')}")


def _type(column: ColumnProfile) -> Text:
    text = Text(visible(short_type(column)))
    other_kinds = count_other_kinds(column)
    if other_kinds is not None:
        text.append(f" of {column.kind}", style="cyan")
    if other_kinds:
        text.append(f" ({other_kinds:,} not)", style="yellow")
    return text


def _completeness_style(column: ColumnProfile) -> str:
    if not column.rows:
        return ""
    if column.nulls == 0:
        return "green"
    return "yellow" if column.present else "red"
