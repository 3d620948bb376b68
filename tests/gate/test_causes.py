"""The most likely cause of a change, for changes that really happen to tables."""

from __future__ import annotations

import numpy as np
import pytest

from assay.gate.causes.cause import Cause, CauseCode
from assay.gate.causes.column_change import ColumnChange, Comparison
from assay.gate.causes.nulls import cause_of_nulls
from assay.gate.causes.pairs import shifted_fields
from assay.gate.causes.registry import cause_of_column as cause_of_change
from assay.gate.causes.rows import cause_of_rows, segment_gone
from assay.gate.causes.similarity import are_exchanged
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint
from assay.learn.fingerprint.from_rows import Column, column_stats, fingerprint, numbers, strings
from assay.learn.novelty.seen_values import SeenColumn, SeenValues

RNG = np.random.default_rng(5)
AMOUNTS = RNG.gamma(2.0, 20.0, 400).round(2)
CODES = strings([f"{number:04d}" for number in RNG.integers(0, 60, 400)])
WORDS = strings(RNG.choice(["new", "paid", "void"], 400).tolist())


def cause_of_column(
    now: ColumnStats, before: ColumnStats, metric: str | None = None
) -> Cause | None:
    return cause_of_change(ColumnChange("c", now, before), metric)


def with_nulls(column: Column, share: float) -> Column:
    values = column.copy()
    values[: int(len(values) * share)] = np.nan if column.dtype == np.float64 else None
    return values


def upper(column: Column) -> Column:
    return strings([value.upper() for value in column])


@pytest.mark.parametrize(
    ("now", "before", "code"),
    [
        (with_nulls(AMOUNTS, 0.25), AMOUNTS, CauseCode.NULLS_ROSE),
        (with_nulls(WORDS, 1.0), with_nulls(WORDS, 0.5), CauseCode.NULLS_ROSE),
        (WORDS, with_nulls(WORDS, 0.5), CauseCode.NULLS_FELL),
        (AMOUNTS * 1000, AMOUNTS, CauseCode.UNIT_CHANGED),
        (AMOUNTS / 24, AMOUNTS, CauseCode.UNIT_CHANGED),
        (-AMOUNTS, AMOUNTS, CauseCode.SIGN_CHANGED),
        (np.full(400, 7.0), AMOUNTS, CauseCode.CONSTANT),
        (upper(WORDS), WORDS, CauseCode.CASE_CHANGED),
        (strings([f"{word} " for word in WORDS]), WORDS, CauseCode.SPACES_CHANGED),
        (strings(["", *WORDS[1:300], *[""] * 100]), WORDS, CauseCode.EMPTY_STRINGS_ROSE),
        (np.where(np.arange(400) < 40, 0.0, AMOUNTS), AMOUNTS, CauseCode.ZEROS_ROSE),
        (strings([f"{c[:2]}-{c[2:]}" for c in CODES]), CODES, CauseCode.FORMAT_CHANGED),
        (strings([*WORDS[:380], *["lost"] * 20]), WORDS, CauseCode.VALUES_NEW),
        (WORDS[WORDS != "void"], WORDS, CauseCode.VALUES_GONE),
    ],
)
def test_a_changed_column_has_its_cause(now: Column, before: Column, code: CauseCode) -> None:
    cause = cause_of_column(column_stats(now), column_stats(before))
    assert cause is not None
    assert cause.code is code


@pytest.mark.parametrize(
    ("now", "before", "sentence"),
    [
        (
            with_nulls(AMOUNTS, 0.25),
            AMOUNTS,
            "100 of 400 values are null (25 %); 0 % before.",
        ),
        (
            with_nulls(WORDS, 1.0),
            with_nulls(WORDS, 0.5),
            "All 400 values are null; 50 % before.",
        ),
        (
            AMOUNTS / 24,
            AMOUNTS,
            (
                "All 400 values are about 24 times smaller than before."
                " Was the unit changed from hours to days?"
            ),
        ),
        (
            strings([*WORDS[:380], *["lost"] * 20]),
            WORDS,
            "20 of 400 rows (5.0 %) have a value that the batch before did not have: 'lost'.",
        ),
        (
            strings([*"ABC"] * 9),
            strings([*"abc"] * 9),
            "Lower case became upper case: 'a' is now 'A'. All 27 rows.",
        ),
    ],
)
def test_a_cause_says_how_many_rows_and_what_was_before(
    now: Column, before: Column, sentence: str
) -> None:
    cause = cause_of_column(column_stats(now), column_stats(before))
    assert cause is not None
    assert cause.sentence == sentence


def test_nulls_are_the_first_cause_of_a_null_metric_and_the_last_of_others() -> None:
    now, before = column_stats(with_nulls(AMOUNTS * 1000, 0.25)), column_stats(AMOUNTS)
    for metric, code in (
        ("complete_ratio", CauseCode.NULLS_ROSE),
        ("filled", CauseCode.NULLS_ROSE),
        ("max", CauseCode.UNIT_CHANGED),
    ):
        cause = cause_of_column(now, before, metric)
        assert cause is not None
        assert cause.code is code


