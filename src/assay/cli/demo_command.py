"""`assay demo`: judge two weeks of flights, or write their files."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from assay.cli.options import PrintOptions, SparkOptions
from assay.cli.output import stdout
from assay.cli.spark import spark_session
from assay.data import flights_path
from assay.demo import flights, tell
from assay.errors import SourceError

__all__ = ["run"]


def run(output: PrintOptions, spark_options: SparkOptions, *, write: Path | None) -> None:
    """Run the demonstration, or write its files into a folder."""
    if write is not None:
        _write(output, write)
        return
    with spark_session(spark_options, output) as spark:
        tell(stdout(output), flights(spark), Path(tempfile.mkdtemp(prefix="assay-demo-")))


def _write(output: PrintOptions, folder: Path) -> None:
    days = sorted(flights_path().glob("*.csv.gz"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for day in days:
            shutil.copy(day, folder)
    except OSError as error:
        raise SourceError(f"--write: {folder} cannot be written: {error.strerror}.") from error
    stdout(output).print(f"{len(days)} days of flights are in {folder}.", markup=False)
