"""Constraints on a metric compared with its own history (deequ, section 3.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from assay.analyzers.analyzer import Analyzer
from assay.checks.assertions.anomaly import AnomalyAssertion
from assay.checks.assertions.expectation import Detector
from assay.checks.builder import CheckBuilder
from assay.checks.constraint import Constraint, Level
from assay.checks.constraint_method import constraint_method
from assay.errors import CheckError
from assay.store.protocol import Scope

__all__ = ["AnomalyMethods"]


class AnomalyMethods(CheckBuilder):
    """Constraints that need earlier batches. Only a `Dataset` or a gate can evaluate them."""

    @constraint_method(
        bounds="optional",
        refused={"on": "its own argument scope= is 'batch' or 'whole'."},
        formula="value of the analyzer",
    )
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
        id: str = "",  # noqa: A002 - the name that all constraint methods use
    ) -> Self:
        """Require a metric to be what a detector expects from the earlier batches.

        A dataset with too few batches does not evaluate the constraint, and stops no batch for it.

        Parameters
        ----------
        analyzer
            The metric, such as ``Size()``. Its ``where`` selects rows.
        detector
            A detector of `assay.learn.anomaly`, such as ``OnlineNormal()``.
        scope
            ``"batch"``: the metric of the batch. ``"whole"``: the metric of the whole dataset with
            the batch.
        per
            Parts of the batches' keys. With ``per="board"``, the batch
            ``date=2026-11-14/board=python`` is compared with the batches of that board only.

        Notes
        -----
        Listing 1 and section 5.4 of the deequ paper.

        Examples
        --------
        >>> from assay.analyzers import Size
        >>> from assay.learn.anomaly import OnlineNormal
        >>> Check("orders").has_no_anomalies(Size(), OnlineNormal())
        Check('orders', 1 constraint)
        """
        arguments: tuple[object, object] = (analyzer, detector)
        if not isinstance(arguments[0], Analyzer) or not hasattr(arguments[1], "expect"):
            expected = "an analyzer and a detector, such as Size(), OnlineNormal()"
            raise CheckError.unexpected(f"{self.name}: has_no_anomalies", expected, arguments)
        if scope not in {"batch", "whole"}:
            raise CheckError.unexpected(f"{self.name}: invalid scope", "'batch' or 'whole'", scope)
        key_parts = (per,) if isinstance(per, str) else tuple(per)
        suffix = "".join(
            [", whole" if scope == "whole" else "", *(f", per {part}" for part in key_parts)]
        )
        constraint = Constraint(
            f"has_no_anomalies({analyzer.key}{suffix})",
            analyzer,
            AnomalyAssertion(detector, scope, key_parts),
            Level(level or self.level),
            hint,
            id,
        )
        return self._append(constraint, id)
