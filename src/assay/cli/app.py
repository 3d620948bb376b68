"""The commands, their options and their help. What they do is imported when they are called."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from assay.cli.options import Files, Judging, Manner, Output, Session, Table, command

__all__ = ["app"]

_EPILOG = (
    "Exit codes: 0 clean (warnings allowed), 1 an error-level check failed, 2 bad usage or"
    " configuration, 3 could not be evaluated, 4 the batch is held."
)

app = typer.Typer(
    help="Assay keeps bad data out of Spark pipelines.",
    epilog=_EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
patterns = typer.Typer(
    help="Learn from a lake what strings look like, and find what does not.", no_args_is_help=True
)
app.add_typer(patterns, name="patterns")
quarantine = typer.Typer(
    help="Batches that are held, and what becomes of them.", no_args_is_help=True
)
app.add_typer(quarantine, name="quarantine")

Columns = Annotated[
    list[str] | None, typer.Option("--column", "-c", help="Only this column; may be repeated.")
]
Plan = Annotated[bool, typer.Option("--plan", help="Print the passes and run nothing.")]
Index = Annotated[
    Path | None, typer.Option(help="An index that `patterns build` has written.", metavar="FILE")
]
Store = Annotated[
    Path | None,
    typer.Option(
        help="The store's directory.", metavar="DIR", envvar="ASSAY_STORE", file_okay=False
    ),
]


def _version(wanted: bool) -> None:
    if wanted:
        from assay import __version__

        typer.echo(f"assay {__version__}")
        raise typer.Exit


@app.callback()
def _assay(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which it is.")
    ] = False,
) -> None:
    pass


@app.command()
@command
def check(
    table: Table,
    judging: Judging,
    output: Output,
    session: Session,
    suite: Annotated[
        Path | None, typer.Option(help="Checks in YAML; without, a look at it all.", metavar="FILE")
    ] = None,
    store: Store = None,
    dataset: Annotated[
        str | None, typer.Option(help="Its name in the store; else the file's own.")
    ] = None,
    plan: Plan = False,
) -> None:
    """Check a table: against a suite, or by looking at all that is odd about it."""
    from assay.cli.check import run

    run(table, judging, output, session, suite=suite, store=store, dataset=dataset, plan=plan)


@app.command()
@command
def profile(
    table: Table, output: Output, session: Session, columns: Columns = None, plan: Plan = False
) -> None:
    """What is in each column: types, nulls, distinct values, distributions."""
    from assay.cli.profile import run

    run(table, output, session, columns=columns, plan=plan)


@app.command()
@command
def suggest(
    table: Table,
    output: Output,
    session: Session,
    columns: Columns = None,
    index: Index = None,
    held_out: Annotated[
        str,
        typer.Option(help="Rows to try suggestions on: a share, or a condition in SQL."),
    ] = "0.2",
    write: Annotated[
        Path | None,
        typer.Option(help="Write them as a suite (.yaml) or as code (.py).", metavar="FILE"),
    ] = None,
    plan: Plan = False,
) -> None:
    """Checks that write themselves: drawn from some rows, tried on others."""
    from assay.cli.suggest import run

    run(
        table,
        output,
        session,
        columns=columns,
        index=index,
        held_out=held_out,
        write=write,
        plan=plan,
    )


Dataset = Annotated[str, typer.Argument(help="The name of the dataset.", metavar="DATASET")]
Folder = Annotated[
    Path,
    typer.Argument(help="A folder with a file for each batch.", metavar="DIR", file_okay=False),
]
SuiteFile = Annotated[
    Path | None, typer.Option(help="Checks and settings in YAML.", metavar="FILE")
]
Budget = Annotated[
    str | None,
    typer.Option(help="The share of good batches that may be held by mistake.", metavar="1/200"),
]
Run = Annotated[
    str,
    typer.Argument(help="A batch that was judged, as DATASET/BATCH.", metavar="DATASET/BATCH"),
]
Author = Annotated[str | None, typer.Option("--by", help="Who says so; you, if not given.")]
Reason = Annotated[str, typer.Option("--reason", help="Why.")]


def _moment(given: str) -> datetime:
    try:
        return datetime.fromisoformat(given)
    except ValueError:
        said = f"{given!r} is no time, such as 2026-11-14 or 2026-11-14T06:30."
        raise typer.BadParameter(said) from None


@app.command()
@command
def gate(
    dataset: Dataset,
    table: Table,
    judging: Judging,
    output: Output,
    session: Session,
    batch: Annotated[str, typer.Option(help="Its key, such as date=2026-11-14.", metavar="KEY")],
    store: Store = None,
    suite: SuiteFile = None,
    time: Annotated[
        datetime | None,
        typer.Option(
            help="When it came; else the time in its key or its file's name, or now.",
            metavar="TIME",
            parser=_moment,
        ),
    ] = None,
    budget: Budget = None,
    index: Index = None,
    plan: Plan = False,
) -> None:
    """Submit a batch: measured once, judged by all, let in or held (exit code 4)."""
    from assay.cli.gate import submit as run

    run(
        dataset,
        table,
        judging,
        output,
        session,
        batch=batch,
        store=store,
        suite=suite,
        time=time,
        budget=budget,
        index=index,
        plan=plan,
    )


@app.command()
@command
def backfill(
    dataset: Dataset,
    folder: Folder,
    files: Files,
    output: Output,
    session: Session,
    store: Store = None,
    suite: SuiteFile = None,
) -> None:
    """Remember existing batches as history, without judging them."""
    from assay.cli.gate import backfill as run

    run(dataset, folder, files, output, session, store=store, suite=suite)


@app.command()
@command
def backtest(
    dataset: Dataset,
    folder: Folder,
    files: Files,
    output: Output,
    session: Session,
    suite: SuiteFile = None,
    budget: Budget = None,
    index: Index = None,
    release: Annotated[
        bool, typer.Option("--release", help="As if every held batch had been let in after all.")
    ] = False,
) -> None:
    """Replay a history: what would have been held, each batch judged by those before it."""
    from assay.cli.gate import backtest as run

    run(
        dataset,
        folder,
        files,
        output,
        session,
        suite=suite,
        budget=budget,
        index=index,
        release=release,
    )


@app.command()
@command
def explain(run: Run, *, output: Output, store: Store = None) -> None:
    """Why a batch was held or warned of, and what was said of it since."""
    from assay.cli.quarantine import explain as told

    told(run, output, store=store)


@app.command()
@command
def report(
    run: Run,
    *,
    manner: Manner,
    write: Annotated[Path, typer.Option("--output", "-o", help="The file.", metavar="FILE.html")],
    store: Store = None,
) -> None:
    """Write the report on a batch: one file of HTML, without network or scripts."""
    from assay.cli.report import run as written

    written(run, manner, store=store, path=write)


@app.command()
@command
def mark(
    run: Run,
    *,
    manner: Manner,
    reason: Reason,
    expected: Annotated[bool, typer.Option("--expected", help="It was fine.")] = False,
    bad: Annotated[bool, typer.Option("--bad", help="Nothing may be learned from it.")] = False,
    new_normal: Annotated[
        bool, typer.Option("--new-normal", help="It is fine, and what was before is over.")
    ] = False,
    author: Author = None,
    store: Store = None,
) -> None:
    """Say what a batch was: what is learned from now on depends on it."""
    from assay.cli.quarantine import mark as said
    from assay.store.verdict import MarkKind

    kinds = {MarkKind.EXPECTED: expected, MarkKind.BAD: bad, MarkKind.NEW_NORMAL: new_normal}
    meant = [kind for kind, given in kinds.items() if given]
    if len(meant) != 1:
        raise typer.BadParameter("say one of --expected, --bad and --new-normal.")
    said(run, meant[0], manner, store=store, author=author, reason=reason)


@quarantine.command(name="list")
@command
def listed(
    dataset: Annotated[
        str | None, typer.Argument(help="Only this dataset's.", metavar="DATASET")
    ] = None,
    *,
    output: Output,
    store: Store = None,
) -> None:
    """The batches that wait for somebody."""
    from assay.cli.quarantine import listed as told

    told(dataset, output, store=store)


@quarantine.command()
@command
def show(run: Run, *, output: Output, store: Store = None) -> None:
    """A held batch: its findings, and its columns now against then."""
    from assay.cli.quarantine import shown_of as told

    told(run, output, store=store)


@quarantine.command()
@command
def release(
    run: Run, *, manner: Manner, reason: Reason, author: Author = None, store: Store = None
) -> None:
    """Let a held batch in: it becomes part of the dataset, and is learned from."""
    from assay.cli.quarantine import release as done

    done(run, manner, store=store, author=author, reason=reason)


@quarantine.command()
@command
def reject(
    run: Run, *, manner: Manner, reason: Reason, author: Author = None, store: Store = None
) -> None:
    """Never let a held batch in."""
    from assay.cli.quarantine import reject as done

    done(run, manner, store=store, author=author, reason=reason)


@app.command()
@command
def history(
    dataset: Annotated[
        str | None,
        typer.Argument(
            help="Its name in the store; without, all that are there.", metavar="DATASET"
        ),
    ] = None,
    *,
    output: Output,
    store: Store = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(help="Only this metric, such as 'Mean(amount)'; may be repeated."),
    ] = None,
    last: Annotated[int, typer.Option(min=2, help="So many batches at most.")] = 30,
) -> None:
    """How a dataset's metrics went, batch by batch, from a store."""
    from assay.cli.history import run

    run(dataset, output, store=store, metrics=metric, last=last)


