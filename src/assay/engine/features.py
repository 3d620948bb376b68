"""The features of a task's rows, as columns of Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.analyzers.features import named, words
from assay.analyzers.predictability import Task

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["with_names"]


def with_names(texts: DataFrame, task: Task) -> DataFrame:
    """The same with the `names` of the features of texts ``k1, k2, …``."""
    from pyspark.sql import functions as F

    inputs = {f"k{i}": (f"w{i}" if has else None) for i, has in enumerate(task.words, start=1)}
    # words in columns of their own: they are needed twice
    split = [F.expr(words(text)).alias(own) for text, own in inputs.items() if own is not None]
    names = [named(i, text, own) for i, (text, own) in enumerate(inputs.items())]
    return texts.select("*", *split).withColumn("names", F.expr(f"concat({', '.join(names)})"))
