"""Inference of patterns, beyond the examples of the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.checks.assertions.learned_pattern import LearnedPattern
from assay.checks.assertions.proportion_test import ProportionTest
from assay.checks.pattern import Pattern
from assay.errors import CheckError
from assay.learn.patterns import (
    Enumeration,
    InferredPattern,
    NoPattern,
    PatternIndex,
    Search,
    infer,
)
from assay.learn.patterns.evidence import collect_evidence
from assay.learn.patterns.hierarchy import HIERARCHIES, Hierarchy
from assay.learn.patterns.learner import Patterns
from assay.learn.patterns.value_shape import group_by_shape
from tests.learn.patterns.lakes import LAKE, dates, index

if TYPE_CHECKING:
    pass


@pytest.mark.parametrize(
    ("values", "pattern"),
    [
        (["कि-5", "2खि-6", "गि4ि-7", "घि-9"], "<alphanum>+-<digit>+"),
        ([f"cafe\u0301-{n}" for n in (7, 8, 12)], "<letter>+-<digit>+"),
    ],
)
def test_combining_marks_belong_to_runs(values: list[str], pattern: str) -> None:
    inferred = infer(values)
    assert isinstance(inferred, InferredPattern)
    assert str(inferred.pattern) == pattern
    assert all(map(Pattern.parse(pattern).matches, values))


def test_an_ambiguous_pattern_has_no_text_but_is_indexed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(HIERARCHIES, "numbers", Hierarchy("numbers", ("num",)))
    numbers = Enumeration(hierarchy="numbers")
    versions = [f"{n}.{n * 7}.1" for n in range(1, 40)]
    evidence = collect_evidence(versions, numbers)
    assert not any(text.startswith("<num>.<num>") for text in evidence.texts.values())
    assert len(evidence.keys) > len(evidence.texts)
    assert isinstance(infer(versions, PatternIndex.empty(numbers)), NoPattern)


def test_counts_of_rows_may_be_large() -> None:
    inferred = infer({"AB-x": 1, **{f"AB-{n:02}": 10**12 for n in range(30)}})
    assert isinstance(inferred, InferredPattern)
    assert str(inferred.pattern) == "<upper>+-<alphanum>+"
    assert inferred.rows == 30 * 10**12 + 1
    # many rare values stay exceptions
    odd = {f"?{n}!": 1 for n in range(3000)}
    many = infer({f"AB-{n:02}": 10**6 for n in range(30)} | odd)
    assert isinstance(many, InferredPattern)
    assert (str(many.pattern), many.missed) == ("<upper>+-<digit>+", 3000)


awkward = st.text(max_size=20) | st.sampled_from(
    [
        "",
        " ",
        "\x00\x01",
        "\ue000",
        "🙂🙂",
        "שלום עולם",
        "a" * 600,
        "1.5",
        "-3",
        "(a+)+$",
        "١٢٣",
        "é",
    ]
)


@given(st.lists(awkward, max_size=40), st.sampled_from(["unified", "fmdv-vh", "fmdv-h"]))
def test_the_evidence_agrees_with_the_values_of_any_column(values: list[str], variant: str) -> None:
    inferred = infer(values, LAKE, Search(variant))  # type: ignore[arg-type]
    present = [value for value in values if value]
    if isinstance(inferred, NoPattern):
        assert inferred.reason
        return
    missed = [value for value in present if not inferred.pattern.matches(value)]
    assert (inferred.missed, inferred.rows) == (len(missed), len(present))
    assert inferred.distinct_missed == len(set(missed))
    assert len(missed) <= 0.1 * len(present)
    assert Pattern.parse(str(inferred.pattern)) == inferred.pattern


def test_the_order_of_the_values_does_not_matter() -> None:
    values = [*dates(2020), "unknown", *dates(2021)]
    assert infer(values, LAKE) == infer(values[::-1], LAKE)
    assert infer(dict.fromkeys(values, 1), LAKE) == infer(values, LAKE)


def test_the_lake_generalizes_the_constant_parts_of_a_column() -> None:
    march = [value for value in dates(2019) if value.startswith("2019-03")] * 3
    with_lake = infer(march, LAKE)
    assert isinstance(with_lake, InferredPattern)
    # the column has one year and one month, and the lake has many
    assert str(with_lake.pattern) == "<digit>{4}-<digit>{2}-<digit>{2}"
    assert with_lake.coverage == 12
    without_lake = infer(march)
    assert isinstance(without_lake, InferredPattern)
    assert str(without_lake.pattern) == "<digit>+-<digit>+-<digit>+"
    assert without_lake.rate is None


def test_each_of_several_shapes_is_an_alternative() -> None:
    calls = [f"K{letter}AZ" for letter in "ABCDEFG"] + [f"W{letter}BC/FM" for letter in "ABC"]
    inferred = infer(calls, LAKE)
    assert isinstance(inferred, InferredPattern)
    assert str(inferred.pattern) == "<upper>+|<upper>+/<upper>+"
    # the evidence of few values counts shapes, that of many values distinct values
    assert inferred.trained == (0.0, 2)
    many = infer([f"{call}{letter}" for call in calls for letter in "MNOPQ"], LAKE)
    assert isinstance(many, InferredPattern)
    assert many.trained == (0.0, 50)
    assert infer([*calls * 5, *dates(2020)], LAKE, Search(alternatives=1)) == NoPattern(
        "its values are of 3 shapes, as those of text are"
    )


def test_a_rare_shape_is_an_exception_not_an_alternative() -> None:
    day = "2020-01-02T03:04:05"
    east, west = (
        [f"{day[:-1]}{n % 10}{zone}" for n in range(rows)]
        for zone, rows in (("+05:30", 94), ("-07:00", 6))
    )
    inferred = infer([*east, *west])
    assert isinstance(inferred, InferredPattern)
    assert len(inferred.pattern.alternatives) == 2
    assert inferred.missed == 0
    rare = infer([*east, *west[:4]])
    assert isinstance(rare, InferredPattern)
    assert len(rare.pattern.alternatives) == 1
    assert (rare.missed, rare.rows) == (4, 98)


def test_a_length_is_required_only_if_all_rows_have_it() -> None:
    cases = [f"2:{n}:1" for n in (3, *range(10, 99))]
    inferred = infer(cases, index(*([f"2:{n}:{k}" for n in range(10, 99)] for k in range(30))))
    assert isinstance(inferred, InferredPattern)
    # nine of ten rows have two digits, as in the lake; the others show that lengths vary
    assert inferred.pattern.matches("2:100:1")
    assert inferred.missed == 0


def test_doubt_lowers_the_trust_in_patterns_of_few_columns() -> None:
    few = index(*([f"{n:02}h{n + k:02}" for n in range(10, 50)] for k in range(6)))
    values = [f"{n:02}h{n:02}" for n in range(10, 30)]
    sure, doubted = infer(values, few, Search(doubt=0)), infer(values, few)
    assert isinstance(sure, InferredPattern)
    assert isinstance(doubted, InferredPattern)
    assert sure.coverage == 6
    assert (doubted.coverage, doubted.rate) == (0, None)
    assert doubted.pattern.generality > sure.pattern.generality


@pytest.mark.parametrize("mark", ["NA", "n/a", "-", "NULL", "?", "None"])
def test_markers_of_missing_values_are_constants(mark: str) -> None:
    for column in (dates(2020), [f"{n / 8:.3f}" for n in range(40)], ["A1", "B22", "C333"] * 9):
        plain = infer(column, LAKE)
        marked = infer([*column, mark, mark], LAKE)
        assert isinstance(plain, InferredPattern)
        assert isinstance(marked, InferredPattern)
        assert marked.pattern.matches(mark)
        assert marked.missed == 0
        assert marked.pattern.alternatives[:-1] in {plain.pattern.alternatives, ()}
        # the marker is not a shape: the evidence still counts rows
        counts_rows = plain.trained[1] == plain.rows
        assert marked.trained[1] == plain.trained[1] + (2 if counts_rows else 1)


def test_codes_with_letters_up_to_f_are_not_hexadecimal() -> None:
    codes = infer([f"C{n}" for n in range(40, 80)])
    digests = infer([f"{n * 2654435761 % 2**32:08x}" for n in range(1, 40)])
    assert str(codes).startswith("<upper>+<digit>+ ")
    assert str(digests).startswith("<hex>+ ")


def test_text_has_no_pattern() -> None:
    text = [" ".join(["some", "words", "that", "say", "little"][:n]) + "." * n for n in range(1, 6)]
    assert isinstance(infer(text, LAKE), NoPattern)
    assert infer([], LAKE) == NoPattern("it has no values")
    assert infer(["", ""], LAKE) == NoPattern("it has no values")


def test_integers_are_numbers_only_next_to_decimals() -> None:
    inferred = infer(["1", "2.5", "-3", "10.25"] * 5)
    assert isinstance(inferred, InferredPattern)
    assert str(inferred.pattern) == "<num>"
    assert str(infer(["1", "25", "300"] * 5)).startswith("<digit>+ ")


def test_long_values_have_no_shape_and_many_are_sampled() -> None:
    long = infer(["x" * 600, "y" * 700])
    assert str(long) == "no pattern: its values are longer than 500 characters, and have no shape"
    few = group_by_shape([f"{n}-{n}" for n in range(99)])[0].sample(10)
    assert few.rows == 10
    assert few.runs[0] == few.runs[1]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [({"variant": "fmvd"}, "got 'fmvd'"), ({"rate": 1.0}, "rate: .* got 1.0")],
)
def test_invalid_settings_of_a_search_are_refused(
    settings: dict[str, object], problem: str
) -> None:
    with pytest.raises(CheckError, match=problem):
        Search(**settings)  # type: ignore[arg-type]


@given(
    st.dictionaries(
        st.sampled_from(["", "NA"])
        | st.from_regex(r"[A-C]{1,2}([ /][A-C][a-c]{1,2}){0,3}", fullmatch=True),
        st.integers(1, 30),
        min_size=1,
        max_size=70,
    )
)
@example(
    {
        **dict.fromkeys(("Inyo", "Kern", "San Luis", "San Juan", "Del la Norte", "El la Paso"), 30),
        **dict.fromkeys(("", "a/b", "a/b/c", "a-b", "a, b, c"), 1),
    }
)
def test_no_more_values_mismatch_than_there_are(values: dict[str, int]) -> None:
    learned = Patterns().learn(values)
    if isinstance(learned, LearnedPattern):
        missed, total = learned.trained
        assert 0 <= missed <= total
        assert ProportionTest((missed, total)).expectation(10) is not None
