"""Demands on how well a column follows from others."""

from __future__ import annotations

from typing import Any, Self, Unpack

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.predictability import Predictability, PredictabilityWith
from assay.checks.assertions.bounds import Bounds
from assay.checks.builder import CheckBuilder, Columns, Options, Verbatim, names
from assay.errors import CheckError

__all__ = ["PredictionMethods"]

_NO_BOUNDS = frozenset(Options.__annotations__) - frozenset(Bounds.__annotations__)


class PredictionMethods(CheckBuilder):
    """Whether values are what the rest of the row lets one expect."""

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
        """A column can be predicted from others: at least so well, or within bounds on F1.

        Each row is predicted by naive Bayes trained on all others; the scores are weighted by how
        often each value of the target occurs. Rows without a target do not count. A `classifier`
        of Spark ML or of scikit-learn's kind takes the place of naive Bayes, see
        `PredictabilityWith`; two constraints of one classifier fit it once.
        """
        least = {"f1": f1, "precision": precision, "recall": recall}
        own = sorted(name for name in set(options) - _NO_BOUNDS if options.get(name) is not None)
        if own and f1 is not None:
            raise CheckError(
                f"{self.name}: has_predictability: f1 and {own[0]} say the same twice."
            )
        scores = [score for score, bound in least.items() if bound is not None]
        if (own and f1 is None) or not scores:  # bounds on F1, or the complaint of having none
            scores = ["f1", *scores]
        columns = names([inputs])
        return self._together(
            *(
                lambda check, score=score: check._predicted(
                    target, columns, score, least[score], classifier, options
                )
                for score in scores
            )
        )

    def _predicted(
        self,
        target: str,
        inputs: tuple[str, ...],
        score: str,
        bound: float | None,
        classifier: Any,
        options: Options,
    ) -> Self:
        def analyzer(where: str | None) -> Analyzer:
            if classifier is None:
                return Predictability(target, inputs, score, where=where)
            name = type(classifier).__name__
            return PredictabilityWith(
                target, inputs, name, score, classifier=classifier, where=where
            )

        kept: Any = dict(options)
        if bound is not None:  # the bounds given are those on F1
            kept = {name: kept[name] for name in _NO_BOUNDS if name in kept} | {"at_least": bound}
        shown = [target, *inputs, *([] if score == "f1" else [Verbatim(score)])]
        return self._add("has_predictability", analyzer, [], kept, shown=shown)
