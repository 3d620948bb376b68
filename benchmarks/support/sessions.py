"""The two sessions that benchmarks run in: Assay's own, and one with Spark's own settings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.engine.session import local_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Sessions", "sessions"]

#: settings of `local_session` that a user's session has not, and Spark's defaults for them
_DEFAULTS = {
    "spark.sql.codegen.maxFields": "100",
    "spark.sql.codegen.useIdInClassName": "true",
    "spark.sql.shuffle.partitions": "200",
}


@dataclass(frozen=True)
class Sessions:
    """Two sessions on one JVM."""

    own: SparkSession
    users: SparkSession


@contextmanager
def sessions() -> Iterator[Sessions]:
    """Both sessions, and the JVM stopped afterwards."""
    own = local_session("assay-benchmark")
    users = own.newSession()
    for name, value in _DEFAULTS.items():
        users.conf.set(name, value)
    try:
        yield Sessions(own, users)
    finally:
        own.stop()
