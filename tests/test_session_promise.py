"""Your session is yours: no public entry point changes the Spark session or Python's loggers."""

from __future__ import annotations

import inspect
import logging
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet
import pytest

import assay as assay_package
from assay import (
    Check,
    Dataset,
    Gate,
    compare,
    evaluate,
    local_session,
    measure,
    profile,
    suggest,
    verify,
    watch,
)
from assay import stream as start_stream
from assay.analyzers import Completeness, Compliance, Mean, Median, Uniqueness
from assay.analyzers.analyzer import Analyzer
from assay.engine.query_log import unlogged
from assay.io.reading import open_table
from assay.learn.patterns import (
    build_index,
    build_index_of_columns,
    build_index_of_tables,
    find_columns,
    find_columns_in_lake,
    find_columns_in_tables,
    infer,
    lake_columns,
    lake_jobs,
)
from assay.learn.profile import profile_plan
from assay.report.html import report_of
from assay.store import EmbeddedStore, MemoryStore
from tests.cli.running import assay

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.connect

CHECK = (
    Check("orders")
    .is_complete("id")
    .is_unique("id")
    .has_mean("amount", between=(0, 100))
    .satisfies("no_such_column > 1")
)
CODES = [f"K{n % 7}-{n:03}" for n in range(30)]
PATTERN = "<upper><digit>-<digit>{3}"


