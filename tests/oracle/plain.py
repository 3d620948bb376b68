"""Oracles of what one pass counts and compares, and of the schema."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import localcontext
from itertools import pairwise
from typing import Any

from assay.analyzers import (
    Analyzer,
    CharacterProfile,
    ColumnCount,
    ColumnExists,
    Completeness,
    Compliance,
    CustomAggregate,
    CustomSql,
    DataType,
    Distribution,
    EmptyStringCount,
    Freshness,
    HistogramBinned,
    IntegerCount,
    Maximum,
    MaxLength,
    MeanLength,
    Minimum,
    MinLength,
    NaNCount,
    NegativeCount,
    PatternMatch,
    Range,
    SchemaMatch,
    Size,
    TypeConsistency,
    ZerosCount,
)
from tests.oracle.duck import Ask, Duck, ref
from tests.oracle.expected import UNDEFINED, Bins, Close, Each

TYPES = {"bigint": "BIGINT", "int": "INTEGER", "double": "DOUBLE", "string": "VARCHAR"}
#: patterns of the strings of a type, as regular expressions of RE2
LOOKS = {
    "integral": "[-+]?\\d+",
    "fractional": "[-+]?(\\d+\\.\\d*|\\.\\d+)([eE][-+]?\\d+)?|[-+]?\\d+[eE][-+]?\\d+",
    "boolean": "(?i)true|false",
    "date": "\\d{4}-(0[1-9]|1[012])-(0[1-9]|[12]\\d|3[01])",
    "timestamp": "\\d{4}-(0[1-9]|1[012])-(0[1-9]|[12]\\d|3[01])[ T][012]\\d:[0-5]\\d"
    "(:[0-5]\\d(\\.\\d{1,9})?)?(Z|[-+]\\d\\d:?\\d\\d)?",
}
OWN = {"integral": "integral", "fractional": "fractional", "decimal": "fractional"} | {
    family: family for family in ("boolean", "date", "timestamp")
}
OWN["timestamp_ntz"] = "timestamp"
CLASSES = {"letters": "\\pL", "digits": "\\p{Nd}", "spaces": "\\s"}


def _count(test: str) -> Ask:
    def ask(analyzer: Any, duck: Duck) -> object:
        return duck.one(f"count(*) FILTER ({test.format(ref(analyzer.column))})", analyzer.where)

    return ask


def _share(duck: Duck, test: str, where: str | None) -> object:
    n, rows = duck.row(where, f"count(*) FILTER ({test})", "count(*)")
    return n / rows if rows else UNDEFINED


def _pattern(analyzer: PatternMatch, duck: Duck) -> object:
    function = "regexp_matches" if analyzer.search else "regexp_full_match"
    column, pattern = ref(analyzer.column), analyzer.pattern.replace("'", "''")
    default = {"ignore": "true", "empty": f"{function}('', '{pattern}')"}
    test = f"coalesce({function}({column}, '{pattern}'), {default.get(analyzer.nulls, 'false')})"
    if analyzer.nulls == "skip":
        return _share(duck, test, f"({analyzer.where or 'true'}) AND {column} IS NOT NULL")
    return _share(duck, test, analyzer.where)


def _defined(value: object) -> object:
    return UNDEFINED if value is None else value


def _extreme(function: str) -> Ask:
    def ask(analyzer: Any, duck: Duck) -> object:
        return _defined(duck.one(f"{function}({ref(analyzer.column)})", analyzer.where))

    return ask


def _range(analyzer: Range, duck: Duck) -> object:
    column = ref(analyzer.column)
    low, high = duck.row(analyzer.where, f"min({column})", f"max({column})")
    with localcontext(prec=80):
        return UNDEFINED if low is None else high - low


def _freshness(analyzer: Freshness, duck: Duck) -> object:
    newest = duck.one(f"max({ref(analyzer.column)})", analyzer.where)
    if newest is None or analyzer.as_of is None:
        return UNDEFINED
    moment = newest if isinstance(newest, datetime) else datetime(*newest.timetuple()[:3])
    return analyzer.as_of - (moment if moment.tzinfo else moment.replace(tzinfo=UTC))


def _length(duck: Duck, column: str) -> str:
    return f"{'octet_' if duck.family(column) == 'binary' else ''}length({ref(column)})"


def _extreme_length(function: str) -> Ask:
    def ask(analyzer: Any, duck: Duck) -> object:
        length = _length(duck, analyzer.column)
        if analyzer.nulls == "empty":
            length = f"coalesce({length}, 0)"
        return _defined(duck.one(f"{function}({length})", analyzer.where))

    return ask


def _mean_length(analyzer: MeanLength, duck: Duck) -> object:
    return _defined(duck.one(f"avg({_length(duck, analyzer.column)})", analyzer.where))


def _looks(analyzer: Any, duck: Duck) -> dict[str, int]:
    column, family = ref(analyzer.column), duck.family(analyzer.column)
    present = duck.one(f"count({column})", analyzer.where)
    if family != "string":
        return {OWN.get(family, "string"): present}
    tests = [f"count(*) FILTER (regexp_full_match({column}, '{p}'))" for p in LOOKS.values()]
    counts = dict(zip(LOOKS, duck.row(analyzer.where, *tests), strict=True))
    return counts | {"string": present - sum(counts.values())}


def _data_type(analyzer: DataType, duck: Duck) -> object:
    nulls = duck.one(f"count(*) FILTER ({ref(analyzer.column)} IS NULL)", analyzer.where)
    counts = {label: n for label, n in _looks(analyzer, duck).items() if n}
    return Distribution(counts, nulls=nulls, groups=len(counts))


def _type_consistency(analyzer: TypeConsistency, duck: Duck) -> object:
    counts = _looks(analyzer, duck)
    present = sum(counts.values())
    counts["fractional"] = counts.get("integral", 0) + counts.get("fractional", 0)
    wanted = max(counts.values()) if analyzer.type is None else counts.get(analyzer.type, 0)
    return wanted / present if present else UNDEFINED


def _characters(analyzer: CharacterProfile, duck: Duck) -> object:
    column = ref(analyzer.column)
    class_lengths = [
        f"sum(length(regexp_replace({column}, '[^{c}]', '', 'g')))" for c in CLASSES.values()
    ]
    n, length, *lengths = duck.row(
        analyzer.where, f"count({column})", f"sum(length({column}))", *class_lengths
    )
    if not n:
        return UNDEFINED
    counts = dict(zip(CLASSES, lengths, strict=True)) | {"other": length - sum(lengths)}
    return Each({label: Close(c / n) for label, c in ({"length": length} | counts).items()})


def _binned(analyzer: HistogramBinned, duck: Duck) -> object:
    x, edges = ref(analyzer.column), analyzer.edges
    within = [f"{x} >= {a} AND {x} < {b}" for a, b in pairwise(edges)]
    within[-1] = within[-1].replace("<", "<=")
    tests = [f"{x} < {edges[0]}", *within, f"{x} > {edges[-1]}", f"{x} IS NULL"]
    *counts, nulls = duck.row(analyzer.where, *(f"count(*) FILTER ({test})" for test in tests))
    return Bins(tuple(counts), edges, nulls)


def _schema_match(analyzer: SchemaMatch, duck: Duck) -> object:
    good = sum(duck.types.get(name) == TYPES[kind] for name, kind in analyzer.expected)
    return good / len(analyzer.expected)


def _aggregate(analyzer: CustomAggregate, duck: Duck) -> object:
    values = {name: duck.one(sql) for name, sql, _ in analyzer.parts}
    present = {name: value for name, value in values.items() if value is not None}
    return Each(present) if present else UNDEFINED


ORACLES: Mapping[type[Analyzer], Ask] = {
    Size: lambda a, duck: duck.one("count(*)", a.where),
    Completeness: lambda a, duck: _share(duck, f"{ref(a.column)} IS NOT NULL", a.where),
    Compliance: lambda a, duck: _share(
        duck, f"coalesce({a.predicate}, {a.nulls == 'ignore'})", a.where
    ),
    PatternMatch: _pattern,
    IntegerCount: _count("isfinite({0}::DOUBLE) AND {0}::DOUBLE = trunc({0}::DOUBLE)"),
    ZerosCount: _count("{} = 0"),
    NegativeCount: _count("{} < 0"),
    NaNCount: _count("isnan({})"),
    EmptyStringCount: _count("{} = ''"),
    Minimum: _extreme("min"),
    Maximum: _extreme("max"),
    Range: _range,
    Freshness: _freshness,
    MinLength: _extreme_length("min"),
    MaxLength: _extreme_length("max"),
    MeanLength: _mean_length,
    DataType: _data_type,
    TypeConsistency: _type_consistency,
    CharacterProfile: _characters,
    HistogramBinned: _binned,
    CustomSql: lambda a, duck: _defined(duck.one(a.expression)),
    CustomAggregate: _aggregate,
    ColumnCount: lambda _, duck: len(duck.types),
    ColumnExists: lambda a, duck: int(a.column in duck.types),
    SchemaMatch: _schema_match,
}
