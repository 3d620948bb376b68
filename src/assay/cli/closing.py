"""Close at the end of a command what it has opened, such as the connections of a store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar

__all__ = ["close_at_end", "closing_at_end"]

_stack: ContextVar[ExitStack | None] = ContextVar("_stack", default=None)


@contextmanager
def closing_at_end() -> Iterator[None]:
    """Close at the end what `close_at_end` is called with."""
    with ExitStack() as stack:
        token = _stack.set(stack)
        try:
            yield
        finally:
            _stack.reset(token)


def close_at_end(resource: object) -> None:
    """Call the method `close` of a resource, if it has one, when the command ends."""
    stack, close = _stack.get(), getattr(resource, "close", None)
    if stack is not None and close is not None:
        stack.callback(close)
