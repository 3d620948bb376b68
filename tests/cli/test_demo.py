"""The demonstration tells its story on one screen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.cli.exits import Exit
from tests.cli.running import assay


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
def test_the_demonstration_shows_the_causes_the_report_and_the_next_steps() -> None:
    done = assay("demo")
    assert done.code == Exit.CLEAN, done.err
    damaged = done.out.partition("14 February")[2]
    assert "✗ HELD  flights date=2013-02-14" in damaged
    assert "'9E' is now '9e'" in damaged
    assert "✓ ACCEPTED  flights date=2013-02-14" in damaged
    path = re.search(r"The report on the held day: +(\S+)", done.out)
    assert path is not None
    assert "carrier" in Path(path[1]).read_text(encoding="utf-8")
    assert "check FILE.csv" in done.out
    assert len(done.out.splitlines()) <= 40
