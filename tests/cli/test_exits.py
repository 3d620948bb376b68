"""Every way that a command can end, and the code that it ends with."""

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
    """Tables and what only looks like one, suites, stores."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "orders.csv").write_text(ORDERS)
    (tmp_path / "head.csv").write_text(ORDERS.partition("\n")[0] + "\n")
    (tmp_path / "nothing.csv").write_text("")
    (tmp_path / "page.csv").write_text("<html><title>Sorry</title></html>")
    (tmp_path / "cut.parquet").write_bytes(b"PAR1 cut off")
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
    ("command", "code", "said"),
    [
        # clean, warned, failed
        ("check orders.csv --suite clean.yaml", Exit.CLEAN, "PASSED"),
        ("check orders.csv --suite warned.yaml --fail-on warn", Exit.FAILED, "1 failed"),
        ("check orders.csv --suite failed.yaml", Exit.FAILED, "FAILED"),
        ("check orders.csv --suite failed.yaml --fail-on never", Exit.CLEAN, "FAILED"),
        # bad usage or configuration
        ("chek orders.csv", Exit.USAGE, "Did you mean 'check'?"),
        ("check orders.csv --no-such-option", Exit.USAGE, "No such option"),
        ("check orders.csv --fail-on sometimes", Exit.USAGE, "error, warning, never"),
        ("check ordres.csv", Exit.USAGE, "did you mean 'orders.csv'?"),
        ("check no_such_table", Exit.USAGE, "no_such_table"),
        ("check page.csv", Exit.USAGE, "it is an HTML page, 'Sorry'"),
        ("check nothing.csv", Exit.USAGE, "it is empty: zero bytes"),
        ("check cut.parquet", Exit.USAGE, "cut off"),
        (
            "check orders.csv --suite typo.yaml",
            Exit.USAGE,
            "typo.yaml:3:39: there is no constraint",
        ),
        ("check orders.csv --suite none.yaml", Exit.USAGE, "none.yaml:1:"),
        ("check orders.csv --suite no.yaml", Exit.USAGE, "no.yaml"),
        ("check orders.csv --store damaged", Exit.USAGE, "damaged"),
        ("check orders.csv --store newer", Exit.USAGE, "newer"),
        ("gate orders orders.csv --store store", Exit.USAGE, "Missing option '--batch'"),
        ("gate orders orders.csv --batch 2", Exit.USAGE, "--store"),
        ("gate orders ordres.csv --batch 2 --store store", Exit.USAGE, "did you mean 'orders.csv'"),
        ("gate orders orders.csv --batch 2 --store newer", Exit.USAGE, "newer"),
        ("gate orders orders.csv --batch 2 --store s --time noon", Exit.USAGE, "'noon' is no time"),
        ("gate orders orders.csv --batch 2 --store s --budget 3", Exit.USAGE, "budget"),
        ("backtest orders /no/such", Exit.USAGE, "/no/such"),
        ("explain orders/1", Exit.USAGE, "give its directory by --store"),
        ("mark orders/1 --reason x --store store", Exit.USAGE, "say one of --expected"),
        ("backfill orders empty --store store", Exit.USAGE, "'empty'"),
        ("backtest orders . --format avro", Exit.USAGE, "not avro"),
        ("explain orders/2 --store store", Exit.USAGE, "no batch '2' of 'orders' was judged"),
        ("explain ordres/1 --store store", Exit.USAGE, "did you mean 'orders'?"),
        ("report orders/2 -o r.html --store store", Exit.USAGE, "no batch '2' of 'orders'"),
        ("report orders/1 -o no/r.html --store store", Exit.USAGE, "no/r.html cannot be written"),
        ("mark orders/2 --bad --reason x --store store", Exit.USAGE, "orders has no batch '2'"),
        ("mark orders/1 --bad --expected --reason x --store store", Exit.USAGE, "say one of"),
        ("quarantine list ordres --store store", Exit.USAGE, "did you mean 'orders'?"),
        ("quarantine show orders/1 --store store", Exit.USAGE, "no batch '1' of orders is held"),
        ("quarantine release orders/1 --reason x --store store", Exit.USAGE, "is held"),
        ("quarantine reject orders/1 --reason x --store store", Exit.USAGE, "is held"),
        ("history ordres --store store", Exit.USAGE, "did you mean 'orders'?"),
        ("history orders --metric Siz() --store store", Exit.USAGE, "did you mean 'Size()'?"),
        ("patterns domains no.patterns", Exit.USAGE, "there is no index at"),
        ("patterns infer orders.csv -c zz", Exit.USAGE, "no column 'zz'"),
        # could not be evaluated
        ("check orders.csv --suite unknown.yaml", Exit.NOT_EVALUATED, "did you mean 'email'?"),
        ("doctor --store damaged", Exit.NOT_EVALUATED, "failed"),
        # held
        ("gate orders page.csv --batch 2 --store store", Exit.HELD, "HELD"),
        ("gate orders nothing.csv --batch 2 --store store", Exit.HELD, "zero bytes"),
        ("gate orders page.csv --batch 2 --store store --fail-on never", Exit.CLEAN, "HELD"),
        ("gate fresh head.csv --batch 2 --store store", Exit.CLEAN, "ACCEPTED"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_how_a_command_ends(command: str, code: int, said: str) -> None:
    ran = assay(*command.split())
    assert ran.code == code, ran.out + ran.err
    assert said in (ran.err if code == Exit.USAGE else ran.out)
    assert "Traceback" not in ran.err
    assert not (code == Exit.USAGE and ran.out), "what is wrong is on standard error"


@pytest.mark.usefixtures("folder")
def test_a_machine_that_cannot_run_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.cli.session._active", lambda: None)
    ran = assay("profile", "orders.csv", "--remote", "sc://127.0.0.1:1")
    assert ran.code == Exit.NOT_EVALUATED
    assert "nothing answers at sc://127.0.0.1:1" in ran.err
    for error, said in (
        (JavaNotFoundError.among(["java 8"], oldest=17), "Spark needs Java 17 or newer"),
        (RuntimeError("no room"), "Spark did not start: no room"),
    ):

        def fails(*_: object, error: Exception = error) -> None:
            raise error

        monkeypatch.setattr("assay.cli.session._classic", fails)
        ran = assay("profile", "orders.csv")
        assert ran.code == Exit.NOT_EVALUATED
        assert said in ran.err
        assert ran.out == ""


@pytest.mark.usefixtures("folder")
def test_an_interruption(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.cli.profile.profile", interrupted)
    assert assay("profile", "orders.csv") == (INTERRUPTED, "", "")
