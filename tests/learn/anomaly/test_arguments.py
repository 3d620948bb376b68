"""Detectors refuse invalid arguments with a clear error."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import pytest

from assay.checks.assertions.expectation import Expectation, NotEnough, Point
from assay.errors import CheckError, MissingDependencyError
from assay.learn.anomaly import (
    AbsoluteChange,
    BatchNormal,
    ByCallable,
    Differenced,
    HoltWinters,
    MedianDeviation,
    OnlineNormal,
    RelativeChange,
    Seasonal,
    SeasonalArima,
    Threshold,
)
from tests.learn.anomaly.series import START, daily, expected

REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: Threshold(), "got None"),
    (lambda: Threshold(low=math.nan), "got (nan, None)"),
    (lambda: Threshold(low=2.0, high=1.0), "got (2.0, 1.0)"),
    (lambda: AbsoluteChange(), "got None"),
    (lambda: AbsoluteChange(at_most_fall=-1.0), "at_most_fall.*got -1.0"),
    (lambda: AbsoluteChange(at_most_rise=1.0, order=0), "got 0"),
    (lambda: RelativeChange(), "got None"),
    (lambda: RelativeChange(at_least=2.0, at_most=1.0), "got (2.0, 1.0)"),
    (lambda: RelativeChange(at_most=math.nan), "at_most.*got nan"),
    (lambda: BatchNormal(lower=None, upper=None), "got None"),
    (lambda: BatchNormal(lower=-3.0), "lower.*got -3.0"),
    (lambda: BatchNormal(need=2), "need.*got 2"),
    (lambda: BatchNormal(last=5), "last.*at least 7.*got 5"),
    (lambda: OnlineNormal(upper=math.inf), "upper.*got inf"),
    (lambda: OnlineNormal(ignore_start=1.5), "ignore_start.*got 1.5"),
    (lambda: MedianDeviation(need=0), "need.*got 0"),
    (lambda: HoltWinters(period=1), "period.*got 1"),
    (lambda: Seasonal(periods=(7.0, -1.0)), "periods.*got (7.0, -1.0)"),
    (lambda: Seasonal(harmonics=0), "harmonics.*got 0"),
    (lambda: Seasonal(need=1), "need.*got 1"),
    (lambda: SeasonalArima(order=(1, -1, 0)), "order.*got (1, -1, 0)"),
    (lambda: SeasonalArima(period=1), "period.*got 1"),
    (lambda: Differenced(BatchNormal(), order=0), "got 0"),
    (lambda: Differenced(BatchNormal(), lag=-1), "got -1"),
    (lambda: ByCallable(lambda *_: (0.0, 1.0), confidence=2.0), "confidence.*got 2.0"),
    (lambda: Expectation(2.0, 1.0, 1.0, ""), "got (2.0, 1.0)"),
    (lambda: Expectation(math.nan, 1.0, 1.0, ""), "got (nan, 1.0)"),
    (lambda: Expectation(0.0, 1.0, 1.5, ""), "confidence.*got 1.5"),
]


@pytest.mark.parametrize(("made", "words"), REFUSED)
def test_invalid_arguments_are_refused(made: Callable[[], object], words: str) -> None:
    with pytest.raises(ValueError, match=words.replace("(", r"\(").replace(")", r"\)")) as caught:
        made()
    assert isinstance(caught.value, CheckError)
    assert caught.value.code == "bad_argument"
    assert str(caught.value).endswith(".")


def test_not_enough_reads_as_a_sentence() -> None:
    assert str(NotEnough(3, 7)) == "not enough history: 3 batches, 7 needed"
    assert str(NotEnough(1, 7)) == "not enough history: 1 batch, 7 needed"


def test_one_side_may_be_open() -> None:
    values = [1.0, 2.0, 3.0] * 4
    above = expected(BatchNormal(lower=None), values)
    assert above.low == -math.inf
    assert above.reason == "mean 2 + 3 sd 0.8528 of 12 batches"
    both = expected(BatchNormal(lower=2.0), values)
    assert both.reason == "mean 2 - 2 + 3 sd 0.8528 of 12 batches"
    assert both.confidence < above.confidence < 1


def test_a_user_function_can_be_a_detector() -> None:
    def doubled(history: Sequence[Point], _: datetime) -> tuple[float, float]:
        return 0.0, 2 * history[-1].value

    assert expected(ByCallable(doubled), [4.0]) == Expectation(0.0, 8.0, 1.0, "as doubled says")
    expectation = Expectation(0.0, 1.0, 0.5, "because")
    assert expected(ByCallable(lambda *_: expectation), [4.0]) is expectation
    few = NotEnough(1, 2)
    assert ByCallable(lambda *_: few).expect(daily([1.0]), START) is few


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda *_: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda *_: None, "TypeError: cannot unpack"),
        (lambda *_: (3.0, 2.0), "got (3.0, 2.0)"),
        (lambda *_: ("a", 2.0), "ValueError: could not convert string to float: 'a'"),
    ],
)
def test_an_error_of_a_detector_function_is_one_sentence(
    function: Callable[..., tuple[float, float]], words: str
) -> None:
    with pytest.raises(CheckError) as caught:
        ByCallable(function).expect(daily([1.0]), START)
    message = str(caught.value)
    assert message.startswith("the detector function gave no range for 2026-01-05 00:00: ")
    assert words in message
    assert "\n" not in message
    assert message.endswith(".")
    assert not message.endswith("..")


@pytest.mark.parametrize(
    ("detector", "package"),
    [(HoltWinters(), "numpy"), (Seasonal(), "numpy"), (SeasonalArima(), "statsmodels")],
)
def test_a_missing_package_is_named_with_its_extra(
    detector: HoltWinters | Seasonal | SeasonalArima, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [module for module in sys.modules if module.partition(".")[0] == package]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, package, None)
    values = [float(n % 5) for n in range(40)]
    with pytest.raises(MissingDependencyError, match=rf"{package} .* 'spark-assay\[learn\]'"):
        detector.expect(daily(values), START + timedelta(days=40))


def test_importing_the_detectors_is_light() -> None:
    code = (
        "import sys, assay.learn.anomaly;"
        "print(sorted({'pyspark', 'numpy', 'scipy', 'statsmodels'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
