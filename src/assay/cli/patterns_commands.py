"""`assay patterns`: build an index of a lake, infer patterns, validate and tag columns."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table as Rows
from rich.text import Text

from assay.analyzers.counting import Ratio
from assay.analyzers.frequent import Frequent
from assay.analyzers.sample import Sample, Sampled
from assay.analyzers.schema import TEXT
from assay.checks import Check, verify
from assay.checks.assertions.learned_pattern import LearnedPatternAssertion, combine_counts
from assay.checks.formatting import count_noun, visible
from assay.cli.check_command import count_checked_rows, print_and_exit
from assay.cli.exits import Exit, exit_with
from assay.cli.options import LearnedPatternOptions, OutputOptions, ResultOptions, SparkOptions
from assay.cli.output import note, print_json, stdout
from assay.cli.progress import progress
from assay.cli.reading_options import TableOptions
from assay.cli.spark import spark_session
from assay.cli.table import command_table
from assay.engine.frame import schema_of
from assay.engine.measure import measure
from assay.engine.plan import plan_for
from assay.errors import PatternIndexError
from assay.io.locations import is_remote, locate_table
from assay.io.reading import escape_glob, open_table
from assay.learn import patterns as learned
from assay.learn.patterns import InferredPattern, LakeProgress, NoPattern, PatternIndex

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["build", "domains", "infer", "tag", "validate"]

#: unreadable files to list; --json has all
_MAX_LISTED_FILES = 10

Inferred = dict[str, InferredPattern | NoPattern]


def build(
    lake: list[str],
    output: OutputOptions,
    session: SparkOptions,
    *,
    write: Path,
    add: bool,
    tables: bool,
) -> None:
    """Build an index of a lake and write it to a file."""
    existing = _load_index(write) if add else None
    _require_writable(write)
    with (
        spark_session(session, output) as spark,
        progress(output, "Reading the lake …") as show_status,
    ):

        def show_progress(done: LakeProgress) -> None:
            show_status(str(done))

        if tables:
            built = learned.build_index_of_tables(
                spark, lake, add_to=existing, progress=show_progress
            )
        else:
            built = learned.build_index(
                spark, _lake_paths(lake), add_to=existing, progress=show_progress
            )
    built.index.save(write)
    report = built.report
    pattern_count = len(built.index.sums.keys)
    if output.json:
        print_json(
            {
                "index": str(write),
                "tables": report.tables,
                "columns": report.columns,
                "files": report.files,
                "patterns": pattern_count,
                "unreadable": [vars(file) for file in report.unreadable],
                "skipped": list(report.skipped),
            }
        )
        return
    out = stdout(output)
    out.print(str(report), markup=False)
    for file in report.unreadable[:_MAX_LISTED_FILES]:
        out.print(f"  {visible(str(file))}", markup=False, style="yellow")
    out.print(f"{pattern_count:,} patterns are in {write}", markup=False)


def _require_writable(path: Path) -> None:
    """Refuse a target before the lake is read, which can take long."""
    directory = path.absolute().parent
    if path.is_dir():
        reason = "it is a directory"
    elif not directory.is_dir():
        reason = "its directory does not exist"
    elif not os.access(directory, os.W_OK | os.X_OK):
        reason = "its directory is not writable"
    else:
        return
    raise PatternIndexError(f"{path} cannot be written: {reason}.")


def infer(
    options: TableOptions,
    output: OutputOptions,
    session: SparkOptions,
    *,
    columns: list[str] | None,
    index: Path | None,
) -> None:
    """Infer and print the pattern of each string column."""
    source = locate_table(options.source, options.reading)
    lake_index = None if index is None else _load_index(index)
    with spark_session(session, output, source) as spark:
        df = command_table(spark, options, output, as_text=True).df
        with progress(output, "Reading …") as report:
            inferred = _infer_columns(df, columns, lake_index)
            report(_count_values(inferred))
    if output.json:
        print_json([_to_dict(name, pattern) for name, pattern in inferred.items()])
        return
    rows = _table("column", "pattern", "not matching", "columns of the lake")
    for name, pattern in inferred.items():
        column = Text(visible(name), style="bold")
        if isinstance(pattern, NoPattern):
            rows.add_row(column, Text(str(pattern), style="dim"), "", "")
        else:
            rows.add_row(
                column,
                Text(visible(str(pattern.pattern))),
                f"{pattern.missed:,} of {pattern.rows:,}",
                f"{pattern.coverage:,}" if pattern.coverage else "",
            )
    stdout(output).print(rows)


def validate(
    table: TableOptions,
    result_options: ResultOptions,
    output: OutputOptions,
    session: SparkOptions,
    options: LearnedPatternOptions,
) -> None:
    """Check a table's strings against the patterns of an earlier table."""
    locate_table(options.against, table.reading)
    source = locate_table(table.source, table.reading)
    lake_index = None if options.index is None else _load_index(options.index)
    with spark_session(session, output, source) as spark:
        df = command_table(spark, table, output, as_text=True).df
        with progress(output, "Learning …") as report:
            earlier = open_table(spark, options.against, table.reading, as_text=True).df
            sampled = _infer_columns(earlier, options.columns, lake_index)
            inferred = _count_mismatches(earlier, sampled)
            report(_count_values(inferred))
        check = Check("patterns")
        for name, pattern in inferred.items():
            if isinstance(pattern, InferredPattern):
                check = pattern.constraint(name).add_to(check)
        if not check.constraints:
            raise exit_with(f"no column of {options.against} has a pattern.", Exit.NOT_EVALUATED)
        if options.plan:
            plan = plan_for(df, [constraint.analyzer for constraint in check.constraints])
            stdout(output).print(str(plan), markup=False, soft_wrap=True)
            return
        with progress(output, "Checking …") as report:
            result = verify(df, check)
            report(count_checked_rows(result))
        print_and_exit(table.source, result, result_options, output)


