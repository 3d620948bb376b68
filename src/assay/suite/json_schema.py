"""Generate the JSON Schema of suites from the forms that read them.

`python -m assay.suite.json_schema` prints it. The package contains it as `suite.schema.json`.
Editors use it to complete suites and to mark mistakes.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_args

from assay.analyzers import registry
from assay.checks.assertions.bounds import Bounds
from assay.checks.constraint import Level
from assay.checks.constraint_options import On
from assay.suite.form import Form, forms
from assay.suite.read_suite import GATE
from assay.suite.shape import DEFINITIONS
from assay.suite.shape_by_type import detectors, learners, parameters, required_of
from assay.suite.suite import VERSION
from assay.suite.target import Kind

__all__ = ["PATH", "schema", "text"]

#: the schema's file
PATH = Path(__file__).with_name("suite.schema.json")


def schema() -> dict[str, Any]:
    """Return the schema of a suite."""
    check = {
        "name": {"type": "string", "pattern": r"\S"},
        "level": {"enum": [level.value for level in Level]},
        "on": {"enum": list(get_args(On))},
        "constraints": {"type": "array", "items": {"$ref": "#/$defs/constraint"}},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A suite of Assay: the checks and settings of a dataset",
        **_table(
            {
                "version": {"const": VERSION},
                "dataset": {"type": "string", "pattern": r"\S"},
                "checks": {"type": "array", "items": _table(check, ["name"])},
                "gate": _table({name: shape.schema for name, shape in GATE.items()}),
                "notify": {"type": "array", "items": _one(dict.fromkeys(get_args(Kind), _TEXT))},
            },
            ["version", "dataset"],
        ),
        "$defs": {
            **DEFINITIONS,
            "some": _SOME,
            "analyzer": {"type": "string", "pattern": rf"^({'|'.join(sorted(registry()))})\("},
            "bounded": _any_of(bound for bound in Bounds.__annotations__ if bound != "satisfies"),
            "constraint": _one({f.method.name: _constraint_schema(f) for f in forms()}),
            "detector": _named(detectors()),
            "learner": _named(learners()),
        },
    }


_TEXT = {"type": "string"}


def _table(properties: Mapping[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    needed = {"required": required} if required else {}
    return {
        "type": "object",
        "properties": dict(properties),
        **needed,
        "additionalProperties": False,
    }


def _one(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a mapping with exactly one of the names."""
    return {**_table(properties), "minProperties": 1, "maxProperties": 1}


def _constraint_schema(form: Form) -> dict[str, Any]:
    """Return the schema of the arguments by name, or of the first alone if it suffices."""
    shapes = {name: shape.schema for name, shape in form.shapes.items()}
    columns = form.method.columns
    if columns in form.needed:
        shapes[str(columns)] = {"$ref": "#/$defs/some"}
    by_name = _table(shapes, list(form.needed))
    if form.bounds:
        extra = form.method.extra_bounds
        by_name["allOf"] = [_any_of(form.bounds) if extra else {"$ref": "#/$defs/bounded"}]
    summary = (inspect.getdoc(form.method.function) or "").splitlines()[0]
    description = {"description": summary}
    if form.lead is None or form.bounds or set(form.needed) - {form.lead}:
        return description | by_name
    return description | {"anyOf": [shapes[form.lead], by_name]}


def _any_of(names: Iterable[str]) -> dict[str, Any]:
    return {"anyOf": [{"required": [name]} for name in names]}


_SOME = {"anyOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1}]}


def _named(makers: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a name without parameters, or a mapping of a name to parameters."""
    alone = [name for name, maker in makers.items() if not required_of(maker)]
    tables = {
        name: _table({n: s.schema for n, s in parameters(maker).items()}, required_of(maker))
        for name, maker in makers.items()
    }
    return {"anyOf": [{"enum": alone}, _one(tables)]}


def text() -> str:
    """Return the schema as text, with one line per constraint."""
    document = schema()
    constraints = document["$defs"]["constraint"]["properties"]
    lines = ",\n".join(f"{json.dumps(n)}: {json.dumps(s)}" for n, s in constraints.items())
    document["$defs"]["constraint"]["properties"] = _LINES
    return json.dumps(document, indent=1).replace(json.dumps(_LINES), f"{{\n{lines}\n}}") + "\n"


#: placeholder for the constraints, which are written one per line
_LINES = "<constraints>"


if __name__ == "__main__":
    sys.stdout.write(text())
