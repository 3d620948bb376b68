"""Limits on the command line: show, approve, set, mute and export."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay import EmbeddedStore, Gate
from assay.cli.exits import Exit
from assay.gate.mutes import load_mutes
from assay.suite import Suite
from tests.cli.running import assay

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

N_BATCHES = 9
START = datetime(2026, 11, 1, tzinfo=UTC)


def batch(spark: SparkSession, day: int, *, unit: int = 1) -> DataFrame:
    return spark.range(100 + day % 3).selectExpr(
        f"CAST((id * 37 + {day} * 11) % 101 * {unit} AS DOUBLE) AS amount", "id % 2 AS kind"
    )


@pytest.fixture(scope="module")
def folder(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("limits")
    union = batch(spark, 0).selectExpr("'2026-11-01' AS day", "*")
    for day in range(1, N_BATCHES):
        union = union.union(batch(spark, day).selectExpr(f"'2026-11-{day + 1:02d}'", "*"))
    Gate("orders", EmbeddedStore(folder / "store")).backfill(union, "day")
    return folder


def test_limits_are_shown_approved_changed_and_exported(folder: Path) -> None:
    store = ("--store", folder / "store")
    learned = assay("limits", "show", "orders", *store, "--json").json
    assert learned["batches"] == N_BATCHES
    assert learned["approved_by"] is None
    rows = [limit for limit in learned["limits"] if limit["metric"] == "row_count"]
    assert [limit["column"] for limit in rows] == [None]
    assert "learned from 9 batches" in assay("limits", "show", "orders", *store).out

    done = assay("limits", "approve", "orders", "--by", "ada", "--set", "amount:mean=10..", *store)
    assert done.code == Exit.CLEAN
    approved = assay("limits", "show", "orders", "-c", "amount", *store, "--json").json
    assert approved["approved_by"] == "ada"
    (mean,) = [limit for limit in approved["limits"] if limit["metric"] == "mean"]
    assert (mean["low"], mean["high"], mean["false_alarm_rate"]) == (10.0, "inf", 0.0)

    path = folder / "limits.yaml"
    assert assay("limits", "export", "orders", "--write", path, *store).code == Exit.CLEAN
    (check,) = Suite.read(path).checks
    assert "has_mean(amount)" in [constraint.name for constraint in check.constraints]

    assert assay("limits", "relearn", "orders", *store).code == Exit.CLEAN
    assert assay("limits", "relearn", "orders", *store).code == Exit.USAGE


def test_one_limit_is_set_and_the_others_are_kept(folder: Path) -> None:
    at = ("--store", folder / "store")
    before = assay("limits", "show", "orders", *at, "--json").json["limits"]
    done = assay("limits", "set", "orders", "row_count", "--at-least", "90", "--by", "ada", *at)
    assert done.out == "orders: the number of rows is now expected to be at least 90.\n"
    changed = ("--column", "amount", "--at-least", "10", "--at-most", "95.5")
    assert assay("limits", "set", "orders", "mean", *changed, "--by", "ada", *at).code == Exit.CLEAN
    after = assay("limits", "show", "orders", *at, "--json").json
    assert after["approved_by"] == "ada"
    bounds = {(r["column"], r["metric"]): (r["low"], r["high"]) for r in after["limits"]}
    assert bounds[None, "row_count"] == (90.0, "inf")
    assert bounds["amount", "mean"] == (10.0, 95.5)
    assert bounds.keys() >= {(row["column"], row["metric"]) for row in before}
    assert assay("limits", "relearn", "orders", *at).code == Exit.CLEAN


@pytest.mark.parametrize(
    "arguments",
    [
        ("approve", "orders", "--set", "amount:mean=low..high"),
        ("approve", "orders", "--set", "amount:mean=5"),
        ("approve", "orders", "--without", "amount"),
        ("set", "orders", "mean", "--column", "amount"),
        ("set", "orders", "meen", "--column", "amount", "--at-least", "1"),
        ("set", "orders", "mean", "--column", "amuont", "--at-least", "1"),
        ("set", "orders", "mean", "--column", "amount", "--at-least", "2", "--at-most", "1"),
        ("approve", "orders", "--without", "amount:skewness"),
        ("mute", "orders", "--reason", "why not"),
        ("unmute", "orders", "--column", "amount"),
        ("show", "order"),
        ("export", "orders", "--write", "limits.txt"),
    ],
)
def test_a_wrong_argument_is_refused(folder: Path, arguments: tuple[str, ...]) -> None:
    done = assay("limits", *arguments, "--store", folder / "store")
    assert done.code == Exit.USAGE
    assert "Traceback" not in done.err


def test_a_muted_column_raises_no_alarm(spark: SparkSession, folder: Path) -> None:
    store = EmbeddedStore(folder / "store")
    at = ("--store", folder / "store")
    why = ("--by", "ada", "--reason", "the unit changes with the currency")
    assert assay("limits", "mute", "orders", "--column", "amount", *why, *at).code == Exit.CLEAN
    assert [entry.target for entry in load_mutes(store, "orders")] == [("amount", None, None)]

    time = START + timedelta(days=N_BATCHES)
    verdict = Gate("orders", store).submit(batch(spark, 9, unit=1000), "2026-11-10", time=time)
    assert verdict.accepted
    assert not [alarm for alarm in verdict.alarms if alarm.column == "amount"]
    assert [finding for finding in verdict.observations if finding.column == "amount"]

    assert assay("limits", "unmute", "orders", "--column", "amount", *at).code == Exit.CLEAN
    assert load_mutes(store, "orders") == ()
