"""Constraints that compare a table with another one.

`verify` gets the other tables under the names that the constraints use.

>>> from assay import Check
>>> orders = Check("orders").refers_to("customer_id", "customers", "id").agrees_with("backup", "id")
>>> for constraint in orders.constraints:
...     print(constraint)
refers_to(customer_id, customers(id)): expected 100 %
agrees_with(backup, [id]): expected 100 %
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
from assay.checks.builder import CheckBuilder, Columns, Verbatim, column_names
from assay.checks.constraint_method import constraint_method
from assay.checks.constraint_options import Options
from assay.errors import CheckError

__all__ = ["ReferenceTableMethods"]

_EQUAL = {"equals": 1.0}


class ReferenceTableMethods(CheckBuilder):
    """Compare with other tables: ``verify(df, check, reference_tables={"customers": other})``.

    A check holds the name of the other table, and no data. A constraint whose table is not passed
    cannot be evaluated. `where` selects rows of the verified table; filter the other table before
    you pass it.
    """

    @constraint_method(
        default=_EQUAL, formula="rows whose key exists in the other table / rows with a key"
    )
    def refers_to(
        self, columns: Columns, table: str, to: Columns = (), **options: Unpack[Options]
    ) -> Self:
        """Require every key to occur in another table.

        A key with a null is ignored, as with a foreign key in SQL.

        Parameters
        ----------
        columns
            The key: one column or several.
        to
            The columns of the other table; those with the names of the key if omitted.

        Examples
        --------
        >>> Check("orders").refers_to("customer_id", "customers", "id")
        Check('orders', 1 constraint)
        """
        key, there = column_names((columns,)), column_names((to,))
        target = Verbatim(f"{_show_name(table)}({', '.join(map(_show_name, there or key))})")
        arguments = [key, table, there]
        return self._add(
            "refers_to", ReferentialIntegrity, arguments, options, shown=[*key, target]
        )

    @constraint_method(default=_EQUAL, formula="keys that agree / keys of both tables")
    def agrees_with(
        self, table: str, keys: Columns, columns: Columns = (), **options: Unpack[Options]
    ) -> Self:
        """Require two tables to have the same rows under every key.

        Nulls are equal. A key that occurs in one table only, or more often in one table, violates
        the constraint.

        Parameters
        ----------
        keys
            The key: one column or several.
        columns
            The columns that are compared; all common columns if omitted.

        Notes
        -----
        `Result.failing` returns the rows of this table without a partner, and `Result.missing`
        those of the other table.

        Examples
        --------
        >>> Check("orders").agrees_with("backup", "order_id", ["status", "amount"])
        Check('orders', 1 constraint)
        """
        key, compared = column_names((keys,)), column_names((columns,))
        shown = [table, Verbatim(f"[{', '.join(map(_show_name, key))}]"), *compared]
        return self._add("agrees_with", DatasetMatch, [table, key, compared], options, shown=shown)

    @constraint_method(default=_EQUAL, formula="rows / rows of the other table")
    def has_row_count_of(self, table: str, **options: Unpack[Options]) -> Self:
        """Require as many rows as another table has.

        Examples
        --------
        >>> Check("orders").has_row_count_of("backup", between=(0.99, 1.01))
        Check('orders', 1 constraint)
        """
        return self._add("has_row_count_of", RowCountMatch, [table], options)

    @constraint_method(default=_EQUAL, formula="value / value of the other table")
    def has_aggregate_of(
        self,
        expression: str,
        table: str,
        other_expression: str | None = None,
        **options: Unpack[Options],
    ) -> Self:
        """Require an aggregate expression to have the same value in another table.

        Aggregates of Spark SQL ignore nulls. The constraint cannot be evaluated if one of the two
        values is null.

        Parameters
        ----------
        expression
            An aggregate of Spark SQL, such as ``sum(amount)``.
        other_expression
            The aggregate of the other table, if it has other columns.
        where
            Refused: write ``FILTER (WHERE ...)`` in the expression.

        Notes
        -----
        A sum of doubles depends on the order of the rows: give it bounds, or sum decimals.

        Examples
        --------
        >>> Check("orders").has_aggregate_of("sum(amount)", "backup", between=(0.999, 1.001))
        Check('orders', 1 constraint)
        """

        def aggregate(where: str | None) -> Analyzer:
            for text in expressions:
                if not isinstance(text, str) or not text.strip():
                    raise CheckError.unexpected(
                        "invalid expression", "an aggregate of Spark SQL", text
                    )
            return AggregateMatch(expression, table, other_expression, where=where)

        expressions: list[Any] = [expression]
        if other_expression is not None:
            expressions.append(other_expression)
        shown = [Verbatim(expression), table, *map(Verbatim, expressions[1:])]
        return self._add("has_aggregate_of", aggregate, [], options, shown=shown)

    @constraint_method(
        default=_EQUAL, about_schema=True, formula="equal columns / columns compared"
    )
    def has_schema_of(
        self,
        table: str,
        *,
        exact: bool = True,
        order: bool = False,
        nullable: bool = False,
        **options: Unpack[Options],
    ) -> Self:
        """Require the columns of another table, by name and type. Reads no data.

        Parameters
        ----------
        exact
            True if further columns violate the constraint.
        order
            True if the columns must have the same order.
        nullable
            True if the columns must agree in whether they allow nulls.

        Examples
        --------
        >>> Check("orders").has_schema_of("backup", exact=False)
        Check('orders', 1 constraint)
        """
        flags = {"more columns": not exact, "in order": order, "and nullable": nullable}
        shown: list[object] = [table, *(Verbatim(name) for name, is_set in flags.items() if is_set)]
        arguments = [table, exact, order, nullable]
        return self._add("has_schema_of", TableSchemaMatch, arguments, options, shown=shown)


def _show_name(name: object) -> str:
    return render_name(name) if isinstance(name, str) else str(name)
