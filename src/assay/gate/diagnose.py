"""What speaks for a finding beyond its number: the nearest known cause, and since when."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.checks.formatting import visible
from assay.gate.causes import cause
from assay.gate.finding import Finding, judge_of
from assay.gate.table_causes import cause_of_nulls, cause_of_rows, shifted
from assay.learn.fingerprint.column_stats import Fingerprint
from assay.store.verdict import Decision, VerdictRecord

__all__ = ["diagnose", "since"]

#: metrics that are the number of rows
_ROWS = ("row_count", "rows")
#: and of combinations of nulls
_NULLS = ("unseen nulls", "rare nulls")
#: columns with no more values than this are looked at one by one
_FEW = 30


def diagnose(
    findings: Iterable[Finding],
    batch: Fingerprint,
    last: Fingerprint | None,
    verdicts: Sequence[VerdictRecord] = (),
) -> list[Finding]:
    """The findings with the nearest known cause in words, by what the last batch had.

    `verdicts` are those on the batches before: they tell since when there are alarms.
    """
    found = [
        replace(each, since=since(verdicts, each)) if each.alarm else each for each in findings
    ]
    if last is None:
        return found
    moved = shifted(batch, last) if any(each.alarm for each in found) else None
    return [_diagnosed(each, batch, last, moved) if each.alarm else each for each in found]


def _diagnosed(
    finding: Finding, batch: Fingerprint, last: Fingerprint, moved: str | None
) -> Finding:
    name = finding.column
    if moved is not None and name is not None:
        return replace(finding, cause=moved)
    if name is None:
        if finding.metric in _NULLS:
            return replace(finding, cause=cause_of_nulls(batch, last))
        if finding.metric not in _ROWS:
            return finding
        reason = cause_of_rows(batch, last)
        return replace(finding, cause=reason, where=_missing(batch, last))
    if name not in batch.columns or name not in last.columns:
        return finding
    metric = None if finding.judge == "schema" else finding.metric
    own = cause(batch.columns[name], last.columns[name], metric)
    return replace(finding, cause=own or cause_of_rows(batch, last))


def _missing(batch: Fingerprint, last: Fingerprint) -> str | None:
    """The value, of any column with few of them, of which the number of rows changed most."""
    apart: list[tuple[float, str]] = []
    change = batch.rows - last.rows
    for name, before in last.columns.items():
        now = batch.columns.get(name)
        if now is None or not before.is_category(_FEW) or not now.is_category(_FEW) or not change:
            continue
        for value in before.value_counts.keys() | now.value_counts.keys():
            then, count = before.value_counts.get(value, 0), now.value_counts.get(value, 0)
            share = (count - then) / change
            # a value that nearly all rows have says nothing
            if share > 0.6 and then < 0.5 * last.rows:
                text = f"{visible(name)} = {visible(value)!r}: {then:,} rows before, {count:,} now"
                apart.append((share, text))
    return max(apart)[1] if apart else None


def since(verdicts: Sequence[VerdictRecord], finding: Finding) -> str | None:
    """The first batch of an unbroken run of alarms like this one, up to the last verdict.

    Like it are those about its column, by whatever metric, or by its judge about the same of the
    table. What a column is called and what it holds are two things; that it is gone and that it is
    new are two, too.
    """
    first = None
    latest = {each.key: each for each in verdicts}
    for each in reversed(list(latest.values())):
        alarms = [f for f in each.findings if f.get("level") != Decision.ACCEPT.value]
        if not any(_alike(each, finding) for each in alarms):
            break
        first = each.key
    return first


def _alike(said: Mapping[str, Any], finding: Finding) -> bool:
    if said.get("column") != finding.column:
        return False
    if finding.column is None or finding.judge == "schema":
        return (judge_of(said), said.get("metric")) == (finding.judge, finding.metric)
    return said.get("judge") != "schema"
