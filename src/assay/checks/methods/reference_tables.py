"""Demands on a table beside another one, which `verify` is given under the name used here.

>>> from assay import Check
>>> orders = Check("orders").refers_to("customer_id", "customers", "id").agrees_with("backup", "id")
>>> for constraint in orders.constraints:
...     print(constraint)
ReferentialIntegrity(customer_id, table='customers', to=['id']) == 1.0
DatasetMatch('backup', ['id']) == 1.0
"""

from __future__ import annotations

from typing import Any, Self, Unpack

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.literal import render_name
from assay.analyzers.matches import (
    AggregateMatch,
    DatasetMatch,
    ReferentialIntegrity,
    RowCountMatch,
)
from assay.analyzers.structure import TableSchemaMatch
from assay.checks.builder import CheckBuilder, Columns, Options, Verbatim, names
from assay.errors import CheckError

__all__ = ["ReferenceTableMethods"]


class ReferenceTableMethods(CheckBuilder):
    """Compare with other tables: ``verify(df, check, reference_tables={"customers": other})``.

    A check holds no data, only the other table's name. Where it is not given, the demand could not
    be evaluated. `where` selects rows of the verified table; select those of the other before it
    is given.
    """

    def refers_to(
        self, columns: Columns, table: str, to: Columns = (), **options: Unpack[Options]
    ) -> Self:
        """Every key occurs in the other table: in the columns `to`, or in those of the same names.

        As with a foreign key of SQL, a null in a key violates nothing, and does not count.
        """
        key, there = names((columns,)), names((to,))
        shown = [*key, Verbatim(f"{_name(table)}({', '.join(map(_name, there or key))})")]
        arguments = [key, table, there]
        return self._add(
            "refers_to", ReferentialIntegrity, arguments, options, shown=shown, equals=1.0
        )

    def agrees_with(
        self, table: str, keys: Columns, columns: Columns = (), **options: Unpack[Options]
    ) -> Self:
        """Both tables have the same rows under every key: in these columns, or in all they share.

        A key that only one of them has does not agree, nor one that it has more often. A null
        equals a null. `Result.failing` are the rows here that have no partner there, and
        `Result.missing` those there that have none here.
        """
        key, compared = names((keys,)), names((columns,))
        shown = [table, Verbatim(f"[{', '.join(map(_name, key))}]"), *compared]
        arguments = [table, key, compared]
        return self._add("agrees_with", DatasetMatch, arguments, options, shown=shown, equals=1.0)

    def has_row_count_of(self, table: str, **options: Unpack[Options]) -> Self:
        """The number of rows is that of the other table; with bounds, their ratio."""
        return self._add("has_row_count_of", RowCountMatch, [table], options, equals=1.0)

    def has_aggregate_of(
        self,
        expression: str,
        table: str,
        other_expression: str | None = None,
        **options: Unpack[Options],
    ) -> Self:
        """An aggregate expression is the same in the other table; with bounds, their ratio.

        A sum of doubles depends on the order of the rows: give it bounds, or sum decimals.
        """

        def aggregate(where: str | None) -> Analyzer:
            for each in given:
                if not isinstance(each, str) or not each.strip():
                    raise CheckError(f"an aggregate of Spark SQL is expected, not {each!r}")
            return AggregateMatch(expression, table, other_expression, where=where)

        given: list[Any] = [expression, *([] if other_expression is None else [other_expression])]
        shown = [Verbatim(expression), table, *map(Verbatim, given[1:])]
        return self._add("has_aggregate_of", aggregate, [], options, shown=shown, equals=1.0)

    def has_schema_of(
        self,
        table: str,
        *,
        exact: bool = True,
        order: bool = False,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> Self:
        """The columns are those of the other table, by name and type; no job.

        Unless `exact`, there may be more; `order` and `nullable` count too if asked for.
        """
        flags = {"more columns": not exact, "in order": order, "and nullable": nullable}
        shown: list[object] = [table, *(Verbatim(name) for name, on in flags.items() if on)]
        arguments = [table, exact, order, nullable]
        return self._add(
            "has_schema_of", TableSchemaMatch, arguments, options, shown=shown, equals=1.0
        )


def _name(name: object) -> str:
    return render_name(name) if isinstance(name, str) else str(name)
