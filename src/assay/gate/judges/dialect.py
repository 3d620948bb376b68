"""The judge of the file's dialect: delimiter, encoding, byte-order mark, header.

Assay detects the dialect of each file, so it reads a changed one without trouble. The next reader
of the file may not.

>>> before = FileDialect(",")
>>> for finding in judge_dialect(FileDialect("\\t", bom=True), before):
...     print(finding.reason)
the delimiter is tab; it was comma.
the file begins with a byte-order mark; it did not.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.checks.formatting import visible
from assay.gate.causes.cause import CauseCode
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

    def judge(self, context: BatchContext, batch: MeasuredBatch) -> list[Finding]:
        """Compare with the last accepted batch, and with a batch that was held since."""
        before = context.history.schema
        if batch.schema is None or before is None:
            return []
        dialect = batch.schema.writing
        findings = judge_dialect(dialect, before.writing)
        held = context.history.held
        if held is not None and held[1] is not None:
            reported = {finding.metric for finding in findings}
            when = f"in {visible(held[0].key)}, which was held"
            findings += (
                finding
                for finding in judge_dialect(dialect, held[1].writing, when)
                if finding.metric not in reported
            )
        return findings


def judge_dialect(
    dialect: FileDialect | None, before: FileDialect | None, when: str = ""
) -> list[Finding]:
    """Return one warning for each change since `before`; `when` names that batch."""
    if dialect is None or before is None:
        return []
    end = f" {when}." if when else "."
    reasons: dict[str, str] = {}
    if dialect.delimiter != before.delimiter:
        delimiter, delimiter_before = (
            DELIMITER_NAMES.get(one.delimiter, repr(visible(one.delimiter)))
            for one in (dialect, before)
        )
        reasons["delimiter"] = f"the delimiter is {delimiter}; it was {delimiter_before}{end}"
    encodings = [
        _ENCODINGS.get(encoding, encoding)
        for encoding in (dialect.encoding, before.encoding)
        if encoding
    ]
    if len(set(encodings)) == 2:
        reasons["encoding"] = f"the encoding is {encodings[0]}; it was {encodings[1]}{end}"
    elif dialect.bom != before.bom:
        begins = "begins with a byte-order mark; it did not"
        lacks = "does not begin with a byte-order mark; it did"
        reasons["bom"] = f"the file {begins if dialect.bom else lacks}{end}"
    if dialect.header != before.header:
        has = "the first line is a header; it was data"
        lacks = "the first line is data; it was a header"
        reasons["header"] = f"{has if dialect.header else lacks}{end}"
    return [
        Finding(
            "dialect",
            Decision.WARN,
            reason,
            metric=change,
            cause_code=CauseCode.DIALECT_CHANGED,
        )
        for change, reason in reasons.items()
    ]
