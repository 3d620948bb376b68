"""`compare`: what changed between a table and older ones, and would a gate hold it?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.dataset.batch_keys import names_of
from assay.errors import CheckError
from assay.gate.causes.cause import CauseCode
from assay.gate.compare.changes import JUDGE
from assay.gate.compare.compared_table import ComparedTable
from assay.gate.compare.judge import judge_tables
from assay.gate.compare.match_rows import match_rows
from assay.gate.compare.measure_tables import (
    measure_tables,
    private_columns,
    require_frames,
    select_columns,
)
from assay.gate.compare.row_matches import RowMatches
from assay.gate.diagnose import group_findings
from assay.gate.finding import Finding
from assay.gate.problem import Problem
from assay.io.file_dialect import FileDialect
from assay.learn.fingerprint import metrics
from assay.report.comparison.table_comparison import TableComparison
from assay.store.verdict import Decision
from assay.suite.settings import GateSettings
from assay.text import count_noun, visible

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["compare", "compare_named"]


def compare(
    old: DataFrame | Sequence[DataFrame],
    new: DataFrame,
    *,
    key: str | Iterable[str] = (),
    columns: str | Iterable[str] = (),
    private: str | Iterable[str] = (),
) -> TableComparison:
    """Compare a table with one or several older ones: what changed, the worst first.

    Each table is read in one scan. Nothing is stored.

    Parameters
    ----------
    old
        The older table, or several, the oldest first.
    new
        The new table.
    key
        Columns that identify a row. With a key, one join counts the rows that were added, removed
        or changed. Up to five examples of each are shown.
    columns
        The columns to compare; by default all.
    private
        Columns whose values are never shown.

    Returns
    -------
    TableComparison
        Its problems, its columns in both tables, and whether a gate would hold the new table.

    Raises
    ------
    CheckError
        If a table is not a DataFrame.
    UnknownColumnError
        If a column does not exist.

    Notes
    -----
    With one to seven older tables, a change counts if it is larger than chance and large enough to
    matter (`assay.gate.compare.effects`). It must differ from each older table. With eight or more,
    the limits of a gate are learned from them.

    The share of nulls is compared. In rows that a key matches, null in both tables is not a change.

    Examples
    --------
    >>> import assay
    >>> yesterday = spark.range(100).selectExpr("id", "id % 7 AS shop", "'EUR' AS currency")
    >>> today = spark.range(100, 200).selectExpr("id", "id % 7 AS shop", "'eur' AS currency")
    >>> print(assay.compare(yesterday, today))
    ✗ CHANGED  new        100 rows, 3 columns, compared with old (100 rows)
      1  currency  Upper case became lower case: 'EUR' is now 'eur'. All 100 rows.
      ·  1 column has only new values: id.
    """
    tables = list(old) if isinstance(old, list | tuple) else [old]
    if not tables:
        raise CheckError(
            "the older tables are missing: expected a DataFrame or a list of them, got []."
        )
    names = ["old"] if len(tables) == 1 else [f"old {n}" for n in range(1, len(tables) + 1)]
    frames: dict[str, Any] = {**dict(zip(names, tables, strict=True)), "new": new}
    require_frames(frames)
    return compare_named(frames, key=key, columns=columns, private=private)


def compare_named(
    frames: Mapping[str, DataFrame],
    *,
    key: str | Iterable[str] = (),
    columns: str | Iterable[str] = (),
    private: str | Iterable[str] = (),
    dialects: Mapping[str, FileDialect | None] | None = None,
) -> TableComparison:
    """Compare the last of some named tables with the others.

    Parameters
    ----------
    frames
        The tables by name, the new one last.
    key, columns, private
        As those of `compare`.
    dialects
        How the files of the tables are written.
    """
    keys, chosen = names_of(key), names_of(columns)
    if chosen:
        chosen = tuple(dict.fromkeys((*keys, *chosen)))
    private_names = private_columns(frames, names_of(private), chosen)
    selected = dict(frames)
    if chosen:
        selected = {name: select_columns(df, chosen) for name, df in frames.items()}
    settings = GateSettings(private=private_names)
    *old, new = measure_tables(selected, settings, dialects)
    judgement = judge_tables(new, old, settings, may_repeat=bool(keys))
    problems, rows = judgement.problems, None
    if keys:
        *_, old_frame, new_frame = selected.values()
        ignored = {*new.unreadable_columns, *old[-1].unreadable_columns} - set(keys)
        rows = match_rows(old_frame, new_frame, keys, private=private_names, ignored=ignored)
        problems = _with_repeated_key(problems, rows)
    return TableComparison(
        new=ComparedTable.of(new),
        old=tuple(map(ComparedTable.of, old)),
        problems=problems,
        observations=judgement.observations,
        rows=rows,
        private=frozenset(private_names),
    )


def _with_repeated_key(problems: Sequence[Problem], rows: RowMatches) -> tuple[Problem, ...]:
    """Add the problem of a key that several rows have, if it was unique before."""
    if not rows.repeated_new or rows.repeated_old:
        return tuple(problems)
    repeated = count_noun(rows.repeated_new, "key")
    verb = "occurs" if rows.repeated_new == 1 else "occur"
    sentence = f"{repeated} {verb} in several rows; before, each key was in one row."
    name = ", ".join(map(visible, rows.key))
    finding = Finding(
        JUDGE,
        Decision.HOLD,
        sentence,
        rows.key[0] if len(rows.key) == 1 else None,
        metrics.DISTINCT_RATIO,
        actual=float(rows.repeated_new),
        cause=sentence if len(rows.key) == 1 else f"{name}: {sentence}",
        cause_code=CauseCode.KEY_DUPLICATED,
    )
    others = [
        problem
        for problem in problems
        if (problem.cause_code, problem.columns) != (CauseCode.KEY_DUPLICATED, rows.key)
    ]
    (problem,) = group_findings([finding])
    return tuple(sorted((problem, *others), key=lambda one: not one.holds))
