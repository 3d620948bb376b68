"""The HTML page of a profile: what is worth a look, a table of all columns, and a card for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from assay.analyzers.metric import Distribution
from assay.checks.formatting import whole_seconds
from assay.html.column_table import ColumnRow, column_table
from assay.html.histogram import histogram, histogram_figure
from assay.html.markup import Html, bidi_text, element, join
from assay.html.page import (
    HtmlPage,
    Section,
    description_list,
    headline_strip,
    searchable,
    table,
)
from assay.html.short_numbers import short_number
from assay.html.size_budget import fit, omission
from assay.html.value_table import ShareColumn, share_table
from assay.learn.profile.column_profile import ColumnProfile, Numbers, Texts
from assay.learn.profile.column_summary import (
    describe_values,
    format_completeness,
    period_ends,
    type_text,
)
from assay.text import count_noun, percent

if TYPE_CHECKING:
    from assay.learn.profile.observations import Observation
    from assay.learn.profile.profile import Profile

__all__ = ["profile_page"]

#: bytes for the observations, the table of all columns, and the cards
_OBSERVATION_BYTES, _TABLE_BYTES, _CARD_BYTES = 120_000, 380_000, 380_000
#: columns that have a card below the table
_MAX_CARDS = 200
#: columns that one observation names, and frequent values of a card
_MAX_NAMES, _MAX_FREQUENT = 12, 8
_QUANTILE_NAMES = {
    "0.05": "5 %",
    "0.25": "25 %",
    "0.5": "median",
    "0.75": "75 %",
    "0.95": "95 %",
}
#: observations in a word or two; others have the words of their code
_LABELS = {
    "default_date": "default",
    "far": "outlier",
    "garbled": "encoding",
    "missing": "placeholder",
    "mixed": "mixed types",
    "negative": "negatives",
    "text_numbers": "numbers as text",
    "time": "odd date",
    "variants": "spelling",
}
_TITLES = ("column", "", "complete", "values", "distribution", "worth a look")


def profile_page(
    profile: Profile,
    *,
    observations: Sequence[Observation] | None = None,
    facts: Sequence[tuple[str, str | None]] = (),
) -> HtmlPage:
    """Return the page of a profile.

    Parameters
    ----------
    profile
        The profile of a table.
    observations
        What is worth a look; by default all observations of the profile.
    facts
        More names and values for the top of the page. Those without a value are left out.
    """
    observed = profile.observations if observations is None else tuple(observations)
    name = profile.table or "the table"
    size = f"{count_noun(profile.rows, 'row')}, {count_noun(len(profile), 'column')}"
    top = headline_strip(
        "warn" if observed else "good",
        f"Profile of {name}",
        "Assay: profile of a table",
        _headline(observed),
        description_list([*_facts(profile), *facts]),
    )
    return HtmlPage(f"{name}: {size}", top, list(_sections(profile, observed)))


def _headline(observations: Sequence[Observation]) -> str:
    sentences = len({observation.sentence for observation in observations})
    if not sentences:
        return "Nothing is odd about its columns."
    return (
        f"{count_noun(sentences, 'observation')} {'is' if sentences == 1 else 'are'} worth a look."
    )


def _facts(profile: Profile) -> Iterator[tuple[str, str | None]]:
    cells = sum(column.rows for column in profile.values())
    present = sum(column.present for column in profile.values())
    repeated = profile.repeated_share
    yield "Rows", f"{profile.rows:,}"
    yield "Columns", f"{len(profile) + sum(profile.left_out.values()):,}"
    yield "Cells with a value", percent(present, cells) if cells else None
    yield "Repeated rows", None if repeated is None else percent(repeated)


def _sections(profile: Profile, observations: Sequence[Observation]) -> Iterator[Section]:
    anchors = {name: f"column-{number}" for number, name in enumerate(profile)}
    anchors = dict(list(anchors.items())[:_MAX_CARDS])
    if observations:
        content = _observation_table(observations, anchors)
        yield Section("remarks", "Worth a look", content)
    observed: dict[str, list[Observation]] = {}
    for observation in observations:
        observed.setdefault(observation.column, []).append(observation)
    rows = [_row(column, observed.get(name, ()), anchors) for name, column in profile.items()]
    # columns that are worth a look come first
    rows.sort(key=lambda row: not row.verdict)
    overview = column_table(rows, titles=_TITLES, max_bytes=_TABLE_BYTES)
    yield Section("columns", "All columns", overview, len(profile))
    detailed = [(profile[name], anchor) for name, anchor in anchors.items()]
    cards, n_omitted = fit(lambda pair: _card(*pair), detailed, _CARD_BYTES)
    omitted = (element("span", id=anchor) for _, anchor in detailed[len(cards) :])
    content = join((element("div", *cards, class_="cards"), *omitted))
    n_more = n_omitted + len(profile) - len(detailed)
    content = join((content, omission(n_more, "column")))
    yield Section("details", "Statistics of columns", content, len(profile), folded=True)


def _observation_table(observations: Sequence[Observation], anchors: Mapping[str, str]) -> Html:
    names_by_sentence: dict[str, list[str]] = {}
    for observation in observations:
        names_by_sentence.setdefault(observation.sentence, []).append(observation.column)

    def row(entry: tuple[str, list[str]]) -> Html:
        sentence, names = entry
        return element(
            "tr",
            element("th", _linked_names(names, anchors), scope="row"),
            element("td", sentence),
        )

    rows, n_omitted = fit(row, list(names_by_sentence.items()), _OBSERVATION_BYTES)
    listed = table("Observations", ("column", "observation"), rows)
    return searchable(join((listed, omission(n_omitted, "observation"))), len(rows))


def _linked_names(names: Sequence[str], anchors: Mapping[str, str]) -> Html:
    links = [
        element("a", bidi_text(name), href=f"#{anchors[name]}")
        if name in anchors
        else bidi_text(name or "table")
        for name in names[:_MAX_NAMES]
    ]
    n_more = len(names) - len(links)
    listed = Html(", ").join(links)
    return Html(f"{listed} and {n_more:,} more") if n_more > 0 else Html(listed)


def _row(
    column: ColumnProfile, observations: Sequence[Observation], anchors: Mapping[str, str]
) -> ColumnRow:
    distinct = f"{'' if column.exact else '≈ '}{column.distinct:,} distinct"
    label = ""
    if observations:
        code = observations[0].code
        label = _LABELS.get(code, code.replace("_", " "))
    if len(observations) > 1:
        label = count_noun(len(observations), "observation")
    return ColumnRow(
        name=column.name,
        type=type_text(column),
        before=_cell(format_completeness(column), distinct if column.present else None),
        now=element("span", describe_values(column, bars=False)),
        picture=_picture(column),
        tone="warn" if observations else "none",
        verdict=f"! {label}" if label else "",
        link=anchors.get(column.name),
    )


def _cell(main: str, detail: str | None) -> Html:
    quiet = element("span", detail, class_="quiet") if detail else None
    return join(part for part in (element("b", main), quiet) if part is not None)


def _buckets(column: ColumnProfile) -> Distribution | None:
    """Return the distribution of numbers, moments or numbers of entries."""
    numbers = column.numbers or column.lengths
    return column.period if numbers is None else numbers.buckets


def _picture(column: ColumnProfile) -> Html | None:
    """Draw the distribution of numbers and moments, or the shares of frequent values."""
    buckets = _buckets(column)
    if buckets is not None and len(buckets) > 1:
        ends = _ends(column)
        title = f"Distribution from {ends[0]} to {ends[1]}." if ends else "Distribution."
        return histogram(list(buckets.counts.values()), title=title)
    values = column.values
    if values is None or len(values.counts) < 2 or not _repeats(column):
        return None
    counts = list(values.counts.values())[:_MAX_FREQUENT]
    return histogram([count / column.present for count in counts], title="Frequent values.")


def _repeats(column: ColumnProfile) -> bool:
    return column.distinct <= column.present / 2


def _ends(column: ColumnProfile) -> tuple[str, str] | None:
    """Return the ends of the axis in words."""
    numbers = column.numbers or column.lengths
    if numbers is not None:
        return short_number(float(numbers.minimum)), short_number(float(numbers.maximum))
    return period_ends(column)


def _card(column: ColumnProfile, anchor: str) -> Html:
    picture, ends = _picture(column), _ends(column)
    figure = None
    if picture is not None and ends is not None and _buckets(column) is not None:
        figure = histogram_figure(picture, *ends)
    return element(
        "article",
        element("h3", bidi_text(column.name)),
        element("p", type_text(column), class_="quiet"),
        figure,
        _statistics(column),
        _frequent_values(column),
        class_="card",
        id=anchor,
    )


def _statistics(column: ColumnProfile) -> Html:
    rows = (
        element("tr", element("th", name, scope="row"), element("td", value))
        for name, value in _numbers_of(column)
    )
    return element("table", element("tbody", *rows), class_="numbers")


def _numbers_of(column: ColumnProfile) -> Iterator[tuple[str, str]]:
    yield "nulls", percent(column.nulls, column.rows)
    yield "distinct", f"{'' if column.exact else '≈ '}{column.distinct:,}"
    if column.numbers is not None:
        yield from _describe_numbers(column.numbers, column.present)
    if column.lengths is not None:
        yield from (
            (f"entries: {name}", value)
            for name, value in _describe_numbers(column.lengths, column.present)
        )
    ends = period_ends(column)
    if ends is not None:
        yield from zip(("earliest", "latest"), ends, strict=True)
    if column.texts is not None:
        yield from _describe_texts(column.texts, column.present)


def _describe_numbers(numbers: Numbers, present: int) -> Iterator[tuple[str, str]]:
    yield "mean", short_number(numbers.mean)
    yield "standard deviation", short_number(numbers.standard_deviation)
    yield "lowest", short_number(float(numbers.minimum))
    for quantile, name in _QUANTILE_NAMES.items():
        if quantile in numbers.quantiles:
            yield name, short_number(numbers.quantiles[quantile])
    yield "highest", short_number(float(numbers.maximum))
    for name, count in (("zeros", numbers.zeros), ("negatives", numbers.negatives)):
        if count is not None:
            yield name, percent(count, present)


def _describe_texts(texts: Texts, present: int) -> Iterator[tuple[str, str]]:
    yield "shortest", count_noun(texts.min_length, "character")
    yield "longest", count_noun(texts.max_length, "character")
    yield "empty", percent(texts.empty, present)
    if texts.leading_zeros:
        yield "leading zeros", percent(texts.leading_zeros, present)


def _frequent_values(column: ColumnProfile) -> Html | None:
    """Show the most frequent values; the most frequent shapes if values rarely repeat."""
    title, counts = "value", column.values
    if counts is None or not _repeats(column):
        title, counts = "shape", None if column.texts is None else column.texts.shapes
    if counts is None or not counts.counts:
        return None
    frequent = {
        whole_seconds(value): counts.counts[value] for value in list(counts.counts)[:_MAX_FREQUENT]
    }
    return share_table(title, list(frequent), [ShareColumn("share", frequent, column.present)])
