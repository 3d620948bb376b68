"""How a command ends: its exit code, and what went wrong in one sentence on standard error."""

from __future__ import annotations

import os
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path

import typer

__all__ = ["Exit", "ending", "refused"]


class Exit(IntEnum):
    """The exit codes of every command."""

    CLEAN = 0
    FAILED = 1
    USAGE = 2
    NOT_EVALUATED = 3
    HELD = 4


#: what a shell makes of Ctrl-C; typer would say 1, as if a check had failed
_INTERRUPTED = 130
#: codes of errors that say nothing about what was asked for, but that it cannot be found out here
_CANNOT = frozenset(
    {"java_not_found", "missing_dependency", "session_conflict", "not_computable", "bad_state"}
)
#: packages that not every installation has, and the extra that brings each
_EXTRAS = {"numpy": "learn", "statsmodels": "learn", "pyspark": "spark", "pyarrow": "spark"}
#: Spark's conditions that are a matter of what was asked for
_ASKED = frozenset({"path_not_found", "table_or_view_not_found", "parse_syntax_error"})


@contextmanager
def ending(*, debug: bool = False) -> Iterator[None]:
    """Whatever is raised within becomes a sentence and an exit code."""
    from assay.errors import AssayError, MissingDependencyError

    try:
        yield
    except AssayError as error:
        if debug:
            raise
        code = Exit.NOT_EVALUATED if error.code in _CANNOT else Exit.USAGE
        raise refused(str(error), code) from error
    except (typer.Exit, typer.Abort):
        raise
    except KeyboardInterrupt:
        raise typer.Exit(_INTERRUPTED) from None
    except ModuleNotFoundError as error:
        if debug or error.name not in _EXTRAS:
            raise
        absent = MissingDependencyError.absent(error.name, extra=_EXTRAS[error.name])
        raise refused(str(absent), Exit.NOT_EVALUATED) from error
    except BrokenPipeError:
        # whoever read has seen enough; what is still in the buffer must not be flushed
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(Exit.CLEAN) from None
    except Exception as error:
        if debug or type(error).__module__.startswith(("typer", "click")):
            raise
        raise _unforeseen(error) from error


def refused(sentence: str, code: Exit) -> typer.Exit:
    """The end, once a sentence has said why."""
    from assay.checks.formatting import visible

    for line in sentence.splitlines():
        typer.echo(f"assay: {visible(line)}", err=True)
    return typer.Exit(code)


def _unforeseen(error: Exception) -> typer.Exit:
    """Spark's failures in a sentence; of others also where the trace is."""
    from assay.engine.failure import problem_of

    problem = problem_of(error)
    if type(error).__module__.startswith("pyspark"):
        code = Exit.USAGE if problem.code in _ASKED else Exit.NOT_EVALUATED
        return refused(problem.reason, code)
    handle, name = tempfile.mkstemp(prefix="assay-trace-", suffix=".txt")
    os.close(handle)
    Path(name).write_text("".join(traceback.format_exception(error)), encoding="utf-8")
    return refused(
        f"{type(error).__name__}: {problem.reason} This is a fault of Assay's; its trace is in"
        f" {name} (or run it again with --debug).",
        Exit.NOT_EVALUATED,
    )
