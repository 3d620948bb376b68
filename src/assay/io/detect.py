"""Detect the format of a file from its first bytes, or why it is not a table.

>>> detect_format(b"\\xef\\xbb\\xbfstate;beds\\nAL;14,5\\nAK;2\\n")
FileDescription(format='csv', columns=('state', 'beds'), delimiter=';', n_columns=2, bom=True)
>>> print(detect_format(b"<!DOCTYPE html><html><title>Site Currently Unavailable</title>"))
it is an HTML page, 'Site Currently Unavailable'
"""

from __future__ import annotations

import codecs
import re
from dataclasses import replace
from pathlib import Path

from assay.io.compression import HEAD_BYTES, read_chunks, read_head, unpack
from assay.io.csv_records import has_quoted_line_end
from assay.io.file_format import FileDescription, FileHead, NotATable, ReadOptions
from assay.io.formats import all_formats, format_by_name, format_of_file_name

__all__ = ["decode", "detect_file", "detect_format", "looks_like_html"]

_BOMS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_NOT_TABLES = {
    b"%PDF-": "a PDF document",
    b"Obj\x01": "an Avro file, which Spark reads with an extra package (--format avro)",
    b"SQLite format 3\0": "an SQLite database",
    b"\x89PNG": "an image",
    b"\xff\xd8\xff": "an image",
    b"GIF8": "an image",
    b"\xd0\xcf\x11\xe0": "an old Office document, such as an Excel workbook: export it as CSV",
    b"7z\xbc\xaf": "a 7z archive: unpack it",
    b"\x04\x22\x4d\x18": "compressed with lz4: unpack it",
    b"\xfd7zXZ": "compressed with xz: unpack it",
}
# possessive quantifiers: backtracking into comments would take exponential time
_HTML = re.compile(
    r"\s*+(?:<!--(?:(?!-->).)*+-->\s*+)*+<(?:!doctype\s+html|html|head|body)\b", re.I | re.S
)
_XML = re.compile(r"\s*<(?:\?xml|!doctype|[a-z][\w:-]*[\s>/])", re.I)
_TITLE = re.compile(r"<title[^<>]*>([^<]*)</title>", re.I)
_MAX_TITLE = 80
#: control characters that text does not contain; \x01 is the delimiter of Hive's text files
_CONTROLS = re.compile(r"[\x00\x02-\x08\x0e-\x1a\x1c-\x1f]")
#: largest shares of control characters and of undecodable characters in text
_MAX_CONTROL_RATIO, _MAX_UNDECODABLE_RATIO = 0.01, 0.1
#: share of zeros among the first or the second bytes of characters from which text is UTF-16
_MIN_ZERO_RATIO = 0.6
#: bytes of a file that are searched for line ends within quotes
_SEARCHED_BYTES = 256 << 20


def detect_format(
    data: bytes, *, is_whole: bool = True, options: ReadOptions | None = None
) -> FileDescription | NotATable:
    """Describe a file by its first bytes.

    Parameters
    ----------
    data
        The first bytes, possibly compressed by gzip, bzip2 or zstd.
    is_whole
        True if `data` is all of the file.
    options
        Format, delimiter and header that the user states.
    """
    options = options or ReadOptions()
    if not data:
        return NotATable("empty", "it is empty: zero bytes")
    unpacked = unpack(data)
    if unpacked is None:
        return NotATable(
            "binary", "it is damaged: it begins like a compressed file and cannot be decompressed"
        )
    content, compression = unpacked
    is_whole = is_whole and not (compression and len(content) >= HEAD_BYTES)
    if not content:
        return NotATable("empty", f"it is empty: zero bytes after decompression ({compression})")
    head = FileHead(content, is_whole=is_whole)
    for file_format in all_formats():
        recognised = None if file_format.is_text else file_format.recognise(head, options)
        if isinstance(recognised, FileDescription):
            return replace(recognised, compression=compression)
        if recognised is not None:
            return recognised
    return _other_binary(content) or _detect_text(head, compression, options)


