"""Findings: what somebody noticed about a batch, why it matters, and what the alarm may cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from assay.checks.wording import visible
from assay.store.verdict import Decision

__all__ = ["JUDGES", "Finding", "Judge", "worst_first"]

Judge = Literal["schema", "checks", "patterns", "history", "novelty", "gate"]
#: in the order in which their findings are told
JUDGES: tuple[Judge, ...] = ("gate", "schema", "checks", "patterns", "history", "novelty")
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

    judge: Judge
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
        return Finding(**{**document, **floats, "level": Decision(document["level"])})


def worst_first(findings: tuple[Finding, ...] | list[Finding]) -> tuple[Finding, ...]:
    """What would hold before what warns, then by judge, the strongest first."""
    return tuple(
        sorted(
            findings,
            key=lambda each: (
                _LEVELS.index(each.level),
                JUDGES.index(each.judge),
                -each.strength if math.isfinite(each.strength) else -math.inf,
            ),
        )
    )


def _plain(value: Any) -> Any:
    """JSON has no word for infinity."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
