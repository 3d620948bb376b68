"""The judge of relations: what held between columns in every batch."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from assay.gate.budget import Budget
from assay.gate.causes.cause import CauseCode
from assay.gate.finding import Finding
from assay.gate.judges.relations import judge_relations
from assay.learn.fingerprint.from_rows import fingerprint, strings
from assay.store import Decision
from tests.gate.histories import history_of
from tests.learn.relations.test_relations import orders

pytestmark = pytest.mark.unit

BUDGET = Budget(Fraction(1, 200)).of_judge("relations")


def findings(changed: dict[str, np.ndarray], n_batches: int = 12) -> dict[str, Finding]:
    history = history_of("orders", (fingerprint(orders(day)) for day in range(n_batches)))
    batch = fingerprint({**orders(n_batches), **changed})
    by_metric: dict[str, Finding] = {}
    for finding in judge_relations(batch, history.relations, BUDGET):
        by_metric.setdefault(f"{finding.metric} of {finding.column}", finding)
    return by_metric


def test_a_batch_like_those_before_raises_no_alarm() -> None:
    assert findings({}) == {}


def test_a_broken_equality_names_its_rows() -> None:
    paid = orders(12)["paid"].copy()
    paid[:20] += 5

    finding = findings({"paid": paid})["equality of total"]

    assert finding.cause_code == CauseCode.EQUALITY_BROKEN
    assert finding.row_filter == "NOT (`total` <=> `paid`)"
    assert finding.actual == 0.05
    assert "20 of 400 rows" in finding.reason


def test_a_wrong_sum_is_named_with_its_parts() -> None:
    total = orders(12)["total"].copy()
    total[:20] += 5

    finding = findings({"total": total, "paid": total})["sum of total"]

    assert finding.cause_code == CauseCode.SUM_BROKEN
    assert "net and tax" in finding.reason


def test_a_code_with_two_names_is_shown() -> None:
    name = orders(12)["name"].tolist()
    name[:30] = ["Nowhere"] * 30

    finding = findings({"name": strings(name)})["dependency of code"]

    assert finding.cause_code == CauseCode.DEPENDENCY_BROKEN
    assert "Nowhere" in finding.reason


def test_a_code_and_its_name_are_reported_once() -> None:
    """Each of them depends on the other, so the same rows break both relations."""
    name = orders(12)["name"].tolist()
    name[:30] = ["Nowhere"] * 30
    history = history_of("orders", (fingerprint(orders(day)) for day in range(12)))
    batch = fingerprint({**orders(12), "name": strings(name)})

    broken = [f for f in judge_relations(batch, history.relations, BUDGET) if f.alarm]

    assert [f.cause_code for f in broken] == [CauseCode.DEPENDENCY_BROKEN]


def test_rows_of_one_column_that_are_mixed_up_break_the_correlation() -> None:
    volume = np.random.default_rng(3).permutation(orders(12)["volume"])

    finding = findings({"volume": volume})["correlation of volume"]

    assert finding.cause_code == CauseCode.CORRELATION_BROKEN
    assert finding.level is not Decision.ACCEPT


def test_two_similar_columns_that_are_swapped_are_named() -> None:
    swapped = orders(12)

    by_metric = findings({"net": swapped["total"], "total": swapped["net"]})

    finding = by_metric["order of net"]
    assert finding.cause_code == CauseCode.COLUMNS_SWAPPED
    assert finding.cause == "net and total are swapped: each holds what the other held before."
