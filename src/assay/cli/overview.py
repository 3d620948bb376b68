"""A table at first sight: its profile, what is odd, likely keys, what history says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.analyzers import Uniqueness
from assay.analyzers.analyzer import Analyzer
from assay.checks import Check, ConstraintResult, Outcome, evaluate
from assay.checks.formatting import format_value, one_line, visible
from assay.dataset.batch_history import BatchHistory
from assay.engine.measure import measure
from assay.io.reading import OpenTable
from assay.learn.anomaly import OnlineNormal
from assay.learn.profile import Profile, profile
from assay.learn.profile.observations import Observation, find_observations
from assay.learn.profile.terminal import print_profile
from assay.learn.suggest.composite_keys import composite_keys
from assay.learn.suggest.names import uniqueness_of_name
from assay.store import Batch, Selection

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from assay.store import Store

__all__ = ["Overview", "overview", "print_overview"]

#: columns that are tried as keys
_TRIED = 3
_NEARLY = 0.95
#: fewer rows are told apart by a column, or by several, that only happen to
_FEW, _MANY = 100, 1000
#: wider tables are not shown column by column
_COLUMNS = 60
_REMARKS = 40
#: a table has many metrics, and each may be off by chance
_DEVIATIONS = 4


@dataclass(frozen=True)
class Overview:
    """What is seen; `keys` have the share of rows that they tell apart."""

    described: str
    profile: Profile
    remarks: tuple[Observation, ...]
    keys: Mapping[tuple[str, ...], float]
    unusual: tuple[ConstraintResult, ...] = ()
    past: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return {
            "format": self.described,
            **self.profile.to_dict(),
            "remarks": [vars(each) for each in self.remarks],
            "keys": [{"columns": list(key), "unique": n} for key, n in self.keys.items()],
            "batches": self.past,
            "unusual": [each.to_dict() for each in self.unusual],
        }


def overview(found: OpenTable, store: Store | None, dataset: str) -> Overview:
    """Look at a table: three passes or so over it."""
    df = found.df
    drawn = profile(df)
    names = Counter(each.lower() for each in df.columns)
    keys = _keys(df, drawn)
    said = (
        *find_observations(drawn, names),
        *(
            Observation(
                key[0], "nearly_key", f"is nearly a key: {share:.2%} of rows are told apart"
            )
            for key, share in keys.items()
            if share < 1
        ),
    )
    if store is None:
        return Overview(found.description, drawn, said, keys)
    unusual, past = _unusual(df, store, dataset)
    return Overview(found.description, drawn, said, keys, unusual, past)


def _keys(df: DataFrame, drawn: Profile) -> dict[tuple[str, ...], float]:
    """Columns that tell rows apart: those whose names promise it first, then pairs."""
    if drawn.rows < 2:
        return {}
    able = [
        each
        for each in drawn.values()
        if not each.nulls and each.distinct >= _NEARLY * drawn.rows and each.kind != "fractional"
    ]
    columns = list(drawn)
    scores = {
        each.name: uniqueness_of_name(each.name, None, each.type, columns=columns) for each in able
    }
    tried = sorted(scores, key=lambda name: -scores[name])[:_TRIED]
    measured = measure(df, [Uniqueness(name) for name in tried])
    found = {name: measured[Uniqueness(name)].value for name in tried}
    shares = {name: float(n) for name, n in found.items() if isinstance(n, float | int)}
    told = drawn.rows >= _FEW
    keys: dict[tuple[str, ...], float] = {
        (name,): n for name, n in shares.items() if scores[name] > 0.5 or (told and n == 1)
    }
    return keys or _composite(df, drawn)


def _composite(df: DataFrame, drawn: Profile) -> dict[tuple[str, ...], float]:
    """Two or three columns that tell rows apart, where these are too many for an accident."""
    if drawn.rows < _MANY:
        return {}
    likely = [each.columns for each in composite_keys(df, drawn)]
    measured = measure(df, [Uniqueness(each) for each in likely])
    return {each: 1.0 for each in likely if measured[Uniqueness(each)].value == 1}


def _unusual(df: DataFrame, store: Store, dataset: str) -> tuple[tuple[ConstraintResult, ...], int]:
    """The metrics that are not what those of the batches before let expect."""
    past = store.batches(Selection(dataset))
    if not past:
        return (), 0
    latest = store.metrics(Selection.one(dataset, past[-1].key))
    asked: list[Analyzer] = [each.metric.analyzer for each in latest]
    check = Check("history")
    detector = OnlineNormal(lower=_DEVIATIONS, upper=_DEVIATIONS)
    for each in asked:
        check = check.has_no_anomalies(each, detector)
    history = BatchHistory(store, Batch(dataset, "now"))
    result = evaluate(measure(df, asked), check, history=history)
    return tuple(each for each in result if each.outcome is Outcome.FAILED), len(past)


def print_overview(source: str, seen: Overview, out: Console) -> None:
    """Print it."""
    out.print(Text.assemble((visible(source), "bold"), f"  {seen.described}"))
    out.print()
    if len(seen.profile) <= _COLUMNS:
        print_profile(seen.profile, out)
    else:
        out.print(
            f"{len(seen.profile):,} columns, {seen.profile.rows:,} rows (assay profile shows each)"
        )
    if seen.remarks:
        alike: dict[str, list[str]] = {}
        for each in seen.remarks:
            alike.setdefault(each.sentence, []).append(each.column)
        out.print("\nWorth a look", style="bold")
        out.print(_listed([(", ".join(columns), said) for said, columns in alike.items()]))
        if len(alike) > _REMARKS:
            out.print(f"… and {len(alike) - _REMARKS} more (--json has all)", style="dim")
    whole = [key for key, share in seen.keys.items() if share == 1]
    if whole:
        said = "; ".join(" + ".join(map(visible, key)) for key in whole)
        out.print(Text.assemble(("\nLikely keys  ", "bold"), said))
    if seen.past is not None:
        _print_past(seen, out)


def _print_past(seen: Overview, out: Console) -> None:
    if not seen.past:
        out.print("\nThe store has no batches of it.", style="dim")
    elif not seen.unusual:
        out.print(f"\nNothing unusual beside the {seen.past:,} batches before.", style="bold green")
    else:
        out.print(f"\nUnusual beside the {seen.past:,} batches before", style="bold")
        out.print(_listed([(each.constraint.metric, _unlike(each)) for each in seen.unusual]))


def _unlike(each: ConstraintResult) -> str:
    reason = "" if each.expected is None else f": {each.expected.reason}"
    return f"{format_value(each.value)}, expected {each.expected_text}{reason}"


def _listed(lines: Sequence[tuple[str, str]]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column("", style="yellow")
    table.add_column("", overflow="fold", max_width=40)
    table.add_column("", overflow="fold")
    for subject, sentence in lines[:_REMARKS]:
        table.add_row("!", Text(visible(subject), style="bold"), Text(one_line(sentence)))
    return table
