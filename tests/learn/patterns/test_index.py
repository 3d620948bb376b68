"""The index of a lake: adding, splitting, saving, and refusing damaged files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assay.checks.pattern import Pattern
from assay.errors import PatternIndexError
from assay.learn.patterns import Enumeration, PatternIndex, domains, infer
from assay.learn.patterns.index import IndexAccumulator
from tests.learn.patterns.lakes import LAKE, dates, index


def test_the_key_of_a_constant_next_to_a_token_does_not_depend_on_numbers() -> None:
    lake = index(*[[f"20{n}{m}-05-{d:02}" for m in range(10) for d in (1, 9)] for n in range(10)])
    dates_in_may = Pattern.parse("<digit>{4}-05-<digit>{2}")
    assert (
        lake.look_up_pattern(dates_in_may) == lake.look_up_pattern(str(dates_in_may)) == (10, 0.0)
    )
    assert lake.look_up_pattern(Pattern.parse("x<digit>{4}")) == (0, 1.0)
    assert dates_in_may in [domain.pattern for domain in domains(lake)]
    numbers = index(*[[f"v -5 {n}" for n in range(10, 40)]] * 5)
    assert numbers.look_up_pattern(Pattern.parse("v -5 <digit>{2}")) == (5, 0.0)


def test_a_saved_index_is_read_unchanged(tmp_path: Path) -> None:
    LAKE.save(tmp_path / "lake.idx")
    read = PatternIndex.load(tmp_path / "lake.idx")
    assert all(map(np.array_equal, read.sums, LAKE.sums))
    assert (dict(read.texts), read.enumeration) == (LAKE.texts, LAKE.enumeration)
    assert (read.tables, read.columns) == (1, LAKE.columns)
    assert infer(dates(2020), read) == infer(dates(2020), LAKE)
    assert [path.name for path in tmp_path.iterdir()] == ["lake.idx"]


def test_indexes_can_be_added_and_subtracted() -> None:
    one, two = index(dates(2001)), index([f"A{n}" for n in range(30)], dates(2002))
    both = one + two
    assert all(map(np.array_equal, both.sums, (two + one).sums))
    assert all(map(np.array_equal, (both - two).sums, one.sums))
    assert all(map(np.array_equal, (one + PatternIndex.empty()).sums, one.sums))
    with pytest.raises(PatternIndexError, match="an index can be subtracted"):
        one - two
    with pytest.raises(PatternIndexError, match="different settings"):
        one + PatternIndex.empty(Enumeration(tokens=13))
    assert set(both.statistics.by_tokens) == {1, 5}
    assert sum(both.statistics.by_tokens.values()) == both.statistics.patterns
    small = both.pruned(2)
    assert small.sums.coverage.min() == 2
    assert small.statistics.patterns < both.statistics.patterns


def test_the_parts_of_a_split_index_add_up_to_it() -> None:
    parts = list(LAKE.split(5))
    assert len(parts) == 5
    assert np.array_equal(np.concatenate([part.sums.keys for part in parts]), LAKE.sums.keys)
    accumulator = IndexAccumulator(PatternIndex.empty())
    for part in reversed(parts):
        accumulator.add(PatternIndex.from_bytes(part.to_bytes()))
    total = accumulator.total()
    assert all(map(np.array_equal, total.sums, LAKE.sums))
    assert total.texts == LAKE.texts
    for part in parts:
        assert set(part.texts) <= set(part.sums.keys.tolist())
    # the ranges of keys are the same for every index
    other = list((LAKE - index(dates(2000))).split(5))
    assert all(np.isin(b.sums.keys, a.sums.keys).all() for a, b in zip(parts, other, strict=True))


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda content: content[:-100], "is damaged"),
        (lambda content: content[:200], "is damaged"),
        (lambda content: content[:5000] + b"?" + content[5001:], "is damaged"),
        (lambda content: b"PK" + content, "is not a pattern index"),
        (lambda _: b"", "cannot be read as an index"),
        (lambda _: b"assay", "is not a pattern index"),
    ],
)
def test_a_damaged_index_is_refused(
    tmp_path: Path, damage: Callable[[bytes], bytes], problem: str
) -> None:
    path = tmp_path / "lake.idx"
    LAKE.save(path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(PatternIndexError, match=problem):
        PatternIndex.load(path)


def test_a_newer_index_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.learn.patterns.index_file.VERSION", 2)
    LAKE.save(tmp_path / "lake.idx")
    monkeypatch.undo()
    with pytest.raises(PatternIndexError, match="has version 2, expected version 1"):
        PatternIndex.load(tmp_path / "lake.idx")
    with pytest.raises(PatternIndexError, match="no index at"):
        PatternIndex.load(tmp_path / "none.idx")
