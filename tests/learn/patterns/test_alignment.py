"""Aligning similar shapes, and describing the same position alike in all of them."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import CheckError
from assay.learn.patterns import InferredPattern, NoPattern, Search, infer
from assay.learn.patterns.alignment import Tokens, align_sequences, align_shapes
from assay.learn.patterns.hierarchy import FINE
from assay.learn.patterns.value_shape import MARK, group_by_shape
from tests.learn.patterns.lakes import LAKE, index
from tests.learn.patterns.test_infer import awkward
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
    """Return tokens of a text in which characters stand for classes: 9:9 a."""
    classes = {"9": "digit", "a": "letter", "x": "alphanum", "0": "num"}
    return tuple(classes.get(character, character) for character in text)


def aligned_texts(rows: dict[str, int]) -> list[str]:
    """Return the aligned lines as text, with an underscore for a gap."""
    letters = {"digit": "9", "letter": "a", "alphanum": "x", "num": "0", None: "_"}
    lines = align_sequences({tokens(text): count for text, count in rows.items()}).values()
    return ["".join(letters.get(token, token or "") for token in line) for line in lines]


def test_example_7_one_shape_is_aligned_without_gaps() -> None:
    (shape,) = align_shapes(group_by_shape(FIGURE_8), FINE)
    assert shape.group.token_count == 29
    assert len(shape.columns) == shape.group.run_count
    assert all(shape.group.shape[column] == MARK for column in shape.columns)


@pytest.mark.parametrize(
    ("rows", "lines"),
    [
        ({"9:9 a": 7, "9:9:9 a": 3}, ["9:9__ a", "9:9:9 a"]),
        ({"9:9:9 a": 7, "9:9 a": 3}, ["9:9:9 a", "9:9__ a"]),
        ({"a-9": 7, "a-9-a": 3}, ["a-9__", "a-9-a"]),
        # aligned by class, not from the left
        ({"9-a": 7, "a-9-a": 3}, ["__9-a", "a-9-a"]),
        ({"9-9-9": 7, "9/9/9": 3}, ["9-9-9", "9/9/9"]),
        # the last sequence is too far from the first
        ({"9:9": 9, "9:9:9": 5, "9:9:9.9": 1}, ["9:9__", "9:9:9"]),
        ({"9:9:9": 9, "9:9": 5, "9:9:9.9": 1}, ["9:9:9__", "9:9____", "9:9:9.9"]),
        # words and numbers are never aligned
        ({"a": 9, "a/a/a": 5}, ["a"]),
        ({"0": 9, "a": 5}, ["0"]),
        ({}, []),
    ],
)
def test_similar_sequences_are_aligned_with_gaps(rows: dict[str, int], lines: list[str]) -> None:
    assert aligned_texts(rows) == lines


@given(sequences)
def test_a_line_without_its_gaps_is_its_sequence(rows: dict[Tokens, int]) -> None:
    lines = align_sequences(rows)
    assert len({len(line) for line in lines.values()}) <= 1
    for sequence, line in lines.items():
        assert tuple(token for token in line if token is not None) == sequence
    for column in zip(*lines.values(), strict=True):
        present = [token for token in column if token is not None]
        assert present
        # a column holds runs or symbols, never both
        assert len({len(token) > 1 for token in present}) == 1
    if rows:
        assert next(iter(lines)) == min(rows, key=lambda sequence: (-rows[sequence], sequence))


@given(sequences, st.randoms(use_true_random=False))
def test_the_order_of_the_sequences_does_not_matter(
    rows: dict[Tokens, int], chance: random.Random
) -> None:
    items = list(rows.items())
    chance.shuffle(items)
    assert list(align_sequences(dict(items)).items()) == list(align_sequences(rows).items())


def test_the_time_and_the_number_of_sequences_are_bounded() -> None:
    started = time.process_time()
    assert len(align_sequences({("digit", *":" * n): 99 - n for n in range(45, 80)})) == 8
    assert len(align_sequences({("digit", *":" * n): 99 - n for n in range(62, 80)})) == 2
    assert len(align_sequences({("digit", "-") * 200: 9, ("digit", "-") * 3: 5})) == 1
    assert time.process_time() - started < 2


CODES = [f"{letter}-{n}" for letter in "abc" for n in range(7)]
LONGER = [f"{letter}-{n}-b" for letter in "abC" for n in range(3)]


def test_positions_of_aligned_shapes_are_described_alike() -> None:
    separate, aligned = infer([*CODES, *LONGER]), infer([*CODES, *LONGER], None, ALIGNED)
    assert isinstance(separate, InferredPattern)
    assert isinstance(aligned, InferredPattern)
    assert str(separate.pattern) == "<lower>+-<digit>+|<letter>+-<digit>+-<lower>+"
    assert str(aligned.pattern) == "<letter>+-<digit>+|<letter>+-<digit>+-<lower>+"
    assert aligned.missed == 0


def test_the_option_of_one_shape_is_used_for_aligned_shapes() -> None:
    hours = [[f"{h}:{m:02} AM" for h in range(1, 13) for m in range(k, 60, 9)] for k in range(9)]
    times = [*hours[0], *(f"{h}:07:{h + 12} AM" for h in range(1, 13))]
    inferred = infer(times, index(*hours), ALIGNED)
    assert isinstance(inferred, InferredPattern)
    short, long = str(inferred.pattern).split("|")
    hour, minutes, half = short.partition(":")[0], "<digit>{2}", short.rpartition(" ")[2]
    assert short == f"{hour}:{minutes} {half}"
    # the index does not know the shape with seconds
    assert long == f"{hour}:{minutes}:<digit>+ {half}"


def test_aligned_shapes_count_as_one_alternative() -> None:
    versions = [f"{n}:{n + 1}{more}" for n in range(9) for more in ("", ":1", ":1a", ":2-3", "-7")]
    assert infer(versions, None, Search(alternatives=1)) == NoPattern(
        "its values are of 4 shapes, as those of text are"
    )
    inferred = infer(versions, None, Search(alternatives=1, align=True))
    assert isinstance(inferred, InferredPattern)
    assert inferred.missed == 0
    assert len(inferred.pattern.alternatives) == 4


def test_shapes_that_are_not_similar_are_described_separately() -> None:
    calls = [f"K{letter}AZ" for letter in "ABCDEFG"] + [f"W{letter}bC/F-M" for letter in "ABC"]
    for values in (calls, CODES, ["a" * 600], ["-", "--"] * 9, ["-", "- 1", "- 2", "- 3"]):
        assert infer(values, None, ALIGNED) == infer(values)


@given(
    st.lists(awkward | st.from_regex(r"[ab1]{1,2}([-:][ab1]{1,2}){0,4}", fullmatch=True)),
    st.sampled_from([None, 0.01]),
)
def test_the_evidence_agrees_with_the_values_of_aligned_shapes(
    values: list[str], guard: float | None
) -> None:
    inferred = infer(values, LAKE, Search(align=True, open_vocabulary=guard))
    present = [value for value in values if value]
    if isinstance(inferred, InferredPattern):
        missed = [value for value in present if not inferred.pattern.matches(value)]
        assert (inferred.missed, inferred.rows) == (len(missed), len(present))
        assert len(missed) <= 0.1 * len(present)
        assert inferred == infer(values[::-1], LAKE, Search(align=True, open_vocabulary=guard))


def test_align_must_be_a_bool() -> None:
    with pytest.raises(CheckError, match="align: expected True or False, got 'yes'"):
        Search(align="yes")  # type: ignore[arg-type]
