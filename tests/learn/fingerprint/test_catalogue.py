"""Metrics are named in the catalogue alone, and a registered one takes part everywhere."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint
from assay.learn.fingerprint.from_rows import fingerprint, numbers
from assay.learn.fingerprint.metrics import BatchMetric
from assay.learn.limits.column_limits import ColumnHistory, ColumnLimits, Settings, learn
from assay.learn.limits.judge_limits import judge
from assay.learn.novelty.bands import Bands, LearnedBands
from assay.learn.novelty.batch_features import compute_features
from assay.learn.novelty.features import Feature, Features
from assay.learn.novelty.sampling_error import sampling_errors
from assay.learn.novelty.seen_values import SeenValues

SOURCE = Path(assay.__file__).parent
FOLDERS = ("learn/limits", "learn/novelty", "gate", "report", "cli")

#: Words that are also names of metrics, and mean something else. Keys of `ColumnStats.numbers`
#: in subscripts are not counted.
COINCIDENCES = {
    "numeric": "a kind of column",
    "mean": "a kind of metric, a kind of prediction, a label",
    "rows": "a key of JSON documents and of counts, a noun",
    "row_count": "a key of JSON documents, a cause",
    "median": "a label",
    "min": "a key of `ColumnStats.numbers`",
    "max": "a key of `ColumnStats.numbers`",
    "distinct": "a key of `ColumnStats.numbers`, a label",
    "zeros": "a key of `ColumnStats.numbers`, a label",
    "negatives": "a key of `ColumnStats.numbers`",
    "integers": "a key of `ColumnStats.numbers`",
    "letters": "a key of `ColumnStats.numbers`",
    "digits": "a key of `ColumnStats.numbers`",
    "spaces": "a key of `ColumnStats.numbers`",
    "symbols": "a key of `ColumnStats.numbers`",
    "entropy": "a function",
    "top_share": "a function",
    "peculiarity": "a function",
}


def _literals(path: Path) -> Iterator[tuple[str, int]]:
    tree = ast.parse(path.read_text())
    keys = {
        id(constant)
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript)
        for constant in ast.walk(node.slice)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in keys:
            yield node.value, node.lineno


def test_no_module_but_the_catalogue_spells_the_name_of_a_metric() -> None:
    names = {
        name for metric in catalogue.all_metrics() for name in (metric.name, *metric.aliases)
    } - COINCIDENCES.keys()
    spelled = [
        f"{path.relative_to(SOURCE)}:{line}: {literal!r}"
        for folder in FOLDERS
        for path in sorted((SOURCE / folder).rglob("*.py"))
        for literal, line in _literals(path)
        if literal in names
    ]
    assert spelled == []


@pytest.fixture
def trimmed_mean() -> Iterator[BatchMetric]:
    def compute(stats: ColumnStats) -> float:
        if stats.sample is None:
            return math.nan
        return float(stats.sample.quantiles(np.linspace(0.1, 0.9, 9)).mean())

    yield catalogue.register(
        BatchMetric(
            name="trimmed_mean",
            label="the trimmed mean",
            formula="mean of the deciles",
            columns=frozenset(("numeric",)),
            of_batch=compute,
        )
    )
    catalogue.unregister("trimmed_mean")


def _batches(n_batches: int, *, last: float = 0.0) -> list[Fingerprint]:
    rng = np.random.default_rng(3)
    return [
        fingerprint({"x": numbers(rng.normal(100, 5, 300) + (last if at == n_batches - 1 else 0))})
        for at in range(n_batches)
    ]


@pytest.mark.usefixtures("trimmed_mean")
def test_limits_and_novelty_judge_a_registered_metric() -> None:
    *history, last = _batches(21, last=50.0)
    metrics = [catalogue.compute(batch.columns["x"]) for batch in history]
    limits = learn("x", ColumnHistory("numeric", metrics), Settings(mode="sensitive"))
    assert isinstance(limits, ColumnLimits)
    results = judge(limits, metrics, catalogue.compute(last.columns["x"]))
    assert {"trimmed_mean", catalogue.MEAN} <= {r.metric for r in results if r.broken}

    seen_values, features = SeenValues(), list[Features]()
    for batch in history:
        features.append(compute_features(batch, seen_values))
        seen_values = seen_values.add(batch)
    bands = Bands().learn(features)
    assert isinstance(bands, LearnedBands)
    novelty = bands.judge(compute_features(last, seen_values), sampling_errors(last, history[-1]))
    assert Feature("x", "trimmed_mean") in {r.feature for r in novelty.reasons if r.ratio > 1}


def _private(batch: Fingerprint) -> Fingerprint:
    """Return the batch as it is measured with private columns."""
    columns = {
        name: ColumnStats(
            stats.kind,
            {key: n for key, n in stats.numbers.items() if key not in ("min", "max", "median")},
        )
        for name, stats in batch.columns.items()
    }
    return Fingerprint(batch.rows, columns, batch.nulls)


def test_metrics_that_need_values_are_absent_for_a_private_column() -> None:
    *history, last = map(_private, _batches(21, last=50.0))
    metrics = [catalogue.compute(batch.columns["x"]) for batch in history]
    needing_values = {catalogue.MIN, catalogue.MAX, catalogue.MEDIAN, catalogue.RANGE}
    assert not needing_values & metrics[0].keys()
    limits = learn("x", ColumnHistory("numeric", metrics), Settings(mode="sensitive"))
    assert isinstance(limits, ColumnLimits)
    broken = {
        result.metric
        for result in judge(limits, metrics, catalogue.compute(last.columns["x"]))
        if result.broken
    }
    assert catalogue.MEAN in broken
    assert not needing_values & broken


def test_a_column_that_becomes_private_breaks_no_limit() -> None:
    *history, last = _batches(21)
    metrics = [catalogue.compute(batch.columns["x"]) for batch in history]
    limits = learn("x", ColumnHistory("numeric", metrics), Settings(mode="sensitive"))
    observed = catalogue.compute(_private(last).columns["x"])
    statuses = {result.metric: result.status for result in judge(limits, metrics, observed)}
    assert statuses[catalogue.MAX] == "unknown"
    assert "broken" not in statuses.values()


def test_features_of_a_private_column_have_no_values() -> None:
    *history, last = map(_private, _batches(3))
    seen_values = SeenValues()
    for batch in history:
        seen_values = seen_values.add(batch)
    features = compute_features(last, seen_values)
    assert math.isnan(features[Feature("x", catalogue.MAX)])
    assert math.isfinite(features[Feature("x", catalogue.MEAN)])
    assert sampling_errors(last, history[-1])
