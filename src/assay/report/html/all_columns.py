"""The table of all columns: each one now and before, and the verdict on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from assay.checks.formatting import percent
from assay.gate.problem import Problem
from assay.html.column_table import ColumnRow, column_table
from assay.html.markup import Html, element, join
from assay.html.page import Tone
from assay.html.short_numbers import short_number
from assay.html.sparkline import trend_figure
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint
from assay.report.advice import cause_words
from assay.report.html.dates_and_times import moments_of
from assay.report.html.distribution_chart import distributions, most_frequent, repeats
from assay.store.verdict import Decision
from assay.text import count_noun, visible

if TYPE_CHECKING:
    from assay.report.html.report import Report

__all__ = ["column_anchors", "overview"]


_TONES: dict[Decision, tuple[Tone, str]] = {
    Decision.HOLD: ("bad", "✕"),
    Decision.WARN: ("warn", "!"),
}
_MAX_BYTES = 230_000
#: columns that have details below the table
_MAX_DETAILED = 60
#: frequent values that a cell names, and characters of each
_MAX_NAMED, _MAX_VALUE = 2, 18


def overview(report: Report) -> Html | None:
    """Show a row for the table as a whole and one for each column, those with problems first."""
    now = report.columns
    if now is None:
        return None
    before = report.previous_columns
    problems = _problem_by_column(report.problems)
    rows = [_table_row(report, now, before)]
    rows += _missing_rows(report, now, problems)
    anchors = column_anchors(report)
    rows += (
        replace(_column_row(report, name, now, before, problems), link=anchors.get(name))
        for name in _by_severity(report)
    )
    compared = before is not None
    is_judged = report.verdict is not None and report.verdict.n_history > 0
    titles = ("column", "trend" if compared else "", "before" if compared else "", "now")
    return column_table(
        rows,
        titles=(*titles, "distribution", "verdict" if is_judged else ""),
        max_bytes=_MAX_BYTES,
        n_more=report.n_columns - len(now.columns),
    )


def _by_severity(report: Report) -> list[str]:
    """Return the columns that hold the batch, then those with warnings, then the others."""
    if report.columns is None:
        return []
    named = dict.fromkeys(name for problem in report.problems for name in problem.columns)
    names = report.columns.columns
    return [*(name for name in named if name in names), *(n for n in names if n not in named)]


def column_anchors(report: Report) -> dict[str, str]:
    """Return the anchors of the columns with details below the table, in their order."""
    names = _by_severity(report)[:_MAX_DETAILED]
    return {name: f"column-{number}" for number, name in enumerate(names)}


def _problem_by_column(problems: Sequence[Problem]) -> dict[str, Problem]:
    """Return the worst problem of each column. Problems are sorted, the worst first."""
    return {name: problem for problem in reversed(problems) for name in problem.columns}


def _table_row(report: Report, now: Fingerprint, before: Fingerprint | None) -> ColumnRow:
    problem = next((problem for problem in report.problems if not problem.columns), None)
    tone, verdict = _verdict(problem, report)
    return ColumnRow(
        name="all rows",
        type="",
        now=_cell(f"{now.rows:,} {'row' if now.rows == 1 else 'rows'}"),
        before="" if before is None else _cell(f"{before.rows:,} rows"),
        trend=_trend(report, None, float(now.rows)),
        tone=tone,
        verdict=verdict,
    )


def _missing_rows(
    report: Report, now: Fingerprint, problems: dict[str, Problem]
) -> Iterator[ColumnRow]:
    if report.schema is None or report.previous_schema is None:
        return
    names = set(report.schema.names)
    before = report.previous_columns
    for name, type_name in report.previous_schema.types:
        if name in names or name in now.columns:
            continue
        tone, verdict = _verdict(problems.get(name), report)
        stats = None if before is None else before.columns.get(name)
        yield ColumnRow(
            name=name,
            type=type_name,
            now=_cell("-"),
            before=_describe(stats, private=name in report.private),
            tone=tone if name in problems else "warn",
            verdict=verdict if name in problems else "! gone",
        )


def _column_row(
    report: Report,
    name: str,
    now: Fingerprint,
    before: Fingerprint | None,
    problems: dict[str, Problem],
) -> ColumnRow:
    stats, private = now.columns[name], name in report.private
    stats_before = None if before is None else before.columns.get(name)
    tone, verdict = _verdict(problems.get(name), report)
    compared = None if private else distributions(stats, stats_before)
    types = {} if report.schema is None else dict(report.schema.types)
    type_name = types.get(name, "")
    return ColumnRow(
        name=name,
        type=f"{type_name}, private" if private else type_name,
        now=_describe(stats, private=private),
        before="" if before is None else _describe(stats_before, private=private),
        picture=None if compared is None else compared.picture,
        trend=_trend(report, name, None),
        tone=tone,
        verdict=verdict,
    )


def _verdict(problem: Problem | None, report: Report) -> tuple[Tone, str]:
    if problem is None:
        return (
            ("none", "")
            if report.verdict is None or not report.verdict.n_history
            else ("good", "✓")
        )
    tone, sign = _TONES[problem.level]
    return tone, f"{sign} {cause_words(problem.cause_code)}"


def _trend(report: Report, name: str | None, row_count: float | None) -> Html | None:
    trend = report.trends.get(name)
    if trend is None:
        return None
    observed = row_count
    metric = metrics.find(trend.metric)
    if name is not None and report.columns is not None and metric is not None:
        stats = report.columns.columns[name]
        observed = None if metric.of_batch is None else metric.of_batch(stats)
    if trend.metric == metrics.COMPLETENESS:
        series = replace(trend.series, values=tuple(map(_null_percentage, trend.series.values)))
        observed = None if observed is None else _null_percentage(observed)
        return trend_figure(series, observed, caption="% of the rows are null")
    label = metrics.label(trend.metric).removeprefix("the ")
    return trend_figure(trend.series, observed, caption=label)


def _null_percentage(completeness: float) -> float:
    return round(100 * (1 - completeness), 1)


def _describe(stats: ColumnStats | None, *, private: bool) -> Html:
    """Return the main number of a column, and its range or its frequent values."""
    if stats is None:
        return _cell("-")
    if not stats.n_values:
        return _cell("no values")
    n_nulls = stats.n_rows - stats.n_values
    nulls = [f"{percent(n_nulls, stats.n_rows)} null"] if n_nulls else []
    if private:
        return _cell(count_noun(int(stats.n_distinct), "value"), *nulls)
    if stats.kind == "numeric":
        low, high = map(short_number, (stats.minimum, stats.maximum))
        return _cell(f"mean {short_number(stats.mean)}", f"{low} … {high}", *nulls)
    moments = moments_of(stats)
    if moments is not None:
        about = "" if moments.is_complete else "about "
        values = count_noun(int(stats.n_distinct), "value")
        return _cell(values, f"{about}{' … '.join(dict.fromkeys(moments.ends))}", *nulls)
    counts = stats.value_counts if repeats(stats) else stats.shape_counts
    like = "" if repeats(stats) else "like "
    named = [
        f"{like}{_short(value)} {percent(counts[value], stats.n_values)}"
        for value in most_frequent(counts, _MAX_NAMED)
    ]
    return _cell(count_noun(int(stats.n_distinct), "value"), *named, *nulls)


def _short(value: str) -> str:
    shown = visible(value[: _MAX_VALUE + 1]) if value else "''"
    return shown if len(shown) <= _MAX_VALUE else f"{shown[: _MAX_VALUE - 1]}…"


def _cell(main: str, *details: str) -> Html:
    quiet = element("span", ", ".join(details), class_="quiet") if details else None
    return join(part for part in (element("b", main), quiet) if part is not None)
