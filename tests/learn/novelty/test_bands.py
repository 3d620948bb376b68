"""Batches like the history are accepted; what is not is held, and named."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.checks.assertions.expectation import NotEnough
from assay.learn.fingerprint.from_rows import Column, fingerprint, numbers, strings
from assay.learn.novelty.bands import Bands, LearnedBands, judge
from assay.learn.novelty.batch_features import compute_features
from assay.learn.novelty.conformal import Conformal
from assay.learn.novelty.features import Feature, Features, read, written
from assay.learn.novelty.novelty_result import Detector, Novelty
from assay.learn.novelty.outlier_detector import OutlierDetector
from tests.learn.novelty.batches import Columns, many, walked

HISTORY, MEMORY = walked(many(20))
NEXT = many(21)[20]
X = Feature("x", "some number")


def judged(batch: Columns, detector: Detector | None = None) -> Novelty:
    return judge(HISTORY, compute_features(fingerprint(batch), MEMORY), detector)


def line(*values: float) -> list[Features]:
    return [{X: value} for value in values]


def learned(history: list[Features], detector: Bands | None = None) -> LearnedBands:
    model = (detector or Bands()).learn(history)
    assert isinstance(model, LearnedBands)
    return model


def test_a_batch_like_the_others_is_accepted() -> None:
    result = judged(NEXT)
    assert result.level == "accept"
    assert str(result) == "like the 20 earlier batches."


def _with(name: str, change: Callable[[Column], None]) -> Columns:
    column = NEXT[name].copy()
    change(column)
    return {**NEXT, name: column}


def _nulls(column: Column) -> None:
    column[::4] = None if column.dtype == object else math.nan


def _shift(column: Column) -> None:
    column[:] = column * 10


def _word(column: Column) -> None:
    column[::10] = "NONE"


def _case(column: Column) -> None:
    column[:60] = [text.lower() for text in column[:60]]


def _infinite(column: Column) -> None:
    column[0] = math.inf


@pytest.mark.parametrize(
    ("column", "change", "metrics"),
    [
        ("amount", _nulls, {"complete_ratio", "dist_val_count", "entropy"}),
        ("status", _nulls, {"complete_ratio"}),
        ("amount", _shift, {"mean", "sd", "min", "max", "q25", "q50", "q75"}),
        ("amount", _infinite, {"max", "mean", "integer_ratio"}),
        ("status", _word, {"unseen_values", "unseen_shapes", "surprise", "dist_val_count"}),
        ("code", _case, {"unseen_shapes", "surprise"}),
    ],
)
def test_a_changed_column_is_reported_with_the_changed_metric(
    column: str, change: Callable[[Column], None], metrics: set[str]
) -> None:
    results = judged(_with(column, change))
    assert results.level in {"warn", "hold"}
    nulls = Feature(None, "unseen_nulls"), Feature(None, "rare_nulls")
    first = next(result for result in results.reasons if result.feature not in nulls)
    assert first.feature.column == column
    assert first.feature.metric in metrics
    assert not first.low <= first.observed <= first.high
    assert [result.ratio for result in results.reasons] == sorted(
        (result.ratio for result in results.reasons), reverse=True
    )


def test_a_column_that_is_gone_is_held_and_a_new_one_is_not() -> None:
    gone = judged({name: column for name, column in NEXT.items() if name != "status"})
    assert gone.level == "hold"
    assert {reason.feature for reason in gone.reasons[:2]} == {
        Feature("status", "complete_ratio"),
        Feature("status", "filled"),
    }
    assert judged({**NEXT, "new": NEXT["status"]}).level == "accept"


def test_a_column_that_is_empty_for_the_first_time_is_held_however_its_nulls_varied() -> None:
    rng = np.random.default_rng(5)
    batches: list[dict[str, Column]] = []
    for share in rng.uniform(0.05, 0.95, 20):
        column = rng.normal(0, 1, 50)
        column[: int(50 * share)] = math.nan
        batches.append({"a": column})
    history, memory = walked(batches)
    empty = compute_features(fingerprint({"a": numbers([None] * 50)}), memory)
    assert judge(history, empty).level == "hold"
    assert judge(history[:-1], history[-1]).level == "accept"


def test_a_column_that_turns_from_numbers_to_strings_is_held() -> None:
    results = judged({**NEXT, "amount": strings([f"{amount:.2f}" for amount in NEXT["amount"]])})
    assert results.level == "hold"
    assert Feature("amount", "numeric") in {result.feature for result in results.reasons[:3]}


def test_an_empty_batch_is_held_for_its_number_of_rows() -> None:
    empty = {name: column[:0] for name, column in NEXT.items()}
    result = judged(empty)
    assert result.level == "hold"
    assert result.reasons[0].feature == Feature(None, "row_count")
    expected_text = "unlike the 20 earlier batches: the number of rows is 0, expected 291 to 309"
    assert str(result).startswith(expected_text[:60])


def test_features_that_were_written_down_are_judged_alike() -> None:
    again = [
        read(json.loads(json.dumps(written(features), allow_nan=False))) for features in HISTORY
    ]
    new = compute_features(fingerprint(NEXT), MEMORY)
    assert judge(again, read(written(new))) == judge(HISTORY, new)


def test_columns_in_another_order_change_nothing() -> None:
    turned = dict(reversed(NEXT.items()))
    assert judged(turned) == judged(NEXT)
    history, memory = walked([dict(reversed(columns.items())) for columns in many(20)])
    assert judge(history, compute_features(fingerprint(turned), memory)) == judged(NEXT)


def test_batches_in_another_order_change_nothing_where_the_mean_predicts() -> None:
    """The one-step forecast errors have a similar size in any order."""
    rng = np.random.default_rng(0)
    values = rng.normal(5, 1, 60)
    widths = []
    for _ in range(2):
        reason = learned(line(*rng.permutation(values))).judge({X: 20.0}).reasons[0]
        assert (reason.low + reason.high) / 2 == pytest.approx(values.mean())
        widths.append(reason.high - reason.low)
    assert widths[0] == pytest.approx(widths[1], rel=0.25)


def test_the_last_value_predicts_a_walk_and_must_be_better_by_a_tenth() -> None:
    walk = learned(line(*np.cumsum(np.ones(20)).tolist())).judge({X: 21.0})
    assert walk.level == "accept"
    assert walk.reasons[0].origin.startswith("last 20")
    noise = learned(line(*np.random.default_rng(1).normal(0, 1, 50).tolist())).judge({X: 0.0})
    assert noise.reasons[0].origin.startswith("mean ")


def test_a_season_predicts_where_there_is_one() -> None:
    week = [1.0, 1.0, 1.0, 1.0, 1.0, 9.0, 9.0]
    history = line(*(week * 4))
    plain, weekly = learned(history), learned(history, Bands(season=7))
    assert weekly.judge({X: 9.0}).level == "hold"  # a Monday
    assert plain.judge({X: 9.0}).level == "accept"
    assert learned(history[:10], Bands(season=7)).judge({X: 9.0}).level == "accept"


def test_the_scale_of_a_constant_feature_is_a_thousandth() -> None:
    model = learned(line(*[100.0] * 30))
    width = model.judge({X: 100.0}).reasons[0].high - 100
    assert width == pytest.approx(stats.t.isf(0.005 / 2, 6) * 0.1)


def test_the_sampling_error_of_a_share_that_never_was() -> None:
    share, rows = Feature("x", "zero_ratio"), Feature(None, "row_count")
    complete = Feature("x", "complete_ratio")
    batch = {share: 0.0, rows: math.log1p(100), complete: 1.0}
    model = learned([batch] * 20)
    p = 0.5 / (20 * 100 + 1)
    for n in (100, 10):
        results = model.judge({share: 0.5, rows: math.log1p(n), complete: 1.0})
        reason = next(result for result in results.reasons if result.feature == share)
        t = stats.t.isf(0.005 / 3 / 2, 6)
        assert reason.high == pytest.approx(t * math.sqrt(p * (1 - p) / n))


def test_a_step_of_whole_numbers_is_no_alarm() -> None:
    least, integer_ratio = Feature("x", "min"), Feature("x", "integer_ratio")
    for number in (0.0, 1.0, -3.0, 40.0):
        batch = {least: math.asinh(number), integer_ratio: 1.0}
        counts, measures = learned([batch] * 20), learned([{**batch, integer_ratio: 0.5}] * 20)
        for step in (-1.0, 1.0):
            beside = math.asinh(number + step)
            assert counts.judge({least: beside, integer_ratio: 1.0}).level == "accept"
            assert measures.judge({least: beside, integer_ratio: 0.5}).alarm
        assert counts.judge({least: math.asinh(number + 9), integer_ratio: 1.0}).alarm


def test_the_band_reaches_beyond_the_largest_past_error() -> None:
    values = [0.0] * 50
    values[25] = 10.0
    low = learned(line(*values)).judge({X: 12.0})
    assert low.level == "accept"
    assert learned(line(*values)).judge({X: 40.0}).level != "accept"


def test_fewer_false_alarms_tolerated_are_wider_bands() -> None:
    history = line(*np.random.default_rng(2).normal(0, 1, 30).tolist())
    widths = [
        learned(history, Bands(alpha=alpha)).judge({X: 5.0}).reasons[0].high
        for alpha in (0.1, 0.01, 0.0001)
    ]
    assert widths == sorted(widths)


def test_false_alarms_are_about_as_many_as_tolerated() -> None:
    rng = np.random.default_rng(3)
    features = [Feature(f"c{n}", "l1_to_history") for n in range(20)]
    alarms = 0
    for _ in range(300):
        drawn = rng.normal(0, 1, (31, 20))
        rows = [dict(zip(features, row.tolist(), strict=True)) for row in drawn]
        alarms += judge(rows[:30], rows[30], Bands(alpha=0.1)).alarm
    assert alarms <= 0.1 * 300 + 3 * math.sqrt(0.1 * 0.9 * 300)


def test_not_enough_history() -> None:
    result = judge(HISTORY[:7], HISTORY[7])
    assert result.level == "not enough history"
    assert not result.alarm
    assert str(result) == "not enough history: 7 batches, 8 needed."
    assert Bands().learn(HISTORY[:7]) == NotEnough(7, 8)
    # a column that has only been there for a few batches
    new = [{**features, Feature("n", "l1_to_history"): 0.0} for features in HISTORY[-3:]]
    judged_again = judge([*HISTORY[:-3], *new], {**HISTORY[-1], Feature("n", "l1_to_history"): 2.0})
    assert judged_again.level == "accept"


@settings(max_examples=25)
@given(
    st.lists(
        st.lists(st.sampled_from([0.0, 1.0, -3.5, 1e9, 710.0, math.nan]), min_size=3, max_size=3),
        min_size=9,
        max_size=14,
    )
)
def test_no_numbers_break_it(rows: list[list[float]]) -> None:
    names = [Feature("x", "zero_ratio"), Feature("x", "mean"), Feature(None, "row_count")]
    history: list[Features] = [dict(zip(names, row, strict=True)) for row in rows]
    for detector in (Bands(), Bands(season=2), OutlierDetector(), Conformal(Bands(), window=3)):
        result = judge(history[:-1], history[-1], detector)
        assert result.score == result.score


def test_odd_batches_are_judged_whatever_was_before() -> None:
    odd: list[dict[str, Column]] = [
        {},
        {"a": numbers([])},
        {"a": numbers([None, None])},
        {"a": numbers([math.inf, -math.inf])},
        {"a": strings(["x", None])},
        {"b": strings([""])},
    ]
    history, memory = walked(odd * 2)
    for batch in odd:
        assert (
            judge(history, compute_features(fingerprint(batch), memory)).level
            != "not enough history"
        )


def test_conformal_calibration_raises_the_limit_to_earlier_scores() -> None:
    rng = np.random.default_rng(4)
    heavy: list[Features] = line(*rng.standard_t(2, 80).tolist())
    plain, calibrated = Bands(alpha=0.5), Conformal(Bands(alpha=0.5), alpha=0.05)
    limit = judge(heavy, {X: 0.0}, calibrated).limit
    scores = sorted(judge(heavy[:n], heavy[n], plain).score for n in range(8, 80))
    assert limit == pytest.approx(max(1.0, scores[math.ceil(0.95 * 73) - 1]))
    assert judge(heavy, {X: 1e6}, calibrated).level == "hold"
    assert judge(heavy[:5], {X: 0.0}, calibrated).level == "not enough history"


@pytest.mark.parametrize("wrong", [{"alpha": 0.0}, {"season": 1}, {"batches": 2}])
def test_invalid_settings_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="expected"):
        Bands(**wrong)  # type: ignore[arg-type]


def test_every_metric_has_words() -> None:
    text = str(judged(_with("status", _nulls)))
    assert "\n" not in text
