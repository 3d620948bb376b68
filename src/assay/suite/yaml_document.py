"""YAML as a tree whose every node knows where it stands.

Only what a suite needs, and nothing that grows: no tags, no aliases (bombs are made of them), no
second document, no name twice, a limit on size and depth. Words are those of YAML 1.2, so that
`no` is text; dates are dates.
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

#: the most bytes that a suite has, and the most collections within each other
SIZE = 1 << 19
DEPTH = 16

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Place:
    """Where a node begins, counted from 1, and which characters of the text it takes up."""

    line: int
    column: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single value, and how it was written."""

    value: Any
    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class Listing:
    """A sequence; `flow` where it stands in brackets."""

    items: tuple[Node, ...]
    place: Place
    flow: bool


@dataclass(frozen=True, slots=True)
class Table:
    """A mapping; `flow` where it stands in braces."""

    entries: tuple[tuple[Scalar, Node], ...]
    place: Place
    flow: bool

    def get(self, name: str) -> Node | None:
        """What stands under this name."""
        return next((node for key, node in self.entries if key.value == name), None)


Node = Scalar | Listing | Table


class Problems:
    """What is wrong with a file, in the order of its lines."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._found: list[tuple[int, int, str]] = []

    def add(self, place: Place, sentence: str) -> None:
        """One more."""
        self._found.append((place.line, place.column, visible(sentence)))

    def __len__(self) -> int:
        return len(self._found)

    def raise_if_any(self) -> None:
        """Raise all of them as one error."""
        if self._found:
            found = sorted(dict.fromkeys(self._found))
            name = visible(self.name)
            raise SuiteError(*(f"{name}:{line}:{column}: {what}" for line, column, what in found))


class _Stop(Exception):  # noqa: N818 - not an error but the end of reading
    """Nothing after this can be read."""


def parse(text: str, problems: Problems) -> Node | None:
    """The tree of the text; None, and the reason in `problems`, if it is no YAML that we read."""
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
        problems.add(place, f"this is no YAML: {error.problem or error.context}.")
    except (YAMLError, ValueError) as error:
        problems.add(_START, f"this is no YAML: {' '.join(str(error).split())}.")
    return None


_START = Place(1, 1, 0, 0)


class _Tree:
    """Builds the tree from a parser's events, and stops early at what is not allowed."""

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
            return Scalar(_resolved(text), text, place)
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
            # a name is what was written: a column may be called `null` or `2026-01-01`
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
    """Where the last of them ends: the parser's own end is that of the comments after it."""
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


def _resolved(text: str) -> Any:
    """What a bare word is, in YAML 1.2 and for dates."""
    if text in _NULLS:
        return None
    if text in _TRUTHS:
        return _TRUTHS[text]
    for form, make in _FORMS:
        if form.fullmatch(text):
            return make(text)
    return text
