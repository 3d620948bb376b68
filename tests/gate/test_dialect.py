"""Judge how a file is written: delimiter, encoding, header, byte-order mark."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import product
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from assay import Check, Gate, MemoryStore, Verdict
from assay.gate.budget import Budget
from assay.gate.causes.cause import CauseCode
from assay.gate.context import BatchContext
from assay.gate.diagnose import Comparison, diagnose
from assay.gate.finding import Finding
from assay.gate.history import GateHistory
from assay.gate.judges.dialect import DialectJudge, judge_dialect, judge_unfit
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.table_schema import TableSchema
from assay.io.detect import detect_format
from assay.io.file_dialect import FileDialect
from assay.io.file_format import FileDescription
from assay.learn.fingerprint.from_rows import fingerprint, numbers
from assay.learn.fingerprint.metrics import COMPLETENESS
from assay.learn.limits.metric_history import MetricHistory
from assay.store.batch import Batch
from assay.store.verdict import Decision
from assay.suite.settings import GateSettings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DIALECTS = st.builds(
    FileDialect,
    st.sampled_from([*",;|\t", "¦"]),
    st.sampled_from([None, "utf-8", "utf-16", "iso-8859-1"]),
    st.booleans(),
    st.booleans(),
    st.sampled_from([(), (("a", 3, 680),)]),
)


def reasons(now: FileDialect, before: FileDialect | None) -> list[str]:
    findings = judge_dialect(now, before)
    assert all((f.judge, f.level) == ("dialect", Decision.WARN) for f in findings)
    return [finding.reason for finding in findings]


def dialect_of(data: bytes) -> FileDialect:
    description = detect_format(data)
    assert isinstance(description, FileDescription)
    dialect = FileDialect.of(description)
    assert dialect is not None
    return dialect


def test_values_that_are_not_of_the_columns_type_are_a_finding_with_a_cause() -> None:
    clean, few = FileDialect(","), FileDialect(",", unfit=(("price", 3, 600),))
    many = FileDialect(",", unfit=(("price", 30, 600), ("day", 1, 600)))

    (finding,) = judge_unfit(few, clean)

    assert (finding.column, finding.level, finding.actual) == ("price", Decision.WARN, 0.005)
    assert finding.cause_code == CauseCode.VALUES_UNFIT
    assert finding.cause is not None
    assert "3 of 600 values are not of the type of the column (0.5 %)" in finding.cause
    assert judge_unfit(few, few) == judge_unfit(clean, few) == judge_unfit(few, None) == []
    assert [f.column for f in judge_unfit(many, few)] == ["price", "day"]


def test_unfit_values_explain_the_nulls_of_their_column() -> None:
    before = fingerprint({"price": numbers([1.0, 2.0, 4.0] * 200)})
    now = fingerprint({"price": numbers([1.0, None, 4.0] * 200)})
    (unfit,) = judge_unfit(FileDialect(",", unfit=(("price", 200, 600),)), FileDialect(","))
    nulls = Finding(
        "limits", Decision.HOLD, "too few.", "price", COMPLETENESS, actual=0.67, low=0.9, high=1.0
    )

    (problem,) = diagnose([nulls, unfit], Comparison(now, before))

    assert problem.cause_code == CauseCode.VALUES_UNFIT
    assert problem.level is Decision.HOLD
    assert {finding.judge for finding in problem.findings} == {"dialect", "limits"}


@given(DIALECTS)
def test_the_same_dialect_and_an_unknown_one_are_not_reported(dialect: FileDialect) -> None:
    assert reasons(dialect, dialect) == reasons(dialect, None) == []
    columns = TableSchema((("a", "double"),), dialect)
    assert TableSchema.from_json(columns.to_json()) == columns
    # the form without a dialect, which older stores contain
    assert TableSchema.from_json([["a", "double"]]) == TableSchema((("a", "double"),))


@given(DIALECTS, DIALECTS)
def test_ascii_text_keeps_the_encoding_of_the_batch_before(
    now: FileDialect, before: FileDialect
) -> None:
    remembered = now.after(before)
    assert remembered.encoding == (now.encoding or before.encoding)
    assert not any("the encoding is" in reason for reason in reasons(remembered, now))


def test_a_change_of_the_dialect_is_reported() -> None:
    texts = ["place,n\nMünchen,1\n", "place|n\nMünchen|1\n"]
    comma, bar = (dialect_of(text.encode()) for text in texts)
    assert reasons(bar, comma) == ["the delimiter is vertical bar; it was comma."]
    marked, latin, wide = (
        dialect_of(texts[0].encode(name)) for name in ("utf-8-sig", "latin-1", "utf-16")
    )
    assert reasons(marked, comma) == ["the file begins with a byte-order mark; it did not."]
    assert reasons(comma, marked) == ["the file does not begin with a byte-order mark; it did."]
    assert reasons(latin, comma) == ["the encoding is latin-1; it was utf-8."]
    assert reasons(wide, latin) == ["the encoding is utf-16; it was latin-1."]
    bare = dialect_of("München,1\nKöln,2\n".encode())
    assert reasons(bare, comma) == ["the first line is data; it was a header."]
    plain = dialect_of(b"place,n\nBonn,1\n")
    for one, other in product((comma, latin), repeat=2):
        assert reasons(one, plain.after(other)) == reasons(one, other)
    assert FileDialect.of(FileDescription("json")) is None


def test_a_dialect_is_also_compared_with_a_held_batch_in_between() -> None:
    types = (("a", "double"),)
    plain, marked = (
        TableSchema(types, FileDialect(",")),
        TableSchema(types, FileDialect(",", bom=True)),
    )
    tab = TableSchema(types, FileDialect("\t"))

    def reasons_after_held(
        now: TableSchema, before: TableSchema, held: TableSchema | None
    ) -> list[str]:
        between = None if held is None else (Batch("orders", "2020-08-02"), held)
        history = GateHistory(MetricHistory("orders"), schema=before, held=between)
        settings = GateSettings()
        context = BatchContext(
            settings=settings, budget=Budget.from_settings(settings), history=history
        )
        batch = MeasuredBatch(Batch("orders", "2020-08-03"), None, now)
        return [finding.reason for finding in DialectJudge().judge(context, batch)]

    assert (
        reasons_after_held(marked, marked, None) == reasons_after_held(marked, marked, marked) == []
    )
    assert reasons_after_held(marked, marked, tab) == [
        "the delimiter is comma; it was tab in 2020-08-02, which was held.",
        "the file begins with a byte-order mark; it did not in 2020-08-02, which was held.",
    ]
    # a difference to the last accepted batch is reported once
    assert reasons_after_held(plain, marked, tab) == [
        "the file does not begin with a byte-order mark; it did.",
        "the delimiter is comma; it was tab in 2020-08-02, which was held.",
    ]
    assert reasons_after_held(plain, plain, TableSchema(types)) == []


def test_a_gate_remembers_the_dialect_of_a_held_batch(spark: SparkSession) -> None:
    gate = Gate("orders", MemoryStore(), Check("orders").is_complete("a"))
    start = datetime(2020, 8, 1, tzinfo=UTC)

    def submit(day: int, value: float | None, dialect: FileDialect) -> Verdict:
        df = spark.createDataFrame([(value,)], "a double")
        moment = start + timedelta(days=day)
        return gate.submit(df, f"{moment:%F}", time=moment, dialect=dialect)

    marked = FileDialect(",", bom=True)
    assert submit(0, 1.0, marked).decision is Decision.ACCEPT
    assert submit(1, None, FileDialect(",")).decision is Decision.HOLD
    gate.reject("2020-08-02", author="ann", reason="empty")
    verdict = submit(2, 2.0, marked)
    expected = "the file begins with a byte-order mark; it did not in 2020-08-02, which was held."
    assert [alarm.reason for alarm in verdict.alarms] == [expected]
    assert submit(3, 3.0, marked).decision is Decision.ACCEPT
