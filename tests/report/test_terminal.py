"""A verdict in a terminal."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from assay.gate import Verdict
from assay.gate.finding import Finding
from assay.report.terminal import print_verdict
from assay.store import Batch, Decision
from tests.gate.verdicts import verdict_of


def printed(verdict: Verdict) -> list[str]:
    out = io.StringIO()
    print_verdict(verdict, Console(file=out, width=100))
    return [line.strip() for line in out.getvalue().splitlines()]


def test_every_finding_says_what_it_spends() -> None:
    findings = (
        Finding(
            "limits", Decision.HOLD, "it is so.", "a", false_alarm_rate=0.0025, cause="a leap year."
        ),
        Finding("limits", Decision.WARN, "it is so.", "b", false_alarm_rate=0.0025),
        Finding("schema", Decision.WARN, "the column is new.", "c"),
        Finding("limits", Decision.ACCEPT, "it is so.", false_alarm_rate=0.5),
    )
    assert printed(verdict_of(Batch("orders", "x"), Decision.HOLD, findings))[:-1] == [
        "✗ HELD  orders x",
        "✗ limits   a: it is so.",
        "likely a leap year.",
        "! schema   c: the column is new.",
        "! limits   b: it is so.",
        "· it is so.",
    ]


@pytest.mark.parametrize(
    ("history", "known"),
    [
        (0, "the first batch: there is nothing to compare it with"),
        (1, "accepted: it is like the batch before"),
        (2, "accepted: it is like the 2 batches before"),
    ],
)
def test_how_many_batches_an_accepted_one_is_like(history: int, known: str) -> None:
    verdict = Verdict(Batch("orders", "x"), Decision.ACCEPT, n_history=history)
    assert verdict.headline == f"orders x is {known}."
