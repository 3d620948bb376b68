"""Option groups of the commands that use a gate: batches, settings, decisions and marks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import Index, Plan, StoreLocation, parse_time
from assay.cli.reading_options import By, Where

__all__ = [
    "BackfillOptions",
    "BacktestOptions",
    "BatchesArguments",
    "DecisionOptions",
    "GateArguments",
    "GateOptions",
    "MarkOptions",
]

SegmentBy = Annotated[
    str | None,
    typer.Option(
        "--segment-by",
        help="A column that splits each batch into segments, each with its own history.",
        metavar="COLUMN",
    ),
]
SuiteFile = Annotated[
    Path | None, typer.Option(help="Checks and settings in a YAML file.", metavar="FILE")
]
Budget = Annotated[
    str | None,
    typer.Option(
        help="Share of good batches that may be held by mistake. Default: 1/200.", metavar="1/200"
    ),
]
ShareFalse = Annotated[
    float | None,
    typer.Option(
        "--share-false",
        help="Share of the holds that may be false, over all gates of the store that set it.",
        metavar="0.1",
    ),
]
Judges = Annotated[
    list[str] | None,
    typer.Option("--judge", help="Ask only this judge. Repeat for several.", metavar="JUDGE"),
]
Excluded = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude",
        help="Learn nothing about this column. Repeat for several columns.",
        metavar="COLUMN",
    ),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric", help="Learn only about this metric. Repeat for several.", metavar="METRIC"
    ),
]
Dataset = Annotated[str, typer.Argument(help="Name of the dataset.", metavar="DATASET")]


@dataclass(frozen=True)
class GateArguments:
    """The dataset and the batch of `assay gate`."""

    dataset: Dataset
    batch: Annotated[
        str | None,
        typer.Option(
            help="Key of the batch, such as date=2026-11-14. Default: in the path or in --by.",
            metavar="KEY",
        ),
    ] = None
    by: By = None
    where: Where = None


@dataclass(frozen=True)
class GateOptions:
    """Options of `assay gate`."""

    store: StoreLocation = None
    suite: SuiteFile = None
    time: Annotated[
        datetime | None,
        typer.Option(
            help="Time of the batch. Default: the time in its key or file name, else now.",
            metavar="TIME",
            parser=parse_time,
        ),
    ] = None
    budget: Budget = None
    share_false: ShareFalse = None
    index: Index = None
    segment_by: SegmentBy = None
    judge: Judges = None
    exclude: Excluded = None
    metric: Metrics = None
    plan: Plan = False


@dataclass(frozen=True)
class BatchesArguments:
    """A dataset, and files or a table with its batches."""

    dataset: Dataset
    sources: Annotated[
        list[str],
        typer.Argument(
            help=(
                "A folder with a file, a folder or a Hive partition per batch; files; a glob such"
                " as 'in/*.csv'; or a table."
            ),
            metavar="PATH|TABLE…",
            show_default=False,
        ),
    ]
    by: By = None
    where: Where = None


@dataclass(frozen=True)
class BackfillOptions:
    """Options of `assay backfill`."""

    store: StoreLocation = None
    suite: SuiteFile = None
    segment_by: SegmentBy = None


@dataclass(frozen=True)
class BacktestOptions:
    """Options of `assay backtest`."""

    suite: SuiteFile = None
    budget: Budget = None
    share_false: ShareFalse = None
    index: Index = None
    segment_by: SegmentBy = None
    judge: Judges = None
    exclude: Excluded = None
    metric: Metrics = None
    review: Annotated[
        str | None,
        typer.Option(
            help=(
                "Held batches afterwards: none is accepted; release all; or reject those with"
                " failed checks of level error, and release the others. Default: none."
            ),
            metavar="none|release|reject-errors",
        ),
    ] = None
    release: Annotated[
        bool, typer.Option("--release", help="Deprecated: use --review release.", hidden=True)
    ] = False


@dataclass(frozen=True)
class DecisionOptions:
    """The author and the reason of a decision."""

    reason: Annotated[str, typer.Option("--reason", help="Why.")]
    author: Annotated[
        str | None, typer.Option("--by", help="Who decides. Default: your user name.")
    ] = None
    store: StoreLocation = None


@dataclass(frozen=True)
class MarkOptions:
    """The mark that a batch gets."""

    expected: Annotated[
        bool, typer.Option("--expected", help="The batch is good: learn from it.")
    ] = False
    bad: Annotated[bool, typer.Option("--bad", help="The batch is bad: never learn from it.")] = (
        False
    )
    new_normal: Annotated[
        bool,
        typer.Option("--new-normal", help="The batch is good and earlier batches are outdated."),
    ] = False
