"""`TableEvents`: what happened to a batch as a whole, found once for all of its alarms."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from assay.gate.causes.cause import Cause
from assay.gate.causes.column_change import Comparison
from assay.gate.causes.pairs import shifted_fields, swapped_columns
from assay.gate.causes.rows import (
    all_repeated,
    cause_of_rows,
    delivered_before,
    partly_repeated,
    segment_gone,
)

__all__ = ["TableEvents"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableEvents:
    """Causes that explain alarms about several columns.

    Parameters
    ----------
    rows : Cause, optional
        Missing or repeated rows, or an old batch.
    shifted : Cause, optional
        Fields that are shifted by one column.
    swapped : mapping
        By column, the pair of columns that are swapped.
    """

    rows: Cause | None
    shifted: Cause | None
    swapped: Mapping[str, Cause]

    @staticmethod
    def find(
        compared: Comparison, columns: Collection[str], *, may_guess: bool = True
    ) -> TableEvents:
        """Find the events of a batch.

        Parameters
        ----------
        compared
            The batch and the one before.
        columns
            Names of columns with alarms.
        may_guess
            True if the number of rows alone is evidence, since it raised an alarm.
        """
        batch, last = compared.batch, compared.last
        assert last is not None
        shifted = shifted_fields(batch, last)
        rows = (
            delivered_before(compared)
            or segment_gone(compared)
            or all_repeated(batch, last)
            or partly_repeated(compared)
            or (cause_of_rows(batch, last, compared.usual_rows) if may_guess else None)
        )
        pairs = () if shifted is not None else swapped_columns(compared, columns)
        swapped = {name: pair for pair in pairs for name in pair.columns}
        return TableEvents(rows=rows, shifted=shifted, swapped=swapped)
