"""Write and parse values as text: the arguments in an analyzer's key.

Values are written as in SQL if possible: ``'it''s'``, ``1.5``, ``true``, ``null``,
``date'2026-11-15'``, ``decimal'1.50'``, ``[1, 2]``. Names of columns are bare or in backticks.

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

from assay.errors import InvalidValueError

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
    """Write the name of a column, in backticks if it could not be parsed otherwise."""
    if _BARE.fullmatch(name) and name.lower() not in _RESERVED:
        return name
    return "`" + name.replace("`", "``") + "`"


def render_names(names: Iterable[str]) -> str:
    """Write names separated by commas.

    >>> render_names(["a", "x,y"]), read_names("a,`x,y`")
    ('a,`x,y`', ('a', 'x,y'))
    """
    return ",".join(map(render_name, names))


def read_names(text: str) -> tuple[str, ...]:
    """Parse what `render_names` returned."""
    groups = (match.groups() for match in _NAME.finditer(text))
    return tuple(bare or quoted.replace("``", "`") for quoted, bare in groups)


def render(value: object) -> str:
    """Write a value; `Reader.value` is the inverse."""
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
            raise InvalidValueError.unexpected(
                "cannot write a key", "text, numbers, dates or lists of them", value
            )


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


class Reader:
    """Read literals, names and punctuation from left to right."""

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
        """Return the kind and text of the next token without consuming it, or ``("", "")``."""
        token = self._TOKEN.match(self.text, self.at)
        return (token.lastgroup or "", token.group(token.lastgroup or 0)) if token else ("", "")

    def next(self) -> tuple[str, str]:
        """Consume the next token."""
        token = self._TOKEN.match(self.text, self.at)
        if token is None:
            raise ValueError(f"cannot read {self.text!r} from position {self.at}")
        self.at = token.end()
        return token.lastgroup or "", token.group(token.lastgroup or 0)

    def expect(self, mark: str) -> None:
        """Consume a punctuation mark, or raise ValueError."""
        if self.next()[1] != mark:
            raise ValueError(f"expected {mark!r} in {self.text!r} before position {self.at}")

    def unread(self) -> str:
        """Return the unread text."""
        return self.text[self.at :]

    def name(self) -> str:
        """Read the name of a column."""
        kind, text = self.next()
        if kind == "quoted":
            return text[1:-1].replace("``", "`")
        if kind == "word":
            return text
        raise ValueError(f"expected a column's name in {self.text!r}, found {text!r}")

    def value(self) -> Any:
        """Read a literal."""
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
