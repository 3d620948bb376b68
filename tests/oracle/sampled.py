"""The oracle of samples and checksums: DuckDB counts, plain Python hashes, sorts and sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from assay.analyzers import Analyzer, Checksum, Sample
from tests.oracle.duck import Ask, Duck
from tests.oracle.expected import UNDEFINED, Head
from tests.oracle.xxhash import xxhash64


def sampled(analyzer: Sample, duck: Duck) -> object:
    """The values with the least hashes; the metric shows ten of them."""
    counts: Counter[str] = Counter()
    for (value,), n in duck.counts([analyzer.column], analyzer.where).items():
        if value is not None:
            counts[value[:501]] += n
    if not counts:
        return UNDEFINED
    least = sorted(counts, key=lambda value: (xxhash64(value), value))[: analyzer.k]
    return Head(Counter({value: counts[value] for value in least}), k=10)


def checksum(analyzer: Checksum, duck: Duck) -> object:
    """Add up the hashes one by one."""
    counts = duck.counts([analyzer.column], analyzer.where)
    return sum(xxhash64(value) % 2**24 * n for (value,), n in counts.items() if value is not None)


ORACLES: Mapping[type[Analyzer], Ask] = {Sample: sampled, Checksum: checksum}
