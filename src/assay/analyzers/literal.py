"""Values as text that reads back: the arguments in an analyzer's key.

The spelling is SQL's where SQL has one: ``'it''s'``, ``1.5``, ``true``, ``null``,
``date'2026-11-15'``, ``decimal'1.50'``, ``[1, 2]``; names of columns stand bare or in backticks.

>>> render(("it's", 1, None, date(2026, 11, 15)))
"['it''s', 1, null, date'2026-11-15']"
>>> Reader(render((1.5, True, Decimal("1.50")))).value()
(1.5, True, Decimal('1.50'))
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

__all__ = ["Reader", "read_names", "render", "render_name", "render_names"]

_NAME = re.compile(r"`((?:[^`]|``)*)`(?=,|\Z)|([^,]+)")
_BARE = re.compile(r"(?![\d.])[\w.]+")
_WORDS = {"true": True, "false": False, "null": None, "nan": float("nan")}
_INF = {"inf": float("inf"), "-inf": float("-inf")}
_TAGGED: dict[str, Callable[[str], Any]] = {
    "date": date.fromisoformat,
    "timestamp": datetime.fromisoformat,
    "decimal": Decimal,
}
_RESERVED = frozenset(_WORDS) | frozenset(_INF)


def render_name(name: str) -> str:
    """A column's name, bare where that reads back, else in backticks (doubled inside)."""
    if _BARE.fullmatch(name) and name.lower() not in _RESERVED:
        return name
    return "`" + name.replace("`", "``") + "`"


def render_names(names: Iterable[str]) -> str:
    """Names parted by commas.

    >>> render_names(["a", "x,y"]), read_names("a,`x,y`")
    ('a,`x,y`', ('a', 'x,y'))
    """
    return ",".join(map(render_name, names))


def read_names(text: str) -> tuple[str, ...]:
    """The inverse of `render_names`."""
    found = (each.groups() for each in _NAME.finditer(text))
    return tuple(bare or quoted.replace("``", "`") for quoted, bare in found)


def render(value: object) -> str:
    """The text of a value; `Reader.value` is its inverse."""
    # bool before int and datetime before date: each is a subclass of the other
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return repr(value)
        case str():
            return _quote(value)
        case Decimal():
            return f"decimal'{value}'"
        case datetime():
            return f"timestamp'{value.isoformat()}'"
        case date():
            return f"date'{value.isoformat()}'"
        case tuple() | list():
            return "[" + ", ".join(render(item) for item in value) + "]"
        case _:
            raise TypeError(f"a {type(value).__name__} has no text that reads back: {value!r}")


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


class Reader:
    """Reads literals, names and punctuation from left to right."""

    _TOKEN = re.compile(
        r"""\s*(?:
            (?P<string>'(?:[^']|'')*')
          | (?P<quoted>`(?:[^`]|``)*`)
          | (?P<number>[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|inf(?![\w.])))
          | (?P<word>(?!\d)[\w.]+)
          | (?P<mark>[()\[\],=])
        )""",
        re.VERBOSE,
    )

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def peek(self) -> tuple[str, str]:
        """The next token's kind and text, left where it is; ``("", "")`` where none is."""
        found = self._TOKEN.match(self.text, self.at)
        return (found.lastgroup or "", found.group(found.lastgroup or 0)) if found else ("", "")

    def next(self) -> tuple[str, str]:
        """The next token, consumed."""
        found = self._TOKEN.match(self.text, self.at)
        if found is None:
            raise ValueError(f"cannot read {self.text!r} from position {self.at}")
        self.at = found.end()
        return found.lastgroup or "", found.group(found.lastgroup or 0)

    def expect(self, mark: str) -> None:
        """Consume this punctuation mark or complain."""
        if self.next()[1] != mark:
            raise ValueError(f"expected {mark!r} in {self.text!r} before position {self.at}")

    def rest(self) -> str:
        """What is left, unread."""
        return self.text[self.at :]

    def name(self) -> str:
        """A column's name, bare or in backticks."""
        kind, text = self.next()
        if kind == "quoted":
            return text[1:-1].replace("``", "`")
        if kind == "word":
            return text
        raise ValueError(f"expected a column's name in {self.text!r}, found {text!r}")

    def value(self) -> Any:
        """A literal."""
        kind, text = self.next()
        if kind == "string":
            return text[1:-1].replace("''", "'")
        if kind == "number":
            return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
        if kind == "word" and text in _INF:
            return _INF[text]
        if kind == "word" and text in _WORDS:
            return _WORDS[text]
        if kind == "word" and text in _TAGGED:
            tagged, inner = self.next()
            if tagged != "string":
                raise ValueError(f"expected {text}'…' in {self.text!r}, found {inner!r}")
            return _TAGGED[text](inner[1:-1])
        if text == "[":
            return self._items()
        raise ValueError(f"expected a value in {self.text!r}, found {text!r}")

    def _items(self) -> tuple[Any, ...]:
        items: list[Any] = []
        while self.peek()[1] != "]":
            items.append(self.value())
            if self.peek()[1] != "]":
                self.expect(",")
        self.expect("]")
        return tuple(items)
