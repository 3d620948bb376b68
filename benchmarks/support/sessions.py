"""The two sessions that speed benchmarks use: Assay's own, and one with Spark's own settings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.engine.session import local_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Sessions", "sessions"]

#: Spark's defaults of the settings that `local_session` changes
_SPARK_DEFAULTS = {
    "spark.sql.codegen.maxFields": "100",
    "spark.sql.codegen.useIdInClassName": "true",
    "spark.sql.shuffle.partitions": "200",
}


@dataclass(frozen=True)
class Sessions:
    """Two sessions on one JVM: the one that Assay starts, and one as users have it."""

    assay: SparkSession
    user: SparkSession


@contextmanager
def sessions() -> Iterator[Sessions]:
    """Start both sessions, and stop the JVM afterwards."""
    assay = local_session("assay-benchmark")
    user = assay.newSession()
    for name, value in _SPARK_DEFAULTS.items():
        user.conf.set(name, value)
    try:
        yield Sessions(assay, user)
    finally:
        assay.stop()
