"""`assay patterns`: what strings look like, learned from a lake."""

from __future__ import annotations

import os
from collections.abc import Mapping
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
from assay.checks.formatting import visible
from assay.cli.check_command import print_and_exit
from assay.cli.exits import Exit, exit_with
from assay.cli.options import (
    LearnedPatternOptions,
    OutputOptions,
    ResultOptions,
    SparkOptions,
    TableOptions,
)
from assay.cli.output import note, print_json, progress, stdout
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

_UNREADABLE = 10


def build(
    lake: list[str],
    output: OutputOptions,
    session: SparkOptions,
    *,
    write: Path,
    add: bool,
    tables: bool,
) -> None:
    """Index a lake."""
    before = _index(write) if add else None
    if write.is_dir():
        raise PatternIndexError(f"{write} cannot be written: it is a directory.")
    if not write.absolute().parent.is_dir():
        raise PatternIndexError(f"{write} cannot be written: its directory is not there.")
    if not os.access(write.absolute().parent, os.W_OK | os.X_OK):
        raise PatternIndexError(f"{write} cannot be written: its directory cannot be written to.")
    with spark_session(session, output) as spark, progress(output, "Reading the lake …") as how_far:

        def tell(done: LakeProgress) -> None:
            how_far(str(done))

        if tables:
            built = learned.build_index_of_tables(spark, lake, add_to=before, progress=tell)
        else:
            built = learned.build_index(spark, _paths(lake), add_to=before, progress=tell)
    built.index.save(write)
    report = built.report
    if output.json:
        print_json(
            {
                "index": str(write),
                "tables": report.tables,
                "columns": report.columns,
                "files": report.files,
                "patterns": len(built.index.sums.keys),
                "unreadable": [vars(each) for each in report.unreadable],
                "skipped": list(report.skipped),
            }
        )
        return
    out = stdout(output)
    out.print(str(report), markup=False)
    for each in report.unreadable[:_UNREADABLE]:
        out.print(f"  {visible(str(each))}", markup=False, style="yellow")
    out.print(f"{len(built.index.sums.keys):,} patterns are in {write}", markup=False)


def infer(
    options: TableOptions,
    output: OutputOptions,
    session: SparkOptions,
    *,
    columns: list[str] | None,
    index: Path | None,
) -> None:
    """Say which pattern describes each column of strings."""
    source = locate_table(options.source, options.reading)
    known = None if index is None else _index(index)
    with spark_session(session, output, source) as spark:
        df = command_table(spark, options, output, as_text=True).df
        with progress(output, "Reading …"):
            found = _learned(df, columns, known)
    if output.json:
        print_json([_said(name, each) for name, each in found.items()])
        return
    rows = _rows("column", "pattern", "not matching", "columns of the lake")
    for name, each in found.items():
        if isinstance(each, NoPattern):
            rows.add_row(Text(visible(name), style="bold"), Text(str(each), style="dim"), "", "")
        else:
            rows.add_row(
                Text(visible(name), style="bold"),
                Text(visible(str(each.pattern))),
                f"{each.missed:,} of {each.rows:,}",
                f"{each.coverage:,}" if each.coverage else "",
            )
    stdout(output).print(rows)


def validate(
    table: TableOptions,
    result_options: ResultOptions,
    output: OutputOptions,
    session: SparkOptions,
    options: LearnedPatternOptions,
) -> None:
    """Judge a table's strings by what those of another looked like."""
    locate_table(options.against, table.reading)
    source = locate_table(table.source, table.reading)
    known = None if options.index is None else _index(options.index)
    with spark_session(session, output, source) as spark:
        df = command_table(spark, table, output, as_text=True).df
        with progress(output, "Learning …"):
            before = open_table(spark, options.against, table.reading, as_text=True).df
            found = _counted(before, _learned(before, options.columns, known))
        check = Check("patterns")
        for name, each in found.items():
            if isinstance(each, InferredPattern):
                check = each.constraint(name).add_to(check)
        if not check.constraints:
            raise exit_with(f"no column of {options.against} has a pattern.", Exit.NOT_EVALUATED)
        if options.plan:
            asked = [each.analyzer for each in check.constraints]
            stdout(output).print(str(plan_for(df, asked)), markup=False, soft_wrap=True)
            return
        with progress(output, "Checking …"):
            result = verify(df, check)
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
    """Find the columns of a lake that are of a domain."""
    domain = learned.tag(examples, _index(index))
    if isinstance(domain, NoPattern):
        raise exit_with(f"the examples have {domain}.", Exit.NOT_EVALUATED)
    note(output, f"They are like {domain.pattern}")
    with spark_session(session, output) as spark, progress(output, "Reading the lake …"):
        if tables:
            found = learned.find_columns_in_tables(spark, lake, domain.pattern)
        else:
            found = learned.find_columns_in_lake(spark, _paths(lake), domain.pattern)
    if output.json:
        print_json({"pattern": str(domain.pattern), "columns": [each._asdict() for each in found]})
        return
    rows = _rows("table", "column", "share")
    for each in found:
        rows.add_row(
            Text(visible(_given(each.table, lake))),
            Text(visible(each.column), style="bold"),
            f"{each.share:.1%}",
        )
    stdout(output).print(rows if found else "No column of the lake is of it.")


