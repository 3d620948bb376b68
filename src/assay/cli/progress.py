"""Show the stage, its rows and its time, for what takes longer than two seconds.

Progress is shown on standard error, and only if that is a terminal.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.text import Text

from assay.cli.options import PrintOptions

__all__ = ["count_rows", "progress"]

#: seconds of a stage before it is shown
_DELAY_SECONDS = 2.0


class _Stage:
    """A stage of a command as one line: its name, how far it has come, its seconds."""

    def __init__(self, name: str) -> None:
        self._name = name.rstrip(" …")
        self._begin = time.monotonic()
        self.detail = ""

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._begin

    def __rich__(self) -> Text:
        detail = f": {self.detail}" if self.detail else ""
        return Text(f"{self._name}{detail}, {self.seconds:.0f} s", style="dim")


@contextmanager
def progress(options: PrintOptions, name: str) -> Iterator[Callable[[str], None]]:
    """Show a stage while it runs, and a line about it afterwards.

    The context manager yields a function that says how far the work has come, such as the number
    of rows.
    """
    console = Console(stderr=True, highlight=False)
    if options.quiet or not console.is_terminal:
        yield lambda _: None
        return
    stage = _Stage(name)
    status = console.status(stage, spinner="dots")
    timer = threading.Timer(_DELAY_SECONDS, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield lambda detail: setattr(stage, "detail", detail)
    finally:
        timer.cancel()
        timer.join()
        status.stop()
        if stage.seconds >= _DELAY_SECONDS:
            console.print(stage)


def count_rows(number: int | None) -> str:
    """Return a number of rows in words; "" if it is not known.

    >>> count_rows(1), count_rows(1200), count_rows(None)
    ('1 row', '1,200 rows', '')
    """
    if number is None:
        return ""
    return f"{number:,} {'row' if number == 1 else 'rows'}"
