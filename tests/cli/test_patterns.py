"""`assay patterns` on a lake of which not all can be read."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from assay.cli.exits import Exit
from assay.learn.patterns import Enumeration, PatternIndex, lake
from assay.learn.patterns.evidence import evidence
from tests.cli.running import assay

CODES = [f"K{n % 7}-{n:03}" for n in range(30)]


@pytest.mark.usefixtures("spark")
def test_tagging_leaves_out_what_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(lake, "SMALL", 100)
    Path("lake").mkdir()
    pyarrow.parquet.write_table(pa.table({"code": CODES}), "lake/t.parquet")
    whole = Path("lake/t.parquet").read_bytes()
    Path("lake/junk.parquet").write_bytes(bytes(range(256)))
    Path("lake/torn.parquet").write_bytes(b"PAR1" + bytes(100) + whole[104:])
    rules = Enumeration()
    PatternIndex.of([evidence(CODES, rules)] * 6, rules).save("lake.idx")
    ran = assay("patterns", "tag", "lake", "--example", "K1-004", "--index", "lake.idx", "--json")
    assert ran.code == Exit.CLEAN, ran.err
    assert [(each["column"], each["share"]) for each in ran.json["columns"]] == [("code", 1.0)]
