"""The schema is that of the suites that are read."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from assay import Suite
from assay.suite.form import forms
from assay.suite.json_schema import PATH, schema, text
from assay.suite.yaml_document import Listing, Node, Problems, Scalar, parse
from tests.suite.generated import suites
from tests.suite.test_read_suite import HEAD, constraints
from tests.suite.test_round_trip import slow
from tests.suite.test_write_suite import HAND_WRITTEN

VALIDATOR = Draft202012Validator(schema())
DOCS = Path(__file__).parents[2] / "docs"


def valid(yaml: str) -> bool:
    """Return whether an editor accepts the suite: it reads dates as text."""
    node = parse(yaml, Problems("s"))
    assert node is not None
    return bool(VALIDATOR.is_valid(plain(node)))


def plain(node: Node) -> Any:
    match node:
        case Scalar(date() as moment):
            return moment.isoformat()
        case Scalar(value):
            return value
        case Listing(items):
            return [plain(item) for item in items]
        case _:
            return {key.value: plain(value) for key, value in node.entries}


def test_the_file_is_current() -> None:
    """`python -m assay.suite.json_schema > src/assay/suite/suite.schema.json` makes it so."""
    assert PATH.read_text() == text()


def test_the_json_schema_is_valid() -> None:
    Draft202012Validator.check_schema(schema())


@settings(slow, max_examples=25)
@given(suites())
def test_written_suites_are_valid(suite: Suite) -> None:
    assert valid(suite.yaml)


def examples() -> list[str]:
    """Return all suites in the documents."""
    documents = []
    for path in sorted(DOCS.glob("*.md")):
        documents += re.findall(r"```yaml\n(.*?)```", path.read_text(), re.DOTALL)
    return documents


@pytest.mark.parametrize("yaml", [*examples(), HAND_WRITTEN])
def test_documented_suites_are_read_and_valid(yaml: str) -> None:
    assert valid(yaml)
    assert Suite.parse(yaml, variables=False).dataset


MISTAKES = [
    "dataset: d",
    "version: 2\ndataset: d",
    "version: 1",
    "version: 1\ndataset: ''",
    f"{HEAD}check: []",
    f"{HEAD}checks: {{}}",
    f"{HEAD}checks: [{{}}]",
    f"{HEAD}checks: [{{name: a, level: worning}}]",
    f"{HEAD}gate: {{budgt: 1/2}}",
    f"{HEAD}gate: {{budget: 3}}",
    f"{HEAD}gate: {{season: 1}}",
    f"{HEAD}notify: [{{slak: x}}]",
    f"{HEAD}notify: [{{slack: x, webhook: y}}]",
    *map(
        constraints,
        [
            "is_complet: id",
            "warn: {}",
            "is_complete: {column: id}",
            "is_complete: []",
            "is_complete: 3",
            "is_complete",
            "has_mean: x",
            "has_mean: {column: x}",
            "has_mean: {at_least: 1}",
            "has_mean: {column: x, at_last: 1}",
            "has_mean: {column: x, between: [1]}",
            "has_mean: {column: x, at_least: [1]}",
            "has_mean: {column: x, at_least: {dayz: 1}}",
            "has_mean: {column: x, at_least: 1, level: fatal}",
            "has_size: 3",
            "has_size: {satisfies: f}",
            "has_histogram: {column: a}",
            "is_contained_in: {column: a, values: x}",
            "is_email: {column: a, nulls: fial}",
            "is_fresh: {column: a, within: 3}",
            "has_predictability: {target: a, inputs: b}",
            "matches_schema: {expected: {a: 1}}",
            "has: {analyzer: Siz(), at_least: 1}",
            "has_no_anomalies: {analyzer: Size()}",
            "has_no_anomalies: {analyzer: Size(), detector: OnlineNorml}",
            "has_no_anomalies: {analyzer: Size(), detector: Differenced}",
            "has_no_anomalies: {analyzer: Size(), detector: {OnlineNormal: {uper: 3}}}",
            "has_no_anomalies: {analyzer: Size(), detector: {OnlineNormal: {upper: high}}}",
            "has_no_anomalies: {analyzer: Size(), detector: {ByCallable: {function: f}}}",
            "has_no_anomalies: {analyzer: Size(), detector: {Differenced: {lag: 7}}}",
        ],
    ),
]


@pytest.mark.parametrize("yaml", MISTAKES)
def test_mistakes_are_seen_by_editors_and_by_us(yaml: str) -> None:
    assert not valid(yaml)
    with pytest.raises(Exception, match=r"^s:\d+:\d+: "):
        Suite.parse(yaml, name="s", variables=False)


def test_every_constraint_is_in_the_document() -> None:
    table = (DOCS / "suites.md").read_text().partition("## All constraints")[2]
    rows = {
        row.split("|")[1].strip(" `"): row for row in table.splitlines() if row.startswith("| `")
    }
    assert set(rows) == {form.method.name for form in forms()}
    for form in forms():
        row = rows[form.method.name]
        for name in form.needed:
            assert re.search(rf"\b{name}\b", row.split("|")[2]), row
