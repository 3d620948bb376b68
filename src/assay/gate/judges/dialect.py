"""The judge of the file's dialect: delimiter, encoding, byte-order mark, header.

Assay detects the dialect of each file, so it reads a changed one without trouble. The next reader
of the file may not.

>>> before = FileDialect(",")
>>> [finding.reason for finding in judge_dialect(FileDialect("\\t", bom=True), before)]
['fields are separated by tab, and were by comma.',
 'the file begins with a byte-order mark, and did not.']
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.checks.formatting import visible
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.measured_batch import MeasuredBatch
from assay.io.dialect import DELIMITER_NAMES, FileDialect
from assay.store.verdict import Decision

__all__ = ["DialectJudge", "judge_dialect"]

_ENCODINGS = {"iso-8859-1": "latin-1"}


@dataclass(frozen=True)
class DialectJudge:
    """Warns if the file is written in another dialect than the last one."""

    name: str = "dialect"
    holds_alone: bool = False
    spends_budget: bool = False

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Compare with the last accepted batch, and with a batch that was held since."""
        before = context.history.schema
        if batch.schema is None or before is None:
            return []
        now = batch.schema.writing
        findings = judge_dialect(now, before.writing)
        held = context.history.held
        if held is not None and held[1] is not None:
            reported = {finding.metric for finding in findings}
            when = f"in {visible(held[0].key)}, which was held"
            findings += (
                finding
                for finding in judge_dialect(now, held[1].writing, when)
                if finding.metric not in reported
            )
        return findings


def judge_dialect(
    now: FileDialect | None, before: FileDialect | None, when: str = ""
) -> list[Finding]:
    """Return one warning for each change since `before`; `when` names that batch."""
    if now is None or before is None:
        return []
    then = f" {when}." if when else "."
    reasons: dict[str, str] = {}
    if now.delimiter != before.delimiter:
        this, that = (
            DELIMITER_NAMES.get(each.delimiter, repr(visible(each.delimiter)))
            for each in (now, before)
        )
        reasons["delimiter"] = f"fields are separated by {this}, and were by {that}{then}"
    encodings = [_ENCODINGS.get(each, each) for each in (now.encoding, before.encoding) if each]
    if len(set(encodings)) == 2:
        reasons["encoding"] = f"the text is {encodings[0]}, and was {encodings[1]}{then}"
    elif now.bom != before.bom:
        begins = f"begins with a byte-order mark, and did not{then}"
        ended = f"does not begin with a byte-order mark, and did{then}"
        reasons["bom"] = f"the file {begins if now.bom else ended}"
    if now.header != before.header:
        named = "names the columns, and did not" if now.header else "names no columns, and did"
        reasons["header"] = f"the first line {named}{then}"
    return [
        Finding("dialect", Decision.WARN, reason, metric=what) for what, reason in reasons.items()
    ]
