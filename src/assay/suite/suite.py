"""A suite: what is demanded of a dataset, as a value and as a file.

>>> from assay import Check
>>> suite = Suite("orders", (Check("keys").is_unique("order_id").is_complete("status").warn(),))
>>> print(suite.yaml, end="")
version: 1
dataset: orders
checks:
  - name: keys
    constraints:
      - is_unique: order_id
      - is_complete: {columns: status, level: warning}
>>> Suite.parse(suite.yaml) == suite
True
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from assay.checks.check import Check
from assay.errors import CheckError, SuiteError
from assay.io.atomic_write import write_atomically
from assay.suite.settings import GateSettings
from assay.suite.target import Target
from assay.suite.yaml_document import SIZE

__all__ = ["VERSION", "Suite"]

#: the version of the format
VERSION = 1


@dataclass(frozen=True)
class Suite:
    """A dataset's checks, how its gate decides, and whom to notify."""

    dataset: str
    checks: tuple[Check, ...] = ()
    gate: GateSettings = field(default_factory=GateSettings)
    notify: tuple[Target, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "checks", tuple(self.checks))
        object.__setattr__(self, "notify", tuple(self.notify))
        if not str(self.dataset).strip():
            raise CheckError("a suite names its dataset.")
        taken: set[str] = set()
        for check in self.checks:
            if check.name in taken:
                raise CheckError(f"two checks are called {check.name!r}; a name is one check's.")
            taken.add(check.name)

    @staticmethod
    def read(path: str | os.PathLike[str], *, variables: bool = True) -> Suite:
        """The suite in a file; raises `SuiteError` with all that is wrong with it.

        The variables of the environment that it names must be set, unless `variables` is False.
        """
        return Suite.parse(_content(Path(path)), name=str(path), variables=variables)

    @staticmethod
    def parse(text: str, *, name: str = "suite", variables: bool = True) -> Suite:
        """The suite in a text, which messages call by this name."""
        from assay.suite.read_suite import read

        return read(text, name, variables=variables)

    @property
    def yaml(self) -> str:
        """The suite as YAML. A check that holds functions cannot be written, and is named."""
        from assay.suite.write_suite import written

        return written(self)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file; if there is one, add to it what it lacks and leave the rest as it is.

        Comments, order and checks written by hand stay; nothing is taken out or changed.
        """
        from assay.suite.write_suite import extended

        file = Path(path).resolve()
        if not file.exists():
            write_atomically(file, self.yaml)
            return
        before = _content(file)
        after = extended(before, str(path), self)
        if after != before:
            write_atomically(file, after)


def _content(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(SIZE + 1)
    except OSError as error:
        raise SuiteError(f"{path}: {error.strerror or error}.") from error
    if len(content) > SIZE:
        raise SuiteError(f"{path}:1:1: a suite has at most {SIZE:,} bytes.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        raise SuiteError(f"{path}:{line}:{column}: this is not text in UTF-8.") from error
