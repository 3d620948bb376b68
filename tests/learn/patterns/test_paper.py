"""The paper's examples 1 to 9 and its lemma (auto-validate, sections 2 to 4)."""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np
import pytest

from assay.checks.pattern import Pattern
from assay.learn.patterns.candidates import key_of
from assay.learn.patterns.evidence import PARTS, Enumeration, evidence
from assay.learn.patterns.hierarchy import FIGURE_4
from assay.learn.patterns.index import PatternIndex, PatternSums
from assay.learn.patterns.infer import Search, infer
from assay.learn.patterns.inferred import InferredPattern, NoPattern
from assay.learn.patterns.value_shape import group_by_shape

#: a column of the lake as in Figure 6: hours of one digit first, then of two, the last two PM
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


def lake(known: Mapping[str, tuple[int, float]], enumeration: Enumeration = WIDE) -> PatternIndex:
    """An index that says of patterns what is given: coverage and rate."""
    rows = []
    for text, (coverage, rate) in known.items():
        key = key_of(Pattern.parse(text))
        assert key is not None
        rows.append((int(key), coverage, round(coverage * rate * PARTS)))
    keys, coverages, sums = (np.array(each, np.uint64) for each in zip(*rows, strict=True))
    return PatternIndex(PatternSums.of(keys, coverages, sums, sums), {}, enumeration)


def learned(found: InferredPattern | NoPattern) -> InferredPattern:
    assert isinstance(found, InferredPattern), found
    return found


def test_example_1_the_ways_to_generalise_a_month() -> None:
    # the seventh of Figure 5 is the root, which H(C) excludes
    assert [str(each) for each in FIGURE_4.options("9")] == [
        "9",
        "<digit>{1}",
        "<digit>+",
        "<num>",
        "<alphanum>{1}",
        "<alphanum>+",
    ]
    both = ("<digit>:<digit>{2}", "<digit>+:<digit>{2}")
    assert all(Pattern.parse(each).matches("9:07") for each in both)


@pytest.mark.parametrize(("text", "impurity"), [(H1, 2 / 12), (H2, 8 / 12), (H5, 0.0)])
def test_examples_2_to_4_impurity_is_the_share_that_does_not_match(
    text: str, impurity: float
) -> None:
    found = evidence(FIGURE_6, WIDE)
    column = PatternIndex.of([found], WIDE)
    for whole in (False, True):  # all values are of one shape
        coverage, rate = column.look_up_pattern(Pattern.parse(text), column_impurity=whole)
        assert coverage == 1
        assert rate == pytest.approx(impurity, abs=1e-6)
    missed = [value for value in FIGURE_6 if not Pattern.parse(text).matches(value)]
    assert len(missed) / len(FIGURE_6) == pytest.approx(impurity)


def test_example_5_the_rate_is_the_mean_over_columns() -> None:
    five = Pattern.parse(H5)
    key = key_of(five)
    assert key is not None
    keys = np.full(5000, key)
    impurity = np.where(np.arange(5000) < 4800, 0, PARTS // 100)
    index = PatternIndex(PatternSums.of(keys, np.ones(5000), impurity, impurity), {}, WIDE)
    coverage, rate = index.look_up_pattern(five)
    assert coverage == 5000
    assert rate == pytest.approx(0.0004)


def test_example_6_the_feasible_pattern_is_chosen() -> None:
    index = lake({H1: (5000, 2 / 12), H2: (5000, 8 / 12), H5: (5000, 0.0004)})
    search = Search("fmdv", rate=0.001, coverage=100)
    column = [value for value in FIGURE_6 if value.endswith("AM")][:4]
    assert all(Pattern.parse(each).matches(value) for each in (H1, H2, H5) for value in column)
    assert str(learned(infer(column, index, search)).pattern) == H5
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
    index = PatternIndex.of((evidence(each, enumeration) for each in columns), enumeration)
    query = [value() for _ in range(20)]
    assert str(learned(infer(query, index, Search("fmdv", rate=0))).pattern) == truth


FIGURE_8 = [
    "[0.1|02/18/2015 00:00:00|06/12/2015 08:00:00|OnBooking]",
    "[0.2|02/18/2015 00:00:00|03/02/2015 08:00:00|OnBooking]",
    "[0.1|02/18/2015 00:00:00|05/11/2015 04:00:00|OnImpressionDelivery]",
]
MOMENT = "<digit>{2}/<digit>{2}/<digit>{4} <digit>{2}:<digit>{2}:<digit>{2}"
DAY, TIME = MOMENT.split(" ")


def test_example_7_a_composite_column_has_29_tokens() -> None:
    (shape,) = group_by_shape(FIGURE_8)
    assert shape.tokens == 29


@pytest.mark.parametrize(
    ("whole", "rate"), [(0.00004, 2 * 0.00004 + 0.002), (0.0002, 4 * 0.00005 + 0.002)]
)
def test_example_8_a_part_is_split_where_that_has_the_lesser_rate(
    whole: float, rate: float
) -> None:
    index = lake(
        {
            MOMENT: (9000, whole),
            DAY: (9000, 0.00005),
            TIME: (9000, 0.00005),
            "<num>": (9000, 0.001),
            "<letter>+": (9000, 0.001),
        }
    )
    found = learned(infer(FIGURE_8, index, Search("fmdv-v", rate=0.01)))
    assert str(found.pattern) == f"[<num>\\|{MOMENT}\\|{MOMENT}\\|<letter>+]"
    assert found.rate == pytest.approx(rate)
    # no pattern of all 29 tokens is known
    assert isinstance(infer(FIGURE_8, index, Search("fmdv", rate=0.01)), NoPattern)
    assert isinstance(infer(FIGURE_8, index, Search("fmdv-v", rate=0.001)), NoPattern)


def test_example_9_special_values_are_cut_off() -> None:
    column = [f"{n},{n + 7},{n + 11}" for n in range(95, 194)] + ["-"]
    known = "<digit>+,<digit>+,<digit>+"
    index = lake({known: (5000, 0.0)})
    assert isinstance(infer(column, index, Search("fmdv")), NoPattern)
    found = learned(infer(column, index, Search("fmdv-h", tolerance=0.01)))
    assert str(found.pattern) == known
    assert (found.missed, found.rows) == (1, 100)
    assert isinstance(infer([*column, "-"], index, Search("fmdv-h", tolerance=0.01)), NoPattern)
