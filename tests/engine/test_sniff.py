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

from assay.engine.delimited import layout_of, quoted_ends
from assay.engine.sniff import NotATable, Reading, Sniffed, sniff
from tests.realdata import batches, data_path

HEADS = Path(__file__).with_name("heads")


def head(name: str) -> bytes:
    return (HEADS / name).read_bytes()


@pytest.mark.parametrize("name", ["hhs-2022-11-19.csv", "hhs-2022-12-10.csv"])
def test_an_html_page_under_the_name_of_a_csv_file(name: str) -> None:
    found = sniff(head(name), whole=False)
    assert found == NotATable("html", "it is an HTML page, 'Site Currently Unavailable'")


def test_tabs_instead_of_commas() -> None:
    found = sniff(head("hhs-2020-08-02T2335.csv"))
    assert isinstance(found, Sniffed)
    assert (found.format, found.delimiter, found.columns[0]) == ("csv", "\t", "state")


def test_a_byte_order_mark_is_no_part_of_a_name() -> None:
    found = sniff(head("hhs-2020-07-20T2009.csv"))
    assert isinstance(found, Sniffed)
    assert (found.bom, found.columns[0], found.delimiter) == (True, "state", ",")


def test_a_redirection() -> None:
    found = sniff(head("covid-2020-08-17.csv"))
    assert isinstance(found, NotATable)
    assert found.code == "text"
    assert "Redirecting to https://api.covidtracking.com" in found.reason


def test_zero_bytes_packed_or_not() -> None:
    for data in (head("ca_fires-2023-03-04.json.gz"), b"", b" \n", gzip.compress(b"")):
        found = sniff(data)
        assert isinstance(found, NotATable)
        assert found.code == "empty"


def test_a_header_without_rows_is_a_table() -> None:
    found = sniff(head("ourairports-2025-01-31.csv"))
    assert isinstance(found, Sniffed)
    assert (found.columns[:2], found.header, found.seen) == (("id", "code"), True, 0)


def test_an_object_over_many_lines() -> None:
    found = sniff(head("ca_fires-2021-09-02.json"), whole=False)
    assert found == Sniffed("json", lines=False)


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
        found = {each.key: sniff(each.path.read_bytes()) for each in some}
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
        found = sniff(packed)
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
    layout = layout_of(text)
    assert layout is not None
    assert layout.header is header


def test_what_is_known_is_not_guessed() -> None:
    text = b"a;b,c\n1;2,3\n"
    told = sniff(text, reading=Reading(delimiter=";", header=False))
    assert isinstance(told, Sniffed)
    assert (told.delimiter, told.header, told.columns) == (";", False, ())
    assert isinstance(sniff(b"Not Found", reading=Reading("csv")), Sniffed)
    assert isinstance(sniff(b"a,b\n1,2\n", reading=Reading("json")), NotATable)
    assert isinstance(sniff(b"<html>", reading=Reading("csv")), NotATable)


names = st.text(st.characters(categories=["L"]), min_size=1, max_size=8)
cells = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)


@given(
    st.lists(names, min_size=2, max_size=6, unique=True).flatmap(
        lambda header: st.tuples(
            st.just(header),
            st.lists(
                st.lists(cells, min_size=len(header), max_size=len(header)), min_size=3, max_size=9
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
    found = sniff(out.getvalue().encode(), whole=whole)
    assert isinstance(found, Sniffed)
    assert (found.format, found.delimiter, found.ragged) == ("csv", delimiter, 0)
    assert found.columns == tuple(header)


@given(st.lists(st.dictionaries(names, st.integers() | cells | st.none()), min_size=1), st.data())
def test_json_is_told_from_its_lines_or_its_brackets(
    records: list[dict[str, object]], data: st.DataObject
) -> None:
    lines = "\n".join(map(json.dumps, records)).encode()
    assert sniff(lines) == Sniffed("json", tuple(records[0]))
    array = json.dumps(records, indent=data.draw(st.sampled_from([None, 2]))).encode()
    assert sniff(array) == Sniffed("json", lines=False)
    cut = array[: data.draw(st.integers(array.index(b"{") + 1, len(array)))]
    assert sniff(cut, whole=len(cut) == len(array)) == Sniffed("json", lines=False)


@given(st.binary(max_size=200))
def test_any_bytes_are_something(data: bytes) -> None:
    assert isinstance(sniff(data), Sniffed | NotATable)
    assert isinstance(sniff(gzip.compress(data), whole=False), Sniffed | NotATable)


@given(st.lists(st.sampled_from(["a", '"', "\n", ","]), max_size=30), st.integers(1, 7))
def test_ends_within_quotes_are_found_however_the_file_is_cut(text: list[str], size: int) -> None:
    data = "".join(text).encode()
    expected, within = False, False
    for each in text:
        within ^= each == '"'
        expected |= within and each == "\n"
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    assert quoted_ends(chunks) is expected
