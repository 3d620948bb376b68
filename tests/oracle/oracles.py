"""The answer of an independent engine to every analyzer's question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import pytest

from assay import Measurement, measure
from assay.analyzers import Analyzer, registry
from assay.analyzers.comparison import ComparisonAnalyzer
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

#: those of two tables have oracles of their own, in `two`
every_analyzer = pytest.mark.parametrize(
    "kind",
    [kind for kind in registry().values() if not issubclass(kind, ComparisonAnalyzer)],
    ids=lambda kind: kind.__name__,
)


class Measured(NamedTuple):
    """A frame that Spark has measured, and its rows in DuckDB."""

    measurement: Measurement
    duck: Duck

    @staticmethod
    def of(
        frame: DataFrame,
        columns: Sequence[str] | None,
        selections: Mapping[str, Sequence[str]],
        grouped: Sequence[str],
    ) -> Measured:
        """All questions about some columns, and about some again within selections: one call.

        Those that need a grouping are about the `grouped` columns, and within a selection about
        the first that is selected.
        """
        schema = schema_of(frame)
        asked = questions(schema, columns, grouped=grouped)
        for where, selected in selections.items():
            asked += questions(schema, selected, where, selected[:1])
        return Measured(measure(frame, asked), Duck(frame))

    def disagreements(self, kind: type[Analyzer]) -> list[str]:
        """Where both differ about the questions of a kind."""
        asked = [each for each in self.measurement if type(each) is kind]
        answers = ((self.measurement[each], ORACLES[kind](each, self.duck)) for each in asked)
        return [f"{is_}; expected {should}" for is_, should in answers if not agrees(is_, should)]
