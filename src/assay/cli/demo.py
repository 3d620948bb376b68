"""`assay demo`: what it looks like."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from assay.cli.options import Manner, Session
from assay.cli.output import console
from assay.cli.session import started
from assay.data import flights_path
from assay.demo import flights, tell
from assay.errors import SourceError

__all__ = ["run"]


def run(manner: Manner, session: Session, *, write: Path | None) -> None:
    """Tell the story of two weeks of flights, or only write them down."""
    if write is not None:
        _write(manner, write)
        return
    with started(session, manner) as spark:
        tell(console(manner), flights(spark), Path(tempfile.mkdtemp(prefix="assay-demo-")))


def _write(manner: Manner, folder: Path) -> None:
    days = sorted(flights_path().glob("*.csv.gz"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for each in days:
            shutil.copy(each, folder)
    except OSError as error:
        raise SourceError(f"--write: {folder} cannot be written: {error.strerror}.") from error
    console(manner).print(f"{len(days)} days of flights are in {folder}.", markup=False)
