"""Every way in which a command ends has its exit code."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from assay.analyzers import Size
from assay.cli.exits import Exit
from assay.engine.measurement import Measurement, Metric
from assay.errors import JavaNotFoundError
from assay.store import Batch, Decision, EmbeddedStore, VerdictRecord
from tests.cli.running import ORDERS, assay

pytestmark = pytest.mark.usefixtures("spark")

INTERRUPTED = 130
_SUITE = "version: 1\ndataset: orders\nchecks: [{{name: orders, constraints: [{}]}}]\n"
_SUITES = {
    "clean": "is_complete: id",
    "warned": "has_mean: {column: amount, at_most: 5, level: warning}",
    "failed": "is_complete: email",
    "unknown": "is_complete: emial",
    "typo": "is_complet: id",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create tables, files that are not tables, suites and stores."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "orders.csv").write_text(ORDERS)
    (tmp_path / "head.csv").write_text(ORDERS.partition("\n")[0] + "\n")
    (tmp_path / "nothing.csv").write_text("")
    (tmp_path / "page.csv").write_text("<html><title>Sorry</title></html>")
    (tmp_path / "cut.parquet").write_bytes(b"PAR1 cut off")
    (tmp_path / "damaged.parquet").write_bytes(b"PAR1" + b"x" * 200 + b"\x10\0\0\0PAR1")
    for name, constraint in _SUITES.items():
        (tmp_path / f"{name}.yaml").write_text(_SUITE.format(constraint))
    (tmp_path / "none.yaml").write_text("- [")
    size = Size()
    store = EmbeddedStore(tmp_path / "store")
    batch = Batch("orders", "1")
    store.write(batch, Measurement({size: Metric(size, value=4)}, {}))
    store.add_verdict(VerdictRecord("orders", "1", Decision.ACCEPT))
    EmbeddedStore(tmp_path / "newer")
    with sqlite3.connect(tmp_path / "newer" / "store.sqlite") as database:
        database.execute("INSERT INTO versions VALUES (99)")
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "store.sqlite").write_text("no database")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "code", "text"),
    [
        # clean, warned, failed
        ("check orders.csv --suite clean.yaml", Exit.CLEAN, "PASSED"),
        ("check orders.csv --suite warned.yaml --fail-on warn", Exit.FAILED, "1 failed"),
        ("check orders.csv --suite failed.yaml", Exit.FAILED, "FAILED"),
        ("check orders.csv --suite failed.yaml --fail-on never", Exit.CLEAN, "FAILED"),
        # bad usage or configuration
        ("chek orders.csv", Exit.USAGE, "Did you mean 'check'?"),
        ("validate orders.csv", Exit.USAGE, "Did you mean 'check'?"),
        ("replay orders .", Exit.USAGE, "Did you mean 'backtest'?"),
        ("why orders/1", Exit.USAGE, "Did you mean 'explain'?"),
        ("check orders.csv --no-such-option", Exit.USAGE, "No such option"),
        ("check orders.csv --fail-on sometimes", Exit.USAGE, "error, warning, never"),
        ("check ordres.csv", Exit.USAGE, "'orders.csv'"),
        ("check no_such_table", Exit.USAGE, "no_such_table"),
        ("check page.csv", Exit.USAGE, "'Sorry'"),
        ("check nothing.csv", Exit.USAGE, "empty"),
        ("check cut.parquet", Exit.USAGE, "cut off"),
        (
            "check orders.csv --suite typo.yaml",
            Exit.USAGE,
            "typo.yaml:3:39: ",
        ),
        ("check orders.csv --suite none.yaml", Exit.USAGE, "none.yaml:1:"),
        ("check orders.csv --suite no.yaml", Exit.USAGE, "no.yaml"),
        ("check orders.csv --store damaged", Exit.USAGE, "damaged"),
        ("check orders.csv --store newer", Exit.USAGE, "newer"),
        ("gate orders no_such_table --store store", Exit.USAGE, "no_such_table"),
        ("gate orders orders.csv --by day --store store", Exit.USAGE, "3 batches"),
        ("gate orders orders.csv --by dy --store store", Exit.USAGE, "'dy'"),
        ("gate orders orders.csv --batch 2", Exit.USAGE, "--store"),
        ("gate orders ordres.csv --batch 2 --store store", Exit.USAGE, "'orders.csv'"),
        ("gate orders orders.csv --batch 2 --store newer", Exit.USAGE, "newer"),
        ("gate orders orders.csv --batch 2 --store s --time noon", Exit.USAGE, "'noon'"),
        ("gate orders orders.csv --batch 2 --store s --budget 3", Exit.USAGE, "budget"),
        ("backtest orders /no/such", Exit.USAGE, "/no/such"),
        ("explain orders/1", Exit.USAGE, "--store"),
        ("history orders --store redis://host", Exit.USAGE, "redis://host"),
        ("mark orders/1 --reason x --store store", Exit.USAGE, "--expected"),
        ("backfill orders empty --store store", Exit.USAGE, "'empty'"),
        ("backtest orders . --format avro", Exit.USAGE, "avro"),
        ("explain orders/2 --store store", Exit.USAGE, "'2'"),
        ("explain ordres/1 --store store", Exit.USAGE, "'orders'"),
        ("report orders/2 -o r.html --store store", Exit.USAGE, "'2'"),
        ("report orders/1 -o no/r.html --store store", Exit.USAGE, "no/r.html"),
        ("mark orders/2 --bad --reason x --store store", Exit.USAGE, "'2'"),
        ("mark orders/1 --bad --expected --reason x --store store", Exit.USAGE, "--expected"),
        ("quarantine list ordres --store store", Exit.USAGE, "'orders'"),
        ("quarantine show orders/1 --store store", Exit.USAGE, "'1'"),
        ("quarantine release orders/1 --reason x --store store", Exit.USAGE, "'1'"),
        ("release orders/1 --reason x --store store", Exit.USAGE, "'1'"),
        ("reject orders/1 --reason x --store store", Exit.USAGE, "'1'"),
        ("quarantine reject orders/1 --reason x --store store", Exit.USAGE, "'1'"),
        ("history ordres --store store", Exit.USAGE, "'orders'"),
        ("history orders --metric Siz() --store store", Exit.USAGE, "'Size()'"),
        ("patterns domains no.patterns", Exit.USAGE, "no.patterns"),
        ("patterns infer orders.csv -c zz", Exit.USAGE, "'zz'"),
        # could not be evaluated
        ("check orders.csv --suite unknown.yaml", Exit.NOT_EVALUATED, "email"),
        ("doctor --store damaged", Exit.NOT_EVALUATED, "failed"),
        # held
        ("gate orders page.csv --batch 2 --store store", Exit.HELD, "HELD"),
        ("gate orders nothing.csv --batch 2 --store store", Exit.HELD, "empty"),
        ("gate orders damaged.parquet --batch 2 --store store", Exit.HELD, "cannot be read"),
        ("gate orders page.csv --batch 2 --store store --fail-on never", Exit.CLEAN, "HELD"),
        ("gate fresh head.csv --batch 2 --store store", Exit.CLEAN, "fresh 2"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_a_command_ends_with_its_exit_code(command: str, code: int, text: str) -> None:
    ran = assay(*command.split())
    assert ran.code == code, ran.out + ran.err
    assert text in (ran.err if code == Exit.USAGE else ran.out)
    assert "Traceback" not in ran.err
    assert not (code == Exit.USAGE and ran.out), "errors are printed on standard error"


@pytest.mark.usefixtures("folder")
def test_a_machine_that_cannot_run_spark_ends_with_not_evaluated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("assay.cli.spark._active_session", lambda: None)
    ran = assay("profile", "orders.csv", "--remote", "sc://127.0.0.1:1")
    assert ran.code == Exit.NOT_EVALUATED
    assert "sc://127.0.0.1:1" in ran.err
    for error, text in (
        (JavaNotFoundError.among(["java 8"], oldest=17), "Java 17"),
        (RuntimeError("no room"), "no room"),
    ):

        def fails(*_: object, error: Exception = error) -> None:
            raise error

        monkeypatch.setattr("assay.cli.spark._start_classic", fails)
        ran = assay("profile", "orders.csv")
        assert ran.code == Exit.NOT_EVALUATED
        assert text in ran.err
        assert ran.out == ""


@pytest.mark.usefixtures("folder")
def test_an_interrupted_command_ends_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.cli.profile_command.profile", interrupted)
    assert assay("profile", "orders.csv") == (INTERRUPTED, "", "")
