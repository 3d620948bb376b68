"""The checks of a suite's file."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from assay.checks import Check
from assay.checks.demand import Demand
from assay.engine.failure import one_line
from assay.errors import AssayError, CheckError

__all__ = ["checks_of"]


def checks_of(path: Path) -> tuple[Check, ...]:
    """The checks that a file demands; an error names the file, and the line where it can."""
    if find_spec("assay.suite") is not None:
        suite: Any = import_module("assay.suite").Suite.read(path)
        return tuple(suite.checks)
    return _demands(path)


def _demands(path: Path) -> tuple[Check, ...]:
    """A list of demands, or what `suggest` writes."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        text = path.read_text(encoding="utf-8-sig")
        document: Any = YAML(typ="safe", pure=True).load(text)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CheckError(f"the suite {path} cannot be read: {reason}.") from error
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        said = getattr(error, "problem", None) or one_line(str(error))
        raise CheckError(f"{path}{where}: {said}.") from error
    if isinstance(document, list):
        document = {"checks": [{"name": path.stem, "constraints": document}]}
    checks = document.get("checks") if isinstance(document, dict) else None
    if not isinstance(checks, list):
        raise CheckError(f"{path}: a suite is a list of demands, or has `checks`.")
    return tuple(_check(path, each) for each in checks)


def _check(path: Path, entry: Any) -> Check:
    if not isinstance(entry, dict) or not isinstance(entry.get("constraints"), list):
        raise CheckError(f"{path}: a check has a name and constraints, not {entry!r}.")
    check = Check(str(entry.get("name", path.stem)))
    for number, each in enumerate(entry["constraints"], 1):
        try:
            check = Demand.read(each).on(check)
        except (AssayError, TypeError) as error:
            raise CheckError(f"{path}: {check.name}, demand {number}: {error}") from error
    return check
