r"""Write values as YAML on one line.

Types that YAML does not have are mappings with one key: ``{decimal: "1.10"}``,
``{time: "12:00:00"}``, ``{hex: 00ff}``. A time span is ``{days: 2}``. An analyzer is its key. A
detector is its name, or a mapping of its name to its parameters.

>>> print(flow({"column": "e-mail", "at_least": Decimal("0.90"), "hint": "who: \n"}))
{column: e-mail, at_least: {decimal: "0.90"}, hint: "who: \n"}
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
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

#: the units of a time span
SPANS = ("days", "hours", "minutes", "seconds")
_BARE = re.compile(r"[^\W\d]\w*(?:[ ./-]\w+)*")
#: words that are not text without quotes, in YAML 1.2 or 1.1
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_NOT_FINITE = {"inf": ".inf", "-inf": "-.inf", "nan": ".nan"}
_ESCAPED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def flow(value: Any) -> str:
    """Return the value on one line of YAML."""
    match plain(value):
        case None:
            return "null"
        case bool() as truth:
            return "true" if truth else "false"
        case int() as number:
            return str(number)
        case float() as number:
            return repr(number) if isfinite(number) else _NOT_FINITE[str(number)]
        case str() as text:
            return _quote(text)
        case date() as moment:
            return moment.isoformat()
        case Mapping() as mapping:
            entries = (f"{_quote(name)}: {flow(entry)}" for name, entry in mapping.items())
            return f"{{{', '.join(entries)}}}"
        case sequence:
            return f"[{', '.join(map(flow, sequence))}]"


def plain(value: Any) -> Any:
    """Return the value as text, numbers, dates, lists and mappings."""
    if hasattr(value, "item") and not getattr(value, "ndim", 0):  # a NumPy scalar
        value = value.item()
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, _PLAIN):
        return value
    for types, convert in _CONVERSIONS:
        if isinstance(value, types):
            return convert(value)
    if _is_named(value):
        return _name(value)
    if callable(value):
        raise CheckError("a function cannot be written in YAML. Use bounds.")
    if isinstance(value, Iterable):
        return [plain(entry) for entry in value]
    raise CheckError(f"a {type(value).__name__} cannot be written in YAML.")


def span(value: timedelta) -> dict[str, int | float]:
    """Return a time span in days and seconds."""
    seconds = value.seconds + value.microseconds / 1e6
    parts: dict[str, int | float] = {"days": value.days}
    if seconds:
        parts["seconds"] = value.seconds if seconds == value.seconds else seconds
    return {unit: n for unit, n in parts.items() if n} or {"days": 0}


def _key(analyzer: Analyzer) -> str:
    """Return the analyzer's key, if it reads back: a key does not contain functions."""
    try:
        same = parse_key(analyzer.key) == analyzer
    except (AssayError, TypeError):
        same = False
    if not same:
        raise CheckError(f"{analyzer.key} cannot be written in YAML: it contains a function.")
    return analyzer.key


def _is_named(value: object) -> bool:
    """Return whether the value is a detector or a learner of Assay, which YAML names."""
    has_method = hasattr(value, "expect") or hasattr(value, "learn")
    return has_method and is_dataclass(value) and type(value).__module__.startswith("assay.")


def _name(value: Any) -> Any:
    """Return the name of a detector or a learner, with the parameters that are not defaults."""
    parameters = {
        parameter.name: plain(getattr(value, parameter.name))
        for parameter in fields(value)
        if parameter.default is MISSING or getattr(value, parameter.name) != parameter.default
    }
    name = type(value).__name__
    return {name: parameters} if parameters else name


def _plain_mapping(value: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(name): plain(entry) for name, entry in value.items()}


def _plain_set(value: Iterable[Any]) -> list[Any]:
    return [plain(entry) for entry in sorted(value, key=repr)]


_PLAIN = (bool, int, float, str, date)
_CONVERSIONS: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (Decimal, lambda value: {"decimal": str(value)}),
    (time, lambda value: {"time": value.isoformat()}),
    (timedelta, span),
    ((bytes, bytearray), lambda value: {"hex": value.hex()}),
    (Pattern, str),
    (Analyzer, _key),
    (Mapping, _plain_mapping),
    ((set, frozenset), _plain_set),
)


def _quote(text: str) -> str:
    if _BARE.fullmatch(text) and text.isprintable() and text.lower() not in _WORDS:
        return text
    return f'"{"".join(map(_escape, text))}"'


def _escape(character: str) -> str:
    if character in _ESCAPED:
        return _ESCAPED[character]
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
