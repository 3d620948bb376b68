"""The package metadata agrees with the package."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

import assay
import pytest_assay
from tests.cli.running import assay as run_assay

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_has_one_source(project: dict[str, Any]) -> None:
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"]["path"] == "src/assay/version.py"


def test_the_command_prints_the_version() -> None:
    assert run_assay("--version").out == f"assay {assay.__version__}\n"


def test_the_changelog_begins_with_this_version() -> None:
    versions = re.findall(r"^## (\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert versions[0] == assay.__version__


@pytest.mark.parametrize("package", [assay, pytest_assay])
def test_packages_are_marked_as_typed(package: Any) -> None:
    assert Path(package.__file__).with_name("py.typed").exists()


def test_install_commands_name_the_distribution_and_its_extras(project: dict[str, Any]) -> None:
    name = project["project"]["name"]
    extras = project["project"]["optional-dependencies"]
    sources = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    commands = [
        match
        for path in sources
        for match in re.findall(r"pip install[^'\n]* '([\w.-]+)\[([^\]]+)\]", path.read_text())
    ]
    assert commands
    for distribution, listed in commands:
        assert distribution == name
        # a message is completed with an extra when it is raised
        assert listed.startswith("{") or set(listed.split(",")) <= set(extras)


def test_the_workflow_runs_every_supported_python_and_the_oldest_spark(
    project: dict[str, Any],
) -> None:
    workflow = YAML(typ="safe").load(ROOT / ".github" / "workflows" / "tests.yml")
    jobs = workflow["jobs"]
    prefix = "Programming Language :: Python :: "
    supported = [
        line.removeprefix(prefix)
        for line in project["project"]["classifiers"]
        if line.startswith(f"{prefix}3.")
    ]
    assert jobs["all"]["strategy"]["matrix"]["python"] == supported
    pyspark = next(
        requirement
        for requirement in project["project"]["optional-dependencies"]["spark"]
        if requirement.startswith("pyspark")
    )
    oldest = pyspark.partition(">=")[2].partition(",")[0]
    assert f"{oldest}.*" in jobs["spark"]["strategy"]["matrix"]["spark"]
    for job in ("all", "spark"):
        assert {"run": ".ci/run"} in jobs[job]["steps"]
