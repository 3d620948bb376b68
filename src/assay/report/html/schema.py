"""The columns of a batch beside those of the batch before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assay.gate.table_schema import TableSchema
from assay.report.html.markup import Html, data, element, joined
from assay.report.html.numbers import counted
from assay.report.html.page import table
from assay.report.html.size_budget import omitted, within

__all__ = ["differences"]

_ROOM = 50_000
_RETYPED = "another type"


def differences(now: TableSchema | None, before: TableSchema | None) -> Html:
    """A table of what has changed; a type that is not known has not."""
    if now is None:
        return element("p", "Nothing is known of its columns.")
    if before is None:
        number = counted(len(now.types), "column")
        return element("p", f"{number}; there is no batch before to compare them with.")
    types, then = dict(now.types), dict(before.types)
    changed = list(_changed(types, then))
    shared = [name for name in types if name in then]
    same = len(shared) - sum(what == _RETYPED for *_, what in changed)
    more = ""
    if shared != [name for name in then if name in types]:
        more += " The columns come in another order."
    if not all(types.values()):
        more += " Their types were not noted down."
    if not changed:
        return element("p", f"{counted(len(types), 'column')}, as in the batch before.{more}")
    rows, left = within(lambda each: _row(*each), changed, _ROOM)
    known = element("p", f"Unchanged: {counted(same, 'column')}.{more}", class_="quiet")
    heads = ("column", "before", "now", "what")
    return joined((table("Schema", heads, rows), known, omitted(left, "change")))


def _changed(
    types: Mapping[str, str], then: Mapping[str, str]
) -> Iterator[tuple[str, str, str, str]]:
    for name, kind in then.items():
        if name not in types:
            yield name, kind, "", "gone"
        elif kind and types[name] and kind != types[name]:
            yield name, kind, types[name], _RETYPED
    for name, kind in types.items():
        if name not in then:
            yield name, "", kind, "new"


def _row(name: str, before: str, now: str, what: str) -> Html:
    return element(
        "tr",
        element("th", data(name), scope="row"),
        element("td", before or "-"),
        element("td", now or "-"),
        element("td", what),
    )
