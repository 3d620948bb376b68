"""Check the wording of problems."""

from __future__ import annotations

import re
from collections.abc import Iterable

from assay import Metric


def badly_worded(metrics: Iterable[Metric]) -> list[str]:
    """Return the problems that are not one short sentence with a code."""
    return [
        f"{metric.analyzer}: [{metric.problem.code}] {metric.problem.reason}"
        for metric in metrics
        if metric.problem is not None
        and not _well_worded(metric.problem.code, metric.problem.reason)
    ]


def _well_worded(code: str, reason: str) -> bool:
    return (
        re.fullmatch(r"[a-z_][a-z0-9_.]*", code) is not None
        and 5 < len(reason) < 400
        and "\n" not in reason
        and not re.search(r"org\.apache|java\.|\bat \w+\.\w+\(|SQLSTATE|__assay_", reason)
    )


def problem_code(metric: Metric) -> str | None:
    return None if metric.problem is None else metric.problem.code