@pytest.mark.parametrize("column", [AMOUNTS, CODES, WORDS])
def test_an_unchanged_column_has_no_cause(column: Column) -> None:
    assert cause_of_column(column_stats(column[:200]), column_stats(column[:200])) is None


def test_years_have_no_thousands_separator() -> None:
    last, now = numbers([2011.0, 2012.0, 2013.0] * 40), numbers([2013.0] * 120)
    cause = cause_of_column(column_stats(now), column_stats(last))
    assert cause is not None
    assert cause.sentence == ("All 120 values are 2013; there were 3 different values before.")
    change = ColumnChange("c", column_stats(now * 2), column_stats(last))
    assert (change.are_years, change.format(2013.0)) == (False, "2,013")


def test_codes_in_another_case_are_recognized_by_the_forms_of_all_batches() -> None:
    """Each batch has other codes, and few of them have letters."""
    last = strings([f"{number}" for number in range(1000, 1400)])
    cancelled = strings([f"C{number}" for number in range(40)])
    history = SeenColumn().add(column_stats(cancelled)).add(column_stats(last))
    now = strings([*last[:380], *(f"c{number}" for number in range(50, 70))])

    change = ColumnChange("code", column_stats(now), column_stats(last), history)
    cause = cause_of_change(change)

    assert cause is not None
    assert cause.code is CauseCode.CASE_CHANGED
    assert "20 of 400 values" in cause.sentence


def test_a_column_whose_only_value_has_another_case_is_not_constant() -> None:
    last = column_stats(strings([*["United Kingdom"] * 350, *["France"] * 50]))
    cause = cause_of_column(column_stats(strings(["uNITED kINGDOM"] * 300)), last)
    assert cause is not None
    assert cause.code is CauseCode.CASE_CHANGED


def test_a_value_that_only_the_last_batch_had_is_not_missed() -> None:
    usual = strings([*["France"] * 200, *["Spain"] * 200])
    last = strings([*["France"] * 170, *["Spain"] * 170, *["Japan"] * 60])
    history = SeenValues()
    for column in (*[usual] * 9, last):
        history = history.add(fingerprint({"country": column}))
    now, before = (fingerprint({"country": column}) for column in (usual[30:370], last))

    assert segment_gone(Comparison(now, before)) is not None
    assert segment_gone(Comparison(now, before, history=history)) is None
    change = Comparison(now, before, history=history).column("country")
    assert change is not None
    assert change.is_usual("Spain")
    assert not change.is_usual("Japan")


def test_one_repeated_value_among_few_is_no_broken_key() -> None:
    values = [1 + number * 1.5 for number in range(40)]
    repeated = numbers([*values[:39], values[0]])
    assert cause_of_column(column_stats(repeated), column_stats(numbers(values))) is None


def test_identifiers_and_other_numbers_that_are_exchanged_are_recognized() -> None:
    """The identifiers of each batch are others, so that their distribution differs."""
    identifiers = [RNG.integers(low, low + 4000, 400).astype(float) for low in (13000, 14500)]
    before = tuple(map(column_stats, (AMOUNTS, identifiers[0])))
    now = tuple(map(column_stats, (identifiers[1], AMOUNTS[::-1])))
    assert are_exchanged(now, before) > 0  # type: ignore[arg-type]


def test_empty_columns_are_compared_without_error() -> None:
    for one in (numbers([]), strings([]), numbers([None]), strings([None, None])):
        for other in (AMOUNTS, WORDS, numbers([]), strings([None])):
            cause_of_column(column_stats(one), column_stats(other))
            cause_of_column(column_stats(other), column_stats(one))


@pytest.mark.parametrize("factor", [60, 1000, 1 / 24])
def test_a_changed_unit_is_recognized_on_a_day_unlike_the_last(factor: float) -> None:
    """Delays are negative and positive. Median, mean and maximum differ between days."""
    rng = np.random.default_rng(8)
    last, today = (rng.gamma(shape, 15.0, 900).round() - 8 for shape in (0.8, 1.1))
    cause = cause_of_column(column_stats(today * factor), column_stats(last))
    times = f"{factor:,} times larger" if factor > 1 else f"{1 / factor:.0f} times smaller"
    assert cause is not None
    assert cause.code is CauseCode.UNIT_CHANGED
    assert cause.sentence.startswith(f"All 900 values are about {times} than before.")
    unchanged = cause_of_column(column_stats(today), column_stats(last))
    assert unchanged is not None
    assert unchanged.code is CauseCode.VALUES_SHIFTED
    half = np.where(np.arange(900) % 2, today, today * factor)
    assert cause_of_column(column_stats(half), column_stats(last)) != cause


