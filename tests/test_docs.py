"""The documentation agrees with the code: names, paths, links and commands exist."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay.analyzers import Invertible, registry
from assay.analyzers.state import _KINDS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
_LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]*)(?:#([^)\s]+))?\)")


def _read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def _without_code(text: str) -> str:
    return re.sub(r"^```.*?^```$|`[^`\n]*`", "", text, flags=re.MULTILINE | re.DOTALL)


def _anchors(path: Path) -> set[str]:
    """Return the anchors of a document's headings, as GitHub makes them."""
    text = path.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    kept = (re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings)
    return {*kept, *re.findall(r'<a id="([^"]+)">', text)}


def _broken_links() -> Iterator[str]:
    for document in DOCUMENTS:
        for target, anchor in _LINK.findall(_without_code(document.read_text(encoding="utf-8"))):
            if "://" in target:
                continue
            path = document.parent / target if target else document
            missing_anchor = anchor and path.suffix == ".md" and anchor not in _anchors(path)
            if not path.exists() or missing_anchor:
                yield f"{document.relative_to(ROOT)}: {target}#{anchor}"


def test_every_link_has_a_target() -> None:
    assert list(_broken_links()) == []


@pytest.mark.parametrize("document", ["docs/references.md", "docs/extending.md"])
def test_every_module_that_a_document_names_exists(document: str) -> None:
    names = set(re.findall(r"`(assay(?:\.[a-z_0-9]+)+)`", _read(document)))
    names -= {name for name in names if f'"{name}"' in _read("src/assay/plugins.py")}
    assert names
    assert [name for name in sorted(names) if find_spec(name) is None] == []


@pytest.mark.parametrize("document", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_every_path_that_a_document_names_exists(document: str) -> None:
    # a path is written from the root of the repository or from src/assay
    paths = re.findall(r"`((?:[\w.-]+/)+(?:[\w.-]+)?|[\w-]+/?[\w.-]*\.(?:py|md))`", _read(document))
    roots = (ROOT, ROOT / "src" / "assay")
    assert paths
    assert [path for path in paths if not any((root / path).exists() for root in roots)] == []


def test_every_analyzer_is_in_the_list_of_analyzers() -> None:
    named = set(re.findall(r"`(\w+)", _read("docs/analyzers.md")))
    assert set(registry()) <= named


def test_the_list_of_analyzers_marks_those_that_can_be_subtracted() -> None:
    rows = _read("docs/analyzers.md").splitlines()
    extremes = next(row for row in rows if row.startswith("| `Minimum"))
    totals = next(row for row in rows if row.startswith("| `Mean(column)`"))
    assert "±" not in extremes
    assert not issubclass(_KINDS["least"], Invertible)
    assert "±" in totals
    assert issubclass(_KINDS["total"], Invertible)


def test_importing_assay_imports_no_heavy_package() -> None:
    heavy = "{'pyspark', 'numpy', 'pandas', 'datasketches', 'rich'}"
    code = f"import sys, assay; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_the_make_targets_that_a_document_names_exist(document: str) -> None:
    named = set(re.findall(r"^(?:make|.*`make) ([a-z-]+)", _read(document), re.MULTILINE))
    targets = set(re.findall(r"^([a-z-]+):", _read("Makefile"), re.MULTILINE))
    assert named
    assert named <= targets


def test_the_readme_shows_the_two_commands_to_begin_with() -> None:
    assert "\nmake demo " in _read("README.md")
    assert "\nmake test " in _read("README.md")


@pytest.mark.connect
def test_the_tutorial_on_connect_runs_there(spark: SparkSession) -> None:
    path = ROOT / "docs/tutorials/connect.md"
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    done = doctest.testfile(str(path), False, globs={"spark": spark}, optionflags=flags)
    assert done.attempted > 5
    assert not done.failed