def tag(
    lake: list[str],
    output: OutputOptions,
    session: SparkOptions,
    *,
    examples: list[str],
    index: Path,
    tables: bool,
) -> None:
    """Find the columns of a lake whose values are like some examples."""
    domain = learned.tag(examples, _load_index(index))
    if isinstance(domain, NoPattern):
        raise exit_with(f"the examples have {domain}.", Exit.NOT_EVALUATED)
    note(output, f"The pattern of the examples: {domain.pattern}")
    with (
        spark_session(session, output) as spark,
        progress(output, "Reading the lake …") as report,
    ):
        if tables:
            columns = learned.find_columns_in_tables(spark, lake, domain.pattern)
        else:
            columns = learned.find_columns_in_lake(spark, _lake_paths(lake), domain.pattern)
        report(count_noun(len(columns), "matching column"))
    if output.json:
        listed = [column._asdict() for column in columns]
        print_json({"pattern": str(domain.pattern), "columns": listed})
        return
    rows = _table("table", "column", "share")
    for column in columns:
        rows.add_row(
            Text(visible(_as_typed(column.table, lake))),
            Text(visible(column.column), style="bold"),
            f"{column.share:.1%}",
        )
    stdout(output).print(rows if columns else "No column of the lake matches.")


def domains(index: Path, output: OutputOptions, *, most: int, coverage: int) -> None:
    """List the common domains of a lake."""
    listed = learned.domains(_load_index(index), coverage=coverage, most=most)
    if output.json:
        print_json([{**vars(domain), "pattern": str(domain.pattern)} for domain in listed])
        return
    rows = _table("pattern", "columns", "impurity")
    for domain in listed:
        pattern = Text(visible(str(domain.pattern)))
        rows.add_row(pattern, f"{domain.coverage:,}", f"{domain.rate:.3f}")
    stdout(output).print(rows if listed else f"No pattern is in {coverage} columns or more.")


def _load_index(path: Path) -> PatternIndex:
    if not path.is_file():
        raise PatternIndexError(f"no index at {path}. Build one with `assay patterns build`.")
    return PatternIndex.load(path)


def _lake_paths(lake: list[str]) -> list[str]:
    """Return absolute paths in which Spark sees no wildcards; remote paths stay as they are."""
    return [
        path
        if is_remote(path) or not Path(path).exists()
        else escape_glob(str(Path(path).absolute()))
        for path in lake
    ]


def _as_typed(table: str, lake: list[str]) -> str:
    """Return the path of a table relative to the lake as the user typed it."""
    for path in lake:
        root = f"file:{Path(path).absolute()}"
        if table == root or table.startswith(f"{root}/"):
            return path.rstrip("/") + table.removeprefix(root)
    return table


def _infer_columns(
    df: DataFrame, columns: list[str] | None, index: PatternIndex | None
) -> Inferred:
    """Infer the pattern of each string column from a sample of its values."""
    schema = schema_of(df)
    names = columns or [
        name for name in dict.fromkeys(schema.names) if schema.names.count(name) == 1
    ]
    families = {name: schema.column(name).family for name in names}  # raises for unknown columns
    texts = [name for name, family in families.items() if columns or family in TEXT]
    samples = [Sample(name) for name in texts]
    measured = measure(df, [*samples, *map(LearnedPatternAssertion.frequent_values, samples)])
    inferred: Inferred = {}
    for name, sample in zip(texts, samples, strict=True):
        state = measured.states.get(sample)
        frequent = measured.states.get(LearnedPatternAssertion.frequent_values(sample))
        if isinstance(state, Sampled):
            frequent_values = frequent if isinstance(frequent, Frequent) else None
            inferred[name] = learned.infer(combine_counts(state, frequent_values), index)
        else:
            inferred[name] = NoPattern(str(measured[sample].problem))
    return inferred


def _count_values(inferred: Inferred) -> str:
    """Return the number of values of the longest column, for progress."""
    patterns = (pattern for pattern in inferred.values() if isinstance(pattern, InferredPattern))
    return count_noun(max((pattern.rows for pattern in patterns), default=0), "value")


def _count_mismatches(df: DataFrame, inferred: Inferred) -> Inferred:
    """Replace the number of mismatches in the sample by the share of all rows of the table.

    The test counts rows, too, and a sample of distinct values has other shares.
    """
    counts = {
        name: LearnedPatternAssertion.matching_rows(Sample(name), pattern.pattern)
        for name, pattern in inferred.items()
        if isinstance(pattern, InferredPattern)
    }
    states = measure(df, counts.values()).states
    counted = dict(inferred)
    for name, count in counts.items():
        pattern, ratio = inferred[name], states.get(count)
        if isinstance(pattern, InferredPattern) and isinstance(ratio, Ratio) and ratio.rows:
            missed = -(-(ratio.rows - ratio.matches) * pattern.rows // ratio.rows)
            counted[name] = replace(pattern, missed=missed)
    return counted


def _to_dict(name: str, pattern: InferredPattern | NoPattern) -> dict[str, Any]:
    if isinstance(pattern, NoPattern):
        return {"column": name, "pattern": None, "reason": pattern.reason}
    return {
        "column": name,
        "pattern": str(pattern.pattern),
        "rows": pattern.rows,
        "missed": pattern.missed,
        "coverage": pattern.coverage,
        "rate": pattern.rate,
        "yaml": pattern.constraint(name).yaml,
    }


def _table(*headings: str) -> Rows:
    table = Rows(box=None, pad_edge=False, header_style="dim")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table
