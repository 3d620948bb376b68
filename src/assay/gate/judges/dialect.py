"""The judge of the file's dialect: delimiter, encoding, byte-order mark, header, unfit values.

Assay detects the dialect of each file, so it reads a changed one without trouble. The next reader
of the file may not. A value that is not of the type of its column is unfit, and is read as null.

>>> before = FileDialect(",")
>>> for finding in judge_dialect(FileDialect("\\t", bom=True), before):
...     print(finding.reason)
the delimiter is tab; it was comma.
the file begins with a byte-order mark; it did not.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.checks.formatting import percent, visible
from assay.gate.causes.cause import CauseCode, count_of
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.measured_batch import MeasuredBatch
from assay.io.csv_sniffer import DELIMITER_NAMES
from assay.io.file_dialect import FileDialect
from assay.store.verdict import Decision

__all__ = ["DialectJudge", "judge_dialect", "judge_unfit"]

#: unfit values are reported if their share is more than this many times that of the batch before
MAX_UNFIT_RATIO = 2.0
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
        findings = judge_dialect(dialect, before.writing) + judge_unfit(dialect, before.writing)
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


def judge_unfit(dialect: FileDialect | None, before: FileDialect | None) -> list[Finding]:
    """Return one warning for each column with more values of another type than before."""
    if dialect is None or before is None:
        return []
    shares_before = {name: n_unfit / n_values for name, n_unfit, n_values in before.unfit}
    findings = []
    for name, n_unfit, n_values in dialect.unfit:
        share, share_before = n_unfit / n_values, shares_before.get(name, 0.0)
        if share <= MAX_UNFIT_RATIO * share_before:
            continue
        are = "is" if n_unfit == 1 else "are"
        reason = (
            f"{count_of(n_unfit, n_values, 'values')} {are} not of the type of the column"
            f" ({percent(share)}); {percent(share_before)} before."
        )
        cause = f"{reason} {'It is' if n_unfit == 1 else 'They are'} read as null."
        findings.append(
            Finding(
                "dialect",
                Decision.WARN,
                reason,
                name,
                "unfit",
                actual=share,
                low=0.0,
                high=share_before,
                severity=share - share_before,
                cause=cause,
                cause_code=CauseCode.VALUES_UNFIT,
            )
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
