"""Examples 1 to 9 and Lemma 1 of the paper (Auto-Validate, sections 2 to 4)."""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np
import pytest

from assay.checks.pattern import Pattern
from assay.learn.patterns.candidates import pattern_key
from assay.learn.patterns.evidence import IMPURITY_UNIT, Enumeration, collect_evidence
from assay.learn.patterns.hierarchy import FIGURE_4
from assay.learn.patterns.index import PatternIndex, PatternSums
from assay.learn.patterns.infer import Search, infer
from assay.learn.patterns.inferred import InferredPattern, NoPattern
from assay.learn.patterns.value_shape import group_by_shape

#: a column as in Figure 6: hours with one digit, then with two; the last two rows are PM
FIGURE_6 = [
    "9/12/2019 1:01:31 AM",
    "9/12/2019 2:01:32 AM",
    "9/12/2019 3:02:33 AM",
    "9/13/2019 9:12:38 AM",
    "9/13/2019 10:02:20 AM",
    "9/13/2019 10:12:21 AM",
    "10/14/2019 10:22:22 AM",
    "10/14/2019 11:32:23 AM",
    "10/14/2019 11:42:24 AM",
    "10/15/2019 11:52:25 AM",
    "10/15/2019 12:01:32 PM",
    "10/15/2019 12:02:33 PM",
]
H1 = "<digit>+/<digit>{2}/<digit>{4} <digit>+:<digit>{2}:<digit>{2} AM"
H2 = "<digit>+/<digit>{2}/<digit>{4} <digit>{1}:<digit>{2}:<digit>{2} <letter>{2}"
H5 = "<digit>+/<digit>+/<digit>{4} <digit>+:<digit>{2}:<digit>{2} <letter>{2}"

WIDE = Enumeration(FIGURE_4.name, tokens=29, patterns=10**6)


def lake(statistics: Mapping[str, tuple[int, float]]) -> PatternIndex:
    """Return an index with the coverage and the rate of some patterns."""
    rows = []
    for text, (coverage, rate) in statistics.items():
        key = pattern_key(Pattern.parse(text))
        assert key is not None
        rows.append((int(key), coverage, round(coverage * rate * IMPURITY_UNIT)))
    keys, coverages, sums = (np.array(column, np.uint64) for column in zip(*rows, strict=True))
    return PatternIndex(PatternSums.of(keys, coverages, sums, sums), {}, WIDE)


def require_pattern(inferred: InferredPattern | NoPattern) -> InferredPattern:
    assert isinstance(inferred, InferredPattern), inferred
    return inferred


def test_example_1_the_options_for_a_month() -> None:
    # Figure 5 also has the root, which H(C) excludes
    assert [str(option) for option in FIGURE_4.options("9")] == [
        "9",
        "<digit>{1}",
        "<digit>+",
        "<num>",
        "<alphanum>{1}",
        "<alphanum>+",
    ]
    both = ("<digit>:<digit>{2}", "<digit>+:<digit>{2}")
    assert all(Pattern.parse(text).matches("9:07") for text in both)


@pytest.mark.parametrize(("text", "impurity"), [(H1, 2 / 12), (H2, 8 / 12), (H5, 0.0)])
def test_examples_2_to_4_impurity_is_the_share_that_does_not_match(
    text: str, impurity: float
) -> None:
    column = PatternIndex.of([collect_evidence(FIGURE_6, WIDE)], WIDE)
    for column_impurity in (False, True):  # equal, since all values have one shape
        coverage, rate = column.look_up_pattern(
            Pattern.parse(text), column_impurity=column_impurity
        )
        assert coverage == 1
        assert rate == pytest.approx(impurity, abs=1e-6)
    missed = [value for value in FIGURE_6 if not Pattern.parse(text).matches(value)]
    assert len(missed) / len(FIGURE_6) == pytest.approx(impurity)


