"""The catalogue of batch metrics."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assay.errors import CheckError
from assay.learn.fingerprint import metrics
from assay.learn.fingerprint.metrics import BatchMetric

VERSION_0_1 = {
    "rows": metrics.ROW_COUNT,
    "row_count": metrics.ROW_COUNT,
    "completeness": metrics.COMPLETENESS,
    "complete_ratio": metrics.COMPLETENESS,
    "q50": metrics.MIDDLE_QUARTILE,
    "zeros": metrics.ZERO_RATIO,
    "length": metrics.MEAN_LENGTH,
    "distinct": metrics.DISTINCT_COUNT,
    "distinct ratio": metrics.DISTINCT_RATIO,
    "unseen nulls": metrics.UNSEEN_NULLS,
    "l1": metrics.L1_TO_HISTORY,
    "L_1": metrics.L1,
    "plain mean": metrics.PLAIN_MEAN,
}


@pytest.mark.parametrize("stored", VERSION_0_1)
def test_stored_names_of_version_0_1_stay_readable(stored: str) -> None:
    assert metrics.canonical_name(stored) == VERSION_0_1[stored]


def test_every_metric_has_a_label_and_a_formula() -> None:
    for metric in metrics.all_metrics():
        assert metric.label.startswith(("the ", "Cohen's d")), metric.name
        assert metric.formula, metric.name


def test_names_and_aliases_are_unique() -> None:
    names = [name for metric in metrics.all_metrics() for name in (metric.name, *metric.aliases)]
    assert len(names) == len(set(names))


def test_names_outside_the_catalogue_are_their_own_label() -> None:
    assert metrics.canonical_name("pause") == "pause"
    assert metrics.label("pause") == "pause"
    assert metrics.find("pause") is None


def test_an_unknown_metric_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(CheckError, match="'row_count'"):
        metrics.get("row_cuont")


@pytest.mark.parametrize(
    ("name", "column", "query"),
    [
        (metrics.ROW_COUNT, None, "SELECT count(*) FROM batch"),
        (metrics.MEAN, "a b", "SELECT avg(`a b`) FROM batch"),
        (
            metrics.DIGIT_RATIO,
            "c",
            "SELECT sum(regexp_count(`c`, '[0-9]')) / nullif(sum(length(`c`)), 0) FROM batch",
        ),
        (metrics.L1, "c", "SELECT `c`, count(*) FROM batch GROUP BY 1 ORDER BY 2 DESC"),
        (metrics.UNSEEN_NULLS, None, None),
        ("pause", None, None),
    ],
)
def test_sql_shows_a_metric(name: str, column: str | None, query: str | None) -> None:
    assert metrics.sql(name, column) == query


def test_sql_of_a_share_of_the_batch_counts_the_rows_of_the_filter() -> None:
    query = "SELECT count_if(`a` IS NULL) / nullif(count(*), 0) FROM batch"
    assert metrics.sql(metrics.UNSEEN_NULLS, None, "`a` IS NULL") == query


@pytest.mark.parametrize(
    ("name", "actual", "low", "high", "condition"),
    [
        (metrics.COMPLETENESS, 0.5, 0.9, 1.0, "`c` IS NULL"),
        (metrics.COMPLETENESS, 1.0, 0.1, 0.9, None),
        (metrics.MIN, -1.0, 0.0, 5.0, "`c` < 0.0"),
        (metrics.MAX, 9.0, 0.0, 5.0, "`c` > 5.0"),
        (metrics.MAX, 4.0, 0.0, 5.0, None),
        (metrics.MEAN, 9.0, 0.0, 5.0, None),
    ],
)
def test_rows_that_push_a_metric_out_of_its_limits(
    name: str, actual: float, low: float, high: float, condition: str | None
) -> None:
    assert metrics.rows(name, "c", actual=actual, low=low, high=high) == condition


@pytest.fixture
def doubled_mean() -> Iterator[BatchMetric]:
    metric = metrics.register(
        BatchMetric(
            name="doubled_mean",
            label="twice the mean",
            columns=frozenset(("numeric",)),
            of_batch=lambda stats: 2 * stats.mean,
            sql="2 * avg({c})",
            aliases=("twice",),
        )
    )
    yield metric
    metrics.unregister("doubled_mean")


def test_a_registered_metric_joins_the_catalogue(doubled_mean: BatchMetric) -> None:
    assert metrics.get("twice") is doubled_mean
    assert doubled_mean in metrics.all_metrics()
    assert metrics.sql("doubled_mean", "n") == "SELECT 2 * avg(`n`) FROM batch"
    assert doubled_mean.has_limits_on("numeric")
    assert not doubled_mean.has_limits_on("categorical")


@pytest.mark.usefixtures("doubled_mean")
@pytest.mark.parametrize("name", ["doubled_mean", "twice", "row_count", "rows"])
def test_a_name_is_registered_once(name: str) -> None:
    with pytest.raises(CheckError, match=repr(name)):
        metrics.register(BatchMetric(name=name, label="the same"))


def test_a_metric_with_an_impossible_range_is_an_error() -> None:
    with pytest.raises(CheckError, match="low < high"):
        BatchMetric(name="x", label="the x", low=1.0, high=1.0)
    with pytest.raises(CheckError, match="low=0"):
        BatchMetric(name="x", label="the x", kind="distance", low=-1.0)
