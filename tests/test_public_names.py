"""Documents teach names that are public, and public names are those that documents teach."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import assay
from assay import Dataset, EmbeddedStore, Gate, MemoryStore, PostgresStore
from assay.store import Store
from tools.reference import PAGES

ROOT = Path(__file__).parents[1]
DOCUMENTS = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/*.md"),
    *ROOT.glob("docs/tutorials/*.md"),
    *ROOT.glob("examples/*.py"),
]
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
#: the modules that users import from
TOPICS = {"assay", "assay.data", "assay.demo", "assay.extending"} | {
    module for _, modules in PAGES.values() for module in modules
}
#: names of version 0.1, which warn
RENAMED = {"closed", "proposed", "selection"}


def _imports() -> set[tuple[str, str]]:
    """Return each module and name that a document or an example imports from Assay."""
    code = re.sub(r"^>>> ", "", TEXT, flags=re.MULTILINE)
    statements = re.findall(r"^from assay[\w.]* import (?:\([^)]*\)|[^(\n]*)$", code, re.MULTILINE)
    parsed = (node for statement in statements for node in ast.parse(statement).body)
    return {
        (str(node.module), alias.name)
        for node in parsed
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_what_documents_import_is_public() -> None:
    imports = _imports()
    assert len(imports) > 50
    for module, name in sorted(imports):
        assert module in TOPICS, f"{name} of {module}: expected one of {sorted(TOPICS)}"
        public = getattr(import_module(module), "__all__", None)
        assert public is None or name in {*public, "*"}, f"{module}.{name}"


def test_every_public_name_can_be_imported() -> None:
    for module in TOPICS:
        for name in getattr(import_module(module), "__all__", ()):
            assert hasattr(import_module(module), name), f"{module}.{name}"
    # a name is not hidden by a module of the same name
    import_module("assay.report.notify")
    modules = {name for name in assay.__all__ if isinstance(getattr(assay, name), ModuleType)}
    assert modules == {"analyzers"}
    assert set(dir(assay)) == {*assay.__all__, "__version__"}


def test_a_misspelt_name_has_what_python_needs_to_suggest_another() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Chek'") as caught:
        _ = assay.Chek
    assert (caught.value.name, caught.value.obj) == ("Chek", assay)


@pytest.mark.parametrize("cls", [Gate, Dataset, MemoryStore, EmbeddedStore, PostgresStore])
def test_documents_teach_the_public_names_of_a_class(cls: type) -> None:
    public = {name for name in dir(cls) if not name.startswith("_")} - RENAMED
    untaught = {name for name in public if not re.search(rf"\b{name}\b", TEXT)}
    assert untaught == set()


@pytest.mark.parametrize("cls", [MemoryStore, EmbeddedStore, PostgresStore])
def test_a_store_has_the_methods_of_the_protocol_and_little_else(cls: type) -> None:
    protocol = {name for name in dir(Store) if not name.startswith("_")}
    public = {name for name in dir(cls) if not name.startswith("_")}
    assert public - protocol <= {"close", "name", "size_bytes", "tables", "vacuum"}
