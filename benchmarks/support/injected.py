"""Errors as they occur in recurring data, injected into a batch, with the causes that name them.

An injector takes a batch and returns a changed copy with the columns that it changed, or None if
the batch cannot have the error.

>>> import numpy as np
>>> batch = {"price": np.array([1.0, 2.0, 3.0, 4.0])}
>>> changed = inject("times 1000", batch, [], np.random.default_rng(0))
>>> changed.columns["price"].tolist(), changed.targets
([1000.0, 2000.0, 3000.0, 4000.0], frozenset({'price'}))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay import Verdict
from assay.store.verdict import Decision
from benchmarks.support.corruption import Columns, equal
from benchmarks.support.injectors import INJECTORS, Rng
from benchmarks.support.value_injectors import VALUE_INJECTORS

__all__ = ["ALL_KINDS", "KINDS", "ErrorKind", "InjectedError", "inject"]


@dataclass(frozen=True)
class ErrorKind:
    """A kind of error.

    Parameters
    ----------
    name
        Its name in tables of results.
    codes
        The codes of causes that name it (`assay.gate.causes.cause`).
    of_table
        True if it is about rows, so that the cause need not name a column.
    """

    name: str
    codes: frozenset[str]
    of_table: bool = False


def _kind(name: str, codes: str, *, of_table: bool = False) -> ErrorKind:
    return ErrorKind(name, frozenset(codes.split()), of_table)


KINDS = (
    _kind("20 % null", "nulls_rose nulls_together"),
    _kind("100 % null", "nulls_rose nulls_together"),
    _kind("times 1000", "unit_changed"),
    _kind("columns swapped", "columns_swapped columns_shifted"),
    _kind("case", "case_changed"),
    _kind("half of the rows", "rows_missing row_count", of_table=True),
    _kind("all rows twice", "rows_repeated", of_table=True),
    _kind("20 % of rows twice", "rows_repeated rows_duplicated", of_table=True),
    _kind("5 % garbage", "format_changed values_new pattern_broken"),
    _kind("date format", "format_changed type_changed pattern_broken"),
    _kind("value renamed", "values_new values_gone value_renamed"),
    _kind("mean + 0.5 sd", "values_shifted mean_shifted offset"),
    _kind("old batch", "redelivered", of_table=True),
)
#: the kinds of `KINDS`, and errors in a part of the values
ALL_KINDS = (
    *KINDS,
    _kind("one value", "constant"),
    _kind("sign", "sign_changed"),
    _kind("spaces", "spaces_changed"),
    _kind("20 % empty", "empty_strings_rose"),
    _kind("30 % default", "default_rose zeros_rose"),
    _kind("new category", "values_new"),
    _kind("category gone", "values_gone"),
    _kind("shares moved", "shares_moved"),
    _kind("segment missing", "segment_missing", of_table=True),
    _kind("plus 20,000", "offset"),
    _kind("5 hours later", "time_shifted"),
    _kind("1 hour later", "time_shifted"),
    _kind("a day stale", "time_shifted dates_stale"),
    _kind("5 % of keys twice", "key_duplicated"),
    _kind("decimal comma", "decimal_comma"),
    _kind("text cut", "text_cut"),
)
_BY_NAME = {kind.name: kind for kind in ALL_KINDS}
_INJECTORS = {**INJECTORS, **VALUE_INJECTORS}


@dataclass(frozen=True)
class InjectedError:
    """A batch with an error, and the columns that have it."""

    kind: ErrorKind
    columns: Columns
    targets: frozenset[str]

    def is_first_cause(self, verdict: Verdict) -> bool:
        """Return whether the first problem names the error and one of its columns."""
        if verdict.decision is Decision.ACCEPT:
            return False
        first = verdict.problems[0]
        names_column = self.kind.of_table or bool(self.targets & set(first.columns))
        return first.cause_code in self.kind.codes and (names_column or not first.columns)


def inject(name: str, batch: Columns, earlier: Sequence[Columns], rng: Rng) -> InjectedError | None:
    """Inject an error of this name.

    Parameters
    ----------
    name
        The name of one of `ALL_KINDS`.
    batch
        The batch. It is not changed.
    earlier
        The batches before it, oldest first.
    rng
        Chooses the column and the rows.

    Returns
    -------
    InjectedError or None
        None if the batch cannot have the error.
    """
    if not len(next(iter(batch.values()), ())):
        return None
    changed = _INJECTORS[name](batch, earlier, rng)
    if changed is None:
        return None
    columns = {**batch, **changed}
    targets = frozenset(c for c, values in columns.items() if not equal(values, batch[c]))
    return InjectedError(_BY_NAME[name], columns, targets) if targets else None
