"""Compare every analyzer with an independent engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import pytest

from assay import Measurement, measure
from assay.analyzers import Analyzer, registry
from assay.analyzers.other_table import ComparisonAnalyzer
from assay.engine.frame import schema_of
from tests.oracle import approximate, grouped, numeric, plain, predicted, sampled
from tests.oracle.duck import Ask, Duck
from tests.oracle.expected import agrees
from tests.oracle.questions import questions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ORACLES: Mapping[type[Analyzer], Ask] = {
    **plain.ORACLES,
    **numeric.ORACLES,
    **approximate.ORACLES,
    **grouped.ORACLES,
    **predicted.ORACLES,
    **sampled.ORACLES,
}

#: analyzers of two tables have their oracles in `two`
every_analyzer = pytest.mark.parametrize(
    "kind",
    [kind for kind in registry().values() if not issubclass(kind, ComparisonAnalyzer)],
    ids=lambda kind: kind.__name__,
)


class Measured(NamedTuple):
    """The measurement of a DataFrame, and its rows in DuckDB."""

    measurement: Measurement
    duck: Duck

    @staticmethod
    def of(
        frame: DataFrame,
        columns: Sequence[str] | None,
        selections: Mapping[str, Sequence[str]],
        grouped: Sequence[str],
    ) -> Measured:
        """Measure all analyzers of some columns, and of some columns within selections, at once.

        Analyzers that need a grouping use the `grouped` columns, and within a selection its first
        column.
        """
        schema = schema_of(frame)
        analyzers = questions(schema, columns, grouped=grouped)
        for where, selected in selections.items():
            analyzers += questions(schema, selected, where, selected[:1])
        return Measured(measure(frame, analyzers), Duck(frame))

    def disagreements(self, kind: type[Analyzer]) -> list[str]:
        """Return the metrics of a kind of analyzer that differ from the oracle."""
        analyzers = [analyzer for analyzer in self.measurement if type(analyzer) is kind]
        answers = (
            (self.measurement[analyzer], ORACLES[kind](analyzer, self.duck))
            for analyzer in analyzers
        )
        return [
            f"{actual}; expected {expected}"
            for actual, expected in answers
            if not agrees(actual, expected)
        ]
