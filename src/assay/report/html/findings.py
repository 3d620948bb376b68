"""What was found, column by column, the worst first: in a sentence, a picture, and as SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from assay.gate.finding import Finding
from assay.report.html.markup import Html, bidi_text, element, join
from assay.report.html.numbers import one_in, short_number
from assay.report.html.page import badge, sentence_list
from assay.report.html.size_budget import fit, omission
from assay.report.html.sparkline import MetricSeries, format_range, sparkline
from assay.store.verdict import Decision

__all__ = ["Metric", "alarms", "metric_of", "remarks"]

#: which number of a batch, as its judge knows it
Metric = tuple[str, str | None, str | None]

#: of each column so many findings are seen at once, and so many are told at all
_FIRST, _MOST = 3, 20


def metric_of(finding: Finding) -> Metric:
    """Which number a finding is about."""
    return finding.judge, finding.column, finding.metric


def alarms(findings: Sequence[Finding], past: Mapping[Metric, MetricSeries], room: int) -> Html:
    """An article a column; how many columns are left out is said."""
    columns: dict[str | None, list[Finding]] = {}
    for each in findings:
        columns.setdefault(each.column, []).append(each)
    kept, left = fit(lambda each: _article(*each, past), list(columns.items()), room)
    return join((*kept, omission(left, "column")))


def remarks(texts: Iterable[str], room: int) -> Html:
    """A list of sentences; those that are the same are told once."""
    counts: dict[str, int] = {}
    for each in texts:
        counts[each] = counts.get(each, 0) + 1
    return sentence_list(
        [f"{each} ({n:,} times)" if n > 1 else each for each, n in counts.items()], room
    )


def _article(
    column: str | None, findings: Sequence[Finding], past: Mapping[Metric, MetricSeries]
) -> Html:
    first = [_item(each, past) for each in findings[:_FIRST]]
    rest = [_item(each, past) for each in findings[_FIRST:_MOST]]
    left = len(findings[_MOST:])
    name = "The table" if column is None else column
    return element(
        "article",
        element("h3", name if column is None else bidi_text(name), _badge(findings)),
        _around(findings),
        element("ul", *first, class_="findings"),
        element(
            "details",
            element("summary", f"{len(rest) + left:,} more about ", _name(column)),
            element("ul", *rest, class_="findings"),
            omission(left, "finding"),
        )
        if rest
        else None,
        class_="alarm",
    )


def _name(column: str | None) -> str:
    return "the table" if column is None else bidi_text(column)


def _badge(findings: Sequence[Finding]) -> Html:
    holds = any(each.level is Decision.HOLD for each in findings)
    return badge("bad", "✕ holds") if holds else badge("warn", "! warns")


def _around(findings: Sequence[Finding]) -> Html | None:
    """What is the same for all findings of a column."""
    causes = dict.fromkeys(each.cause for each in findings if each.cause)
    places = dict.fromkeys(each.where for each in findings if each.where)
    told = [("Likely", each) for each in causes] + [("Where", each) for each in places]
    rows = [join((element("dt", name), element("dd", each))) for name, each in told[:6]]
    since = next((each.since for each in findings if each.since), None)
    if since is not None:
        rows.append(join((element("dt", "Since"), element("dd", "batch ", bidi_text(since)))))
    return element("dl", *rows, class_="around") if rows else None


def _item(finding: Finding, past: Mapping[Metric, MetricSeries]) -> Html:
    known = past.get(metric_of(finding))
    picture = None
    if known is not None:
        picture = sparkline(known.values, finding.actual, finding.low, finding.high)
    return element(
        "li",
        element(
            "div",
            element("p", _capital(finding.reason)),
            element("p", _source(finding), class_="quiet"),
            element("p", element("code", finding.sql)) if finding.sql else None,
        ),
        None if picture is None else _figure(finding, picture),
    )


def _figure(finding: Finding, picture: Html) -> Html:
    words = []
    if finding.actual is not None and finding.actual == finding.actual:
        words.append(f"now {short_number(finding.actual)}")
    band = format_range(finding.low, finding.high)
    words += [f"expected {band}"] if band else []
    return element("figure", picture, element("figcaption", ", ".join(words)))


def _source(finding: Finding) -> str:
    """Who found it, and how often that happens to a batch that is fine."""
    rate = (
        f"; of batches that are fine, {one_in(finding.false_alarm_rate)} has it"
        if finding.false_alarm_rate
        else ""
    )
    return f"found by {_JUDGES.get(finding.judge, finding.judge)}{rate}"


def _capital(text: str) -> str:
    """The sentence with a capital; a name, such as that of a constraint, stays as it is."""
    first = text.partition(" ")[0]
    return text[:1].upper() + text[1:] if first.isalpha() else text


_JUDGES = {
    "schema": "the schema",
    "checks": "a declared check",
    "patterns": "what strings looked like before",
    "dialect": "the dialect of the file",
    "empty": "the number of rows",
    "limits": "limits learned from past batches",
    "redelivery": "comparison with the batch before",
    "arrival": "the times at which batches arrive",
    "novelty": "comparison with all accepted batches",
    "gate": "the gate itself",
}