@app.command()
@command
def doctor(output: Output, session: Session, store: Store = None) -> None:
    """Whether all that Assay needs is there: Java, Spark, Connect, a store."""
    from assay.cli.doctor import run

    run(output, session, store=store)


@app.command()
@command
def demo(
    manner: Manner,
    session: Session,
    write: Annotated[
        Path | None,
        typer.Option(help="Only write the flights there, a file a day.", metavar="DIR"),
    ] = None,
) -> None:
    """Two weeks of real flights, checked: what it looks like."""
    from assay.cli.demo import run

    run(manner, session, write=write)


Lake = Annotated[
    list[str],
    typer.Argument(help="Paths, or tables such as 'sales.*'.", metavar="LAKE"),
]
Tables = Annotated[bool, typer.Option("--tables", help="Names of tables are given, not paths.")]


@patterns.command()
@command
def build(
    lake: Lake,
    *,
    output: Output,
    session: Session,
    write: Annotated[Path, typer.Option(help="The file of the index.", metavar="FILE")],
    add: Annotated[bool, typer.Option("--add", help="Add to the index that is there.")] = False,
    tables: Tables = False,
) -> None:
    """Read a lake once, and write what its columns look like."""
    from assay.cli.patterns import build as run

    run(lake, output, session, write=write, add=add, tables=tables)