def test_example_5_the_rate_is_the_mean_over_columns() -> None:
    five = Pattern.parse(H5)
    key = pattern_key(five)
    assert key is not None
    keys = np.full(5000, key)
    impurity = np.where(np.arange(5000) < 4800, 0, IMPURITY_UNIT // 100)
    index = PatternIndex(PatternSums.of(keys, np.ones(5000), impurity, impurity), {}, WIDE)
    coverage, rate = index.look_up_pattern(five)
    assert coverage == 5000
    assert rate == pytest.approx(0.0004)


def test_example_6_the_feasible_pattern_is_chosen() -> None:
    index = lake({H1: (5000, 2 / 12), H2: (5000, 8 / 12), H5: (5000, 0.0004)})
    search = Search("fmdv", rate=0.001, coverage=100)
    column = [value for value in FIGURE_6 if value.endswith("AM")][:4]
    assert all(Pattern.parse(text).matches(value) for text in (H1, H2, H5) for value in column)
    assert str(require_pattern(infer(column, index, search)).pattern) == H5
    few = lake({H5: (99, 0.0004)})
    assert isinstance(infer(column, few, search), NoPattern)


@pytest.mark.parametrize("truth", ["<digit>{2}:<digit>{2}", "<upper>{2}-<digit>+", "<lower>+_v1"])
def test_lemma_1_the_ground_truth_is_found(truth: str) -> None:
    chance = random.Random(truth)

    def value() -> str:
        if truth == "<digit>{2}:<digit>{2}":
            return f"{chance.randrange(100):02}:{chance.randrange(100):02}"
        if truth == "<upper>{2}-<digit>+":
            letters = "".join(chance.choice("ABCDEFGHIJKLMNOPQRSTUVWXYZ") for _ in range(2))
            return f"{letters}-{chance.randrange(10 ** chance.randrange(1, 6))}"
        size = chance.randrange(1, 9)
        return "".join(chance.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(size)) + "_v1"

    enumeration = Enumeration()
    columns = [[value() for _ in range(20)] for _ in range(25)]
    index = PatternIndex.of(
        (collect_evidence(values, enumeration) for values in columns), enumeration
    )
    query = [value() for _ in range(20)]
    assert str(require_pattern(infer(query, index, Search("fmdv", rate=0))).pattern) == truth


FIGURE_8 = [
    "[0.1|02/18/2015 00:00:00|06/12/2015 08:00:00|OnBooking]",
    "[0.2|02/18/2015 00:00:00|03/02/2015 08:00:00|OnBooking]",
    "[0.1|02/18/2015 00:00:00|05/11/2015 04:00:00|OnImpressionDelivery]",
]
MOMENT = "<digit>{2}/<digit>{2}/<digit>{4} <digit>{2}:<digit>{2}:<digit>{2}"
DAY, TIME = MOMENT.split(" ")


def test_example_7_a_composite_column_has_29_tokens() -> None:
    (shape,) = group_by_shape(FIGURE_8)
    assert shape.token_count == 29


@pytest.mark.parametrize(
    ("moment_rate", "rate"), [(0.00004, 2 * 0.00004 + 0.002), (0.0002, 4 * 0.00005 + 0.002)]
)
def test_example_8_a_segment_is_split_if_that_lowers_the_rate(
    moment_rate: float, rate: float
) -> None:
    index = lake(
        {
            MOMENT: (9000, moment_rate),
            DAY: (9000, 0.00005),
            TIME: (9000, 0.00005),
            "<num>": (9000, 0.001),
            "<letter>+": (9000, 0.001),
        }
    )
    inferred = require_pattern(infer(FIGURE_8, index, Search("fmdv-v", rate=0.01)))
    assert str(inferred.pattern) == f"[<num>\\|{MOMENT}\\|{MOMENT}\\|<letter>+]"
    assert inferred.rate == pytest.approx(rate)
    # the index has no pattern of all 29 tokens
    assert isinstance(infer(FIGURE_8, index, Search("fmdv", rate=0.01)), NoPattern)
    assert isinstance(infer(FIGURE_8, index, Search("fmdv-v", rate=0.001)), NoPattern)


def test_example_9_special_values_are_exceptions() -> None:
    column = [f"{n},{n + 7},{n + 11}" for n in range(95, 194)] + ["-"]
    three_numbers = "<digit>+,<digit>+,<digit>+"
    index = lake({three_numbers: (5000, 0.0)})
    assert isinstance(infer(column, index, Search("fmdv")), NoPattern)
    inferred = require_pattern(infer(column, index, Search("fmdv-h", tolerance=0.01)))
    assert str(inferred.pattern) == three_numbers
    assert (inferred.missed, inferred.rows) == (1, 100)
    assert isinstance(infer([*column, "-"], index, Search("fmdv-h", tolerance=0.01)), NoPattern)
