import numpy as np
import pytest

from assay.gate.causes.cause import CauseCode
from assay.learn.fingerprint.from_rows import numbers, strings
from benchmarks.support.corruption import Columns
from benchmarks.support.injected import ALL_KINDS, KINDS, inject


def batch(start: int) -> Columns:
    return {
        "id": numbers(range(start, start + 40)),
        "price": numbers(float(i % 13) for i in range(start, start + 40)),
        "day": strings(f"2026-11-{1 + i % 9:02d}" for i in range(start, start + 40)),
        "shop": strings(("Bern", "Basel", "Chur")[i % 3] for i in range(start, start + 40)),
    }


EARLIER = [batch(40 * n) for n in range(8)]


@pytest.mark.parametrize("name", [kind.name for kind in KINDS])
def test_each_kind_of_error_changes_a_copy_of_a_batch(name: str) -> None:
    clean = batch(400)

    error = inject(name, clean, EARLIER, np.random.default_rng(0))

    assert error is not None
    assert error.targets <= error.columns.keys() == clean.keys()
    assert clean["id"].tolist() == batch(400)["id"].tolist()


@pytest.mark.parametrize(
    ("name", "rows"), [("half of the rows", 20), ("20 % of rows twice", 48), ("all rows twice", 80)]
)
def test_errors_of_rows_change_their_number(name: str, rows: int) -> None:
    error = inject(name, batch(400), EARLIER, np.random.default_rng(0))

    assert error is not None
    assert {len(column) for column in error.columns.values()} == {rows}


def test_an_error_that_a_batch_cannot_have_is_not_injected() -> None:
    only_text = {"shop": strings(["Bern", "Chur"])}

    assert inject("times 1000", only_text, [], np.random.default_rng(0)) is None
    assert inject("old batch", only_text, EARLIER, np.random.default_rng(0)) is None


def test_assay_has_a_cause_for_each_kind() -> None:
    assert [kind.name for kind in ALL_KINDS if not kind.codes & set(CauseCode)] == []
