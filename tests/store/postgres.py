"""A PostgreSQL server for the tests: one of the machine's own, started in a folder of its own."""

from __future__ import annotations

import getpass
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def program(name: str) -> str | None:
    """Return the path of a program of PostgreSQL. Debian does not put it on the search path."""
    path = shutil.which(name)
    if path is not None:
        return str(Path(path).resolve())  # another user may not read the folder of a link
    debian = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(debian[-1]) if debian else None


@contextmanager
def server() -> Iterator[str]:
    """The URL of a server that only this machine's socket reaches, gone afterwards."""
    initdb, control = program("initdb"), program("pg_ctl")
    if initdb is None or control is None:
        pytest.skip(
            "PostgreSQL is not installed (neither initdb nor pg_ctl): apt-get install postgresql"
        )
    user = _user()
    folder = Path(tempfile.mkdtemp(prefix="assay-pg-"))
    if user is not None:
        shutil.chown(folder, user)
    data = str(folder / "data")
    options = f"-c listen_addresses='' -c fsync=off -k {folder}"
    try:
        _run(user, initdb, "-D", data, "-U", "assay", "--auth=trust", "--encoding=UTF8", "-N")
        log = str(folder / "log")
        _run(user, control, "-D", data, "-l", log, "-o", options, "-w", "start")
        try:
            yield f"postgresql://assay@/postgres?host={folder}"
        finally:
            _run(user, control, "-D", data, "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _user() -> str | None:
    """Return the user to run PostgreSQL as, since it refuses to run as root."""
    if os.geteuid() != 0:
        return None
    users = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in users), getpass.getuser())


def _run(user: str | None, *command: str) -> None:
    done = subprocess.run(
        command,
        user=user,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stderr}")
