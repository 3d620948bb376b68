"""`assay explain`, `report` and `mark`: show a recorded verdict, and judge it as a person."""

from __future__ import annotations

import getpass
from pathlib import Path

import typer
from rich.text import Text

from assay.checks.formatting import visible
from assay.cli.gate_options import DecisionOptions, MarkOptions
from assay.cli.options import OutputOptions, PrintOptions
from assay.cli.output import print_json, stdout
from assay.cli.stores import dataset_names, open_existing_store, require_dataset
from assay.errors import StoreError, nearest
from assay.gate.gate import Gate
from assay.gate.stored_verdicts import recorded_verdict
from assay.report.html import report_of
from assay.report.terminal import print_evidence
from assay.store import Selection, Store
from assay.store.verdict import MarkKind, VerdictRecord

__all__ = [
    "author_of",
    "batch_of_run",
    "explain",
    "mark",
    "print_line",
    "print_recorded",
    "report",
    "verdict_of_run",
]


def explain(run: str, output: OutputOptions, location: str | None) -> None:
    """Print all findings about a batch, and the marks that it got since."""
    store = open_existing_store(location)
    verdict = verdict_of_run(store, run)
    if not output.json:
        print_recorded(verdict, store, output)
        return
    marks = store.marks(Selection.one(verdict.dataset, verdict.key))
    recorded = recorded_verdict(store, verdict)
    print_json(
        {
            "dataset": verdict.dataset,
            "batch": verdict.key,
            "decision": verdict.decision.value,
            "problems": [problem.to_dict() for problem in recorded.problems],
            "findings": [finding.to_dict() for finding in recorded.findings],
            "marks": [
                {"kind": mark.kind.value, "author": mark.author, "reason": mark.reason}
                for mark in marks
            ],
        }
    )


def report(run: str, output: PrintOptions, location: str | None, path: Path) -> None:
    """Write the report on a batch."""
    store = open_existing_store(location)
    dataset, key = _split_run(store, run)
    if not store.batches(Selection.one(dataset, key)):  # it was held, or only a dataset is named
        verdict = verdict_of_run(store, run)
        dataset, key = verdict.dataset, verdict.key
    try:
        report_of(store, dataset, key).write(path)
    except OSError as error:
        raise StoreError(f"--output: {path} cannot be written: {error.strerror}.") from error
    stdout(output).print(f"The report is in {path}.", markup=False, soft_wrap=True)


def mark(run: str, output: PrintOptions, decision: DecisionOptions, marks: MarkOptions) -> None:
    """Mark a batch as expected, bad or the new normal."""
    flags = {
        MarkKind.EXPECTED: marks.expected,
        MarkKind.BAD: marks.bad,
        MarkKind.NEW_NORMAL: marks.new_normal,
    }
    kinds = [kind for kind, is_set in flags.items() if is_set]
    if len(kinds) != 1:
        raise typer.BadParameter("give exactly one of --expected, --bad and --new-normal.")
    store = open_existing_store(decision.store)
    dataset, key = batch_of_run(store, run)
    released = Gate(dataset, store).mark(
        key, kinds[0], author=author_of(decision.author), reason=decision.reason
    )
    print_line(output, f"{visible(run)} is marked: {kinds[0].value}.")
    for later in released:
        print_line(output, f"{visible(dataset)}/{visible(later)} has the same change: released.")


def verdict_of_run(store: Store, run: str) -> VerdictRecord:
    """Return the last verdict on DATASET/BATCH, or on the last batch of DATASET.

    Both names may contain slashes.
    """
    dataset, key = _split_run(store, run)
    verdicts = store.verdicts(Selection(dataset))
    if not verdicts:
        require_dataset(store, dataset)
        raise StoreError(
            f"no batch of {dataset!r} was judged; its batches are recorded as history."
            f" Judge a batch with `assay gate {dataset} FILE`."
        )
    matching = [verdict for verdict in verdicts if not key or verdict.key == key]
    if not matching:
        guess = nearest(key, [verdict.key for verdict in verdicts])
        hint = f" Did you mean {guess!r}?" if guess else ""
        raise StoreError(f"no batch {key!r} of {dataset!r} was judged.{hint}")
    return matching[-1]


def batch_of_run(store: Store, run: str) -> tuple[str, str]:
    """Split DATASET/BATCH into the two names."""
    dataset, key = _split_run(store, run)
    if not key:
        raise StoreError(f"expected DATASET/BATCH, got {run!r}.")
    return dataset, key


def print_recorded(
    record: VerdictRecord, store: Store, output: OutputOptions, *, max_findings: int | None = None
) -> None:
    """Print a recorded verdict, its problems with their evidence, and the marks of its batch.

    Parameters
    ----------
    max_findings
        Largest number of findings to print for each problem; None prints all.
    """
    out = stdout(output)
    verdict = recorded_verdict(store, record)
    name = f"{visible(record.dataset)} {visible(record.key)}"
    decision = f"  {record.decision.value}, judged {record.time:%Y-%m-%d %H:%M}"
    out.print(Text.assemble((name, "bold"), decision))
    print_evidence(verdict, out, max_findings=max_findings)
    marks = store.marks(Selection.one(record.dataset, record.key))
    if marks:
        out.print()
    for mark in marks:
        time = f"{mark.time:%Y-%m-%d %H:%M}"
        sentence = f"{mark.kind.value} by {mark.author} on {time}: {mark.reason}"
        out.print(Text(f"  {visible(sentence)}"))


def author_of(stated: str | None) -> str:
    """Return the author of a decision: the option --by, else the user's name."""
    if stated:
        return stated
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def print_line(output: PrintOptions, text: str) -> None:
    """Print one line of text."""
    stdout(output).print(text, markup=False)


def _split_run(store: Store, run: str) -> tuple[str, str]:
    """Split DATASET/BATCH at the slash after a dataset that has the batch.

    If several datasets or none has it, the longest name of a dataset is taken.
    """

    def has_batch(dataset: str) -> bool:
        selection = Selection.one(dataset, run[len(dataset) + 1 :])
        return bool(store.verdicts(selection) or store.batches(selection))

    names = [name for name in dataset_names(store) if f"{run}/".startswith(f"{name}/")]
    candidates = list(filter(has_batch, names)) or names
    dataset = max(candidates, key=len, default=run.partition("/")[0])
    return dataset, run[len(dataset) + 1 :]
