"""`assay patterns` on a lake with unreadable files."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from assay.cli.exits import Exit
from assay.learn.patterns import Enumeration, PatternIndex, lake_jobs
from assay.learn.patterns.evidence import collect_evidence
from tests.cli.running import assay

CODES = [f"K{n % 7}-{n:03}" for n in range(30)]


@pytest.mark.usefixtures("spark")
def test_tagging_skips_unreadable_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(lake_jobs, "SMALL_TABLE_BYTES", 100)
    Path("lake").mkdir()
    pyarrow.parquet.write_table(pa.table({"code": CODES}), "lake/t.parquet")
    content = Path("lake/t.parquet").read_bytes()
    Path("lake/junk.parquet").write_bytes(bytes(range(256)))
    Path("lake/torn.parquet").write_bytes(b"PAR1" + bytes(100) + content[104:])
    rules = Enumeration()
    PatternIndex.of([collect_evidence(CODES, rules)] * 6, rules).save("lake.idx")
    ran = assay("patterns", "tag", "lake", "--example", "K1-004", "--index", "lake.idx", "--json")
    assert ran.code == Exit.CLEAN, ran.err
    assert [(column["column"], column["share"]) for column in ran.json["columns"]] == [
        ("code", 1.0)
    ]


@pytest.mark.usefixtures("spark")
def test_a_table_matches_its_own_patterns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Repeated values count as often as they occur, in learning and in checking."""
    monkeypatch.chdir(tmp_path)
    codes = [f"AB-{n}" for n in range(100_000, 103_000)]
    few = [f"?{n % 20}" for n in range(250)]
    pyarrow.parquet.write_table(
        pa.table({"many": codes + ["#REF!"] * 2000, "few": codes + few + codes[:1750]}), "t.parquet"
    )
    ran = assay("patterns", "validate", "t.parquet", "--against", "t.parquet")
    assert ran.code == Exit.CLEAN, ran.out


def test_an_index_that_cannot_be_written_is_reported_before_the_lake_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    target = str(tmp_path / "lake.idx")
    ran = assay("patterns", "build", str(tmp_path / "no lake"), "--write", target)
    assert "its directory is not writable." in ran.err
