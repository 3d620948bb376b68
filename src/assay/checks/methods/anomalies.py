"""Demands on what is usual: a metric against its own history (deequ, section 3.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from assay.analyzers.analyzer import Analyzer
from assay.checks.assertions.anomaly import AnomalyAssertion
from assay.checks.assertions.expectation import Detector
from assay.checks.builder import CheckBuilder
from assay.checks.constraint import Constraint, Level
from assay.errors import CheckError
from assay.store.protocol import Scope

__all__ = ["AnomalyMethods"]


class AnomalyMethods(CheckBuilder):
    """Demands that need a history, and are judged where there is one: in a `Dataset`."""

    def has_no_anomalies(
        self,
        analyzer: Analyzer,
        detector: Detector,
        /,
        *,
        scope: Scope = "batch",
        per: str | Sequence[str] = (),
        level: str | None = None,
        hint: str = "",
        id: str = "",  # noqa: A002 - as every demand calls it
    ) -> Self:
        """A metric is what a detector expects from the batches before: Listing 1 of the paper.

        Of the batch alone, or with ``scope="whole"`` of the whole dataset as it is with the batch.
        With ``per="board"`` each board has a history of its own (section 5.4), where the keys of
        batches tell it: ``date=2026-11-14/board=python``.
        """
        pair: tuple[object, object] = (analyzer, detector)
        if not isinstance(pair[0], Analyzer) or not hasattr(pair[1], "expect"):
            raise CheckError(
                f"{self.name}: has_no_anomalies takes an analyzer and a detector, such as"
                f" (Size(), OnlineNormal()), not {pair!r}."
            )
        if scope not in {"batch", "whole"}:
            raise CheckError(f"{self.name}: a scope is 'batch' or 'whole', not {scope!r}.")
        parts = (per,) if isinstance(per, str) else tuple(per)
        told = "".join(
            [", whole" if scope == "whole" else "", *(f", per {part}" for part in parts)]
        )
        constraint = Constraint(
            f"has_no_anomalies({analyzer.key}{told})",
            analyzer,
            AnomalyAssertion(detector, scope, parts),
            Level(level or self.level),
            hint,
            id,
        )
        return self._with(constraint, id)
