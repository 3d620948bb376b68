"""Measure how long it takes to learn column limits and to judge a batch by them.

`benchmarks.history` runs these as its last two sections. The columns are generated.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np
from rich.console import Console

from assay.learn.fingerprint import metrics as catalogue
from assay.learn.fingerprint.column_stats import ColumnStats
from assay.learn.fingerprint.from_rows import Column, column_stats, strings
from assay.learn.limits.column_limits import ColumnHistory, Settings, learn
from assay.learn.limits.fault_injection import inject_faults
from assay.learn.limits.judge_limits import judge
from benchmarks.support.goals import Goal
from benchmarks.support.output import count, create_table

__all__ = ["SECTIONS"]

#: CPU milliseconds for a column of 100,000 rows whose statistics are known
_MAX_LATENCY_MS = 150.0
#: CPU seconds to learn the limits of all columns
_MAX_LEARNING_SECONDS = 45.0
_COLUMNS, _BATCHES, _SAMPLE_ROWS = 500, 60, 2000
_STEPS = ("statistics", "metrics", "faults", "limits", "judging")

Generator = Callable[[np.random.Generator, int], Column]


def measure_latency(out: Console, quick: bool) -> list[Goal]:
    """Measure the steps from the rows of a column to its verdict (Figure 4)."""
    table = create_table(
        "one column, CPU milliseconds per step",
        "values",
        ("rows", *_STEPS, "all but statistics"),
    )
    goals: list[Goal] = []
    for name, generate in GENERATORS.items():
        _time_steps(generate, 1_000, 0)  # the first run loads modules
        for rows in (1_000, 10_000, 100_000):
            seconds = [_time_steps(generate, rows, seed) for seed in range(2 if quick else 5)]
            milliseconds = 1000 * np.median(np.array(seconds), axis=0)
            latency = float(milliseconds[1:].sum())
            table.add_row(name, f"{rows:,}", *(f"{ms:.1f}" for ms in (*milliseconds, latency)))
            if rows == 100_000:
                goals.append(
                    Goal(
                        name=f"latency of a column of 100,000 {name}",
                        actual=latency,
                        at_most=_MAX_LATENCY_MS,
                        decimals=1,
                        unit=" ms CPU",
                    )
                )
    out.print(table)
    out.print("The paper: 1,600 ms for 100,000 rows, statistics included.", highlight=False)
    return goals


def _time_steps(generate: Generator, rows: int, seed: int) -> list[float]:
    """Return the CPU seconds of each step."""
    rng = np.random.default_rng(seed)
    history = _metrics([column_stats(generate(rng, 200)) for _ in range(30)])
    previous, column = column_stats(generate(rng, rows)), generate(rng, rows)
    clock = [time.process_time()]
    statistics = column_stats(column)
    clock.append(time.process_time())
    metrics = catalogue.compute(statistics, previous)
    clock.append(time.process_time())
    faults = inject_faults(column[:_SAMPLE_ROWS], previous, whole=metrics)
    clock.append(time.process_time())
    limits = learn("", ColumnHistory(statistics.kind, history, faults))
    clock.append(time.process_time())
    judge(limits, history, metrics)
    clock.append(time.process_time())
    return np.diff(clock).tolist()


def measure_learning(out: Console, quick: bool) -> list[Goal]:
    """Measure learning the limits of 500 columns with 60 batches, whose metrics are known."""
    measured_columns = 4 if quick else 20
    seconds = np.zeros(2)
    for seed in range(measured_columns):
        rng = np.random.default_rng(seed)
        generate = (_amounts, _codes, _readings, _addresses)[seed % 4]
        columns = [generate(rng, _SAMPLE_ROWS) for _ in range(_BATCHES)]
        statistics = [column_stats(column) for column in columns]
        metrics = _metrics(statistics)
        clock = [time.process_time()]
        faults = inject_faults(
            columns[-1], statistics[-2], sources={"schema": columns[0]}, seed=seed
        )
        clock.append(time.process_time())
        for settings in (Settings(), Settings(mode="sensitive", delta=0.04)):
            learn("", ColumnHistory(statistics[-1].kind, metrics, faults), settings)
        clock.append(time.process_time())
        seconds += np.diff(clock)
    injecting, learning = (seconds * _COLUMNS / measured_columns).tolist()
    out.print(
        f"Limits of {_COLUMNS} columns with {_BATCHES} batches, strict and sensitive:"
        f" {injecting + learning:.1f} CPU s ({injecting:.1f} to inject faults, {learning:.1f} to"
        f" learn). Projected from {count(measured_columns, 'column')}, half of them strings.",
        highlight=False,
    )
    return [
        Goal(
            name=f"learning the limits of {_COLUMNS} columns",
            actual=injecting + learning,
            at_most=_MAX_LEARNING_SECONDS,
            decimals=1,
            unit=" CPU s",
        )
    ]


def _metrics(statistics: list[ColumnStats]) -> list[dict[str, float]]:
    previous: list[ColumnStats | None] = [None, *statistics[:-1]]
    return [catalogue.compute(*pair) for pair in zip(statistics, previous, strict=True)]


def _amounts(rng: np.random.Generator, rows: int) -> Column:
    amounts: Column = np.round(rng.gamma(2.0, 10.0, rows), 2)
    amounts[rng.random(rows) < 0.1] = np.nan
    return amounts


def _readings(rng: np.random.Generator, rows: int) -> Column:
    readings: Column = rng.normal(50.0, 10.0, rows)
    return readings


def _codes(rng: np.random.Generator, rows: int) -> Column:
    return strings(f"C{number}" for number in rng.zipf(1.6, rows) % 200)


def _addresses(rng: np.random.Generator, rows: int) -> Column:
    return strings(f"user{number}@mail.com" for number in rng.integers(0, 100 * rows, rows))


GENERATORS: Mapping[str, Generator] = {
    "numbers": _readings,
    "strings, 200 distinct": _codes,
    "strings, all distinct": _addresses,
}
SECTIONS: Mapping[str, Callable[[Console, bool], list[Goal]]] = {
    "latency": measure_latency,
    "learning": measure_learning,
}
