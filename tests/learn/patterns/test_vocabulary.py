"""The guard of an open vocabulary: where runs are ever new, nothing is said of their characters."""

from __future__ import annotations

import pytest

from assay.errors import CheckError
from assay.learn.patterns import InferredPattern, Search, infer
from assay.learn.patterns.value_shape import group_by_shape
from assay.learn.patterns.vocabulary import open_runs
from tests.learn.patterns.test_infer import index

GUARDED = Search(open_vocabulary=0.01)
HOSTS = [f"{name}.example" for name in ("alpha", "beta", "gamma", "delta", "kappa")]


def shown(values: list[str] | dict[str, int], search: Search | None = None) -> str:
    found = infer(values, None, search)
    assert isinstance(found, InferredPattern)
    return str(found.pattern)


def test_runs_that_occur_once_are_an_open_vocabulary() -> None:
    assert shown(HOSTS) == "<lower>+.<lower>+"
    assert shown(HOSTS, GUARDED) == "<alphanum>+.<lower>+"
    # of all variants, and whatever the lake knows
    lake = index(*([f"{name}.example" for name in "abcdefgh"] for _ in range(30)))
    found = infer(HOSTS, lake, GUARDED)
    assert isinstance(found, InferredPattern)
    assert str(found.pattern).startswith("<alphanum>+.")


def test_it_is_a_share_of_the_rows() -> None:
    often = dict.fromkeys(HOSTS[1:], 25)
    assert open_runs(group_by_shape({HOSTS[0]: 1, **often})[0], 0.01) == frozenset()
    assert open_runs(group_by_shape({HOSTS[0]: 1, **often, HOSTS[1]: 24})[0], 0.01) == {0}
    # a run of two values occurs twice
    (both,) = group_by_shape(["a-x", "a-y"])
    assert open_runs(both, 0.5) == {1}


def test_what_is_rare_of_many_rows_is_no_singleton() -> None:
    assert shown(dict.fromkeys(HOSTS, 3 * 10**6) | {"pi.example": 2}, GUARDED) == shown(HOSTS)


@pytest.mark.parametrize(
    "values",
    [
        ["alpha beta", "gamma delta", "kappa pi"],  # words
        ["alpha", "beta", "gamma"],  # one token
        [f"{n}.5%" for n in range(20)],  # numbers, which are no words
        [each for each in HOSTS for _ in range(2)],
    ],
)
def test_what_is_no_open_vocabulary_is_left_as_it_is(values: list[str]) -> None:
    assert shown(values, GUARDED) == shown(values)


def test_aligned_shapes_share_what_is_open() -> None:
    twice = [f"{name}.example:{port}" for name in ("pi", "rho") for port in (80, 81) for _ in "12"]
    both = Search(align=True, open_vocabulary=0.01)
    assert shown([*HOSTS, *HOSTS[:3], *twice], both) == (
        "<alphanum>+.<lower>+|<alphanum>+.<lower>+:<digit>+"
    )


def test_a_guard_is_a_share() -> None:
    with pytest.raises(CheckError, match="open_vocabulary is at least 0 and less than 1"):
        Search(open_vocabulary=1.0)
