"""The batches of a folder of files."""

from __future__ import annotations

from pathlib import Path

from assay.io.batch_files import BatchFile
from assay.io.find_batches import find_batches


def files_of(folder: Path) -> tuple[BatchFile, ...]:
    located = find_batches([str(folder)])
    assert located is not None
    return located.batches
