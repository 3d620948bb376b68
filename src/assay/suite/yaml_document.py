"""Parse YAML into a tree of nodes with their places in the file.

The parser accepts the part of YAML that a suite needs. Tags, aliases, second documents and repeated
names are refused, and size and depth are limited: a small file cannot expand to a large one. Words
have their meaning of YAML 1.2: ``no`` is text. Dates are dates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from assay.checks.formatting import visible
from assay.errors import SuiteError

__all__ = ["DEPTH", "SIZE", "Listing", "Node", "Place", "Problems", "Scalar", "Table", "parse"]

#: largest size of a suite in bytes, and largest depth of nested collections
SIZE = 1 << 19
DEPTH = 16

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Place:
    """The line and column where a node begins, counted from 1, and its range of characters."""

    line: int
    column: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single value, and its text in the file."""

    value: Any
    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class Listing:
    """A sequence; `flow` if it is written in brackets."""

    items: tuple[Node, ...]
    place: Place
    flow: bool


@dataclass(frozen=True, slots=True)
class Table:
    """A mapping; `flow` if it is written in braces."""

    entries: tuple[tuple[Scalar, Node], ...]
    place: Place
    flow: bool

    def get(self, name: str) -> Node | None:
        """Return the node with this name; None if there is none."""
        return next((node for key, node in self.entries if key.value == name), None)


Node = Scalar | Listing | Table


class Problems:
    """The problems of a file, which are reported together in the order of its lines."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._problems: list[tuple[int, int, str]] = []

    def add(self, place: Place, sentence: str) -> None:
        """Add a problem at a place."""
        self._problems.append((place.line, place.column, visible(sentence)))

    def __len__(self) -> int:
        return len(self._problems)

    def raise_if_any(self) -> None:
        """Raise one `SuiteError` with all problems."""
        if self._problems:
            problems = sorted(dict.fromkeys(self._problems))
            name = visible(self.name)
            raise SuiteError(*(f"{name}:{line}:{column}: {why}" for line, column, why in problems))


class _Stop(Exception):  # noqa: N818 - not an error but the end of reading
    """The rest of the file cannot be read."""


def parse(text: str, problems: Problems) -> Node | None:
    """Return the tree of the text; None, with the reason in `problems`, if it is not valid."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    if len(text.encode("utf-8", "surrogatepass")) > SIZE:
        problems.add(_START, f"a suite has at most {SIZE:,} bytes.")
        return None
    try:
        return _Tree(YAML(typ="safe", pure=True).parse(text), problems).read()
    except _Stop:
        return None
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = _START if mark is None else Place(mark.line + 1, mark.column + 1, 0, 0)
        problems.add(place, f"invalid YAML: {error.problem or error.context}.")
    except (YAMLError, ValueError) as error:
        problems.add(_START, f"invalid YAML: {' '.join(str(error).split())}.")
    return None


_START = Place(1, 1, 0, 0)


class _Tree:
    """Builds the tree from a parser's events, and stops at the first event that is refused."""

    def __init__(self, events: Iterator[Any], problems: Problems) -> None:
        self.events = events
        self.problems = problems

    def read(self) -> Node | None:
        root: Node | None = None
        for event in self.events:
            if type(event).__name__ != "DocumentStartEvent":
                continue
            if root is not None:
                self._stop(event, "a suite is one document, and here begins a second.")
            root = self._node(next(self.events), 0)
        if root is None:
            self.problems.add(_START, "the file is empty; a suite begins with `version: 1`.")
        return root

    def _node(self, event: Any, depth: int) -> Node:
        kind = type(event).__name__
        if kind == "AliasEvent":
            self._stop(event, f"*{event.anchor} is an alias; write out what it stands for.")
        if event.tag is not None and not (kind == "ScalarEvent" and str(event.tag) == "!"):
            self._stop(event, f"{event.tag} is a tag; a suite has none.")
        if depth > DEPTH:
            self._stop(event, f"more than {DEPTH} lists and mappings within each other.")
        if kind == "ScalarEvent":
            return self._scalar(event)
        return self._listing(event, depth) if "Sequence" in kind else self._table(event, depth)

    def _scalar(self, event: Any) -> Scalar:
        place, text = _place(event, event.end_mark.index), event.value
        if event.style is not None or event.tag is not None:
            return Scalar(text, text, place)
        try:
            return Scalar(_resolve(text), text, place)
        except ValueError as error:
            self.problems.add(
                place, f"{_short(text)} cannot be read: {str(error).partition(';')[0]}."
            )
            return Scalar(text, text, place)

    def _listing(self, opened: Any, depth: int) -> Listing:
        items: list[Node] = []
        for event in self.events:
            if type(event).__name__ == "SequenceEndEvent":
                break
            items.append(self._node(event, depth + 1))
        flow = bool(opened.flow_style)
        end = event.end_mark.index if flow else _end(items, opened)
        return Listing(tuple(items), _place(opened, end), flow)

    def _table(self, opened: Any, depth: int) -> Table:
        entries: list[tuple[Scalar, Node]] = []
        names: dict[str, Scalar] = {}
        for event in self.events:
            if type(event).__name__ == "MappingEndEvent":
                break
            key = self._node(event, depth + 1)
            value = self._node(next(self.events), depth + 1)
            if not isinstance(key, Scalar):
                self.problems.add(key.place, "a name is text, not a list or a mapping.")
                continue
            if key.text in names:
                first = names[key.text].place.line
                self.problems.add(
                    key.place, f"{_short(key.text)} is here twice, first in line {first}."
                )
            names.setdefault(key.text, key)
            # names are text as it is written: a column may be called `null` or `2026-01-01`
            entries.append((Scalar(key.text, key.text, key.place), value))
        flow = bool(opened.flow_style)
        end = event.end_mark.index if flow else _end([node for _, node in entries], opened)
        return Table(tuple(entries), _place(opened, end), flow)

    def _stop(self, event: Any, sentence: str) -> None:
        self.problems.add(_place(event, 0), sentence)
        raise _Stop


def _place(event: Any, end: int) -> Place:
    mark = event.start_mark
    return Place(mark.line + 1, mark.column + 1, mark.index, end)


def _end(nodes: list[Node], opened: Any) -> int:
    """Return the end of the last node. The parser's end would include comments after it."""
    return nodes[-1].place.end if nodes else int(opened.end_mark.index)


def _short(text: str) -> str:
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_TRUTHS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_FORMS: tuple[tuple[re.Pattern[str], Callable[[str], Any]], ...] = (
    (re.compile(r"[-+]?[0-9]+"), int),
    (re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+"), lambda text: int(text, 0)),
    (re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"), float),
    (
        re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"),
        lambda text: float(text.replace(".", "")),
    ),
    (re.compile(r"\d{4}-\d\d-\d\d"), date.fromisoformat),
    (re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d\S*"), datetime.fromisoformat),
)


def _resolve(text: str) -> Any:
    """Return the value of a word without quotes, by the rules of YAML 1.2 and for dates."""
    if text in _NULLS:
        return None
    if text in _TRUTHS:
        return _TRUTHS[text]
    for form, make in _FORMS:
        if form.fullmatch(text):
            return make(text)
    return text
