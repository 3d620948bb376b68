"""The Spark that a command runs on: the active session, or one of its own, without its noise."""

from __future__ import annotations

import logging
import os
import re
import socket
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import typer

from assay.cli.exits import Exit, refused
from assay.cli.options import Manner, Session
from assay.cli.output import working
from assay.engine.failure import problem_of
from assay.engine.session import active_session, cluster_session, local_session, remote_session
from assay.errors import AssayError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from assay.io.locations import LocalTable

__all__ = ["conf_of", "reachable", "started"]

#: of few bytes, compiling queries well takes longer than running them
_SMALL = 64 << 20
_QUICK = {
    "spark.driver.extraJavaOptions": (
        "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=240m"
    ),
    "spark.sql.shuffle.partitions": "2",
}
#: PySpark logs a failed query there, as JSON with a stack trace
_PYSPARK_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
_PORT = 15002
_SECONDS = 5.0


@contextmanager
def started(
    options: Session, manner: Manner, source: LocalTable | None = None
) -> Iterator[SparkSession]:
    """A session, stopped in the end unless it was there before; quickly there for a small file."""
    conf = conf_of(options)
    if source is not None and source.length < _SMALL and not options.remote:
        conf = {**_QUICK, **conf}
    with warnings.catch_warnings(), _without("py4j", unless=manner.debug):
        if not manner.debug:
            warnings.simplefilter("ignore")
        with working(manner, "Starting Spark …"):
            already = _active()
            spark = already or _start(options, conf)
        try:
            with _silent(*_PYSPARK_LOGGERS, unless=manner.debug):
                yield spark
        finally:
            if already is None:
                spark.stop()


@contextmanager
def _silent(*names: str, unless: bool) -> Iterator[None]:
    """Silence PySpark's loggers for one command: the command words its failures itself."""
    from pyspark.logger import PySparkLogger  # the first caller decides the class of the logger

    def refuse(_: logging.LogRecord) -> bool:
        return unless

    loggers = [PySparkLogger.getLogger(name) for name in names]
    for logger in loggers:
        logger.addFilter(refuse)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeFilter(refuse)


@contextmanager
def _without(package: str, *, unless: bool) -> Iterator[None]:
    """A package that logs as everybody's logger is not heard: Py4J does when it is interrupted."""
    inside = f"{os.sep}{package}{os.sep}"

    def others(record: logging.LogRecord) -> bool:
        return unless or inside not in record.pathname

    everybody = logging.getLogger()
    everybody.addFilter(others)
    try:
        yield
    finally:
        everybody.removeFilter(others)


def conf_of(options: Session) -> dict[str, str]:
    """The settings given."""
    pairs = [each.partition("=") for each in options.spark_conf or ()]
    for key, sign, _ in pairs:
        if not key or not sign:
            raise typer.BadParameter(f"{key!r} is not KEY=VALUE.", param_hint="--spark-conf")
    return {key.strip(): value for key, _, value in pairs}


def reachable(url: str) -> str | None:
    """Why nothing answers at the address of a Spark Connect server, if so.

    Spark itself would try for minutes.
    """
    parts = urlsplit(url)
    if parts.scheme != "sc" or not parts.hostname:
        return f"{url!r} is no address of a Spark Connect server, such as sc://host:{_PORT}"
    try:
        with socket.create_connection((parts.hostname, parts.port or _PORT), _SECONDS):
            return None
    except (OSError, ValueError) as error:
        return f"nothing answers at {url}: {error}"


def _active() -> SparkSession | None:
    try:
        return active_session()
    except ImportError:
        return None  # whoever starts one says what is missing


def _start(options: Session, conf: Mapping[str, str]) -> SparkSession:
    if options.remote:
        problem = reachable(options.remote)
        if problem is not None:
            raise refused(f"{problem}.", Exit.NOT_EVALUATED)
        spark = remote_session(options.remote)
        for key, value in conf.items():
            spark.conf.set(key, value)
        return spark
    with tempfile.NamedTemporaryFile(prefix="assay-spark-", suffix=".log", delete=False) as log:
        try:
            with _into(log.fileno()):
                spark = _classic(options.master, conf)
        except AssayError:
            Path(log.name).unlink()
            raise
        except Exception as error:  # whatever Spark and Java can do
            said = Path(log.name).read_text(encoding="utf-8", errors="replace")
            reason = _reason(said) or problem_of(error).reason
            sentence = f"Spark did not start: {reason.rstrip('.')} (its log is {log.name})."
            raise refused(sentence, Exit.NOT_EVALUATED) from error
    Path(log.name).unlink()
    return spark


def _reason(log: str) -> str:
    """The first line of a log that tells of an error, without the names of Java's classes.

    >>> _reason("WARN x\\nException in thread main org.apache.SparkException: No master.\\n\\tat y")
    'No master.'
    """
    found = re.search(r"^.*?(?:Exception|Error)\b[^\n:]*: *([^\n]+)$", log, re.M)
    return found[1].strip() if found else ""


def _classic(master: str | None, conf: Mapping[str, str]) -> SparkSession:
    if master is None:
        return local_session("assay", conf=conf)
    if master.startswith("local"):
        return local_session("assay", conf={"spark.master": master, **conf})
    return cluster_session(master, conf=conf)


@contextmanager
def _into(file: int) -> Iterator[None]:
    """What processes that are started here ever write goes to a file: Java's warnings, Spark's."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(1), os.dup(2)]
    try:
        for number in (1, 2):
            os.dup2(file, number)
        yield
    finally:
        for number, old in zip((1, 2), kept, strict=True):
            os.dup2(old, number)
            os.close(old)
