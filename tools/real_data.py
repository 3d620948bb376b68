"""Find the real data sets that tests and benchmarks read.

The data sets are not part of the repository. They are looked for in the folder that the
environment variable ``ASSAY_DATA`` names, and otherwise in ``../shared/data`` next to the
repository. Without them, tests are skipped and benchmarks print a line that starts with "skipped".
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["RealDataMissingError", "batch_key", "batch_paths", "real_data_folder", "real_data_path"]


class RealDataMissingError(FileNotFoundError):
    """A file or folder of the real data sets does not exist."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"no real data at {path} (set ASSAY_DATA to the folder of the data sets)")


def real_data_folder() -> Path:
    """Return the folder of the real data sets, which may not exist."""
    return Path(os.environ.get("ASSAY_DATA") or Path(__file__).parents[2] / "shared" / "data")


def real_data_path(*parts: str, folder: Path | None = None) -> Path:
    """Return the path of a file or folder below the real data sets.

    Parameters
    ----------
    *parts
        The path below the folder of the data sets.
    folder
        Another folder of data sets than `real_data_folder`.

    Raises
    ------
    RealDataMissingError
        If nothing exists at that path.
    """
    path = (folder or real_data_folder()).joinpath(*parts)
    if not path.exists():
        raise RealDataMissingError(path)
    return path


def batch_paths(dataset: str, part: str = "batches", *, folder: Path | None = None) -> list[Path]:
    """Return the files of a recurring data set, one per batch, oldest first.

    Most data sets have one `part`, "batches". `fbposts` has "clean" and "dirty"; `ca_fires` also
    has "v2_batches".
    """
    return sorted(real_data_path("recurring", dataset, part, folder=folder).iterdir())


def batch_key(path: Path) -> str:
    """Return the key of a batch: its file name without extensions, usually a date."""
    return path.name.partition(".")[0]
