"""Show the problems of a batch: the cause in words, then its findings as evidence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from assay.gate.finding import Finding
from assay.gate.problem import Problem
from assay.report.html.markup import Html, bidi_text, element, join
from assay.report.html.page import badge, sentence_list
from assay.report.html.size_budget import fit, omission
from assay.report.html.sparkline import MetricSeries, format_range, sparkline
from assay.report.number_format import false_alarms, short_number
from assay.store.verdict import Decision

__all__ = ["MetricKey", "metric_key", "observation_list", "problem_articles"]

#: judge, column and metric of a series
MetricKey = tuple[str, str | None, str | None]

#: findings of a problem that are shown at once, and in all
_MAX_OPEN, _MAX_FINDINGS = 3, 20
_MAX_NAMES = 6

_JUDGES = {
    "schema": "the schema",
    "checks": "a declared check",
    "patterns": "patterns of earlier strings",
    "dialect": "the dialect of the file",
    "empty": "the row count",
    "limits": "limits learned from earlier batches",
    "redelivery": "comparison with earlier deliveries",
    "arrival": "arrival times",
    "novelty": "comparison with all accepted batches",
    "gate": "the gate",
}


def metric_key(finding: Finding) -> MetricKey:
    """Return which series a finding belongs to."""
    return finding.judge, finding.column, finding.metric


def problem_articles(
    problems: Sequence[Problem], series: Mapping[MetricKey, MetricSeries], max_bytes: int
) -> Html:
    """Show an article per problem until the budget is used up.

    Parameters
    ----------
    problems
        The problems, the worst first.
    series
        Earlier values of the metrics with findings.
    max_bytes
        The budget.
    """
    articles, n_omitted = fit(lambda problem: _article(problem, series), problems, max_bytes)
    return join((*articles, omission(n_omitted, "problem")))


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


def _article(problem: Problem, series: Mapping[MetricKey, MetricSeries]) -> Html:
    items = [_item(finding, series) for finding in problem.findings[:_MAX_FINDINGS]]
    n_omitted = len(problem.findings) - len(items)
    folded = items[_MAX_OPEN:]
    return element(
        "article",
        element("h3", _subject(problem), _badge(problem)),
        element("p", problem.cause),
        _details(problem),
        element("ul", *items[:_MAX_OPEN], class_="findings"),
        element(
            "details",
            element("summary", f"{len(folded) + n_omitted:,} more findings"),
            element("ul", *folded, class_="findings"),
            omission(n_omitted, "finding"),
        )
        if folded
        else None,
        class_="alarm",
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


def _item(finding: Finding, series: Mapping[MetricKey, MetricSeries]) -> Html:
    values = series.get(metric_key(finding))
    picture = None
    if values is not None:
        picture = sparkline(values.values, finding.actual, finding.low, finding.high)
    return element(
        "li",
        element(
            "div",
            element("p", _capitalize(finding.reason)),
            element("p", _origin(finding), class_="quiet"),
            element("p", element("code", finding.sql)) if finding.sql else None,
        ),
        None if picture is None else _figure(finding, picture),
    )


def _figure(finding: Finding, picture: Html) -> Html:
    parts = []
    if finding.actual is not None and not math.isnan(finding.actual):
        parts.append(f"actual: {short_number(finding.actual)}")
    limits = format_range(finding.low, finding.high)
    if limits:
        parts.append(f"expected: {limits}")
    return element("figure", picture, element("figcaption", "; ".join(parts)))


def _origin(finding: Finding) -> str:
    origin = f"Found by {_JUDGES.get(finding.judge, finding.judge)}"
    if not finding.false_alarm_rate:
        return f"{origin}."
    return f"{origin}; {false_alarms(finding.false_alarm_rate)}."


def _capitalize(text: str) -> str:
    """Begin a sentence with a capital letter; names with other characters stay as they are."""
    first = text.partition(" ")[0]
    return text[:1].upper() + text[1:] if first.isalpha() else text
