"""Findings: what somebody noticed about a batch, why it matters, and what the alarm may cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from assay.checks.formatting import visible
from assay.store.verdict import Decision

__all__ = ["JUDGE_ORDER", "Finding", "judge_of", "worst_first"]

#: the order in which findings of one level are shown; judges of third parties come last
JUDGE_ORDER = (
    "gate",
    "schema",
    "dialect",
    "checks",
    "patterns",
    "empty",
    "limits",
    "redelivery",
    "novelty",
    "arrival",
)
#: version 0.1 had fewer names: these metrics tell which judge made a finding
_JUDGE_BY_METRIC = {
    ("novelty", "pause"): "arrival",
    ("novelty", "unchanged"): "redelivery",
    ("schema", "delimiter"): "dialect",
    ("schema", "encoding"): "dialect",
    ("schema", "bom"): "dialect",
    ("schema", "header"): "dialect",
}
_LEVELS = (Decision.HOLD, Decision.WARN, Decision.ACCEPT)


@dataclass(frozen=True)
class Finding:
    """One thing that was noticed, by one judge; `level` is what it alone would decide.

    `risk` is how often such an alarm is expected of a batch that is fine: what it takes of the
    budget. `strength` orders findings of one judge: how far beyond its limits the observed is.
    `cause` is the nearest known one in words, `since` the first batch of an unbroken run of alarms
    about the column, `where` the segment that holds the deviation, `reproduce` a query that shows
    it, and `rows` the condition of the rows that are to blame, where some are.
    """

    judge: str
    level: Decision
    reason: str
    column: str | None = None
    metric: str | None = None
    observed: float | None = None
    low: float | None = None
    high: float | None = None
    risk: float = 0.0
    strength: float = 0.0
    cause: str | None = None
    since: str | None = None
    where: str | None = None
    reproduce: str | None = None
    rows: str | None = None

    @property
    def alarm(self) -> bool:
        """Whether it is more than a remark."""
        return self.level is not Decision.ACCEPT

    @property
    def spends(self) -> str | None:
        """What an alarm takes of the budget, in words; None if that is nothing."""
        return f"{self.risk:.2g}" if self.alarm and self.risk else None

    def __str__(self) -> str:
        whose = "" if self.column is None else f"{visible(self.column)}: "
        return f"{whose}{self.reason}"

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it; of what is nothing, nothing is said."""
        found = {name: _plain(value) for name, value in asdict(self).items() if value is not None}
        return found | {"level": self.level.value}

    @staticmethod
    def read(document: Mapping[str, Any]) -> Finding:
        """The inverse of `to_dict`."""
        numbers = ("observed", "low", "high", "risk", "strength")
        known = {name: document[name] for name in numbers if name in document}
        floats = {name: None if value is None else float(value) for name, value in known.items()}
        fields = {**document, **floats, "judge": judge_of(document)}
        return Finding(**{**fields, "level": Decision(document["level"])})


def worst_first(findings: tuple[Finding, ...] | list[Finding]) -> tuple[Finding, ...]:
    """What would hold before what warns, then by judge, the strongest first."""
    return tuple(
        sorted(
            findings,
            key=lambda each: (
                _LEVELS.index(each.level),
                _place(each.judge),
                -each.strength if math.isfinite(each.strength) else -math.inf,
            ),
        )
    )


def judge_of(document: Mapping[str, Any]) -> str:
    """Return the judge of a stored finding by its name of today."""
    name = str(document["judge"])
    if name == "history":
        return "limits"
    return _JUDGE_BY_METRIC.get((name, str(document.get("metric"))), name)


def _place(judge: str) -> int:
    return JUDGE_ORDER.index(judge) if judge in JUDGE_ORDER else len(JUDGE_ORDER)


def _plain(value: Any) -> Any:
    """JSON has no word for infinity."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
