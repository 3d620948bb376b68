"""The judges: declared checks, rules from history, novelty. Each makes findings of what it sees.

All see the same measurement of a batch; none reads the batch again. Of the two that learn, each
alone may warn; a batch is held for what both notice. The budget is the share of
batches that may be held although they are fine. History's strict programs and novelty's holds
divide it evenly; warnings, which stop nothing, may be ten times as frequent.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from fractions import Fraction

from assay.checks.anomalies import NotEnough
from assay.checks.constraint import Level
from assay.checks.lesson import NO_PATTERN
from assay.checks.result import ConstraintResult, Outcome, Result
from assay.checks.unremarkable import NOT_ENOUGH
from assay.checks.wording import shown
from assay.gate.finding import Finding
from assay.gate.knowledge import Knowledge
from assay.gate.reproduction import null_rows, reproduction, selection
from assay.learn.fingerprint.facts import Fingerprint
from assay.learn.history.bounds import constant_rate
from assay.learn.history.constraint import NEED
from assay.learn.history.judge import Finding as Limit
from assay.learn.history.one_row import by_one_row
from assay.learn.history.program import Mode, Settings
from assay.learn.history.table import TableProgram, judge_batch, learn_chronicles
from assay.learn.novelty.bands import Bands
from assay.learn.novelty.chance import chances
from assay.learn.novelty.judge import judge
from assay.learn.novelty.metrics import UNCHANGED, Feature
from assay.learn.novelty.novelty import Method, Novelty, Reason
from assay.learn.novelty.points import Points
from assay.store.verdict import Decision
from assay.suite.settings import GateSettings

__all__ = [
    "WARNINGS",
    "Budget",
    "agreed",
    "judge_checks",
    "judge_empty",
    "judge_history",
    "judge_like",
    "programs_of",
]

#: warnings may be so many times as frequent as holds
WARNINGS = 10
_ROWS = Feature(None, "rows")
_UNSEEN, _RARE = Feature(None, "unseen nulls"), Feature(None, "rare nulls")
#: held for though one learner alone notices
_ALONE = (_ROWS, _UNSEEN, UNCHANGED)
_NULLS = frozenset(("complete_ratio", "completeness", "filled"))
#: what was empty fewer times, or less often, than this is told of each time
_SEVERAL, _SELDOM = 3, 0.01
#: so much farther out, it is a tenth as frequent that the number of rows is there by chance
_TENTH = 1.6


@dataclass(frozen=True)
class Budget:
    """How many batches in all may be held by mistake, and what each learner has of it.

    Those that may hold are history and novelty; and patterns, where a lake speaks for them.
    """

    whole: Fraction
    learners: int = 2

    @staticmethod
    def of(settings: GateSettings, *, lake: bool = False) -> Budget:
        """What the settings say; `lake`: an index was given beside them."""
        return Budget(settings.budget, 3 if lake or settings.patterns is not None else 2)

    @property
    def hold(self) -> float:
        """For the holds of one learner."""
        return float(self.whole / self.learners)

    @property
    def warn(self) -> float:
        """For its warnings."""
        return min(0.5, WARNINGS * self.hold)


def judge_checks(batch: Result, whole: Result, *, closed: bool) -> list[Finding]:
    """What the checks found, of the batch and of the whole with it; the same is told once."""
    found = list(_of_result(batch, closed=closed))
    told = {each.metric for each in found if each.alarm}
    found += (
        replace(each, reason=f"of the whole, with this batch: {each.reason}")
        for each in _of_result(whole, closed=closed)
        if each.alarm and each.metric not in told
    )
    return found


def _of_result(result: Result, *, closed: bool) -> Iterator[Finding]:
    for each in result.results:
        if each.outcome is Outcome.PASSED:
            continue
        if each.outcome is Outcome.FAILED:
            level = Decision.HOLD if each.level is Level.ERROR else Decision.WARN
        elif each.problem is not None and each.problem.code in {NOT_ENOUGH, NO_PATTERN}:
            level = Decision.ACCEPT
        else:
            level = Decision.HOLD if closed and each.serious else Decision.WARN
        yield _of_constraint(each, level)


def _of_constraint(result: ConstraintResult, level: Decision) -> Finding:
    subject = getattr(result.constraint.analyzer, "column", None)
    column = subject if isinstance(subject, str) else None
    return Finding("checks", level, result.message, column, result.constraint.name)


def programs_of(
    known: Knowledge,
    budget: Budget,
    season: int | None,
    only: Collection[str | None] | None = None,
) -> dict[Mode, TableProgram]:
    """A strict program, which holds, and a sensitive one, which warns; or those of some columns."""
    rates: dict[Mode, float] = {"strict": budget.hold, "sensitive": budget.warn}
    settings = [Settings(mode=mode, delta=rate, season=season) for mode, rate in rates.items()]
    return dict(zip(rates, learn_chronicles(known.chronicle, settings, only=only), strict=True))


def judge_history(
    programs: Mapping[Mode, TableProgram], known: Knowledge, batch: Fingerprint
) -> list[Finding]:
    """What leaves the limits that history sets; what breaks both programs is told once.

    What had never changed costs more than its column's part of the budget, and only warns; where
    one row does it, nothing is said.
    """
    levels: dict[Mode, Decision] = {"strict": Decision.HOLD, "sensitive": Decision.WARN}
    found: dict[tuple[str | None, str | None], Finding] = {}
    for mode, program in programs.items():
        for each in judge_batch(program, known.chronicle, batch):
            own = each.column, each.metric
            if not each.broken or own in found or each.metric is None:
                continue
            if not (each.constant and _by_one_row(each, known, batch)):
                found[own] = _of_limit(each, Decision.WARN if each.share > 1 else levels[mode])
    return [_seen_again(each, batch, known.chronicle.last) for each in found.values()]


def _by_one_row(limit: Limit, known: Knowledge, batch: Fingerprint) -> bool:
    last = known.chronicle.last
    if limit.column is None or last is None or limit.column not in last.columns:
        return False
    before, low, high, observed = last.columns[limit.column], limit.low, limit.high, limit.observed
    if limit.metric is None or low is None or high is None or observed is None:
        return False
    return by_one_row(limit.metric, low / 2 + high / 2, observed, before, batch.rows)


def _of_limit(limit: Limit, level: Decision) -> Finding:
    return Finding(
        "history",
        level,
        limit.reason,
        limit.column,
        limit.metric,
        limit.observed,
        limit.low,
        limit.high,
        limit.rate,
        _beyond(limit),
    )


def _seen_again(finding: Finding, batch: Fingerprint, last: Fingerprint | None) -> Finding:
    """The finding with what shows it; nothing does of a column that the batch does not have."""
    column, metric = finding.column, finding.metric
    if column is not None and column not in batch.columns:
        return finding
    rows = selection(column, metric, finding.observed, finding.low, finding.high)
    if Feature(column, metric or "") in (_UNSEEN, _RARE):
        rows = null_rows(batch, last)
    return replace(finding, reproduce=reproduction(column, metric, rows), rows=rows)


def _beyond(limit: Limit) -> float:
    """How far outside, in widths of the band."""
    low, high, observed = limit.low, limit.high, limit.observed
    if low is None or high is None or observed is None or observed != observed:
        return 0.0
    width = high - low
    outside = max(low - observed, observed - high, 0.0)
    return outside / width if 0 < width < float("inf") else outside


def agreed(
    findings: Iterable[Finding], *, few: bool = False, labels: Set[str] = frozenset()
) -> list[Finding]:
    """What the learners found; a batch is held only for columns that both of them notice.

    Each is wrong now and then about a batch that is fine, and seldom both about the same column.
    The number of rows is held for alone, and so are rows whose combination of nulls never was, and
    a batch that is the last one again: each is one metric and not one of many. A batch of far
    `few`-er rows than others is unlike them in every way: that is told of the table, and what so
    few rows say of columns only warns. So does a change of what has one value a batch: it is one
    number that never changed, however many rows repeat it; that it is null is another thing.
    """
    found = list(findings)
    alarmed = {
        judge: {each.column for each in found if each.judge == judge and _about_values(each)}
        for judge in ("history", "novelty")
    }
    both = alarmed["history"] & alarmed["novelty"]
    both = both & {None} if few else both
    return [
        replace(each, level=Decision.WARN)
        if each.judge in alarmed
        and each.level is Decision.HOLD
        and (each.column not in both or (each.column in labels and each.metric not in _NULLS))
        and (each.column, each.metric) not in _ALONE
        else each
        for each in found
    ]


def _about_values(finding: Finding) -> bool:
    """Whether it is an alarm about what a batch holds, not about when or whether it came."""
    return finding.alarm and finding.metric not in ("pause", UNCHANGED.metric)


def judge_empty(known: Knowledge) -> list[Finding]:
    """A batch without rows is held if none before it was: of its columns there is nothing to say.

    After too few batches to learn from it is a warning, and so it is until several, and more than
    one in a hundred, were empty.
    """
    before, empty = known.memory.batches, known.memory.empty
    found = Finding("history", Decision.WARN, "", None, "row_count", 0.0)
    if not before:
        reason = "there are no rows, and no batch before to compare with."
        return [replace(found, reason=reason)]
    if empty:
        reason = f"there are no rows, as in {empty} of the {_batches(before)} before."
        usual = empty >= _SEVERAL and empty > _SELDOM * before
        return [replace(found, reason=reason, level=Decision.ACCEPT if usual else Decision.WARN)]
    alarm = replace(
        found,
        level=Decision.HOLD if before >= NEED else Decision.WARN,
        reason=f"there are no rows; each of the {_batches(before)} before had some.",
        low=1.0,
        high=math.inf,
        risk=constant_rate(before),
        strength=math.inf,
        reproduce=reproduction(None, "row_count"),
    )
    return [alarm]


def _batches(number: int) -> str:
    return "1 batch" if number == 1 else f"{number} batches"


def judge_like(
    known: Knowledge, batch: Fingerprint, budget: Budget, settings: GateSettings
) -> list[Finding]:
    """What makes the batch unlike the accepted ones, feature by feature."""
    if settings.detector == "bands":
        found = _outside(known, batch, budget, settings.season)
    else:
        found = _far(known, batch, budget, settings.detector)
    return [_seen_again(each, batch, known.chronicle.last) for each in found]


def _outside(
    known: Knowledge, batch: Fingerprint, budget: Budget, season: int | None
) -> list[Finding]:
    """The features that lie outside of where they were foreseen."""
    bands = Bands(alpha=budget.warn, season=season)
    learned = bands.learn(known.features)
    if isinstance(learned, NotEnough):
        return []
    novelty = learned.judge(known.features_of(batch), chances(batch, known.chronicle.last))
    beyond = _once([each for each in novelty.reasons if each.ratio > novelty.limit])
    held = {each: _TENTH if each.feature == _ROWS else bands.hold for each in beyond}
    risks = {True: budget.hold, False: budget.warn}
    return [
        _of_reason(each, hold=each.ratio > limit, risk=risks[each.ratio > limit])
        for each, limit in (held if novelty.alarm else {}).items()
    ]


def _once(reasons: list[Reason]) -> list[Reason]:
    """Without nulls that are rare together where some never were, which are rare, of course."""
    unseen = any(each.feature == _UNSEEN for each in reasons)
    return [each for each in reasons if not (unseen and each.feature == _RARE)]


def _far(known: Knowledge, batch: Fingerprint, budget: Budget, method: Method) -> list[Finding]:
    """Of a batch that is far from the others as a whole, the features that never were so.

    The limit is about the largest score of n batches, which the next exceeds once in n + 1 times.
    What is held for alone is to be as clearly beyond as it is with bands.
    """
    novelty = judge(known.features, known.features_of(batch), Points(method, budget.hold))
    if not novelty.alarm:
        return []
    risk = max(budget.hold, 1 / (novelty.batches + 1))
    out = [each for each in novelty.reasons if not each.low <= each.observed <= each.high]
    never = _once([each for each in out if each.ratio > 1] or out)
    limits = {_ROWS: _TENTH, _UNSEEN: Bands().hold}
    return [
        _of_reason(each, hold=each.ratio > limits.get(each.feature, 1.0), risk=risk)
        for each in never
    ] or [_of_whole(novelty, method, risk)]


def _of_whole(novelty: Novelty, method: Method, risk: float) -> Finding:
    """Of a batch each feature of which was so before, but not all of them together."""
    batches, nearest = _batches(novelty.batches), novelty.reasons[0].feature
    reason = (
        f"as a whole it is far from the {batches} before, though no feature alone is: {method} has"
        f" a score of {shown(novelty.score)}, expected at most {shown(novelty.limit)}; nearest to"
        f" the edge of its range is {nearest}."
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
