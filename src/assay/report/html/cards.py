"""A card for each column: what it holds now, beside what it held in the batch before.

Of private columns it is told how full they are, and no value.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from assay.checks.formatting import whole_seconds
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint
from assay.report.html.distribution import distribution
from assay.report.html.markup import Html, data, element, joined
from assay.report.html.numbers import brief, share
from assay.report.html.size_budget import omitted, within
from assay.store.verdict import Decision

__all__ = ["Subject", "cards"]

#: cards of columns that nothing was found of
_UNREMARKABLE = 60
_TOP = 5
_ROOM = 250_000
_BADGES = {Decision.HOLD: ("bad", "✕ holds"), Decision.WARN: ("warn", "! warns")}


@dataclass(frozen=True)
class Subject:
    """A column now and before; `level` is the worst that was found of it."""

    name: str
    type: str
    now: ColumnStats | None
    before: ColumnStats | None = None
    level: Decision = Decision.ACCEPT
    private: bool = False


def cards(
    now: Fingerprint,
    before: Fingerprint | None,
    types: Mapping[str, str],
    levels: Mapping[str, Decision],
    private: Collection[str] = (),
) -> Html:
    """The cards, of columns with findings first; how many are left out is said."""
    past = {} if before is None else before.columns
    subjects = [
        Subject(
            name,
            types.get(name, ""),
            stats,
            past.get(name),
            levels.get(name, Decision.ACCEPT),
            name in private,
        )
        for name, stats in now.columns.items()
    ]
    found = [each for each in subjects if each.level is not Decision.ACCEPT]
    found.sort(key=lambda each: each.level is not Decision.HOLD)
    others = [each for each in subjects if each.level is Decision.ACCEPT]
    kept, left = within(card, [*found, *others[:_UNREMARKABLE]], _ROOM)
    left += len(others[_UNREMARKABLE:])
    return joined((element("div", *kept, class_="cards"), omitted(left, "column")))


def card(subject: Subject) -> Html:
    """One of them."""
    badge = _BADGES.get(subject.level)
    return element(
        "article",
        element(
            "h3",
            data(subject.name),
            element("span", badge[1], class_=f"badge {badge[0]}") if badge else None,
            element("span", "private", class_="badge") if subject.private else None,
        ),
        element("p", _kind(subject), class_="quiet"),
        _picture(subject),
        _numbers(subject),
        _frequent(subject),
        class_="card",
    )


def _kind(subject: Subject) -> str:
    if subject.type:
        return subject.type
    return "numbers" if subject.now is not None and subject.now.kind == "numeric" else "no numbers"


def _picture(subject: Subject) -> Html | None:
    if subject.private or subject.now is None:
        return None
    return distribution(
        subject.now.sample, None if subject.before is None else subject.before.sample
    )


def _numbers(subject: Subject) -> Html:
    now = dict(_told(subject.now, private=subject.private))
    before = dict(_told(subject.before, private=subject.private))
    head = element(
        "tr",
        element("td"),
        element("th", "now", scope="col"),
        element("th", "before", scope="col") if before else None,
    )
    rows = (
        element(
            "tr",
            element("th", name, scope="row"),
            element("td", value),
            element("td", before.get(name, "-")) if before else None,
        )
        for name, value in now.items()
    )
    return element("table", element("thead", head), element("tbody", *rows), class_="numbers")


def _told(stats: ColumnStats | None, *, private: bool) -> Iterator[tuple[str, str]]:
    if stats is None:
        return
    rows, values = stats["rows"], stats["values"]
    yield "nulls", share(rows - values, rows)
    yield "distinct", _whole(stats["distinct"])
    if stats.kind == "categorical":
        yield "empty", share(stats["empty"], values)
        yield "mean length", brief(stats.per_value("characters"))
    elif not private:
        quartiles = [math.nan] * 3
        if stats.sample is not None and stats.sample.total:
            quartiles = stats.sample.quantiles(np.array([0.25, 0.5, 0.75])).tolist()
        yield "mean", brief(stats.mean)
        yield "least", brief(stats["min"])
        yield from zip(("25%", "median", "75%"), map(brief, quartiles), strict=True)
        yield "greatest", brief(stats["max"])
        yield "zeros", share(stats["zeros"], values)


def _whole(value: float) -> str:
    return "-" if value != value else f"{value:,.0f}"


def _frequent(subject: Subject) -> Html | None:
    """The most frequent values of what is no number, or the shapes where values do not repeat."""
    stats = subject.now
    if stats is None or stats.kind == "numeric" or subject.private or not stats["values"]:
        return None
    few = stats.value_counts and stats["distinct"] <= stats["values"] / 2
    called, counts = ("value", stats.value_counts) if few else ("shape", stats.shape_counts)
    before: Mapping[str, int] = {}
    if subject.before is not None:
        before = subject.before.value_counts if few else subject.before.shape_counts
    if not counts:
        return None
    most = sorted(counts, key=lambda each: (-counts[each], each))[:_TOP]
    # what was frequent and is gone is news
    gone = sorted(before, key=lambda each: (-before[each], each))[:_TOP]
    listed = [*most, *(each for each in gone if each not in counts)]
    whole = stats["values"], math.nan if subject.before is None else subject.before["values"]
    head = element(
        "tr",
        element("th", called, scope="col"),
        element("th", "now", scope="col"),
        element("th", "before", scope="col") if before else None,
    )
    rows = (
        element(
            "tr",
            element("th", _value(each), scope="row"),
            element(
                "td", share(counts.get(each, 0), whole[0]), _bar(counts.get(each, 0), whole[0])
            ),
            element("td", share(before.get(each, 0), whole[1]), _bar(before.get(each, 0), whole[1]))
            if before
            else None,
        )
        for each in listed
    )
    return element("table", element("thead", head), element("tbody", *rows), class_="values")


def _value(value: str) -> Html:
    return data(whole_seconds(value), 40) if value else element("i", "empty")


def _bar(part: float, whole: float) -> Html | None:
    if not whole or whole != whole:
        return None
    width = f"{min(1.0, part / whole):.1%}"
    return element(
        "svg", element("rect", width=width, height="100%"), class_="bar", aria_hidden="true"
    )
