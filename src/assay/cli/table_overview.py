"""The overview of a table without a suite: profile, oddities, likely keys, unusual metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.analyzers import Uniqueness
from assay.analyzers.analyzer import Analyzer
from assay.checks import Check, ConstraintResult, Outcome, evaluate
from assay.checks.formatting import counted_batches, format_share, one_line, visible
from assay.dataset.batch_history import BatchHistory
from assay.engine.measure import measure
from assay.html import HasPage, HtmlPage
from assay.io.reading import OpenTable
from assay.learn.anomaly import OnlineNormal
from assay.learn.profile import Profile, profile
from assay.learn.profile.observations import Observation
from assay.learn.profile.page import profile_page
from assay.learn.profile.terminal import print_observations, print_profile
from assay.learn.suggest.composite_keys import composite_keys
from assay.learn.suggest.names import uniqueness_of_name
from assay.store import Batch, Selection

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from assay.store import Store

__all__ = ["Overview", "create_overview", "print_overview"]

#: columns that are tried as keys
_MAX_KEY_CANDIDATES = 3
#: share of distinct values from which on a column is tried as a key
_MIN_DISTINCT_SHARE = 0.95
#: with fewer rows, a column or several columns can be unique by chance
_MIN_ROWS_FOR_KEY, _MIN_ROWS_FOR_COMPOSITE_KEY = 100, 1000
_MAX_LINES = 40
#: standard deviations; few, and one of a table's many metrics deviates by chance
_DEVIATIONS = 4


@dataclass(frozen=True)
class Overview(HasPage):
    """A table at first sight.

    Attributes
    ----------
    format
        Format of the files.
    keys
        Likely keys, with the share of rows that each identifies.
    unusual
        Metrics that deviate from earlier batches.
    n_batches
        Batches in the store; None without a store.
    """

    format: str
    profile: Profile
    remarks: tuple[Observation, ...]
    keys: Mapping[tuple[str, ...], float]
    unusual: tuple[ConstraintResult, ...] = ()
    n_batches: int | None = None

    @property
    def page(self) -> HtmlPage:
        """The page of the overview as a value."""
        keys = "; ".join(" + ".join(key) for key, share in self.keys.items() if share == 1)
        facts = [("Format", self.format), ("Likely keys", keys or None)]
        if self.n_batches:
            facts.append(("Compared with", counted_batches(self.n_batches)))
        unusual = (
            Observation("", "unusual", f"{result.constraint.metric}: {_describe_deviation(result)}")
            for result in self.unusual
        )
        return profile_page(self.profile, observations=(*self.remarks, *unusual), facts=facts)

    def to_dict(self) -> dict[str, Any]:
        """Return the overview as JSON can hold it."""
        document = self.profile.to_dict()
        del document["observations"]  # they are among the remarks
        return {
            "format": self.format,
            **document,
            "remarks": [vars(remark) for remark in self.remarks],
            "keys": [{"columns": list(key), "unique": share} for key, share in self.keys.items()],
            "batches": self.n_batches,
            "unusual": [result.to_dict() for result in self.unusual],
        }


def create_overview(table: OpenTable, store: Store | None, dataset: str) -> Overview:
    """Look at a table in about three passes; with a store, compare it with earlier batches."""
    df = table.df
    table_profile = profile(df, table=dataset)
    keys = _likely_keys(df, table_profile)
    nearly_keys = (
        Observation(
            key[0], "nearly_key", f"is nearly a key: identifies {format_share(share)} of the rows"
        )
        for key, share in keys.items()
        if share < 1
    )
    all_remarks = (*table_profile.observations, *nearly_keys)
    if store is None:
        return Overview(table.description, table_profile, all_remarks, keys)
    unusual, n_batches = _compare_with_history(df, store, dataset)
    return Overview(table.description, table_profile, all_remarks, keys, unusual, n_batches)


def _likely_keys(df: DataFrame, table_profile: Profile) -> dict[tuple[str, ...], float]:
    """Find columns that identify rows: columns with names like a key first, then pairs."""
    if table_profile.rows < 2:
        return {}
    candidates = [
        column
        for column in table_profile.values()
        if not column.nulls
        and column.distinct >= _MIN_DISTINCT_SHARE * table_profile.rows
        and column.kind != "fractional"
    ]
    columns = list(table_profile)
    scores = {
        column.name: uniqueness_of_name(column.name, None, column.type, columns=columns)
        for column in candidates
    }
    tried = sorted(scores, key=lambda name: -scores[name])[:_MAX_KEY_CANDIDATES]
    measured = measure(df, [Uniqueness(name) for name in tried])
    values = {name: measured[Uniqueness(name)].value for name in tried}
    shares = {
        name: float(value) for name, value in values.items() if isinstance(value, float | int)
    }
    has_enough_rows = table_profile.rows >= _MIN_ROWS_FOR_KEY
    keys: dict[tuple[str, ...], float] = {
        (name,): share
        for name, share in shares.items()
        if scores[name] > 0.5 or (has_enough_rows and share == 1)
    }
    return keys or _likely_composite_keys(df, table_profile)


def _likely_composite_keys(df: DataFrame, table_profile: Profile) -> dict[tuple[str, ...], float]:
    if table_profile.rows < _MIN_ROWS_FOR_COMPOSITE_KEY:
        return {}
    likely = [key.columns for key in composite_keys(df, table_profile)]
    measured = measure(df, [Uniqueness(columns) for columns in likely])
    return {columns: 1.0 for columns in likely if measured[Uniqueness(columns)].value == 1}


def _compare_with_history(
    df: DataFrame, store: Store, dataset: str
) -> tuple[tuple[ConstraintResult, ...], int]:
    """Return the metrics that deviate from those of earlier batches, and the number of batches."""
    batches = store.batches(Selection(dataset))
    if not batches:
        return (), 0
    latest = store.metrics(Selection.one(dataset, batches[-1].key))
    analyzers: list[Analyzer] = [record.metric.analyzer for record in latest]
    check = Check("history")
    detector = OnlineNormal(lower=_DEVIATIONS, upper=_DEVIATIONS)
    for analyzer in analyzers:
        check = check.has_no_anomalies(analyzer, detector)
    history = BatchHistory(store, Batch(dataset, "now"))
    result = evaluate(measure(df, analyzers), check, history=history)
    failed = (constraint for constraint in result if constraint.outcome is Outcome.FAILED)
    return tuple(failed), len(batches)


def print_overview(source: str, overview: Overview, out: Console) -> None:
    """Print an overview."""
    out.print(Text.assemble((visible(source), "bold"), f"  {overview.format}"))
    out.print()
    print_profile(overview.profile, out)
    print_observations(overview.remarks, out)
    keys = [key for key, share in overview.keys.items() if share == 1]
    if keys:
        listed = "; ".join(" + ".join(map(visible, key)) for key in keys)
        out.print(Text.assemble(("\nLikely keys  ", "bold"), listed))
    if overview.n_batches is not None:
        _print_comparison(overview, overview.n_batches, out)


def _print_comparison(overview: Overview, n_batches: int, out: Console) -> None:
    earlier = counted_batches(n_batches).replace("batch", "earlier batch")
    if not n_batches:
        out.print("\nThe store has no batches of this dataset to compare with.", style="dim")
    elif not overview.unusual:
        out.print(f"\nNothing unusual compared with {earlier}.", style="bold green")
    else:
        out.print(f"\nUnusual compared with {earlier}", style="bold")
        lines = [
            (result.constraint.metric, _describe_deviation(result)) for result in overview.unusual
        ]
        out.print(_list_of(lines))


def _describe_deviation(result: ConstraintResult) -> str:
    reason = "" if result.expected is None else f": {result.expected.reason}"
    return f"{result.metric_text}, expected {result.expected_text}{reason}"


def _list_of(lines: Sequence[tuple[str, str]]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column("", style="yellow")
    table.add_column("", overflow="fold", max_width=40)
    table.add_column("", overflow="fold")
    for subject, sentence in lines[:_MAX_LINES]:
        table.add_row("!", Text(visible(subject), style="bold"), Text(one_line(sentence)))
    return table
