"""Ways to validate a string column from its first values: Assay's, and what others do."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from assay.checks.assertions.proportion_test import ProportionTest, Test
from assay.checks.methods.text import FORMATS
from assay.checks.pattern import CLASSES, Token
from assay.learn.patterns.candidates import pattern, positions
from assay.learn.patterns.hierarchy import FINE, Option
from assay.learn.patterns.index import PatternIndex
from assay.learn.patterns.infer import Search, infer
from assay.learn.patterns.inferred import InferredPattern
from assay.learn.patterns.value_shape import group_by_shape
from benchmarks.support.column_corpus import Batch

__all__ = ["Rule", "Values", "by_pattern", "categories", "dictionary", "grok", "potters_wheel"]

#: rows by value
Values = Mapping[str, int]
#: whether a later batch is wrong; None where nothing was learned
Rule = Callable[[Batch], bool] | None


def by_pattern(
    values: Values, index: PatternIndex | None, search: Search, *, test: Test = "beta-binomial"
) -> Rule:
    """Assay: a pattern, and whether the share that does not match has risen."""
    learned = infer(values, index, search)
    return tested(learned, test) if isinstance(learned, InferredPattern) else None


def tested(learned: InferredPattern, test: Test) -> Rule:
    """The distributional test of what was learned."""
    trained = learned.trained if test == "beta-binomial" else (learned.missed, learned.rows)
    judge = ProportionTest(trained, test)
    known = re.compile(learned.pattern.regex)

    def wrong(batch: Batch) -> bool:
        return batch.rows - batch.matching(known) > judge.most(batch.rows)

    return wrong


def dictionary(values: Values) -> Rule:
    """TFDV: the values seen, and no others."""
    known = set(values)
    return lambda batch: not known.issuperset(batch.values)


def categories(values: Values) -> Rule:
    """Deequ: the values seen, where they are few and come again and again."""
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
_KNOWN = {name: re.compile(each) for name, each in _GROK.items() if name != "word"}


def grok(values: Values) -> Rule:
    """A set of formats that people wrote down: the first that all values are of."""
    for known in _KNOWN.values():
        if all(known.fullmatch(value) for value in values):
            return _strict(known)
    return None


def potters_wheel(values: Values) -> Rule:
    """The pattern of the shortest description of the values: structure, then values within it."""
    shapes = group_by_shape(values)
    if not shapes or not shapes[0].width or shapes[0].rows < 0.9 * sum(values.values()):
        return None
    shape = shapes[0]
    places = positions(shape, FINE, constants=16, at_least=shape.rows)
    if not all(place.options for place in places):
        return None
    chosen = [
        min(place.options, key=partial(_bits, runs=each, counts=shape.counts))
        for place, each in zip(places, shape.runs, strict=True)
    ]
    return _strict(re.compile(pattern(shape.shape, chosen).regex))


def _bits(option: Option, runs: Sequence[str], counts: Sequence[int]) -> float:
    """The length of the description by an option: of itself, and of each row's run."""
    if option.constant:
        return 8 * len(runs[0])
    first = option.pieces[0]
    assert isinstance(first, Token)
    inner = CLASSES.get(first.kind, CLASSES["letter"])
    size = sum(bool(re.match(inner, chr(code))) for code in range(128)) or 64
    length = 0.0 if first.count else 4.0
    pairs = zip(runs, counts, strict=True)
    rows = sum(count * (len(run) * math.log2(size) + length) for run, count in pairs)
    return 8 + rows


def _strict(known: re.Pattern[str]) -> Rule:
    return lambda batch: batch.matching(known) < batch.rows
