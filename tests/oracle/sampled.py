"""The oracle of samples and checksums: DuckDB counts, plain Python hashes, sorts and sums."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

from assay.analyzers import Analyzer, Checksum, Peculiarity, RepeatedValueCount, Sample
from tests.oracle.duck import Ask, Duck
from tests.oracle.expected import UNDEFINED, Close, Head
from tests.oracle.xxhash import xxhash64


def sampled(analyzer: Sample, duck: Duck) -> object:
    """The values with the least hashes; the metric shows ten of them."""
    counts = _sample(analyzer, duck)
    return Head(counts, k=10) if counts else UNDEFINED


def _sample(analyzer: Sample, duck: Duck) -> Counter[str]:
    counts: Counter[str] = Counter()
    for (value,), n in duck.counts([analyzer.column], analyzer.where).items():
        if value is not None:
            counts[value[:501]] += n
    least = sorted(counts, key=lambda value: (xxhash64(value), value))[: analyzer.k]
    return Counter({value: counts[value] for value in least})


def peculiarity(analyzer: Peculiarity, duck: Duck) -> object:
    """Count pairs and trigrams one by one (novelty-edbt21, equation 1)."""
    counts = _sample(analyzer, duck)
    pairs, trigrams = (
        Counter(
            value[at : at + size]
            for value in counts.elements()
            for at in range(len(value) - size + 1)
        )
        for size in (2, 3)
    )
    indexes = []
    for value in counts.elements():
        of_value = [
            (math.log(pairs[xyz[:2]]) + math.log(pairs[xyz[1:]])) / 2 - math.log(trigrams[xyz])
            for xyz in _ngrams(value, 3)
        ]
        if of_value:
            indexes.append(math.sqrt(sum(index * index for index in of_value) / len(of_value)))
    return Close(sum(indexes) / len(indexes), scale=1.0) if indexes else UNDEFINED


def _ngrams(value: str, size: int) -> list[str]:
    return [value[at : at + size] for at in range(len(value) - size + 1)]


def checksum(analyzer: Checksum, duck: Duck) -> object:
    """Add up the hashes one by one."""
    counts = duck.counts([analyzer.column], analyzer.where)
    return sum(xxhash64(value) % 2**24 * n for (value,), n in counts.items() if value is not None)


def repeated_values(analyzer: RepeatedValueCount, duck: Duck) -> object:
    """Count the values beyond the first of each. Those of a sample are hashed one by one."""
    return sum(
        n - 1
        for values, n in duck.counts(analyzer.columns, analyzer.where).items()
        if None not in values and (analyzer.one_in == 1 or xxhash64(*values) % analyzer.one_in == 0)
    )


ORACLES: Mapping[type[Analyzer], Ask] = {
    Sample: sampled,
    Peculiarity: peculiarity,
    Checksum: checksum,
    RepeatedValueCount: repeated_values,
}
