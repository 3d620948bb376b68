from pathlib import Path

import pytest

from assay.data import flights_path
from tests.realdata import batches, data_path


def test_batches_are_listed_oldest_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "recurring" / "sales" / "batches"
    folder.mkdir(parents=True)
    for name in ("2026-01-02.csv.gz", "2026-01-01.csv.gz"):
        (folder / name).touch()
    monkeypatch.setenv("ASSAY_DATA", str(tmp_path))
    assert [batch.key for batch in batches("sales")] == ["2026-01-01", "2026-01-02"]


def test_a_test_that_needs_absent_data_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(pytest.skip.Exception, match="set ASSAY_DATA"):
        data_path("recurring")


def test_packaged_flights_equal_the_data_set() -> None:
    import gzip

    origin = {batch.key: batch.path for batch in batches("nycflights13_daily")}
    for path in flights_path().glob("*.csv.gz"):
        key = path.name.partition(".")[0]
        assert gzip.decompress(path.read_bytes()) == gzip.decompress(origin[key].read_bytes())
