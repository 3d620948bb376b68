"""Shapes that are near are aligned, and what describes a column of the alignment is shared."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import CheckError
from assay.learn.patterns import InferredPattern, NoPattern, Search, infer
from assay.learn.patterns.alignment import Tokens, aligned
from assay.learn.patterns.hierarchy import FINE
from assay.learn.patterns.pooling import pooled
from assay.learn.patterns.value_shape import group_by_shape
from tests.learn.patterns.test_infer import LAKE, awkward, index
from tests.learn.patterns.test_paper import FIGURE_8

ALIGNED = Search(align=True)
sequences = st.dictionaries(
    st.lists(
        st.sampled_from(["digit", "letter", "alphanum", "num", ":", "-", " "]), max_size=9
    ).map(tuple),
    st.integers(1, 4),
    max_size=12,
)


def tokens(text: str) -> Tokens:
    """Digits and letters for their classes: 9:9 a."""
    classes = {"9": "digit", "a": "letter", "x": "alphanum", "0": "num"}
    return tuple(classes.get(each, each) for each in text)


def drawn(rows: dict[str, int]) -> list[str]:
    """The lines as text, with an underscore for a gap."""
    letters = {"digit": "9", "letter": "a", "alphanum": "x", "num": "0", None: "_"}
    lines = aligned({tokens(text): count for text, count in rows.items()}).values()
    return ["".join(letters.get(each, each or "") for each in line) for line in lines]


def test_example_7_one_shape_is_aligned_without_gaps() -> None:
    (found,) = pooled(group_by_shape(FIGURE_8), FINE)
    assert found.shape.tokens == 29
    assert len(found.columns) == found.shape.width
    assert all(found.shape.shape[at] == "\ue000" for at in found.columns)


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        ({"9:9 a": 7, "9:9:9 a": 3}, ["9:9__ a", "9:9:9 a"]),
        ({"9:9:9 a": 7, "9:9 a": 3}, ["9:9:9 a", "9:9__ a"]),
        ({"a-9": 7, "a-9-a": 3}, ["a-9__", "a-9-a"]),
        # by the classes, and not by what comes first
        ({"9-a": 7, "a-9-a": 3}, ["__9-a", "a-9-a"]),
        ({"9-9-9": 7, "9/9/9": 3}, ["9-9-9", "9/9/9"]),
        # the last one is too far from the first
        ({"9:9": 9, "9:9:9": 5, "9:9:9.9": 1}, ["9:9__", "9:9:9"]),
        ({"9:9:9": 9, "9:9": 5, "9:9:9.9": 1}, ["9:9:9__", "9:9____", "9:9:9.9"]),
        # text against an address, numbers against words
        ({"a": 9, "a/a/a": 5}, ["a"]),
        ({"0": 9, "a": 5}, ["0"]),
        ({}, []),
    ],
)
def test_one_more_sequence_at_a_time(rows: dict[str, int], lines: list[str]) -> None:
    assert drawn(rows) == lines


@given(sequences)
def test_what_is_left_without_gaps_are_the_sequences(rows: dict[Tokens, int]) -> None:
    found = aligned(rows)
    assert len({len(line) for line in found.values()}) <= 1
    for sequence, line in found.items():
        assert tuple(each for each in line if each is not None) == sequence
    for column in zip(*found.values(), strict=True):
        present = [each for each in column if each is not None]
        assert present
        # runs are with runs, and symbols with symbols
        assert len({len(each) > 1 for each in present}) == 1
    if rows:
        assert next(iter(found)) == min(rows, key=lambda each: (-rows[each], each))


@given(sequences, st.randoms(use_true_random=False))
def test_the_order_they_come_in_does_not_matter(
    rows: dict[Tokens, int], chance: random.Random
) -> None:
    items = list(rows.items())
    chance.shuffle(items)
    assert list(aligned(dict(items)).items()) == list(aligned(rows).items())


def test_what_it_takes_is_bounded() -> None:
    started = time.process_time()
    assert len(aligned({("digit", *":" * n): 99 - n for n in range(45, 80)})) == 8
    assert len(aligned({("digit", *":" * n): 99 - n for n in range(62, 80)})) == 2
    assert len(aligned({("digit", "-") * 200: 9, ("digit", "-") * 3: 5})) == 1
    assert time.process_time() - started < 2


CODES = [f"{letter}-{n}" for letter in "abc" for n in range(7)]
LONGER = [f"{letter}-{n}-b" for letter in "abC" for n in range(3)]


def test_positions_of_aligned_shapes_are_described_alike() -> None:
    apart, together = infer([*CODES, *LONGER]), infer([*CODES, *LONGER], None, ALIGNED)
    assert isinstance(apart, InferredPattern)
    assert isinstance(together, InferredPattern)
    assert str(apart.pattern) == "<lower>+-<digit>+|<letter>+-<digit>+-<lower>+"
    assert str(together.pattern) == "<letter>+-<digit>+|<letter>+-<digit>+-<lower>+"
    assert together.missed == 0


def test_what_the_lake_settles_for_one_shape_holds_for_those_near_to_it() -> None:
    hours = [[f"{h}:{m:02} AM" for h in range(1, 13) for m in range(k, 60, 9)] for k in range(9)]
    times = [*hours[0], *(f"{h}:07:{h + 12} AM" for h in range(1, 13))]
    found = infer(times, index(*hours), ALIGNED)
    assert isinstance(found, InferredPattern)
    short, long = str(found.pattern).split("|")
    hour, minutes, half = short.partition(":")[0], "<digit>{2}", short.rpartition(" ")[2]
    assert short == f"{hour}:{minutes} {half}"
    # seconds are of a shape that the lake does not know
    assert long == f"{hour}:{minutes}:<digit>+ {half}"


def test_shapes_that_are_aligned_are_one_alternative() -> None:
    versions = [f"{n}:{n + 1}{more}" for n in range(9) for more in ("", ":1", ":1a", ":2-3", "-7")]
    assert infer(versions, None, Search(alternatives=1)) == NoPattern(
        "its values are of 4 shapes, as those of text are"
    )
    found = infer(versions, None, Search(alternatives=1, align=True))
    assert isinstance(found, InferredPattern)
    assert found.missed == 0
    assert len(found.pattern.alternatives) == 4


def test_what_is_not_near_is_described_by_itself() -> None:
    calls = [f"K{letter}AZ" for letter in "ABCDEFG"] + [f"W{letter}bC/F-M" for letter in "ABC"]
    for values in (calls, CODES, ["a" * 600], ["-", "--"] * 9, ["-", "- 1", "- 2", "- 3"]):
        assert infer(values, None, ALIGNED) == infer(values)


@given(
    st.lists(awkward | st.from_regex(r"[ab1]{1,2}([-:][ab1]{1,2}){0,4}", fullmatch=True)),
    st.sampled_from([None, 0.01]),
)
def test_whatever_is_aligned_what_is_learned_is_true_of_it(
    values: list[str], guard: float | None
) -> None:
    found = infer(values, LAKE, Search(align=True, open_vocabulary=guard))
    present = [value for value in values if value]
    if isinstance(found, InferredPattern):
        missed = [value for value in present if not found.pattern.matches(value)]
        assert (found.missed, found.rows) == (len(missed), len(present))
        assert len(missed) <= 0.1 * len(present)
        assert found == infer(values[::-1], LAKE, Search(align=True, open_vocabulary=guard))


def test_a_search_that_is_aligned_or_not() -> None:
    with pytest.raises(CheckError, match="align is True or False, not 'yes'"):
        Search(align="yes")  # type: ignore[arg-type]
