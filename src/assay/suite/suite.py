"""A suite: the checks and settings of a dataset, as a value and as a YAML file.

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
from assay.text import count_noun

__all__ = ["VERSION", "Suite"]

#: the version of the format
VERSION = 1


@dataclass(frozen=True, repr=False)
class Suite:
    """The checks of a dataset, the settings of its gate, and the targets of notices.

    Attributes
    ----------
    dataset
        Name of the dataset.
    checks
        Checks with distinct names.
    gate
        Settings by which the gate decides.
    notify
        Targets of notices.
    """

    dataset: str
    checks: tuple[Check, ...] = ()
    gate: GateSettings = field(default_factory=GateSettings)
    notify: tuple[Target, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "checks", tuple(self.checks))
        object.__setattr__(self, "notify", tuple(self.notify))
        if not str(self.dataset).strip():
            raise CheckError("a suite names its dataset.")
        names: set[str] = set()
        for check in self.checks:
            if check.name in names:
                raise CheckError(f"two checks are called {check.name!r}: rename one of them.")
            names.add(check.name)

    def __repr__(self) -> str:
        n_constraints = sum(len(check.constraints) for check in self.checks)
        checks = count_noun(len(self.checks), "check")
        return f"Suite({self.dataset!r}, {checks}, {count_noun(n_constraints, 'constraint')})"

    @staticmethod
    def read(path: str | os.PathLike[str], *, variables: bool = True) -> Suite:
        """Read a suite from a file.

        Parameters
        ----------
        path
            The YAML file.
        variables
            True if the environment variables that the file names must be set.

        Raises
        ------
        SuiteError
            With all problems of the file, each with its line and column.
        """
        return Suite.parse(_content(Path(path)), name=str(path), variables=variables)

    @staticmethod
    def parse(text: str, *, name: str = "suite", variables: bool = True) -> Suite:
        """Read a suite from YAML text.

        Parameters
        ----------
        text
            The YAML.
        name
            Name of the text in messages.
        variables
            True if the environment variables that the text names must be set.
        """
        from assay.suite.read_suite import read

        return read(text, name, variables=variables)

    @property
    def yaml(self) -> str:
        """The suite as YAML.

        Raises
        ------
        CheckError
            If a check contains a function, which YAML cannot hold.
        """
        from assay.suite.write_suite import to_yaml

        return to_yaml(self)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the suite to a file, or add the missing parts to an existing file.

        Comments, order and checks that people have written stay. Nothing is removed or changed.

        Parameters
        ----------
        path
            The YAML file.
        """
        from assay.suite.write_suite import extend_yaml

        file = Path(path).resolve()
        if not file.exists():
            write_atomically(file, self.yaml)
            return
        before = _content(file)
        after = extend_yaml(before, str(path), self)
        if after != before:
            write_atomically(file, after)


def _content(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(SIZE + 1)
    except FileNotFoundError as error:
        raise SuiteError(
            f"{path}: No such file or directory."
            f" `assay suggest FILE --write {path.name}` writes a suite."
        ) from error
    except OSError as error:
        raise SuiteError(f"{path}: {error.strerror or error}.") from error
    if len(content) > SIZE:
        raise SuiteError(f"{path}:1:1: a suite has at most {SIZE:,} bytes.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - content.rfind(b"\n", 0, error.start)
        raise SuiteError(f"{path}:{line}:{column}: the file is not UTF-8 text.") from error
