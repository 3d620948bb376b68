"""Show a card for each problem: the cause, both distributions, what to do, and the evidence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from assay.gate.finding import Finding
from assay.gate.problem import Problem
from assay.html.markup import Html, bidi_text, element, join
from assay.html.page import badge, sentence_list
from assay.html.short_numbers import short_number
from assay.html.size_budget import fit, omission
from assay.html.sparkline import format_range, trend_figure
from assay.report.advice import advice
from assay.report.html.column_details import comparison
from assay.report.number_format import false_alarms
from assay.store.verdict import Decision
from assay.text import count_noun

if TYPE_CHECKING:
    from assay.report.html.report import Report

__all__ = [
    "MetricKey",
    "metric_key",
    "observation_list",
    "problem_anchor",
    "problem_articles",
    "problem_list",
]

#: judge, column and metric of a series
MetricKey = tuple[str, str | None, str | None]

#: findings of a problem that are shown
_MAX_FINDINGS = 20
#: columns of a problem that are named, and those whose distributions are drawn
_MAX_NAMES, _MAX_COMPARED = 6, 3
#: problems in the list on top of the page
_MAX_LISTED = 8

_JUDGES = {
    "schema": "the schema",
    "checks": "a declared check",
    "patterns": "patterns of earlier strings",
    "dialect": "the dialect of the file",
    "empty": "the row count",
    "provisional": "limits that the first batch suggests",
    "limits": "limits learned from earlier batches",
    "redelivery": "comparison with earlier deliveries",
    "arrival": "arrival times",
    "novelty": "comparison with all accepted batches",
    "drift": "the trend of earlier batches",
    "gate": "the gate",
    "keys": "keys learned from earlier batches",
    "relations": "relations between columns in earlier batches",
    "order": "orders between columns in earlier batches",
    "repeated rows": "a count of repeated rows",
    "segments": "comparison of segments with earlier batches",
}


def metric_key(finding: Finding) -> MetricKey:
    """Return which series a finding belongs to."""
    return finding.judge, finding.column, finding.metric


def problem_anchor(number: int) -> str:
    """Return the anchor of a problem."""
    return f"problem-{number}"


def problem_list(problems: Sequence[Problem]) -> Html | None:
    """List the subjects and causes of the worst problems, with links to their cards."""
    if not problems:
        return None
    items = (
        element(
            "li",
            element("a", _subject(problem), href=f"#{problem_anchor(number)}"),
            " ",
            problem.cause,
            class_="bad" if problem.holds else "warn",
        )
        for number, problem in enumerate(problems[:_MAX_LISTED], 1)
    )
    n_more = len(problems) - _MAX_LISTED
    more = None
    if n_more > 0:
        more = element("p", f"and {count_noun(n_more, 'more problem')}", class_="quiet")
    return element("div", element("ol", *items, class_="causes"), more)


def problem_articles(report: Report, max_bytes: int) -> Html:
    """Show an article per problem until the budget is used up."""
    numbered = list(enumerate(report.problems, 1))
    articles, n_omitted = fit(lambda pair: _article(*pair, report), numbered, max_bytes)
    anchors = (element("span", id=problem_anchor(n)) for n, _ in numbered[len(articles) :])
    return join((*articles, *list(anchors)[:_MAX_LISTED], omission(n_omitted, "problem")))


def observation_list(sentences: Iterable[str], max_bytes: int) -> Html:
    """List sentences; repeated ones are counted."""
    counts: dict[str, int] = {}
    for sentence in sentences:
        counts[sentence] = counts.get(sentence, 0) + 1
    lines = [
        f"{sentence} ({count:,} times)" if count > 1 else sentence
        for sentence, count in counts.items()
    ]
    return sentence_list(lines, max_bytes)


def _article(number: int, problem: Problem, report: Report) -> Html:
    return element(
        "article",
        element(
            "h3",
            element("span", f"{number}", class_="count"),
            element("span", _subject(problem)),
            _badge(problem),
        ),
        element("p", problem.cause, class_="cause"),
        _details(problem),
        _comparison(problem, report),
        element("p", element("b", "Next step: "), advice(problem.cause_code)),
        _rows(problem),
        _evidence(problem, report),
        class_="alarm",
        id=problem_anchor(number),
    )


def _subject(problem: Problem) -> Html:
    if not problem.columns:
        return Html("Table")
    names = [bidi_text(name) for name in problem.columns[:_MAX_NAMES]]
    listed = Html(", ").join(names)
    n_more = len(problem.columns) - len(names)
    return Html(f"{listed} and {n_more} more") if n_more > 0 else Html(listed)


def _badge(problem: Problem) -> Html:
    if problem.level is Decision.HOLD:
        return badge("bad", "✕ held")
    return badge("warn", "! warning")


def _details(problem: Problem) -> Html | None:
    places = dict.fromkeys(finding.where for finding in problem.findings if finding.where)
    rows = [
        join((element("dt", "Where"), element("dd", place))) for place in list(places)[:_MAX_NAMES]
    ]
    if problem.since is not None:
        since = element("dd", "batch ", bidi_text(problem.since))
        rows.append(join((element("dt", "Since"), since)))
    return element("dl", *rows, class_="around") if rows else None


def _comparison(problem: Problem, report: Report) -> Html | None:
    """Show the columns of a problem now and before; the row count of a problem with the table."""
    parts = list(_comparisons(problem, report))
    return element("div", *parts, class_="now-before") if parts else None


def _comparisons(problem: Problem, report: Report) -> Iterator[Html]:
    if not problem.columns:
        trend = report.trends.get(None)
        if trend is not None and report.columns is not None:
            rows = float(report.columns.rows)
            figure = trend_figure(trend.series, rows, caption="rows of each batch")
            if figure is not None:
                yield element("div", figure)
        return
    for name in problem.columns[:_MAX_COMPARED]:
        compared = comparison(report, name, with_name=len(problem.columns) > 1)
        if compared is not None:
            yield compared


def _rows(problem: Problem) -> Html | None:
    if problem.row_filter is None:
        return None
    query = " ".join(("SELECT * FROM batch WHERE", problem.row_filter))
    return element("p", element("b", "Rows: "), element("code", query))


def _evidence(problem: Problem, report: Report) -> Html:
    items = [_item(finding, problem, report) for finding in problem.findings[:_MAX_FINDINGS]]
    return element(
        "details",
        element("summary", f"Evidence: {count_noun(len(problem.findings), 'finding')}"),
        element("ul", *items, class_="findings"),
        omission(len(problem.findings) - len(items), "finding"),
    )


def _item(finding: Finding, problem: Problem, report: Report) -> Html:
    series = report.series.get(metric_key(finding))
    picture = None
    if series is not None:
        caption = _caption(finding)
        picture = trend_figure(series, finding.actual, finding.low, finding.high, caption)
    return element(
        "li",
        element(
            "div",
            element("p", _capitalize(problem.reason_of(finding))),
            element("p", _origin(finding), class_="quiet"),
            element("p", element("code", finding.sql)) if finding.sql else None,
        ),
        picture,
    )


def _caption(finding: Finding) -> str:
    parts = []
    if finding.actual is not None and not math.isnan(finding.actual):
        parts.append(f"actual: {short_number(finding.actual)}")
    limits = format_range(finding.low, finding.high)
    if limits:
        parts.append(f"expected: {limits}")
    return "; ".join(parts)


def _origin(finding: Finding) -> str:
    origin = f"Found by {_JUDGES.get(finding.judge, finding.judge)}"
    if not finding.false_alarm_rate:
        return f"{origin}."
    return f"{origin}; {false_alarms(finding.false_alarm_rate)}."


def _capitalize(text: str) -> str:
    """Begin a sentence with a capital letter; names with other characters stay as they are."""
    first = text.partition(" ")[0]
    return text[:1].upper() + text[1:] if first.isalpha() else text
