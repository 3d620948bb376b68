"""`assay doctor`: whether all that Assay needs is there."""

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

from assay import __version__
from assay.checks.formatting import one_line
from assay.cli.exits import Exit
from assay.cli.options import Output, Session
from assay.cli.output import answer, console
from assay.cli.session import reachable, started
from assay.cli.store import existing
from assay.engine.failure import problem_of
from assay.engine.java import find_java
from assay.errors import AssayError

__all__ = ["Finding", "run"]

_EXTRAS = {"pyarrow": "spark", "pandas": "spark", "numpy": "learn", "statsmodels": "learn"}


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: what was found, or what to do about it."""

    name: str
    ok: bool
    said: str
    needed: bool = True


def run(output: Output, session: Session, *, store: Path | None) -> None:
    """Look at one thing after the other; each says what to do if it is not as it should be."""
    findings = list(_findings(output, session, store))
    bad = any(not each.ok and each.needed for each in findings)
    if output.json:
        answer([vars(each) for each in findings])
    else:
        table = Table(box=None, pad_edge=False, show_header=False)
        for _ in range(3):
            table.add_column(overflow="fold")
        for each in findings:
            word, style = ("ok", "green") if each.ok else ("failed", "bold red")
            if not each.ok and not each.needed:
                word, style = "absent", "yellow"
            table.add_row(Text(word, style=style), each.name, Text(one_line(each.said)))
        console(output).print(table)
    raise typer.Exit(Exit.NOT_EVALUATED if bad else Exit.CLEAN)


def _findings(output: Output, session: Session, store: Path | None) -> Iterator[Finding]:
    yield Finding("Assay", True, f"{__version__}, Python {sys.version.split()[0]}")
    yield _told("temporary files", _temporary)
    yield _package("pyspark", "spark")
    for package, extra in _EXTRAS.items():
        yield _package(package, extra, needed=extra == "spark")
    if session.remote:
        problem = reachable(session.remote)
        yield Finding("Connect", problem is None, problem or f"{session.remote} answers")
        if problem is None:
            yield _told("session", lambda: _session(output, session))
    else:
        java = _told("Java", lambda: _java())
        yield java
        if java.ok:
            yield _told("session", lambda: _session(output, session))
    if store is not None:
        yield _told("store", lambda: _store(store))


def _told(name: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(name, True, look())
    except AssayError as error:
        return Finding(name, False, str(error))
    except typer.Exit:
        return Finding(name, False, "it did not start; the reason is above.")
    except OSError as error:
        return Finding(name, False, f"{error.strerror or error}: {error.filename or ''}")
    except Exception as error:  # whatever Spark can do
        return Finding(name, False, problem_of(error).reason)


def _package(name: str, extra: str, *, needed: bool = True) -> Finding:
    try:
        return Finding(name, True, version(name))
    except PackageNotFoundError:
        return Finding(name, False, f"not installed: pip install 'spark-assay[{extra}]'", needed)


def _java() -> str:
    java = find_java()
    return f"{java.major}, {java.executable} ({java.origin})"


def _session(output: Output, session: Session) -> str:
    begun = time.monotonic()
    with started(session, output) as spark:
        n = spark.range(1000).count()
        seconds = time.monotonic() - begun
        return f"Spark {spark.version} counted to {n:,}; {seconds:.1f} s to start and count"


def _temporary() -> str:
    with tempfile.NamedTemporaryFile(prefix="assay-doctor-"):
        return tempfile.gettempdir()


def _store(folder: Path) -> str:
    if not folder.exists():
        above = next(each for each in folder.absolute().parents if each.exists())
        if os.access(above, os.W_OK):
            return f"{folder} is not there yet, and can be made"
        raise PermissionError(13, "cannot be made, no permission to write in", str(above))
    names = existing(folder).datasets()
    for path in (folder, folder / "store.sqlite"):
        if not os.access(path, os.R_OK | os.W_OK):
            raise PermissionError(13, "no permission to read and write", str(path))
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".assay-doctor-"):
        return f"{folder} can be read and written; {len(names)} dataset{'s' * (len(names) != 1)}"
