"""The nearest known cause, for what really happens to columns."""

from __future__ import annotations

import numpy as np
import pytest

from assay.gate.causes import cause
from assay.gate.table_causes import cause_of_nulls, cause_of_rows, shifted
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import Column, column_stats, fingerprint, numbers, strings

RNG = np.random.default_rng(5)
AMOUNTS = RNG.gamma(2.0, 20.0, 400).round(2)
CODES = strings([f"{each:04d}" for each in RNG.integers(0, 60, 400)])
WORDS = strings(RNG.choice(["new", "paid", "void"], 400).tolist())


def holed(column: Column, share: float) -> Column:
    found = column.copy()
    found[: int(len(found) * share)] = np.nan if column.dtype == np.float64 else None
    return found


def upper(column: Column) -> Column:
    return strings([each.upper() for each in column])


@pytest.mark.parametrize(
    ("now", "before", "said"),
    [
        (holed(AMOUNTS, 0.25), AMOUNTS, "nulls rose from 0.0% to 25.0%."),
        (holed(WORDS, 1.0), holed(WORDS, 0.5), "all values are null; 50.0% were."),
        (WORDS, holed(WORDS, 0.5), "nulls fell from 50.0% to 0.0%: were they filled"),
        (AMOUNTS * 1000, AMOUNTS, "the numbers are about 1,000 times what they were"),
        (AMOUNTS / 24, AMOUNTS, "the numbers are about 1/24 of what they were"),
        (-AMOUNTS, AMOUNTS, "the numbers changed their sign."),
        (np.full(400, 7.0), AMOUNTS, "all values are 7.0."),
        (upper(WORDS), WORDS, "the case of letters changed: 'NEW' was 'new'."),
        (strings([f"{each} " for each in WORDS]), WORDS, "spaces came or went around values"),
        (strings(["", *WORDS[1:300], *[""] * 100]), WORDS, "empty strings rose from 0.0% to 25"),
        (np.where(np.arange(400) < 40, 0.0, AMOUNTS), AMOUNTS, "zeros rose from 0.0% to 10.0%."),
        (strings([f"{e[:2]}-{e[2:]}" for e in CODES]), CODES, "values look like '9-9';"),
        (strings([*WORDS[:380], *["lost"] * 20]), WORDS, "5.0% of the values were not"),
        (WORDS[WORDS != "void"], WORDS, "'void' is gone, which 3"),
    ],
)  # fmt: skip
def test_causes(now: Column, before: Column, said: str) -> None:
    found = cause(column_stats(now), column_stats(before))
    assert found is not None
    assert found.startswith(said)


def test_nulls_are_to_blame_for_what_is_found_of_them_and_else_the_last() -> None:
    now, before = column_stats(holed(AMOUNTS * 1000, 0.25)), column_stats(AMOUNTS)
    for metric, said in (("complete_ratio", "nulls"), ("completeness", "nulls"), ("max", "the n")):
        found = cause(now, before, metric)
        assert found is not None
        assert found.startswith(said)


@pytest.mark.parametrize("column", [AMOUNTS, CODES, WORDS])
def test_what_did_not_change_has_no_cause(column: Column) -> None:
    assert cause(column_stats(column[:200]), column_stats(column[:200])) is None


def test_causes_of_nothing() -> None:
    for one in (numbers([]), strings([]), numbers([None]), strings([None, None])):
        for other in (AMOUNTS, WORDS, numbers([]), strings([None])):
            cause(column_stats(one), column_stats(other))
            cause(column_stats(other), column_stats(one))


@pytest.mark.parametrize("factor", [60, 1000, 1 / 24])
def test_a_unit_is_known_on_a_day_unlike_the_last(factor: float) -> None:
    """Delays are early and late, and no day has the median, the mean or the maximum of another."""
    rng = np.random.default_rng(8)
    last, today = (rng.gamma(shape, 15.0, 900).round() - 8 for shape in (0.8, 1.1))
    said = cause(column_stats(today * factor), column_stats(last))
    number = f"1/{round(1 / factor)} of" if factor < 1 else f"{factor:,} times"
    assert said == f"the numbers are about {number} what they were: was the unit changed?"
    assert cause(column_stats(today), column_stats(last)) is None
    assert (
        cause(column_stats(np.where(np.arange(900) % 2, today, today * factor)), column_stats(last))
        != said
    )


def test_rows() -> None:
    def said(now: int, before: int) -> str | None:
        return cause_of_rows(*(fingerprint({"id": np.arange(float(n))}) for n in (now, before)))

    assert said(2000, 1000) == "the number of rows doubled: was something delivered twice?"
    assert said(3010, 1000) == "there are 3 times as many rows: was something delivered 3 times?"
    assert said(500, 1000) == "half of the rows are missing."
    assert said(0, 1000) == "there are no rows."
    assert said(100, 1000) == "90% of the rows are missing."
    assert said(1010, 1000) is said(5, 0) is None


def test_what_was_delivered_twice_is_known_by_its_values_whatever_the_day() -> None:
    def batch(rows: int, times: int = 1) -> Fingerprint:
        return fingerprint(
            {"code": strings([*CODES[:rows]] * times), "word": strings([*WORDS[:rows]] * times)}
        )

    last = batch(400)
    assert cause_of_rows(batch(300, 2), last) == (
        "all values occur twice or a multiple of it: was something delivered twice?"
    )
    assert cause_of_rows(batch(399), last) is None
    # where it always is so, it is no news
    assert cause_of_rows(batch(300, 2), batch(250, 2)) is None


def test_nulls_are_told_by_the_columns_that_have_them_together() -> None:
    def batch(alone: int, both: int) -> Fingerprint:
        rows = np.arange(100)
        return fingerprint(
            {
                "air_time": np.where(rows < alone + both, np.nan, 1.0),
                "arr_delay": np.where((rows >= alone) & (rows < alone + both), np.nan, 1.0),
            }
        )

    assert cause_of_nulls(batch(9, 2), batch(0, 2)) == (
        "air_time alone is null in 9.0% of the rows, and was in 0.0%."
    )
    assert cause_of_nulls(batch(0, 5), batch(0, 2)) == (
        "air_time, arr_delay are null together in 5.0% of the rows, and were in 2.0%."
    )
    assert cause_of_nulls(batch(0, 2), batch(0, 2)) is None
    now, before = (fingerprint({"x, y": numbers([1, each])}) for each in (None, 1))
    assert (
        cause_of_nulls(now, before) == "x, y alone is null in 50.0% of the rows, and was in 0.0%."
    )


def test_fields_that_moved_by_one() -> None:
    before = {"id": np.arange(400.0), "amount": AMOUNTS, "code": CODES, "word": WORDS}
    after = {"id": AMOUNTS, "amount": CODES, "code": WORDS, "word": strings([None] * 400)}
    found = shifted(fingerprint(after), fingerprint(before))
    assert found == (
        "3 columns, from id on, hold what the column behind them held: the fields moved by one."
    )
    assert shifted(fingerprint(before), fingerprint(before)) is None


def test_fields_that_moved_from_some_column_on() -> None:
    def written(column: Column) -> Column:
        return strings([str(each) for each in column])

    before = {"id": np.arange(400.0), "word": WORDS, "amount": AMOUNTS, "code": CODES, "n": AMOUNTS}
    after = {"id": before["id"], "word": written(before["id"]), "amount": numbers([None] * 400),
             "code": written(AMOUNTS), "n": numbers([float(each) for each in CODES])}  # fmt: skip
    found = shifted(fingerprint(after), fingerprint(before))
    assert found is not None
    assert found.startswith("3 columns, from word on, hold what the column before them held")
