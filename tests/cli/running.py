"""Run commands in this process, on the active session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from typer.testing import CliRunner

from assay.cli.app import app

ORDERS = """id,email,amount,status,day
1,a@b.org,10.5,new,2024-01-01
2,,3.25,paid,2024-01-02
3,nope,4.0,paid,2024-01-02
4,c@d.org,7.0,void,2024-01-03
"""


class Ran(NamedTuple):
    """The output of a command, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def assay(*arguments: str | Path, **environment: str) -> Ran:
    """Run a command; spaces at the ends of lines are removed."""
    runner = CliRunner()
    env = {"COLUMNS": "100", "NO_COLOR": "1", "SPARK_REMOTE": None, "ASSAY_STORE": None}
    done = runner.invoke(app, list(map(str, arguments)), env=env | environment, prog_name="assay")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Ran(done.exit_code, _trimmed(done.stdout), _trimmed(done.stderr))


def _trimmed(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())
