"""Pack all states of a batch into one database value, and all its metrics into another.

Ten thousand batches are then ten thousand rows, instead of one row for each batch and analyzer. A
text column, the layout, names the analyzers. Batches with the same analyzers have the same layout,
so that it is parsed only once.
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

#: in place of the kind of a state: the payload refers to a frequency table
REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class Entry:
    """The analyzer of a state, and the kind and version of the state, or `REFERENCE`."""

    analyzer: str
    head: str


@dataclass(frozen=True, slots=True)
class Packed:
    """The layout of packed states."""

    entries: tuple[Entry, ...]

    @staticmethod
    def of(layout: str) -> Packed:
        """Parse the layout that `pack_states` returned."""
        return Packed(tuple(Entry(*entry) for entry in json.loads(layout)))

    def positions(self, analyzers: Mapping[str, object] | None) -> list[int]:
        """Return the positions of the states of these analyzers, or of all."""
        return [
            i
            for i, entry in enumerate(self.entries)
            if analyzers is None or entry.analyzer in analyzers
        ]

    def payloads(self, data: bytes, positions: Sequence[int]) -> list[bytes]:
        """Return the payloads at these positions."""
        size = len(self.entries) * _BYTES_PER_LENGTH
        lengths = _to_little_endian(array("I", data[:size]))
        starts = list(accumulate(lengths, initial=size))
        return [data[starts[i] : starts[i + 1]] for i in positions]


_BYTES_PER_LENGTH = array("I").itemsize


def pack_states(states: Iterable[tuple[Entry, bytes]]) -> tuple[str, bytes]:
    """Return the layout, and the value: the lengths of the payloads, then the payloads."""
    entries, payloads = [], []
    for entry, payload in states:
        entries.append([entry.analyzer, entry.head])
        payloads.append(payload)
    lengths = _to_little_endian(array("I", map(len, payloads)))
    layout = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
    return layout, lengths.tobytes() + b"".join(payloads)


def _to_little_endian(lengths: array[int]) -> array[int]:
    """Convert between the byte order of the machine and little-endian, which is stored."""
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
    """Return the layout, and the value: for each metric its value, or its problem."""
    values = [
        (metric.value,)
        if metric.problem is None
        else (None, metric.problem.code, metric.problem.reason)
        for metric in metrics.values()
    ]
    return json.dumps(list(metrics), ensure_ascii=False, separators=(",", ":")), encode(values)


def unpack_metrics(analyzers: Mapping[int, Analyzer], data: bytes) -> list[Metric]:
    """Return the metrics at some positions of a value that `pack_metrics` returned."""
    values = decode(data)
    return [_metric(analyzer, *values[position]) for position, analyzer in analyzers.items()]


def _metric(analyzer: Analyzer, value: Any, code: str | None = None, reason: str = "") -> Metric:
    return Metric(analyzer, value, None if code is None else Problem(code, reason))
