"""Create Spark sessions: local ones, ones on a cluster, and ones of Spark Connect."""

from __future__ import annotations

import atexit
import functools
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from assay.engine.java import find_java, spark_java_home
from assay.errors import MissingDependencyError, SessionConflictError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OLDEST_SPARK = (4, 1)

_CONF = {
    "spark.api.mode": "classic",
    "spark.sql.ansi.enabled": "true",
    # Wider aggregations keep code generation; chunks can be bigger than in other sessions.
    "spark.sql.codegen.maxFields": "1000",
    # Branches of one query that do the same with other columns share their compiled code.
    "spark.sql.codegen.useIdInClassName": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
_LOCAL = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.sql.catalogImplementation": "in-memory",
    "spark.sql.shuffle.partitions": "8",
}


def local_session(
    app_name: str = "assay",
    *,
    cores: int | Literal["*"] = "*",
    memory: str = "2g",
    conf: Mapping[str, str] | None = None,
) -> SparkSession:
    """Return the active Spark session, or start a local one.

    An active session is returned unchanged. A new session finds its own Java (see
    `assay.engine.java`). It listens on the loopback interface only, logs warnings only, and writes
    nothing to the working directory.

    Parameters
    ----------
    app_name
        The name of the application.
    cores
        The number of cores; ``"*"`` for all.
    memory
        The memory of the driver.
    conf
        Spark settings, which override those of Assay.

    Examples
    --------
    >>> local_session(cores=2) is spark  # a session is active
    True
    """
    settings = {
        **_LOCAL,
        "spark.driver.memory": memory,
        "spark.sql.warehouse.dir": (_scratch() / "warehouse").as_uri(),
        **(conf or {}),
    }
    address = os.environ.get("SPARK_LOCAL_IP", "127.0.0.1")
    return _classic(f"local[{cores}]", app_name, settings, {"SPARK_LOCAL_IP": address})


def cluster_session(
    master: str, app_name: str = "assay", *, conf: Mapping[str, str] | None = None
) -> SparkSession:
    """Return the active Spark session, or start one with the executors of a cluster.

    An active session is returned unchanged. The driver runs in this process.

    Parameters
    ----------
    master
        The address of the cluster, such as ``spark://host:7077``, ``yarn`` or ``k8s://…``.
    app_name
        The name of the application.
    conf
        Spark settings, which override those of Assay.
    """
    return _classic(master, app_name, conf or {}, {})


def _classic(
    master: str, app_name: str, conf: Mapping[str, str], environment: Mapping[str, str]
) -> SparkSession:
    version = _require_pyspark()
    from pyspark.sql import SparkSession

    active = active_session()
    if active is not None:
        return active
    java = find_java(newest=23 if version < (4, 2) else None)
    settings = {**_CONF, **conf}
    settings["spark.driver.extraJavaOptions"] = _java_options(settings)
    variables = {
        "JAVA_HOME": os.fspath(spark_java_home(java)),
        "PYSPARK_PYTHON": os.environ.get("PYSPARK_PYTHON", sys.executable),
        "SPARK_REMOTE": None,
    }
    with _environment({**variables, **environment}):
        builder = SparkSession.builder.master(master).appName(app_name)
        return builder.config(map=dict(settings)).getOrCreate()


def remote_session(url: str) -> SparkSession:
    """Create a session on a Spark Connect server.

    Parameters
    ----------
    url
        Address of the server, such as ``sc://host:15002``.

    Raises
    ------
    SessionConflictError
        If a classic session runs in this process.
    MissingDependencyError
        If pyspark or its packages for Spark Connect are not installed.
    """
    _require_pyspark()
    from pyspark.sql import SparkSession
    from pyspark.sql.utils import is_remote

    if active_session() is not None and not is_remote():
        raise SessionConflictError.classic_is_running(url)
    try:
        return SparkSession.builder.remote(url).create()
    except ImportError as error:
        raise MissingDependencyError.absent("pyspark[connect]", extra="spark") from error


def _require_pyspark() -> tuple[int, int]:
    try:
        import pyspark
    except ImportError as error:
        raise MissingDependencyError.absent("pyspark", extra="spark") from error
    major, minor = (int(part) for part in pyspark.__version__.split(".")[:2])
    if (major, minor) < OLDEST_SPARK:
        needed = ".".join(map(str, OLDEST_SPARK))
        raise MissingDependencyError.too_old(
            "pyspark", pyspark.__version__, needed=needed, extra="spark"
        )
    return major, minor


def active_session() -> SparkSession | None:
    """Return the session of this thread, else the default session of the process, if any."""
    from pyspark.errors import PySparkRuntimeError
    from pyspark.sql import SparkSession

    try:
        return SparkSession.active()
    except PySparkRuntimeError:
        return None


@contextmanager
def session_copy(spark: SparkSession, conf: Mapping[str, str]) -> Iterator[SparkSession]:
    """Copy a session and change settings of the copy. The original keeps its settings.

    The copy has the settings, views, functions and catalog of the original. Spark Connect copies
    sessions from version 4.1 on: an older client gets the original, without the new settings.
    """
    clone = getattr(spark, "cloneSession", None)
    if clone is not None:
        copy = clone()
    elif hasattr(spark, "_jsparkSession"):
        copy = _classic_copy(spark)
    else:
        yield spark
        return
    try:
        for name, value in conf.items():
            copy.conf.set(name, value)
        yield copy
    finally:
        if clone is not None:
            copy.stop()  # on Connect this releases the copy alone


def _classic_copy(spark: SparkSession) -> SparkSession:
    from pyspark import RDD

    to_df = RDD.toDF
    try:
        return type(spark)(spark.sparkContext, spark._jsparkSession.cloneSession())
    finally:
        # the constructor binds toDF to the newest session, but it belongs to the user's session
        RDD.toDF = to_df  # type: ignore[method-assign]


def _java_options(settings: Mapping[str, str]) -> str:
    log4j = Path(__file__).with_name("log4j2.properties").as_uri()
    ours = [f"-Dlog4j2.configurationFile={log4j}", f"-Dderby.system.home={_scratch()}"]
    theirs = settings.get("spark.driver.extraJavaOptions", "")
    return f"{shlex.join(ours)} {theirs}".strip()


@functools.cache
def _scratch() -> Path:
    """Create a folder for files that Spark would otherwise write to the working directory."""
    folder = tempfile.mkdtemp(prefix="assay-spark-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


@contextmanager
def _environment(values: Mapping[str, str | None]) -> Iterator[None]:
    """Set environment variables, or unset those with None, and restore them afterwards."""
    before = {name: os.environ.get(name) for name in values}
    _set_environment(values)
    try:
        yield
    finally:
        _set_environment(before)


def _set_environment(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
