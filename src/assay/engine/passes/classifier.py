"""Train a classifier that the user supplies, and evaluate it on rows that it has not seen.

A hash of the whole row decides which rows are held out. A hash of the inputs alone would put equal
inputs on the same side, so that nothing about the held-out rows could be learned.
"""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from assay.analyzers.aggregate_expr import condition
from assay.analyzers.custom import Opaque
from assay.analyzers.hashing import key_of
from assay.analyzers.model_features import bucket_of, named, words
from assay.analyzers.predictability import Fit, Task
from assay.analyzers.prediction_scores import scores
from assay.analyzers.schema import GROUPABLE, Column
from assay.engine.failure import problem_of
from assay.engine.frame import schema_of
from assay.errors import AssayError, MissingDependencyError, NotComputableError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["evaluate_classifier", "with_feature_names"]

#: one row of this many is held out
_HELD_OUT_EVERY = 5
#: how often each pair of a true and a predicted class occurs
Outcomes = Counter[tuple[Any, Any]]


def evaluate_classifier(df: DataFrame, fit: Fit) -> Opaque:
    """Return the scores of a classifier on held-out rows; None if there are too few rows.

    Raises
    ------
    NotComputableError
        If the classifier fails.
    """
    rows = _prepare_rows(df, fit)
    bases = type(fit.classifier).__mro__
    is_spark = any(base.__module__.startswith("pyspark.ml.") for base in bases)
    try:
        outcomes = (_evaluate_in_spark if is_spark else _evaluate_on_driver)(rows, fit)
    except AssayError:
        raise
    except Exception as error:  # the user's classifier may raise anything
        problem = problem_of(error)
        if problem.code == "session_closed":
            raise
        name = type(fit.classifier).__name__
        reason = problem.reason.removesuffix(".")
        raise NotComputableError.unfit(name, f"{type(error).__name__}: {reason}.") from error
    result = scores(outcomes)
    return Opaque(None if result is None else asdict(result))


def with_feature_names(texts: DataFrame, task: Task) -> DataFrame:
    """Add the column `names`: the names of the features of the texts ``k1, k2, …``."""
    from pyspark.sql import functions as F

    word_columns = {
        f"k{i}": (f"w{i}" if has_words else None) for i, has_words in enumerate(task.words, start=1)
    }
    # words get a column, since they are needed twice
    split = [
        F.expr(words(text)).alias(word_column)
        for text, word_column in word_columns.items()
        if word_column is not None
    ]
    names = [
        named(position, text, word_column)
        for position, (text, word_column) in enumerate(word_columns.items())
    ]
    return texts.select("*", *split).withColumn("names", F.expr(f"concat({', '.join(names)})"))


def _prepare_rows(df: DataFrame, fit: Fit) -> DataFrame:
    """Return for each row its target as text, the `names` of its features, its hash, `held`."""
    from pyspark.sql import functions as F

    keys = ", ".join(key_of(column) for column in schema_of(df).columns if _has_hash(column))
    target, *inputs = fit.grouping.keys
    if fit.grouping.where is not None:
        df = df.where(F.expr(condition(fit.grouping.where)))
    texts = df.where(F.expr(f"{target.sql} IS NOT NULL")).select(
        F.expr(fit.label).alias("value"),
        F.expr(f"xxhash64({keys})").alias("h"),
        *(F.expr(key.sql).alias(f"k{i}") for i, key in enumerate(inputs, start=1)),
    )
    held = F.expr(f"pmod(h, {_HELD_OUT_EVERY}L) = 0").alias("held")
    return with_feature_names(texts, fit).select("value", "names", "h", held)


def _has_hash(column: Column) -> bool:
    return column.family in GROUPABLE and "collate" not in column.type


def _evaluate_in_spark(rows: DataFrame, fit: Fit) -> Outcomes:
    from pyspark.ml.feature import HashingTF, StringIndexer

    indexed = StringIndexer(inputCol="value", outputCol="label").fit(rows).transform(rows)
    hashing = HashingTF(numFeatures=fit.buckets, inputCol="names", outputCol="features")
    features = hashing.transform(indexed)
    held_out = features.where("held")
    if features.where("NOT held").isEmpty() or held_out.isEmpty():
        return Counter()
    model = fit.classifier.fit(features.where("NOT held"))
    counts = model.transform(held_out).groupBy("label", "prediction").count().collect()
    return Counter({(label, prediction): row_count for label, prediction, row_count in counts})


def _evaluate_on_driver(rows: DataFrame, fit: Fit) -> Outcomes:
    from pyspark.sql import functions as F

    buckets = F.expr(f"transform(names, name -> {bucket_of('name', fit.buckets)})")
    sample = rows.orderBy("h").limit(fit.sample).select("held", "value", buckets).collect()
    held_out = [row for row in sample if row[0]]
    training = [row for row in sample if not row[0]]
    if not held_out or not training:
        return Counter()
    classifier = deepcopy(fit.classifier)  # the user's object is not changed
    classifier.fit(_matrix(training, fit.buckets), [row[1] for row in training])
    predictions = classifier.predict(_matrix(held_out, fit.buckets))
    pairs = zip(held_out, predictions, strict=True)
    return Counter((row[1], str(prediction)) for row, prediction in pairs)


def _matrix(rows: list[Any], buckets: int) -> Any:
    try:
        import numpy as np
    except ImportError as error:
        raise MissingDependencyError.absent("numpy", extra="learn") from error
    matrix = np.zeros((len(rows), buckets), dtype=np.float32)
    for position, (_, _, features) in enumerate(rows):
        np.add.at(matrix[position], features, 1)
    return matrix
