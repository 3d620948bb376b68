"""Parsing the string columns of a file, in every format and from damaged files."""

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
from assay.learn.patterns import file_columns
from assay.learn.patterns.file_columns import (
    UnreadableError,
    csv_lines,
    cut_texts,
    distinct_names,
    json_lines,
    read_columns,
)
from assay.learn.patterns.lake_sampling import has_patterns, take_evenly
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
def test_every_format_gives_the_same_column(name: str, content: bytes) -> None:
    assert read_columns(content, name, rows=100)["day"] == DAYS
    assert read_columns(content, name, rows=4)["day"] == take_evenly(DAYS, 4)


def test_comments_do_not_make_a_file_html() -> None:
    comments = "<!-- a -->\n" * 20_000
    assert read_columns((comments + _csv()).encode(), "a.csv", rows=5)
    assert not looks_like_html(comments + _csv())
    assert not looks_like_html("<!--" * 20_000)
    assert looks_like_html(comments + "<html>")


def test_an_incomplete_line_is_skipped() -> None:
    assert read_columns((_LINES + '\n{"day": "2024-').encode(), "a.jsonl", rows=100)["day"] == DAYS


def test_only_string_columns_of_columnar_files_are_read() -> None:
    columns = read_columns(_PARQUET, "a.parquet", rows=100)
    assert columns == {"day": DAYS, "kind": DAYS, "gaps": DAYS[1:]}
    assert read_columns(_ORC, "a.orc", rows=100) == {"day": DAYS, "gaps": DAYS[1:]}
    numbers = _written(pyarrow.parquet.write_table, pa.table({"n": [1, 2]}))
    assert read_columns(numbers, "n.parquet", rows=100) == {}


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
def test_the_reason_why_a_file_is_not_a_table(name: str, content: bytes, reason: str) -> None:
    with pytest.raises(UnreadableError, match=f"^{reason}") as caught:
        read_columns(content, name, rows=10)
    assert "\n" not in str(caught.value)


def test_a_file_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_columns, "MAX_UNPACKED_BYTES", 1 << 20)
    bomb = gzip.compress(b"a,b\n" + b"1,2\n" * 1_000_000)
    with pytest.raises(UnreadableError, match=r"^it unpacks to more than 1 MB$"):
        read_columns(bomb, "a.csv.gz", rows=10)


def test_repeated_and_missing_names_and_ragged_rows() -> None:
    text = 'a,a,,"b\nc"\n1,2,3,4\n\n5\n6,7,8,9,10\n'
    columns = read_columns(text.encode(), "odd.csv", rows=10)
    assert columns == {
        "a": ["1", "5", "6"],
        "a#2": ["2", "7"],
        "#3": ["3", "8"],
        "b\nc": ["4", "9"],
    }
    assert read_columns(b"a,b\n", "header.csv", rows=10) == {"a": [], "b": []}


def test_numbered_names_do_not_collide() -> None:
    columns = read_columns(b"c,c#3,c,c\n1,2,3,4\n", "odd.csv", rows=10)
    assert list(columns.values()) == [["1"], ["2"], ["3"], ["4"]]
    assert distinct_names(["c", "c", "c#2"]) == ["c", "c#2", "c#2#3"]


def test_a_deeply_nested_line_is_skipped() -> None:
    deep = '{"day": ' + "[" * 100_000 + "]" * 100_000 + "}"
    assert read_columns(f"{_LINES}\n{deep}".encode(), "a.jsonl", rows=100)["day"] == DAYS


def test_a_file_with_too_many_columns_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UnreadableError, match=r"^it has more than 100,000 columns$"):
        read_columns(b"\n" + b"," * 100_000, "a.csv", rows=10)
    monkeypatch.setattr(file_columns, "_MAX_COLUMNS", 3)
    assert len(read_columns(b'a,"b,,,,",c\n1,2,3\n', "a.csv", rows=10)) == 3


def test_values_of_all_scripts_and_lengths_are_read() -> None:
    values = ["שלום", "🙂🙃", "a\x01\x7f", "naïve", "x" * 1_000_000]
    text = "v,n\n" + "".join(f"{value},1\n" for value in values)
    cut = [*values[:4], "x" * (LONGEST + 1)]
    assert read_columns(text.encode(), "v.csv", rows=10)["v"] == cut
    assert read_columns("v;w\nna\u00efve;\u00e9\n".encode("latin-1"), "v.csv", rows=10)["v"] == [
        "naïve"
    ]
    half = b'{"v": "\\ud800 and \\u00e9", "\\ud800": "w"}\n'
    assert read_columns(half, "v.jsonl", rows=10) == {"v": ["? and é"], "?": ["w"]}
    table = pa.table({"v": values})
    assert (
        read_columns(_written(pyarrow.parquet.write_table, table), "v.parquet", rows=9)["v"] == cut
    )


def test_numbers_of_json_keep_their_text() -> None:
    line = b'{"a": 1.50, "b": 12345678901234567890, "c": true, "d": null, "e": ["x"]}'
    assert read_columns(line, "a.json", rows=5) == {
        "a": ["1.50"],
        "b": ["12345678901234567890"],
        "c": ["true"],
    }


def test_sampled_rows_are_evenly_spaced() -> None:
    picked = take_evenly(range(100_000), 1000)
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
def test_quantities_and_constants_are_not_indexed(values: list[str], kept: bool) -> None:
    counts = dict.fromkeys(values, 20)
    assert has_patterns(counts, 20) is kept
    assert not has_patterns(dict.fromkeys(values, 1), 20)


def test_invalid_utf_8_is_replaced() -> None:
    raw = pa.array([b"AB-1", b"A\xffB", None, b"x" * 600], pa.binary())
    broken = pa.Array.from_buffers(pa.string(), len(raw), raw.buffers())
    assert cut_texts(broken).to_pylist() == ["AB-1", "A\ufffdB", "x" * 501]


def test_sampled_lines_that_are_not_rows_are_skipped() -> None:
    picked = ['2020-01-01,K1,"first', 'second, line"', "2020-01-02,K2,x", "one, more"]
    assert csv_lines(["day,k,note"], picked) == ["2020-01-02,K2,x"]
    with pytest.raises(UnreadableError, match="its lines are not objects"):
        json_lines(["{", '"a": "x"', "},"])