class Place:
    """The session, the table and the folder that entry points use."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self.spark = spark
        self.folder = folder
        self.df = self.batch(0)

    def batch(self, day: int) -> DataFrame:
        days = f"date'2026-11-01' + {day} AS day"
        columns = ("id", "id % 7 + 0.5D AS amount", f"'K' || id % 3 || '-00{day}' AS code", days)
        return self.spark.range(60).selectExpr(*columns)

    def gate(self) -> Gate:
        gate = Gate("orders", EmbeddedStore(self.folder / "store"), CHECK)
        for day in range(3):
            gate.submit(self.batch(day), f"day={day}")
        return gate


@pytest.fixture
def place(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setattr(
        lake_jobs, "SMALL_TABLE_BYTES", 0
    )  # tables are read by Spark and not by executors
    (tmp_path / "lake").mkdir()
    pyarrow.parquet.write_table(pa.table({"code": CODES}), tmp_path / "lake/t.parquet")
    for name in ("orders.csv", "days/2026-11-01.csv", "days/2026-11-02.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("id,amount\n1,2.5\n2,3.5\n", encoding="utf-8")
    return Place(spark, tmp_path)


def streamed(place: Place) -> None:
    place.df.write.parquet(str(place.folder / "in"))
    rows = place.spark.readStream.schema(place.df.schema).parquet(str(place.folder / "in"))
    dataset = Dataset("orders", EmbeddedStore(place.folder / "streamed"), CHECK)
    checkpoint = str(place.folder / "checkpoint")
    start_stream(rows, dataset, checkpoint, availableNow=True).awaitTermination(120)


def watched(place: Place) -> None:
    observed = watch(place.df, [Mean("amount"), Median("amount")])
    observed.df.collect()
    observed.measurement()


def changed_dataset(place: Place) -> None:
    dataset = Dataset("orders", EmbeddedStore(place.folder / "dataset"), CHECK)
    dataset.load(place.batch(2), ["day"])
    dataset.propose(place.batch(0), "day=0").accept()
    dataset.append(place.batch(1), "day=1")
    dataset.take_out(place.batch(1), "day=1", partial=True)
    dataset.verify()
    dataset.measured()
    dataset.retract("day=0")
    dataset.history([Mean("amount")])


def catalog_patterns(place: Place) -> None:
    place.spark.createDataFrame([(code,) for code in CODES], "code string").createOrReplaceTempView(
        "promise_codes"
    )
    try:
        build_index_of_tables(place.spark, "promise_codes")
        find_columns_in_tables(place.spark, "promise_codes", PATTERN)
    finally:
        place.spark.catalog.dropTempView("promise_codes")


def lake_patterns(place: Place) -> None:
    path = place.folder / "lake"
    index = build_index(place.spark, path).index
    columns = lake_columns(place.spark, path)
    find_columns(columns, PATTERN).collect()
    build_index_of_columns(columns)
    infer(CODES, index)
    find_columns_in_lake(place.spark, path, PATTERN)


def explained(place: Place) -> None:
    gate = place.gate()
    gate.explain(place.df, gate.submit(place.df, "day=9"))


def result_rows(place: Place) -> None:
    result = verify(place.df, CHECK)
    result.failing(CHECK.constraints[0]).collect()
    good, bad = result.split()
    good.count(), bad.count()
    result.to_dataframe().collect()


def read_files(place: Place) -> None:
    open_table(place.spark, str(place.folder / "orders.csv"))


ANALYZERS: list[Analyzer] = [
    Completeness("id"),
    Median("amount"),
    Uniqueness("id"),
    Compliance("1 / (id - 3) > 0"),
]
ENTRY_POINTS: dict[str, Callable[[Place], object]] = {
    "local_session": lambda _: local_session(conf={"spark.sql.shuffle.partitions": "9"}),
    "measure": lambda place: measure(place.df, ANALYZERS),
    "measure by": lambda place: measure(place.df, ANALYZERS, ["code"]),
    "verify": lambda place: verify(place.df, CHECK),
    "evaluate": lambda place: evaluate(measure(place.df, ANALYZERS), CHECK),
    "rows of a result": result_rows,
    "watch": watched,
    "profile": lambda place: profile(place.df),
    "profile_plan": lambda place: profile_plan(place.df),
    "suggest": lambda place: suggest(place.df),
    "compare": lambda place: compare(place.df, place.batch(1), key="id"),
    "stream": streamed,
    "Dataset": changed_dataset,
    "Gate.submit": lambda place: place.gate(),
    "Gate.backfill": lambda place: Gate("orders", MemoryStore()).backfill(place.df, "day"),
    "Gate.backtest": lambda place: Gate("orders", MemoryStore()).backtest(place.df, "code"),
    "Gate.explain": explained,
    "report": lambda place: report_of(place.gate().store, "orders", "day=2"),
    "patterns of a lake": lake_patterns,
    "patterns of the catalog": catalog_patterns,
    "files": read_files,
}
COMMANDS = {
    "check": ("check", "orders.csv"),
    "profile": ("profile", "orders.csv"),
    "suggest": ("suggest", "orders.csv"),
    "gate": ("gate", "orders", "orders.csv", "--batch", "a", "--store", "store"),
    "compare": ("compare", "orders.csv", "orders.csv"),
    "backfill": ("backfill", "orders", "days", "--store", "store"),
    "backtest": ("backtest", "orders", "days"),
    "patterns build": ("patterns", "build", "lake", "--write", "lake.idx"),
    "patterns infer": ("patterns", "infer", "orders.csv"),
}


#: the entry point that calls a method
COVERED_BY = {
    "Dataset": ("append", "load", "propose", "remember", "take_out"),
    "Gate.submit": ("submit",),
    "Gate.backfill": ("backfill",),
    "Gate.backtest": ("backtest",),
    "Gate.explain": ("explain",),
}


def takes_rows(function: Callable[..., object]) -> bool:
    parameters = inspect.signature(function).parameters.values()
    return any(re.search("DataFrame|SparkSession", str(p.annotation)) for p in parameters)


@pytest.mark.unit
def test_every_function_and_method_that_takes_rows_is_an_entry_point() -> None:
    functions = {
        name
        for name in assay_package.__all__
        if inspect.isfunction(function := getattr(assay_package, name)) and takes_rows(function)
    }
    methods = {
        name
        for kind in (Dataset, Gate)
        for name, method in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_") and takes_rows(method)
    }
    assert functions - set(ENTRY_POINTS) == set()
    assert methods == {name for names in COVERED_BY.values() for name in names}
    assert set(COVERED_BY) <= set(ENTRY_POINTS)


def settings(spark: SparkSession) -> dict[str, Any]:
    conf = dict(spark.conf.getAll)
    return {name: value for name, value in conf.items() if name != "spark.app.startTime"}


def loggers() -> dict[str, Any]:
    """Return the level, filters, handlers and flags of every logger."""
    named = {name: logging.getLogger(name) for name in list(logging.root.manager.loggerDict)}
    return {
        name: (
            logger.level,
            [*logger.filters],
            [*logger.handlers],
            logger.disabled,
            logger.propagate,
        )
        for name, logger in {"": logging.getLogger(), **named}.items()
    }


def storage(spark: SparkSession) -> int:
    """Return the number of cached tables and RDDs; 0 on Connect, which does not report it."""
    context = getattr(spark, "_jsc", None)
    return 0 if context is None else int(context.sc().getPersistentRDDs().size())


def listeners(spark: SparkSession) -> list[str]:
    """Return the listeners of queries; none on Connect, which does not list them."""
    session = getattr(spark, "_jsparkSession", None)
    if session is None:
        return []
    names = [str(listener) for listener in session.listenerManager().listListeners()]
    return names + [str(listener) for listener in session.streams().listListeners()]


def state(spark: SparkSession) -> dict[str, Any]:
    return {
        "settings": settings(spark),
        "storage": storage(spark),
        "catalog": spark.catalog.currentCatalog(),
        "database": spark.catalog.currentDatabase(),
        "tables": sorted(table.name for table in spark.catalog.listTables()),
        "listeners": listeners(spark),
        "tags": spark.getTags(),
        "active": type(spark).active() is spark,
    }


def existing_loggers(now: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    return {name: now[name] for name in before}


@pytest.fixture
def changes(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record calls that change the session, a cache or a logger, even if they are undone."""
    from pyspark.logger import PySparkLogger

    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).propagate = False  # PySpark does so when a query fails
    calls: list[str] = []

    def guard(kind: type, name: str, is_guarded: Callable[[Any], bool]) -> None:
        original = getattr(kind, name)

        def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
            if is_guarded(self):
                calls.append(f"{kind.__name__}.{name}{args}")
            return original(self, *args, **kwargs)

        monkeypatch.setattr(kind, name, guarded)

    existing = {id(logging.getLogger(name)) for name in loggers()}
    for name in ("set", "unset"):
        guard(type(spark.conf), name, lambda conf: conf is spark.conf)
    for name in ("addFilter", "addHandler", "setLevel"):
        guard(logging.Logger, name, lambda logger: id(logger) in existing)
    for name in ("cacheTable", "setCurrentDatabase", "setCurrentCatalog"):
        guard(type(spark.catalog), name, lambda _: True)
    for name in ("cache", "persist"):
        guard(type(spark.range(1)), name, lambda _: True)
    return calls


