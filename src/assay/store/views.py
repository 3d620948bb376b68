"""Views: metrics over any combination of batches, from what is remembered alone.

Scenario 3 of differential-icde19 (section II): ``m(⊕ s(d_p))`` over the batches p meant. Scan
states merge on the driver without a Spark job; tables of frequencies in one job however many.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.metric import Problem
from assay.analyzers.state import State
from assay.engine.measurement import Measurement, Metric, metric_of
from assay.store.batch import Selection
from assay.store.protocol import Store

__all__ = ["merged", "view"]


def view(store: Store, selection: Selection, analyzers: Iterable[Analyzer]) -> Measurement:
    """The metrics of these batches together.

    An analyzer that one of them has no state of cannot be known of the whole, and says so.
    """
    asked = tuple(dict.fromkeys(analyzers))
    return merged(store.states(selection, asked).values(), asked)


def merged(parts: Iterable[Mapping[Analyzer, State]], analyzers: Iterable[Analyzer]) -> Measurement:
    """Measurements of disjoint data as one, each analyzer's states merged at once."""
    known = list(parts)
    metrics: dict[Analyzer, Metric] = {}
    states: dict[Analyzer, State] = {}
    for analyzer in dict.fromkeys(analyzers):
        found = [each[analyzer] for each in known if analyzer in each]
        missing = len(known) - len(found)
        if not known:
            metrics[analyzer] = Metric(analyzer, problem=Problem("no_batches", "no batch is meant"))
        elif missing:
            reason = f"{missing} of {len(known)} batches have no state of it"
            metrics[analyzer] = Metric(analyzer, problem=Problem("no_state", reason))
        elif len(found) > 1 and not analyzer.incremental:
            reason = "its states do not merge; compute it anew over the whole"
            metrics[analyzer] = Metric(analyzer, problem=Problem("not_incremental", reason))
        else:
            states[analyzer] = type(found[0]).merged(found)
            metrics[analyzer] = metric_of(analyzer, states[analyzer])
    return Measurement(metrics, states)
