"""Demands on rows, columns and what is missing."""

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
from assay.checks.builder import CheckBuilder, Columns, Options, Verbatim, names
from assay.checks.sql import present
from assay.errors import CheckError

__all__ = ["CompletenessMethods"]


class CompletenessMethods(CheckBuilder):
    """Size, schema, completeness, freshness; and any analyzer at all."""

    def has(self, analyzer: Analyzer, **options: Unpack[Options]) -> Self:
        """Any analyzer's metric within bounds: ``has(TopK("city"), satisfies=…)``."""

        def given(where: str | None) -> Analyzer:
            if where is not None:
                raise CheckError("`where` belongs into the analyzer")
            return analyzer

        if not isinstance(analyzer, Analyzer):
            raise CheckError(f"{self.name}: has takes an analyzer, not {analyzer!r}.")
        shown = [Verbatim(replace(analyzer, where=None).key)]
        return self._add("has", given, [], options, shown=shown)

    def has_size(self, **options: Unpack[Options]) -> Self:
        """The number of rows."""
        return self._add("has_size", Size, [], options)

    def has_column(self, column: str, **options: Unpack[Options]) -> Self:
        """There is such a column."""
        return self._add("has_column", ColumnExists, [column], options, equals=1)

    def has_column_count(self, **options: Unpack[Options]) -> Self:
        """The number of columns."""
        return self._add("has_column_count", ColumnCount, [], options)

    def matches_schema(
        self, expected: Mapping[str, str], *, exact: bool = False, **options: Unpack[Options]
    ) -> Self:
        """These columns have these types; with `exact` there are no others."""
        types: object = expected
        if not isinstance(types, Mapping) or not types:
            raise CheckError(
                f"{self.name}: matches_schema: types by column are expected, not {expected!r}."
            )
        shown = [Verbatim(f"{name}: {kind}") for name, kind in types.items()]
        pairs = tuple(types.items())
        return self._add(
            "matches_schema", SchemaMatch, [pairs, exact], options, shown=shown, equals=1.0
        )

    def is_complete(self, *columns: Columns, **options: Unpack[Options]) -> Self:
        """Each of these columns has a value in every row."""
        if not names(columns):
            raise CheckError(f"{self.name}: is_complete(): at least one column is needed.")
        return self._together(
            *(
                lambda check, column=column: check._add(
                    "is_complete", Completeness, [column], options, equals=1.0
                )
                for column in names(columns)
            )
        )

    def has_completeness(self, column: str, **options: Unpack[Options]) -> Self:
        """The share of rows in which the column has a value."""
        return self._add("has_completeness", Completeness, [column], options)

    def are_all_complete(self, *columns: Columns, **options: Unpack[Options]) -> Self:
        """Rows in which all of these columns have a value: every row, unless bounded."""
        return self._present("are_all_complete", names(columns), " AND ", options)

    def are_any_complete(self, *columns: Columns, **options: Unpack[Options]) -> Self:
        """Rows in which at least one of these columns has a value: every row, unless bounded."""
        return self._present("are_any_complete", names(columns), " OR ", options)

    def is_fresh(
        self,
        column: str,
        within: timedelta,
        *,
        as_of: datetime | None = None,
        **options: Unpack[Options],
    ) -> Self:
        """The newest timestamp is no older than this, now or `as_of` another time."""
        if not isinstance(within, timedelta):
            raise CheckError(f"{self.name}: is_fresh: within is a timedelta, not {within!r}.")
        options.setdefault("at_most", within)
        if options["at_most"] != within:
            raise CheckError(f"{self.name}: is_fresh: within and at_most say the same twice.")
        return self._add("is_fresh", Freshness, [column, as_of], options, shown=[column])

    def has_freshness(
        self, column: str, *, as_of: datetime | None = None, **options: Unpack[Options]
    ) -> Self:
        """The age of the newest timestamp, as a time span or in seconds, now or `as_of`."""
        return self._add("has_freshness", Freshness, [column, as_of], options, shown=[column])

    def has_custom_sql(self, expression: str, **options: Unpack[Options]) -> Self:
        """Any aggregate expression of Spark SQL within bounds."""
        shown = [Verbatim(expression)]
        return self._add("has_custom_sql", CustomSql, [expression], options, shown=shown)

    def _present(
        self, kind: str, columns: tuple[str, ...], conjunction: str, options: Options
    ) -> Self:
        def compliance(where: str | None) -> Analyzer:
            return Compliance(present(columns, conjunction), where=where)

        return self._add(kind, compliance, [], options, shown=columns, equals=1.0)
