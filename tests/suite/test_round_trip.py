"""A suite in Python and in YAML is the same value."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay import Check, GateSettings, Suite
from assay.analyzers import CustomAggregate
from assay.checks.codegen.constraint_call import methods
from assay.checks.constraint import Constraint
from assay.errors import CheckError, SuiteError
from assay.learn.anomaly import ByCallable
from assay.learn.patterns import PatternIndex, Patterns
from assay.suite import Target
from tests.checks.constraint_examples import EXAMPLES
from tests.suite.generated import FUNCTIONS, METHODS, checks, suites

slow = settings(
    max_examples=30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
#: names that both of two suites are likely to have
SHARED = st.sampled_from(["a", "b", "c", "d"])
few = settings(slow, max_examples=5, database=None, derandomize=True)


@slow
@given(suites())
def test_any_suite_reads_back(suite: Suite) -> None:
    again = Suite.parse(suite.yaml, variables=False)
    assert again == suite
    assert again.yaml == suite.yaml


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_drawn_and_reads_back(method: str) -> None:
    """The property above covers every method."""
    constraint_counts: list[int] = []

    @few
    @given(checks(only=method))
    def law(check: Check) -> None:
        constraint_counts.append(len(check.constraints))
        assert Suite.parse(Suite("d", (check,)).yaml).checks == (check,)

    law()
    assert any(constraint_counts)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_every_constraint_of_the_reference_reads_back(example: Any) -> None:
    suite = Suite("d", (example.add_to(Check("c")),))
    if example.name in FUNCTIONS:
        with pytest.raises(CheckError, match=rf"^c: {example.name}: a function cannot be written"):
            _ = suite.yaml
    else:
        assert Suite.parse(suite.yaml) == suite


def test_methods_that_a_suite_cannot_say_are_those_that_only_functions_judge() -> None:
    assert {example.name for example in EXAMPLES if "satisfies" in example.options} == FUNCTIONS
    assert set(METHODS) | FUNCTIONS == set(methods())


@pytest.mark.parametrize(
    ("check", "words"),
    [
        (Check("sizes").has_size(satisfies=lambda n: n % 2 == 0), "sizes: has_size: a function"),
        (
            Check("mine").has_no_anomalies(EXAMPLES[0].arguments[0], ByCallable(lambda *_: (0, 1))),
            "mine: has_no_anomalies: a function",
        ),
        (
            Check("parts").has(
                CustomAggregate("s", (("n", "sum(x)", "sum"),), formula=lambda n: n), at_least=0
            ),
            "parts: has: CustomAggregate.* cannot be written",
        ),
        (
            Check("model").has_predictability("a", "b", f1=0.5, classifier=object()),
            "model: has_predictability: a object cannot be written",
        ),
    ],
    ids=["satisfies", "detector", "formula", "classifier"],
)
def test_functions_are_refused_by_the_name_of_their_check(check: Check, words: str) -> None:
    with pytest.raises(CheckError, match=words):
        _ = Suite("d", (check,)).yaml


@settings(slow, max_examples=12)
@given(suites(SHARED), suites(SHARED))
def test_adding_to_a_file_keeps_every_line(tmp_path_factory: Any, one: Suite, two: Suite) -> None:
    path = tmp_path_factory.mktemp("s") / "suite.yaml"
    there = Suite("d", one.checks, one.gate, one.notify)
    path.write_text(there.yaml)
    more = Suite("d", two.checks, GateSettings(), two.notify)
    try:
        more.write(path)
    except SuiteError as error:
        code, sentence = error.code, str(error)
        assert path.read_text() == there.yaml
        assert code == "other_scope" or "an id names one constraint" in sentence
        return
    after = path.read_text()
    assert _within(there.yaml.splitlines(), after.splitlines())
    suite = Suite.read(path, variables=False)
    constraints = {check.name: check.constraints for check in suite.checks}
    for check in there.checks:
        assert constraints[check.name][: len(check.constraints)] == check.constraints
    for check in more.checks:
        assert {_meant(constraint) for constraint in check.constraints} <= {
            _meant(constraint) for constraint in constraints[check.name]
        }
    assert set(more.notify) <= set(suite.notify)
    more.write(path)
    assert path.read_text() == after, "what is there already is not added again"


def test_a_constraint_without_a_scope_is_not_added_to_a_check_with_one(tmp_path: Path) -> None:
    path = tmp_path / "suite.yaml"
    Suite("d", (Check("a", on="batch").is_complete("id"),)).write(path)
    before = path.read_text()

    with pytest.raises(SuiteError, match="is_unique") as raised:
        Suite("d", (Check("a").is_unique("id"),)).write(path)

    assert raised.value.code == "other_scope"
    assert path.read_text() == before


def _meant(constraint: Constraint) -> object:
    return constraint.analyzer, constraint.assertion, constraint.level, constraint.hint


def _within(few: list[str], many: list[str]) -> bool:
    """Return whether `many` contains the lines of `few` in their order."""
    remaining_lines = iter(many)
    return all(line in remaining_lines for line in few)


def test_importing_and_reading_a_suite_is_light(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    suite = Suite("d", (Check("c").is_complete("a").has_size(at_least=1),))
    suite.write(path)
    heavy = "{'pyspark', 'numpy', 'pandas', 'datasketches', 'rich'}"
    code = (
        f"import sys, assay; assert 'ruamel.yaml' not in sys.modules;"
        f"assay.Suite.read({str(path)!r}); print(sorted({heavy} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@given(st.sampled_from(["webhook", "slack"]))
def test_targets_are_values(kind: Any) -> None:
    assert Target(kind, "https://a.org/b") == Target(kind, "https://a.org/b")
    assert Target(kind, "https://a.org/b") != Target(kind, "https://a.org/c")


def test_learners_and_detectors_of_ones_own_are_refused() -> None:
    class Mine:
        def expect(self, *_: Any) -> Any: ...

    unusual = Check("c").has_no_anomalies(EXAMPLES[0].arguments[0], Mine())
    with pytest.raises(CheckError, match="c: has_no_anomalies: a Mine cannot be written"):
        _ = Suite("d", (unusual,)).yaml
    indexed = Check("c").matches_learned_pattern("sku", Patterns(PatternIndex.empty()))
    with pytest.raises(CheckError, match="c: matches_learned_pattern: a PatternIndex cann"):
        _ = Suite("d", (indexed,)).yaml


def test_numbers_of_numpy_are_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    check = Check("c").has_size(at_least=numpy.int64(3))
    check = check.is_contained_in("x", numpy.array([1.5, 2.5]))
    assert Suite.parse(Suite("d", (check,)).yaml).checks == (check,)
