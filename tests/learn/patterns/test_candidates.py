"""Enumerating the patterns of one shape: which rows each matches, and which are kept."""

from __future__ import annotations

import re
from collections import Counter

from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.learn.patterns.candidates import PatternSet, enumerate_patterns
from assay.learn.patterns.hierarchy import FINE
from assay.learn.patterns.value_shape import group_by_shape

RUNS = st.text("b1Z", min_size=1, max_size=3)
ONE_RUN = st.lists(RUNS, min_size=1, max_size=12)
TWO_RUNS = st.lists(st.builds("{}-{}".format, RUNS, RUNS), min_size=1, max_size=4)


@settings(max_examples=50)
@given(ONE_RUN | TWO_RUNS)
@example(["1Z", "1Zb"])
def test_support_is_the_number_of_matching_rows(rows: list[str]) -> None:
    (group,) = group_by_shape(rows)
    candidates = enumerate_patterns(group, FINE, max_constants=16, limit=10_000)
    counts = Counter(rows)
    for number, support in enumerate(candidates.patterns.support.tolist()):
        matches = re.compile(candidates.pattern(number).regex).fullmatch
        assert support == sum(count for row, count in counts.items() if matches(row)) >= 1
    assert len(set(candidates.keys.tolist())) == len(candidates.patterns)


@given(ONE_RUN, st.integers(1, 20), st.integers(1, 4))
def test_the_limit_keeps_the_patterns_with_the_most_rows(
    rows: list[str], limit: int, min_rows: int
) -> None:
    """The most specific of equal patterns stay, then the smallest hash, in any row order."""
    (group,) = group_by_shape(rows)

    def enumerate_at_most(limit: int) -> PatternSet:
        return enumerate_patterns(
            group, FINE, max_constants=16, limit=limit, min_rows=min_rows
        ).patterns

    patterns, kept = enumerate_at_most(10_000), enumerate_at_most(limit)

    ranks = sorted(zip(-patterns.support, patterns.generality, patterns.hashes, strict=True))
    assert sorted(kept.hashes) == sorted(hashed for _, _, hashed in ranks[:limit])
