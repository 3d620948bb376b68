"""How a batch's states and metrics lie in a database: all states in one value, all metrics in one.

Ten thousand batches are read as ten thousand rows, not as one for each batch and analyzer. What the
states are of is told beside them in a text, which batches of the same analyzers have in common.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.codec import decode, encode
from assay.analyzers.metric import Problem
from assay.analyzers.state import State
from assay.engine.measurement import Metric
from assay.errors import StateError
from assay.store.protocol import MergedStates

__all__ = [
    "REFERENCE",
    "Entry",
    "Packed",
    "Reader",
    "merge_packed",
    "pack_metrics",
    "pack_states",
    "unpack_metrics",
]

#: reads a state from its head and payload
Reader = Callable[[str, bytes], State]

#: stands where a state's kind does: the payload refers to a table of frequencies
REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class Entry:
    """Whose state it is, and what it is: the kind and version of a state, or `REFERENCE`."""

    analyzer: str
    head: str


@dataclass(frozen=True, slots=True)
class Packed:
    """The layout of packed states."""

    entries: tuple[Entry, ...]

    @staticmethod
    def of(layout: str) -> Packed:
        """The inverse of what `pack_states` says of its value."""
        return Packed(tuple(Entry(*each) for each in json.loads(layout)))

    def positions(self, analyzers: Mapping[str, object] | None) -> list[int]:
        """Where the states of these analyzers are, or of all."""
        return [
            i
            for i, each in enumerate(self.entries)
            if analyzers is None or each.analyzer in analyzers
        ]

    def payloads(self, data: bytes, positions: Sequence[int]) -> list[bytes]:
        """The payloads at these positions."""
        size = len(self.entries) * _LENGTH
        lengths = _native(array("I", data[:size]))
        starts = list(accumulate(lengths, initial=size))
        return [data[starts[i] : starts[i + 1]] for i in positions]


_LENGTH = array("I").itemsize


def pack_states(states: Iterable[tuple[Entry, bytes]]) -> tuple[str, bytes]:
    """The layout, and the value: the lengths of the payloads, then the payloads."""
    entries, payloads = [], []
    for entry, payload in states:
        entries.append([entry.analyzer, entry.head])
        payloads.append(payload)
    lengths = _native(array("I", map(len, payloads)))
    layout = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
    return layout, lengths.tobytes() + b"".join(payloads)


def _native(lengths: array[int]) -> array[int]:
    """Between the machine's order of bytes and the little end first, which is stored."""
    if sys.byteorder == "big":
        lengths.byteswap()
    return lengths


def merge_packed(payloads_by_head: Mapping[str, Sequence[bytes]], read: Reader) -> MergedStates:
    """Merge the states of one analyzer, head by head; keep those that do not merge as they are."""
    states: list[State] = []
    for head, payloads in payloads_by_head.items():
        if head == REFERENCE:
            states += [read(head, payload) for payload in payloads]
            continue
        try:
            states.append(State.kind_of(head).merged_payloads(payloads))
        except StateError:
            states += [read(head, payload) for payload in payloads]
    return MergedStates(sum(map(len, payloads_by_head.values())), states)


def pack_metrics(metrics: Mapping[str, Metric]) -> tuple[str, bytes]:
    """Whose metrics, and the metrics: a value each, or the problem that left none."""
    found = [
        (metric.value,) if metric.problem is None else (None, *_told(metric.problem))
        for metric in metrics.values()
    ]
    return json.dumps(list(metrics), ensure_ascii=False, separators=(",", ":")), encode(found)


def unpack_metrics(analyzers: Mapping[int, Analyzer], data: bytes) -> list[Metric]:
    """Of what `pack_metrics` packed, the metrics at some positions."""
    found = decode(data)
    return [_metric(analyzer, *found[at]) for at, analyzer in analyzers.items()]


def _metric(analyzer: Analyzer, value: Any, *problem: str) -> Metric:
    return Metric(analyzer, value, Problem(*problem) if problem else None)


def _told(problem: Problem) -> tuple[str, str]:
    return problem.code, problem.reason
