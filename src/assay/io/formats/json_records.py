"""JSON: one record per line, an array of records, or one record over many lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.io.compression import read_head, unpack
from assay.io.file_format import FileDescription, FileFormat, FileHead, NotATable, ReadOptions
from assay.io.load_request import LoadRequest
from assay.io.ragged_rows import RAGGED_COLUMN

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Json"]

#: kinds of values that tell fields apart; null has no kind
_KINDS: Mapping[type, str] = {
    bool: "boolean", int: "number", float: "number", str: "text", list: "list", dict: "record",
}  # fmt: skip
#: a decoder reports that text is cut off at most this many characters before its end
_CUT_CHARACTERS = 64


class Json(FileFormat):
    """JSON records."""

    name, label, extensions = "json", "JSON", ("json", "jsonl", "ndjson")
    is_text = True

    def recognise(self, head: FileHead, options: ReadOptions) -> FileDescription | NotATable | None:
        """Recognise text that begins with a record or an array."""
        text = head.text.lstrip()
        description = None
        if text.startswith("["):
            description = _array(text, is_whole=head.is_whole)
        elif text.startswith("{"):
            description = _records(text, is_whole=head.is_whole)
        if description is None and options.format == self.name:
            return NotATable("json", "it is not JSON")
        return description

    def reader_options(
        self, description: FileDescription, options: ReadOptions
    ) -> Mapping[str, Any]:
        """Return ``multiLine``: whether records extend over lines."""
        return {
            "multiLine": not description.json_lines,
            "columnNameOfCorruptRecord": RAGGED_COLUMN,
        }

    def load(self, request: LoadRequest) -> DataFrame:
        """Read records; the column with broken ones is there on request, and if there are any."""
        df = super().load(request)
        return df if request.malformed_column else df.drop(RAGGED_COLUMN)

    def field_kinds(self, path: Path, description: FileDescription) -> Mapping[str, str | None]:
        """Return the fields of the first records, with the kind of their first value."""
        unpacked = unpack(read_head(path)[0])
        text = "" if unpacked is None else unpacked[0].decode(description.encoding, "replace")
        kinds: dict[str, str | None] = {}
        for record in _complete_records(
            text.removeprefix("\ufeff"), is_lines=description.json_lines
        ):
            for name, value in record.items():
                kinds[name] = kinds.get(name) or _KINDS.get(type(value))
        return kinds

    def describe(self, description: FileDescription) -> str:
        """Name the format and whether each line is a record."""
        return "JSON, one record per line" if description.json_lines else "JSON"


def _records(text: str, *, is_whole: bool) -> FileDescription | NotATable | None:
    line, line_end, _ = text.partition("\n")
    try:
        first = json.loads(line)
    except ValueError as error:
        is_cut_line = not line_end and not is_whole
        if is_cut_line or _is_json(text, is_whole=is_whole):
            return FileDescription("json", json_lines=is_cut_line)
        # a CSV file may begin with a brace, but hardly with a brace and a quote
        if re.match(r"\{\s*\"", text):
            return NotATable("json", f"it is broken JSON: {error}")
        return None
    return FileDescription("json", tuple(first)) if isinstance(first, dict) else None


def _array(text: str, *, is_whole: bool) -> FileDescription | NotATable | None:
    inner = text[1:].lstrip()
    if inner.startswith("]"):
        return NotATable(
            "no_records", "it is an empty JSON array: it has no records and therefore no columns"
        )
    if inner.startswith("{"):
        if is_whole and not _is_json(text, is_whole=True):
            return NotATable("json", "it is broken JSON: an array that does not end")
        return FileDescription("json", json_lines=False)
    if inner[:1] in {'"', "["} or re.match(r"-?[0-9]|true|false|null", inner):
        return NotATable("json", "it is a JSON array, but not of records")
    return None


def _is_json(text: str, *, is_whole: bool) -> bool:
    """Return whether the text is JSON, or the beginning of JSON if there is more of the file."""
    try:
        json.JSONDecoder().raw_decode(text)
    except json.JSONDecodeError as error:
        # an unterminated string is reported where it begins
        is_cut = error.pos >= len(text) - _CUT_CHARACTERS or error.msg.startswith("Unterminated")
        return not is_whole and is_cut
    return True


def _complete_records(text: str, *, is_lines: bool) -> Iterator[dict[str, Any]]:
    decoder, position = json.JSONDecoder(), text.find("{")
    while position >= 0:
        try:
            record, end = decoder.raw_decode(text, position)
        except ValueError:
            # skip a broken line; a broken document ends here
            end = text.find("\n", position) if is_lines else -1
        else:
            if isinstance(record, dict):
                yield record
        position = text.find("{", end) if end >= 0 else -1
