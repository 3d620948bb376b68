"""What a file is, from its first bytes: which format of a table, or why it is none.

Nothing is asked but the bytes, so that whoever holds some can ask: a reader of files, and a judge
of what was delivered under the name of a table.

>>> sniff(b"\\xef\\xbb\\xbfstate;beds\\nAL;14,5\\nAK;2\\n")
Sniffed(format='csv', columns=('state', 'beds'), delimiter=';', bom=True)
>>> print(sniff(b"<!DOCTYPE html><html><title>Site Currently Unavailable</title>"))
it is an HTML page, 'Site Currently Unavailable'
"""

from __future__ import annotations

import bz2
import codecs
import json
import re
import zlib
from dataclasses import dataclass, field
from typing import Any

from assay.engine.delimited import layout_of

__all__ = ["HEAD", "NotATable", "Reading", "Sniffed", "is_html", "sniff", "unpacked"]

#: so many bytes tell what a file is
HEAD = 1 << 18

_BOMS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_OTHERS = {
    b"%PDF-": "a PDF document",
    b"Obj\x01": "an Avro file, which Spark reads with a package of its own (--format avro)",
    b"SQLite format 3\0": "an SQLite database",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"GIF8": "an image",
    b"\xd0\xcf\x11\xe0": "an old Office document, such as an Excel workbook: export it as CSV",
    b"7z\xbc\xaf": "a 7z archive: unpack it",
    b"\x28\xb5\x2f\xfd": "compressed with zstd: unpack it, or give its --format",
    b"\xfd7zXZ": "compressed with xz: unpack it",
}
# comments are never given back: else their number would be the exponent of the time this takes
_HTML = re.compile(
    r"\s*+(?:<!--(?:(?!-->).)*+-->\s*+)*+<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)
_XML = re.compile(r"\s*<(?:\?xml|!doctype|[a-z][\w:-]*[\s>/])", re.I)
_TITLE = re.compile(r"<title[^<>]*>([^<]*)</title>", re.I)
#: what no text has
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


@dataclass(frozen=True)
class Reading:
    """What somebody who knows says of a table's files; None is for finding out."""

    format: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    null: str | None = None


@dataclass(frozen=True)
class NotATable:
    """Why it is no table: the sentence reads on from the name of the file."""

    code: str
    reason: str

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True, repr=False)
class Sniffed:
    """What a table's file is.

    `columns` are as its first line names them, or () where that is not known. `lines` says of JSON
    that each line is a record. `multiline`: a value in quotes has an end of line in it. `ragged`
    are lines of so many whose number of fields is another than the first line's. `ascii`: all that
    was looked at is, and so is in whatever encoding.
    """

    format: str
    columns: tuple[str, ...] = ()
    delimiter: str = ","
    header: bool = True
    lines: bool = True
    multiline: bool = False
    escape: str = '"'
    encoding: str = "utf-8"
    bom: bool = False
    packed: str = ""
    ragged: int = 0
    seen: int = field(default=0, compare=False)
    ascii: bool = field(default=False, compare=False)

    def __repr__(self) -> str:
        shown = {
            name: each
            for name, each in vars(self).items()
            if name not in ("seen", "ascii")
            and each != type(self).__dataclass_fields__[name].default
        }
        return f"Sniffed({', '.join(f'{name}={each!r}' for name, each in shown.items())})"


def sniff(
    data: bytes, *, whole: bool = True, reading: Reading | None = None
) -> Sniffed | NotATable:
    """What these bytes are, the first of a file or all of it (`whole`).

    With what is known beforehand (`reading`), the rest is found out.
    """
    if not data:
        return NotATable("empty", "it is empty: zero bytes")
    unpacking = unpacked(data)
    if unpacking is None:
        return NotATable("binary", "it is damaged: it begins as a compressed file, and is none")
    content, packed = unpacking
    whole = whole and not (packed and len(content) >= HEAD)
    if not content:
        return NotATable("empty", f"it is empty: zero bytes once unpacked ({packed})")
    if content.startswith((b"PAR1", b"PARE")):
        return Sniffed("parquet", packed=packed)
    if content.startswith(b"ORC"):
        return Sniffed("orc", packed=packed)
    if content.startswith(b"PK\x03\x04"):
        return NotATable("archive", _zip(content))
    for magic, what in _OTHERS.items():
        if content.startswith(magic):
            return NotATable("binary", f"it is {what}")
    decoded = _decoded(content)
    if decoded is None:
        return NotATable("binary", "it is neither text nor a format of tables: binary data")
    text, encoding, bom = decoded
    found = _text(text, reading or Reading(), whole=whole)
    if isinstance(found, NotATable):
        return found
    known = {"encoding": encoding, "bom": bom, "packed": packed}
    return Sniffed(**{**found, **known, "ascii": not bom and text.isascii()})


