"""What may stand at a place of a suite: in words, as JSON Schema, and how it is read.

One value says all three, so that they cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from assay.checks.codegen.yaml_values import SPANS
from assay.checks.formatting import visible
from assay.errors import AssayError, nearest
from assay.suite.yaml_document import Listing, Node, Place, Problems, Scalar, Table

__all__ = [
    "BOOLEAN",
    "DEFINITIONS",
    "MOMENT",
    "NAMES",
    "NOTHING",
    "NUMBER",
    "SPAN",
    "TEXT",
    "VALUE",
    "WHOLE",
    "Shape",
    "choice",
    "describe_node",
    "listing",
    "maybe",
    "pairs",
    "read_fields",
    "text_as",
    "unknown",
]

#: what is read where there is nothing to be read
NOTHING: Any = object()

Read = Callable[[Node, Problems], Any]


@dataclass(frozen=True)
class Shape:
    """What a value is called, the schema of it, how it is read, and one that fits."""

    words: str
    schema: Mapping[str, Any] = field(compare=False)
    read: Read = field(compare=False)
    example: Any = field(compare=False, default=None)


def describe_node(node: Node) -> str:
    """A node as messages show it."""
    match node:
        case Listing():
            return "a list"
        case Table():
            return "a mapping"
        case Scalar(None):
            return "nothing"
        case Scalar(str() as text):
            return repr(text if len(text) <= 60 else f"{text[:60]}…")
        case Scalar(_, text):
            return visible(text)


def unknown(what: str, name: str, known: Sequence[str]) -> str:
    """The sentence for a name that is not known, with the one that was probably meant."""
    likely = nearest(name, known)
    hint = f"did you mean {likely!r}?" if likely else f"there are: {', '.join(known)}."
    return f"{what} {name!r}; {hint}"


def _scalar(
    words: str, kind: str, example: Any, fits: Callable[[Any], bool], hint: str = ""
) -> Shape:
    def read(node: Node, problems: Problems) -> Any:
        if isinstance(node, Scalar) and fits(node.value):
            return node.value
        problems.add(node.place, f"{words} is expected, not {describe_node(node)}{hint}.")
        return NOTHING

    return Shape(words, {"type": kind}, read, example)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


TEXT = _scalar("text", "string", "a", lambda v: isinstance(v, str))
NUMBER = _scalar("a number", "number", 1.0, _is_number)
WHOLE = _scalar(
    "a whole number", "integer", 1, lambda v: isinstance(v, int) and not isinstance(v, bool)
)
BOOLEAN = _scalar("true or false", "boolean", True, lambda v: isinstance(v, bool))


def choice(*words: str) -> Shape:
    """One of these words."""
    listed = f"one of {', '.join(words)}"

    def read(node: Node, problems: Problems) -> Any:
        if isinstance(node, Scalar) and node.value in words:
            return node.value
        likely = nearest(node.text, words) if isinstance(node, Scalar) else None
        hint = f"; did you mean {likely!r}?" if likely else "."
        problems.add(node.place, f"{listed} is expected, not {describe_node(node)}{hint}")
        return NOTHING

    return Shape(listed, {"enum": list(words)}, read, words[0])


def text_as(
    words: str, make: Callable[[str], Any], example: str, schema: Mapping[str, Any]
) -> Shape:
    """Text that is made into something."""

    def read(node: Node, problems: Problems) -> Any:
        text = TEXT.read(node, problems)
        if text is NOTHING:
            return NOTHING
        try:
            return make(text)
        except (AssayError, ValueError, InvalidOperation) as error:
            why = str(error).removesuffix(".") or f"{describe_node(node)} is not {words}"
            problems.add(node.place, f"{why}.")
            return NOTHING

    return Shape(words, schema, read, make(example))


def listing(
    each: Shape, *, size: int | None = None, make: Callable[[list[Any]], Any] = list
) -> Shape:
    """Several of the same shape, or so many."""
    words = f"a list of {size} values" if size else "a list"
    schema: dict[str, Any] = {"type": "array", "items": dict(each.schema)}
    if size:
        schema |= {"minItems": size, "maxItems": size}

    def read(node: Node, problems: Problems) -> Any:
        if not isinstance(node, Listing):
            problems.add(node.place, f"{words} is expected, not {describe_node(node)}.")
            return NOTHING
        if size and len(node.items) != size:
            problems.add(node.place, f"{words} is expected, not of {len(node.items)}.")
            return NOTHING
        items = [each.read(item, problems) for item in node.items]
        return NOTHING if any(item is NOTHING for item in items) else make(items)

    return Shape(words, schema, read, make([each.example] * (size or 1)))


def maybe(shape: Shape) -> Shape:
    """The shape, or null."""

    def read(node: Node, problems: Problems) -> Any:
        if isinstance(node, Scalar) and node.value is None:
            return None
        return shape.read(node, problems)

    return Shape(
        shape.words, {"anyOf": [dict(shape.schema), {"type": "null"}]}, read, shape.example
    )


def pairs(each: Shape) -> Shape:
    """Any names, with a value of the shape each."""

    def read(node: Node, problems: Problems) -> Any:
        if not isinstance(node, Table) or not node.entries:
            problems.add(node.place, f"names with values are expected, not {describe_node(node)}.")
            return NOTHING
        found = {key.value: each.read(value, problems) for key, value in node.entries}
        return NOTHING if any(value is NOTHING for value in found.values()) else found

    schema = {"type": "object", "additionalProperties": dict(each.schema), "minProperties": 1}
    return Shape("names with values", schema, read, {"a": each.example})


def read_fields(
    table: Table, known: Mapping[str, Shape], problems: Problems, of: str
) -> dict[str, Any]:
    """The values of a mapping whose names are known, without those that are wrong."""
    found: dict[str, Any] = {}
    for key, node in table.entries:
        if key.value not in known:
            problems.add(key.place, unknown(f"{of} has no", key.value, sorted(known)))
            continue
        value = known[key.value].read(node, problems)
        if value is not NOTHING:
            found[key.value] = value
    return found


def _names(node: Node, problems: Problems) -> Any:
    """A column, or several."""
    if isinstance(node, Listing):
        return listing(TEXT).read(node, problems)
    return TEXT.read(node, problems)


NAMES = Shape("a column or a list of columns", {"$ref": "#/$defs/columns"}, _names, "a")


def _span(node: Node, problems: Problems) -> Any:
    if not isinstance(node, Table) or not node.entries:
        problems.add(
            node.place, f"a time span such as {{days: 2}} is expected, not {describe_node(node)}."
        )
        return NOTHING
    before = len(problems)
    parts = read_fields(node, dict.fromkeys(SPANS, NUMBER), problems, "a time span")
    if len(problems) > before:
        return NOTHING
    return _made(lambda: timedelta(**parts), node.place, problems)


SPAN = Shape("a time span", {"$ref": "#/$defs/span"}, _span, timedelta(days=1))


def _moment(node: Node, problems: Problems) -> Any:
    if isinstance(node, Scalar) and isinstance(node.value, datetime):
        return node.value
    if isinstance(node, Scalar) and isinstance(node.value, str):
        return _made(lambda: datetime.fromisoformat(node.text), node.place, problems)
    problems.add(
        node.place, f"a time such as 2026-01-31T12:00:00Z is expected, not {describe_node(node)}."
    )
    return NOTHING


MOMENT = Shape("a time", {"type": "string"}, _moment, datetime(2026, 1, 31))

#: what YAML has no word for, by the name that stands in its place
_TAGGED: Mapping[str, Callable[[str], Any]] = {
    "decimal": Decimal,
    "time": time.fromisoformat,
    "hex": bytes.fromhex,
}


def _value(node: Node, problems: Problems) -> Any:
    match node:
        case Scalar(None) | Listing():
            problems.add(node.place, f"a value is expected, not {describe_node(node)}.")
            return NOTHING
        case Scalar(value):
            return value
        case Table(((Scalar(name), Scalar(str() as text)),)) if name in _TAGGED:
            return _made(lambda: _TAGGED[name](text), node.place, problems)
        case _:
            return SPAN.read(node, problems)


VALUE = Shape("a value", {"$ref": "#/$defs/value"}, _value, 1)

_TEXT = {"type": "string"}
#: the schemas that others refer to
DEFINITIONS: Mapping[str, Any] = {
    "columns": {"anyOf": [_TEXT, {"type": "array", "items": _TEXT}]},
    "span": {
        "type": "object",
        "properties": {unit: {"type": "number"} for unit in SPANS},
        "additionalProperties": False,
        "minProperties": 1,
    },
    "value": {
        "anyOf": [
            {"type": ["string", "number", "boolean"]},
            {"$ref": "#/$defs/span"},
            {
                "type": "object",
                "properties": dict.fromkeys(_TAGGED, _TEXT),
                "additionalProperties": False,
                "minProperties": 1,
                "maxProperties": 1,
            },
        ]
    },
}


def _made(make: Callable[[], Any], place: Place, problems: Problems) -> Any:
    try:
        return make()
    except (ValueError, OverflowError, InvalidOperation) as error:
        why = str(error) if isinstance(error, ValueError | OverflowError) else "this is no number"
        problems.add(place, f"{why.removesuffix('.')}.")
        return NOTHING