def detect_file(path: Path, options: ReadOptions | None = None) -> FileDescription | NotATable:
    """Describe a local file. All of a CSV file is searched for line ends within quotes."""
    options = options or ReadOptions()
    if options.format is not None:
        stated = format_by_name(options.format)
        if stated is None or not (stated.is_text or stated.convert(path, options)):
            return FileDescription(options.format)
    data, is_whole = read_head(path)
    description = detect_format(data, is_whole=is_whole, options=options)
    if isinstance(description, NotATable):
        return description
    file_format = format_by_name(description.format)
    problem = None if file_format is None else file_format.check_file(path)
    if problem is not None:
        return problem
    copy = None if file_format is None else file_format.convert(path, options)
    if isinstance(copy, NotATable):
        return copy
    if copy is not None:
        described = detect_file(copy, replace(options, format=None))
        if isinstance(described, NotATable):
            return described
        assert file_format is not None
        return replace(
            described,
            converted_from=description.format,
            sheet=options.sheet or "",
            notes=file_format.copy_notes(path, options),
        )
    compression = format_of_file_name(path.name)[1]
    if description.compression and not compression:
        reason = f"it is compressed ({description.compression}) but has no such extension"
        return NotATable("packed", reason)
    if compression in {"gzip", "bzip2", "zstd"} and not description.compression:
        reason = f"its extension promises compression ({compression}) but it is not compressed"
        return NotATable("packed", reason)
    is_csv = description.format == "csv"
    if is_csv and not description.multiline:
        chunks = read_chunks(path, compression, _SEARCHED_BYTES)
        return replace(description, multiline=has_quoted_line_end(chunks, description.csv_dialect))
    return description


def looks_like_html(text: str) -> bool:
    """Return whether a text begins like an HTML page."""
    return _HTML.match(text) is not None


def decode(content: bytes) -> tuple[str, str, bool] | None:
    """Decode the first bytes of a file.

    Returns
    -------
    tuple or None
        The text, its encoding, and whether it had a byte-order mark; None if it is not text.
    """
    for bom, encoding in _BOMS.items():
        if content.startswith(bom):
            # an incremental decoder, since the bytes may end within a character
            decoder = codecs.getincrementaldecoder(encoding)("replace")
            return decoder.decode(content).removeprefix("\ufeff"), encoding, True
    utf_16 = _utf_16_without_bom(content)
    if utf_16 is not None:
        return codecs.getincrementaldecoder(utf_16)("replace").decode(content), utf_16, False
    try:
        text, encoding = codecs.getincrementaldecoder("utf-8")().decode(content), "utf-8"
    except UnicodeDecodeError:
        text, encoding = content.decode("windows-1252", "replace"), "iso-8859-1"
    n_controls, n_undecodable = len(_CONTROLS.findall(text)), text.count("\ufffd")
    if (
        "\0" in text
        or n_controls > _MAX_CONTROL_RATIO * len(text)
        or n_undecodable > _MAX_UNDECODABLE_RATIO * len(text)
    ):
        return None
    return text, encoding, False


def _utf_16_without_bom(content: bytes) -> str | None:
    """Return the encoding of UTF-16 text without a mark: one byte of most characters is zero."""
    n_characters = len(content) // 2
    n_zeros = (content[::2].count(0), content[1::2].count(0))
    if 0 in n_zeros and max(n_zeros) > _MIN_ZERO_RATIO * n_characters:
        return "utf-16le" if n_zeros[1] else "utf-16be"
    return None


def _other_binary(content: bytes) -> NotATable | None:
    if content.startswith(b"PK\x03\x04"):
        return NotATable("archive", "it is a ZIP archive: unpack it")
    for magic, what in _NOT_TABLES.items():
        if content.startswith(magic):
            return NotATable("binary", f"it is {what}")
    return None


def _detect_text(
    head: FileHead, compression: str, options: ReadOptions
) -> FileDescription | NotATable:
    decoded = decode(head.content)
    if decoded is None:
        return NotATable("binary", "it is binary data in an unknown format")
    text, encoding, bom = decoded
    if not text.strip():
        return NotATable("empty", "it is empty: only white space")
    if looks_like_html(text):
        title = _TITLE.search(text)
        shown = f", {' '.join(title.group(1).split())[:_MAX_TITLE]!r}" if title else ""
        return NotATable("html", f"it is an HTML page{shown}")
    if _XML.match(text):
        return NotATable("xml", "it is an XML document")
    head = replace(head, text=text)
    for file_format in all_formats():
        if not file_format.is_text or options.format not in (None, file_format.name):
            continue
        recognised = file_format.recognise(head, options)
        if isinstance(recognised, FileDescription):
            is_ascii = not bom and text.isascii()
            return replace(
                recognised, encoding=encoding, bom=bom, compression=compression, ascii=is_ascii
            )
        if recognised is not None:
            return recognised
    return NotATable("text", "it is text without columns")
