"""Keys read back to the analyzer that they name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.analyzers import Analyzer, Completeness, Uniqueness, parse_key, registry
from assay.analyzers.analyzer import _REGISTRY
from assay.errors import KeySyntaxError
from assay.plugins import load_plugins

names = st.text(min_size=1, max_size=12) | st.sampled_from(
    ["a.b", "with space", "tick`ed", "it's", "größe", "where", "null", "inf", "1st", ".5", "a=b"]
)
shares = st.floats(0, 1)
arguments: dict[str, st.SearchStrategy[Any]] = {
    "predicate": st.text(min_size=1),
    "pattern": st.text(),
    "expression": st.text(min_size=1),
    "binning": st.none() | st.text(min_size=1),
    "name": st.text(),
    "nulls": st.sampled_from(["ignore", "empty"]),
    "search": st.booleans(),
    "score": st.sampled_from(["f1", "precision"]),
    "exact": st.booleans(),
    "order": st.booleans(),
    "nullable": st.booleans(),
    "table": st.text(min_size=1).filter(lambda text: text.strip() != ""),
    "other_expression": st.none() | st.text(min_size=1),
    "of": st.sampled_from(["values", "patterns", "moments"]),
    "distance": st.sampled_from(["l1", "cohen_d", "pattern_l1"]),
    "quantile": shares,
    "quantiles": st.lists(shares, min_size=1, max_size=3).map(tuple),
    "edges": st.just((0.0, 1.5, 2.0)),
    "type": st.none() | st.sampled_from(["integral", "date"]),
    "as_of": st.none() | st.just(datetime(2026, 11, 15, 12, tzinfo=UTC)),
    "expected": st.lists(st.tuples(names, names), max_size=3).map(tuple),
    "parts": st.lists(st.tuples(names, names, st.sampled_from(["sum", "min"])), max_size=3).map(
        tuple
    ),
}


def _argument(kind: type[Analyzer], name: str, default: object) -> st.SearchStrategy[Any]:
    if name == "nulls" and kind.__name__ == "Compliance":
        return st.sampled_from(["ignore", "fail"])
    if name in arguments:
        return arguments[name]
    if name in {"to", "keys"} or (name == "columns" and "to" in kind.__match_args__):
        return st.tuples(names, names)
    if name in {"columns", "inputs"}:
        size = 2 if kind.__name__ == "MutualInformation" else 1
        return st.lists(names, min_size=size, max_size=max(size, 2), unique=True).map(tuple)
    return st.integers(1, 50) if isinstance(default, int) else names


def analyzers(kind: type[Analyzer]) -> st.SearchStrategy[Analyzer]:
    """Analyzers of a kind with any arguments it takes."""
    strategies = {
        f.name: _argument(kind, f.name, None if f.default is MISSING else f.default)
        for f in fields(kind)
        if f.name not in {"where", "formula", "classifier"}
    }
    selection = st.none() | st.text(min_size=1).filter(lambda text: text.strip() != "")
    return st.builds(kind, **strategies, where=selection)


@pytest.mark.parametrize("kind", registry().values(), ids=list(registry()))
@settings(max_examples=30)
@given(data=st.data())
def test_a_key_reads_back(kind: type[Analyzer], data: st.DataObject) -> None:
    analyzer = data.draw(analyzers(kind))
    assert parse_key(analyzer.key) == analyzer
    assert hash(parse_key(analyzer.key)) == hash(analyzer)


def test_the_documented_spelling() -> None:
    assert Completeness("email", where="country = 'DE'").key == (
        "Completeness(email) where country = 'DE'"
    )
    assert Uniqueness(["a", "b c"]).key == "Uniqueness(a, `b c`)"


@pytest.mark.parametrize(
    ("key", "complaint"),
    [
        ("Completness(a)", "did you mean Completeness?"),
        ("Completeness(a", "Completeness"),
        ("Completeness(a) wher b", "unexpected"),
        ("Completeness(a, b=1)", "unexpected keyword"),
        ("", "is not an analyzer's key"),
    ],
)
def test_a_bad_key_is_one_sentence(key: str, complaint: str) -> None:
    with pytest.raises(KeySyntaxError) as raised:
        parse_key(key)
    assert complaint in str(raised.value)
    assert "\n" not in str(raised.value)


PACKAGE = """
from dataclasses import dataclass
from assay.analyzers.counting import Completeness

@dataclass(frozen=True)
class ThirdPartyCompleteness(Completeness):
    pass
"""


@pytest.fixture
def third_party(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Another package that declares an analyzer is installed."""
    (tmp_path / "third_party_analyzers.py").write_text(PACKAGE)
    metadata = tmp_path / "third_party-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Name: third-party\nVersion: 1.0\n")
    entry = "ThirdPartyCompleteness = third_party_analyzers:ThirdPartyCompleteness"
    (metadata / "entry_points.txt").write_text(f"[assay.analyzers]\n{entry}\n")
    monkeypatch.syspath_prepend(tmp_path)
    load_plugins.cache_clear()
    yield
    load_plugins.cache_clear()
    _REGISTRY.pop("ThirdPartyCompleteness", None)


@pytest.mark.usefixtures("third_party")
def test_an_analyzer_of_another_package_is_found_by_its_key() -> None:
    key = "ThirdPartyCompleteness(email)"
    assert parse_key(key).key == key
    assert "ThirdPartyCompleteness" in registry()
