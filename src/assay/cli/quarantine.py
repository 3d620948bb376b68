"""`assay quarantine`, `explain` and `mark`: what becomes of held batches, and what people say."""

from __future__ import annotations

import getpass
import math
from pathlib import Path

from rich.table import Table as Grid
from rich.text import Text

from assay.checks.formatting import format_value, visible, whole_seconds
from assay.cli.options import Manner, Output
from assay.cli.output import answer, console
from assay.cli.store import datasets_of, existing, known
from assay.errors import StoreError, nearest
from assay.gate.finding import Finding
from assay.gate.gate import Gate
from assay.gate.quarantine import Inspection, Quarantine
from assay.learn.fingerprint.facts import Facts
from assay.report.terminal import print_findings
from assay.store import Selection, Store
from assay.store.verdict import MarkKind, VerdictRecord

__all__ = ["explain", "listed", "mark", "reject", "release", "run_of", "shown_of", "store_of"]


def run_of(store: Store, run: str) -> VerdictRecord:
    """The last verdict on a run, which is written DATASET/BATCH; of a dataset alone, its last.

    A batch is named as it was submitted. Both names may have slashes.
    """
    dataset, key = _parted(store, run)
    said = store.verdicts(Selection(dataset))
    if not said:
        guess = nearest(dataset, datasets_of(store))
        hint = f"; did you mean {guess!r}?" if guess else "."
        raise StoreError(f"no batch of {dataset!r} was judged{hint}")
    found = [each for each in said if not key or each.key == key]
    if not found:
        guess = nearest(key, [each.key for each in said])
        hint = f"; did you mean {guess!r}?" if guess else "."
        raise StoreError(f"no batch {key!r} of {dataset!r} was judged{hint}")
    return found[-1]


def explain(run: str, output: Output, *, store: Path | None) -> None:
    """All that was found about a batch, and what people said of it since."""
    memory = store_of(store)
    verdict = run_of(memory, run)
    if output.json:
        marks = memory.marks(Selection.one(verdict.dataset, verdict.key))
        findings = [Finding.read(each) for each in verdict.findings]
        answer(
            {
                "dataset": verdict.dataset,
                "batch": verdict.key,
                "decision": verdict.decision.value,
                "findings": [each.to_dict() for each in findings],
                "marks": [
                    {"kind": each.kind.value, "author": each.author, "reason": each.reason}
                    for each in marks
                ],
            }
        )
        return
    _tell(verdict, memory, output)


def _tell(
    verdict: VerdictRecord, memory: Store, output: Output, *, each: int | None = None
) -> None:
    """A verdict, so many findings of each column, and what was said of it."""
    out = console(output)
    name = f"{visible(verdict.dataset)} {visible(verdict.key)}"
    out.print(
        Text.assemble((name, "bold"), f"  {verdict.decision.value}, {verdict.time:%Y-%m-%d %H:%M}")
    )
    print_findings([Finding.read(found) for found in verdict.findings], out, each=each)
    for said in memory.marks(Selection.one(verdict.dataset, verdict.key)):
        words = f"{said.kind.value} by {said.author} on {said.time:%Y-%m-%d %H:%M}: {said.reason}"
        out.print(Text(f"  {visible(words)}"))


def listed(dataset: str | None, output: Output, *, store: Path | None) -> None:
    """The batches that wait for somebody."""
    memory = store_of(store)
    names = datasets_of(memory)
    if dataset is not None:
        names = [known(memory, dataset, store or Path())]
    held = [each for name in names for each in Quarantine(name, memory).waiting()]
    if output.json:
        answer(
            [
                {"dataset": each.batch.dataset, "batch": each.batch.key, "reason": each.reason}
                for each in held
            ]
        )
        return
    if not held:
        console(output).print("No batch is held.")
        return
    grid = Grid(box=None, pad_edge=False, header_style="dim")
    for title in ("batch", "time", "findings", "reason"):
        grid.add_column(title, justify="right" if title == "findings" else "left", overflow="fold")
    for each in held:
        grid.add_row(
            Text(f"{visible(each.batch.dataset)}/{visible(each.batch.key)}", style="bold"),
            f"{each.batch.time:%Y-%m-%d %H:%M}",
            str(len(each.findings)),
            Text(each.reason),
        )
    console(output).print(grid)


