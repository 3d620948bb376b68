"""The documents that show a terminal, with what their commands say put in anew.

`python -m tools.documented [NAME …]` writes them; the tests hold them to what it would write.
A block of `console` is run in a folder of the document's own; a block of `yaml` that begins with
the name of a file in a comment is written to that file before.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any

import typer

from assay.cli.app import app
from tests.cli.running import assay
from tests.cli.scenes import a_table, command_line, nothing

DOCS = Path(__file__).parents[1] / "docs"
#: the documents, and what is in their folders before anything is run
DOCUMENTS: Mapping[str, Callable[[Path], None]] = {
    "cli.md": command_line,
    "tutorials/first-check.md": nothing,
    "tutorials/gate-in-a-scheduler.md": nothing,
    "tutorials/lake-patterns.md": nothing,
    "tutorials/connect.md": a_table,
}
_BLOCK = re.compile(r"(?<=^```)(console|yaml)\n(.*?)(?=^```$)", re.M | re.S)
_FILE = re.compile(r"# (\S+\.yaml)\n")
_OPTIONS = re.compile(r"(?<=<!-- options -->\n).*?(?=<!-- end -->)", re.S)
#: what is never the same twice, and what stands for it
_VOLATILE = {
    # the flights are of 2013, and all other times are now
    r"20(?!13)\d\d-\d\d-\d\d \d\d:\d\d": "2026-11-16 09:30",
    # what a machine has: versions, places, seconds
    # where Java lies may take several lines to say
    r"(?m)^(ok +(?:Assay|temporary files|Java|[a-z]+)  +)(?:\d|/).*(?:\n {9,}\S.*)*$": r"\1…",
    r"Spark \d\S*": "Spark …",
    r"\d+\.\d s to start": "… s to start",
}


def rewritten(text: str) -> str:
    """A document with the outputs of its commands and the tables of its options as they are."""
    text = _BLOCK.sub(lambda block: f"{block[1]}\n{_shown(block[1], block[2])}", text)
    return _OPTIONS.sub(lambda _: options(), text)


def options() -> str:
    """Every command and option, as the program declares them."""
    lines = []
    for name, command in commands():
        lines += [f"### assay {name}", "", str(command.help).strip(), "", "| | |", "|---|---|"]
        for parameter in command.params:
            if parameter.name != "help":
                lines.append(f"| `{_spelled(parameter)}` | {_help(parameter)} |")
        lines.append("")
    return "\n".join(lines)


def commands(group: Any = None, before: str = "") -> Iterator[tuple[str, Any]]:
    """Every command by its name, `quarantine list` and all."""
    within: Any = group or typer.main.get_command(app)
    for name, command in within.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{before}{name} ")
        else:
            yield before + name, command


def _shown(kind: str, text: str) -> str:
    if kind == "console":
        return _run(text)
    named = _FILE.match(text)
    if named:
        Path(named[1]).write_text(text, encoding="utf-8")
    return text


def _run(text: str) -> str:
    code = 0
    said = []
    # a command may go on for several lines, as a shell shows it
    for line in re.findall(r"^\$ .*(?:\n> .*)*", text, re.M):
        if line == "$ echo $?":
            said += [line, str(code)]
        elif line.startswith("$ assay "):
            ran = assay(*shlex.split(line)[2:])
            code = ran.code
            said += [line, *_steady(ran.err + ran.out)]
        else:
            shell = ["sh", "-c", line[2:].replace("\n> ", "\n")]
            told = subprocess.run(shell, stdout=subprocess.PIPE, text=True, check=True).stdout
            said += [line, *_steady(told)]
    return "".join(f"{line}\n" for line in said)


def _steady(output: str) -> list[str]:
    output = output.replace(str(Path.cwd()), "/data")
    for changing, standing in _VOLATILE.items():
        output = re.sub(changing, standing, output)
    return output.rstrip("\n").splitlines()


def _spelled(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper()).replace("|", "\\|")
    names = ", ".join([*parameter.opts, *parameter.secondary_opts])
    metavar = (parameter.metavar or "").replace("|", "\\|")
    return f"{names} {metavar}".strip()


def _help(parameter: Any) -> str:
    said = str(parameter.help).strip()
    return f"{said} [{parameter.envvar}]" if parameter.envvar else said


def main(names: list[str]) -> None:
    from assay.engine import local_session

    spark = local_session(cores=2, conf={"spark.sql.shuffle.partitions": "2"})
    for name in names or DOCUMENTS:
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            DOCUMENTS[name](Path(folder))
            path = DOCS / name
            path.write_text(rewritten(path.read_text(encoding="utf-8")), encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    os.environ.pop("SPARK_REMOTE", None)
    main(sys.argv[1:])
