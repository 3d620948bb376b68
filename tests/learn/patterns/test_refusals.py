"""Invalid values, settings and paths raise an error that names the argument."""

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


def test_nulls_and_empty_strings_are_ignored_and_other_types_refused() -> None:
    assert infer([None, "AB-1", "", "CD-2", None]) == infer(["AB-1", "CD-2"])
    assert infer({"AB-1": 2, "?": 0, "!": -3}) == infer({"AB-1": 2})
    assert infer({"AB-1": 0}) == NoPattern("it has no values")
    half = infer(["a\ud800-1", "b\ud801-2"])
    assert half == infer(["a?-1", "b?-2"])
    wrong: list[Any] = ["AB-1", b"AB-1", 7, [3], ["AB-1", 3], [["AB-1"]], {"AB-1": 0.5}]
    for values in wrong:
        with pytest.raises(CheckError, match=r"values: expected .*, got "):
            infer(values)
    with pytest.raises(CheckError, match="values: expected a list of strings"):
        tag("AB-1", PatternIndex.empty())


def test_an_unknown_hierarchy_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CheckError) as caught:
        Enumeration(hierarchy="fien")
    assert str(caught.value) == (
        "hierarchy: unknown name 'fien'. Did you mean 'fine'? The hierarchies are: figure-4, fine."
    )
    with monkeypatch.context() as patch:
        patch.setitem(HIERARCHIES, "mine", Hierarchy("mine", ("digit", "letter")))
        mine = PatternIndex.empty(Enumeration(hierarchy="mine")).to_bytes()
    with pytest.raises(PatternIndexError, match=r"^lake\.idx cannot be used: hierarchy: unknown"):
        PatternIndex.from_bytes(mine, "lake.idx")


