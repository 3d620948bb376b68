"""What a gate is made with; what it cannot be made with is refused in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from os import PathLike
from typing import TYPE_CHECKING

from assay.checks.check import Check
from assay.errors import CheckError
from assay.io.dialect import FileDialect
from assay.store.batch import Batch

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["batch_of", "checks_of", "names_of", "path_of", "stands_before"]


def stands_before(dataset: object, store: object) -> None:
    """Refuse what is no name of a dataset, and what is no store."""
    if not isinstance(dataset, str) or not dataset:
        raise CheckError(f"a dataset has a text for its name, such as 'orders', not {dataset!r}.")
    if isinstance(store, str | PathLike):
        raise CheckError(f"a store is opened first: EmbeddedStore({str(store)!r}).")
    if not hasattr(store, "verdicts"):
        raise CheckError(f"a gate remembers in a store, such as MemoryStore(), not in {store!r}.")


def checks_of(suite: object) -> tuple[Check, ...]:
    """The checks that are meant, or none."""
    given = () if suite is None else suite if isinstance(suite, Iterable) else (suite,)
    found = tuple(given)
    checks = tuple(each for each in found if isinstance(each, Check))
    if len(checks) < len(found):
        raise CheckError(f"a gate takes a Suite or Checks, not {suite!r}: Suite.read(…) gives one.")
    return checks


def path_of(patterns: str | PathLike[str] | None) -> str | None:
    """The path as a text."""
    return str(patterns) if isinstance(patterns, PathLike) else patterns


def names_of(names: object) -> tuple[str, ...]:
    """Return column names as a tuple; refuse what is not text."""
    if isinstance(names, str):
        return (names,)
    found = tuple(names) if isinstance(names, Iterable) else (names,)
    texts = tuple(each for each in found if isinstance(each, str))
    if len(texts) < len(found):
        wrong = next(each for each in found if not isinstance(each, str))
        raise CheckError(f"columns are named by texts, such as 'day', not by {wrong!r}.")
    return texts


def batch_of(
    dataset: str,
    df: DataFrame,
    key: str,
    time: datetime | None,
    tags: Mapping[str, str] | None,
    writing: FileDialect | None,
) -> Batch:
    """Return the batch; refuse wrong arguments in one sentence."""
    own = Batch(dataset, key, datetime.now(UTC) if time is None else time, tags or {})
    if not hasattr(df, "sparkSession"):
        raise CheckError(f"batch {key!r} is a DataFrame of Spark, not a {type(df).__name__}.")
    if writing is not None and not isinstance(writing, FileDialect):
        raise CheckError(f"how a file is written is what writing_of(…) gives, not {writing!r}.")
    return own
