"""How a file of text is written: what separates its fields, its encoding, how it begins.

Whoever reads such files finds that out anew each time, and so reads what was written otherwise just
as well. The next reader may not.

>>> before = Writing(",")
>>> [each.reason for each in judge_writing(Writing("\\t", bom=True), before)]
['fields are separated by tab, and were by comma.',
 'the file begins with a byte-order mark, and did not.']
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from assay.checks.wording import visible
from assay.engine.sniff import Sniffed
from assay.gate.finding import Finding
from assay.store.verdict import Decision

__all__ = ["Writing", "judge_writing"]

_DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon", "|": "vertical bar"}
_ENCODINGS = {"iso-8859-1": "latin-1"}


@dataclass(frozen=True)
class Writing:
    """How a table is written as text; `encoding` is None if all characters are ASCII."""

    delimiter: str
    encoding: str | None = None
    bom: bool = False
    header: bool = True

    @staticmethod
    def of(how: Sniffed) -> Writing | None:
        """That of a file, if it is lines of fields."""
        if how.format != "csv":
            return None
        return Writing(how.delimiter, None if how.ascii else how.encoding, how.bom, how.header)

    def after(self, before: Writing | None) -> Writing:
        """As it is remembered: what is all ASCII is in the encoding that was."""
        if self.encoding is not None or before is None:
            return self
        return replace(self, encoding=before.encoding)

    def written(self) -> dict[str, Any]:
        """In strings and truth values."""
        return asdict(self)

    @staticmethod
    def read(document: Mapping[str, Any]) -> Writing:
        """The inverse of `written`."""
        return Writing(**document)


def judge_writing(now: Writing | None, before: Writing | None, when: str = "") -> list[Finding]:
    """What is written otherwise than `before`, in the last batch or `when`, each a warning."""
    if now is None or before is None:
        return []
    then = f" {when}." if when else "."
    reasons: dict[str, str] = {}
    if now.delimiter != before.delimiter:
        this, that = (
            _DELIMITERS.get(each.delimiter, repr(visible(each.delimiter))) for each in (now, before)
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
        Finding("schema", Decision.WARN, reason, metric=what) for what, reason in reasons.items()
    ]
