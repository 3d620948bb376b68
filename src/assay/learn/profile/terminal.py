"""A profile in a terminal: a line a column, the shape of its values in a few characters."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.analyzers.metric import Value
from assay.checks.formatting import format_value, visible
from assay.learn.profile.column_profile import ColumnProfile, Numbers

if TYPE_CHECKING:
    from assay.learn.profile.profile import Profile

__all__ = ["print_profile"]

_BARS = "▁▂▃▄▅▆▇█"
_MOST = 60


def print_profile(profile: Profile, out: Console) -> None:
    """Print it."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("column", overflow="fold")
    table.add_column("type")
    for heading in ("complete", "distinct"):
        table.add_column(heading, justify="right")
    table.add_column("values", overflow="fold")
    for each in profile.values():
        table.add_row(
            Text(visible(each.name), style="bold"),
            _type(each),
            _complete(each),
            "" if not each.present else f"{'' if each.exact else '≈ '}{each.distinct:,}",
            _values(each),
        )
    out.print(table)
    columns = "1 column" if len(profile) == 1 else f"{len(profile):,} columns"
    rows = "1 row" if profile.rows == 1 else f"{profile.rows:,} rows"
    out.print(f"\n{columns}, {rows}")


def _type(each: ColumnProfile) -> Text:
    short = each.type if len(each.type) <= 24 else each.type[:23] + "…"
    text = Text(visible(short))
    if each.texts is not None and each.kind not in {None, "string"}:
        total = sum(each.looks.values())
        other = total - sum(each.looks.get(kind, 0) for kind in _same(each.kind))
        text.append(f" of {each.kind}", style="cyan")
        if other:
            text.append(f" ({other:,} not)", style="yellow")
    return text


def _same(kind: str | None) -> tuple[str, ...]:
    return {"fractional": ("integral", "fractional"), "timestamp": ("date", "timestamp")}.get(
        kind or "", (kind or "",)
    )


def _complete(each: ColumnProfile) -> Text:
    if not each.rows:
        return Text("-")
    if each.nulls == 0:
        return Text("100 %", style="green")
    share = min(99.9, max(0.1, 100 * each.completeness)) if each.present else 0.0
    return Text(f"{share:.1f} %", style="yellow" if each.present else "red")


def _values(each: ColumnProfile) -> str:
    if not each.present:
        return "no values"
    if each.first is not None and each.last is not None:
        return f"{_moment(each, each.first)} … {_moment(each, each.last)}"
    few = each.exact and each.values is not None and len(each.values) <= 10
    if each.numbers is not None and not few:
        return _numbers(each.numbers)
    if each.values is not None and each.values.counts:
        return _top(each)
    if each.texts is not None:
        low, high = each.texts.min_length, each.texts.max_length
        length = f"{low} character" if low == high == 1 else f"{low} to {high} characters"
        shapes = each.texts.shapes
        like = f", like {visible(str(shapes.top))[:30]}" if shapes and shapes.top else ""
        return (f"{low} characters" if low == high != 1 else length) + like
    return ""


def _numbers(numbers: Numbers) -> str:
    middle = numbers.quantiles.get("0.5")
    ends = [_brief(numbers.minimum), *([] if middle is None else [_brief(middle)])]
    bars = "" if numbers.buckets is None else f"{_bars(numbers.buckets.counts.values())} "
    return f"{bars}{' … '.join([*ends, _brief(numbers.maximum)])}"


def _bars(counts: Iterable[float]) -> str:
    """A bar for each count; a bar for anything but nothing.

    >>> _bars([0, 1, 50, 100])
    ' ▁▄█'
    """
    heights = list(counts)
    most = max(heights, default=0)
    if not most:
        return ""
    return "".join(
        " " if not n else _BARS[max(0, round(n / most * len(_BARS)) - 1)] for n in heights
    )


def _top(each: ColumnProfile) -> str:
    assert each.values is not None
    parts: list[str] = []
    length = 0
    for label, count in each.values.counts.items():
        share = 100 * count / each.present
        part = f"{visible(_cut(label))} {share:.0f} %" if share >= 1 else visible(_cut(label))
        if parts and length + len(part) > _MOST:
            parts.append("…")
            break
        parts.append(part)
        length += len(part) + 2
    return ", ".join(parts)


def _cut(label: str) -> str:
    if not label.strip():
        return repr(label)
    return label if len(label) <= 24 else label[:23] + "…"


def _moment(each: ColumnProfile, value: Value) -> str:
    """Days that strings hold are kept as moments; nobody wants to see midnight."""
    return (
        str(value.date())
        if each.kind == "date" and isinstance(value, datetime)
        else format_value(value)
    )


def _brief(value: Value) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return f"{int(value):,}"
    return format_value(value)
