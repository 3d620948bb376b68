"""Print a profile in a terminal: one line for each column, and what is worth a look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.checks.formatting import count_noun, one_line, visible
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.column_summary import HEADINGS, count_other_kinds, summarize, type_text

if TYPE_CHECKING:
    from assay.learn.profile.observations import Observation
    from assay.learn.profile.profile import Profile

__all__ = ["MAX_COLUMNS", "print_observations", "print_profile"]

#: columns and observations that are printed
MAX_COLUMNS = 60
_MAX_OBSERVATIONS = 40


def print_profile(profile: Profile, out: Console, *, max_columns: int | None = MAX_COLUMNS) -> None:
    """Print the columns of a profile.

    Parameters
    ----------
    profile
        The profile.
    out
        The terminal.
    max_columns
        The number of columns to print; None prints all.
    """
    table = Table(box=None, pad_edge=False, header_style="dim")
    for heading in HEADINGS:
        numeric = heading in {"complete", "distinct"}
        folded = heading in {"column", "values"}
        table.add_column(
            heading,
            justify="right" if numeric else "left",
            overflow="fold" if folded else "ellipsis",
        )
    columns = list(profile.values())
    for column in columns[:max_columns]:
        name, _, complete, distinct, values = summarize(column)
        table.add_row(
            Text(visible(name), style="bold"),
            _type(column),
            Text(complete, style=_completeness_style(column)),
            distinct,
            Text(values),
        )
    out.print(table)
    n_more = 0 if max_columns is None else len(columns) - max_columns
    if n_more > 0:
        out.print(f"… and {count_noun(n_more, 'more column')} (--json and --html have all)")
    out.print(f"\n{count_noun(len(profile), 'column')}, {count_noun(profile.rows, 'row')}")


def print_observations(observations: Sequence[Observation], out: Console) -> None:
    """Print what is worth a look, if there is anything; equal observations are one line."""
    if not observations:
        return
    names_by_sentence: dict[str, list[str]] = {}
    for observation in observations:
        names_by_sentence.setdefault(observation.sentence, []).append(observation.column)
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column("", style="yellow")
    table.add_column("", overflow="fold", max_width=40)
    table.add_column("", overflow="fold")
    lines = list(names_by_sentence.items())
    for sentence, names in lines[:_MAX_OBSERVATIONS]:
        subject = ", ".join(filter(None, names)) or "table"
        table.add_row("!", Text(visible(subject), style="bold"), Text(one_line(sentence)))
    out.print("\nWorth a look", style="bold")
    out.print(table)
    n_more = len(lines) - _MAX_OBSERVATIONS
    if n_more > 0:
        out.print(f"… and {n_more:,} more (--json and --html have all)", style="dim")


def _type(column: ColumnProfile) -> Text:
    other_kinds = count_other_kinds(column)
    text = Text(visible(type_text(column)), style="" if other_kinds is None else "cyan")
    if other_kinds:
        text.append(f", {other_kinds:,} other", style="yellow")
    return text


def _completeness_style(column: ColumnProfile) -> str:
    if not column.rows:
        return ""
    if column.nulls == 0:
        return "green"
    return "yellow" if column.present else "red"
