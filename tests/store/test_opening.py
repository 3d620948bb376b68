"""Stores are opened by a folder or a URL."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assay.analyzers import Uniqueness
from assay.dataset import Dataset
from assay.errors import StoreError
from assay.store import EmbeddedStore, MemoryStore, PostgresStore, Selection, open_store
from tests.store.examples import batch, sized

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_folder_is_an_embedded_store(tmp_path: Path) -> None:
    for place in (tmp_path / "store", str(tmp_path / "other")):
        assert isinstance(open_store(place), EmbeddedStore)


def test_a_url_of_postgresql_is_a_postgres_store(postgres_url: str) -> None:
    store = open_store(postgres_url)
    assert isinstance(store, PostgresStore)
    assert store.tables is None
    assert store.name == postgres_url  # as the user wrote it
    store.write(batch(1), sized(1))
    store.close()
    with closing(PostgresStore(postgres_url)) as again:
        assert len(again.batches(Selection("orders"))) == 1


def test_without_a_path_postgresql_keeps_frequencies_itself(
    postgres_url: str, spark: SparkSession
) -> None:
    store = PostgresStore(postgres_url)
    words = Dataset("words", store, analyzers=[Uniqueness("id")])
    words.append(spark.range(3), "b=1")
    words.append(spark.range(2, 5), "b=2")
    assert words.verify().measurement.value(Uniqueness("id")) == 4 / 6
    store.close()


@pytest.mark.parametrize("url", ["mysql://ann:secret@host/db", "s3a://lake/store"])
def test_an_unknown_scheme_is_refused_with_what_is_possible(url: str) -> None:
    with pytest.raises(StoreError, match="a folder or a URL with postgresql:") as caught:
        open_store(url)
    assert "secret" not in str(caught.value)


def test_packages_add_stores(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def open_memory(url: str) -> MemoryStore:
        opened.append(url)
        return MemoryStore()

    def plugins(_: str) -> tuple[tuple[str, Any], ...]:
        return (("memory", open_memory),)

    monkeypatch.setattr("assay.store.opening.load_plugins", plugins)
    assert isinstance(open_store("memory://here"), MemoryStore)
    assert opened == ["memory://here"]
