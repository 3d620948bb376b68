"""Findings: an observation of one judge about a batch, and its distance from the expectation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, asdict, dataclass, fields
from textwrap import shorten
from typing import Any

from assay.checks.formatting import visible
from assay.learn.fingerprint import metrics
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
    "repeated rows",
    "relations",
    "keys",
    "counters",
    "limits",
    "redelivery",
    "provisional",
    "novelty",
    "drift",
    "segments",
    "arrival",
)
#: version 0.1 had fewer judges: these metrics tell which judge of today made a finding
_JUDGE_BY_METRIC = {
    ("novelty", "pause"): "arrival",
    ("novelty", metrics.UNCHANGED): "redelivery",
    ("schema", "delimiter"): "dialect",
    ("schema", "encoding"): "dialect",
    ("schema", "bom"): "dialect",
    ("schema", "header"): "dialect",
}
#: field names of version 0.1, with the names of today
_OLD_FIELDS = {
    "observed": "actual",
    "risk": "false_alarm_rate",
    "strength": "severity",
    "reproduce": "sql",
    "rows": "row_filter",
}
_NUMBERS = ("actual", "low", "high", "false_alarm_rate", "severity")
#: characters of the reason in the representation of a finding
_REPR_LENGTH = 80
_LEVELS = (Decision.HOLD, Decision.WARN, Decision.ACCEPT)


@dataclass(frozen=True)
class Finding:
    """One observation of one judge.

    Parameters
    ----------
    judge : str
        Name of the judge.
    level : Decision
        The decision by this finding alone. `ACCEPT` is an observation without an alarm.
    reason : str
        One sentence: what is unexpected, with expected and actual values.
    column, metric : str, optional
        The column and the metric that it is about. Without a column it is about the table.
    related : tuple of str
        Other columns that it is about, such as the second column of a broken relation.
    actual, low, high : float, optional
        The metric's value, and the limits within which it was expected.
    false_alarm_rate : float
        The share of good batches that raise such an alarm.
    severity : float
        Distance of the value from its limits. It orders the findings of one judge.
    cause, cause_code : str, optional
        The most likely cause in one sentence, and its stable code (`CauseCode`).
    since : str, optional
        Key of the first batch of an unbroken run of similar alarms.
    where : str, optional
        The segment of the batch that has most of the deviating rows.
    sql : str, optional
        A query that shows the finding. It reads from ``batch``.
    row_filter : str, optional
        A SQL condition for the rows that the finding is about.
    """

    judge: str
    level: Decision
    reason: str
    column: str | None = None
    metric: str | None = None
    _: KW_ONLY
    actual: float | None = None
    low: float | None = None
    high: float | None = None
    false_alarm_rate: float = 0.0
    severity: float = 0.0
    cause: str | None = None
    cause_code: str | None = None
    related: tuple[str, ...] = ()
    since: str | None = None
    where: str | None = None
    sql: str | None = None
    row_filter: str | None = None

    @property
    def alarm(self) -> bool:
        """Return whether it warns or holds."""
        return self.level is not Decision.ACCEPT

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that it is about; empty for the table."""
        names = (self.column, *self.related)
        return tuple(dict.fromkeys(name for name in names if name is not None))

    def __str__(self) -> str:
        subject = "" if self.column is None else f"{visible(self.column)}: "
        return f"{subject}{self.reason}"

    def __repr__(self) -> str:
        reason = shorten(str(self), _REPR_LENGTH, placeholder="…")
        return f"Finding({self.judge}: {self.level.value}, {reason!r})"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that are set, as JSON values."""
        values = {name: _to_json(value) for name, value in asdict(self).items()}
        stated = {name: value for name, value in values.items() if value not in (None, [])}
        return stated | {"level": self.level.value}

    @staticmethod
    def read(document: Mapping[str, Any]) -> Finding:
        """Convert a document of `to_dict` back, of this version or of version 0.1."""
        renamed = {_OLD_FIELDS.get(name, name): value for name, value in document.items()}
        names = {field.name for field in fields(Finding)}
        values = {name: value for name, value in renamed.items() if name in names}
        values |= {name: float(values[name]) for name in _NUMBERS if values.get(name) is not None}
        values["related"] = tuple(values.get("related", ()))
        level = Decision(document["level"])
        return Finding(**{**values, "judge": judge_of(document), "level": level})


def worst_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings: holds before warnings, then by judge, then the most severe first."""
    return tuple(
        sorted(
            findings,
            key=lambda finding: (
                _LEVELS.index(finding.level),
                _judge_position(finding.judge),
                -finding.severity if math.isfinite(finding.severity) else -math.inf,
            ),
        )
    )


def judge_of(document: Mapping[str, Any]) -> str:
    """Return the judge of a stored finding by its name of today."""
    name = str(document["judge"])
    if name == "history":
        return "limits"
    return _JUDGE_BY_METRIC.get((name, str(document.get("metric"))), name)


def _judge_position(judge: str) -> int:
    return JUDGE_ORDER.index(judge) if judge in JUDGE_ORDER else len(JUDGE_ORDER)


def _to_json(value: Any) -> Any:
    """Return infinity and NaN as text, for which JSON has no number, and names as a list."""
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
