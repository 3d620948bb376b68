"""Positions with an open vocabulary are described as any run of letters and digits."""

from __future__ import annotations

import pytest

from assay.errors import CheckError
from assay.learn.patterns import InferredPattern, Search, infer
from assay.learn.patterns.positions import open_positions
from assay.learn.patterns.value_shape import group_by_shape
from tests.learn.patterns.lakes import index

GUARDED = Search(open_vocabulary=0.01)
HOSTS = [f"{name}.example" for name in ("alpha", "beta", "gamma", "delta", "kappa")]


def inferred_text(values: list[str] | dict[str, int], search: Search | None = None) -> str:
    inferred = infer(values, None, search)
    assert isinstance(inferred, InferredPattern)
    return str(inferred.pattern)


def test_unique_runs_are_an_open_vocabulary() -> None:
    assert inferred_text(HOSTS) == "<lower>+.<lower>+"
    assert inferred_text(HOSTS, GUARDED) == "<alphanum>+.<lower>+"
    # with an index, too
    lake = index(*([f"{name}.example" for name in "abcdefgh"] for _ in range(30)))
    guarded = infer(HOSTS, lake, GUARDED)
    assert isinstance(guarded, InferredPattern)
    assert str(guarded.pattern).startswith("<alphanum>+.")


def test_the_share_counts_rows() -> None:
    often = dict.fromkeys(HOSTS[1:], 25)
    assert open_positions(group_by_shape({HOSTS[0]: 1, **often})[0], 0.01) == frozenset()
    assert open_positions(group_by_shape({HOSTS[0]: 1, **often, HOSTS[1]: 24})[0], 0.01) == {0}
    # a run that two values share is not unique
    (both,) = group_by_shape(["a-x", "a-y"])
    assert open_positions(both, 0.5) == {1}


def test_a_rare_run_of_many_rows_is_not_unique() -> None:
    assert inferred_text(
        dict.fromkeys(HOSTS, 3 * 10**6) | {"pi.example": 2}, GUARDED
    ) == inferred_text(HOSTS)


@pytest.mark.parametrize(
    "values",
    [
        ["alpha beta", "gamma delta", "kappa pi"],  # words
        ["alpha", "beta", "gamma"],  # one token
        [f"{n}.5%" for n in range(20)],  # numbers are not words
        [host for host in HOSTS for _ in range(2)],
    ],
)
def test_other_columns_are_not_affected(values: list[str]) -> None:
    assert inferred_text(values, GUARDED) == inferred_text(values)


def test_aligned_shapes_share_open_positions() -> None:
    twice = [f"{name}.example:{port}" for name in ("pi", "rho") for port in (80, 81) for _ in "12"]
    both = Search(align=True, open_vocabulary=0.01)
    assert inferred_text([*HOSTS, *HOSTS[:3], *twice], both) == (
        "<alphanum>+.<lower>+|<alphanum>+.<lower>+:<digit>+"
    )


def test_the_guard_must_be_a_share() -> None:
    with pytest.raises(CheckError, match="open_vocabulary: expected a number from 0 to below 1"):
        Search(open_vocabulary=1.0)
