"""Shapes of values in a suite: a description, a JSON Schema and a reader.

One object holds all three, so that they agree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from assay.checks.codegen.yaml_values import SPANS
from assay.checks.formatting import visible
from assay.checks.known_names import suggest_argument
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

#: result of a reader that has reported a problem
NOTHING: Any = object()

Read = Callable[[Node, Problems], Any]


@dataclass(frozen=True)
class Shape:
    """A kind of value.

    Attributes
    ----------
    words
        The description in messages.
    schema
        The JSON Schema.
    read
        Reads a node, or reports a problem and returns `NOTHING`.
    """

    words: str
    schema: Mapping[str, Any] = field(compare=False)
    read: Read = field(compare=False)


def describe_node(node: Node) -> str:
    """Return a node as messages show it."""
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


def unknown(what: str, name: str, known_names: Sequence[str]) -> str:
    """Return the sentence for an unknown name, with a suggestion or the known names."""
    likely = suggest_argument(name, known_names)
    hint = f"did you mean {likely!r}?" if likely else f"there are: {', '.join(known_names)}."
    return f"{what} {name!r}; {hint}"


def _scalar(words: str, kind: str, fits: Callable[[Any], bool], hint: str = "") -> Shape:
    def read(node: Node, problems: Problems) -> Any:
        if isinstance(node, Scalar) and fits(node.value):
            return node.value
        problems.add(node.place, f"expected {words}, got {describe_node(node)}{hint}.")
        return NOTHING

    return Shape(words, {"type": kind}, read)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


TEXT = _scalar("text", "string", lambda v: isinstance(v, str))
NUMBER = _scalar("a number", "number", _is_number)
WHOLE = _scalar(
    "a whole number", "integer", lambda v: isinstance(v, int) and not isinstance(v, bool)
)
BOOLEAN = _scalar("true or false", "boolean", lambda v: isinstance(v, bool))


def choice(*words: str) -> Shape:
    """Return the shape of one of the words."""
    listed = f"one of {', '.join(words)}"

    def read(node: Node, problems: Problems) -> Any:
        if isinstance(node, Scalar) and node.value in words:
            return node.value
        likely = nearest(node.text, words) if isinstance(node, Scalar) else None
        hint = f"; did you mean {likely!r}?" if likely else "."
        problems.add(node.place, f"expected {listed}, got {describe_node(node)}{hint}")
        return NOTHING

    return Shape(listed, {"enum": list(words)}, read)


def text_as(words: str, make: Callable[[str], Any], schema: Mapping[str, Any]) -> Shape:
    """Return the shape of text that `make` converts."""

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

    return Shape(words, schema, read)


def listing(
    entry: Shape, *, size: int | None = None, make: Callable[[list[Any]], Any] = list
) -> Shape:
    """Return the shape of a list with values of one shape, and with `size` values if given."""
    words = f"a list of {size} values" if size else "a list"
    schema: dict[str, Any] = {"type": "array", "items": dict(entry.schema)}
    if size:
        schema |= {"minItems": size, "maxItems": size}

    def read(node: Node, problems: Problems) -> Any:
        if not isinstance(node, Listing):
            problems.add(node.place, f"expected {words}, got {describe_node(node)}.")
            return NOTHING
        if size and len(node.items) != size:
            problems.add(node.place, f"expected {words}, got one of {len(node.items)}.")
            return NOTHING
        items = [entry.read(item, problems) for item in node.items]
        return NOTHING if any(item is NOTHING for item in items) else make(items)

    return Shape(words, schema, read)


def maybe(shape: Shape) -> Shape:
    """Return the shape of a value or null."""

    def read(node: Node, problems: Problems) -> Any:
        if isinstance(node, Scalar) and node.value is None:
            return None
        return shape.read(node, problems)

    return Shape(shape.words, {"anyOf": [dict(shape.schema), {"type": "null"}]}, read)


def pairs(value_shape: Shape) -> Shape:
    """Return the shape of a mapping of any names to values of one shape."""

    def read(node: Node, problems: Problems) -> Any:
        if not isinstance(node, Table) or not node.entries:
            problems.add(node.place, f"expected names with values, got {describe_node(node)}.")
            return NOTHING
        values = {key.value: value_shape.read(value, problems) for key, value in node.entries}
        return NOTHING if any(value is NOTHING for value in values.values()) else values

    values = dict(value_shape.schema)
    schema = {"type": "object", "additionalProperties": values, "minProperties": 1}
    return Shape("names with values", schema, read)


def read_fields(
    table: Table, shapes: Mapping[str, Shape], problems: Problems, of: str
) -> dict[str, Any]:
    """Return the valid values of a mapping, and report unknown names and invalid values."""
    values: dict[str, Any] = {}
    for key, node in table.entries:
        if key.value not in shapes:
            problems.add(key.place, unknown(f"{of} has no", key.value, sorted(shapes)))
            continue
        value = shapes[key.value].read(node, problems)
        if value is not NOTHING:
            values[key.value] = value
    return values


def _names(node: Node, problems: Problems) -> Any:
    """Read one column or a list of columns."""
    if isinstance(node, Listing):
        return listing(TEXT).read(node, problems)
    return TEXT.read(node, problems)


NAMES = Shape("a column or a list of columns", {"$ref": "#/$defs/columns"}, _names)


def _span(node: Node, problems: Problems) -> Any:
    if not isinstance(node, Table) or not node.entries:
        problems.add(
            node.place, f"expected a time span such as {{days: 2}}, got {describe_node(node)}."
        )
        return NOTHING
    before = len(problems)
    parts = read_fields(node, dict.fromkeys(SPANS, NUMBER), problems, "a time span")
    if len(problems) > before:
        return NOTHING
    return _convert(lambda: timedelta(**parts), node.place, problems)


SPAN = Shape("a time span", {"$ref": "#/$defs/span"}, _span)


def _moment(node: Node, problems: Problems) -> Any:
    if isinstance(node, Scalar) and isinstance(node.value, datetime):
        return node.value
    if isinstance(node, Scalar) and isinstance(node.value, str):
        return _convert(lambda: datetime.fromisoformat(node.text), node.place, problems)
    problems.add(
        node.place, f"expected a time such as 2026-01-31T12:00:00Z, got {describe_node(node)}."
    )
    return NOTHING


MOMENT = Shape("a time", {"type": "string"}, _moment)

#: types that YAML does not have: the key of their mapping, and the converter of its text
_TAGGED: Mapping[str, Callable[[str], Any]] = {
    "decimal": Decimal,
    "time": time.fromisoformat,
    "hex": bytes.fromhex,
}


def _value(node: Node, problems: Problems) -> Any:
    match node:
        case Scalar(None) | Listing():
            problems.add(node.place, f"expected a value, got {describe_node(node)}.")
            return NOTHING
        case Scalar(value):
            return value
        case Table(((Scalar(name), Scalar(str() as text)),)) if name in _TAGGED:
            return _convert(lambda: _TAGGED[name](text), node.place, problems)
        case _:
            return SPAN.read(node, problems)


VALUE = Shape("a value", {"$ref": "#/$defs/value"}, _value)

_TEXT = {"type": "string"}
#: schemas that other schemas refer to
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


def _convert(make: Callable[[], Any], place: Place, problems: Problems) -> Any:
    try:
        return make()
    except (ValueError, OverflowError, InvalidOperation) as error:
        why = str(error) if isinstance(error, ValueError | OverflowError) else "it is not a number"
        problems.add(place, f"{why.removesuffix('.')}.")
        return NOTHING
