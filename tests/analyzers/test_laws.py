"""The laws of states, once, for every kind (differential-icde19, section II)."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.analyzers.custom import Opaque
from assay.analyzers.state import _KINDS, Invertible, State
from assay.analyzers.tally import Tally
from assay.errors import NotComputableError, StateError
from tests.analyzers.states import EXAMPLES, STATES, STRATEGIES, same

every_kind = pytest.mark.parametrize(
    "states", [pytest.param(strategy, id=name) for name, strategy in STRATEGIES]
)


def test_every_kind_of_state_is_under_the_laws() -> None:
    assert set(STATES) == set(_KINDS)


@every_kind
@given(data=st.data())
def test_addition_is_that_of_a_commutative_monoid(
    states: st.SearchStrategy[State], data: st.DataObject
) -> None:
    """Associative, commutative, and the identity changes nothing: drawing is what takes long."""
    a, b, c = (data.draw(states) for _ in range(3))
    nothing = type(a).identity()
    assert same((a + b) + c, a + (b + c))
    assert same(a + b, b + a)
    assert same(a + nothing, a)
    assert same(nothing + a, a)


@every_kind
@given(data=st.data())
def test_bytes_read_back_and_merging_many_is_adding_them_up(
    states: st.SearchStrategy[State], data: st.DataObject
) -> None:
    several = data.draw(st.lists(states, min_size=1, max_size=5))
    total = type(several[0]).identity()
    for state in several:
        again = State.from_bytes(state.to_bytes())
        assert type(again) is type(state)
        assert again.to_bytes() == state.to_bytes()
        assert str(again.metric()) == str(state.metric())
        total = total + state
    assert same(type(several[0]).merged(several), total)
    kind = State.kind_of(several[0].head)
    assert same(kind.merged_payloads([state.payload() for state in several]), total)


@pytest.mark.parametrize(
    "states",
    [
        pytest.param(strategy, id=name)
        for name, strategy in STRATEGIES
        if issubclass(_KINDS[name.rpartition("-")[0]], Invertible)
    ],
)
@given(data=st.data())
def test_subtraction_restores_the_state_before_the_addition(
    states: st.SearchStrategy[Invertible], data: st.DataObject
) -> None:
    a, b = data.draw(states), data.draw(states)
    try:
        remaining = (a + b) - b
    except NotComputableError:  # NaN and infinities stay
        assert {"nan", "inf"} & set(re.findall("nan|inf", b.to_bytes().decode().lower()))
        return
    assert str(remaining.metric()) == str(a.metric())
    assert same(remaining + b, a + b)


@pytest.mark.parametrize("state", EXAMPLES, ids=lambda state: state.kind)
def test_the_binary_form_is_stable(state: State) -> None:
    golden = {
        "least": b'assay least 1\n[{"date":"2013-02-08"}]',
        "greatest": b'assay greatest 1\n[{"timestamp":"2013-02-08T05:00:00+00:00"}]',
        "total": b'assay total 1\n[{"exact":["f",-1,10,0.0]},1,false]',
        "opaque": b"assay opaque 1\n[1.5,false]",
    }
    assert state.to_bytes() == golden[state.kind]
    assert State.from_bytes(golden[state.kind]) == state


def test_a_newer_version_is_refused() -> None:
    with pytest.raises(StateError, match=r"version 99, is not known here.*upgrade"):
        State.from_bytes(b"assay ratio 99\n[1, 2]")
    with pytest.raises(StateError, match="not known here"):
        State.from_bytes(b"assay riddle 1\n[]")
    with pytest.raises(StateError, match="not a state"):
        State.from_bytes(b"PAR1")


def test_values_that_cannot_be_merged_are_an_error() -> None:
    assert Opaque(1) + Opaque.identity() == Opaque(1)
    with pytest.raises(StateError, match="CustomAggregate"):
        Opaque(1) + Opaque(2)


def test_tallies_of_version_1_are_read() -> None:
    old = b'[[["a",1],["b",2]]]'
    assert State.from_bytes(b"assay tally 1\n" + old) == Tally((("a", 1), ("b", 2)))
    assert Tally.merged_payloads([old, old]) == Tally((("a", 2), ("b", 4)))
