"""The columns in the bytes of a file, of every format and of none."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable
from itertools import pairwise

import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet
import pytest

from assay.io.detect import looks_like_html
from assay.learn.patterns import parsing
from assay.learn.patterns.file_columns import (
    UnreadableError,
    columns,
    csv_lines,
    cut_texts,
    distinct,
    json_lines,
)
from assay.learn.patterns.sampling import evenly, is_of_interest
from assay.learn.patterns.value_shape import LONGEST

DAYS = [f"2024-01-{day:02}" for day in range(1, 29)]


def _csv(between: str = ",") -> str:
    return "\n".join([f"day{between}n", *(f"{day}{between}{n}" for n, day in enumerate(DAYS))])


def _written(write: Callable[[pa.Table, io.BytesIO], None], table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    write(table, buffer)
    return buffer.getvalue()


def _table() -> pa.Table:
    return pa.table(
        {
            "day": pa.array(DAYS, pa.large_string()),
            "n": list(range(len(DAYS))),
            "kind": pa.array(DAYS).dictionary_encode(),
            "gaps": [None, *DAYS[1:]],
        }
    )


_PARQUET = _written(pyarrow.parquet.write_table, _table())
_ORC = _written(pyarrow.orc.write_table, _table().drop(["kind"]))
_LINES = "\n".join(json.dumps({"day": day, "n": {"deep": 1}}) for day in DAYS)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", _csv().encode()),
        ("a.csv", _csv(";").replace("\n", "\r\n").encode()),
        ("a.tsv", _csv("\t").encode("utf-8-sig")),
        ("a.TXT", _csv("|").encode("utf-16")),
        ("a.csv.gz", gzip.compress(_csv().encode())),
        ("a.csv.gz", gzip.compress(_csv().encode()[:50]) + gzip.compress(_csv().encode()[50:])),
        ("a.jsonl", _LINES.encode()),
        ("a.ndjson.gz", gzip.compress(_LINES.encode())),
        ("a.json", json.dumps([{"day": day} for day in DAYS], indent=2).encode()),
        ("a.parquet", _PARQUET),
        ("a.snappy.parquet", _PARQUET),
        ("a.orc", _ORC),
    ],
)
def test_the_same_column_in_every_format(name: str, content: bytes) -> None:
    assert columns(content, name, rows=100)["day"] == DAYS
    assert columns(content, name, rows=4)["day"] == evenly(DAYS, 4)


def test_many_comments_are_passed_over_at_once() -> None:
    comments = "<!-- a -->\n" * 20_000
    assert columns((comments + _csv()).encode(), "a.csv", rows=5)
    assert not looks_like_html(comments + _csv())
    assert not looks_like_html("<!--" * 20_000)
    assert looks_like_html(comments + "<html>")


def test_a_line_that_breaks_off_is_left_out() -> None:
    assert columns((_LINES + '\n{"day": "2024-').encode(), "a.jsonl", rows=100)["day"] == DAYS


def test_of_columnar_files_the_texts_alone() -> None:
    found = columns(_PARQUET, "a.parquet", rows=100)
    assert found == {"day": DAYS, "kind": DAYS, "gaps": DAYS[1:]}
    assert columns(_ORC, "a.orc", rows=100) == {"day": DAYS, "gaps": DAYS[1:]}
    numbers = _written(pyarrow.parquet.write_table, pa.table({"n": [1, 2]}))
    assert columns(numbers, "n.parquet", rows=100) == {}


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.csv", b"", "it is empty"),
        ("a.csv", b"a,b\n\x00\x01,2\n", "it is not text"),
        ("a.csv", b"\x89PNG\r\n\x1a\n\x00\x00", "it is not text"),
        ("a.csv", b"<!DOCTYPE html>\n<html><body>404</body></html>", "it is HTML"),
        ("a.json", b"  <html lang='en'>", "it is HTML"),
        ("a.txt", b"It was a dark night.\nIt rained.\n", "it has no delimiter"),
        ("a.json", b"[1, 2]", "it holds no objects"),
        ("a.json", b"{,}", "it cannot be read as json"),
        ("a.json", b"[" * 100_000, "it cannot be read as json"),
        ("a.parquet", _PARQUET[: len(_PARQUET) // 2], "it cannot be read as parquet"),
        ("a.parquet", _PARQUET[:-40] + b"?" * 36 + b"PAR1", "it cannot be read as parquet"),
        ("a.orc", _ORC[:30], "it cannot be read as orc"),
        ("a.csv.gz", gzip.compress(_csv().encode())[:-12], "it cannot be read as csv"),
        ("a.csv.gz", b"a,b\n1,2\n", "it cannot be read as csv"),
    ],
)
def test_why_a_file_is_no_table(name: str, content: bytes, reason: str) -> None:
    with pytest.raises(UnreadableError, match=f"^{reason}") as caught:
        columns(content, name, rows=10)
    assert "\n" not in str(caught.value)


def test_what_unpacks_without_end_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsing, "UNPACKED", 1 << 20)
    bomb = gzip.compress(b"a,b\n" + b"1,2\n" * 1_000_000)
    with pytest.raises(UnreadableError, match=r"^it unpacks to more than 1 MB$"):
        columns(bomb, "a.csv.gz", rows=10)


def test_odd_headers_and_rows() -> None:
    text = 'a,a,,"b\nc"\n1,2,3,4\n\n5\n6,7,8,9,10\n'
    found = columns(text.encode(), "odd.csv", rows=10)
    assert found == {"a": ["1", "5", "6"], "a#2": ["2", "7"], "#3": ["3", "8"], "b\nc": ["4", "9"]}
    assert columns(b"a,b\n", "header.csv", rows=10) == {"a": [], "b": []}


def test_names_that_others_have_taken() -> None:
    found = columns(b"c,c#3,c,c\n1,2,3,4\n", "odd.csv", rows=10)
    assert list(found.values()) == [["1"], ["2"], ["3"], ["4"]]
    assert distinct(["c", "c", "c#2"]) == ["c", "c#2", "c#2#3"]


def test_a_line_too_deep_is_left_out() -> None:
    deep = '{"day": ' + "[" * 100_000 + "]" * 100_000 + "}"
    assert columns(f"{_LINES}\n{deep}".encode(), "a.jsonl", rows=100)["day"] == DAYS


def test_columns_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnreadableError, match=r"^it has more than 100,000 columns$"):
        columns(b"\n" + b"," * 100_000, "a.csv", rows=10)
    monkeypatch.setattr(parsing, "_WIDEST", 3)
    assert len(columns(b'a,"b,,,,",c\n1,2,3\n', "a.csv", rows=10)) == 3


def test_texts_of_all_alphabets_and_of_any_length() -> None:
    values = ["שלום", "🙂🙃", "a\x01\x7f", "naïve", "x" * 1_000_000]
    text = "v,n\n" + "".join(f"{value},1\n" for value in values)
    cut = [*values[:4], "x" * (LONGEST + 1)]
    assert columns(text.encode(), "v.csv", rows=10)["v"] == cut
    assert columns("v;w\nna\u00efve;\u00e9\n".encode("latin-1"), "v.csv", rows=10)["v"] == ["naïve"]
    half = b'{"v": "\\ud800 and \\u00e9", "\\ud800": "w"}\n'
    assert columns(half, "v.jsonl", rows=10) == {"v": ["? and é"], "?": ["w"]}
    table = pa.table({"v": values})
    assert columns(_written(pyarrow.parquet.write_table, table), "v.parquet", rows=9)["v"] == cut


def test_numbers_of_json_are_as_they_were_written() -> None:
    line = b'{"a": 1.50, "b": 12345678901234567890, "c": true, "d": null, "e": ["x"]}'
    assert columns(line, "a.json", rows=5) == {
        "a": ["1.50"],
        "b": ["12345678901234567890"],
        "c": ["true"],
    }


def test_rows_are_spread_over_the_whole_file() -> None:
    picked = evenly(range(100_000), 1000)
    gaps = {after - before for before, after in pairwise(picked)}
    assert (len(picked), picked[0]) == (1000, 0)
    assert picked[-1] > 99_000
    assert max(gaps) <= 2 * min(gaps)


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        (["A1", "B2"], True),
        (["A1", "A1"], False),
        (["1", "2"], False),
        (["1.5", "-2e7", "1,000", " 3 "], False),
        (["01", "22"], True),
        (["12345678", "87654321"], True),
        (["1234567", "7654321"], False),
        (["12345678", "123456789"], False),
        (["1", "n/a"], True),
        (["", "A1", ""], False),
    ],
)
def test_which_columns_are_of_interest(values: list[str], kept: bool) -> None:
    counts = dict.fromkeys(values, 20)
    assert is_of_interest(counts, 20) is kept
    assert not is_of_interest(dict.fromkeys(values, 1), 20)


def test_a_byte_that_is_not_utf_8_loses_no_other_value() -> None:
    raw = pa.array([b"AB-1", b"A\xffB", None, b"x" * 600], pa.binary())
    broken = pa.Array.from_buffers(pa.string(), len(raw), raw.buffers())
    assert cut_texts(broken).to_pylist() == ["AB-1", "A\ufffdB", "x" * 501]


def test_lines_picked_singly_are_whole_or_left_out() -> None:
    picked = ['2020-01-01,K1,"first', 'second, line"', "2020-01-02,K2,x", "one, more"]
    assert csv_lines(["day,k,note"], picked) == ["2020-01-02,K2,x"]
    with pytest.raises(
        UnreadableError, match="so large a file is read by lines, and lines are no objects"
    ):
        json_lines(["{", '"a": "x"', "},"])
