"""The judge of novelty: what makes a batch unlike the accepted ones (novelty-edbt21)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assay.checks.assertions.expectation import NotEnough
from assay.checks.formatting import counted_batches, format_value
from assay.gate.budget import Budget
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.repro_sql import with_repro_sql
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.learn.novelty.bands import Bands, judge
from assay.learn.novelty.metrics import Feature
from assay.learn.novelty.novelty_result import Method, Novelty, Reason
from assay.learn.novelty.outlier_detector import OutlierDetector
from assay.learn.novelty.sampling_error import sampling_errors
from assay.store.verdict import Decision
from assay.suite.settings import GateSettings

__all__ = ["NoveltyJudge", "judge_novelty"]

_ROWS = Feature(None, "rows")
_UNSEEN, _RARE = Feature(None, "unseen nulls"), Feature(None, "rare nulls")
#: a row count this many times farther out occurs by chance a tenth as often
TENTH_AS_LIKELY = 1.6


@dataclass(frozen=True)
class NoveltyJudge:
    """Compares the features of a batch with those of the accepted batches."""

    name: str = "novelty"
    holds_alone: bool = False
    spends_budget: bool = True

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Return the features that are outside of their bands, or far from other batches."""
        if not batch.fingerprint.rows:
            return []
        return judge_novelty(context.history, batch.fingerprint, context.budget, context.settings)


def judge_novelty(
    history: GateHistory, batch: Fingerprint, budget: Budget, settings: GateSettings
) -> list[Finding]:
    """Return the features that are outside of their bands, or far from those of other batches."""
    if settings.detector == "bands":
        findings = _outside(history, batch, budget, settings.season)
    else:
        findings = _far(history, batch, budget, settings.detector)
    return [with_repro_sql(finding, batch, history.metrics.last) for finding in findings]


def _outside(
    history: GateHistory, batch: Fingerprint, budget: Budget, season: int | None
) -> list[Finding]:
    """The features that lie outside of where they were foreseen."""
    bands = Bands(alpha=budget.warn, season=season)
    learned = bands.learn(history.features)
    if isinstance(learned, NotEnough):
        return []
    novelty = learned.judge(
        history.features_of(batch), sampling_errors(batch, history.metrics.last)
    )
    beyond = _once([each for each in novelty.reasons if each.ratio > novelty.limit])
    held = {each: TENTH_AS_LIKELY if each.feature == _ROWS else bands.hold for each in beyond}
    risks = {True: budget.hold, False: budget.warn}
    return [
        _of_reason(each, hold=each.ratio > limit, risk=risks[each.ratio > limit])
        for each, limit in (held if novelty.alarm else {}).items()
    ]


def _once(reasons: list[Reason]) -> list[Reason]:
    """Without nulls that are rare together where some never were, which are rare, of course."""
    unseen = any(each.feature == _UNSEEN for each in reasons)
    return [each for each in reasons if not (unseen and each.feature == _RARE)]


def _far(history: GateHistory, batch: Fingerprint, budget: Budget, method: Method) -> list[Finding]:
    """Of a batch that is far from the others as a whole, the features that never were so.

    The limit is about the largest score of n batches, which the next exceeds once in n + 1 times.
    What is held for alone is to be as clearly beyond as it is with bands.
    """
    novelty = judge(
        history.features, history.features_of(batch), OutlierDetector(method, budget.hold)
    )
    if not novelty.alarm:
        return []
    risk = max(budget.hold, 1 / (novelty.batches + 1))
    out = [each for each in novelty.reasons if not each.low <= each.observed <= each.high]
    never = _once([each for each in out if each.ratio > 1] or out)
    limits = {_ROWS: TENTH_AS_LIKELY, _UNSEEN: Bands().hold}
    return [
        _of_reason(each, hold=each.ratio > limits.get(each.feature, 1.0), risk=risk)
        for each in never
    ] or [_of_whole(novelty, method, risk)]


def _of_whole(novelty: Novelty, method: Method, risk: float) -> Finding:
    """Of a batch each feature of which was so before, but not all of them together."""
    batches, nearest = counted_batches(novelty.batches), novelty.reasons[0].feature
    reason = (
        f"as a whole it is far from the {batches} before, though no feature alone is: {method} has"
        f" a score of {format_value(novelty.score)}, expected at most"
        f" {format_value(novelty.limit)}; nearest to the edge of its range is {nearest}."
    )
    found = Finding("novelty", Decision.WARN, reason, None, "score", novelty.score)
    return replace(found, high=novelty.limit, risk=risk)


def _of_reason(reason: Reason, *, hold: bool, risk: float) -> Finding:
    column, metric = reason.feature
    return Finding(
        "novelty",
        Decision.HOLD if hold else Decision.WARN,
        str(replace(reason, feature=Feature(None, metric))),
        column,
        metric,
        reason.observed,
        reason.low,
        reason.high,
        risk,
        reason.ratio,
    )
