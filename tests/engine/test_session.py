from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from assay.engine import session as session_module
from assay.engine.session import local_session, remote_session
from assay.errors import MissingDependencyError, SessionConflictError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.connect
def test_an_existing_session_is_returned_untouched(spark: SparkSession) -> None:
    before = spark.conf.get("spark.sql.shuffle.partitions")
    same = local_session("other", conf={"spark.sql.shuffle.partitions": "99"})
    assert same is spark
    assert spark.conf.get("spark.sql.shuffle.partitions") == before


@pytest.mark.classic
def test_an_existing_session_is_untouched_by_other_threads(spark: SparkSession) -> None:
    before = spark.conf.get("spark.sql.shuffle.partitions")
    sessions: list[SparkSession] = []
    conf = {"spark.sql.shuffle.partitions": "99"}
    thread = threading.Thread(target=lambda: sessions.append(local_session(conf=conf)))
    thread.start()
    thread.join()
    assert spark.conf.get("spark.sql.shuffle.partitions") == before
    assert sessions[0].sparkContext is spark.sparkContext


@pytest.mark.connect
def test_the_session_computes(spark: SparkSession) -> None:
    assert spark.range(10).selectExpr("sum(id) AS total").collect()[0]["total"] == 45


@pytest.mark.classic
def test_connect_is_refused_while_a_classic_session_runs(spark: SparkSession) -> None:
    with pytest.raises(SessionConflictError, match="sc://nowhere: a classic Spark session"):
        remote_session("sc://nowhere")
    assert "SPARK_CONNECT_MODE_ENABLED" not in os.environ
    assert spark.range(3).count() == 3


def test_missing_pyspark_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(MissingDependencyError) as caught:
        local_session()
    assert str(caught.value) == "pyspark is not installed: pip install 'spark-assay[spark]'."
    with pytest.raises(MissingDependencyError):
        remote_session("sc://nowhere")


def test_old_pyspark_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    pyspark = pytest.importorskip("pyspark")
    monkeypatch.setattr(pyspark, "__version__", "3.5.9")
    with pytest.raises(MissingDependencyError, match=r"pyspark 3\.5\.9 is too old, 4\.1 or newer"):
        local_session()


def test_java_options_of_the_user_are_kept() -> None:
    options = session_module._java_options({"spark.driver.extraJavaOptions": "-Dmine=1"})
    assert options.endswith(" -Dmine=1")
    assert "-Dlog4j2.configurationFile=file:///" in options


def test_importing_the_module_imports_no_pyspark() -> None:
    code = "import sys, assay.engine.session; sys.exit('pyspark' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
