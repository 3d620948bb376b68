"""Print results on standard output, and notes on standard error."""

from __future__ import annotations

import json
import math
import os
import sys
from typing import TYPE_CHECKING, Any

from rich.console import Console

from assay.cli.options import PrintOptions
from assay.cli.progress import progress

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["note", "print_json", "progress", "stdout"]

#: characters per line where standard output is not a terminal and COLUMNS is not set
_WIDTH = 110


def stdout(options: PrintOptions) -> Console:
    """Return standard output: colours on a terminal unless NO_COLOR is set."""
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else _WIDTH
    return Console(highlight=False, soft_wrap=False, width=width, quiet=options.quiet)


def print_json(document: Any) -> None:
    """Print a JSON document. NaN and infinite numbers, which JSON lacks, are strings."""
    text = json.dumps(
        _without_nan(document), indent=2, ensure_ascii=False, default=str, allow_nan=False
    )
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def note(options: PrintOptions, text: str | Text) -> None:
    """Print a note on standard error, unless the command is quiet."""
    if not options.quiet:
        _stderr().print(text, style="dim", markup=False)


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _without_nan(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(inner) for inner in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _stderr() -> Console:
    return Console(stderr=True, highlight=False)
