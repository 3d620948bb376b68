"""What a file is, from its first bytes."""

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

from assay.io.detect import detect_format
from assay.io.dialect import detect_layout, has_quoted_line_end
from assay.io.file_format import FileDescription, NotATable, ReadOptions
from tests.realdata import batches, data_path

HEADS = Path(__file__).with_name("heads")


def head(name: str) -> bytes:
    return (HEADS / name).read_bytes()


@pytest.mark.parametrize("name", ["hhs-2022-11-19.csv", "hhs-2022-12-10.csv"])
def test_an_html_page_under_the_name_of_a_csv_file(name: str) -> None:
    found = detect_format(head(name), is_whole=False)
    assert found == NotATable("html", "it is an HTML page, 'Site Currently Unavailable'")


def test_tabs_instead_of_commas() -> None:
    found = detect_format(head("hhs-2020-08-02T2335.csv"))
    assert isinstance(found, FileDescription)
    assert (found.format, found.delimiter, found.columns[0]) == ("csv", "\t", "state")


def test_a_byte_order_mark_is_no_part_of_a_name() -> None:
    found = detect_format(head("hhs-2020-07-20T2009.csv"))
    assert isinstance(found, FileDescription)
    assert (found.bom, found.columns[0], found.delimiter) == (True, "state", ",")


def test_a_redirection() -> None:
    found = detect_format(head("covid-2020-08-17.csv"))
    assert isinstance(found, NotATable)
    assert found.code == "text"
    assert "Redirecting to https://api.covidtracking.com" in found.reason


def test_zero_bytes_packed_or_not() -> None:
    for data in (head("ca_fires-2023-03-04.json.gz"), b"", b" \n", gzip.compress(b"")):
        found = detect_format(data)
        assert isinstance(found, NotATable)
        assert found.code == "empty"


def test_a_header_without_rows_is_a_table() -> None:
    found = detect_format(head("ourairports-2025-01-31.csv"))
    assert isinstance(found, FileDescription)
    assert (found.columns[:2], found.header, found.n_records) == (("id", "code"), True, 0)


def test_an_object_over_many_lines() -> None:
    found = detect_format(head("ca_fires-2021-09-02.json"), is_whole=False)
    assert found == FileDescription("json", json_lines=False)


def test_every_real_delivery_is_what_its_readme_says() -> None:
    """Every fifth of all batches; those that are no tables are the incidents, and no others."""
    data_path("recurring")
    known = {
        "hhs_hospital_utilization": {"2022-11-19", "2022-12-10"},
        "covid_tracking_states": {"2020-08-17", "2020-08-18"},
        "ca_fires": {"2023-03-04"},
        "ourairports_regions": set[str](),
        "jhu_us_daily": set[str](),
        "online_retail_by_day": set[str](),
    }
    for dataset, bad in known.items():
        every = batches(dataset)
        some = [each for at, each in enumerate(every) if at % 5 == 0 or each.key in bad]
        found = {each.key: detect_format(each.path.read_bytes()) for each in some}
        assert {key for key, each in found.items() if isinstance(each, NotATable)} == bad


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\x89PNG\r\n\x1a\n", "binary"),
        (bytes(range(256)), "binary"),
        (b"\x1f\x8b\x08\x00broken", "binary"),
        (b"%PDF-1.7", "binary"),
        (b"PK\x03\x04..xl/workbook.xml", "archive"),
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
def test_what_is_no_table(data: bytes, code: str) -> None:
    for packed in (data, gzip.compress(data), bz2.compress(data)):
        found = detect_format(packed)
        assert isinstance(found, NotATable)
        assert found.code == code


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
def test_whether_the_first_line_has_names(text: str, header: bool) -> None:
    layout = detect_layout(text)
    assert layout is not None
    assert layout.header is header


def test_what_is_known_is_not_guessed() -> None:
    text = b"a;b,c\n1;2,3\n"
    told = detect_format(text, options=ReadOptions(delimiter=";", header=False))
    assert isinstance(told, FileDescription)
    assert (told.delimiter, told.header, told.columns) == (";", False, ())
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
@pytest.mark.parametrize("whole", [True, False])
def test_the_escape_is_the_one_with_which_all_quotes_close(
    text: str, escape: str, whole: bool
) -> None:
    layout = detect_layout(text, is_whole=whole)
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
def test_what_was_written_with_a_delimiter_is_read_with_it(
    table: tuple[list[str], list[list[str]]], delimiter: str, whole: bool
) -> None:
    header, rows = table
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows([header, *rows])
    found = detect_format(out.getvalue().encode(), is_whole=whole)
    assert isinstance(found, FileDescription)
    assert (found.format, found.delimiter, found.n_ragged) == ("csv", delimiter, 0)
    assert found.columns == tuple(header)


@given(st.lists(st.dictionaries(names, st.integers() | cells | st.none()), min_size=1), st.data())
def test_json_is_told_from_its_lines_or_its_brackets(
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
def test_any_bytes_are_something(data: bytes) -> None:
    assert isinstance(detect_format(data), FileDescription | NotATable)
    assert isinstance(
        detect_format(gzip.compress(data), is_whole=False), FileDescription | NotATable
    )


@given(st.lists(st.sampled_from(["a", '"', "\n", ","]), max_size=30), st.integers(1, 7))
def test_ends_within_quotes_are_found_however_the_file_is_cut(text: list[str], size: int) -> None:
    data = "".join(text).encode()
    expected, within = False, False
    for each in text:
        within ^= each == '"'
        expected |= within and each == "\n"
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    assert has_quoted_line_end(chunks) is expected
