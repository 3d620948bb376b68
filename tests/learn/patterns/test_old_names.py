"""Names of version 0.1 still work, with a warning that names the new one."""

from __future__ import annotations

import pytest

from assay.learn import patterns
from assay.learn.patterns import Search, infer

OLD_NAMES = {
    "Built": "BuiltIndex",
    "Learned": "InferredPattern",
    "Report": "LakeReport",
    "Tagged": "TaggedColumn",
    "index_of": "build_index_of_columns",
    "tagged": "find_columns",
    "tagged_in": "find_columns_in_lake",
    "tagged_in_tables": "find_columns_in_tables",
}


@pytest.mark.parametrize(("old", "new"), OLD_NAMES.items())
def test_an_old_name_is_the_new_one_with_a_warning(old: str, new: str) -> None:
    with pytest.warns(DeprecationWarning, match=f"use {new}"):
        assert getattr(patterns, old) is getattr(patterns, new)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = patterns.no_such_name


def test_the_old_field_of_a_search_is_accepted_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match=r"Search\(whole=.*column_impurity"):
        assert Search(whole=True) == Search(column_impurity=True)  # type: ignore[call-arg]


def test_the_old_method_of_an_inferred_pattern_warns() -> None:
    inferred = infer([f"AB-{n}" for n in range(20)])
    assert isinstance(inferred, patterns.InferredPattern)
    with pytest.warns(DeprecationWarning, match=r"InferredPattern\.constraint"):
        assert inferred.demand("code") == inferred.constraint("code")
