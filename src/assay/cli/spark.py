"""Get a Spark session for a command: the active one, or a new one without Spark's log output."""

from __future__ import annotations

import logging
import os
import re
import socket
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import typer

from assay.cli.exits import Exit, exit_with
from assay.cli.options import PrintOptions, SparkOptions
from assay.cli.output import progress
from assay.engine.failure import problem_of
from assay.engine.query_log import without_query_log
from assay.engine.session import active_session, cluster_session, local_session, remote_session
from assay.errors import AssayError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from assay.io.locations import LocalTable

__all__ = ["conf_of", "connect_problem", "spark_session"]

#: bytes below which compiling queries well takes longer than running them
_SMALL_BYTES = 64 << 20
_SMALL_CONF = {
    "spark.driver.extraJavaOptions": (
        "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=240m"
    ),
    "spark.sql.shuffle.partitions": "2",
}
_CONNECT_PORT = 15002
_CONNECT_TIMEOUT_SECONDS = 5.0


@contextmanager
def spark_session(
    options: SparkOptions, output: PrintOptions, source: LocalTable | None = None
) -> Iterator[SparkSession]:
    """Yield the active session, or start one and stop it at the end.

    Parameters
    ----------
    source
        The table to read. A session for a small file gets settings that start it faster.
    """
    conf = conf_of(options)
    if source is not None and source.length < _SMALL_BYTES and not options.remote:
        conf = {**_SMALL_CONF, **conf}
    with warnings.catch_warnings(), _without_logs_of("py4j", unless=output.debug):
        if not output.debug:
            warnings.simplefilter("ignore")
        with progress(output, "Starting Spark …"):
            active = _active_session()
            spark = active or _start(options, conf)
        try:
            # the command words failures itself
            with nullcontext() if output.debug else without_query_log():
                yield spark
        finally:
            if active is None:
                spark.stop()


@contextmanager
def _without_logs_of(package: str, *, unless: bool) -> Iterator[None]:
    """Silence a package that uses the root logger: Py4J does so when it is interrupted."""
    inside = f"{os.sep}{package}{os.sep}"

    def is_wanted(record: logging.LogRecord) -> bool:
        return unless or inside not in record.pathname

    root = logging.getLogger()
    root.addFilter(is_wanted)
    try:
        yield
    finally:
        root.removeFilter(is_wanted)


def conf_of(options: SparkOptions) -> dict[str, str]:
    """Return the settings of the option --spark-conf."""
    pairs = [setting.partition("=") for setting in options.spark_conf or ()]
    for key, sign, _ in pairs:
        if not key or not sign:
            raise typer.BadParameter(f"expected KEY=VALUE, got {key!r}.", param_hint="--spark-conf")
    return {key.strip(): value for key, _, value in pairs}


def connect_problem(url: str) -> str | None:
    """Return why a Spark Connect server cannot be reached; None if it answers.

    Spark itself tries for minutes before it gives up.
    """
    parts = urlsplit(url)
    if parts.scheme != "sc" or not parts.hostname:
        return f"expected a Spark Connect URL such as sc://host:{_CONNECT_PORT}, got {url!r}"
    try:
        address = (parts.hostname, parts.port or _CONNECT_PORT)
        with socket.create_connection(address, _CONNECT_TIMEOUT_SECONDS):
            return None
    except (OSError, ValueError) as error:
        return f"nothing answers at {url}: {error}"


def _active_session() -> SparkSession | None:
    try:
        return active_session()
    except ImportError:
        return None  # starting a session reports the missing package


def _start(options: SparkOptions, conf: Mapping[str, str]) -> SparkSession:
    if options.remote:
        problem = connect_problem(options.remote)
        if problem is not None:
            raise exit_with(f"{problem}.", Exit.NOT_EVALUATED)
        spark = remote_session(options.remote)
        for key, value in conf.items():
            spark.conf.set(key, value)
        return spark
    with tempfile.NamedTemporaryFile(prefix="assay-spark-", suffix=".log", delete=False) as log:
        try:
            with _redirect_output(log.fileno()):
                spark = _start_classic(options.master, conf)
        except AssayError:
            Path(log.name).unlink()
            raise
        except Exception as error:  # Spark and Java can raise anything; it is reported
            output = Path(log.name).read_text(encoding="utf-8", errors="replace")
            reason = _reason(output) or problem_of(error).reason
            sentence = f"Spark did not start: {reason.rstrip('.')} (its log: {log.name})."
            raise exit_with(sentence, Exit.NOT_EVALUATED) from error
    Path(log.name).unlink()
    return spark


def _reason(log: str) -> str:
    """Return the first error in a log, without the names of Java classes.

    >>> _reason("WARN x\\nException in thread main org.apache.SparkException: No master.\\n\\tat y")
    'No master.'
    """
    error = re.search(r"^.*?(?:Exception|Error)\b[^\n:]*: *([^\n]+)$", log, re.M)
    return error[1].strip() if error else ""


def _start_classic(master: str | None, conf: Mapping[str, str]) -> SparkSession:
    if master is None:
        return local_session("assay", conf=conf)
    if master.startswith("local"):
        return local_session("assay", conf={"spark.master": master, **conf})
    return cluster_session(master, conf=conf)


@contextmanager
def _redirect_output(file: int) -> Iterator[None]:
    """Send what child processes print, such as warnings of Java and Spark, to a file."""
    sys.stdout.flush()
    sys.stderr.flush()
    saved = [os.dup(1), os.dup(2)]
    try:
        for number in (1, 2):
            os.dup2(file, number)
        yield
    finally:
        for number, old in zip((1, 2), saved, strict=True):
            os.dup2(old, number)
            os.close(old)
