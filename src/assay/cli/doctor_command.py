"""`assay doctor`: check the installation."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import typer
from rich.table import Table
from rich.text import Text

from assay.checks.formatting import one_line
from assay.cli.exits import Exit
from assay.cli.options import OutputOptions, SparkOptions
from assay.cli.output import print_json, stdout
from assay.cli.spark import connect_problem, spark_session
from assay.cli.stores import open_existing_store
from assay.engine.failure import problem_of
from assay.engine.java import find_java
from assay.errors import AssayError
from assay.version import __version__

__all__ = ["Finding", "run"]

#: optional packages, and the extra that installs each
_EXTRAS = {"pyarrow": "spark", "pandas": "spark", "numpy": "learn", "statsmodels": "learn"}


@dataclass(frozen=True)
class Finding:
    """The state of one part of the installation, and what to do if it does not work.

    Without a part that is not `needed`, only some features are missing.
    """

    name: str
    ok: bool
    said: str
    needed: bool = True


def run(output: OutputOptions, spark_options: SparkOptions, *, store: str | None) -> None:
    """Check each part of the installation and print a line about it."""
    findings = list(_findings(output, spark_options, store))
    failed = any(not finding.ok and finding.needed for finding in findings)
    if output.json:
        print_json([vars(finding) for finding in findings])
    else:
        table = Table(box=None, pad_edge=False, show_header=False)
        for _ in range(3):
            table.add_column(overflow="fold")
        for finding in findings:
            word, style = ("ok", "green") if finding.ok else ("failed", "bold red")
            if not finding.ok and not finding.needed:
                word, style = "absent", "yellow"
            table.add_row(Text(word, style=style), finding.name, Text(one_line(finding.said)))
        stdout(output).print(table)
    raise typer.Exit(Exit.NOT_EVALUATED if failed else Exit.CLEAN)


def _findings(
    output: OutputOptions, spark_options: SparkOptions, store: str | None
) -> Iterator[Finding]:
    yield Finding("Assay", True, f"{__version__}, Python {sys.version.split()[0]}")
    yield _try("temporary files", _check_temporary_files)
    yield _find_package("pyspark", "spark")
    for package, extra in _EXTRAS.items():
        yield _find_package(package, extra, needed=extra == "spark")
    if spark_options.remote:
        problem = connect_problem(spark_options.remote)
        yield Finding("Connect", problem is None, problem or f"{spark_options.remote} answers")
        if problem is None:
            yield _try("session", lambda: _count_in_session(output, spark_options))
    else:
        java = _try("Java", _find_java)
        yield java
        if java.ok:
            yield _try("session", lambda: _count_in_session(output, spark_options))
    if store is not None:
        yield _try("store", lambda: _check_store(store))


def _try(name: str, check: Callable[[], str]) -> Finding:
    try:
        return Finding(name, True, check())
    except AssayError as error:
        return Finding(name, False, str(error))
    except typer.Exit:
        return Finding(name, False, "Spark did not start; the reason is printed above.")
    except OSError as error:
        return Finding(name, False, f"{error.strerror or error}: {error.filename or ''}")
    except Exception as error:  # Spark, Java and databases can raise anything; it is reported
        return Finding(name, False, problem_of(error).reason)


def _find_package(name: str, extra: str, *, needed: bool = True) -> Finding:
    try:
        return Finding(name, True, version(name))
    except PackageNotFoundError:
        return Finding(name, False, f"not installed: pip install 'spark-assay[{extra}]'", needed)


def _find_java() -> str:
    java = find_java()
    return f"{java.major}, {java.executable} ({java.origin})"


def _count_in_session(output: OutputOptions, spark_options: SparkOptions) -> str:
    begin = time.monotonic()
    with spark_session(spark_options, output) as spark:
        count = spark.range(1000).count()
        seconds = time.monotonic() - begin
        return f"Spark {spark.version} counted to {count:,}; {seconds:.1f} s to start and count"


def _check_temporary_files() -> str:
    with tempfile.NamedTemporaryFile(prefix="assay-doctor-"):
        return tempfile.gettempdir()


def _check_store(location: str) -> str:
    if "://" in location:
        number = len(open_existing_store(location).datasets())
        return f"{_counted(number)}; the database answers"
    folder = Path(location)
    if not folder.exists():
        parent = next(path for path in folder.absolute().parents if path.exists())
        if os.access(parent, os.W_OK):
            return f"{folder} does not exist yet, and can be created"
        raise PermissionError(13, "cannot be created, no permission to write in", str(parent))
    names = open_existing_store(location).datasets()
    for path in (folder, folder / "store.sqlite"):
        if not os.access(path, os.R_OK | os.W_OK):
            raise PermissionError(13, "no permission to read and write", str(path))
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".assay-doctor-"):
        return f"{folder} can be read and written; {_counted(len(names))}"


def _counted(number: int) -> str:
    return f"{number:,} dataset{'' if number == 1 else 's'}"