def shown_of(run: str, output: Output, *, store: Path | None) -> None:
    """A held batch: its findings, and its columns now against then."""
    memory = store_of(store)
    dataset, key = _named(memory, run)
    seen = Quarantine(dataset, memory).inspect(key)
    if output.json:
        answer({"dataset": dataset, "batch": key, "columns": _compared(seen)})
        return
    _tell(run_of(memory, run), memory, output, each=1)
    grid = Grid(box=None, pad_edge=False, header_style="dim")
    for title in ("column", "nulls then", "now", "distinct then", "now", "mean or top then", "now"):
        left = title in ("column", "mean or top then")
        grid.add_column(title, justify="left" if left else "right", overflow="fold")
    for row in _compared(seen):
        cells = [Text(visible(str(each))) for each in row.values()]
        grid.add_row(*cells)
    out = console(output)
    out.print()
    out.print(grid)


def release(
    run: str, manner: Manner, *, store: Path | None, author: str | None, reason: str
) -> None:
    """Let a held batch in."""
    memory = store_of(store)
    dataset, key = _named(memory, run)
    Gate(dataset, memory).release(key, author=author or _me(), reason=reason)
    _say(manner, f"{visible(run)} is released: it is part of the dataset, and is learned from.")


def reject(
    run: str, manner: Manner, *, store: Path | None, author: str | None, reason: str
) -> None:
    """Never let a held batch in."""
    memory = store_of(store)
    dataset, key = _named(memory, run)
    Gate(dataset, memory).reject(key, author=author or _me(), reason=reason)
    _say(manner, f"{visible(run)} is rejected.")


def mark(
    run: str,
    kind: MarkKind,
    manner: Manner,
    *,
    store: Path | None,
    author: str | None,
    reason: str,
) -> None:
    """Say what a batch was."""
    memory = store_of(store)
    dataset, key = _named(memory, run)
    Gate(dataset, memory).mark(key, kind, author=author or _me(), reason=reason)
    _say(manner, f"{visible(run)} is marked: {kind.value}.")


def _say(manner: Manner, text: str) -> None:
    console(manner).print(text, markup=False)


def store_of(store: Path | None) -> Store:
    """The store that was given; there must be one."""
    if store is None:
        raise StoreError("what was judged is read from a store: give its directory by --store.")
    return existing(store)


def _named(store: Store, run: str) -> tuple[str, str]:
    dataset, key = _parted(store, run)
    if not key:
        raise StoreError(f"a batch is named DATASET/BATCH, not {run!r}.")
    return dataset, key


def _parted(store: Store, run: str) -> tuple[str, str]:
    """A dataset of the store and the rest: one that has such a batch, else the longest name."""

    def has(dataset: str) -> bool:
        one = Selection.one(dataset, run[len(dataset) + 1 :])
        return bool(store.verdicts(one) or store.batches(one))

    names = [each for each in datasets_of(store) if f"{run}/".startswith(f"{each}/")]
    found = list(filter(has, names)) or names
    dataset = max(found, key=len, default=run.partition("/")[0])
    return dataset, run[len(dataset) + 1 :]


def _me() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "somebody"


def _compared(seen: Inspection) -> list[dict[str, object]]:
    then = {} if seen.then is None else seen.then.columns
    rows: list[dict[str, object]] = []
    for name in dict.fromkeys([*then, *seen.now.columns]):
        before, now = then.get(name), seen.now.columns.get(name)
        rows.append({
            "column": name,
            "nulls_then": _nulls(before), "nulls_now": _nulls(now),
            "distinct_then": _distinct(before), "distinct_now": _distinct(now),
            "then": _middle(before), "now": _middle(now),
        })  # fmt: skip
    return rows


def _nulls(facts: Facts | None) -> str:
    if facts is None or not facts["rows"]:
        return "–"
    return f"{1 - facts['values'] / facts['rows']:.1%}"


def _distinct(facts: Facts | None) -> str:
    number = math.nan if facts is None else facts["distinct"]
    return "–" if math.isnan(number) else f"{number:,.0f}"


def _middle(facts: Facts | None) -> str:
    if facts is None:
        return "–"
    if facts.table == "numeric":
        return "–" if math.isnan(facts.mean) else format_value(facts.mean)
    top = max(facts.values, key=facts.values.__getitem__, default="–")
    return whole_seconds(top)[:30]
