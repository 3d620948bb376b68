"""Compare the columns of a batch with those of the previous batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assay.gate.table_schema import TableSchema
from assay.html.markup import Html, bidi_text, element, join
from assay.html.page import table
from assay.html.size_budget import fit, omission
from assay.report.number_format import counted

__all__ = ["schema_changes"]

_MAX_BYTES = 50_000
_NEW_TYPE = "other type"

Change = tuple[str, str, str, str]


def schema_changes(
    schema: TableSchema | None,
    previous: TableSchema | None,
    *,
    before: str = "the previous batch",
) -> Html:
    """Show a table of changed columns. Types that were not recorded count as unchanged."""
    if schema is None:
        return element("p", "The columns of this batch were not recorded.")
    are_types_known = all(type_name for _, type_name in schema.types)
    notes = "" if are_types_known else " The column types were not recorded."
    if previous is None:
        number = counted(len(schema.types), "column")
        return element(
            "p",
            f"{number}. There is no previous batch to compare with.{notes}",
        )
    types, types_before = dict(schema.types), dict(previous.types)
    changes = list(_changes(types, types_before))
    common = [name for name in types if name in types_before]
    n_unchanged = len(common) - sum(kind == _NEW_TYPE for *_, kind in changes)
    if common != [name for name in types_before if name in types]:
        notes = f" The order of the columns changed.{notes}"
    if not changes:
        return element("p", f"{counted(len(types), 'column')}, as in {before}.{notes}")
    rows, n_omitted = fit(_row, changes, _MAX_BYTES)
    unchanged = element("p", f"Unchanged: {counted(n_unchanged, 'column')}.{notes}", class_="quiet")
    titles = ("column", "before", "now", "change")
    return join((table("Schema", titles, rows), unchanged, omission(n_omitted, "change")))


def _changes(types: Mapping[str, str], types_before: Mapping[str, str]) -> Iterator[Change]:
    for name, type_before in types_before.items():
        if name not in types:
            yield name, type_before, "", "missing"
        elif type_before and types[name] and type_before != types[name]:
            yield name, type_before, types[name], _NEW_TYPE
    for name, type_now in types.items():
        if name not in types_before:
            yield name, "", type_now, "new"


def _row(change: Change) -> Html:
    name, type_before, type_now, kind = change
    return element(
        "tr",
        element("th", bidi_text(name), scope="row"),
        element("td", type_before or "-", data_title="before"),
        element("td", type_now or "-", data_title="now"),
        element("td", kind),
    )
