"""The documents say what is there."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay.analyzers import Invertible, registry
from assay.analyzers.state import _KINDS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

root = Path(__file__).parent.parent


def test_every_analyzer_is_in_the_reference() -> None:
    named = set(re.findall(r"`(\w+)", (root / "docs/analyzers.md").read_text()))
    assert set(registry()) <= named


def test_the_reference_says_truly_what_can_be_subtracted() -> None:
    rows = (root / "docs/analyzers.md").read_text().splitlines()
    extremes = next(row for row in rows if row.startswith("| `Minimum"))
    totals = next(row for row in rows if row.startswith("| `Mean(column)`"))
    assert "±" not in extremes
    assert not issubclass(_KINDS["least"], Invertible)
    assert "±" in totals
    assert issubclass(_KINDS["total"], Invertible)


def test_importing_assay_is_light() -> None:
    heavy = "{'pyspark', 'numpy', 'pandas', 'datasketches', 'rich'}"
    code = f"import sys, assay; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_two_commands_are_in_the_readme() -> None:
    readme, makefile = (root / "README.md").read_text(), (root / "Makefile").read_text()
    for command in ("demo", "test"):
        assert f"make {command}" in readme
        assert f"\n{command}:" in makefile


@pytest.mark.connect
def test_the_tutorial_on_connect_runs_there(spark: SparkSession) -> None:
    path = root / "docs/tutorials/connect.md"
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    done = doctest.testfile(str(path), False, globs={"spark": spark}, optionflags=flags)
    assert done.attempted > 5
    assert not done.failed
