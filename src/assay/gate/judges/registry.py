"""The registry of judges, and the step that asks all of them.

Another package adds a judge with `register_judge`, or with an entry point in the group
``assay.judges``. The entry point names an instance, or a class that takes no arguments.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Protocol, runtime_checkable

from assay.errors import CheckError
from assay.gate.attempt import attempt
from assay.gate.causes.cause import CauseCode
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.judges.arrival import ArrivalJudge
from assay.gate.judges.checks import ChecksJudge
from assay.gate.judges.counters import CountersJudge
from assay.gate.judges.dialect import DialectJudge
from assay.gate.judges.drift import DriftJudge
from assay.gate.judges.empty import EmptyJudge
from assay.gate.judges.keys import KeysJudge
from assay.gate.judges.limits import LimitsJudge
from assay.gate.judges.novelty import NoveltyJudge
from assay.gate.judges.patterns import PatternsJudge
from assay.gate.judges.provisional import ProvisionalJudge
from assay.gate.judges.redelivery import RedeliveryJudge
from assay.gate.judges.relations import RelationsJudge
from assay.gate.judges.repeated_rows import RepeatedRowsJudge
from assay.gate.judges.schema import SchemaJudge
from assay.gate.judges.segments import SegmentsJudge
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.selection import is_selected
from assay.gate.unreadable import without_columns
from assay.plugins import load_plugins
from assay.suite.settings import GateSettings

__all__ = [
    "JUDGES",
    "Judge",
    "all_judges",
    "judge_batch",
    "register_judge",
    "selected_judges",
]


@runtime_checkable
class Judge(Protocol):
    """Compares a measured batch with the data of the gate.

    A judge reads neither the batch nor the store. It returns one finding for each observation
    outside expectation. The finding's `level` is what the judge alone would decide.
    """

    @property
    def name(self) -> str:
        """The name that findings carry."""

    @property
    def holds_alone(self) -> bool:
        """Return whether its findings hold a batch without the agreement of a learner.

        If not, a finding that holds becomes a warning, unless limits or novelty report the same
        column.
        """

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return the findings about a batch."""


#: in the order in which they are asked
JUDGES: list[Judge] = [
    SchemaJudge(),
    DialectJudge(),
    ChecksJudge(),
    PatternsJudge(),
    EmptyJudge(),
    RepeatedRowsJudge(),
    RelationsJudge(),
    KeysJudge(),
    CountersJudge(),
    ProvisionalJudge(),
    LimitsJudge(),
    RedeliveryJudge(),
    NoveltyJudge(),
    DriftJudge(),
    SegmentsJudge(),
    ArrivalJudge(),
]


def register_judge(judge: Judge) -> None:
    """Add a judge, or replace the one with its name.

    Raises
    ------
    CheckError
        If it lacks a member of `Judge`.
    """
    if not isinstance(judge, Judge):
        raise CheckError(
            f"a judge has the wrong form: expected name, holds_alone and judge(),"
            f" got {judge!r}. See assay.gate.judges.registry.Judge."
        )
    names = [registered.name for registered in JUDGES]
    if judge.name in names:
        JUDGES[names.index(judge.name)] = judge
    else:
        JUDGES.append(judge)


def all_judges() -> tuple[Judge, ...]:
    """Return the registered judges, with those of other packages."""
    _register_plugins()
    return tuple(JUDGES)


def selected_judges(settings: GateSettings) -> tuple[Judge, ...]:
    """Return the judges that the settings select: all by default."""
    judges = all_judges()
    if not settings.judges:
        return judges
    return tuple(judge for judge in judges if judge.name in settings.judges)


def judge_batch(context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
    """Ask the selected judges. A judge that fails is reported, and the others still judge."""
    settings = context.settings
    findings = [
        finding
        for judge in selected_judges(settings)
        for finding in _ask(judge, context, batch)
        if is_selected(finding, settings)
    ]
    unreadable = batch.unreadable_columns
    if not unreadable:
        return findings
    return [
        *_unreadable_columns(context, batch),
        *without_columns(findings, unreadable),
    ]


@cache
def _register_plugins() -> None:
    for _, judge in load_plugins("assay.judges"):
        register_judge(judge() if isinstance(judge, type) else judge)


def _ask(judge: Judge, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
    level = context.settings.level_on_error
    findings = attempt(f"the judge {judge.name!r}", level, lambda: judge.judge(context, batch))
    return [findings] if isinstance(findings, Finding) else findings


def _unreadable_columns(context: BatchContext, batch: MeasuredBatch) -> Iterator[Finding]:
    for column, reason in batch.unreadable_columns.items():
        yield Finding(
            "gate",
            context.settings.level_on_error,
            f"the column cannot be read: {reason}",
            column,
            severity=math.inf,
            cause_code=CauseCode.UNREADABLE,
        )