@pytest.mark.parametrize(
    ("now", "before", "code", "sentence"),
    [
        (
            2000,
            1000,
            CauseCode.ROWS_REPEATED,
            "2,000 rows arrived; 1,000 before. Was something delivered twice?",
        ),
        (
            3010,
            1000,
            CauseCode.ROWS_REPEATED,
            "3,010 rows arrived; 1,000 before. Was something delivered 3 times?",
        ),
        (
            500,
            1000,
            CauseCode.ROWS_MISSING,
            "About half of the rows are missing. 500 rows arrived; 1,000 before.",
        ),
        (0, 1000, CauseCode.NO_ROWS, "The batch is empty."),
        (
            100,
            1000,
            CauseCode.ROWS_MISSING,
            "90 % of the rows are missing. 100 rows arrived; 1,000 before.",
        ),
    ],
)
def test_a_changed_row_count_has_its_cause(
    now: int, before: int, code: CauseCode, sentence: str
) -> None:
    batch, last = (fingerprint({"id": np.arange(float(n))}) for n in (now, before))
    cause = cause_of_rows(batch, last)
    assert cause is not None
    assert (cause.code, cause.sentence) == (code, sentence)


def test_an_ordinary_row_count_has_no_cause() -> None:
    for now, before in ((1010, 1000), (5, 0)):
        batch, last = (fingerprint({"id": np.arange(float(n))}) for n in (now, before))
        assert cause_of_rows(batch, last) is None


def test_rows_delivered_twice_are_recognized_by_the_counts_of_their_values() -> None:
    def batch(rows: int, times: int = 1) -> Fingerprint:
        return fingerprint(
            {"code": strings([*CODES[:rows]] * times), "word": strings([*WORDS[:rows]] * times)}
        )

    last = batch(400)
    cause = cause_of_rows(batch(300, 2), last)
    assert cause is not None
    assert cause.code is CauseCode.ROWS_REPEATED
    assert "twice" in cause.sentence
    assert cause_of_rows(batch(399), last) is None
    # repeated rows do not count if the batch before had them as well
    assert cause_of_rows(batch(300, 2), batch(250, 2)) is None


def test_nulls_are_described_by_the_columns_that_have_them_together() -> None:
    def batch(alone: int, both: int) -> Fingerprint:
        rows = np.arange(100)
        return fingerprint(
            {
                "air_time": np.where(rows < alone + both, np.nan, 1.0),
                "arr_delay": np.where((rows >= alone) & (rows < alone + both), np.nan, 1.0),
            }
        )

    def sentence(now: Fingerprint, before: Fingerprint) -> str | None:
        cause = cause_of_nulls(now, before)
        return None if cause is None else cause.sentence

    assert sentence(batch(9, 2), batch(0, 2)) == (
        "11 of 100 values are null (11 %); 2.0 % before. In 9 of these rows, only air_time is null."
    )
    assert sentence(batch(0, 5), batch(0, 2)) == (
        "air_time, arr_delay are null together in 5 of 100 rows (5.0 %); 2.0 % before."
    )
    assert sentence(batch(0, 2), batch(0, 2)) is None
    now, before = (fingerprint({"x, y": numbers([1, value])}) for value in (None, 1))
    assert sentence(now, before) == "1 of 2 values is null (50 %); 0 % before."
    cause = cause_of_nulls(now, before)
    assert cause is not None
    assert cause.columns == ("x, y",)


def test_fields_shifted_to_the_left_are_recognized() -> None:
    before = {"id": np.arange(400.0), "amount": AMOUNTS, "code": CODES, "word": WORDS}
    after = {"id": AMOUNTS, "amount": CODES, "code": WORDS, "word": strings([None] * 400)}
    cause = shifted_fields(fingerprint(after), fingerprint(before))
    assert cause is not None
    assert cause.code is CauseCode.COLUMNS_SHIFTED
    assert cause.sentence == (
        "The fields are shifted by one: 3 columns, from id on, hold what the column after them"
        " held."
    )
    assert shifted_fields(fingerprint(before), fingerprint(before)) is None


def test_fields_shifted_to_the_right_from_some_column_on_are_recognized() -> None:
    def as_text(column: Column) -> Column:
        return strings([str(value) for value in column])

    before = {"id": np.arange(400.0), "word": WORDS, "amount": AMOUNTS, "code": CODES, "n": AMOUNTS}
    after = {"id": before["id"], "word": as_text(before["id"]), "amount": numbers([None] * 400),
             "code": as_text(AMOUNTS), "n": numbers([float(code) for code in CODES])}  # fmt: skip
    cause = shifted_fields(fingerprint(after), fingerprint(before))
    assert cause is not None
    assert "3 columns, from word on, hold what the column before them" in cause.sentence


def test_only_strings_are_cut_text() -> None:
    """Values of truth are counted as the words true and false."""

    def stats(**counts: int) -> ColumnStats:
        numbers = {"rows": 100.0, "values": 100.0, "distinct": float(len(counts))}
        return ColumnStats("categorical", numbers, value_counts=counts)

    cause = cause_of_column(stats(true=100), stats(true=40, false=60))

    assert cause is not None
    assert cause.code is CauseCode.CONSTANT
    cause = cause_of_column(stats(true=99, no=1), stats(true=40, false=60))
    assert cause is None or cause.code is not CauseCode.TEXT_CUT
