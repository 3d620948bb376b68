"""Find columns of past batches that are unlike those of all other batches.

One partial batch, or one bad batch that was accepted by mistake, would widen limits for months. A
column of a past batch is isolated if a feature of it is

- more than 2.5 times as far from the mean of the other batches as any of them,
- more than 8 standard deviations of the others from that mean,
- and at least 0.05 from it, which is about 5 % of a value and 5 percentage points of a share. In a
  batch with fewer than 60 rows, it is the share of 3 rows.

Features that one row can change are not used, such as the maximum. A value that occurs twice is not
isolated: the second one is as far away as the first. The latest batch is never isolated, because a
lasting change may begin with it.

>>> price = Feature("price", catalogue.MEAN)
>>> days = [{price: 5.0 + day % 3 / 10} for day in range(12)]
>>> isolated_columns([{price: 9.0}, *days]), isolated_columns([{price: 9.0}, *days, {price: 9.0}])
({0: frozenset({'price'})}, {})
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.learn.fingerprint import metrics as catalogue
from assay.learn.novelty.feature_matrix import matrix
from assay.learn.novelty.features import ROW_COUNT, Feature, Features

__all__ = ["isolated_columns"]

#: The smallest number of other batches to compare with.
_MIN_OTHERS = 8
#: An isolated value is this many times farther away than any other one. With 1.25 times, 3 of 800
#: good batches of five recurring data sets were novel that would not have been otherwise.
_MIN_DISTANCE_RATIO = 2.5
_MIN_DEVIATIONS = 8.0
#: Smaller distances do not matter, on the scale on which features are compared.
_MIN_DISTANCE = 0.05
_MIN_ROWS = 3


def isolated_columns(history: Sequence[Features]) -> dict[int, frozenset[str | None]]:
    """Return, by the place of a batch, its isolated columns; None stands for the table.

    Parameters
    ----------
    history
        The features of accepted batches, oldest first.
    """
    if len(history) <= _MIN_OTHERS + 1:
        return {}
    past = matrix(history)
    defined = np.isfinite(past.values)
    chosen = [
        column
        for column, n_defined in enumerate(defined.sum(axis=0).tolist())
        if n_defined > _MIN_OTHERS and not _is_of_one_row(past.features[column])
    ]
    if not chosen:
        return {}
    values, defined = past.values[:, chosen], defined[:, chosen]
    medians = np.nanmedian(values, axis=0)
    places = np.where(defined, np.abs(values - medians), -1.0).argmax(axis=0)
    columns = np.arange(len(chosen))
    farthest = values[places, columns]
    defined[places, columns] = False
    n_others = defined.sum(axis=0)
    means = np.where(defined, values, 0.0).sum(axis=0) / n_others
    others = np.where(defined, np.abs(values - means), 0.0)
    deviations = np.sqrt((others**2).sum(axis=0) / (n_others - 1))
    limits = np.maximum(_MIN_DISTANCE_RATIO * others.max(axis=0), _MIN_DEVIATIONS * deviations)
    rows = np.maximum(np.expm1(np.nan_to_num(past.of(ROW_COUNT), nan=np.inf)), 1.0)[places]
    limits = np.maximum(limits, np.maximum(_MIN_DISTANCE, _MIN_ROWS / rows))
    is_isolated = (np.abs(farthest - means) > limits) & (places < len(history) - 1)
    isolated: dict[int, set[str | None]] = {}
    for at in np.flatnonzero(is_isolated).tolist():
        isolated.setdefault(int(places[at]), set()).add(past.features[chosen[at]].column)
    return {place: frozenset(of_batch) for place, of_batch in isolated.items()}


def _is_of_one_row(feature: Feature) -> bool:
    metric = catalogue.find(feature.metric)
    return metric is not None and metric.is_value
