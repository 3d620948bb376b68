"""How long demands take to make and to hold a batch against: the last sections of `history`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np
from rich.console import Console
from rich.table import Table

from assay.learn.fingerprint.column_stats import ColumnStats
from assay.learn.fingerprint.from_rows import Column, column_stats, strings
from assay.learn.limits.column_limits import ColumnHistory, Settings, learn
from assay.learn.limits.fault_injection import inject_faults
from assay.learn.limits.judge_limits import judge
from assay.learn.limits.kinds import measured
from benchmarks.support.goals import Goal

__all__ = ["SECTIONS"]

#: seconds at most for a column of 100,000 rows whose facts are known, and for 500 columns
LATENCY, LEARNING = 0.150, 45.0
_COLUMNS, _BATCHES, _SAMPLE = 500, 60, 2000
_STEPS = ("facts", "metrics", "rehearsal", "program", "verdict")

Make = Callable[[np.random.Generator, int], Column]


def latency(out: Console, quick: bool) -> list[Goal]:
    """From the rows of a column to its verdict (Figure 4)."""
    table = Table(title="a column, CPU milliseconds", title_justify="left", title_style="bold")
    table.add_column("values")
    for heading in ("rows", *_STEPS, "all but facts"):
        table.add_column(heading, justify="right")
    goals: list[Goal] = []
    for name, make in MAKES.items():
        _timed(make, 1_000, 0)  # modules are loaded
        for rows in (1_000, 10_000, 100_000):
            spans = np.array([_timed(make, rows, seed) for seed in range(2 if quick else 5)])
            times = np.median(spans, axis=0)
            after = float(times[1:].sum())
            table.add_row(name, f"{rows:,}", *(f"{1000 * each:.1f}" for each in (*times, after)))
            if rows == 100_000:
                goals.append(Goal(f"{name}, 100K rows, to {LATENCY} s", after / LATENCY, 1.0))
    out.print(table)
    out.print("the paper: 1,600 ms for 100,000 rows, facts and all")
    return goals


def _timed(make: Make, rows: int, seed: int) -> list[float]:
    rng = np.random.default_rng(seed)
    known = _metrics([column_stats(make(rng, 200)) for _ in range(30)])
    before, column = column_stats(make(rng, rows)), make(rng, rows)
    clock = [time.process_time()]
    this = column_stats(column)
    clock.append(time.process_time())
    metrics = measured(this, before)
    clock.append(time.process_time())
    rehearsed = inject_faults(column[:_SAMPLE], before, whole=metrics)
    clock.append(time.process_time())
    program = learn("", ColumnHistory(this.kind, known, rehearsed))
    clock.append(time.process_time())
    judge(program, known, metrics)
    clock.append(time.process_time())
    return np.diff(clock).tolist()


def learning(out: Console, quick: bool) -> list[Goal]:
    """Programs of 500 columns of 60 batches whose metrics are known."""
    different = 4 if quick else 20
    spent = np.zeros(2)
    for at in range(different):
        rng = np.random.default_rng(at)
        make = (_amounts, _codes, _measures, _addresses)[at % 4]
        columns = [make(rng, _SAMPLE) for _ in range(_BATCHES)]
        known = [column_stats(each) for each in columns]
        metrics = _metrics(known)
        clock = [time.process_time()]
        rehearsed = inject_faults(columns[-1], known[-2], neighbour=columns[0], seed=at)
        clock.append(time.process_time())
        for settings in (Settings(), Settings(mode="sensitive", delta=0.04)):
            learn("", ColumnHistory(known[-1].kind, metrics, rehearsed), settings)
        clock.append(time.process_time())
        spent += np.diff(clock)
    rehearsing, learned = (spent * _COLUMNS / different).tolist()
    out.print(
        f"{_COLUMNS} columns of {_BATCHES} batches, half of them strings, strict and sensitive:"
        f" {rehearsing + learned:.1f} CPU s ({rehearsing:.1f} to rehearse, {learned:.1f} to learn;"
        f" from {different} columns)"
    )
    whole = (rehearsing + learned) / LEARNING
    return [Goal(f"CPU s of {_COLUMNS} columns, to {LEARNING:g}", whole, 1.0)]


def _metrics(known: list[ColumnStats]) -> list[dict[str, float]]:
    before: list[ColumnStats | None] = [None, *known[:-1]]
    return [measured(*each) for each in zip(known, before, strict=True)]


def _amounts(rng: np.random.Generator, rows: int) -> Column:
    column: Column = np.round(rng.gamma(2.0, 10.0, rows), 2)
    column[rng.random(rows) < 0.1] = np.nan
    return column


def _measures(rng: np.random.Generator, rows: int) -> Column:
    found: Column = rng.normal(50.0, 10.0, rows)
    return found


def _codes(rng: np.random.Generator, rows: int) -> Column:
    return strings(f"C{each}" for each in rng.zipf(1.6, rows) % 200)


def _addresses(rng: np.random.Generator, rows: int) -> Column:
    return strings(f"user{each}@mail.com" for each in rng.integers(0, 100 * rows, rows))


MAKES: Mapping[str, Make] = {
    "numbers": _measures,
    "strings, 200 different": _codes,
    "strings, all different": _addresses,
}
SECTIONS: Mapping[str, Callable[[Console, bool], list[Goal]]] = {
    "latency": latency,
    "learning": learning,
}
