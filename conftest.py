"""Fixtures for tests and doctests: one Spark session per run, classic or Spark Connect.

The environment variable ASSAY_TEST_REMOTE chooses Spark Connect: ``local`` starts a server for the
run, ``sc://host:port`` uses an existing one. Only tests marked ``connect`` run then.
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

from assay.analyzers import analyzer
from assay.engine.session import local_session, remote_session
from tests.connect_server import JAVA_OPTIONS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

REMOTE = os.environ.get("ASSAY_TEST_REMOTE")

# the reference repeats docstrings, which run as doctests; tests/test_docs.py runs connect.md
collect_ignore_glob = ["docs/reference/*", "docs/tutorials/connect.md"]

# Tests draw the same examples on every machine. `make fuzz` sets ASSAY_FUZZ to a number of random
# examples. A failure that it finds becomes a test with fixed values.
FUZZ_EXAMPLES = int(os.environ.get("ASSAY_FUZZ") or 0)
settings.register_profile(
    "repeatable",
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=True,
    max_examples=25,
)
settings.register_profile(
    "fuzz", deadline=None, derandomize=False, print_blob=True, max_examples=FUZZ_EXAMPLES or 2000
)
settings.load_profile("fuzz" if FUZZ_EXAMPLES else "repeatable")


_SETTINGS = {
    "spark.sql.shuffle.partitions": "2",
    # many tests run the same queries: keep their compiled code
    "spark.sql.codegen.cache.maxEntries": "5000",
    # tests count the rows that each stage reads: keep the figures of all stages
    "spark.ui.retainedJobs": "20000",
    "spark.ui.retainedStages": "20000",
    # no test reads the descriptions of plans, which are long
    "spark.sql.ui.retainedExecutions": "10",
    "spark.driver.extraJavaOptions": JAVA_OPTIONS,
}


def pytest_report_header() -> str:
    return f"spark: {'connect, ' + REMOTE if REMOTE else 'classic'}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        item.add_marker("spark" if _uses_spark(item) else "unit")
    if not REMOTE:
        return
    selected: list[pytest.Item] = []
    deselected: list[pytest.Item] = []
    for item in items:
        connects = item.get_closest_marker("connect") and not item.get_closest_marker("classic")
        (selected if connects else deselected).append(item)
    config.hook.pytest_deselected(items=deselected)
    items[:] = selected


def _uses_spark(item: pytest.Item) -> bool:
    """Return whether a test or doctest needs a Spark session, or starts one itself."""
    if isinstance(item, pytest.DoctestItem) and item.dtest is not None:
        return any("spark" in example.source for example in item.dtest.examples)
    fixtures: tuple[str, ...] = getattr(item, "fixturenames", ())
    return "spark" in fixtures or item.get_closest_marker("spark") is not None


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
) -> Iterator[None]:
    """Print as wide as the documents are, and give `spark` to the doctests that mention it."""
    if not isinstance(request.node, pytest.DoctestItem) or request.node.dtest is None:
        yield
        return
    monkeypatch.setenv("COLUMNS", "96")
    if any("spark" in example.source for example in request.node.dtest.examples):
        doctest_namespace["spark"] = request.getfixturevalue("spark")
    if request.node.dtest.name.startswith("assay.checks.methods."):
        from assay import Check

        doctest_namespace["Check"] = Check  # each of these examples begins with a check
    # an example may define an analyzer, and other tests walk all analyzers
    analyzers = dict(analyzer._REGISTRY)
    yield
    analyzer._REGISTRY.clear()
    analyzer._REGISTRY.update(analyzers)


@contextmanager
def _connect_server() -> Iterator[str]:
    """Start a server in another process, and stop it by closing its standard input."""
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
