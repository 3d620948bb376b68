"""Old argument names work for one version, with a warning that names the new one."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from assay.deprecation import renamed_arguments, renamed_fields


@renamed_arguments(others="reference_tables")
def verify(*, reference_tables: object = None) -> object:
    return reference_tables


def test_an_old_argument_name_is_passed_on_with_a_warning() -> None:
    with pytest.warns(DeprecationWarning, match="reference_tables"):
        assert verify(others=1) == 1  # type: ignore[call-arg]


def test_the_warning_points_at_the_users_line() -> None:
    with pytest.warns(DeprecationWarning, match="use reference_tables") as warnings:
        verify(others=1)  # type: ignore[call-arg]
    assert warnings[0].filename == __file__


def test_the_old_and_the_new_name_together_are_refused() -> None:
    with pytest.raises(TypeError, match="others"):
        verify(others=1, reference_tables=2)  # type: ignore[call-arg]


def test_the_new_name_gives_no_warning() -> None:
    assert verify(reference_tables=2) == 2


@renamed_fields(whole="all_rows")
@dataclass(frozen=True)
class Settings:
    all_rows: bool = False


def test_an_old_field_name_is_accepted_with_a_warning_that_names_the_class() -> None:
    with pytest.warns(DeprecationWarning, match=r"Settings\(whole=") as warnings:
        assert Settings(whole=True) == Settings(all_rows=True)  # type: ignore[call-arg]
    assert warnings[0].filename == __file__
