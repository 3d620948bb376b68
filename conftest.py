"""Fixtures for tests and doctests: one Spark session per run, classic or Spark Connect.

With ASSAY_TEST_REMOTE=local the session is a client of a Spark Connect server started for the
run, with ASSAY_TEST_REMOTE=sc://host:port of that server; only tests marked `connect` run then.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from assay.engine.session import local_session, remote_session
from tests.connect_server import JAVA_OPTIONS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REMOTE = os.environ.get("ASSAY_TEST_REMOTE")

# the examples of docstrings run where they are written, those on Connect in tests/test_docs.py
collect_ignore_glob = ["docs/reference/*", "docs/tutorials/connect.md"]

settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True, max_examples=25)
settings.load_profile("ci" if os.environ.get("CI") else "default")


_SETTINGS = {
    "spark.sql.shuffle.partitions": "2",
    # the code of a query that another test has asked is not compiled again
    "spark.sql.codegen.cache.maxEntries": "5000",
    # tests ask what a stage has read; Spark forgets stages beyond these numbers
    "spark.ui.retainedJobs": "20000",
    "spark.ui.retainedStages": "20000",
    # plans are long texts that nobody looks at
    "spark.sql.ui.retainedExecutions": "10",
    "spark.driver.extraJavaOptions": JAVA_OPTIONS,
}


def pytest_report_header() -> str:
    return f"spark: {'connect, ' + REMOTE if REMOTE else 'classic'}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not REMOTE:
        return
    here: list[pytest.Item] = []
    elsewhere: list[pytest.Item] = []
    for item in items:
        connects = item.get_closest_marker("connect") and not item.get_closest_marker("classic")
        (here if connects else elsewhere).append(item)
    config.hook.pytest_deselected(items=elsewhere)
    items[:] = here


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    if not REMOTE:
        session = local_session("assay-tests", cores=2, memory="3g", conf=_SETTINGS)
        yield session
        session.stop()
    elif REMOTE == "local":
        with _connect_server() as url:
            session = remote_session(url)
            yield session
            session.stop()
    else:
        session = remote_session(REMOTE)
        yield session
        session.stop()


@pytest.fixture(autouse=True)
def _doctests(
    request: pytest.FixtureRequest,
    doctest_namespace: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Doctests print as wide as the documents are; those that mention `spark` get the session."""
    if not isinstance(request.node, pytest.DoctestItem) or request.node.dtest is None:
        return
    monkeypatch.setenv("COLUMNS", "96")
    if any("spark" in example.source for example in request.node.dtest.examples):
        doctest_namespace["spark"] = request.getfixturevalue("spark")


@contextmanager
def _connect_server() -> Iterator[str]:
    """A server in a process of its own, which ends when its standard input closes."""
    command = [sys.executable, "-m", "tests.connect_server"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        if not url.startswith("sc://"):
            raise RuntimeError(f"the Spark Connect server did not start: {url}")
        try:
            yield url
        finally:
            server.stdin.close()
