"""Documented names of version 0.1 still work. Each raises a warning that names the new one."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import assay
from assay import Check, Dataset, Gate, MemoryStore, Suggestion, Verdict
from assay.checks.codegen.constraint_call import ConstraintCall
from assay.learn import patterns
from assay.store import Batch, DatasetTotals, Decision

CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"
CALL = ConstraintCall.of("is_complete", "id")
BATCH = Batch("orders", "2026-11-14", datetime(2026, 11, 14, tzinfo=UTC))
VERDICT = Verdict(BATCH, Decision.ACCEPT)
RESULT = assay.evaluate(assay.Measurement({}, {}))
SUGGESTION = Suggestion("complete", ("id",), CALL, "", 1.0)
INFERRED = patterns.infer([f"AB-{n}" for n in range(20)])
GATE = Gate("orders", MemoryStore())
DATASET = Dataset("orders", MemoryStore())


def argument(function: Callable[..., Any], old: str) -> Callable[[], Any]:
    return lambda: function(**{old: None})


def attribute(owner: Any, name: str, *args: Any) -> Callable[[], Any]:
    return lambda: getattr(owner, name)(*args) if args else getattr(owner, name)


def untyped(function: Any) -> Any:
    """Return a function whose arguments are not checked: the old ones have other types."""
    return function


#: each old name, its new name, and its use
RENAMED: list[tuple[str, str, Callable[[], Any]]] = [
    *(
        ("reread=", "allow_multiple_reads", argument(function, "reread"))
        for function in (
            assay.verify,
            assay.measure,
            assay.plan,
            assay.profile,
            GATE.submit,
            GATE.backfill,
            GATE.backtest,
            DATASET.append,
            DATASET.load,
            DATASET.propose,
            DATASET.remember,
        )
    ),
    *(
        ("others=", "reference_tables", argument(function, "others"))
        for function in (
            assay.verify,
            assay.evaluate,
            assay.measure,
            assay.plan,
            assay.stream,
            Check("orders").applicable_to,
            GATE.submit,
            DATASET.append,
            DATASET.load,
            DATASET.propose,
        )
    ),
    ("Dataset.append(key=…)", "batch", argument(DATASET.append, "key")),
    (".propose(key=…)", "batch", argument(DATASET.propose, "key")),
    (".retract(key=…)", "batch", argument(DATASET.retract, "key")),
    (".take_out(key=…)", "batch", argument(DATASET.take_out, "key")),
    ("hide=", "hash_values", argument(assay.plan, "hide")),
    ("Gate(closed=…)", "on_error", lambda: Gate("orders", MemoryStore(), closed=True)),
    ("Gate.submit(df, Batch(…))", "Gate.submit", lambda: untyped(GATE.submit)(None, BATCH)),
    ("Gate.submit(writing=…)", "dialect", argument(GATE.submit, "writing")),
    ("Result.split(column=…)", "error_column", argument(RESULT.split, "column")),
    ("Verdict.spent", "false_alarm_rate", attribute(VERDICT, "spent")),
    (".history", "n_history", attribute(VERDICT, "history")),
    (".record", "track_record", attribute(VERDICT, "record")),
    ("Suggestion.demand", "constraint", attribute(SUGGESTION, "demand")),
    (".on", "add_to", attribute(SUGGESTION, "on", Check("orders"))),
    ("Learned.demand", "constraint", attribute(INFERRED, "demand", "id")),
    *(
        (old, new, attribute(patterns, old))
        for old, new in {
            "Built": "BuiltIndex",
            "Learned": "InferredPattern",
            "Progress": "LakeProgress",
            "Report": "LakeReport",
            "Statistics": "IndexStatistics",
            "Tagged": "TaggedColumn",
            "Unreadable": "UnreadableFile",
            "index_of": "build_index_of_columns",
            "tagged": "find_columns",
            "tagged_in": "find_columns_in_lake",
            "tagged_in_tables": "find_columns_in_tables",
        }.items()
    ),
    ("Search(whole=…)", "column_impurity", argument(patterns.Search, "whole")),
    ("Dataset.selection", "batches", lambda: DATASET.selection()),
    (".proposed", "propose_measured", attribute(DATASET, "proposed", BATCH, None)),
    ("Store.write(whole=…)", "totals", argument(MemoryStore().write, "whole")),
    ("assay.store.whole", "dataset_totals", attribute(import_module("assay.store"), "whole")),
    ("DatasetTotals(seen=…)", "as_of", argument(DatasetTotals, "seen")),
    ("DatasetTotals.seen", "as_of", attribute(DatasetTotals(0, assay.Measurement({}, {})), "seen")),
    ("assay.report.dedup", "notify", attribute(import_module("assay.report.dedup"), "notify_once")),
]


@pytest.mark.parametrize(
    ("new", "use"), [(new, use) for _, new, use in RENAMED], ids=[old for old, *_ in RENAMED]
)
def test_an_old_name_warns_and_names_the_new_one(new: str, use: Callable[[], Any]) -> None:
    # the calls lack other arguments, and fail after the warning
    message = rf"removed in version 0\.3: use .*{new}"
    with pytest.warns(DeprecationWarning, match=message), suppress(Exception):
        use()


def test_the_changelog_lists_these_names() -> None:
    text = CHANGELOG.read_text(encoding="utf-8")
    table = re.findall(r"^\| (`.*) \| (`.*) \|$", text, re.MULTILINE)
    listed = {name for old, _ in table for name in re.findall(r"`([^`]+)`", old)}
    assert listed - {"stream(trigger={…})"} == {old for old, *_ in RENAMED}
