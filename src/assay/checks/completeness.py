"""Demands on rows, columns and what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Self, Unpack

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.counting import Completeness, Compliance, Size
from assay.analyzers.custom import CustomSql
from assay.analyzers.extremes import Freshness
from assay.analyzers.structure import ColumnCount, ColumnExists, SchemaMatch
from assay.checks.building import Building, Options, Verbatim
from assay.checks.sql import quote

__all__ = ["CompletenessDemands"]


class CompletenessDemands(Building):
    """Size, schema, completeness, freshness; and any analyzer at all."""

    def has(self, analyzer: Analyzer, **options: Unpack[Options]) -> Self:
        """Any analyzer's metric within bounds: ``has(TopK("city"), satisfies=…)``."""
        return self.demand("has", [Verbatim(analyzer.key)], analyzer, options)

    def has_size(self, **options: Unpack[Options]) -> Self:
        """The number of rows."""
        return self.demand("has_size", [], Size(where=options.get("where")), options)

    def has_column(self, column: str, **options: Unpack[Options]) -> Self:
        """There is such a column."""
        return self.demand("has_column", [column], ColumnExists(column), options, equals=1)

    def has_column_count(self, **options: Unpack[Options]) -> Self:
        """The number of columns."""
        return self.demand("has_column_count", [], ColumnCount(), options)

    def matches_schema(
        self, expected: Mapping[str, str], *, exact: bool = False, **options: Unpack[Options]
    ) -> Self:
        """These columns have these types; with `exact` there are no others."""
        analyzer = SchemaMatch(tuple(expected.items()), exact)
        shown = [Verbatim(f"{name}: {kind}") for name, kind in expected.items()]
        return self.demand("matches_schema", shown, analyzer, options, equals=1.0)

    def is_complete(self, *columns: str, **options: Unpack[Options]) -> Self:
        """Each of these columns has a value in every row."""
        return self.together(
            *(
                lambda check, column=column: check.demand(
                    "is_complete",
                    [column],
                    Completeness(column, where=options.get("where")),
                    options,
                    equals=1.0,
                )
                for column in columns
            )
        )

    def has_completeness(self, column: str, **options: Unpack[Options]) -> Self:
        """The share of rows in which the column has a value."""
        analyzer = Completeness(column, where=options.get("where"))
        return self.demand("has_completeness", [column], analyzer, options)

    def are_all_complete(self, *columns: str, **options: Unpack[Options]) -> Self:
        """Rows in which all of these columns have a value: every row, unless bounded."""
        analyzer = Compliance(_present(columns, " AND "), where=options.get("where"))
        return self.demand("are_all_complete", columns, analyzer, options, equals=1.0)

    def are_any_complete(self, *columns: str, **options: Unpack[Options]) -> Self:
        """Rows in which at least one of these columns has a value: every row, unless bounded."""
        analyzer = Compliance(_present(columns, " OR "), where=options.get("where"))
        return self.demand("are_any_complete", columns, analyzer, options, equals=1.0)

    def is_fresh(self, column: str, within: timedelta, **options: Unpack[Options]) -> Self:
        """The newest timestamp is no older than this."""
        analyzer = Freshness(column, where=options.get("where"))
        return self.demand("is_fresh", [column], analyzer, options, at_most=within)

    def has_freshness(self, column: str, **options: Unpack[Options]) -> Self:
        """The age of the newest timestamp, as a time span or in seconds."""
        analyzer = Freshness(column, where=options.get("where"))
        return self.demand("has_freshness", [column], analyzer, options)

    def has_custom_sql(self, expression: str, **options: Unpack[Options]) -> Self:
        """Any aggregate expression of Spark SQL within bounds."""
        return self.demand("has_custom_sql", [Verbatim(expression)], CustomSql(expression), options)


def _present(columns: tuple[str, ...], conjunction: str) -> str:
    return conjunction.join(f"{quote(column)} IS NOT NULL" for column in columns)
