"""Tables are located by their files, without Spark."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from assay.errors import SourceError
from assay.io import locations
from assay.io.compression import HEAD_BYTES
from assay.io.locations import LocalTable, locate_table


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def locate(path: Path | str) -> LocalTable:
    table = locate_table(str(path))
    assert table is not None
    return table


@pytest.mark.parametrize(
    "name",
    ["a b.csv", "ü[1].csv", "x{a,b}.csv", "q?.csv", "s*.csv", "a%20b.csv", "b\\s.csv"],
)
def test_an_existing_file_is_never_a_pattern(tmp_path: Path, name: str) -> None:
    write(tmp_path / "s.csv", "other;file\n1;2\n")
    path = write(tmp_path / name, "a,b\n1,2\n")
    assert locate(path).groups[0].paths == (str(path),)


def test_a_pattern_selects_the_files_that_match(tmp_path: Path) -> None:
    for name in ("1.csv", "2.csv", "3.json"):
        write(tmp_path / name, "a,b\n1,2\n")
    assert locate(tmp_path / "*.csv").n_files == 2


def test_directories_named_key_and_value_are_columns(tmp_path: Path) -> None:
    for day in ("01", "02"):
        write(tmp_path / f"day={day}" / "x.csv", "a,b\n1,2\n")
    write(tmp_path / "_SUCCESS", "")
    source = locate(tmp_path)
    assert (source.n_files, source.root, source.is_whole) == (2, str(tmp_path), True)


def test_nested_directories_of_other_names_are_read_file_by_file(tmp_path: Path) -> None:
    for name in ("x", "y"):
        write(tmp_path / name / "1.csv", "a,b\n1,2\n")
    source = locate(tmp_path)
    assert (source.n_files, source.root, source.is_whole) == (2, "", False)


def test_files_that_are_not_data_are_left_out_with_a_note(tmp_path: Path) -> None:
    write(tmp_path / "1.csv", "a,b\n1,2\n")
    write(tmp_path / "README.md", "# Tables, and more")
    write(tmp_path / "2.csv", "")
    source = locate(tmp_path)
    assert source.n_files == 1
    assert "and 1 more" in source.notes[0]


def test_files_of_other_columns_are_parts_of_their_own(tmp_path: Path) -> None:
    write(tmp_path / "1.csv", "a,b\n1,2\n")
    write(tmp_path / "2.csv", "b,a,c\n1,2,3\n")
    write(tmp_path / "3.csv", b"\xef\xbb\xbfa,b\n3,4\n")
    source = locate(tmp_path)
    assert [len(group.paths) for group in source.groups] == [2, 1]
    assert "2 different layouts" in source.notes[0]


def test_an_end_of_line_in_quotes_is_found_behind_the_head(tmp_path: Path) -> None:
    lines = "1,2\n" * (HEAD_BYTES // 4 + 10)
    path = write(tmp_path / "a.csv.gz", gzip.compress(f'a,b\n{lines}3,"x\ny"\n'.encode()))
    assert locate(path).groups[0].description.multiline
    assert not locate(write(tmp_path / "b.csv", f"a,b\n{lines}")).groups[0].description.multiline


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("zero.csv", b"", "empty: zero bytes"),
        ("page.csv", b"<html><title>Gone</title>", "'Gone'"),
        ("packed.csv", gzip.compress(b"a,b\n1,2\n"), "compressed (gzip)"),
        ("plain.csv.gz", b"a,b\n1,2\n", "compression (gzip)"),
        ("cut.parquet", b"PAR1" + b"x" * 20, "cut off"),
        ("12:30.csv", b"a,b\n1,2\n", "colon"),
        ("junk/1.csv", bytes(range(256)), "1 files"),
    ],
)
def test_a_file_that_is_not_a_table_is_reported_in_one_sentence(
    tmp_path: Path, name: str, content: bytes, text: str
) -> None:
    path = write(tmp_path / name, content)
    with pytest.raises(SourceError) as error:
        locate_table(str(path if "/" not in name else path.parent))
    assert text in str(error.value)
    assert str(error.value).endswith(".")


def test_a_directory_with_several_formats_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "1.csv", "a,b\n1,2\n")
    write(tmp_path / "2.json", '{"a": 1}\n')
    with pytest.raises(SourceError, match=r"several formats \(1 of csv, 1 of json\)"):
        locate_table(str(tmp_path))
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceError, match="without files"):
        locate_table(str(tmp_path / "empty"))


def test_a_missing_file_is_reported_with_a_similar_name(tmp_path: Path) -> None:
    write(tmp_path / "orders.csv", "a,b\n1,2\n")
    with pytest.raises(SourceError, match=r"'orders\.csv'"):
        locate_table(str(tmp_path / "order.csv"))


@pytest.mark.parametrize("name", ["sales.orders", "orders", "`a b`.`c`", "s3a://lake/orders.csv"])
def test_names_that_only_spark_knows_are_not_located(name: str) -> None:
    assert locate_table(name) is None


def test_a_file_uri_is_a_path(tmp_path: Path) -> None:
    path = write(tmp_path / "a b.csv", "a,b\n1,2\n")
    assert locate(f"file://{path}").groups[0].paths == (str(path),)


def test_quoted_line_ends_are_found_in_files_that_are_not_examined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locations, "_MAX_EXAMINED", 2)
    for number in range(6):
        note = '"x\ny"' if number == 3 else "x"
        write(tmp_path / f"{number}.csv", f"id,note\n1,{note}\n")
    table = locate(tmp_path)
    assert table.groups[0].description.multiline
    assert not locate(tmp_path / "[0-2].csv").groups[0].description.multiline


def test_text_that_is_not_a_table_is_described_without_repeating_it(tmp_path: Path) -> None:
    text = "The server is down. Please try again.\nThe operator knows of it.\n\nBye.\n"
    letter = write(tmp_path / "letter.txt", text)
    with pytest.raises(SourceError) as caught:
        locate(letter)
    assert str(caught.value).removeprefix(str(tmp_path)).count("table") == 1
    assert "The server is down" in str(caught.value)
