"""What makes no sense is refused in one sentence: values, settings, paths. No Spark here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.checks import Check
from assay.errors import CheckError, PatternIndexError
from assay.learn.patterns import (
    Enumeration,
    NoPattern,
    Pattern,
    PatternIndex,
    Patterns,
    Sampling,
    Search,
    Token,
    build_index,
    build_index_of_tables,
    domains,
    find_columns_in_lake,
    infer,
    tag,
)
from assay.learn.patterns.hierarchy import HIERARCHIES, Hierarchy


def test_what_is_a_value() -> None:
    assert infer([None, "AB-1", "", "CD-2", None]) == infer(["AB-1", "CD-2"])
    assert infer({"AB-1": 2, "?": 0, "!": -3}) == infer({"AB-1": 2})
    assert infer({"AB-1": 0}) == NoPattern("there are no values")
    half = infer(["a\ud800-1", "b\ud801-2"])
    assert half == infer(["a?-1", "b?-2"])
    wrong: list[Any] = ["AB-1", b"AB-1", 7, [3], ["AB-1", 3], [["AB-1"]], {"AB-1": 0.5}]
    for each in wrong:
        with pytest.raises(CheckError, match=r"(values|rows of 'AB-1') are .* not "):
            infer(each)
    with pytest.raises(CheckError, match="values are a list of strings"):
        tag("AB-1", PatternIndex.empty())


def test_a_hierarchy_that_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CheckError) as caught:
        Enumeration(hierarchy="fien")
    assert str(caught.value) == (
        "no hierarchy is called 'fien'; did you mean 'fine'? There are: figure-4, fine."
    )
    with monkeypatch.context() as known:
        known.setitem(HIERARCHIES, "mine", Hierarchy("mine", ("digit", "letter")))
        mine = PatternIndex.empty(Enumeration(hierarchy="mine")).to_bytes()
    with pytest.raises(PatternIndexError, match=r"^lake\.idx cannot be used: no hierarchy"):
        PatternIndex.from_bytes(mine, "lake.idx")


_WRONG: Any = "lake.idx"
_NUMBER: Any = 2.5
_NOTHING: Any = None


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Search(rate=_WRONG), "rate is at least 0 and less than 1, not 'lake.idx'."),
        (lambda: Search(rate=float("nan")), "rate is at least 0 and less than 1, not nan."),
        (
            lambda: Search(coverage=_WRONG),
            "coverage is a whole number and at least 0, not 'lake.idx'.",
        ),
        (lambda: Search(alternatives=0), "alternatives is a whole number and at least 1, not 0."),
        (lambda: Search(doubt=-1), "doubt is a number and at least 0, not -1."),
        (lambda: Sampling(rows=-1), "rows is a whole number and at least 1, not -1."),
        (lambda: Sampling(files=0), "files is a whole number and at least 1, not 0."),
        (lambda: Enumeration(tokens=0), "tokens is a whole number and at least 1, not 0."),
        (lambda: Enumeration(least=1), "least is at least 0 and less than 1, not 1."),
        (
            lambda: tag(["a"], PatternIndex.empty(), misses=2),
            "misses is at least 0 and less than 1, not 2.",
        ),
        (lambda: Patterns(None, _WRONG), "search is a Search(…), not 'lake.idx'."),
        (
            lambda: Patterns(_WRONG),
            "index is an index, PatternIndex.load(path) reads one, not 'lake.idx'.",
        ),
        (
            lambda: build_index(_WRONG, "/lake", add_to=_WRONG),
            "add_to is an index, PatternIndex.load(path) reads one, not 'lake.idx'.",
        ),
        (
            lambda: build_index(_WRONG, "/lake", enumeration=_WRONG),
            "enumeration is settings, Enumeration(…), not 'lake.idx'.",
        ),
        (
            lambda: build_index(_WRONG, "/lake", sampling=_NUMBER),
            "sampling is settings, Sampling(…), not 2.5.",
        ),
        (
            lambda: build_index(_WRONG, _NOTHING),
            "a lake is a path, or a list of paths, not None.",
        ),
        (
            lambda: build_index_of_tables(_WRONG, ".*"),
            "tables are given by name, or as 'sales.*', not by '.*'.",
        ),
        (
            lambda: find_columns_in_lake(_WRONG, "/lake", "a", at_least=_WRONG),
            "at_least is at least 0 and at most 1, not 'lake.idx'.",
        ),
        (
            lambda: find_columns_in_lake(_WRONG, "/lake", "a", at_least=90),
            "at_least is at least 0 and at most 1, not 90.",
        ),
        (
            lambda: find_columns_in_lake(_WRONG, "/lake", "<digits>"),
            "no class of characters is called <digits>; did you mean <digit>?",
        ),
        (lambda: infer(["a-1"], None, _WRONG), "search is a Search(…), not 'lake.idx'."),
        (
            lambda: domains(_WRONG),
            "index is an index, PatternIndex.load(path) reads one, not 'lake.idx'.",
        ),
        (
            lambda: domains(PatternIndex.empty(), coverage=_WRONG),
            "coverage is a whole number and at least 0, not 'lake.idx'.",
        ),
        (
            lambda: domains(PatternIndex.empty(), most=-1),
            "most is a whole number and at least 0, not -1.",
        ),
        (lambda: Token("digit", _NUMBER), "<digit>: a count is a whole number, not 2.5."),
        (lambda: Token("digit", True), "<digit>: a count is a whole number, not True."),
        (
            lambda: Pattern.parse(_NOTHING),
            "a pattern is text, such as '<digit>+', not None.",
        ),
        (
            lambda: PatternIndex.empty().look_up_pattern(_NOTHING),
            "a pattern is text, such as '<digit>+', not None.",
        ),
        (
            lambda: Check("c").matches_pattern("c", "a", test=_WRONG),
            (
                "c: matches_pattern(c, 'a'): a test is 'beta-binomial' or 'fisher' or "
                "'chi-squared', not 'lake.idx'."
            ),
        ),
        (
            lambda: Check("c").matches_learned_pattern("c", Patterns(), sample="2019-01-01"),
            (
                "c: matches_learned_pattern(c): a sample is a list of strings, or rows by value,"
                " not '2019-01-01'."
            ),
        ),
        (
            lambda: Check("c").matches_learned_pattern("c", Patterns(), sample=_NUMBER),
            (
                "c: matches_learned_pattern(c): a sample is a list of strings, or rows by value,"
                " not 2.5."
            ),
        ),
        (
            lambda: Check("c").matches_learned_pattern("c", Patterns(), latest=_NUMBER),
            "c: matches_learned_pattern(c): latest is a whole number and at least 1, not 2.5.",
        ),
    ],
)
def test_settings_that_make_no_sense(make: Any, said: str) -> None:
    with pytest.raises(CheckError) as caught:
        make()
    assert str(caught.value) == said


def test_a_learner_is_no_class_and_an_index_no_nothing() -> None:
    learner: Any = Patterns
    with pytest.raises(CheckError, match="a learner has a method `learn`, as Patterns"):
        Check("c").matches_learned_pattern("c", learner)
    with pytest.raises(PatternIndexError, match="an index is read from a path, not from None"):
        PatternIndex.load(_NOTHING)


def test_where_an_index_cannot_be_written(tmp_path: Path) -> None:
    index = PatternIndex.empty()
    with pytest.raises(PatternIndexError, match=rf"^{tmp_path} cannot be written: it is a dir"):
        index.save(tmp_path)
    with pytest.raises(PatternIndexError, match=r"none/x cannot be written: its directory is not"):
        index.save(tmp_path / "none" / "x")
    assert list(tmp_path.iterdir()) == []
