"""No value of a private column is recorded or shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay import Check, Gate
from assay.learn.patterns import Patterns
from assay.report.html import report_of
from assay.report.junit import verdict_junit
from assay.report.notify import notice_of
from assay.store import EmbeddedStore
from tests.cli.running import assay

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

START = datetime(2026, 11, 1, tzinfo=UTC)
#: parts of all planted values
PLANTED = ("zqsecret", "987650", "20761231", "2076-12-31")


def check() -> Check:
    """Constraints whose metrics or reasons would show values of the private columns."""
    return (
        Check("people")
        .is_contained_in("code", ["zqnone"])
        .is_unique("code")
        .has_min("salary", at_least=1e9)
        .has_max("salary", at_most=1)
        .has_median("salary", at_most=1)
        .has_exact_quantile("salary", 0.5, at_most=1)
        .has_min("born", satisfies=lambda _: False)
        .has_histogram("code", satisfies=lambda _: False)
        .has_custom_sql("max(code)", satisfies=lambda _: False)
        .matches_pattern("code", "<digit>+")
        .matches_learned_pattern("code", Patterns())
        .has_completeness("code", at_least=0.1)
        .satisfies("cast(code AS int) > 0")
        .has_size(where="cast(code AS date) IS NULL", at_least=1)
    )


def people(spark: SparkSession, day: int, *, spoiled: bool = False) -> DataFrame:
    code = "upper(code)" if spoiled else "code"
    salary = "salary * 1000" if spoiled else "salary"
    return (
        spark.range(200)
        .selectExpr(
            "id % 3 AS team",
            f"concat('zqsecret', {day}, '-', id % 20) AS code",
            "987650.0D + id % 10 AS salary",
            "date'2076-12-31' AS born",
        )
        .selectExpr("team", f"{code} AS code", f"{salary} AS salary", "born")
        .coalesce(1)
    )


def texts_of(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            yield str(path), data.decode("utf-8", "ignore") + data.decode("utf-16-le", "ignore")


def assert_no_planted_value(where: str, text: str) -> None:
    shown = text.lower()
    leaked = [value for value in PLANTED if value in shown]
    assert not leaked, (where, leaked, shown[max(0, shown.find(leaked[0]) - 200) :][:400])


@pytest.fixture
def query_loggers() -> None:
    """Create the loggers of PySpark, so that `caplog` records what they write."""
    from pyspark.logger import PySparkLogger

    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).propagate = False


@pytest.mark.timeout(900)
@pytest.mark.usefixtures("query_loggers")
def test_planted_values_of_private_columns_are_nowhere(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = EmbeddedStore(tmp_path / "store")
    gate = Gate("people", store, check(), private=["code", "salary", "born"])
    by_day = people(spark, 0).selectExpr("'2026-10-31' AS day", "*")
    gate.backfill(by_day, "day")
    outputs: list[tuple[str, str]] = []
    for day in range(1, 12):
        df = people(spark, day, spoiled=day > 9)
        key = f"day={day}"
        verdict = gate.submit(df, key, time=START + timedelta(days=day))
        verdict = gate.explain(df, verdict)
        outputs += [
            (f"verdict {key}", str(verdict) + verdict.to_json()),
            (f"junit {key}", verdict_junit(verdict)),
            (f"notice {key}", repr(notice_of(verdict, store))),
        ]
        if not verdict.accepted and day < 10:
            gate.release(key, author="ann", reason="the checks are meant to fail")
    for day in (1, 10, 11):
        outputs.append((f"report {day}", report_of(store, "people", f"day={day}").html))
    at = ("--store", str(tmp_path / "store"))
    for command in (
        ("explain", "people/day=11", *at),
        ("explain", "people/day=11", *at, "--json"),
        ("quarantine", "list", *at),
        ("quarantine", "show", "people/day=11", *at),
        ("history", "people", *at, "--json"),
    ):
        done = assay(*command)
        outputs.append((" ".join(command), done.out + done.err))
    backtest = gate.backtest({f"d{day}": people(spark, day, spoiled=day > 9) for day in (1, 10)})
    outputs.append(("backtest", str(backtest) + json.dumps(backtest.to_dicts())))
    outputs.append(("log", caplog.text))

    for where, text in (*outputs, *texts_of(tmp_path)):
        assert_no_planted_value(where, text)


def test_public_columns_keep_their_values(spark: SparkSession, tmp_path: Path) -> None:
    """The search of the test above finds values if a column is not private."""
    store = EmbeddedStore(tmp_path / "store")
    Gate("people", store, check(), private="salary").submit(people(spark, 1), "day=1")
    recorded = " ".join(text for _, text in texts_of(tmp_path))
    assert "zqsecret" in recorded.lower()
    assert "987650" not in recorded