@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_an_entry_point_does_not_change_the_session(
    name: str, place: Place, changes: list[str]
) -> None:
    before, loggers_before = state(place.spark), loggers()
    changes.clear()  # pytest adds its own handlers between fixtures and test

    ENTRY_POINTS[name](place)

    assert changes == []
    assert state(place.spark) == before
    assert existing_loggers(loggers(), loggers_before) == loggers_before


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_does_not_change_an_active_session(
    name: str, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place.folder)
    before, loggers_before = state(place.spark), loggers()

    ran = assay(*COMMANDS[name])

    assert ran.code in (0, 1), ran.err
    assert state(place.spark) == before
    assert existing_loggers(loggers(), loggers_before) == loggers_before


def test_private_columns_leave_the_loggers_of_other_threads_as_they_are() -> None:
    from pyspark.logger import PySparkLogger

    logger = PySparkLogger.getLogger("SQLQueryContextLogger")
    handled: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: handled.append(record.getMessage())  # type: ignore[method-assign]
    logging.Logger.addHandler(logger, handler)
    before = loggers()

    def fail() -> None:
        logger.error("of this thread")
        other = threading.Thread(target=logger.error, args=("of another thread",))
        other.start()
        other.join()

    unlogged(fail)()

    assert loggers() == before
    assert handled == ["of another thread"]
    logger.removeHandler(handler)


@pytest.mark.classic
def test_a_copy_of_a_session_does_not_take_over_rdds(place: Place) -> None:
    from pyspark import RDD

    before = RDD.toDF

    build_index(place.spark, place.folder / "lake")

    assert RDD.toDF is before
