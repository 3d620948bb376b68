"""Constraints on rows, columns, missing values and freshness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Self, Unpack

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.counting import Completeness, Compliance, Size
from assay.analyzers.custom import CustomSql
from assay.analyzers.extremes import Freshness
from assay.analyzers.structure import ColumnCount, ColumnExists, SchemaMatch
from assay.checks.builder import CheckBuilder, Columns, Verbatim, column_names
from assay.checks.constraint_method import constraint_method
from assay.checks.constraint_options import Options
from assay.checks.sql import not_null
from assay.errors import CheckError

__all__ = ["CompletenessMethods"]

_ALL_ROWS = {"equals": 1.0}


class CompletenessMethods(CheckBuilder):
    """Size, schema, completeness and freshness of a table; bounds on any analyzer."""

    @constraint_method(formula="value of the analyzer")
    def has(self, analyzer: Analyzer, **options: Unpack[Options]) -> Self:
        """Require the metric of any analyzer to lie within bounds.

        Parameters
        ----------
        analyzer
            The metric. Its own ``where`` selects rows.
        where
            Refused: write the condition in the analyzer.

        Examples
        --------
        >>> from assay.analyzers import Maximum
        >>> Check("orders").has(Maximum("amount", where="paid"), at_most=10_000)
        Check('orders', 1 constraint)
        """

        def refuse_where(where: str | None) -> Analyzer:
            if where is not None:
                raise CheckError("`where` is not supported here: write it in the analyzer")
            return analyzer

        if not isinstance(analyzer, Analyzer):
            raise CheckError.unexpected(
                f"{self.name}: has", "an analyzer, such as Mean('amount')", analyzer
            )
        shown = [Verbatim(replace(analyzer, where=None).key)]
        return self._add("has", refuse_where, [], options, shown=shown)

    @constraint_method(formula="number of rows")
    def has_size(self, **options: Unpack[Options]) -> Self:
        """Require the number of rows to lie within bounds.

        Examples
        --------
        >>> Check("orders").has_size(at_least=1)
        Check('orders', 1 constraint)
        """
        return self._add("has_size", Size, [], options)

    @constraint_method(
        default={"equals": 1}, about_schema=True, formula="1 if the column exists, otherwise 0"
    )
    def has_column(self, column: str, **options: Unpack[Options]) -> Self:
        """Require the table to have a column.

        Examples
        --------
        >>> Check("orders").has_column("order_id")
        Check('orders', 1 constraint)
        """
        return self._add("has_column", ColumnExists, [column], options)

    @constraint_method(about_schema=True, formula="number of top-level columns")
    def has_column_count(self, **options: Unpack[Options]) -> Self:
        """Require the number of columns to lie within bounds.

        Examples
        --------
        >>> Check("orders").has_column_count(equals=12)
        Check('orders', 1 constraint)
        """
        return self._add("has_column_count", ColumnCount, [], options)

    @constraint_method(
        default=_ALL_ROWS,
        about_schema=True,
        formula="columns that exist with their type / expected columns",
    )
    def matches_schema(
        self, expected: Mapping[str, str], *, exact: bool = False, **options: Unpack[Options]
    ) -> Self:
        """Require columns to have types.

        Parameters
        ----------
        expected
            Spark SQL type of each column, such as ``{"id": "bigint"}``.
        exact
            True if further columns violate the constraint.

        Examples
        --------
        >>> Check("orders").matches_schema({"id": "bigint", "amount": "decimal(10,2)"})
        Check('orders', 1 constraint)
        """
        types: object = expected
        if not isinstance(types, Mapping) or not types:
            form = "types by column, such as {'id': 'bigint'}"
            raise CheckError.unexpected(f"{self.name}: matches_schema", form, expected)
        shown = [Verbatim(f"{name}: {type_name}") for name, type_name in types.items()]
        arguments = [tuple(types.items()), exact]
        return self._add("matches_schema", SchemaMatch, arguments, options, shown=shown)

    @constraint_method(default=_ALL_ROWS, formula="values that are not null / rows")
    def is_complete(self, *columns: Columns, **options: Unpack[Options]) -> Self:
        """Require columns to have no nulls. Adds one constraint per column.

        Notes
        -----
        NaN and empty strings are values.

        Examples
        --------
        >>> Check("orders").is_complete("order_id", "status")
        Check('orders', 2 constraints)
        """
        if not column_names(columns):
            raise CheckError.unexpected(f"{self.name}: is_complete()", "at least one column", ())
        return self._add_all(
            *(
                lambda check, column=column: check._add(
                    "is_complete", Completeness, [column], options
                )
                for column in column_names(columns)
            )
        )

    @constraint_method(formula="values that are not null / rows")
    def has_completeness(self, column: str, **options: Unpack[Options]) -> Self:
        """Require the share of rows that are not null to lie within bounds.

        Examples
        --------
        >>> Check("orders").has_completeness("email", at_least=0.9)
        Check('orders', 1 constraint)
        """
        return self._add("has_completeness", Completeness, [column], options)

    @constraint_method(default=_ALL_ROWS, formula="rows without a null in these columns / rows")
    def are_all_complete(self, *columns: Columns, **options: Unpack[Options]) -> Self:
        """Require every row to have a value in all of several columns.

        Examples
        --------
        >>> Check("orders").are_all_complete("street", "city", at_least=0.95)
        Check('orders', 1 constraint)
        """
        return self._has_values("are_all_complete", column_names(columns), " AND ", options)

    @constraint_method(
        default=_ALL_ROWS, formula="rows with a value in one of these columns / rows"
    )
    def are_any_complete(self, *columns: Columns, **options: Unpack[Options]) -> Self:
        """Require every row to have a value in at least one of several columns, and not only nulls.

        Examples
        --------
        >>> Check("orders").are_any_complete("email", "phone")
        Check('orders', 1 constraint)
        """
        return self._has_values("are_any_complete", column_names(columns), " OR ", options)

    @constraint_method(bounds="optional", formula="time of the evaluation - newest time")
    def is_fresh(
        self,
        column: str,
        within: timedelta,
        *,
        as_of: datetime | None = None,
        **options: Unpack[Options],
    ) -> Self:
        """Require the newest timestamp to be recent.

        Parameters
        ----------
        column
            Name of a timestamp or date column. Nulls are ignored.
        within
            The greatest age allowed.
        as_of
            The time from which the age is measured; the time of the evaluation if omitted.

        Examples
        --------
        >>> from datetime import timedelta
        >>> Check("orders").is_fresh("created_at", timedelta(hours=6))
        Check('orders', 1 constraint)
        """
        if not isinstance(within, timedelta):
            raise CheckError.unexpected(f"{self.name}: is_fresh", "within, a timedelta", within)
        if options.get("at_most") is None:
            options["at_most"] = within
        if options["at_most"] != within:
            raise CheckError(f"{self.name}: is_fresh: expected within or at_most, got both.")
        return self._add("is_fresh", Freshness, [column, as_of], options, shown=[column])

    @constraint_method(formula="time of the evaluation - newest time")
    def has_freshness(
        self, column: str, *, as_of: datetime | None = None, **options: Unpack[Options]
    ) -> Self:
        """Require the age of the newest timestamp to lie within bounds.

        Parameters
        ----------
        column
            Name of a timestamp or date column. Nulls are ignored.
        as_of
            The time from which the age is measured; the time of the evaluation if omitted.

        Notes
        -----
        Bounds are a `timedelta` or a number of seconds.

        Examples
        --------
        >>> Check("orders").has_freshness("created_at", at_most=3600)
        Check('orders', 1 constraint)
        """
        return self._add("has_freshness", Freshness, [column, as_of], options, shown=[column])

    @constraint_method(formula="value of the expression")
    def has_custom_sql(self, expression: str, **options: Unpack[Options]) -> Self:
        """Require an aggregate expression of Spark SQL to lie within bounds.

        Aggregates of Spark SQL ignore nulls. The constraint cannot be evaluated if the value of the
        expression is null.

        Parameters
        ----------
        expression
            An aggregate such as ``max(amount) - min(amount)``.
        where
            Refused: write ``FILTER (WHERE ...)`` in the expression.

        Notes
        -----
        The values of two batches cannot be merged. A dataset evaluates the constraint on batches
        only.

        Examples
        --------
        >>> Check("orders").has_custom_sql("max(amount) - min(amount)", at_most=500)
        Check('orders', 1 constraint)
        """
        shown = [Verbatim(expression)]
        return self._add("has_custom_sql", CustomSql, [expression], options, shown=shown)

    def _has_values(
        self, method: str, columns: tuple[str, ...], conjunction: str, options: Options
    ) -> Self:
        def compliance(where: str | None) -> Analyzer:
            return Compliance(not_null(columns, conjunction), where=where)

        return self._add(method, compliance, [], options, shown=columns)
