"""The layout of any CSV file is detected, and what the user states overrules it."""

from __future__ import annotations

import pytest

from assay.io.csv_layout import detect_layout
from assay.io.detect import detect_format
from assay.io.file_format import FileDescription, NotATable, ReadOptions
from tests.io.csv_heads import CSV_HEADS, ExpectedLayout, expected_layouts

HEADS = expected_layouts()
TABLES = [head for head in HEADS if head.n_columns]
#: the share of the held-out files whose layout must be right
MIN_RIGHT_RATIO = 0.82


def describe(name: str, **stated: object) -> FileDescription:
    options = ReadOptions(**stated)  # type: ignore[arg-type]
    description = detect_format((CSV_HEADS / name).read_bytes(), options=options)
    assert isinstance(description, FileDescription)
    return description


def is_right(head: ExpectedLayout) -> bool:
    actual = detect_format(head.path.read_bytes())
    if isinstance(actual, NotATable):
        return not head.n_columns
    pairs = [
        (head.delimiter, actual.delimiter),
        (head.quote, actual.quote),
        (head.escape, actual.escape),
        (head.header_rows, actual.header_rows),
        (head.skipped_lines, actual.skipped_lines),
        (head.n_columns, actual.n_columns),
    ]
    return all(expected in (None, value) for expected, value in pairs)


@pytest.mark.parametrize(
    "head", [head for head in HEADS if not head.held_out], ids=lambda head: head.path.name
)
def test_the_layout_of_a_file_is_detected(head: ExpectedLayout) -> None:
    assert is_right(head)


def test_most_layouts_held_out_are_detected() -> None:
    heads = [head for head in HEADS if head.held_out]
    assert sum(map(is_right, heads)) >= MIN_RIGHT_RATIO * len(heads)


def test_only_files_without_a_table_are_refused() -> None:
    refused = {
        head.path.name
        for head in HEADS
        if isinstance(detect_format(head.path.read_bytes()), NotATable)
    }
    assert refused == {head.path.name for head in HEADS if not head.n_columns}


@pytest.mark.parametrize("head", TABLES, ids=lambda head: head.path.name)
def test_a_file_that_is_cut_off_has_the_same_delimiter(head: ExpectedLayout) -> None:
    data = head.path.read_bytes()
    complete = detect_format(data)
    cut = detect_format(data[:-2], is_whole=False)
    assert isinstance(complete, FileDescription)
    assert isinstance(cut, FileDescription)
    assert cut.delimiter == complete.delimiter


def test_stated_parts_of_the_layout_overrule_the_detected_ones() -> None:
    assert describe("title_line.csv", skip_lines=0, header_rows=1).skipped_lines == 0
    assert describe("title_line.csv", skip_lines=4, header_rows=0).skipped_lines == 4
    assert describe("header_units.csv", header_rows=1).columns[1] == "Temperature"
    assert describe("header_units.csv", header=False).header_rows == 0
    assert describe("no_header_numbers.csv", header=True).columns[0] == "1.5"
    assert describe("single_quotes.csv", quote='"').columns[0] == "'id'"
    assert describe("at_gemeinden.csv", delimiter=",").n_columns == 2
    assert describe("backslash_path.csv", escape="\\").escape == "\\"


def test_names_of_several_header_rows_are_joined() -> None:
    assert describe("header_units.csv").columns == (
        "Time",
        "Temperature °C",
        "Pressure hPa",
        "Humidity %",
    )
    assert describe("header_merged.csv").columns[1:3] == ("2018 Men", "2018 Women")


def test_ragged_records_are_counted_with_their_lines() -> None:
    description = describe("ragged_unquoted_comma.csv")
    assert description.n_ragged == 1
    assert description.ragged_lines == ((3, 5),)


def test_a_delimiter_at_the_end_of_each_row_is_no_column() -> None:
    description = describe("trailing_comma_rows.csv")
    assert (description.n_columns, description.n_ragged) == (4, 0)
    assert description.ends_with_delimiter


def test_a_stated_layout_makes_a_table_of_any_text() -> None:
    assert detect_layout("Not Found at all.\n") is None
    description = detect_format(b"Not Found at all.\n", options=ReadOptions(header_rows=0))
    assert isinstance(description, FileDescription)


@pytest.mark.parametrize(
    ("text", "skipped", "columns"),
    [
        # a title has as many fields as the table by chance
        (
            "Mean heat, all sites, May\nUnits: C\nDate,Heat,Change\n1950,2.5,-.4\n1951,3.1,.6\n",
            2,
            ("Date", "Heat", "Change"),
        ),
        # text with commas below one name is one column
        ("address\n12 Main St, Ogden\n4 Elm Ave, Provo\n77 Oak Rd, Logan\n", 0, ("address",)),
        # numbers with decimal commas are one column
        ("level\n2,5\n3,5\n", 0, ("level",)),
        # two names above two numbers are two columns
        ("Export of today\nid,rest\n0,0\n1,1\n2,2\n", 1, ("id", "rest")),
        # most rows are longer than the header
        ("id,a\n1,2,3\n2,3,4,5\n3,4\n4,5,6,7,8\n", 0, ("id", "a", "", "", "")),
        # the last column may be empty everywhere
        ("a,b,c\n1,2,\n3,4,\n", 0, ("a", "b", "c")),
        ("a,b,c,\n1,2,\n3,4,\n", 0, ("a", "b", "c")),
    ],
)
def test_the_table_is_found_among_notes_and_text(
    text: str, skipped: int, columns: tuple[str, ...]
) -> None:
    layout = detect_layout(text)
    assert layout is not None
    assert (layout.skipped_lines, layout.columns) == (skipped, columns)
