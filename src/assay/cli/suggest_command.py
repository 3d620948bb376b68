"""`assay suggest`: suggest checks from the data."""

from __future__ import annotations

from pathlib import Path

from assay.cli.options import OutputOptions, PageOptions, SparkOptions, SuggestOptions
from assay.cli.output import note, print_json, stdout
from assay.cli.page import write_page
from assay.cli.progress import count_rows, progress
from assay.cli.reading_options import TableOptions
from assay.cli.spark import spark_session
from assay.cli.stores import table_name
from assay.cli.table import PLAN_ROWS, command_table
from assay.errors import CheckError
from assay.io.atomic_write import write_atomically
from assay.io.locations import locate_table
from assay.learn.profile import profile_plan
from assay.learn.suggest import (
    Rule,
    Suggestions,
    Thresholds,
    all_rules,
    pattern_rule,
    per_column,
    suggest,
)
from assay.learn.suggest.terminal import print_suggestions
from assay.suite import Suite

__all__ = ["run"]

_SUFFIXES = (".yaml", ".yml", ".py")


def run(
    table: TableOptions,
    output: OutputOptions,
    spark_options: SparkOptions,
    options: SuggestOptions,
    page: PageOptions,
) -> None:
    """Print suggested checks, and write them to a file."""
    source = locate_table(table.source, table.reading)
    path = options.write
    if path is not None and path.suffix not in _SUFFIXES:
        raise CheckError(f"--write: expected a .yaml or .py file, got {path.name!r}.")
    thresholds = Thresholds(
        max_categories=options.max_categories, min_confidence=options.min_confidence
    )
    name = options.table or table_name(table.source)
    with spark_session(spark_options, output, source) as spark:
        df = command_table(spark, table, output, sample_rows=PLAN_ROWS if options.plan else None).df
        if options.plan:
            out = stdout(output)
            out.print(str(profile_plan(df, options.columns)), markup=False, soft_wrap=True)
            out.print(
                "Then a second pass over columns that need a closer look, and two passes that"
                " test the suggestions."
            )
            return
        with progress(output, "Suggesting checks and testing them …") as report:
            suggestions = suggest(
                df,
                options.columns,
                table=name,
                rules=_rules(options.index, thresholds),
                held_out=_share_or_condition(options.held_out),
                sample=options.sample,
            )
            if suggestions.profile is not None:
                report(f"learned from {count_rows(suggestions.profile.rows)}")
    write_page(suggestions, page, output)
    if path is not None:
        _write(suggestions, path, name)
        number = len(suggestions)
        note(output, f"{number} constraint{'' if number == 1 else 's'} written to {path}")
    if output.json:
        print_json({"source": table.source, **suggestions.to_dict()})
    else:
        print_suggestions(suggestions, stdout(output))


def _share_or_condition(held_out: str) -> float | str:
    try:
        return float(held_out)
    except ValueError:
        return held_out


def _rules(index: Path | None, thresholds: Thresholds) -> dict[str, Rule] | Thresholds:
    if index is None:
        return thresholds
    from assay.learn.patterns import PatternIndex

    rules = all_rules(thresholds)
    return {**rules, "patterns": per_column(pattern_rule(PatternIndex.load(index)))}


def _write(suggestions: Suggestions, path: Path, name: str) -> None:
    """Write suggestions with their evidence; an existing suite gets the constraints it lacks."""
    try:
        if path.suffix != ".py" and path.exists():
            suite = Suite.read(path, variables=False)
            Suite(suite.dataset, (suggestions.check(name),)).write(path)
            return
        write_atomically(
            path,
            suggestions.to_python(name) if path.suffix == ".py" else suggestions.to_yaml(name),
        )
    except OSError as error:
        raise CheckError(f"--write: {path} cannot be written: {error.strerror}.") from error
