"""`assay report`: what people open."""

from __future__ import annotations

from pathlib import Path

from assay.cli.options import Manner
from assay.cli.output import console
from assay.cli.quarantine import run_of, store_of
from assay.errors import StoreError
from assay.report.html import report_of

__all__ = ["run"]


def run(name: str, manner: Manner, *, store: Path | None, path: Path) -> None:
    """Write the report on a batch."""
    memory = store_of(store)
    verdict = run_of(memory, name)
    try:
        report_of(memory, verdict.dataset, verdict.key).write(path)
    except OSError as error:
        raise StoreError(f"--output: {path} cannot be written: {error.strerror}.") from error
    console(manner).print(f"The report is in {path}.", markup=False, soft_wrap=True)
