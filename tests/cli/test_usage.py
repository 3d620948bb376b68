"""Help, usage errors and exit codes, without Spark."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import typer

from assay.analyzers import Size
from assay.cli.exits import Exit, exit_on_error
from assay.cli.options import OutputOptions, SparkOptions
from assay.cli.reading_options import FileOptions, TableOptions
from assay.cli.spark import conf_of, connect_problem
from assay.engine.measurement import Measurement, Metric
from assay.errors import AssayError, CheckError, JavaNotFoundError, SourceError
from assay.store import Batch, EmbeddedStore
from assay.suite import Suite
from tests.cli.running import assay

HEADS = Path(__file__).parents[1] / "io" / "heads"


@pytest.mark.parametrize("arguments", [["--help"], ["check", "--help"], ["patterns", "--help"]])
def test_help_imports_neither_spark_nor_numpy(arguments: list[str]) -> None:
    code = (
        "import sys, assay.cli.app as cli\n"
        "try: cli.app(sys.argv[1:])\n"
        "except SystemExit as end: assert not end.code\n"
        "heavy = {'pyspark', 'numpy', 'pandas', 'datasketches', 'assay.checks', 'assay.engine'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == "[]"
    assert "Usage: " in done.stdout


def test_python_m_assay_runs_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "assay", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("assay 0.")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            ["check", HEADS / "hhs-2022-11-19.csv"],
            "'Site Currently Unavailable'",
        ),
        (["profile", HEADS / "hhs-2022-12-10.csv"], "HTML page"),
        (["suggest", HEADS / "covid-2020-08-17.csv"], "'Redirecting to"),
        (["check", HEADS / "ca_fires-2023-03-04.json.gz"], "empty"),
        (["check", "orders.cvs.gz"], "'orders.cvs.gz'"),
        (["check", HEADS / "hhs-2020-07-20T200.csv"], "'hhs-2020-07-20T2009.csv'"),
        (
            ["check", HEADS, "--suite", "none.yaml"],
            "none.yaml",
        ),
        (
            ["check", HEADS / "ourairports-2025-01-31.csv", "--store", "none"],
            "none",
        ),
        (["check", "x.csv", "--junit", "r.xml"], "--suite"),
        (["history", "orders"], "--store"),
        (["history", "orders", "--store", "none"], "none"),
        (["patterns", "domains", "none"], "none"),
        (["patterns", "build", "lake", "--write", "."], ". cannot be written"),
        (["patterns", "infer", "none.csv"], "'none.csv'"),
        (
            ["suggest", HEADS / "hhs-2020-07-20T2009.csv", "--write", "x.txt"],
            "'x.txt'",
        ),
    ],
)
def test_a_wrong_argument_is_one_sentence_and_exit_code_2(
    arguments: list[str | Path], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = assay(*arguments)
    assert ran.code == Exit.USAGE
    assert text in ran.err
    assert ran.err.startswith("assay: ")
    assert len(ran.err.splitlines()) == 1
    assert ran.out == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["chekc"],
        ["check"],
        ["check", "x.csv", "--bogus"],
        ["check", "x.csv", "--fail-on", "sometimes"],
        ["check", HEADS / "hhs-2020-07-20T2009.csv", "--delimiter", "ab"],
        ["profile", HEADS / "hhs-2020-07-20T2009.csv", "--spark-conf", "nonsense"],
        ["patterns", "build", "lake"],
        ["history", "--last", "1"],
    ],
)
def test_bad_usage_is_exit_code_2_without_a_traceback(arguments: list[str | Path]) -> None:
    ran = assay(*arguments)
    assert ran.code == Exit.USAGE
    assert "Traceback" not in ran.err
    assert "Usage: assay" in ran.err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (CheckError("no."), Exit.USAGE),
        (SourceError("no."), Exit.USAGE),
        (JavaNotFoundError("no."), Exit.NOT_EVALUATED),
        (ModuleNotFoundError("no", name="numpy"), Exit.NOT_EVALUATED),
        (RuntimeError("no"), Exit.NOT_EVALUATED),
    ],
)
def test_errors_become_exit_codes(
    error: Exception, code: Exit, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as end, exit_on_error():
        raise error
    assert end.value.exit_code == code
    assert len(capsys.readouterr().err.splitlines()) == 1
    with pytest.raises(type(error)), exit_on_error(debug=True):
        raise error


def test_a_bug_is_reported_with_the_path_of_its_traceback(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(typer.Exit), exit_on_error():
        raise ZeroDivisionError("by\x1b[31m nothing")
    message = capsys.readouterr().err
    assert "\x1b" not in message
    assert "nothing. This is a bug in Assay. " in message
    path = Path(message.partition("The traceback is in ")[2].split(";")[0])
    try:
        assert "ZeroDivisionError" in path.read_text()
    finally:
        path.unlink()


def test_an_error_with_several_problems_has_a_line_for_each(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(typer.Exit), exit_on_error():
        raise AssayError("a.yaml:1:2: this.\na.yaml:3:4: that.")
    assert capsys.readouterr().err == "assay: a.yaml:1:2: this.\nassay: a.yaml:3:4: that.\n"


def test_an_interruption_is_not_a_failed_check() -> None:
    with pytest.raises(typer.Exit) as end, exit_on_error():
        raise KeyboardInterrupt
    assert end.value.exit_code == 130


def test_a_closed_pipe_ends_the_command_without_an_error(tmp_path: Path) -> None:
    store = EmbeddedStore(tmp_path / "store")
    size = Size()
    store.load(
        {
            Batch("orders", f"n={n}"): Measurement({size: Metric(size, value=n)}, {})
            for n in range(500)
        }
    )
    command = [sys.executable, "-m", "assay", "history", "orders", "--json", "--last", "500"]
    with subprocess.Popen(
        [*command, "--store", str(store.folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as ran:
        assert ran.stdout is not None
        assert ran.stderr is not None
        assert ran.stdout.read(1) == b"["
        ran.stdout.close()
        assert ran.stderr.read() == b""
        assert ran.wait() == Exit.CLEAN


def test_spark_settings_are_split_at_the_first_equals_sign() -> None:
    options = SparkOptions(spark_conf=["spark.sql.a=1", "b=x=y"])
    assert conf_of(options) == {"spark.sql.a": "1", "b": "x=y"}


def test_a_server_that_does_not_answer_is_reported_at_once() -> None:
    assert "'http://x'" in str(connect_problem("http://x"))
    assert "sc://127.0.0.1:1" in str(connect_problem("sc://127.0.0.1:1"))


def test_options_of_a_table_become_options_of_its_reader() -> None:
    reading = TableOptions("x", format="TSV", delimiter="tab", header=False, null="NA").reading
    assert (reading.format, reading.delimiter, reading.header, reading.null) == (
        "csv",
        "\t",
        False,
        "NA",
    )
    assert OutputOptions().json is False


def test_every_part_of_a_csv_layout_can_be_stated() -> None:
    options = FileOptions(quote="single", escape="backslash", skip_lines=3, header_rows=2)
    reading = options.reading
    assert (reading.quote, reading.escape, reading.skip_lines, reading.header_rows) == (
        "'",
        "\\",
        3,
        2,
    )
    assert FileOptions(quote="none").reading.quote == ""
    with pytest.raises(typer.BadParameter):
        _ = FileOptions(quote="both").reading


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "version: 1\ndataset: a\nchecks: [{name: a, constraints: [is_complet: a]}]",
            "is_complete",
        ),
        ("checks: 3\n", "suite.yaml:1:"),
        ("- is_complete: {\n", "suite.yaml:"),
    ],
)
def test_an_invalid_suite_is_reported_with_its_file_name(
    text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(text)
    with pytest.raises(AssayError, match=message):
        Suite.read(path)
