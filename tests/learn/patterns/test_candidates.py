"""The patterns of one shape: which rows they match, and which are kept of too many."""

from __future__ import annotations

import re
from collections import Counter

from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.learn.patterns.candidates import candidates
from assay.learn.patterns.hierarchy import FINE
from assay.learn.patterns.value_shape import group_by_shape

RUNS = st.text("b1Z", min_size=1, max_size=3)
ONE = st.lists(RUNS, min_size=1, max_size=12)
TWO = st.lists(st.builds("{}-{}".format, RUNS, RUNS), min_size=1, max_size=4)


@settings(max_examples=50)
@given(ONE | TWO)
@example(["1Z", "1Zb"])
def test_support_is_the_number_of_rows_that_match(rows: list[str]) -> None:
    (values,) = group_by_shape(rows)
    found = candidates(values, FINE, constants=16, most=10_000)
    counts = Counter(rows)
    for at, support in enumerate(found.found.support.tolist()):
        matches = re.compile(found.pattern(at).regex).fullmatch
        assert support == sum(count for row, count in counts.items() if matches(row)) >= 1
    assert len(set(found.keys.tolist())) == len(found.found)


@given(ONE, st.integers(1, 20), st.integers(1, 4))
def test_of_too_many_those_that_match_the_most_rows_are_kept(
    rows: list[str], most: int, at_least: int
) -> None:
    """Then the most specific, then those of the least hash, whatever order rows come in."""
    (values,) = group_by_shape(rows)
    every = candidates(values, FINE, constants=16, most=10_000, at_least=at_least).found
    kept = candidates(values, FINE, constants=16, most=most, at_least=at_least).found
    ranks = sorted(zip(-every.support, every.generality, every.hashes, strict=True))
    assert sorted(kept.hashes) == sorted(hashed for _, _, hashed in ranks[:most])
