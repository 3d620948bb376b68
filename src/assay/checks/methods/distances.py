"""Constraints on the distance between two distributions of a column."""

from __future__ import annotations

from typing import Self, Unpack

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.distribution import (
    NUMERIC_DISTANCES,
    DistanceName,
    DistributionDistance,
    distribution_of,
)
from assay.analyzers.schema import NUMERIC
from assay.checks.assertions.distance import DistanceAssertion
from assay.checks.builder import CheckBuilder, Details, Verbatim
from assay.checks.constraint_method import constraint_method
from assay.checks.constraint_options import Options

__all__ = ["DistanceMethods"]

_PREVIOUS = "previous"


class DistanceMethods(CheckBuilder):
    """Distances between the distribution of a column and an earlier one, or that of a table."""

    @constraint_method(formula="distance between the distributions")
    def has_distance(
        self,
        column: str,
        metric: DistanceName,
        *,
        to: str = _PREVIOUS,
        **options: Unpack[Options],
    ) -> Self:
        """Require the distribution of a column to be close to an earlier one.

        Nulls are ignored. The constraint cannot be evaluated if one of the distributions has no
        values. A dataset without an accepted batch does not evaluate it, and stops no batch for it.

        Parameters
        ----------
        metric
            For every column: ``"l1"``, ``"l_inf"``, ``"cosine"``, ``"chi_squared"``,
            ``"jensen_shannon"``, ``"kullback_leibler"``. For numbers: ``"earth_mover"``,
            ``"kolmogorov_smirnov"``, ``"cohen_d"``. For the shapes of strings: each of the first
            six with ``pattern_`` in front.
        to
            ``"previous"``: the last accepted batch of a dataset or a gate. Otherwise the name of
            another table, a key of ``verify(..., reference_tables={...})``.

        Notes
        -----
        Tables 3 and 4 of avh-kdd23. All distances are 0 for equal distributions. ``l1`` is at most
        2; the earth mover's distance, Cohen's d and the Kullback-Leibler divergence have no upper
        limit; all others are at most 1. Numbers are counted in 20 bins with equal shares of the
        earlier distribution.

        Examples
        --------
        >>> check = Check("orders").has_distance("country", "l_inf", at_most=0.1)
        >>> check.has_distance("amount", "earth_mover", to="last_month", at_most=5)
        Check('orders', 2 constraints)
        """

        def distribution(where: str | None) -> Analyzer:
            if to == _PREVIOUS:
                return distribution_of(column, metric, where)
            return DistributionDistance(column, metric, to, where=where)

        is_numeric = metric in NUMERIC_DISTANCES
        details = Details(
            requires=((column, NUMERIC),) if is_numeric else (),
            subject=f"the {metric} distance of {column}" if to == _PREVIOUS else "",
            bounds_on=(lambda bounds: DistanceAssertion(metric, bounds))
            if to == _PREVIOUS
            else None,
        )
        shown = [column, Verbatim(metric), *([] if to == _PREVIOUS else [to])]
        return self._add("has_distance", distribution, [], options, shown=shown, details=details)
