"""A verdict in a terminal shows the problems first, and evidence on request."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from assay.gate import Verdict
from assay.gate.finding import Finding
from assay.gate.problem import Problem
from assay.report.terminal import print_evidence, print_verdict
from assay.store import Batch, Decision

BATCH = Batch("orders", "2026-11-14")


def problem(column: str | None, cause: str, level: Decision = Decision.HOLD) -> Problem:
    finding = Finding(
        "limits",
        level,
        "the mean is 9, expected 1 to 2.",
        column,
        "mean",
        false_alarm_rate=0.0025,
        where="shop = 'B' has 90 % of the rows.",
        sql="SELECT avg(amount) FROM batch",
    )
    return Problem(
        cause_code="unit",
        cause=cause,
        columns=() if column is None else (column,),
        level=level,
        findings=(finding, finding),
    )


def printed(verdict: Verdict, **options: Any) -> list[str]:
    out = io.StringIO()
    print_verdict(verdict, Console(file=out, width=100), **options)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_a_held_batch_shows_numbered_causes_and_the_next_commands() -> None:
    problems = (
        problem("amount", "About 100 times larger than before."),
        problem("status", "Upper case became lower case: 'NEW' is now 'new'."),
        problem("note", "The column is new.", Decision.WARN),
    )
    verdict = Verdict(
        BATCH,
        Decision.HOLD,
        problems,
        row_count=5213,
        n_history=11,
        history_start="2026-11-01",
    )

    lines = printed(verdict)

    assert lines == [
        "✗ HELD  orders 2026-11-14        5,213 rows, compared with 11 batches since 2026-11-01",
        "",
        "  1  amount  About 100 times larger than before.",
        "  2  status  Upper case became lower case: 'NEW' is now 'new'.",
        "  3  note    The column is new.",
        "",
        "  Rows and evidence:   assay explain orders/2026-11-14",
        '  Release it:          assay release orders/2026-11-14 --reason "…"',
        '  Reject it:           assay reject orders/2026-11-14 --reason "…"',
    ]


def test_the_next_commands_name_the_store_if_they_need_it() -> None:
    verdict = Verdict(BATCH, Decision.HOLD, (problem("amount", "So."),), n_history=1)

    lines = printed(verdict, store="my store")

    commands = [line for line in lines if "assay " in line]
    assert len(commands) == 3
    assert all("orders/2026-11-14 --store 'my store'" in command for command in commands)


def test_a_long_observation_continues_below_its_text() -> None:
    long = Finding("segments", Decision.ACCEPT, "word " * 30 + "end.")
    verdict = Verdict(BATCH, Decision.ACCEPT, observations=(long,), n_history=1)

    first, second = printed(verdict)[1:]

    assert first.startswith("  ·  word ")
    assert second.startswith("     word ")
    assert second.endswith("end.")


def test_further_problems_are_counted() -> None:
    problems = tuple(problem(f"c{number}", "It changed.") for number in range(5))
    verdict = Verdict(BATCH, Decision.HOLD, problems)

    assert "     and 3 more problems" in printed(verdict, max_problems=2)


def test_a_single_warning_is_one_line() -> None:
    warning = problem("note", "The column is new.", Decision.WARN)
    verdict = Verdict(BATCH, Decision.WARN, (warning,), row_count=1, n_history=1)

    assert printed(verdict) == ["! WARNING  orders 2026-11-14  note: The column is new."]


@pytest.mark.parametrize(
    ("n_history", "row_count", "text"),
    [
        (1, 2000, "2,000 rows, 3 columns, compared with 1 batch"),
        (11, 1, "1 row, 3 columns, compared with 11 batches"),
    ],
)
def test_an_accepted_batch_is_one_line(n_history: int, row_count: int, text: str) -> None:
    verdict = Verdict(
        BATCH, Decision.ACCEPT, n_history=n_history, row_count=row_count, column_count=3
    )

    assert printed(verdict) == [f"✓ ACCEPTED  orders 2026-11-14        {text}"]


def test_a_first_batch_is_not_called_accepted() -> None:
    verdict = Verdict(
        BATCH, Decision.ACCEPT, row_count=2000, column_count=1, similar_dataset="orders_eu"
    )

    assert printed(verdict) == [
        (
            "○ FIRST BATCH  orders 2026-11-14        2,000 rows, 1 column: nothing to compare with."
            " Did you mean 'orders_eu'?"
        )
    ]


def test_a_batch_that_could_not_be_read_is_compared_with_nothing() -> None:
    verdict = Verdict(BATCH, Decision.HOLD, (problem("table", "It is no table."),), n_history=11)

    assert printed(verdict)[0] == "✗ HELD  orders 2026-11-14"


def test_evidence_has_the_reason_the_false_alarms_and_the_sql_of_each_finding_once() -> None:
    out = io.StringIO()
    verdict = Verdict(BATCH, Decision.HOLD, (problem("amount", "About 100 times larger."),))

    print_evidence(verdict, Console(file=out, width=100))

    assert [line.rstrip() for line in out.getvalue().splitlines()] == [
        "",
        "  1  amount  About 100 times larger.",
        "     limits   the mean is 9, expected 1 to 2.",
        "     rate     about 1 false alarm in 400 batches",
        "     where    shop = 'B' has 90 % of the rows.",
        "     SQL      SELECT avg(amount) FROM batch",
    ]


def test_evidence_is_indented_below_long_causes() -> None:
    long = problem("amount", "About 100 times larger than before, " * 5)
    out = io.StringIO()
    print_evidence(Verdict(BATCH, Decision.HOLD, (long,)), Console(file=out, width=60))
    lines = [line for line in out.getvalue().splitlines() if "times" in line]
    assert len(lines) > 2
    assert all(line.startswith(" " * 13) for line in lines[1:])


def test_commands_quote_a_key_with_spaces() -> None:
    verdict = Verdict(Batch("orders", "14 Nov"), Decision.HOLD, (problem("amount", "Too large."),))

    assert "  Rows and evidence:   assay explain 'orders/14 Nov'" in printed(verdict)


def test_evidence_names_the_column_if_the_problem_is_about_others_as_well() -> None:
    alone, table = problem("amount", "Too large."), problem(None, "Half of the rows are missing.")

    assert alone.reason_of(alone.findings[0]) == "the mean is 9, expected 1 to 2."
    assert table.reason_of(alone.findings[0]) == "amount: the mean is 9, expected 1 to 2."


def test_a_problem_says_since_which_batch_it_lasts() -> None:
    lasting = problem("amount", "Too large.")
    first = replace(lasting.findings[0], since="2026-11-10")
    verdict = Verdict(BATCH, Decision.HOLD, (replace(lasting, findings=(first,)),))

    assert "  1  amount  Too large.  since 2026-11-10" in printed(verdict)
