"""Inference beyond the paper's examples: what any column may hold, and an index that is damaged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.checks.assertions.learned_pattern import LearnedPattern
from assay.checks.assertions.proportion_test import ProportionTest
from assay.checks.pattern import Pattern
from assay.errors import CheckError, PatternIndexError
from assay.learn.patterns import (
    Enumeration,
    InferredPattern,
    NoPattern,
    PatternIndex,
    Search,
    domains,
    find_columns,
    infer,
    tag,
)
from assay.learn.patterns.evidence import evidence
from assay.learn.patterns.hierarchy import HIERARCHIES, Hierarchy
from assay.learn.patterns.index import IndexAccumulator
from assay.learn.patterns.learner import Patterns
from assay.learn.patterns.value_shape import group_by_shape

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ENUMERATION = Enumeration()


def index(*columns: list[str]) -> PatternIndex:
    found = (evidence(each, ENUMERATION) for each in columns)
    return PatternIndex.of(found, ENUMERATION, tables=1)


@pytest.mark.parametrize(
    ("values", "pattern"),
    [
        (["कि-5", "2खि-6", "गि4ि-7", "घि-9"], "<alphanum>+-<digit>+"),
        ([f"cafe\u0301-{n}" for n in (7, 8, 12)], "<letter>+-<digit>+"),
    ],
)
def test_marks_of_letters_are_part_of_words(values: list[str], pattern: str) -> None:
    found = infer(values)
    assert isinstance(found, InferredPattern)
    assert str(found.pattern) == pattern
    assert all(map(Pattern.parse(pattern).matches, values))


def test_what_cannot_be_written_costs_its_own_text_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(HIERARCHIES, "numbers", Hierarchy("numbers", ("num",)))
    numbers = Enumeration(hierarchy="numbers")
    versions = [f"{n}.{n * 7}.1" for n in range(1, 40)]
    found = evidence(versions, numbers)
    assert not any(text.startswith("<num>.<num>") for text in found.texts.values())
    assert len(found.keys) > len(found.texts)
    assert isinstance(infer(versions, PatternIndex.empty(numbers)), NoPattern)


def test_rows_are_counted_and_not_laid_out() -> None:
    found = infer({"AB-x": 1, **{f"AB-{n:02}": 10**12 for n in range(30)}})
    assert isinstance(found, InferredPattern)
    assert str(found.pattern) == "<upper>+-<alphanum>+"
    assert found.rows == 30 * 10**12 + 1
    # what is rare stays rare, of however many values
    odd = {f"?{n}!": 1 for n in range(3000)}
    many = infer({f"AB-{n:02}": 10**6 for n in range(30)} | odd)
    assert isinstance(many, InferredPattern)
    assert (str(many.pattern), many.missed) == ("<upper>+-<digit>+", 3000)


def dates(year: int) -> list[str]:
    return [f"{year}-{month:02}-{day:02}" for month in range(1, 13) for day in (1, 14, 28)]


LAKE = index(
    *(dates(year) for year in range(2000, 2012)),
    *([f"SKU-{n * k:05}" for n in range(1, 60)] for k in range(1, 8)),
    *([f"{n / 8:.3f}" for n in range(k, k + 50)] for k in range(6)),
)

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
def test_whatever_a_column_holds_what_is_learned_is_true_of_it(
    values: list[str], variant: str
) -> None:
    found = infer(values, LAKE, Search(variant))  # type: ignore[arg-type]
    present = [value for value in values if value]
    if isinstance(found, NoPattern):
        assert found.reason
        return
    missed = [value for value in present if not found.pattern.matches(value)]
    assert (found.missed, found.rows) == (len(missed), len(present))
    assert found.distinct_missed == len(set(missed))
    assert len(missed) <= 0.1 * len(present)
    assert Pattern.parse(str(found.pattern)) == found.pattern


def test_the_order_of_the_values_does_not_matter() -> None:
    values = [*dates(2020), "unknown", *dates(2021)]
    assert infer(values, LAKE) == infer(values[::-1], LAKE)
    assert infer(dict.fromkeys(values, 1), LAKE) == infer(values, LAKE)


def test_the_lake_tells_a_domain_from_a_coincidence() -> None:
    march = [value for value in dates(2019) if value.startswith("2019-03")] * 3
    known = infer(march, LAKE)
    assert isinstance(known, InferredPattern)
    # all years and months are one and the same here, and the lake knows that they vary
    assert str(known.pattern) == "<digit>{4}-<digit>{2}-<digit>{2}"
    assert known.coverage == 12
    generic = infer(march)
    assert isinstance(generic, InferredPattern)
    assert str(generic.pattern) == "<digit>+-<digit>+-<digit>+"
    assert generic.rate is None


def test_several_shapes_are_alternatives() -> None:
    calls = [f"K{letter}AZ" for letter in "ABCDEFG"] + [f"W{letter}BC/FM" for letter in "ABC"]
    found = infer(calls, LAKE)
    assert isinstance(found, InferredPattern)
    assert str(found.pattern) == "<upper>+|<upper>+/<upper>+"
    # of few values of several shapes each shape counts once, of many each distinct value
    assert found.trained == (0.0, 2)
    many = infer([f"{each}{letter}" for each in calls for letter in "MNOPQ"], LAKE)
    assert isinstance(many, InferredPattern)
    assert many.trained == (0.0, 50)
    assert infer([*calls * 5, *dates(2020)], LAKE, Search(alternatives=1)) == NoPattern(
        "its values are of 3 shapes, as those of text are"
    )


def test_an_alternative_for_each_shape_that_is_no_exception() -> None:
    day = "2020-01-02T03:04:05"
    east, west = (
        [f"{day[:-1]}{n % 10}{zone}" for n in range(rows)]
        for zone, rows in (("+05:30", 94), ("-07:00", 6))
    )
    found = infer([*east, *west])
    assert isinstance(found, InferredPattern)
    assert len(found.pattern.alternatives) == 2
    assert found.missed == 0
    rare = infer([*east, *west[:4]])
    assert isinstance(rare, InferredPattern)
    assert len(rare.pattern.alternatives) == 1
    assert (rare.missed, rare.rows) == (4, 98)


def test_a_length_is_demanded_where_all_have_it() -> None:
    cases = [f"2:{n}:1" for n in (3, *range(10, 99))]
    found = infer(cases, index(*([f"2:{n}:{k}" for n in range(10, 99)] for k in range(30))))
    assert isinstance(found, InferredPattern)
    # nine of ten have two digits, and so does the lake: those of one say that others are to come
    assert found.pattern.matches("2:100:1")
    assert found.missed == 0


def test_what_few_columns_speak_for_is_doubted() -> None:
    few = index(*([f"{n:02}h{n + k:02}" for n in range(10, 50)] for k in range(6)))
    values = [f"{n:02}h{n:02}" for n in range(10, 30)]
    sure, doubted = infer(values, few, Search(doubt=0)), infer(values, few)
    assert isinstance(sure, InferredPattern)
    assert isinstance(doubted, InferredPattern)
    assert sure.coverage == 6
    assert (doubted.coverage, doubted.rate) == (0, None)
    assert doubted.pattern.generality > sure.pattern.generality


@pytest.mark.parametrize("mark", ["NA", "n/a", "-", "NULL", "?", "None"])
def test_marks_of_missing_values_stand_for_themselves(mark: str) -> None:
    for column in (dates(2020), [f"{n / 8:.3f}" for n in range(40)], ["A1", "B22", "C333"] * 9):
        whole = infer(column, LAKE)
        found = infer([*column, mark, mark], LAKE)
        assert isinstance(whole, InferredPattern)
        assert isinstance(found, InferredPattern)
        assert found.pattern.matches(mark)
        assert found.missed == 0
        assert found.pattern.alternatives[:-1] in {whole.pattern.alternatives, ()}
        # the mark is no shape of its own: the evidence is that of rows still
        assert found.trained[1] == whole.trained[1] + (2 if whole.trained[1] == whole.rows else 1)


def test_letters_that_happen_to_be_among_the_first_six_are_no_hexadecimals() -> None:
    codes = infer([f"C{n}" for n in range(40, 80)])
    digests = infer([f"{n * 2654435761 % 2**32:08x}" for n in range(1, 40)])
    assert str(codes).startswith("<upper>+<digit>+ ")
    assert str(digests).startswith("<hex>+ ")


def test_text_has_no_pattern() -> None:
    text = [" ".join(["some", "words", "that", "say", "little"][:n]) + "." * n for n in range(1, 6)]
    assert isinstance(infer(text, LAKE), NoPattern)
    assert infer([], LAKE) == NoPattern("there are no values")
    assert infer(["", ""], LAKE) == NoPattern("there are no values")


def test_numbers_are_numbers_where_decimals_are() -> None:
    found = infer(["1", "2.5", "-3", "10.25"] * 5)
    assert isinstance(found, InferredPattern)
    assert str(found.pattern) == "<num>"
    assert str(infer(["1", "25", "300"] * 5)).startswith("<digit>+ ")


def test_tagging_is_the_most_restrictive_pattern() -> None:
    found = tag(["SKU-00017", "SKU-04711"], LAKE, misses=0.05, coverage=5)
    assert isinstance(found, InferredPattern)
    assert str(found.pattern) == "SKU-<digit>{5}"
    # what the lake does not know as a whole is put together from what it knows
    both = tag([f"SKU-0001{n} 2020-01-0{n}" for n in range(1, 9)], LAKE)
    assert isinstance(both, InferredPattern)
    assert str(both.pattern) == "SKU-<digit>{5} <digit>{4}-<digit>{2}-<digit>{2}"


def test_tagging_keeps_to_what_may_be_missed() -> None:
    good = [f"{1000 + n}/{10 + n % 80}" for n in range(985)]
    bad = [f"{1000 + n}/{chr(97 + n)}x" for n in range(15)]
    lake = index(*[good + bad] * 10)
    # five parts that miss .015 each are more than .05; the sum of others is not
    rows = [";".join(good[n : n + 5]) for n in range(30)]
    found = tag(rows, lake, misses=0.05)
    assert isinstance(found, InferredPattern)
    assert found.rate is not None
    assert found.rate <= 0.05
    # of the examples no more may go without a match than of the domain
    codes = [f"SKU-{n:05}" for n in range(95)]
    assert isinstance(tag([*codes, "a!", "b!", "c!"], LAKE, misses=0.01), NoPattern)
    # and what the lake does not know has no rate that could be bounded
    assert isinstance(tag([f"{n}#x{n}" for n in range(30)], LAKE, misses=0.01), NoPattern)
    assert isinstance(tag(iter(codes), LAKE), InferredPattern)


def test_a_constant_beside_a_token_is_no_number() -> None:
    lake = index(*[[f"20{n}{m}-05-{d:02}" for m in range(10) for d in (1, 9)] for n in range(10)])
    known = Pattern.parse("<digit>{4}-05-<digit>{2}")
    assert lake.look_up_pattern(known) == lake.look_up_pattern(str(known)) == (10, 0.0)
    assert lake.look_up_pattern(Pattern.parse("x<digit>{4}")) == (0, 1.0)
    assert known in [each.pattern for each in domains(lake)]
    numbers = index(*[[f"v -5 {n}" for n in range(10, 40)]] * 5)
    assert numbers.look_up_pattern(Pattern.parse("v -5 <digit>{2}")) == (5, 0.0)


def test_values_that_are_too_long_or_too_many() -> None:
    told = infer(["x" * 600, "y" * 700])
    assert str(told) == "no pattern: its values are longer than 500 characters, and have no shape"
    few = group_by_shape([f"{n}-{n}" for n in range(99)])[0].least(10)
    assert few.rows == 10
    assert few.runs[0] == few.runs[1]


def test_the_domains_of_a_lake() -> None:
    found = domains(LAKE, coverage=5)
    assert [(str(each.pattern), each.coverage) for each in found] == [
        ("<digit>{4}-<digit>{2}-<digit>{2}", 12),
        ("SKU-<digit>{5}", 7),
        ("<num>", 6),
    ]
    assert all(each.rate == 0 for each in found)
    assert domains(LAKE, coverage=13) == []


@pytest.mark.connect
def test_columns_are_tagged(spark: SparkSession) -> None:
    rows = [
        ("orders", "day", dates(2020)),
        ("orders", "item", ["SKU-00017", "", "SKU-00018"]),
        ("orders", "note", ["SKU-1", "no"]),
        ("orders", "empty", [""]),
        ("orders", "none", None),
    ]
    columns = spark.createDataFrame(rows, "table string, column string, values array<string>")
    found = find_columns(columns, Pattern.parse("SKU-<digit>{5}"))
    assert [tuple(row) for row in found.collect()] == [("orders", "item", 1.0)]
    half = find_columns(columns, Pattern.parse("SKU-<digit>+"), at_least=0.5)
    assert [row["column"] for row in half.collect()] == ["item", "note"]


def test_an_index_is_read_as_it_was_written(tmp_path: Path) -> None:
    LAKE.save(tmp_path / "lake.idx")
    read = PatternIndex.load(tmp_path / "lake.idx")
    assert all(map(np.array_equal, read.sums, LAKE.sums))
    assert (dict(read.texts), read.enumeration) == (LAKE.texts, LAKE.enumeration)
    assert (read.tables, read.columns) == (1, LAKE.columns)
    assert infer(dates(2020), read) == infer(dates(2020), LAKE)
    assert [path.name for path in tmp_path.iterdir()] == ["lake.idx"]


def test_indexes_add_up_and_come_apart() -> None:
    one, two = index(dates(2001)), index([f"A{n}" for n in range(30)], dates(2002))
    both = one + two
    assert all(map(np.array_equal, both.sums, (two + one).sums))
    assert all(map(np.array_equal, (both - two).sums, one.sums))
    assert all(map(np.array_equal, (one + PatternIndex.empty()).sums, one.sums))
    with pytest.raises(PatternIndexError, match="only what was added"):
        one - two
    with pytest.raises(PatternIndexError, match="built differently"):
        one + PatternIndex.empty(Enumeration(tokens=13))
    assert set(both.statistics.by_tokens) == {1, 5}
    assert sum(both.statistics.by_tokens.values()) == both.statistics.patterns
    small = both.pruned(2)
    assert small.sums.coverage.min() == 2
    assert small.statistics.patterns < both.statistics.patterns


def test_parts_of_an_index_by_hash_add_up_to_it() -> None:
    parts = list(LAKE.split(5))
    assert len(parts) == 5
    assert np.array_equal(np.concatenate([each.sums.keys for each in parts]), LAKE.sums.keys)
    pile = IndexAccumulator(PatternIndex.empty())
    for each in reversed(parts):
        pile.add(PatternIndex.from_bytes(each.to_bytes()))
    whole = pile.total()
    assert all(map(np.array_equal, whole.sums, LAKE.sums))
    assert whole.texts == LAKE.texts
    for each in parts:
        assert set(each.texts) <= set(each.sums.keys.tolist())
    # a pattern is in the same part of every index
    other = list((LAKE - index(dates(2000))).split(5))
    assert all(np.isin(b.sums.keys, a.sums.keys).all() for a, b in zip(parts, other, strict=True))


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda content: content[:-100], "is damaged"),
        (lambda content: content[:200], "is damaged"),
        (lambda content: content[:5000] + b"?" + content[5001:], "is damaged"),
        (lambda content: b"PK" + content, "is no index of patterns"),
        (lambda _: b"", "cannot be read as an index"),
        (lambda _: b"assay", "is no index of patterns"),
    ],
)
def test_a_damaged_index_is_refused(tmp_path: Path, damage: object, said: str) -> None:
    path = tmp_path / "lake.idx"
    LAKE.save(path)
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    with pytest.raises(PatternIndexError, match=said):
        PatternIndex.load(path)


def test_a_newer_index_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.learn.patterns.index.VERSION", 2)
    LAKE.save(tmp_path / "lake.idx")
    monkeypatch.undo()
    with pytest.raises(PatternIndexError, match="is of version 2, and version 1 is understood"):
        PatternIndex.load(tmp_path / "lake.idx")
    with pytest.raises(PatternIndexError, match="there is no index at"):
        PatternIndex.load(tmp_path / "none.idx")


@pytest.mark.parametrize(
    ("bad", "said"),
    [({"variant": "fmvd"}, "there is no variant 'fmvd'"), ({"rate": 1.0}, "rate is at least 0")],
)
def test_a_search_that_cannot_be_meant(bad: dict[str, object], said: str) -> None:
    with pytest.raises(CheckError, match=said):
        Search(**bad)  # type: ignore[arg-type]


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
def test_evidence_never_has_more_that_misses_than_there_is(values: dict[str, int]) -> None:
    lesson = Patterns().learn(values)
    if isinstance(lesson, LearnedPattern):
        missed, of = lesson.trained
        assert 0 <= missed <= of
        assert ProportionTest((missed, of)).expectation(10) is not None