def domains(index: Path, output: OutputOptions, *, most: int, coverage: int) -> None:
    """List a lake's common domains."""
    found = learned.domains(_index(index), coverage=coverage, most=most)
    if output.json:
        print_json([{**vars(each), "pattern": str(each.pattern)} for each in found])
        return
    rows = _rows("pattern", "columns", "impurity")
    for each in found:
        rows.add_row(Text(visible(str(each.pattern))), f"{each.coverage:,}", f"{each.rate:.3f}")
    stdout(output).print(rows if found else f"No pattern is in {coverage} columns or more.")


def _index(path: Path) -> PatternIndex:
    if not path.is_file():
        raise PatternIndexError(f"there is no index at {path}: `assay patterns build` writes one.")
    return PatternIndex.load(path)


def _paths(lake: list[str]) -> list[str]:
    """Paths that Spark takes for themselves."""
    return [
        path
        if is_remote(path) or not Path(path).exists()
        else escape_glob(str(Path(path).absolute()))
        for path in lake
    ]


def _given(table: str, lake: list[str]) -> str:
    """The path of a table, as the lake was given."""
    for each in lake:
        root = f"file:{Path(each).absolute()}"
        if table == root or table.startswith(f"{root}/"):
            return each.rstrip("/") + table.removeprefix(root)
    return table


def _learned(
    df: DataFrame, columns: list[str] | None, index: PatternIndex | None
) -> dict[str, InferredPattern | NoPattern]:
    """What the values of each column of strings look like, by a sample of them."""
    schema = schema_of(df)
    names = columns or [
        each for each in dict.fromkeys(schema.names) if schema.names.count(each) == 1
    ]
    found_columns = {each: schema.column(each) for each in names}
    texts = [each for each, column in found_columns.items() if columns or column.family in TEXT]
    asked = [Sample(each) for each in texts]
    measured = measure(df, [*asked, *map(LearnedPatternAssertion.frequent_values, asked)])
    found: dict[str, InferredPattern | NoPattern] = {}
    for each in texts:
        state = measured.states.get(Sample(each))
        frequent = measured.states.get(LearnedPatternAssertion.frequent_values(Sample(each)))
        problem = measured[Sample(each)].problem
        if isinstance(state, Sampled):
            alike = frequent if isinstance(frequent, Frequent) else None
            found[each] = learned.infer(combine_counts(state, alike), index)
        else:
            found[each] = NoPattern(str(problem))
    return found


def _counted(
    df: DataFrame, found: Mapping[str, InferredPattern | NoPattern]
) -> dict[str, InferredPattern | NoPattern]:
    """With the share of all rows that do not match, as the test counts them, for the sample's."""
    counts = {
        name: LearnedPatternAssertion.matching_rows(Sample(name), each.pattern)
        for name, each in found.items()
        if isinstance(each, InferredPattern)
    }
    states = measure(df, counts.values()).states
    counted: dict[str, InferredPattern | NoPattern] = dict(found)
    for name, count in counts.items():
        each, ratio = found[name], states.get(count)
        if isinstance(each, InferredPattern) and isinstance(ratio, Ratio) and ratio.rows:
            missed = -(-(ratio.rows - ratio.matches) * each.rows // ratio.rows)
            counted[name] = replace(each, missed=missed)
    return counted


def _said(name: str, each: InferredPattern | NoPattern) -> dict[str, Any]:
    if isinstance(each, NoPattern):
        return {"column": name, "pattern": None, "reason": each.reason}
    return {
        "column": name,
        "pattern": str(each.pattern),
        "rows": each.rows,
        "missed": each.missed,
        "coverage": each.coverage,
        "rate": each.rate,
        "yaml": each.constraint(name).yaml,
    }


def _rows(*titles: str) -> Rows:
    rows = Rows(box=None, pad_edge=False, header_style="dim")
    for title in titles:
        rows.add_column(title, overflow="fold")
    return rows
