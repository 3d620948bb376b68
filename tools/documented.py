"""Run the commands that the documentation shows, and write their current output into it.

``python -m tools.documented [NAME ...]`` rewrites the documents, ``make golden`` the golden files
in ``tests/golden``. Tests compare the files with the output. Each document has a temporary folder
of its own. A ``yaml`` block whose first line is a comment with a file name is written to that file.
A ``console`` block is run. Its line ``$ page-text FILE`` shows an HTML page as text.
"""

from __future__ import annotations

import csv
import gzip
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
from assay.data import flights_path
from tests.cli.running import assay
from tests.cli.scenes import a_table, command_line, nothing
from tools.page_text import page_text


def days_and_a_damaged_day(folder: Path) -> None:
    """Write four columns of eleven normal days, and of a day with carriers in lower case."""
    (folder / "days").mkdir()
    for path in sorted(flights_path().glob("*.csv.gz")):
        key = path.name.partition(".")[0]
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        if key == "2013-02-14":
            path = folder / "today.csv"
            rows = [{**row, "carrier": row["carrier"].lower()} for row in rows]
        elif key in ("2013-02-08", "2013-02-09"):
            continue  # a snow storm
        else:
            path = folder / "days" / f"{key}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            columns = ["dep_delay", "carrier", "origin", "distance"]
            writer = csv.DictWriter(file, columns, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(rows)


DOCS = Path(__file__).parents[1] / "docs"
#: each document, and the function that fills its folder before the first command
DOCUMENTS: Mapping[str, Callable[[Path], None]] = {
    "../README.md": days_and_a_damaged_day,
    "cli.md": command_line,
    "compare.md": days_and_a_damaged_day,
    "tutorials/first-check.md": nothing,
    "tutorials/gate-in-a-scheduler.md": nothing,
    "tutorials/lake-patterns.md": nothing,
    "tutorials/connect.md": a_table,
}
#: the golden files: output that is compared and not read as documentation
GOLDEN: Mapping[str, Callable[[Path], None]] = {
    "../tests/golden/help.md": nothing,
    "../tests/golden/errors.md": command_line,
    "../tests/golden/tables.md": command_line,
    "../tests/golden/batches.md": days_and_a_damaged_day,
}
_BLOCK = re.compile(r"(?<=^```)(console|yaml)\n(.*?)(?=^```$)", re.M | re.S)
_FILE_NAME = re.compile(r"# (\S+\.yaml)\n")
_OPTIONS = re.compile(r"(?<=<!-- options -->\n).*?(?=<!-- end -->)", re.S)
#: output that differs between runs or machines, and its replacement
_VOLATILE = {
    # the flights are from 2013; every other time is the time of the run
    r"20(?!13)\d\d-\d\d-\d\d \d\d:\d\d": "2026-11-16 09:30",
    r"20(?!13)\d\d-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(?:\+00:00)?": "2026-11-16T09:30:00",
    # the seconds in a JUnit report
    r'time="\d[.\d]*"': 'time="…"',
    r"Created by Assay \d\S*": "Created by Assay ….",
    # versions and paths in `assay doctor`; the path of Java may take several lines
    r"(?m)^(ok +(?:Assay|temporary files|Java|[a-z]+)  +)(?:\d|/).*(?:\n {9,}\S.*)*$": r"\1…",
    r"Spark \d\S*": "Spark …",
    r"\d+\.\d s to start": "… s to start",
    # the size of a store's folder depends on the version of SQLite
    r"\d[\d.]* (?:kB|MB|bytes)": "… kB",
    r'"bytes": \d+': '"bytes": …',
    # sketches of numbers are random, and so is the number of limits learned from them
    r"(?<=## Kept limits )\d+": "…",
    # the age of the flights grows
    r"(?<=  )\d,?\d\d\d days": "… days",
}


def update_document(text: str) -> str:
    """Return a document with the current output of its commands and the current options."""
    text = _BLOCK.sub(lambda block: f"{block[1]}\n{_update_block(block[1], block[2])}", text)
    return _OPTIONS.sub(lambda _: options(), text)


def options() -> str:
    """Describe every command and its options in Markdown."""
    lines = []
    for name, command in commands():
        lines += [f"### assay {name}", "", str(command.help).strip(), "", "| | |", "|---|---|"]
        for parameter in command.params:
            if parameter.name != "help":
                lines.append(f"| `{_usage(parameter)}` | {_help(parameter)} |")
        lines.append("")
    return "\n".join(lines)


def commands(group: Any = None, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every command with its name; commands of groups as ``quarantine list``."""
    parent: Any = group or typer.main.get_command(app)
    for name, command in parent.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{prefix}{name} ")
        else:
            yield prefix + name, command


def _update_block(language: str, text: str) -> str:
    if language == "console":
        return _run_console(text)
    file_name = _FILE_NAME.match(text)
    if file_name:
        Path(file_name[1]).write_text(text, encoding="utf-8")
    return text


def _run_console(text: str) -> str:
    exit_code = 0
    lines = []
    # a command may continue on lines that begin with ">", as in a shell
    for line in re.findall(r"^\$ .*(?:\n> .*)*", text, re.M):
        if line == "$ echo $?":
            lines += [line, str(exit_code)]
        elif line.startswith("$ page-text "):
            page = Path(line.removeprefix("$ page-text ")).read_text(encoding="utf-8")
            lines += [line, *_stable_lines(page_text(page))]
        elif line.startswith("$ assay "):
            columns = "300" if line.endswith("--help") else "100"
            result = assay(*shlex.split(line)[2:], COLUMNS=columns)
            exit_code = result.code
            shown = _stable_lines(result.err + result.out)
            is_usage = any(text.lstrip().startswith("Usage: ") for text in shown[:2])
            lines += [line, *(_plain_usage(shown) if is_usage else shown)]
        else:
            shell = ["sh", "-c", line[2:].replace("\n> ", "\n")]
            output = subprocess.run(shell, stdout=subprocess.PIPE, text=True, check=True).stdout
            lines += [line, *_stable_lines(output)]
    return "".join(f"{line}\n" for line in lines)


def _stable_lines(output: str) -> list[str]:
    """Return the lines of output without what differs between runs or machines."""
    output = output.replace(str(Path.cwd()), "/data")
    for pattern, replacement in _VOLATILE.items():
        output = re.sub(pattern, replacement, output)
    return output.rstrip("\n").splitlines()


def _plain_usage(lines: list[str]) -> Iterator[str]:
    """Yield a help or a usage error without frames and types, which depend on typer's version."""
    for line in lines:
        plain = re.sub(r"<[a-z\[\]]+>|[{}│╭╮╰╯─]", " ", line)
        if plain.strip():
            yield re.sub(r" {2,}", "  ", plain.strip())


def _usage(parameter: Any) -> str:
    metavar = (parameter.metavar or "").replace("|", "\\|")
    if parameter.param_type_name == "argument":
        return metavar or str(parameter.name).upper()
    names = ", ".join([*parameter.opts, *parameter.secondary_opts])
    return f"{names} {metavar}".strip()


def _help(parameter: Any) -> str:
    text = str(parameter.help).strip()
    return f"{text} [{parameter.envvar}]" if parameter.envvar else text


def main(names: list[str]) -> None:
    from assay.engine import local_session

    spark = local_session(cores=2, conf={"spark.sql.shuffle.partitions": "2"})
    prepare = {**DOCUMENTS, **GOLDEN}
    for name in names or DOCUMENTS:
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            prepare[name](Path(folder))
            path = DOCS / name
            path.write_text(update_document(path.read_text(encoding="utf-8")), encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    os.environ.pop("SPARK_REMOTE", None)
    main(list(GOLDEN) if sys.argv[1:] == ["golden"] else sys.argv[1:])
