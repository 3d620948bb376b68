"""The registry of judges, and the step that asks all of them.

A third party adds a judge with `register`, or through the entry point group ``assay.judges``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from importlib.metadata import entry_points
from typing import Protocol, runtime_checkable

from assay.errors import CheckError
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.judges.arrival import ArrivalJudge
from assay.gate.judges.checks import ChecksJudge
from assay.gate.judges.dialect import DialectJudge
from assay.gate.judges.empty import EmptyJudge
from assay.gate.judges.limits import LimitsJudge
from assay.gate.judges.novelty import NoveltyJudge
from assay.gate.judges.patterns import PatternsJudge
from assay.gate.judges.redelivery import RedeliveryJudge
from assay.gate.judges.schema import SchemaJudge
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.unreadable import without_columns
from assay.store.verdict import Decision

__all__ = ["ENTRY_POINTS", "JUDGES", "Judge", "judge_batch", "register"]

ENTRY_POINTS = "assay.judges"


@runtime_checkable
class Judge(Protocol):
    """Compares a measured batch with what the gate knows.

    A judge reads neither the batch nor the store. It returns one finding for each observation
    outside expectation, whose `level` is what the judge alone would decide.
    """

    @property
    def name(self) -> str:
        """The name that findings carry."""

    @property
    def holds_alone(self) -> bool:
        """Whether its findings hold a batch without the agreement of another judge."""

    @property
    def spends_budget(self) -> bool:
        """Whether it has a share of the false-alarm budget."""

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return what is outside expectation."""


#: in the order in which their findings are shown
JUDGES: list[Judge] = [
    SchemaJudge(),
    DialectJudge(),
    ChecksJudge(),
    PatternsJudge(),
    EmptyJudge(),
    LimitsJudge(),
    RedeliveryJudge(),
    NoveltyJudge(),
    ArrivalJudge(),
]


def register(judge: Judge) -> None:
    """Add a judge, or replace the one with its name."""
    if not isinstance(judge, Judge):
        raise CheckError(
            f"a judge needs name, holds_alone, spends_budget and judge(), got {judge!r}."
        )
    names = [registered.name for registered in JUDGES]
    if judge.name in names:
        JUDGES[names.index(judge.name)] = judge
    else:
        JUDGES.append(judge)


def judge_batch(context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
    """Ask every judge; a judge that fails is reported, and the others still judge."""
    findings = [finding for judge in _all_judges() for finding in _ask(judge, context, batch)]
    unreadable = batch.unreadable_columns
    if unreadable:
        level = Decision.HOLD if context.settings.closed else Decision.WARN
        findings = [
            *(
                Finding(
                    "gate",
                    level,
                    f"the column cannot be read: {reason}",
                    column,
                    strength=math.inf,
                )
                for column, reason in unreadable.items()
            ),
            *without_columns(findings, unreadable),
        ]
    return findings


def _all_judges() -> Iterator[Judge]:
    names = {judge.name for judge in JUDGES}
    yield from JUDGES
    for entry_point in entry_points(group=ENTRY_POINTS):
        if entry_point.name not in names:
            register(entry_point.load()())
            yield JUDGES[-1]


def _ask(judge: Judge, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
    try:
        return judge.judge(context, batch)
    except Exception as error:  # a broken judge must not let a bad batch through in silence
        level = Decision.HOLD if context.settings.closed else Decision.WARN
        reason = f"the judge {judge.name!r} failed: {type(error).__name__}: {error}"
        return [Finding("gate", level, reason)]
