"""The environment of a machine that has little: an empty home, and no Java on the path."""

from __future__ import annotations

import shutil
from pathlib import Path

__all__ = ["environment_without_java"]

#: programs that the scripts of Spark need
_PROGRAMS = ("bash", "chmod", "dirname", "env", "ls", "ps")


def environment_without_java(folder: Path) -> dict[str, str]:
    """Return the variables of a process, with a home and a path inside a folder."""
    tools = folder / "bin"
    tools.mkdir()
    for name in _PROGRAMS:
        program = shutil.which(name)
        if program:
            (tools / name).symlink_to(program)
    return {"HOME": str(folder / "home"), "PATH": str(tools)}
