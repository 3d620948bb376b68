"""The HTML page of a backtest: the alarms, then a row for each batch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.checks.formatting import counted_batches
from assay.gate.backtest.alarm_runs import AlarmRun
from assay.gate.verdict import Verdict
from assay.html.markup import Html, bidi_text, element, join
from assay.html.page import (
    HtmlPage,
    Section,
    Tone,
    badge,
    description_list,
    headline_strip,
    searchable,
    table,
)
from assay.html.size_budget import fit, omission
from assay.store.verdict import Decision
from assay.text import count_noun

if TYPE_CHECKING:
    from assay.gate.backtest.result import Backtest

__all__ = ["backtest_page"]

#: bytes of each table
_MAX_BYTES = 350_000
_BADGES: dict[Decision, tuple[Tone, str]] = {
    Decision.ACCEPT: ("good", "✓ accept"),
    Decision.WARN: ("warn", "! warn"),
    Decision.HOLD: ("bad", "✕ hold"),
}


def backtest_page(backtest: Backtest) -> HtmlPage:
    """Return the page of a backtest."""
    counts, verdicts = backtest.counts, backtest.verdicts
    dataset = verdicts[0].batch.dataset if verdicts else "a dataset"
    title = f"Backtest of {dataset}"
    facts = [
        ("Batches", f"{len(backtest):,}"),
        *((decision.value.capitalize(), f"{number:,}") for decision, number in counts.items()),
        ("Alarms", f"{len(backtest.runs):,}"),
        ("Released by the review", f"{len(backtest.released):,}" if backtest.released else None),
    ]
    held = count_noun(counts[Decision.HOLD], "batch", "batches")
    headline = f"{held} of {len(backtest):,} would have been held."
    top = headline_strip("none", title, "Assay: backtest", headline, description_list(facts))
    return HtmlPage(f"{title}: {counted_batches(len(backtest))}", top, list(_sections(backtest)))


def _sections(backtest: Backtest) -> Iterator[Section]:
    runs = backtest.runs
    if runs:
        rows, n_omitted = fit(_alarm_row, runs, _MAX_BYTES)
        listed = table("Alarms", ("batches", "decision", "leading problem"), rows)
        content = searchable(join((listed, omission(n_omitted, "alarm"))), len(rows))
        yield Section("alarms", "Alarms", content, len(runs))
    rows, n_omitted = fit(_row, backtest.verdicts, _MAX_BYTES)
    listed = table("Batches", ("batch", "decision", "rows", "leading problem"), rows)
    batches = join((listed, omission(n_omitted, "batch")))
    content = searchable(batches, len(rows))
    yield Section("batches", "All batches", content, len(backtest), folded=bool(runs))


def _alarm_row(run: AlarmRun) -> Html:
    length = element("span", counted_batches(len(run)), class_="type") if len(run) > 1 else None
    return element(
        "tr",
        element("th", bidi_text(run.name), " ", length, scope="row"),
        element("td", badge(*_BADGES[run.decision])),
        element("td", str(run.problem)),
    )


def _row(verdict: Verdict) -> Html:
    rows = "" if verdict.row_count is None else f"{verdict.row_count:,}"
    return element(
        "tr",
        element("th", bidi_text(verdict.batch.key), scope="row"),
        element("td", badge(*_BADGES[verdict.decision])),
        element("td", rows, data_title="rows"),
        element("td", str(verdict.problems[0]) if verdict.problems else None),
    )
