"""The document of the command line, with what its commands say put in anew.

`python -m tests.cli.documented` writes it; the tests hold it to what it would write.
"""

from __future__ import annotations

import gzip
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assay import Dataset, EmbeddedStore
from assay.analyzers import Analyzer, Completeness, Mean, Size
from assay.cli.app import app
from assay.data import flights_path
from assay.demo import flights
from tests.cli.running import assay

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DOCUMENT = Path(__file__).parents[2] / "docs" / "cli.md"
_HERE = Path(__file__).parent
_BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.M | re.S)
_REFERENCE = re.compile(r"(?<=<!-- options -->\n).*?(?=<!-- end -->)", re.S)


def rewritten(text: str) -> str:
    """The document with the outputs of its commands and the tables of its options as they are."""
    text = _BLOCK.sub(lambda block: _block(block[0]), text)
    return _REFERENCE.sub(lambda _: reference(), text)


def prepare(folder: Path, spark: SparkSession) -> None:
    """What the examples are about: a day of a storm, a delivery that is none, a store."""
    with gzip.open(flights_path() / "2013-02-08.csv.gz", "rt") as day:
        header, *rows = day.readlines()
    (folder / "flights.csv").write_text(header + "".join(rows[::6]))
    shutil.copy(_HERE / "data" / "departures.yaml", folder)
    shutil.copy(_HERE.parent / "engine/heads/hhs-2022-11-19.csv", folder / "hospitals.csv")
    shutil.copytree(flights_path(), folder / "days", ignore=shutil.ignore_patterns("*-0[89].*"))
    asked: list[Analyzer] = [Size(), Completeness("dep_time"), Mean("dep_delay")]
    df = flights(spark).selectExpr("*", "make_date(year, month, day) AS date")
    Dataset("flights", EmbeddedStore(folder / "store"), analyzers=asked).load(df, by=["date"])


def reference() -> str:
    """Every command and option, as the program declares them."""
    lines = []
    for name, command in _commands(typer.main.get_command(app), ""):
        lines += [f"### assay {name}", "", str(command.help).strip(), "", "| | |", "|---|---|"]
        for parameter in command.params:
            if parameter.name != "help":
                lines.append(f"| `{_spelled(parameter)}` | {_help(parameter)} |")
        lines.append("")
    return "\n".join(lines)


def _block(text: str) -> str:
    code = 0
    said = []
    for line in text.splitlines():
        if line == "$ echo $?":
            said += [line, str(code)]
        elif line.startswith("$ assay "):
            ran = assay(*shlex.split(line)[2:])
            code = ran.code
            said += [line, *(ran.err + ran.out).rstrip("\n").splitlines()]
    return "".join(f"{line}\n" for line in said)


def _commands(group: Any, before: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{before}{name} ")
        else:
            yield before + name, command


def _spelled(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper()).replace("|", "\\|")
    names = ", ".join([*parameter.opts, *parameter.secondary_opts])
    metavar = (parameter.metavar or "").replace("|", "\\|")
    return f"{names} {metavar}".strip()


def _help(parameter: Any) -> str:
    said = str(parameter.help).strip()
    return f"{said} [{parameter.envvar}]" if parameter.envvar else said


def main() -> None:
    from assay.engine import local_session

    spark = local_session(cores=2)
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        prepare(Path(folder), spark)
        DOCUMENT.write_text(rewritten(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    os.environ.pop("SPARK_REMOTE", None)
    main()
