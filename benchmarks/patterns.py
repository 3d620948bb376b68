"""Patterns from a lake: ``python -m benchmarks.patterns [--quick] [--check]``.

Builds the index of a corpus of string columns by Spark, then follows the paper's protocol
(auto-validate, section 5.1): rules are learned from the first tenth of a column and tried on the
rest of it (an alarm is a false one) and on other columns (no alarm is a miss; recall is 0 where
there is a false alarm). The columns of the tested column's own source are left out of the index.
"""

from __future__ import annotations

import argparse
import random
import re
import string
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

from rich.console import Console
from rich.table import Table

from assay.checks.homogeneity import Test
from assay.engine.session import local_session
from assay.learn.patterns.build import index_of
from assay.learn.patterns.evidence import Enumeration, Evidence, evidence
from assay.learn.patterns.index import PatternIndex
from assay.learn.patterns.infer import Search
from benchmarks.names import DATA
from benchmarks.table import Goal, conclude, console
from benchmarks.validators import (
    Rule,
    Values,
    by_pattern,
    categories,
    dictionary,
    grok,
    potters_wheel,
)

#: what the paper's best variant reaches on its own lake (Table 2)
PAPER = {"fmdv-vh, whole": (0.96, 0.88)}
_OTHERS = 150


@dataclass(frozen=True)
class Case:
    """A column of the corpus, in the order of its rows."""

    source: str
    values: tuple[str, ...]

    @property
    def first(self) -> Values:
        """What the rule is learned from."""
        return Counter(filter(None, self.values[: max(len(self.values) // 10, 1)]))

    @property
    def rest(self) -> tuple[str, ...]:
        """What comes later."""
        return self.values[max(len(self.values) // 10, 1) :]

    @property
    def made_by_machines(self) -> bool:
        """Whether it is of ids, codes, dates and the like: digits, few words, many values."""
        values = [value for value in self.values if value.strip()] or ["-"]
        digits = mean(any(map(str.isdigit, value)) for value in values)
        spaces = mean(value.count(" ") for value in values)
        return digits >= 0.5 and spaces <= 3 and len(set(values)) >= 0.2 * len(values)


@dataclass(frozen=True)
class Corpus:
    """The index of all sources, and of each alone."""

    whole: PatternIndex
    parts: dict[str, PatternIndex]
    _without: dict[str, PatternIndex] = field(default_factory=dict)

    def without(self, source: str) -> PatternIndex:
        """The index of the other sources."""
        if source not in self._without:
            own = self.parts.get(source)
            self._without[source] = self.whole if own is None else self.whole - own
        return self._without[source]


Method = Callable[[Case], Rule]


@dataclass(frozen=True)
class Score:
    """How a method did on all cases."""

    precision: float
    recall: float
    milliseconds: float
    learned: int

    @property
    def f1(self) -> float:
        """The harmonic mean."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.patterns")
    add = parser.add_argument
    add("--data", type=Path, default=DATA, help="the folder that has columns/")
    add("--cases", type=int, default=300, help="tested columns (300)")
    add("--seed", type=int, default=7)
    add("--quick", action="store_true", help="a sample: under a minute")
    add("--check", action="store_true", help="exit 1 where a goal is missed")
    given = parser.parse_args(arguments)
    out = console()
    spark = local_session("assay-benchmark")
    columns = spark.read.parquet(str(given.data / "columns" / "columns.parquet"))
    if given.quick:
        columns = columns.where("abs(xxhash64(source, table, column)) % 8 = 0").coalesce(4)
    corpus, rate = built(columns, Enumeration(), out)
    every = list(cases(columns, given.seed))
    machines = [case for case in every if case.made_by_machines]
    number = 60 if given.quick else given.cases
    goals = compare(
        "columns that machines make", machines[:number], corpus, out, every=not given.quick
    )
    if not given.quick:
        compare("columns of all kinds", every[:number], corpus, out, every=False)
    goals += drift(machines[:number], corpus, out)
    if not given.quick:
        sensitivity(columns, machines[:number], corpus, out)
    goals.append(Goal("200 columns indexed a second and core, to ours", 200 / rate, 1.0))
    return conclude(out, goals, check=given.check)


def built(columns: Any, enumeration: Enumeration, out: Console) -> tuple[Corpus, float]:
    """The index of all sources by Spark, of each alone, and columns indexed a second and core."""
    whole = index_of(columns.limit(200), enumeration)  # the workers start
    started = time.perf_counter()
    whole = index_of(columns, enumeration)
    seconds = time.perf_counter() - started
    rate = whole.columns / seconds / 2
    out.print(
        f"index by Spark on 2 cores: {seconds:.0f} s, {rate:.0f} columns a second and core;"
        f" {whole.statistics}",
        highlight=False,
    )
    lengths = ", ".join(f"{n:,} of {size}" for size, n in whole.statistics.by_tokens.items())
    out.print(f"Figure 13, patterns by tokens: {lengths}", highlight=False)
    found: dict[str, list[Evidence]] = {}
    for row in columns.select("source", "values").toLocalIterator():
        values = (value for value in row["values"] if value is not None)
        said = evidence(values, enumeration, whole.hierarchy)
        found.setdefault(row["source"], []).append(said)
    parts = {source: PatternIndex.of(each, enumeration) for source, each in found.items()}
    return Corpus(whole, parts), rate


def cases(columns: Any, seed: int) -> Iterator[Case]:
    """Columns of at least 100 rows, in an order that the seed tells."""
    rows = columns.where("size(values) >= 100").orderBy("source", "table", "column").collect()
    random.Random(seed).shuffle(rows)
    for row in rows:
        yield Case(row["source"], tuple(value or "" for value in row["values"]))


def methods(corpus: Corpus, *, every: bool) -> dict[str, Method]:
    """What is compared: ours, the paper's variants with either impurity, and others."""
    found: dict[str, Method] = {
        "dictionary (TFDV)": lambda case: dictionary(case.first),
        "categories (Deequ)": lambda case: categories(case.first),
        "Grok": lambda case: grok(case.first),
        "Potter's Wheel": lambda case: potters_wheel(case.first),
    }

    def ours(search: Search, test: Test = "beta-binomial") -> Method:
        return lambda case: by_pattern(case.first, corpus.without(case.source), search, test=test)

    for variant in ("fmdv", "fmdv-v", "fmdv-h", "fmdv-vh", "cmdv") if every else ("fmdv-vh",):
        search = Search(variant)
        found[f"{variant}, whole"] = ours(replace(search, whole=True), "fisher")
        found[variant] = ours(search)
    found["generic, no lake"] = lambda case: by_pattern(case.first, None, Search(alternatives=1))
    found["unified, one shape"] = ours(Search(alternatives=1))
    found["unified, Fisher"] = ours(Search(), "fisher")
    found["unified, χ²"] = ours(Search(), "chi-squared")
    found["unified"] = ours(Search())
    return found


def compare(
    title: str, tested: Sequence[Case], corpus: Corpus, out: Console, *, every: bool
) -> list[Goal]:
    """Figure 10 as a table; the goals of our default."""
    table = Table(title=f"Figure 10, {len(tested)} {title}", title_justify="left")
    table.add_column("")
    for heading in ("precision", "recall", "F1", "learned", "ms", "paper's P / R"):
        table.add_column(heading, justify="right")
    scores = {}
    for name, method in methods(corpus, every=every).items():
        scores[name] = score = scored(method, tested)
        paper = PAPER.get(name)
        table.add_row(
            name,
            f"{score.precision:.3f}",
            f"{score.recall:.3f}",
            f"{score.f1:.3f}",
            f"{score.learned}",
            f"{score.milliseconds:.1f}",
            f"{paper[0]:.2f} / {paper[1]:.2f}" if paper else "",
        )
    out.print(table)
    ours = scores["unified"]
    return [
        Goal(f"false alarms of unified, {title}", 1 - ours.precision, 0.02),
        Goal(f"recall .74 to unified's, {title}", 0.74 / ours.recall, 1.0),
        Goal(f"F1 .85 to unified's, {title}", 0.85 / ours.f1, 1.0),
        Goal("milliseconds a column to 20", ours.milliseconds / 20, 1.0),
    ]


def scored(method: Method, tested: Sequence[Case]) -> Score:
    """Precision and recall over all cases; a method that learns nothing never alarms."""
    whole = [Counter(case.values) for case in tested]
    chance = random.Random(3)
    precision, recall, spent, learned = [], [], [], 0
    for at, case in enumerate(tested):
        first = case.first
        started = time.perf_counter()
        rule = method(case) if first else None
        spent.append(time.perf_counter() - started)
        learned += rule is not None
        false_alarm = rule is not None and rule(Counter(case.rest))
        precision.append(not false_alarm)
        if rule is None or false_alarm:
            recall.append(0.0)
            continue
        others = [other for other in range(len(tested)) if other != at]
        others = chance.sample(others, min(_OTHERS, len(others)))
        recall.append(mean(rule(whole[other]) for other in others))
    return Score(mean(precision), mean(recall), 1000 * mean(spent), learned)


#: what goes wrong upstream, value by value
_MUTATIONS: dict[str, Callable[[str], str]] = {
    "upper case": str.upper,
    "lower case": str.lower,
    "a space before": lambda value: f" {value}",
    "in quotes": lambda value: f'"{value}"',
    "last sign lost": lambda value: value[:-1],
    "signs for others": lambda value: value.translate(str.maketrans("-/:._,", "/-.:- ")),
    "a digit more": lambda value: re.sub(r"([0-9]+)", r"0\1", value, count=1),
    "half of it": lambda value: value[: len(value) // 2],
}


def drift(tested: Sequence[Case], corpus: Corpus, out: Console) -> list[Goal]:
    """What is caught of later rows in which a twentieth is garbage, or all are changed a little."""
    chance = random.Random(11)
    wanted = ("generic, no lake", "fmdv-vh", "Potter's Wheel", "unified")
    chosen = {name: each for name, each in methods(corpus, every=False).items() if name in wanted}
    table = Table(
        title="Caught of what drifts, where there is no false alarm", title_justify="left"
    )
    table.add_column("")
    for name in chosen:
        table.add_column(name, justify="right")
    caught: dict[tuple[str, str], list[bool]] = {}
    for name, method in chosen.items():
        for case in tested:
            rule = method(case) if case.first else None
            if rule is None or rule(Counter(case.rest)):
                continue
            before = [value for value in case.rest if value]
            for kind, change in _MUTATIONS.items():
                after = [change(value) for value in before]
                if after != before:
                    caught.setdefault((kind, name), []).append(rule(Counter(after)))
            rows = [
                _junk(value, chance) if at % 20 == 0 else value for at, value in enumerate(before)
            ]
            caught.setdefault((_GARBAGE, name), []).append(rule(Counter(rows)))
    for kind in (_GARBAGE, *_MUTATIONS):
        shares = [mean(caught.get((kind, name), [False])) for name in chosen]
        table.add_row(kind, *(f"{share:.2f}" for share in shares))
    small = [
        mean(mean(caught.get((kind, name), [False])) for kind in _MUTATIONS) for name in chosen
    ]
    table.add_row("mean of the changes", *(f"{share:.2f}" for share in small), style="bold")
    out.print(table)
    ours = mean(caught.get((_GARBAGE, "unified"), [False]))
    return [Goal("caught .65 of 5 % garbage, to ours", 0.65 / max(ours, 1e-9), 1.0)]


_GARBAGE = "5 % are garbage"


def _junk(value: str, chance: random.Random) -> str:
    """Any signs, as many."""
    return "".join(chance.choice(string.printable[:95]) for _ in range(max(len(value), 3)))


def _rule(case: Case, lake: Corpus, search: Search) -> Rule:
    return by_pattern(case.first, lake.without(case.source), search)


def sensitivity(columns: Any, tested: Sequence[Case], corpus: Corpus, out: Console) -> None:
    """Figure 12: r, m, θ, and τ, for which the index is built again."""
    table = Table(title="Figure 12, sensitivity", title_justify="left")
    for heading in ("", "value", "fmdv-vh P", "R", "unified P", "R"):
        table.add_column(heading, justify="right")

    def row(name: str, value: object, lake: Corpus, **changes: Any) -> None:
        cells = []
        for variant in ("fmdv-vh", "unified"):
            search = Search(variant, **changes)
            score = scored(partial(_rule, lake=lake, search=search), tested)
            cells += [f"{score.precision:.3f}", f"{score.recall:.3f}"]
        table.add_row(name, str(value), *cells)

    for rate in (0.0, 0.01, 0.02, 0.05, 0.1):
        row("r", rate, corpus, rate=rate)
    for coverage in (1, 2, 5, 20, 100):
        row("m", coverage, corpus, coverage=coverage)
    for tolerance in (0.0, 0.01, 0.05, 0.1, 0.2):
        row("θ", tolerance, corpus, tolerance=tolerance)
    for tokens in (4, 8, 13):
        enumeration = replace(Enumeration(), tokens=tokens)
        lake = corpus if enumeration == Enumeration() else built(columns, enumeration, out)[0]
        row("τ", tokens, lake)
    out.print(table)


if __name__ == "__main__":
    sys.exit(main())
