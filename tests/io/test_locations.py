"""Which files a table is made of, and what is none. No Spark."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from assay.errors import SourceError
from assay.io.compression import HEAD_BYTES
from assay.io.locations import LocalTable, locate_table


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def found(path: Path | str) -> LocalTable:
    source = locate_table(str(path))
    assert source is not None
    return source


@pytest.mark.parametrize(
    "name",
    ["a b.csv", "ü[1].csv", "x{a,b}.csv", "q?.csv", "s*.csv", "a%20b.csv", "b\\s.csv"],
)
def test_a_file_that_is_there_is_no_pattern(tmp_path: Path, name: str) -> None:
    write(tmp_path / "s.csv", "other;file\n1;2\n")
    path = write(tmp_path / name, "a,b\n1,2\n")
    assert found(path).groups[0].paths == (str(path),)


def test_a_pattern_is_the_files_that_match_it(tmp_path: Path) -> None:
    for name in ("1.csv", "2.csv", "3.json"):
        write(tmp_path / name, "a,b\n1,2\n")
    assert found(tmp_path / "*.csv").n_files == 2


def test_directories_named_key_and_value_are_columns(tmp_path: Path) -> None:
    for day in ("01", "02"):
        write(tmp_path / f"day={day}" / "x.csv", "a,b\n1,2\n")
    write(tmp_path / "_SUCCESS", "")
    source = found(tmp_path)
    assert (source.n_files, source.root, source.is_whole) == (2, str(tmp_path), True)


def test_nested_directories_of_other_names_are_read_file_by_file(tmp_path: Path) -> None:
    for name in ("x", "y"):
        write(tmp_path / name / "1.csv", "a,b\n1,2\n")
    source = found(tmp_path)
    assert (source.n_files, source.root, source.is_whole) == (2, "", False)


def test_what_is_no_data_beside_data_is_left_out_and_said(tmp_path: Path) -> None:
    write(tmp_path / "1.csv", "a,b\n1,2\n")
    write(tmp_path / "README.md", "# Tables, and more")
    write(tmp_path / "2.csv", "")
    source = found(tmp_path)
    assert source.n_files == 1
    assert "and 1 more" in source.notes[0]


def test_files_of_other_columns_are_parts_of_their_own(tmp_path: Path) -> None:
    write(tmp_path / "1.csv", "a,b\n1,2\n")
    write(tmp_path / "2.csv", "b,a,c\n1,2,3\n")
    write(tmp_path / "3.csv", b"\xef\xbb\xbfa,b\n3,4\n")
    source = found(tmp_path)
    assert [len(group.paths) for group in source.groups] == [2, 1]
    assert "2 different layouts" in source.notes[0]


def test_an_end_of_line_in_quotes_is_found_behind_the_head(tmp_path: Path) -> None:
    lines = "1,2\n" * (HEAD_BYTES // 4 + 10)
    path = write(tmp_path / "a.csv.gz", gzip.compress(f'a,b\n{lines}3,"x\ny"\n'.encode()))
    assert found(path).groups[0].description.multiline
    assert not found(write(tmp_path / "b.csv", f"a,b\n{lines}")).groups[0].description.multiline


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("zero.csv", b"", "is not a table: it is empty: zero bytes."),
        ("page.csv", b"<html><title>Gone</title>", "it is an HTML page, 'Gone'."),
        ("packed.csv", gzip.compress(b"a,b\n1,2\n"), "compressed (gzip), and its name does not"),
        ("plain.csv.gz", b"a,b\n1,2\n", "its name says that it is compressed (gzip), and it is no"),
        ("cut.parquet", b"PAR1" + b"x" * 20, "a Parquet file that is cut off"),
        ("12:30.csv", b"a,b\n1,2\n", "Spark reads no path with a colon in it: rename it."),
        ("junk/1.csv", bytes(range(256)), "none of its 1 files is"),
    ],
)
def test_what_is_no_table_is_said_in_a_sentence(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    path = write(tmp_path / name, content)
    with pytest.raises(SourceError) as error:
        locate_table(str(path if "/" not in name else path.parent))
    assert said in str(error.value)
    assert str(error.value).endswith(".")


def test_a_directory_of_several_formats(tmp_path: Path) -> None:
    write(tmp_path / "1.csv", "a,b\n1,2\n")
    write(tmp_path / "2.json", '{"a": 1}\n')
    with pytest.raises(SourceError, match=r"several formats \(1 of csv, 1 of json\)"):
        locate_table(str(tmp_path))
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceError, match="a directory without files"):
        locate_table(str(tmp_path / "empty"))


def test_what_is_not_there_is_missed_and_what_may_be_meant_is_named(tmp_path: Path) -> None:
    write(tmp_path / "orders.csv", "a,b\n1,2\n")
    with pytest.raises(SourceError, match=r"did you mean 'orders.csv'\?"):
        locate_table(str(tmp_path / "order.csv"))


@pytest.mark.parametrize("name", ["sales.orders", "orders", "`a b`.`c`", "s3a://lake/orders.csv"])
def test_what_only_spark_can_know_is_left_to_it(name: str) -> None:
    assert locate_table(name) is None


def test_a_path_as_a_uri(tmp_path: Path) -> None:
    path = write(tmp_path / "a b.csv", "a,b\n1,2\n")
    assert found(f"file://{path}").groups[0].paths == (str(path),)
