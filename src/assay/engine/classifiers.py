"""Classifiers of the user's own: trained on some rows, judged by the others.

Which rows are held out is decided by a hash of the whole row, not of what is learnt from: else the
same values would always be together, and nothing could be known of those held out.
"""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from assay.analyzers.aggregate_expr import condition
from assay.analyzers.custom import Opaque
from assay.analyzers.features import bucket_of
from assay.analyzers.hashing import key_of
from assay.analyzers.predictability import Fit
from assay.analyzers.schema import GROUPABLE, Column
from assay.analyzers.scores import scores
from assay.engine.failure import problem_of
from assay.engine.features import with_names
from assay.engine.frame import schema_of
from assay.errors import AssayError, MissingDependencyError, NotComputableError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["fitted"]

#: one row of so many is held out
_HELD_OUT = 5
Outcomes = Counter[tuple[Any, Any]]


def fitted(df: DataFrame, fit: Fit) -> Opaque:
    """The scores of a classifier on rows that it has not seen; of too few rows there are none."""
    rows = _rows(df, fit)
    try:
        outcomes = (_in_spark if _is_sparks(fit.classifier) else _on_driver)(rows, fit)
    except AssayError:
        raise
    except Exception as error:  # whatever the user's classifier raises is its answer
        problem = problem_of(error)
        if problem.code == "session_closed":
            raise
        name = type(fit.classifier).__name__
        reason = problem.reason.removesuffix(".")
        raise NotComputableError.unfit(name, f"{type(error).__name__}: {reason}.") from error
    found = scores(outcomes)
    return Opaque(None if found is None else asdict(found))


def _rows(df: DataFrame, fit: Fit) -> DataFrame:
    """Of each row its target as text (`value`), the `names` of its features, its hash `h`."""
    from pyspark.sql import functions as F

    whole = ", ".join(key_of(column) for column in schema_of(df).columns if _has_hash(column))
    target, *inputs = fit.grouping.keys
    if fit.grouping.where is not None:
        df = df.where(F.expr(condition(fit.grouping.where)))
    texts = df.where(F.expr(f"{target.sql} IS NOT NULL")).select(
        F.expr(fit.label).alias("value"),
        F.expr(f"xxhash64({whole})").alias("h"),
        *(F.expr(key.sql).alias(f"k{i}") for i, key in enumerate(inputs, start=1)),
    )
    held = F.expr(f"pmod(h, {_HELD_OUT}L) = 0").alias("held")
    return with_names(texts, fit).select("value", "names", "h", held)


def _has_hash(column: Column) -> bool:
    return column.family in GROUPABLE and "collate" not in column.type


def _is_sparks(classifier: object) -> bool:
    """Whether it is an estimator of Spark ML; told without importing that."""
    return any(base.__module__.startswith("pyspark.ml.") for base in type(classifier).__mro__)


def _in_spark(rows: DataFrame, fit: Fit) -> Outcomes:
    from pyspark.ml.feature import HashingTF, StringIndexer

    indexed = StringIndexer(inputCol="value", outputCol="label").fit(rows).transform(rows)
    hashing = HashingTF(numFeatures=fit.buckets, inputCol="names", outputCol="features")
    ready = hashing.transform(indexed)
    held = ready.where("held")
    if ready.where("NOT held").isEmpty() or held.isEmpty():
        return Counter()
    model = fit.classifier.fit(ready.where("NOT held"))
    found = model.transform(held).groupBy("label", "prediction").count().collect()
    return Counter({(label, guess): n for label, guess, n in found})


def _on_driver(rows: DataFrame, fit: Fit) -> Outcomes:
    from pyspark.sql import functions as F

    buckets = F.expr(f"transform(names, name -> {bucket_of('name', fit.buckets)})")
    sample = rows.orderBy("h").limit(fit.sample).select("held", "value", buckets).collect()
    held = [row for row in sample if row[0]]
    seen = [row for row in sample if not row[0]]
    if not held or not seen:
        return Counter()
    classifier = deepcopy(fit.classifier)  # the user's own stays as it is
    classifier.fit(_matrix(seen, fit.buckets), [row[1] for row in seen])
    guesses = classifier.predict(_matrix(held, fit.buckets))
    return Counter((row[1], str(guess)) for row, guess in zip(held, guesses, strict=True))


def _matrix(rows: list[Any], buckets: int) -> Any:
    try:
        import numpy as np
    except ImportError as error:
        raise MissingDependencyError.absent("numpy", extra="learn") from error
    matrix = np.zeros((len(rows), buckets), dtype=np.float32)
    for at, (_, _, found) in enumerate(rows):
        np.add.at(matrix[at], found, 1)
    return matrix
