"""Checks as tests: a plugin of pytest's, in which every constraint is a test.

``pytest orders.assay.yaml --assay-data 'data/{dataset}.parquet'`` verifies the suite's dataset and
reports each of its constraints. In tests of your own, ``assay_check(df, check)`` does the same for
any DataFrame.

It is a package of its own so that pytest starts as fast as without it: nothing of Assay is imported
before it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from assay import Check, Result, Suite
    from assay.checks import ConstraintResult

__all__ = ["ConstraintItem", "SuiteFile", "assay_check"]

_ENDINGS = (".assay.yaml", ".assay.yml")
_DATASET = "{dataset}"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where the data of suites is."""
    what = (
        "the data that *.assay.yaml files are verified on; {dataset} stands for a suite's dataset"
    )
    parser.getgroup("assay").addoption("--assay-data", metavar="PATH", help=what)
    parser.addini("assay_data", what)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> SuiteFile | None:
    """Suites are tests only where it was said what to verify."""
    if not file_path.name.endswith(_ENDINGS) or not _data(parent.config):
        return None
    collected: SuiteFile = SuiteFile.from_parent(parent, path=file_path)
    return collected


def _data(config: pytest.Config) -> str:
    given = config.getoption("--assay-data") or config.getini("assay_data")
    return str(given or "")


class SuiteFile(pytest.File):
    """A suite; its dataset is verified once, when the first of its tests runs."""

    _result: Result | BrokenConstraint | None = None

    def collect(self) -> Iterable[ConstraintItem]:
        """A test a constraint."""
        from assay import AssayError, Suite

        try:
            self.suite = Suite.read(self.path, variables=False)
        except AssayError as error:
            raise self.CollectError(str(error)) from error
        names = [
            f"{check.name}::{each.id}" for check in self.suite.checks for each in check.constraints
        ]
        for at, name in enumerate(names):
            yield ConstraintItem.from_parent(self, name=_shown(name), at=at)

    def result(self) -> Result:
        """What the verification came to."""
        if self._result is None:
            path = _data(self.config).replace(_DATASET, self.suite.dataset)
            try:
                self._result = self._verified(path)
            except Exception as error:  # Spark is not there, or the data is not
                said = f"{path} cannot be verified: {type(error).__name__}: {error}"
                self._result = BrokenConstraint(_shown(said.partition("\n")[0]))
        if isinstance(self._result, BrokenConstraint):
            raise self._result
        return self._result

    def _verified(self, path: str) -> Result:
        from assay import verify

        session = _session(self.config)
        reference_tables = self._reference_tables(session)
        return verify(_frame(session, path), *self.suite.checks, reference_tables=reference_tables)

    def _reference_tables(self, session: SparkSession) -> Mapping[str, DataFrame]:
        """The tables that the suite compares with, where the data's path tells them apart."""
        path = _data(self.config)
        constraints = (each for check in self.suite.checks for each in check.constraints)
        tables = {getattr(each.analyzer, "table", None) for each in constraints} - {None}
        if _DATASET not in path:
            return {}
        paths = {name: path.replace(_DATASET, name) for name in tables if isinstance(name, str)}
        return {name: _frame(session, at) for name, at in paths.items() if Path(at).exists()}


class ConstraintItem(pytest.Item):
    """A constraint."""

    def __init__(self, *, at: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.at = at

    def runtest(self) -> None:
        """Pass, fail, warn or skip as the constraint does."""
        assert isinstance(self.parent, SuiteFile)
        _judge(self.parent.result().results[self.at], self)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """A sentence is enough where data is wrong."""
        if isinstance(excinfo.value, BrokenConstraint):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """The suite's file."""
        return self.path, 0, self.name


class BrokenConstraint(AssertionError):  # noqa: N818 - it names what is wrong, as pytest shows it
    """A constraint that does not hold, or could not be evaluated."""


def _judge(each: ConstraintResult, node: pytest.Item) -> None:
    from assay.report.junit import case_outcome

    __tracebackhide__ = True
    match case_outcome(each):
        case "failure" | "error" if each.problem and each.problem.code == "no_history":
            pytest.skip(each.message)
        case "failure" | "error":
            raise BrokenConstraint(each.message)
        case "skipped":
            pytest.skip(each.message)
        case "warned":
            node.warn(pytest.PytestWarning(each.message))
        case _:
            pass


@pytest.fixture
def assay_check(request: pytest.FixtureRequest) -> Callable[..., Result]:
    """Verify a DataFrame: each constraint is a subtest (with pytest 9; else all are one)."""
    from assay.deprecation import renamed_arguments

    @renamed_arguments(others="reference_tables")
    def run(
        df: DataFrame,
        *checks: Check | Suite | str | Path,
        reference_tables: Mapping[str, DataFrame] | None = None,
    ) -> Result:
        from assay import verify

        __tracebackhide__ = True
        result = verify(df, *_checks(checks), reference_tables=reference_tables)
        try:
            subtests = request.getfixturevalue("subtests")
        except pytest.FixtureLookupError:
            result.raise_for_failure()
            return result
        for each in result:
            with subtests.test(msg=_shown(f"{each.check}: {each.constraint.id}")):
                _judge(each, request.node)
        return result

    return run


def _checks(given: Iterable[Check | Suite | str | Path]) -> Iterable[Check]:
    from assay import Suite

    for each in given:
        if isinstance(each, str | Path):
            yield from Suite.read(each, variables=False).checks
        elif isinstance(each, Suite):
            yield from each.checks
        else:
            yield each


def _shown(text: str) -> str:
    from assay.checks.formatting import one_line

    return one_line(text)


def _session(config: pytest.Config) -> SparkSession:
    """The session that is there, or one that ends with the tests."""
    from assay import local_session
    from assay.engine.session import active_session

    active = active_session()
    if active is not None:
        return active
    session = local_session("assay-pytest")
    config.add_cleanup(session.stop)
    return session


def _frame(session: SparkSession, path: str) -> DataFrame:
    """The table at a path, by how its name ends: CSV, JSON, ORC or Parquet."""
    name = path.removesuffix(".gz")
    if name.endswith((".csv", ".tsv")):
        separator = "\t" if name.endswith(".tsv") else ","
        reader = session.read.option("header", True).option("inferSchema", True)
        return reader.option("sep", separator).csv(path)
    if name.endswith((".json", ".jsonl")):
        return session.read.json(path)
    return session.read.orc(path) if name.endswith(".orc") else session.read.parquet(path)
