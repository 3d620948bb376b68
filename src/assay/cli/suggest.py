"""`assay suggest`: checks that write themselves."""

from __future__ import annotations

from pathlib import Path

from assay.cli.options import Output, Session, Table
from assay.cli.output import answer, console, note, working
from assay.cli.session import started
from assay.cli.store import name_of
from assay.cli.table import command_table
from assay.errors import CheckError
from assay.io.atomic_write import write_atomically
from assay.io.locations import locate_table
from assay.learn.profile import profile_plan
from assay.learn.suggest import RULES, Rule, Suggestions, pattern_rule, per_column, suggest
from assay.learn.suggest.terminal import print_suggestions
from assay.suite import Suite

__all__ = ["run"]

_ROWS = 1000


def run(
    options: Table,
    output: Output,
    session: Session,
    *,
    columns: list[str] | None,
    index: Path | None,
    held_out: str,
    write: Path | None,
    plan: bool,
) -> None:
    """Suggest checks, and write them down."""
    source = locate_table(options.source, options.reading)
    if write is not None and write.suffix not in {".yaml", ".yml", ".py"}:
        raise CheckError(f"--write: a suite is written to .yaml or .py, not to {write.name!r}.")
    rules = _rules(index)
    with started(session, output, source) as spark:
        df = command_table(spark, options, output, sample_rows=_ROWS if plan else None).df
        if plan:
            out = console(output)
            out.print(str(profile_plan(df, columns)), markup=False, soft_wrap=True)
            out.print("and a second pass that looks closer; then two that try suggestions")
            return
        with working(output, "Drawing up checks, and trying them …"):
            found = suggest(df, columns, rules=rules, held_out=_share(held_out))
    if write is not None:
        _write(found, write, name_of(options.source))
        note(output, f"{len(found)} demands are written to {write}")
    if output.json:
        answer({"source": options.source, **found.to_dict()})
    else:
        print_suggestions(found, console(output))


def _share(held_out: str) -> float | str:
    try:
        return float(held_out)
    except ValueError:
        return held_out


def _rules(index: Path | None) -> dict[str, Rule]:
    if index is None:
        return RULES
    from assay.learn.patterns import PatternIndex

    return {**RULES, "patterns": per_column(pattern_rule(PatternIndex.load(index)))}


def _write(found: Suggestions, path: Path, name: str) -> None:
    """The evidence too; a suite that is there keeps what people wrote, and gets what it lacks."""
    try:
        if path.suffix != ".py" and path.exists():
            suite = Suite.read(path, variables=False)
            Suite(suite.dataset, (found.check(name),)).write(path)
            return
        write_atomically(
            path, found.to_python(name) if path.suffix == ".py" else found.to_yaml(name)
        )
    except OSError as error:
        raise CheckError(f"--write: {path} cannot be written: {error.strerror}.") from error