_WRONG: Any = "lake.idx"
_NUMBER: Any = 2.5
_NOTHING: Any = None


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Search(rate=_WRONG), "rate: expected a number from 0 to below 1, got 'lake.idx'."),
        (lambda: Search(rate=float("nan")), "rate: expected a number from 0 to below 1, got nan."),
        (
            lambda: Search(coverage=_WRONG),
            "coverage: expected an integer of at least 0, got 'lake.idx'.",
        ),
        (lambda: Search(alternatives=0), "alternatives: expected an integer of at least 1, got 0."),
        (lambda: Search(doubt=-1), "doubt: expected a number of at least 0, got -1."),
        (lambda: Sampling(rows=-1), "rows: expected an integer of at least 1, got -1."),
        (lambda: Sampling(files=0), "files: expected an integer of at least 1, got 0."),
        (lambda: Enumeration(tokens=0), "tokens: expected an integer of at least 1, got 0."),
        (lambda: Enumeration(least=1), "least: expected a number from 0 to below 1, got 1."),
        (
            lambda: tag(["a"], PatternIndex.empty(), misses=2),
            "misses: expected a number from 0 to below 1, got 2.",
        ),
        (lambda: Patterns(None, _WRONG), "search: expected Search(…), got 'lake.idx'."),
        (
            lambda: Patterns(_WRONG),
            "index: expected a PatternIndex, got 'lake.idx'. Read a file with PatternIndex.load.",
        ),
        (
            lambda: build_index(_WRONG, "/lake", add_to=_WRONG),
            "add_to: expected a PatternIndex, got 'lake.idx'. Read a file with PatternIndex.load.",
        ),
        (
            lambda: build_index(_WRONG, "/lake", enumeration=_WRONG),
            "enumeration: expected Enumeration(…), got 'lake.idx'.",
        ),
        (
            lambda: build_index(_WRONG, "/lake", sampling=_NUMBER),
            "sampling: expected Sampling(…), got 2.5.",
        ),
        (
            lambda: build_index(_WRONG, _NOTHING),
            "lake: expected a path or a list of paths, got None.",
        ),
        (
            lambda: build_index_of_tables(_WRONG, ".*"),
            "tables: expected a name, or 'sales.*', got '.*'.",
        ),
        (
            lambda: find_columns_in_lake(_WRONG, "/lake", "a", at_least=_WRONG),
            "at_least: expected a number from 0 to 1, got 'lake.idx'.",
        ),
        (
            lambda: find_columns_in_lake(_WRONG, "/lake", "a", at_least=90),
            "at_least: expected a number from 0 to 1, got 90.",
        ),
        (
            lambda: find_columns_in_lake(_WRONG, "/lake", "<digits>"),
            "no class of characters is called <digits>; did you mean <digit>?",
        ),
        (lambda: infer(["a-1"], None, _WRONG), "search: expected Search(…), got 'lake.idx'."),
        (
            lambda: domains(_WRONG),
            "index: expected a PatternIndex, got 'lake.idx'. Read a file with PatternIndex.load.",
        ),
        (
            lambda: domains(PatternIndex.empty(), coverage=_WRONG),
            "coverage: expected an integer of at least 0, got 'lake.idx'.",
        ),
        (
            lambda: domains(PatternIndex.empty(), most=-1),
            "most: expected an integer of at least 0, got -1.",
        ),
        (
            lambda: Token("digit", _NUMBER),
            "invalid count of <digit>: expected a whole number, got 2.5.",
        ),
        (
            lambda: Token("digit", True),
            "invalid count of <digit>: expected a whole number, got True.",
        ),
        (
            lambda: Pattern.parse(_NOTHING),
            "invalid pattern: expected text, such as '<digit>+', got None.",
        ),
        (
            lambda: PatternIndex.empty().look_up_pattern(_NOTHING),
            "invalid pattern: expected text, such as '<digit>+', got None.",
        ),
        (
            lambda: Check("c").matches_pattern("c", "a", test=_WRONG),
            (
                "c: matches_pattern(c, 'a'): invalid test: expected 'beta-binomial' or 'fisher' or "
                "'chi-squared', got 'lake.idx'."
            ),
        ),
        (
            lambda: Check("c").matches_learned_pattern("c", Patterns(), sample="2019-01-01"),
            (
                "c: matches_learned_pattern(c): invalid sample: expected a list of strings, or the"
                " number of rows by value, got '2019-01-01'."
            ),
        ),
        (
            lambda: Check("c").matches_learned_pattern("c", Patterns(), sample=_NUMBER),
            (
                "c: matches_learned_pattern(c): invalid sample: expected a list of strings, or the"
                " number of rows by value, got 2.5."
            ),
        ),
        (
            lambda: Check("c").matches_learned_pattern("c", Patterns(), latest=_NUMBER),
            (
                "c: matches_learned_pattern(c): invalid latest: expected a whole number of at"
                " least 1, got 2.5."
            ),
        ),
    ],
)
def test_invalid_settings_are_refused(make: Any, message: str) -> None:
    with pytest.raises(CheckError) as caught:
        make()
    assert str(caught.value) == message


def test_a_class_is_not_a_learner_and_none_is_not_a_path() -> None:
    learner: Any = Patterns
    with pytest.raises(
        CheckError, match="expected a learner with a method `learn`, such as Patterns"
    ):
        Check("c").matches_learned_pattern("c", learner)
    with pytest.raises(PatternIndexError, match="index: expected the path of a file, got None"):
        PatternIndex.load(_NOTHING)


def test_an_index_is_not_written_to_a_directory_or_below_a_missing_one(tmp_path: Path) -> None:
    index = PatternIndex.empty()
    with pytest.raises(PatternIndexError, match=rf"^{tmp_path} cannot be written: it is a dir"):
        index.save(tmp_path)
    with pytest.raises(
        PatternIndexError, match=r"none/x cannot be written: its directory does not"
    ):
        index.save(tmp_path / "none" / "x")
    assert list(tmp_path.iterdir()) == []