def is_html(text: str) -> bool:
    """Whether a text begins as a page does."""
    return _HTML.match(text) is not None


def unpacked(data: bytes, most: int = HEAD) -> tuple[bytes, str] | None:
    """The first bytes without compression, and its name; None where they cannot be unpacked."""
    unpacking: Any
    if data.startswith(b"\x1f\x8b"):
        unpacking, name = zlib.decompressobj(wbits=31), "gzip"
    elif re.match(rb"BZh[1-9](?:1AY&SY|\x17\x72\x45\x38\x50\x90)", data):
        unpacking, name = bz2.BZ2Decompressor(), "bzip2"
    else:
        return data, ""
    try:
        content: bytes = unpacking.decompress(data, most)
    except (zlib.error, OSError):
        return None
    return (content, name) if content or unpacking.eof else None


def _decoded(content: bytes) -> tuple[str, str, bool] | None:
    """The text, its encoding, and whether a byte-order mark came first; None if it is no text."""
    for bom, encoding in _BOMS.items():
        if content.startswith(bom):
            # a head may end within a character
            decoder = codecs.getincrementaldecoder(encoding)("replace")
            return decoder.decode(content).removeprefix("\ufeff"), encoding, True
    try:
        text, encoding = codecs.getincrementaldecoder("utf-8")().decode(content), "utf-8"
    except UnicodeDecodeError:
        text, encoding = content.decode("windows-1252", "replace"), "iso-8859-1"
    odd = len(_CONTROLS.findall(text))
    if "\0" in text or odd * 100 > len(text) or text.count("\ufffd") * 10 > len(text):
        return None
    return text, encoding, False


def _text(text: str, reading: Reading, *, whole: bool) -> dict[str, Any] | NotATable:
    start = text.lstrip()
    if not start:
        return NotATable("empty", "it is empty: nothing but white space")
    if is_html(start):
        title = _TITLE.search(start)
        named = f", {' '.join(title.group(1).split())[:80]!r}" if title else ""
        return NotATable("html", f"it is an HTML page{named}")
    if _XML.match(start):
        return NotATable("xml", "it is an XML document")
    known = reading.format
    if known != "csv" and start[0] in "{[":
        found = _json(start, whole=whole)
        if found is not None:
            return found
    if known == "json":
        return NotATable("json", "it is no JSON")
    layout = layout_of(
        text,
        whole=whole,
        delimiter=reading.delimiter,
        header=reading.header,
        prose=known is None and reading.delimiter is None,
    )
    if layout is None:
        said = " ".join(start.split())
        short = said if len(said) <= 80 else said[:79] + "…"
        return NotATable("text", f"it is text and no table: {short!r}")
    return {"format": "csv", **vars(layout)}


def _json(text: str, *, whole: bool) -> dict[str, Any] | NotATable | None:
    """Records a line, an array of them, or one over many lines; None where it is no JSON."""
    if text[0] == "[":
        return _array(text, whole=whole)
    line, ended, _ = text.partition("\n")
    try:
        first = json.loads(line)
    except ValueError as error:
        within = not ended and not whole
        if within or _goes_on(text, whole=whole):
            return {"format": "json", "lines": within}
        # a table may begin with a brace, but hardly with a brace and a quote
        broken = re.match(r"\{\s*\"", text)
        return NotATable("json", f"it is broken JSON: {error}") if broken else None
    if not isinstance(first, dict):
        return None
    return {"format": "json", "columns": tuple(first)}


def _array(text: str, *, whole: bool) -> dict[str, Any] | NotATable | None:
    inner = text[1:].lstrip()
    if inner.startswith("]"):
        return NotATable("no_records", "it is an empty JSON array: no records, and so no columns")
    if inner.startswith("{"):
        if whole and not _goes_on(text, whole=whole):
            return NotATable("json", "it is broken JSON: an array that does not end")
        return {"format": "json", "lines": False}
    if inner[:1] in {'"', "["} or re.match(r"-?[0-9]|true|false|null", inner):
        return NotATable("json", "it is a JSON array, but not of records")
    return None


def _goes_on(text: str, *, whole: bool) -> bool:
    """Whether it is JSON, or the beginning of it."""
    try:
        json.JSONDecoder().raw_decode(text)
    except json.JSONDecodeError as error:
        # what is cut off fails where it ends; a string is told by where it begins
        cut = error.pos >= len(text) - 64 or error.msg.startswith("Unterminated")
        return not whole and cut
    return True


def _zip(content: bytes) -> str:
    if b"xl/" in content or b"[Content_Types].xml" in content:
        return "it is an Excel workbook: export it as CSV"
    return "it is a ZIP archive: unpack it"
