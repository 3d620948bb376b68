"""`Mute`: a person's decision that alarms about a column, a metric or by a judge raise none.

A muted finding stays in the verdict as an observation, so that it can still be looked up.

>>> from assay.store import MemoryStore
>>> store = MemoryStore()
>>> mute(store, "orders", Mute(column="note", author="ada", reason="free text"))
>>> print(*load_mutes(store, "orders"))
column 'note', by ada: free text
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

from assay.checks.formatting import visible
from assay.errors import CheckError, StoreError
from assay.gate.finding import Finding
from assay.learn.fingerprint import metrics
from assay.store.protocol import Store
from assay.store.verdict import Decision

__all__ = ["Mute", "load_mutes", "mute", "mute_findings", "unmute"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mute:
    """A rule that mutes findings. A finding must fulfil each condition that is set.

    Parameters
    ----------
    column : str, optional
        The column that they are about.
    metric : str, optional
        The metric, such as ``"mean"``.
    judge : str, optional
        The judge that made them, such as ``"novelty"``.
    author : str
        The person who mutes them.
    reason : str
        Why.

    Raises
    ------
    CheckError
        If no condition is set, or if the author or the reason is empty.
    """

    column: str | None = None
    metric: str | None = None
    judge: str | None = None
    author: str
    reason: str

    def __post_init__(self) -> None:
        if self.column is None and self.metric is None and self.judge is None:
            raise CheckError(
                "invalid mute: expected a column, a metric or a judge, got none of them."
            )
        if not self.author or not self.reason:
            raise CheckError(
                "invalid mute: expected an author and a reason, got"
                f" author={self.author!r}, reason={self.reason!r}."
            )
        if self.metric is not None:
            object.__setattr__(self, "metric", metrics.canonical_name(self.metric))

    @property
    def target(self) -> tuple[str | None, str | None, str | None]:
        """The muted column, metric and judge."""
        return self.column, self.metric, self.judge

    def covers(self, finding: Finding) -> bool:
        """Return whether a finding is muted."""
        metric = None if finding.metric is None else metrics.canonical_name(finding.metric)
        actual = (finding.column, metric, finding.judge)
        return all(
            wanted is None or wanted == value
            for wanted, value in zip(self.target, actual, strict=True)
        )

    def __str__(self) -> str:
        names = ("column", "metric", "judge")
        conditions = (
            f"{name} {visible(value)!r}"
            for name, value in zip(names, self.target, strict=True)
            if value is not None
        )
        return f"{', '.join(conditions)}, by {visible(self.author)}: {visible(self.reason)}"


def mute(store: Store, dataset: str, added: Mute) -> None:
    """Mute findings about a dataset from the next batch on; replace an equal mute."""
    kept = [entry for entry in load_mutes(store, dataset) if entry.target != added.target]
    store.save(dataset, "", _Mutes((*kept, added)))


def unmute(
    store: Store,
    dataset: str,
    *,
    column: str | None = None,
    metric: str | None = None,
    judge: str | None = None,
) -> None:
    """Remove a mute.

    Raises
    ------
    StoreError
        If the dataset has no mute with exactly these conditions.
    """
    metric = None if metric is None else metrics.canonical_name(metric)
    mutes = load_mutes(store, dataset)
    kept = tuple(entry for entry in mutes if entry.target != (column, metric, judge))
    if len(kept) == len(mutes):
        listed = "; ".join(map(str, mutes)) or "none"
        raise StoreError(f"{dataset!r} has no such mute. Its mutes: {listed}.")
    store.save(dataset, "", _Mutes(kept))


def load_mutes(store: Store, dataset: str) -> tuple[Mute, ...]:
    """Return the mutes of a dataset, the oldest first."""
    record = store.derived(_Mutes, dataset, [""]).get("")
    return () if record is None else record.mutes


def mute_findings(findings: Iterable[Finding], mutes: Sequence[Mute]) -> list[Finding]:
    """Return the findings; muted alarms become observations that name the mute."""
    return [_muted(finding, mutes) if finding.alarm else finding for finding in findings]


def _muted(finding: Finding, mutes: Sequence[Mute]) -> Finding:
    covering = next((entry for entry in mutes if entry.covers(finding)), None)
    if covering is None:
        return finding
    reason = f"{finding.reason} (muted: {covering})"
    return replace(finding, level=Decision.ACCEPT, reason=reason)


@dataclass(frozen=True)
class _Mutes:
    """The mutes of a dataset, as a store keeps them."""

    kind: ClassVar[str] = "mutes"
    version: ClassVar[int] = 1

    mutes: tuple[Mute, ...]

    def to_json(self) -> Any:
        return [asdict(entry) for entry in self.mutes]

    @classmethod
    def from_json(cls, document: Any) -> _Mutes:
        return cls(tuple(Mute(**entry) for entry in document))
