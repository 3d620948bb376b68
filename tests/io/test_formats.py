"""Formats and dialects are detected from the first bytes of a file."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.io.csv_layout import detect_layout
from assay.io.csv_records import has_quoted_line_end
from assay.io.detect import detect_format
from assay.io.file_format import FileDescription, NotATable, ReadOptions
from tests.realdata import batches, data_path

HEADS = Path(__file__).with_name("heads")


def head(name: str) -> bytes:
    return (HEADS / name).read_bytes()


@pytest.mark.parametrize("name", ["hhs-2022-11-19.csv", "hhs-2022-12-10.csv"])
def test_an_html_page_named_like_a_csv_file_is_not_a_table(name: str) -> None:
    description = detect_format(head(name), is_whole=False)
    assert isinstance(description, NotATable)
    assert description.code == "html"
    assert "'Site Currently Unavailable'" in description.reason


def test_tabs_are_detected_instead_of_commas() -> None:
    description = detect_format(head("hhs-2020-08-02T2335.csv"))
    assert isinstance(description, FileDescription)
    assert (description.format, description.delimiter, description.columns[0]) == (
        "csv",
        "\t",
        "state",
    )


def test_a_byte_order_mark_is_not_part_of_a_column_name() -> None:
    description = detect_format(head("hhs-2020-07-20T2009.csv"))
    assert isinstance(description, FileDescription)
    assert (description.bom, description.columns[0], description.delimiter) == (True, "state", ",")


def test_the_text_of_a_redirection_is_not_a_table() -> None:
    description = detect_format(head("covid-2020-08-17.csv"))
    assert isinstance(description, NotATable)
    assert description.code == "text"
    assert "Redirecting to https://api.covidtracking.com" in description.reason


def test_an_empty_file_is_not_a_table_compressed_or_not() -> None:
    for data in (head("ca_fires-2023-03-04.json.gz"), b"", b" \n", gzip.compress(b"")):
        description = detect_format(data)
        assert isinstance(description, NotATable)
        assert description.code == "empty"


def test_a_header_without_rows_is_a_table() -> None:
    description = detect_format(head("ourairports-2025-01-31.csv"))
    assert isinstance(description, FileDescription)
    assert (description.columns[:2], description.header_rows) == (("id", "code"), 1)


def test_a_json_object_may_extend_over_many_lines() -> None:
    description = detect_format(head("ca_fires-2021-09-02.json"), is_whole=False)
    assert description == FileDescription("json", json_lines=False)


def test_only_the_known_incidents_among_real_files_are_not_tables() -> None:
    data_path("recurring")
    incidents = {
        "hhs_hospital_utilization": {"2022-11-19", "2022-12-10"},
        "covid_tracking_states": {"2020-08-17", "2020-08-18"},
        "ca_fires": {"2023-03-04"},
        "ourairports_regions": set[str](),
        "jhu_us_daily": set[str](),
        "online_retail_by_day": set[str](),
    }
    for dataset, bad in incidents.items():
        some = [
            batch
            for number, batch in enumerate(batches(dataset))
            if number % 5 == 0 or batch.key in bad
        ]
        formats = {batch.key: detect_format(batch.path.read_bytes()) for batch in some}
        assert {key for key, result in formats.items() if isinstance(result, NotATable)} == bad


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\x89PNG\r\n\x1a\n", "binary"),
        (bytes(range(256)), "binary"),
        (b"\x1f\x8b\x08\x00broken", "binary"),
        (b"%PDF-1.7", "binary"),
        (b"PK\x03\x04..data/orders.csv", "archive"),
        (b"<?xml version='1.0'?><a/>", "xml"),
        (b"<Error><Code>AccessDenied</Code></Error>", "xml"),
        (b"<!-- x --><HTML lang=en>", "html"),
        (b"[]", "no_records"),
        (b"[1, 2]", "json"),
        (b'["a"]', "json"),
        (b'{"a": 1', "json"),
        (b'[{"a": 1}', "json"),
        (b"Not Found", "text"),
        (b"404: Not Found", "text"),
        (b"Sorry, this page is not there any more.", "text"),
        (b"Dear Sir, hello.\nHow are you?\nI am fine, thanks, bye.\n", "text"),
    ],
)
def test_other_content_is_not_a_table(data: bytes, code: str) -> None:
    for packed in (data, gzip.compress(data), bz2.compress(data)):
        description = detect_format(packed)
        assert isinstance(description, NotATable)
        assert description.code == code


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("id\n1\n2\n", True),
        ("1,2\n3,4\n", False),
        ("2024-01-01,5\n2024-01-02,6\n", False),
        ("name\nAnn\nBob\n", True),
        ("Country,2019,2020\nDE,1,2\n", True),
        ("2019,5\n2020,6\n", False),
        ("Lat,1/22/20,1/23/20\n1.5,3,4\n", True),
        ("a,b\n", True),
        ("1,x\n2,y\n", False),
    ],
)
def test_a_header_is_detected_by_its_values(text: str, header: bool) -> None:
    layout = detect_layout(text)
    assert layout is not None
    assert (layout.header_rows > 0) is header


def test_stated_options_are_not_detected() -> None:
    text = b"a;b,c\n1;2,3\n"
    stated = detect_format(text, options=ReadOptions(delimiter=";", header=False))
    assert isinstance(stated, FileDescription)
    assert (stated.delimiter, stated.header, stated.columns) == (";", False, ())
    assert isinstance(detect_format(b"Not Found", options=ReadOptions("csv")), FileDescription)
    assert isinstance(detect_format(b"a,b\n1,2\n", options=ReadOptions("json")), NotATable)
    assert isinstance(detect_format(b"<html>", options=ReadOptions("csv")), NotATable)


@pytest.mark.parametrize(
    ("text", "escape"),
    [
        (r'"0","0","\"', '"'),
        ("a,b\n1,2\n", '"'),
        ('path,n\n"C:\\temp\\","1"\n"D:\\","2"\n', '"'),
        ('n,path\n"1","C:\\temp\\"\n"2","D:\\"\n', '"'),
        ('n,path\n"1","C:\\temp\\"\n"2","say ""hi"""\n', '"'),
        ('n,said\n1,"say \\"hi\\" now"\n2,"x"\n', "\\"),
        ('n,said\n1,"\\"hi\\", he said"\n2,""\n', "\\"),
        ('said,n\n"\\"",1\n"a, b",2\n"c",3\n', "\\"),
    ],
)
@pytest.mark.parametrize("is_whole", [True, False])
def test_the_escape_is_the_one_with_which_all_quotes_close(
    text: str, escape: str, is_whole: bool
) -> None:
    layout = detect_layout(text, is_whole=is_whole)
    assert layout is not None
    assert (layout.escape, layout.n_ragged, layout.delimiter) == (escape, 0, ",")


