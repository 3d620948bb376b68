"""Break relations between columns of recurring data sets, and count what the gate reports.

    python -m benchmarks.relations [--quick] [--check]

Every data set is read batch by batch. The judges of relations, keys, repeated rows and redelivery
judge each batch by the batches before it. All batches are then accepted.

The first table counts alarms of these judges about batches as they are, per 100 batches after the
eighth. Incidents that the README of the set lists do not count. A hold of the judge of relations
needs the agreement of another learner in a gate; here it counts as a hold.

The second table shows the share of injected errors with an alarm that names one of the changed
columns. The errors are injected into every 20th batch after the 20th:

- *swapped*: two columns with similar ranges exchange their values,
- *equality*, *sum*, *dependency*: 5 % of the rows get another value in one column,
- *mixed*: the values of a column that is correlated with another one are shuffled,
- *key 1 %, 5 %, 20 %*: values of a column without repetitions are repeated, at least two,
- *pair 5 %*: the same for pairs of columns,
- *old batch at 8* and *at 20*: a batch of the seven before it comes again, as the eighth or the
  twentieth batch.

The relations are those that the documentation of a set implies (`_RELATIONS`), whether the gate
measures them or not.

Statistics come from all rows, not from sketches (`benchmarks.support.batches_of_rows`).

Data: the recurring sets. **All were used in development**. They decided how often a relation
breaks in good batches, the smallest changes and the rate of repeated batches.
Time on 2 cores: about five minutes; half a minute with ``--quick``.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from assay.gate.budget import Budget
from assay.gate.finding import Finding
from assay.gate.history import WINDOW, GateHistory
from assay.gate.judges.keys import judge_keys, judge_pairs
from assay.gate.judges.redelivery import judge_earlier_batches
from assay.gate.judges.relations import judge_relations
from assay.gate.judges.repeated_rows import judge_repeated_rows
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.fingerprint.from_rows import fingerprint, is_null
from assay.learn.limits.metric_history import MetricHistory
from assay.learn.novelty.contents import BatchContents
from assay.learn.relations.choose_relations import choose_relations
from assay.learn.relations.history import BatchRelations
from assay.learn.relations.of_rows import RelationsOfRows
from assay.learn.relations.relation import Relation, RelationKind
from assay.store.batch import Batch
from assay.store.verdict import Decision
from assay.suite.settings import GateSettings
from benchmarks.support.batches_of_rows import KeyedRows, read_rows
from benchmarks.support.command import add_real_data_option, benchmark_parser, run_benchmark
from benchmarks.support.corruption import Columns
from benchmarks.support.goals import Goal
from benchmarks.support.output import create_table, percent
from benchmarks.support.recurring import CASES, Case

#: batches before the first one that is judged, and before the first error
_FIRST, _FIRST_ERROR, _STEP = 8, 20, 20
_SHARE = 0.05
#: in earlier batches, at most this share of the rows broke a relation
_MAX_BROKEN = 0.02
_QUICK = ("nycflights13_daily", "covid_tracking_states")
_QUICK_BATCHES = 121
_MAX_HOLDS, _MAX_WARNINGS = 0.1, 0.3
_JUDGES = ("relations", "keys", "repeated rows", "redelivery")
#: the place of the batch that comes again, by the name of the error
_OLD = {"old batch at 8": 7, "old batch at 20": 19}


class _KnownRelations(NamedTuple):
    """The relations of a data set: pairs of similar columns, and columns that belong together."""

    swapped: Sequence[tuple[str, str]] = ()
    equality: Sequence[tuple[str, ...]] = ()
    sum: Sequence[tuple[str, ...]] = ()
    dependency: Sequence[tuple[str, ...]] = ()
    mixed: Sequence[tuple[str, ...]] = ()
    key: Sequence[tuple[str, ...]] = ()
    pair: Sequence[tuple[str, ...]] = ()


_RELATIONS: Mapping[str, _KnownRelations] = {
    "nycflights13_daily": _KnownRelations(
        swapped=(
            ("dep_delay", "arr_delay"),
            ("sched_dep_time", "sched_arr_time"),
            ("dep_time", "arr_time"),
            ("dep_time", "sched_arr_time"),
        ),
        dependency=(("hour", "time_hour"), ("distance", "dest")),
        mixed=(("dep_time", "sched_dep_time"), ("arr_delay", "dep_delay")),
    ),
    "online_retail_by_day": _KnownRelations(
        dependency=(("InvoiceNo", "CustomerID"), ("StockCode", "Description")),
    ),
    "ourairports_regions": _KnownRelations(
        dependency=(("iso_country", "continent"),),
        key=(("id",), ("code",)),
        pair=(("iso_country", "local_code"),),
    ),
    "jhu_us_daily": _KnownRelations(
        swapped=(("Confirmed", "Recovered"), ("Confirmed", "Deaths"), ("Active", "Confirmed")),
        key=(("UID",), ("Province_State",)),
        mixed=(("Active", "Confirmed"),),
    ),
    "jhu_global_daily": _KnownRelations(
        swapped=(("Confirmed", "Deaths"), ("Confirmed", "Recovered")),
        dependency=(("Province_State", "Country_Region"),),
    ),
    "covid_tracking_states": _KnownRelations(
        swapped=(("positive", "negative"), ("positive", "total"), ("posNeg", "total")),
        equality=(("hospitalizedCumulative", "hospitalized"), ("dateModified", "dateChecked")),
        sum=(("posNeg", "positive", "negative"), ("total", "posNeg", "pending")),
        key=(("state",), ("hash",)),
        mixed=(("positive", "total"),),
    ),
    "hhs_hospital_utilization": _KnownRelations(
        sum=(
            (
                "inpatient_beds_used_covid",
                "total_adult_patients_hospitalized_confirmed_and_suspected_covid",
                "total_pediatric_patients_hospitalized_confirmed_and_suspected_covid",
            ),
        ),
        key=(("state",),),
    ),
}


@dataclass(frozen=True)
class _History:
    """The history that the judges get with a batch."""

    metrics: MetricHistory
    last: Fingerprint | None = None
    contents: tuple[BatchContents, ...] = ()
    relations: tuple[BatchRelations, ...] = ()

    def plus(self, key: str, batch: Fingerprint) -> _History:
        chosen = choose_relations(self.last, self.relations)
        relations = BatchRelations.of(batch, chosen=chosen)
        return _History(
            self.metrics.plus(Batch(self.metrics.dataset, key), batch).latest(WINDOW),
            batch,
            (*self.contents, BatchContents.of(batch))[-WINDOW:],
            (*self.relations, relations)[-WINDOW:],
        )

    def judge(self, batch: Fingerprint) -> list[Finding]:
        budget = Budget.from_settings(GateSettings())
        relations, keys, rows, redelivery = map(budget.of_judge, _JUDGES)
        history = GateHistory(self.metrics, contents=self.contents)
        return [
            *judge_relations(batch, self.relations, relations),
            *judge_keys(self.metrics, batch, keys),
            *judge_pairs(self.relations, batch, keys),
            *judge_repeated_rows(self.contents, batch, rows),
            *judge_earlier_batches(history, batch, redelivery),
        ]


@dataclass
class _Results:
    """Counts of batches and of errors."""

    n_good: int = 0
    #: by judge and decision, the good batches with such an alarm
    alarms: Counter[tuple[str, Decision]] = None  # type: ignore[assignment]
    #: by kind of error: whether each one was named
    named: dict[str, list[bool]] = None  # type: ignore[assignment]

    def __post_init__(self) -> None:
        self.alarms, self.named = Counter(), defaultdict(list)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = benchmark_parser("relations", __doc__, quick="two data sets")
    add_real_data_option(parser, "recurring")
    return run_benchmark(parser, arguments, measure)


def measure(options: argparse.Namespace, out: Console) -> list[Goal]:
    """Judge batches as they are, and with errors."""
    cases = [case for case in CASES if not options.quick or case.name in _QUICK]
    n_batches = _QUICK_BATCHES if options.quick else None
    results = {
        case.name: _judge_case(case, read_rows(options.data, case, first=n_batches))
        for case in cases
    }
    out.print(_table_of_good_batches(results))
    named: dict[str, list[bool]] = defaultdict(list)
    for result in results.values():
        for kind, of_kind in result.named.items():
            named[kind] += of_kind
    out.print(_table_of_errors(named))
    n_good = sum(result.n_good for result in results.values())
    alarms = sum((result.alarms for result in results.values()), Counter[tuple[str, Decision]]())
    shares = {kind: sum(of_kind) / len(of_kind) for kind, of_kind in named.items()}
    return [
        Goal(
            name="holds by relations per 100 good batches",
            actual=100 * alarms["relations", Decision.HOLD] / n_good,
            at_most=_MAX_HOLDS,
        ),
        Goal(
            name="warnings by relations per 100 good batches",
            actual=100 * alarms["relations", Decision.WARN] / n_good,
            at_most=_MAX_WARNINGS,
        ),
        *(
            Goal(
                name=f"found: {kind}",
                actual=100 * shares[kind],
                at_least=_MIN_FOUND.get(kind, 0),
                decimals=1,
                unit=" %",
            )
            for kind in shares
        ),
    ]


#: the share of errors of each kind that must be found
_MIN_FOUND = {"key 1 %": 95, "key 5 %": 95, "key 20 %": 95, "sum": 90, "equality": 90,
              "old batch at 8": 90, "old batch at 20": 90}  # fmt: skip


def _judge_case(case: Case, batches: Sequence[KeyedRows]) -> _Results:
    results = _Results()
    history = _History(MetricHistory(case.name))
    rng = np.random.default_rng(5)
    earlier: list[Columns] = []
    for place, rows in enumerate(batches):
        batch = fingerprint(rows.columns)
        if place >= _FIRST and not rows.key.startswith(case.incidents or ("-",)):
            results.n_good += 1
            alarms = {(f.judge, f.level) for f in history.judge(batch) if f.alarm}
            for judge, level in alarms:
                if level is Decision.HOLD or (judge, Decision.HOLD) not in alarms:
                    results.alarms[judge, level] += 1
        if place >= _FIRST_ERROR and place % _STEP == 0:
            relations = _RELATIONS.get(case.name, _KnownRelations())
            for kind, changed, targets in _errors(rows.columns, relations, earlier, rng):
                findings = history.judge(fingerprint({**rows.columns, **changed}))
                named = any(_names(finding, targets) for finding in findings)
                results.named[kind].append(named)
        for kind, at in _OLD.items():
            if place == at and len(next(iter(rows.columns.values()))) >= _FIRST_ERROR:
                again = history.judge(fingerprint(batches[place - 3].columns))
                results.named[kind].append(any(f.judge == "redelivery" for f in again))
        history = history.plus(rows.key, batch)
        earlier = [*earlier, rows.columns][-_FIRST:]
    return results


def _names(finding: Finding, targets: set[str]) -> bool:
    """Return whether the finding is about one of the columns; its sentence names the others."""
    names = {finding.column, *(name for name in targets if name in (finding.cause or ""))}
    return finding.alarm and bool(names & targets)


def _errors(
    columns: Columns,
    relations: _KnownRelations,
    earlier: Sequence[Columns],
    rng: np.random.Generator,
) -> Iterator[tuple[str, Columns, set[str]]]:
    """Return the changed columns of each error that the batch can have."""

    def present(names: Sequence[str]) -> bool:
        return all(
            name in columns and (~is_null(columns[name])).sum() >= _FIRST_ERROR for name in names
        )

    for one, other in filter(present, relations.swapped):
        yield "swapped", {one: columns[other], other: columns[one]}, {one, other}
    for kind in ("equality", "sum", "dependency"):
        for names in filter(present, getattr(relations, kind)):
            if not _held(Relation(RelationKind(kind), names), earlier):
                continue
            name = names[0] if kind == "sum" else names[1]
            yield kind, {name: _others(columns[name], _SHARE, rng)}, set(names)
    for one, other in filter(present, relations.mixed):
        column = columns[one].copy()
        rows = np.flatnonzero(~is_null(column))
        column[rows] = column[rng.permutation(rows)]
        yield "mixed", {one: column}, {one, other}
    for names in filter(present, (*relations.key, *relations.pair)):
        if not _are_keys(names, earlier):
            continue
        for share in (0.01, 0.05, 0.2) if len(names) == 1 else (0.05,):
            n_rows = len(columns[names[0]])
            n_repeated = max(2, round(share * n_rows))
            rows = rng.permutation(n_rows)
            changed = {name: columns[name].copy() for name in names}
            for name in names:
                changed[name][rows[:n_repeated]] = changed[name][rows[-n_repeated:]]
            noun = "key" if len(names) == 1 else "pair"
            yield f"{noun} {share:.0%}".replace("%", " %"), changed, set(names)


def _held(relation: Relation, earlier: Sequence[Columns]) -> bool:
    """Return whether a relation held in nearly all rows of each of the last batches."""
    counts = [RelationsOfRows(columns).get(relation) for columns in earlier]
    return all(of_batch is not None and of_batch.share <= _MAX_BROKEN for of_batch in counts)


def _are_keys(names: Sequence[str], earlier: Sequence[Columns]) -> bool:
    """Return whether no combination of values was repeated in the last batches."""
    return all(
        set(names) <= columns.keys()
        and len(set(zip(*(columns[n].tolist() for n in names), strict=True)))
        == len(columns[names[0]])
        for columns in earlier
    )


def _others(column: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Return a column in which some values are replaced by values of other rows."""
    changed = column.copy()
    present = np.flatnonzero(~is_null(column))
    for row in rng.choice(present, max(2, round(share * len(present))), replace=False):
        others = [value for value in column[present].tolist() if value != column[row]]
        changed[row] = others[int(rng.integers(len(others)))]
    return changed