@patterns.command()
@command
def infer(
    table: Table, output: Output, session: Session, columns: Columns = None, index: Index = None
) -> None:
    """Which pattern describes each column of strings."""
    from assay.cli.patterns import infer as run

    run(table, output, session, columns=columns, index=index)


@patterns.command()
@command
def validate(
    table: Table,
    judging: Judging,
    output: Output,
    session: Session,
    against: Annotated[
        str, typer.Option(help="The table that patterns are learned from.", metavar="PATH|TABLE")
    ],
    columns: Columns = None,
    index: Index = None,
    plan: Plan = False,
) -> None:
    """Whether a table's strings look as those of another, older one did."""
    from assay.cli.patterns import validate as run

    run(table, judging, output, session, against=against, columns=columns, index=index, plan=plan)


@patterns.command()
@command
def tag(
    lake: Lake,
    *,
    output: Output,
    session: Session,
    example: Annotated[
        list[str], typer.Option("--example", "-e", help="A value of it; may be repeated.")
    ],
    index: Annotated[
        Path, typer.Option(help="An index that `patterns build` has written.", metavar="FILE")
    ],
    tables: Tables = False,
) -> None:
    """By example: the columns of a lake that are of one domain."""
    from assay.cli.patterns import tag as run

    run(lake, output, session, examples=example, index=index, tables=tables)


@patterns.command()
@command
def domains(
    index: Annotated[Path, typer.Argument(help="The file of an index.", metavar="INDEX")],
    *,
    output: Output,
    most: Annotated[int, typer.Option(min=1, help="So many at most.")] = 30,
    coverage: Annotated[int, typer.Option(min=1, help="In so many columns at least.")] = 5,
) -> None:
    """What a lake is made of: the patterns that many of its columns share."""
    from assay.cli.patterns import domains as run

    run(index, output, most=most, coverage=coverage)
