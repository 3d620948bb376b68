"""Constraints on how well a column can be predicted from other columns."""

from __future__ import annotations

from typing import Any, NamedTuple, Self, Unpack

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.predictability import Predictability, PredictabilityWith
from assay.checks.assertions.bounds import Bounds
from assay.checks.builder import CheckBuilder, Columns, Verbatim, column_names
from assay.checks.constraint_method import constraint_method
from assay.checks.constraint_options import Options
from assay.errors import CheckError

__all__ = ["PredictionMethods"]

_BOUNDS = frozenset(Bounds.__annotations__)


class PredictionMethods(CheckBuilder):
    """Predictability of a column."""

    @constraint_method(
        extra_bounds=("f1", "precision", "recall"),
        formula="F1, precision or recall of the predictions",
    )
    def has_predictability(
        self,
        target: str,
        inputs: Columns,
        *,
        f1: float | None = None,
        precision: float | None = None,
        recall: float | None = None,
        classifier: Any = None,
        **options: Unpack[Options],
    ) -> Self:
        """Require that a column can be predicted from other columns.

        Adds one constraint per score. Rows whose target is null are ignored. A null in an input
        is a value.

        Parameters
        ----------
        target
            Name of the column to predict.
        inputs
            Names of the columns to predict it from.
        f1, precision, recall
            The least score. Scores are weighted by how often each value of the target occurs.
        classifier
            A classifier of Spark ML or scikit-learn, in place of naive Bayes; see
            `PredictabilityWith`. Two constraints with the same classifier fit it once.
        equals, at_least, at_most, more_than, less_than, between, satisfies
            Bounds on F1, in place of `f1`.

        Notes
        -----
        Every row is predicted by a naive Bayes model of all other rows. Neither the rows nor the
        result depend on a random split.

        Examples
        --------
        >>> Check("orders").has_predictability("vat_rate", ["country", "product"], f1=0.9)
        Check('orders', 1 constraint)
        """
        least = {"f1": f1, "precision": precision, "recall": recall}
        bounds = sorted(name for name in _BOUNDS & set(options) if options.get(name) is not None)
        if bounds and f1 is not None:
            expected = f"f1 or {bounds[0]}"
            raise CheckError(f"{self.name}: has_predictability: expected {expected}, got both.")
        scores = [score for score, bound in least.items() if bound is not None]
        if (bounds and f1 is None) or not scores:
            # bounds judge F1; without any, the constraint on F1 reports that a bound is missing
            scores = ["f1", *scores]
        task = _Task(target, column_names([inputs]), classifier)
        return self._add_all(
            *(
                lambda check, score=score: check._add_score(task, score, least[score], options)
                for score in scores
            )
        )

    def _add_score(self, task: _Task, score: str, least: float | None, options: Options) -> Self:
        selected: Any = dict(options)
        if least is not None:  # the bounds in the options are those on F1
            selected = {name: v for name, v in selected.items() if name not in _BOUNDS}
            selected["at_least"] = least
        shown = [task.target, *task.inputs, *([] if score == "f1" else [Verbatim(score)])]

        def analyzer(where: str | None) -> Analyzer:
            return task.analyzer(score, where)

        return self._add("has_predictability", analyzer, [], selected, shown=shown)


class _Task(NamedTuple):
    """A column to predict, the columns to predict it from, and how."""

    target: str
    inputs: tuple[str, ...]
    classifier: Any

    def analyzer(self, score: str, where: str | None) -> Analyzer:
        """Return the analyzer of one score."""
        if self.classifier is None:
            return Predictability(self.target, self.inputs, score, where=where)
        name = type(self.classifier).__name__
        return PredictabilityWith(
            self.target, self.inputs, name, score, classifier=self.classifier, where=where
        )
