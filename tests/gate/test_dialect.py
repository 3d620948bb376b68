"""Files that are written otherwise than those before."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import product
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from assay import Check, Gate, MemoryStore, Verdict
from assay.gate.budget import Budget
from assay.gate.context import BatchContext
from assay.gate.history import GateHistory
from assay.gate.judges.dialect import DialectJudge, judge_dialect
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.table_schema import TableSchema
from assay.io.detect import detect_format
from assay.io.dialect import FileDialect
from assay.io.file_format import FileDescription
from assay.learn.limits.metric_history import MetricHistory
from assay.store.batch import Batch
from assay.store.verdict import Decision
from assay.suite.settings import GateSettings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WRITINGS = st.builds(
    FileDialect,
    st.sampled_from([*",;|\t", "¦"]),
    st.sampled_from([None, "utf-8", "utf-16", "iso-8859-1"]),
    st.booleans(),
    st.booleans(),
)


def said(now: FileDialect, before: FileDialect | None) -> list[str]:
    found = judge_dialect(now, before)
    assert all((each.judge, each.level) == ("dialect", Decision.WARN) for each in found)
    return [each.reason for each in found]


def of(data: bytes) -> FileDialect:
    found = detect_format(data)
    assert isinstance(found, FileDescription)
    writing = FileDialect.of(found)
    assert writing is not None
    return writing


@given(WRITINGS)
def test_what_is_written_alike_and_what_was_not_known_is_not_told(writing: FileDialect) -> None:
    assert said(writing, writing) == said(writing, None) == []
    columns = TableSchema((("a", "double"),), writing)
    assert TableSchema.from_json(columns.to_json()) == columns
    # as it was remembered before
    assert TableSchema.from_json([["a", "double"]]) == TableSchema((("a", "double"),))


@given(WRITINGS, WRITINGS)
def test_ascii_is_in_whatever_encoding_was(now: FileDialect, before: FileDialect) -> None:
    remembered = now.after(before)
    assert remembered.encoding == (now.encoding or before.encoding)
    assert not any("the text is" in each for each in said(remembered, now))


def test_files_that_are_written_otherwise() -> None:
    texts = ["place,n\nMünchen,1\n", "place|n\nMünchen|1\n"]
    comma, bar = (of(each.encode()) for each in texts)
    assert said(bar, comma) == ["fields are separated by vertical bar, and were by comma."]
    marked, latin, wide = (of(texts[0].encode(e)) for e in ("utf-8-sig", "latin-1", "utf-16"))
    assert said(marked, comma) == ["the file begins with a byte-order mark, and did not."]
    assert said(comma, marked) == ["the file does not begin with a byte-order mark, and did."]
    assert said(latin, comma) == ["the text is latin-1, and was utf-8."]
    assert said(wide, latin) == ["the text is utf-16, and was latin-1."]
    bare = of("München,1\nKöln,2\n".encode())
    assert said(bare, comma) == ["the first line names no columns, and did."]
    plain = of(b"place,n\nBonn,1\n")
    for one, other in product((comma, latin), repeat=2):
        assert said(one, plain.after(other)) == said(one, other)
    assert FileDialect.of(FileDescription("json")) is None


def test_what_comes_and_goes_is_told_even_if_the_delivery_between_was_held() -> None:
    types = (("a", "double"),)
    plain, marked = (
        TableSchema(types, FileDialect(",")),
        TableSchema(types, FileDialect(",", bom=True)),
    )
    tab = TableSchema(types, FileDialect("\t"))

    def told(now: TableSchema, before: TableSchema, held: TableSchema | None) -> list[str]:
        between = None if held is None else (Batch("orders", "2020-08-02"), held)
        history = GateHistory(MetricHistory("orders"), schema=before, held=between)
        settings = GateSettings()
        context = BatchContext(
            settings=settings, budget=Budget.from_settings(settings), history=history
        )
        batch = MeasuredBatch(Batch("orders", "2020-08-03"), None, now)
        return [finding.reason for finding in DialectJudge().judge(context, batch)]

    assert told(marked, marked, None) == told(marked, marked, marked) == []
    assert told(marked, marked, tab) == [
        "the delimiter is comma; it was tab in 2020-08-02, which was held.",
        "the file begins with a byte-order mark; it did not in 2020-08-02, which was held.",
    ]
    # what is other than in the last batch that was let in is told once
    assert told(plain, marked, tab) == [
        "the file does not begin with a byte-order mark; it did.",
        "the delimiter is comma; it was tab in 2020-08-02, which was held.",
    ]
    assert told(plain, plain, TableSchema(types)) == []


def test_a_gate_remembers_how_what_it_held_was_written(spark: SparkSession) -> None:
    gate = Gate("orders", MemoryStore(), Check("orders").is_complete("a"))
    start = datetime(2020, 8, 1, tzinfo=UTC)

    def submitted(day: int, value: float | None, writing: FileDialect) -> Verdict:
        df = spark.createDataFrame([(value,)], "a double")
        moment = start + timedelta(days=day)
        return gate.submit(df, f"{moment:%F}", time=moment, dialect=writing)

    marked = FileDialect(",", bom=True)
    assert submitted(0, 1.0, marked).decision is Decision.ACCEPT
    assert submitted(1, None, FileDialect(",")).decision is Decision.HOLD
    gate.reject("2020-08-02", author="ann", reason="empty")
    found = submitted(2, 2.0, marked)
    expected = "the file begins with a byte-order mark; it did not in 2020-08-02, which was held."
    assert [each.reason for each in found.alarms] == [expected]
    assert submitted(3, 3.0, marked).decision is Decision.ACCEPT
