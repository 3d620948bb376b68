r"""Values as YAML writes them, on one line.

What YAML has no word for is a mapping of one word: ``{decimal: "1.10"}``, ``{time: "12:00:00"}``,
``{hex: 00ff}``; a time span is ``{days: 2}``. An analyzer is its key; a detector is its name, or a
mapping of its name to its parameters.

>>> print(flow({"column": "e-mail", "at_least": Decimal("0.90"), "hint": "who: \n"}))
{column: e-mail, at_least: {decimal: "0.90"}, hint: "who: \n"}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from math import isfinite
from typing import Any

from assay.analyzers.analyzer import Analyzer, parse_key
from assay.checks.pattern import Pattern
from assay.errors import AssayError, CheckError

__all__ = ["SPANS", "flow", "plain", "span"]

#: the parts of a time span
SPANS = ("days", "hours", "minutes", "seconds")
_BARE = re.compile(r"[^\W\d]\w*(?:[ ./-]\w+)*")
#: what bare is no text, in YAML or in what once was YAML
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_ENDLESS = {"inf": ".inf", "-inf": "-.inf", "nan": ".nan"}
_ESCAPED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def flow(value: Any) -> str:
    """The value on one line of YAML."""
    match plain(value):
        case None:
            return "null"
        case bool() as truth:
            return "true" if truth else "false"
        case int() as number:
            return str(number)
        case float() as number:
            return repr(number) if isfinite(number) else _ENDLESS[str(number)]
        case str() as text:
            return _text(text)
        case date() as moment:
            return moment.isoformat()
        case Mapping() as named:
            return f"{{{', '.join(f'{_text(n)}: {flow(each)}' for n, each in named.items())}}}"
        case listed:
            return f"[{', '.join(map(flow, listed))}]"


def plain(value: Any) -> Any:
    """The value as text, numbers, dates, lists and mappings."""
    if hasattr(value, "item") and not getattr(value, "ndim", 0):  # a scalar of NumPy's
        value = value.item()
    match value:
        case Enum():
            return value.value
        case None | bool() | int() | float() | str() | date():
            return value
        case Decimal():
            return {"decimal": str(value)}
        case time():
            return {"time": value.isoformat()}
        case timedelta():
            return span(value)
        case bytes() | bytearray():
            return {"hex": value.hex()}
        case Pattern():
            return str(value)
        case Analyzer():
            return _key(value)
        case Mapping():
            return {str(name): plain(each) for name, each in value.items()}
        case set() | frozenset():
            return [plain(each) for each in sorted(value, key=repr)]
        case _ if _is_ours(value):
            return _named(value)
        case _ if callable(value):
            raise CheckError("a function cannot be written in YAML; use bounds.")
        case Iterable():
            return [plain(each) for each in value]
        case _:
            raise CheckError(f"what is a {type(value).__name__} cannot be written in YAML.")


def span(value: timedelta) -> dict[str, int | float]:
    """A time span in days and seconds."""
    seconds = value.seconds + value.microseconds / 1e6
    parts: dict[str, int | float] = {"days": value.days}
    if seconds:
        parts["seconds"] = value.seconds if seconds == value.seconds else seconds
    return {unit: n for unit, n in parts.items() if n} or {"days": 0}


def _key(analyzer: Analyzer) -> str:
    """The analyzer's key, if it reads back: functions are not in it."""
    try:
        same = parse_key(analyzer.key) == analyzer
    except (AssayError, TypeError):
        same = False
    if not same:
        raise CheckError(
            f"{analyzer.key} holds what cannot be written in YAML, such as a function."
        )
    return analyzer.key


def _is_ours(value: object) -> bool:
    """Whether it is a detector or a learner of Assay's."""
    judges = hasattr(value, "expect") or hasattr(value, "learn")
    return judges and is_dataclass(value) and type(value).__module__.startswith("assay.")


def _named(value: Any) -> Any:
    """A detector or a learner: its name, and what it was told otherwise than by default."""
    told = {
        each.name: plain(getattr(value, each.name))
        for each in fields(value)
        if each.default is MISSING or getattr(value, each.name) != each.default
    }
    name = type(value).__name__
    return {name: told} if told else name


def _text(text: str) -> str:
    if _BARE.fullmatch(text) and text.isprintable() and text.lower() not in _WORDS:
        return text
    return f'"{"".join(_character(each) for each in text)}"'


def _character(each: str) -> str:
    if each in _ESCAPED:
        return _ESCAPED[each]
    if each.isprintable():
        return each
    code = ord(each)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
