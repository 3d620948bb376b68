"""No value of a private column is recorded, shown or logged."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay import Check, Gate, Level, MemoryStore
from assay.learn.patterns import Patterns
from assay.report.html import report_of
from assay.report.junit import verdict_junit
from assay.report.notify import message, notice_of
from assay.store import Decision, EmbeddedStore
from tests.cli.running import assay
from tests.gate.decoded_store import Value, forms_of, parts_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from assay.gate.verdict import Verdict

START = datetime(2026, 10, 4, tzinfo=UTC)
#: the columns with planted values, as a user may write them: in another case, or as a path
PRIVATE = ("CODE", "salary", "fee", "account", "born", "seen", "person.name", "tags", "props")
#: one value of each column, which no count, sum, mean or length equals
PLANTED: dict[str, tuple[Value, ...]] = {
    "code": ("zqsecret",),
    "salary": (987650.25, 990471.75),
    "fee": (Decimal("4567.891"),),
    "account": (8812345678901, 8812345750172),
    "born": (date(2076, 12, 31),),
    "seen": (datetime(2076, 12, 31, 10), datetime(2076, 12, 31, 10, 5)),
    "person": ("zqname", 7712345678901),
    "tags": ("zqtag",),
    "props": ("zqkey", "zqvalue"),
}
LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger", "assay", "py4j", "")


def never(_: object) -> bool:
    return False


def check(level: Level = Level.ERROR) -> Check:
    """Constraints whose metrics, reasons or errors would show values of the private columns."""
    check = (
        Check("people", level=level)
        .is_contained_in("code", ["zqnone"])
        .is_unique("code")
        .is_unique("person.name")
        .has_duplicate_rows(equals=0)
        .matches_pattern("code", "<digit>+")
        .matches_learned_pattern("code", Patterns())
        .has_completeness("code", at_least=0.1)
        .has_exact_quantile("salary", 0.5, at_most=1)
        .has_quantile_buckets("salary", satisfies=never)
        .has_approx_quantiles("account", [0.1, 0.9], satisfies=never)
        .has_median("account", at_most=1)
        .has_range("born", satisfies=never)
        .has_max("person.number", at_most=1)
        .has_custom_sql("max(code)", satisfies=never)
        .has_custom_sql("first(to_json(struct(*)))", satisfies=never)
        .satisfies("cast(code AS int) > 0")
        .satisfies("cast(person.name AS int) > 0")
        .satisfies("cast(element_at(tags, 1) AS int) > 0")
        .has_size(where="cast(code AS date) IS NULL", at_least=1)
    )
    for column in ("code", "salary", "fee", "account", "born", "seen"):
        check = check.has_min(column, satisfies=never).has_max(column, satisfies=never)
    for column in ("code", "account", "born", "person.name"):
        check = check.has_histogram(column, satisfies=never, on="both")
    return check


def people(spark: SparkSession, day: int, *, spoiled: bool = False) -> DataFrame:
    return (
        spark.range(200)
        .selectExpr(
            "id % 3 AS team",
            f"concat('{'ZQSECRET' if spoiled else 'zqsecret'}', {day}, '-', id % 20) AS code",
            f"(987650.25D + id % 10 * 313.5D) * {1000 if spoiled else 1} AS salary",
            "cast(4567.891 + id % 10 AS decimal(12, 3)) AS fee",
            "8812345678901L + id % 10 * 7919 AS account",
            "date_add(date'2076-12-31', int(id % 5)) AS born",
            "timestamp'2076-12-31 10:00:00' + make_dt_interval(0, 0, int(id % 7)) AS seen",
            "named_struct('name', concat('zqname', id % 20), 'number', 7712345678901L + id % 10)"
            " AS person",
            "array(concat('zqtag', id % 20)) AS tags",
            "map(concat('zqkey', id % 20), concat('zqvalue', id % 20)) AS props",
        )
        .coalesce(1)
    )


def columns_shown(data: bytes) -> list[str]:
    """Return the columns of which a planted value occurs in the data."""
    return [
        column
        for column, values in PLANTED.items()
        if any(form in data for value in values for form in forms_of(value))
    ]


def assert_shows_nothing(parts: Iterable[tuple[str, bytes]]) -> None:
    leaks = {where: columns for where, data in parts if (columns := columns_shown(data))}
    assert leaks == {}


@pytest.fixture
def logged() -> Iterator[list[str]]:
    """Everything that PySpark, Py4J and Assay log."""
    from pyspark.logger import PySparkLogger

    texts: list[str] = []
    handler = logging.Handler(logging.INFO)
    handler.emit = lambda record: texts.append(f"{record.getMessage()} {record.exc_info}")  # type: ignore[method-assign]
    loggers = [
        PySparkLogger.getLogger(name) if name.endswith("ContextLogger") else logging.getLogger(name)
        for name in LOGGERS
    ]
    for logger in loggers:
        logging.Logger.addHandler(logger, handler)
    yield texts
    for logger in loggers:
        logger.removeHandler(handler)


def outputs_of(verdict: Verdict, store: EmbeddedStore) -> Iterator[tuple[str, str]]:
    notice = notice_of(verdict, store)
    yield "verdict", f"{verdict} {verdict!r} {verdict.to_json()} {verdict._repr_html_()}"
    yield "junit", verdict_junit(verdict)
    yield "notices", json.dumps([message(notice, kind) for kind in ("webhook", "slack")])
    yield "report", report_of(store, "people", verdict.batch.key).html


@pytest.mark.timeout(900)
def test_planted_values_of_private_columns_are_nowhere(
    spark: SparkSession,
    tmp_path: Path,
    logged: list[str],
    capfd: pytest.CaptureFixture[str],
) -> None:
    store = EmbeddedStore(tmp_path / "store")
    plain, warns, holds = (
        Gate("people", store, checks, private=PRIVATE)
        for checks in (None, check(Level.WARNING), check())
    )
    days = [people(spark, day).selectExpr(f"'2026-10-{day:02}' AS day", "*") for day in (1, 2, 3)]
    holds.backfill(days[0].union(days[1]).union(days[2]), "day")
    outputs: list[tuple[str, str]] = []
    decisions = []
    for day, gate in enumerate((plain, warns, holds, holds)):
        df = people(spark, 30 + day, spoiled=day > 1)
        verdict = gate.submit(df, f"day={day}", time=START + timedelta(days=day))
        decisions.append(verdict.decision)
        outputs += outputs_of(gate.explain(df, verdict), store)
    at = ("--store", str(tmp_path / "store"))
    for command in (
        ("explain", "people/day=3", *at),
        ("explain", "people/day=3", *at, "--json"),
        ("quarantine", "list", *at),
        ("quarantine", "show", "people/day=3", *at),
        ("history", "people", *at, "--json"),
        ("limits", "show", "people", *at),
    ):
        done = assay(*command)
        outputs.append((" ".join(command), done.out + done.err))
    backtest = holds.backtest({f"d{day}": people(spark, day, spoiled=day > 9) for day in (1, 10)})
    outputs.append(("backtest", str(backtest) + json.dumps(backtest.to_dicts())))
    outputs.append(("log", "\n".join(logged)))
    outputs.append(("terminal", "".join(capfd.readouterr())))

    assert Decision.HOLD not in decisions[:2]
    assert decisions[2:] == [Decision.HOLD, Decision.HOLD]
    assert_shows_nothing((where, text.encode()) for where, text in outputs)
    assert_shows_nothing(parts_of(tmp_path))


def test_public_columns_keep_their_values(spark: SparkSession, tmp_path: Path) -> None:
    """The search of the test above finds values if a column is not private."""
    store = EmbeddedStore(tmp_path / "store")
    Gate("people", store, check()).submit(people(spark, 1), "day=1")
    recorded = {column for _, data in parts_of(tmp_path) for column in columns_shown(data)}
    assert recorded == set(PLANTED)


def test_a_query_that_fails_shows_no_private_value(spark: SparkSession) -> None:
    df = people(spark, 1).selectExpr("*", "cast(code AS int) AS number")
    store = MemoryStore()

    verdict = Gate("people", store, private=["code", "number"]).submit(df, "day=1")

    assert columns_shown(f"{verdict} {verdict.to_json()}".encode()) == []
