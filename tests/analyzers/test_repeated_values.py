"""Repeated values are counted exactly, or not at all."""

from __future__ import annotations

import pytest

from assay.analyzers import RepeatedValueCount, Undefined
from assay.analyzers.custom import Opaque
from assay.analyzers.schema import Schema
from assay.errors import InvalidValueError, StateError

pytestmark = pytest.mark.unit


def test_an_estimate_of_too_many_values_is_no_count() -> None:
    analyzer = RepeatedValueCount("id")
    few, many = Opaque((250_010, 250_000)), Opaque((900_000, 897_213))

    assert (analyzer.metric(few), analyzer.counts_of(few)) == (10, (250_010, 250_000))
    assert isinstance(analyzer.metric(many), Undefined)
    assert analyzer.counts_of(many) is None
    assert analyzer.metric(Opaque.identity()) == 0


def test_counts_of_two_batches_cannot_be_added() -> None:
    with pytest.raises(StateError):
        Opaque((10, 10)) + Opaque((10, 10))


def test_the_distinct_hashes_are_a_sketch_and_the_values_a_plain_count() -> None:
    values, distinct = RepeatedValueCount("id", one_in=4).aggregate_exprs(Schema.of(id="bigint"))

    assert (values.sketch, distinct.sketch) == (False, True)
    assert "pmod" in values.sql


def test_a_count_needs_a_column() -> None:
    with pytest.raises(InvalidValueError):
        RepeatedValueCount(())
