"""A pytest plugin that runs suites: each constraint is a test.

``pytest orders.assay.yaml --assay-data 'data/{dataset}.parquet'`` verifies the dataset of the suite
and reports each constraint. In your own tests, the fixture ``assay_check(df, check)`` does the same
for any DataFrame.

The plugin is not part of the package `assay`, because pytest imports every plugin at its start.
Assay is imported when the first suite is collected or the fixture is used.
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
    """Add the option ``--assay-data``."""
    help_text = (
        "path of the data on which *.assay.yaml suites are verified; {dataset} is replaced by the"
        " name of the suite's dataset"
    )
    parser.getgroup("assay").addoption("--assay-data", metavar="PATH", help=help_text)
    parser.addini("assay_data", help_text)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> SuiteFile | None:
    """Collect a suite if the path of the data is set."""
    if not file_path.name.endswith(_ENDINGS) or not _data(parent.config):
        return None
    collected: SuiteFile = SuiteFile.from_parent(parent, path=file_path)
    return collected


def _data(config: pytest.Config) -> str:
    path = config.getoption("--assay-data") or config.getini("assay_data")
    return str(path or "")


class SuiteFile(pytest.File):
    """A suite. Its dataset is verified once, when the first of its tests runs."""

    _result: Result | BrokenConstraint | None = None

    def collect(self) -> Iterable[ConstraintItem]:
        """Yield one test for each constraint."""
        from assay import AssayError, Suite

        try:
            self.suite = Suite.read(self.path, variables=False)
        except AssayError as error:
            raise self.CollectError(str(error)) from error
        names = [
            f"{check.name}::{constraint.id}"
            for check in self.suite.checks
            for constraint in check.constraints
        ]
        for index, name in enumerate(names):
            yield ConstraintItem.from_parent(self, name=_one_line(name), index=index)

    def result(self) -> Result:
        """Return the result, or raise the error of the first attempt again."""
        if self._result is None:
            path = _data(self.config).replace(_DATASET, self.suite.dataset)
            try:
                self._result = self._verify(path)
            except Exception as error:  # Spark or the data may be missing; every test reports it
                message = f"{path} cannot be verified: {type(error).__name__}: {error}"
                self._result = BrokenConstraint(_one_line(message.partition("\n")[0]))
        if isinstance(self._result, BrokenConstraint):
            raise self._result
        return self._result

    def _verify(self, path: str) -> Result:
        from assay import verify

        session = _session(self.config)
        reference_tables = self._reference_tables(session)
        return verify(
            _read_table(session, path), *self.suite.checks, reference_tables=reference_tables
        )

    def _reference_tables(self, session: SparkSession) -> Mapping[str, DataFrame]:
        """Read the tables that constraints compare with, if the data path contains the dataset."""
        path = _data(self.config)
        tables = {
            getattr(constraint.analyzer, "table", None)
            for check in self.suite.checks
            for constraint in check.constraints
        }
        if _DATASET not in path:
            return {}
        paths = {name: path.replace(_DATASET, name) for name in tables if isinstance(name, str)}
        return {
            name: _read_table(session, path) for name, path in paths.items() if Path(path).exists()
        }


class ConstraintItem(pytest.Item):
    """The test of one constraint."""

    def __init__(self, *, index: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.index = index

    def runtest(self) -> None:
        """Pass, fail, warn or skip by the outcome of the constraint."""
        assert isinstance(self.parent, SuiteFile)
        _report(self.parent.result().results[self.index], self)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show a sentence instead of a traceback if the data is wrong."""
        if isinstance(excinfo.value, BrokenConstraint):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the file of the suite."""
        return self.path, 0, self.name


class BrokenConstraint(AssertionError):  # noqa: N818 - it names what is wrong, as pytest shows it
    """A constraint failed, or could not be evaluated."""


def _report(result: ConstraintResult, node: pytest.Item) -> None:
    from assay.report.junit import case_outcome

    __tracebackhide__ = True
    match case_outcome(result):
        case "failure" | "error" if result.problem and result.problem.code == "no_history":
            pytest.skip(result.message)
        case "failure" | "error":
            raise BrokenConstraint(result.message)
        case "skipped":
            pytest.skip(result.message)
        case "warned":
            node.warn(pytest.PytestWarning(result.message))
        case _:
            pass


@pytest.fixture
def assay_check(request: pytest.FixtureRequest) -> Callable[..., Result]:
    """Verify a DataFrame; each constraint is a subtest. Before pytest 9, all are one test."""
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
        for constraint_result in result:
            name = f"{constraint_result.check}: {constraint_result.constraint.id}"
            with subtests.test(msg=_one_line(name)):
                _report(constraint_result, request.node)
        return result

    return run


def _checks(sources: Iterable[Check | Suite | str | Path]) -> Iterable[Check]:
    from assay import Suite

    for source in sources:
        if isinstance(source, str | Path):
            yield from Suite.read(source, variables=False).checks
        elif isinstance(source, Suite):
            yield from source.checks
        else:
            yield source


def _one_line(text: str) -> str:
    from assay.checks.formatting import one_line

    return one_line(text)


def _session(config: pytest.Config) -> SparkSession:
    """Return the active session, or start one that stops after the tests."""
    from assay import local_session
    from assay.engine.session import active_session

    active = active_session()
    if active is not None:
        return active
    session = local_session("assay-pytest")
    config.add_cleanup(session.stop)
    return session


def _read_table(session: SparkSession, path: str) -> DataFrame:
    from assay.io.reading import open_table

    return open_table(session, path).df
