"""The next step for each cause, in one sentence."""

from __future__ import annotations

from collections.abc import Mapping

from assay.gate.causes.cause import CauseCode

__all__ = ["advice", "cause_words"]

_ASK_FOR_ROWS = (
    "Ask the sender whether the delivery is complete. Submit the whole batch under the same key."
)
_RENAMED = "If the change is wanted, release the batch; otherwise ask the sender to undo it."
_NULLS = "Look at rows without a value: is a source missing, or did a join or a conversion fail?"
_CONVERT = "Convert the values back and submit the batch again, or ask the sender to."
_DEFAULT = "Look at these rows: a default may stand for values that are missing."

_ADVICE: Mapping[str, str] = {
    CauseCode.UNREADABLE: "Ask the sender for the file again.",
    CauseCode.JUDGE_FAILED: "Submit the batch again. If this fails again, report the error.",
    CauseCode.NO_ROWS: _ASK_FOR_ROWS,
    CauseCode.SEGMENT_MISSING: _ASK_FOR_ROWS,
    CauseCode.ROWS_MISSING: _ASK_FOR_ROWS,
    CauseCode.ROWS_REPEATED: "Remove the repeated rows, and submit the batch again.",
    CauseCode.ROWS_DUPLICATED: "Remove the repeated rows, and submit the batch again.",
    CauseCode.ROW_COUNT: "Compare the number of rows with the source.",
    CauseCode.REDELIVERED: "Ask the sender for the new batch: this one was delivered before.",
    CauseCode.ARRIVAL_GAP: "Look for batches that did not arrive.",
    CauseCode.COLUMNS_SHIFTED: "Look at the file: a delimiter inside a value shifts the fields.",
    CauseCode.OTHER_TABLE: "Check the name of the dataset: the batch looks like another table.",
    CauseCode.COLUMN_GONE: _RENAMED,
    CauseCode.COLUMN_NEW: _RENAMED,
    CauseCode.COLUMN_RENAMED: _RENAMED,
    CauseCode.COLUMNS_SWAPPED: "Look at the order of the columns where the file is written.",
    CauseCode.COLUMN_ORDER: _RENAMED,
    CauseCode.DECIMAL_COMMA: _CONVERT,
    CauseCode.TYPE_CHANGED: "Look for values that are not of the earlier type.",
    CauseCode.DIALECT_CHANGED: "Look at the file: its delimiter, quotes or header changed.",
    CauseCode.VALUES_UNFIT: "Look at the file: some values are not of the type of their column.",
    CauseCode.NULLS_TOGETHER: _NULLS,
    CauseCode.NULLS_ROSE: _NULLS,
    CauseCode.NULLS_FELL: _DEFAULT,
    CauseCode.CONSTANT: _DEFAULT,
    CauseCode.CASE_CHANGED: _CONVERT,
    CauseCode.SPACES_CHANGED: "Trim the values and submit the batch again.",
    CauseCode.TEXT_CUT: "Look for a column or a buffer that is too short for these values.",
    CauseCode.DEFAULT_ROSE: _DEFAULT,
    CauseCode.SEQUENCE_RESTARTED: "Look for a counter that was reset. Numbers may repeat.",
    CauseCode.COUNTER_FELL: "Compare with the last batch: were values corrected?",
    CauseCode.UNIT_CHANGED: _CONVERT,
    CauseCode.SIGN_CHANGED: _CONVERT,
    CauseCode.OFFSET: "Ask the sender for the reason, such as another zero point or currency.",
    CauseCode.SLOW_DRIFT: "Compare with the first batch of the drift: did its source change?",
    CauseCode.TIME_SHIFTED: "Compare the time zone of the source with that of earlier batches.",
    CauseCode.DATES_STALE: "Ask the sender for the current data.",
    CauseCode.KEY_DUPLICATED: "Look at the rows that share a key: is one of them outdated?",
    CauseCode.ORDER_BROKEN: "Look at the rows whose values are in the wrong order.",
    CauseCode.EQUALITY_BROKEN: "Look at the rows in which the two columns differ.",
    CauseCode.SUM_BROKEN: "Look at the rows whose parts do not add up to the total.",
    CauseCode.DEPENDENCY_BROKEN: "Look at the codes that have more than one name.",
    CauseCode.CORRELATION_BROKEN: "Check whether the rows of the two columns were mixed up.",
    CauseCode.VALUE_RENAMED: "If the new value is right, release the batch: it then knows it.",
    CauseCode.EMPTY_STRINGS_ROSE: _NULLS,
    CauseCode.ZEROS_ROSE: _DEFAULT,
    CauseCode.NEGATIVES_ROSE: "Look at the rows with negative numbers.",
    CauseCode.FORMAT_CHANGED: _CONVERT,
    CauseCode.VALUES_NEW: "If the new values are right, release the batch: it then knows them.",
    CauseCode.VALUES_GONE: "Ask the sender whether a part of the data is missing.",
    CauseCode.PATTERN_BROKEN: "Look at the values that do not match.",
    CauseCode.CONSTRAINT_FAILED: "Look at the failing rows, or change the check.",
}
#: causes whose code is not how people say it
_CAUSE_WORDS: Mapping[str, str] = {
    CauseCode.UNKNOWN: "unusual",
    CauseCode.VALUES_NEW: "new values",
    CauseCode.COLUMN_NEW: "new column",
}
_UNKNOWN = "Compare the column with the batch before. If the change is right, release the batch."


def advice(cause_code: str) -> str:
    """Return what to do about a problem.

    >>> advice("redelivered")
    'Ask the sender for the new batch: this one was delivered before.'
    """
    return _ADVICE.get(cause_code, _UNKNOWN)


def cause_words(cause_code: str) -> str:
    """Return a cause in two or three words.

    >>> cause_words("unit_changed"), cause_words("values_new"), cause_words("unknown")
    ('unit changed', 'new values', 'unusual')
    """
    return _CAUSE_WORDS.get(cause_code, cause_code.replace("_", " "))