names = st.text(st.characters(categories=["L"]), min_size=1, max_size=8)
cells = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)
#: mostly the characters that quote, escape and separate
awkward_cells = st.text(st.sampled_from('\\\\"",;a '), max_size=5)


@given(
    st.lists(names, min_size=2, max_size=6, unique=True).flatmap(
        lambda header: st.tuples(
            st.just(header),
            st.lists(
                st.lists(cells | awkward_cells, min_size=len(header), max_size=len(header)),
                min_size=3,
                max_size=9,
            ),
        )
    ),
    st.sampled_from(",;\t|"),
    st.booleans(),
)
def test_the_delimiter_of_written_rows_is_detected(
    table: tuple[list[str], list[list[str]]], delimiter: str, is_whole: bool
) -> None:
    header, rows = table
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows([header, *rows])
    description = detect_format(out.getvalue().encode(), is_whole=is_whole)
    assert isinstance(description, FileDescription)
    assert (description.format, description.delimiter, description.n_ragged) == (
        "csv",
        delimiter,
        0,
    )
    assert description.columns == tuple(header)


@given(st.lists(st.dictionaries(names, st.integers() | cells | st.none()), min_size=1), st.data())
def test_json_lines_and_json_arrays_are_detected(
    records: list[dict[str, object]], data: st.DataObject
) -> None:
    lines = "\n".join(map(json.dumps, records)).encode()
    assert detect_format(lines) == FileDescription("json", tuple(records[0]))
    array = json.dumps(records, indent=data.draw(st.sampled_from([None, 2]))).encode()
    assert detect_format(array) == FileDescription("json", json_lines=False)
    cut = array[: data.draw(st.integers(array.index(b"{") + 1, len(array)))]
    assert detect_format(cut, is_whole=len(cut) == len(array)) == FileDescription(
        "json", json_lines=False
    )


@given(st.binary(max_size=200))
def test_any_bytes_have_a_description_or_a_reason(data: bytes) -> None:
    assert isinstance(detect_format(data), FileDescription | NotATable)
    assert isinstance(
        detect_format(gzip.compress(data), is_whole=False), FileDescription | NotATable
    )


@given(st.lists(st.sampled_from(["a", '"', "\n", ","]), max_size=30), st.integers(1, 7))
def test_line_ends_within_quotes_are_found_in_any_chunks(text: list[str], size: int) -> None:
    data = "".join(text).encode()
    expected, within = False, False
    for character in text:
        within ^= character == '"'
        expected |= within and character == "\n"
    chunks = [data[start : start + size] for start in range(0, len(data), size)]
    assert has_quoted_line_end(chunks) is expected
