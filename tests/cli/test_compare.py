"""`assay compare`: arguments, exit codes and forms of output. docs/compare.md has the output."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.fields import has
from tests.cli.running import assay

pytestmark = pytest.mark.usefixtures("spark")


@pytest.fixture
def days(tmp_path: Path) -> Path:
    """Write three days of a shop, the last one with states in upper case."""
    for day in range(3):
        rows = [f"{day * 90 + n},{('new', 'paid', 'void')[n % 3]},{n % 7}.5" for n in range(90)]
        text = "\n".join(["id,state,a<b", *rows])
        (tmp_path / f"day-{day}.csv").write_text(text.upper() if day == 2 else text)
    header = "id,state,a<b"
    damaged = (tmp_path / "day-2.csv").read_text().splitlines()
    (tmp_path / "day-2.csv").write_text("\n".join([header, *damaged[1:]]))
    return tmp_path


def test_a_damaged_file_ends_with_4_and_has_a_page(days: Path) -> None:
    page = days / "page.html"
    ran = assay(
        "compare", days / "day-0.csv", days / "day-1.csv", days / "day-2.csv", "--html", page
    )
    assert ran.code == 4
    assert ran.out.startswith("✗ CHANGED")
    assert "90 rows, 3 columns, compared with 2 tables" in ran.out
    assert "Lower case became upper case: 'new' is now 'NEW'. All 90 rows." in ran.out
    assert "a&lt;b" in page.read_text(encoding="utf-8")


def test_an_ordinary_file_ends_with_0_and_is_json(days: Path) -> None:
    ran = assay("compare", days / "day-0.csv", days / "day-1.csv", "--key", "id", "--json")
    assert ran.code == 0
    has(ran.json, "compare", "columns")
    assert ran.json["would_hold"] is False
    assert [column["column"] for column in ran.json["columns"]] == ["id", "state", "a<b"]
    assert (ran.json["rows"]["added"], ran.json["rows"]["removed"]) == (90, 90)


def test_a_directory_is_compared_with_a_file(days: Path) -> None:
    (days / "old").mkdir()
    for day in range(2):
        (days / f"day-{day}.csv").rename(days / "old" / f"day-{day}.csv")
    ran = assay("compare", days / "old", days / "day-2.csv", "-c", "state", "--private", "state")
    assert ran.code == 4
    assert "About half of the rows are missing. 90 rows arrived; 180 before." in ran.out
    assert "paid" not in ran.out.lower()
    assert "2 files are one table" in ran.err


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["day-0.csv"], "Missing argument"),
        (["day-0.csv", "day-9.csv"], "did you mean 'day-"),
        (["day-0.csv", "day-1.csv", "--key", "idd"], "no column 'idd'"),
        (["day-0.csv", "empty.csv"], "empty"),
    ],
)
def test_wrong_arguments_end_with_2(
    days: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], text: str
) -> None:
    monkeypatch.chdir(days)
    (days / "empty.csv").touch()
    ran = assay("compare", *arguments)
    assert ran.code == 2
    assert text in ran.err
    assert "Traceback" not in ran.err