def _table_of_good_batches(results: Mapping[str, _Results]) -> Table:
    heads = [f"{judge}: {word}" for judge in _JUDGES for word in ("hold", "warn")]
    table = create_table(
        "Alarms about batches as they are, per 100", "data set", ("batches", *heads)
    )
    for name, result in results.items():
        table.add_row(name, f"{result.n_good:,}", *_rates(result.alarms, result.n_good))
    total = sum((result.alarms for result in results.values()), Counter[tuple[str, Decision]]())
    n_good = sum(result.n_good for result in results.values())
    table.add_row("all", f"{n_good:,}", *_rates(total, n_good))
    return table


def _rates(alarms: Mapping[tuple[str, Decision], int], n_good: int) -> Iterator[str]:
    for judge in _JUDGES:
        for level in (Decision.HOLD, Decision.WARN):
            yield f"{100 * alarms.get((judge, level), 0) / max(1, n_good):.2f}"


def _table_of_errors(named: Mapping[str, Sequence[bool]]) -> Table:
    table = create_table("Errors in relations", "error", ("errors", "named"))
    for kind, of_kind in named.items():
        table.add_row(kind, f"{len(of_kind):,}", percent(sum(of_kind) / len(of_kind)))
    return table


if __name__ == "__main__":
    sys.exit(main())
