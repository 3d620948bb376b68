"""Ways to learn a validation rule from a column's first values: Assay's and those of others."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from assay.checks.assertions.proportion_test import ProportionTest, Test
from assay.checks.methods.text import FORMATS
from assay.checks.pattern import CLASSES, Token
from assay.learn.patterns.candidates import build_pattern
from assay.learn.patterns.hierarchy import FINE, Option
from assay.learn.patterns.index import PatternIndex
from assay.learn.patterns.infer import infer
from assay.learn.patterns.inferred import InferredPattern
from assay.learn.patterns.positions import find_positions
from assay.learn.patterns.search import Search
from assay.learn.patterns.value_shape import group_by_shape
from benchmarks.support.column_corpus import Batch

__all__ = ["Rule", "Values", "by_pattern", "categories", "dictionary", "grok", "potters_wheel"]

#: the row count of each value
Values = Mapping[str, int]
#: decides whether a later batch raises an alarm; None if nothing was learned
Rule = Callable[[Batch], bool] | None


def by_pattern(
    values: Values, index: PatternIndex | None, search: Search, *, test: Test = "beta-binomial"
) -> Rule:
    """Learn a pattern as Assay does. A higher share of values that do not match is an alarm."""
    inferred = infer(values, index, search)
    return _test_proportion(inferred, test) if isinstance(inferred, InferredPattern) else None


def _test_proportion(learned: InferredPattern, test: Test) -> Rule:
    trained = learned.trained if test == "beta-binomial" else (learned.missed, learned.rows)
    judge = ProportionTest(trained, test)
    pattern = re.compile(learned.pattern.regex)

    def raises_alarm(batch: Batch) -> bool:
        return batch.rows - batch.matching(pattern) > judge.most(batch.rows)

    return raises_alarm


def dictionary(values: Values) -> Rule:
    """Allow only the values of the first rows, as TFDV does."""
    allowed = set(values)
    return lambda batch: not allowed.issuperset(batch.values)


def categories(values: Values) -> Rule:
    """Allow only the values of the first rows if at most 10 % are distinct, as Deequ does."""
    if len(values) > 0.1 * sum(values.values()):
        return None
    return dictionary(values)


_GROK = {
    **FORMATS,
    "integer": r"[+-]?[0-9]+",
    "number": r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)",
    "word": r"\w+",
    "iso date": r"[0-9]{4}-[0-9]{2}-[0-9]{2}",
    "timestamp": r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?Z?",
    "date us": r"[0-9]{1,2}/[0-9]{1,2}/[0-9]{2,4}",
    "date eu": r"[0-9]{1,2}[.-][0-9]{1,2}[.-][0-9]{2,4}",
    "time": r"[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?",
    "month": "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*",
    "day": "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*",
    "path": r"(?:/[\w.-]+)+/?",
    "mac": r"(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}",
    "log level": "(?i:trace|debug|info|notice|warn(?:ing)?|error|crit(?:ical)?|fatal)",
    "version": r"v?[0-9]+(?:\.[0-9]+)+",
}
_GROK_PATTERNS = {name: re.compile(regex) for name, regex in _GROK.items() if name != "word"}


def grok(values: Values) -> Rule:
    """Use the first of a list of common formats that all values have."""
    for grok_pattern in _GROK_PATTERNS.values():
        if all(grok_pattern.fullmatch(value) for value in values):
            return _match_all(grok_pattern)
    return None


def potters_wheel(values: Values) -> Rule:
    """Use the pattern with the shortest description of itself and the values (Potter's Wheel)."""
    shapes = group_by_shape(values)
    if not shapes or not shapes[0].run_count or shapes[0].rows < 0.9 * sum(values.values()):
        return None
    shape = shapes[0]
    places = find_positions(shape, FINE, max_constants=16, min_rows=shape.rows)
    if not all(place.options for place in places):
        return None
    chosen = [
        min(place.options, key=partial(_description_bits, runs=runs, counts=shape.row_counts))
        for place, runs in zip(places, shape.runs, strict=True)
    ]
    return _match_all(re.compile(build_pattern(shape.shape, chosen).regex))


def _description_bits(option: Option, runs: Sequence[str], counts: Sequence[int]) -> float:
    """Return the description length in bits: of the option, and of each row's text in it."""
    if option.constant:
        return 8 * len(runs[0])
    first = option.pieces[0]
    assert isinstance(first, Token)
    characters = CLASSES.get(first.kind, CLASSES["letter"])
    alphabet = sum(bool(re.match(characters, chr(code))) for code in range(128)) or 64
    length_bits = 0.0 if first.count else 4.0
    pairs = zip(runs, counts, strict=True)
    row_bits = sum(count * (len(run) * math.log2(alphabet) + length_bits) for run, count in pairs)
    return 8 + row_bits


def _match_all(pattern: re.Pattern[str]) -> Rule:
    return lambda batch: batch.matching(pattern) < batch.rows
