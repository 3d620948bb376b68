"""End a command: its exit code, and one sentence on standard error if something is wrong."""

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

__all__ = ["Exit", "exit_on_error", "exit_with"]


class Exit(IntEnum):
    """The exit codes of all commands."""

    CLEAN = 0
    FAILED = 1
    USAGE = 2
    NOT_EVALUATED = 3
    HELD = 4


#: the exit code of shells for Ctrl-C; typer's is 1, which here means that a check failed
_INTERRUPTED = 130
#: codes of errors that other arguments would not avoid
_NOT_EVALUATED_CODES = frozenset(
    {"java_not_found", "missing_dependency", "session_conflict", "not_computable", "bad_state"}
)
#: optional packages, and the extra that installs each
_EXTRAS = {"numpy": "learn", "statsmodels": "learn", "pyspark": "spark", "pyarrow": "spark"}
#: error conditions of Spark that the command's arguments cause
_USAGE_CONDITIONS = frozenset({"path_not_found", "table_or_view_not_found", "parse_syntax_error"})


@contextmanager
def exit_on_error(*, debug: bool = False) -> Iterator[None]:
    """Turn exceptions into a sentence and an exit code; with `debug`, let them through."""
    from assay.errors import AssayError, MissingDependencyError

    try:
        yield
    except AssayError as error:
        if debug:
            raise
        code = Exit.NOT_EVALUATED if error.code in _NOT_EVALUATED_CODES else Exit.USAGE
        raise exit_with(str(error), code) from error
    except (typer.Exit, typer.Abort):
        raise
    except KeyboardInterrupt:
        raise typer.Exit(_INTERRUPTED) from None
    except ModuleNotFoundError as error:
        if debug or error.name not in _EXTRAS:
            raise
        absent = MissingDependencyError.absent(error.name, extra=_EXTRAS[error.name])
        raise exit_with(str(absent), Exit.NOT_EVALUATED) from error
    except BrokenPipeError:
        # The reader, such as `head`, has closed the pipe: discard what is still buffered.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(Exit.CLEAN) from None
    except Exception as error:  # Spark, Java and extensions can raise anything; it is reported
        if debug or type(error).__module__.startswith(("typer", "click")):
            raise
        raise _exit_for_unknown(error) from error


def exit_with(message: str, code: Exit) -> typer.Exit:
    """Print a message on standard error and return the exception that ends the command."""
    from assay.checks.formatting import visible

    for line in message.splitlines():
        typer.echo(f"assay: {visible(line)}", err=True)
    return typer.Exit(code)


def _exit_for_unknown(error: Exception) -> typer.Exit:
    """Print one sentence for an error of Spark; for any other error also write its traceback."""
    from assay.engine.failure import problem_of

    problem = problem_of(error)
    if type(error).__module__.startswith("pyspark"):
        code = Exit.USAGE if problem.code in _USAGE_CONDITIONS else Exit.NOT_EVALUATED
        return exit_with(problem.reason, code)
    handle, name = tempfile.mkstemp(prefix="assay-trace-", suffix=".txt")
    os.close(handle)
    Path(name).write_text("".join(traceback.format_exception(error)), encoding="utf-8")
    return exit_with(
        f"{type(error).__name__}: {problem.reason.removesuffix('.')}. This is a bug in Assay. The"
        f" traceback is in {name}; --debug prints it.",
        Exit.NOT_EVALUATED,
    )
