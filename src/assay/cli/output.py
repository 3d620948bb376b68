"""What a command says: the answer on standard output, everything else on standard error."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape

from assay.cli.options import Manner

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["answer", "console", "note", "working"]

#: as wide as tables are where nobody says how wide the paper is
_WIDTH = 110


def console(manner: Manner) -> Console:
    """Standard output: colours and the terminal's width if it is one and NO_COLOR is not set."""
    wide = None if sys.stdout.isatty() or "COLUMNS" in os.environ else _WIDTH
    return Console(highlight=False, soft_wrap=False, width=wide, quiet=manner.quiet)


def answer(document: Any) -> None:
    """JSON on standard output; it has no words for what is no number, which is text."""
    told = json.dumps(_plain(document), indent=2, ensure_ascii=False, default=str, allow_nan=False)
    sys.stdout.write(f"{told}\n")
    sys.stdout.flush()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def note(manner: Manner, text: str | Text) -> None:
    """Something that is good to know, unless nobody wants to."""
    if not manner.quiet:
        _aside().print(text, style="dim", markup=False)


@contextmanager
def working(manner: Manner, text: str) -> Iterator[Callable[[str], None]]:
    """A sign of life on a terminal while something takes long; nothing where it is piped.

    It is told by what is handed out how far it has come.
    """
    aside = _aside()
    if manner.quiet or not aside.is_terminal:
        yield lambda _: None
        return
    with aside.status(text, spinner="dots") as status:
        yield lambda how_far: status.update(f"{text} {escape(how_far)}")


def _aside() -> Console:
    return Console(stderr=True, highlight=False)
