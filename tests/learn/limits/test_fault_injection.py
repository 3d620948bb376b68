"""Each type of issue does what it says (Appendix B), and nothing else."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import CheckError
from assay.learn.fingerprint.column_stats import ColumnKind
from assay.learn.fingerprint.from_rows import Column, column_kind, numbers, strings
from assay.learn.limits.fault_injection import inject_faults
from assay.learn.limits.faults import (
    FAULTS,
    PAPER_FAULTS,
    Fault,
    FaultType,
    Sources,
    applicable_faults,
    inject,
)

PRICES = numbers([*(100.0 + number for number in range(200)), None, None])
CODES = strings([*(f"en-gb-{number:03d}" for number in range(200)), None, None])


def done(kind: FaultType, amount: float, column: Column, other: Column | None = None) -> Column:
    result = inject(Fault(kind, amount), column, seed=1, sources={"schema": other})
    assert result is not None
    return result


def copied_from(column: Column) -> Sources:
    return {"schema": column, "stale": column}


def differing(kind: FaultType, amount: float, column: Column) -> list[tuple[object, object]]:
    result = done(kind, amount, column)
    assert len(result) == len(column)
    pairs = zip(column.tolist(), result.tolist(), strict=True)
    return [(a, b) for a, b in pairs if a != b and not (a != a and b != b)]


def test_the_paper_has_thirty_variants_and_further_ones_follow() -> None:
    assert len(PAPER_FAULTS) == 30
    assert len({fault.type for fault in PAPER_FAULTS} - {"last"}) == 10
    assert FAULTS[:30] == PAPER_FAULTS
    assert len(FAULTS) == 46
    assert [len(applicable_faults(table)) for table in ("categorical", "numeric")] == [40, 40]
    assert [len(applicable_faults(table, paper=True)) for table in ("categorical", "numeric")] == [
        27,
        24,
    ]
    assert len({str(fault) for fault in FAULTS}) == 46


def test_1_values_of_another_column() -> None:
    other = strings([f"other-{number}" for number in range(9)])
    for amount, count in ((0.01, 2), (0.1, 20), (1.0, 202)):
        changed = done("schema", amount, CODES, other)
        assert sum(value in set(other) for value in changed) == count
    assert inject(Fault("schema", 0.1), CODES, seed=0) is None
    assert inject(Fault("schema", 0.1), CODES, seed=0, sources={"schema": PRICES}) is None


def test_2_another_unit() -> None:
    changed = done("unit", 1000, PRICES)
    assert changed[:3].tolist() == [100_000.0, 101_000.0, 102_000.0]
    assert np.isnan(changed[-1])


def test_3_another_case() -> None:
    for amount, count in ((0.01, 2), (0.1, 20), (1.0, 200)):
        changed = differing("casing", amount, CODES)
        assert len(changed) == count
        assert all(str(after) == str(before).upper() for before, after in changed)
    assert done("casing", 1.0, strings(["aB"])).tolist() == ["Ab"]


def test_4_empty_values_and_zeros() -> None:
    for amount, count in ((0.01, 2), (0.5, 100), (1.0, 200)):
        assert (done("nulls", amount, PRICES) == 0).sum() == count
        assert (done("nulls", amount, CODES) == "").sum() == count


def test_real_nulls() -> None:
    for amount, count in ((0.01, 2), (0.5, 100), (1.0, 200)):
        assert np.isnan(done("missing", amount, PRICES)).sum() == count + 2
        assert sum(value is None for value in done("missing", amount, CODES)) == count + 2


def test_5_more_rows_and_fewer() -> None:
    for factor, rows in ((2, 404), (10, 2020), (0.5, 101), (0.1, 20)):
        for column in (PRICES, CODES):
            changed = done("volume", factor, column)
            assert len(changed) == rows
            assert set(changed[~pd_null(changed)]) <= set(column[~pd_null(column)])
    more = done("volume", 2, PRICES)
    assert np.array_equal(more[: len(PRICES)], PRICES, equal_nan=True)


def pd_null(column: Column) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array([value is None or value != value for value in column])


def test_repeated_rows() -> None:
    for amount, more in ((0.05, 10), (0.2, 40)):
        changed = done("duplicates", amount, CODES)
        assert changed[: len(CODES)].tolist() == CODES.tolist()
        assert len(changed) == len(CODES) + more
        counts = Counter(value for value in changed if value is not None)
        assert max(counts.values()) <= 2


def test_stale_values_and_an_offset() -> None:
    yesterday = strings([f"old-{number}" for number in range(9)])
    for amount, count in ((0.5, 101), (1.0, 202)):
        changed = inject(Fault("stale", amount), CODES, seed=1, sources={"stale": yesterday})
        assert changed is not None
        assert sum(value in set(yesterday) for value in changed) == count
    assert inject(Fault("stale", 1.0), CODES, seed=1, sources={"schema": yesterday}) is None
    moved = done("offset", 0.5, PRICES)
    assert np.nanmean(moved) == pytest.approx(np.nanmean(PRICES) + 0.5 * np.nanstd(PRICES))
    assert np.isnan(moved).sum() == 2


def test_6_values_of_one_end() -> None:
    assert np.nanmax(done("first", 0.1, PRICES)) <= 119
    assert np.nanmin(done("last", 0.1, PRICES)) >= 280
    assert np.nanmin(done("last", 0.5, PRICES)) >= 200
    assert np.isnan(done("last", 0.5, PRICES)).sum() == 2
    first = [value for value in done("first", 0.5, CODES) if value is not None]
    assert len(first) == 200
    assert max(first) <= "en-gb-099"


def test_7_other_characters_of_the_same_class() -> None:
    characters = 200 * 9
    for amount in (0.01, 0.1, 1.0):
        eligible = 200 * 7  # two hyphens each stay
        wrong = 0
        for before, after in differing("perturbation", amount, CODES):
            assert isinstance(before, str)
            assert isinstance(after, str)
            assert len(before) == len(after)
            for a, b in zip(before, after, strict=True):
                wrong += a != b
                assert a.isdigit() == b.isdigit()
                assert a.isalpha() == b.isalpha()
                assert a.islower() == b.islower()
        assert wrong == round(amount * eligible) < characters
    for before, after in differing("perturbation", 1.0, PRICES):
        assert isinstance(after, float)
        assert before != after
        assert 0 <= after <= 999


@pytest.mark.parametrize(("kind", "length"), [("insertion", 1), ("deletion", -1), ("padding", 1)])
def test_8_to_10_a_character_more_or_less(kind: FaultType, length: int) -> None:
    for amount, count in ((0.1, 20), (0.5, 100)):
        changed = differing(kind, amount, CODES)
        assert len(changed) == count
        for before, after in changed:
            assert isinstance(before, str)
            assert isinstance(after, str)
            assert len(after) == len(before) + length
            longer, shorter = (after, before) if length > 0 else (before, after)
            assert any(longer[:at] + longer[at + 1 :] == shorter for at in range(len(longer)))
            if kind == "padding":
                assert after.strip() == before
                assert " " in after
    sides = {str(after).startswith(" ") for _, after in differing("padding", 1.0, CODES)}
    assert sides == {True, False}


def test_8_and_9_a_digit_more_or_less() -> None:
    for before, after in differing("insertion", 0.5, PRICES):
        assert isinstance(before, float)
        assert isinstance(after, float)
        assert len(str(int(after))) in {4, 3}  # 0123 is 123
    shorter = [after for _, after in differing("deletion", 0.5, PRICES)]
    assert len(shorter) == 100
    assert all(isinstance(value, float) and value <= 99 for value in shorter)
    # a number without digits is none
    assert math.isnan(done("deletion", 0.5, numbers([7.0]))[0])


@pytest.mark.parametrize("column", [PRICES, CODES])
def test_a_seed_always_does_the_same_and_another_does_not(column: Column) -> None:
    for issue in applicable_faults(column_kind(column)):
        one, same = (inject(issue, column, seed=4, sources=copied_from(column)) for _ in range(2))
        assert one is not None
        assert same is not None
        assert [str(value) for value in one] == [str(value) for value in same]
    one = inject(Fault("missing", 0.5), column, seed=4)
    other = inject(Fault("missing", 0.5), column, seed=5)
    assert one is not None
    assert other is not None
    assert [str(value) for value in one] != [str(value) for value in other]


def test_the_column_itself_is_left_alone() -> None:
    for column in (PRICES, CODES):
        before = column.copy()
        for issue in applicable_faults(column_kind(column)):
            inject(issue, column, seed=0, sources=copied_from(column))
        assert [str(value) for value in column] == [str(value) for value in before]


cells: dict[ColumnKind, st.SearchStrategy[object]] = {
    "numeric": st.none() | st.floats(allow_nan=False),
    "categorical": st.none() | st.text(max_size=6),
}


@settings(max_examples=15)
@pytest.mark.parametrize("table", ["numeric", "categorical"])
@given(st.data())
def test_no_column_is_too_strange(table: ColumnKind, data: st.DataObject) -> None:
    values = data.draw(st.lists(cells[table], max_size=6))
    column = numbers(values) if table == "numeric" else strings(values)  # type: ignore[arg-type]
    for issue in applicable_faults(table):
        result = inject(issue, column, seed=0, sources=copied_from(column))
        if result is None:
            assert all(value is None for value in values)
        else:
            assert column_kind(result) == table
            assert len(result)


def test_faults_that_change_nothing_are_not_injected() -> None:
    digits = strings([str(number) for number in range(1000, 1100)])
    result = {fault.fault.type for fault in inject_faults(digits, None)}
    assert "casing" not in result
    assert {"nulls", "missing", "padding", "volume"} <= result
    assert inject_faults(strings([None, None]), None) == ()


def test_invalid_faults_are_refused() -> None:
    with pytest.raises(CheckError, match="unknown type of fault 'typo'"):
        Fault("typo", 0.1)  # type: ignore[arg-type]
    for amount in (0.0, 1.5, math.nan, -0.1):
        with pytest.raises(CheckError, match="a share above 0 and up to 1"):
            Fault("casing", amount)
    with pytest.raises(CheckError, match="a factor above 0"):
        Fault("volume", 0.0)
    with pytest.raises(CheckError, match="a numeric column cannot have"):
        inject(Fault("casing", 0.1), PRICES, seed=0)
