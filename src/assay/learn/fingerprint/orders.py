"""Count the rows in which two times are in the wrong order, such as shipped before ordered.

Each pair of columns with dates or times is counted in both directions, in the scan of the batch.

>>> schema = Schema.of(ordered="date", shipped="date", price="double")
>>> [analyzer.predicate for analyzer in order_analyzers(schema)]
['`ordered` <= `shipped`', '`shipped` <= `ordered`']
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from itertools import permutations
from typing import Any

from assay.analyzers import Compliance
from assay.analyzers.analyzer import Analyzer
from assay.analyzers.schema import Schema, quote
from assay.analyzers.state import State

__all__ = ["Order", "order_analyzers", "orders_of"]

#: Columns that are compared with each other: their pairs are 12 counts in the scan of the batch.
MAX_COLUMNS = 4
#: types that can be compared without a cast
_FAMILIES = ("date", "timestamp", "timestamp_ntz")
_NAME = r"`((?:[^`]|``)+)`"
_PREDICATE = re.compile(f"{_NAME} <= {_NAME}")

#: an earlier and a later column
Order = tuple[str, str]


def order_analyzers(schema: Schema, private: Collection[str] = ()) -> tuple[Compliance, ...]:
    """Return the analyzers of all pairs of the first columns with dates or times.

    Only columns of one type are compared. Columns that share a name are left out.

    Parameters
    ----------
    schema
        The columns of the table.
    private
        Columns that are left out.
    """
    for family in _FAMILIES:
        names = [
            column.name
            for column in schema.columns
            if column.family == family
            and column.name not in private
            and schema.names.count(column.name) == 1
        ]
        if len(names) > 1:
            pairs = permutations(names[:MAX_COLUMNS], 2)
            return tuple(Compliance(_predicate(pair), nulls="ignore") for pair in pairs)
    return ()


def _predicate(order: Order) -> str:
    earlier, later = map(quote, order)
    return f"{earlier} <= {later}"


def orders_of(states: Mapping[Analyzer, State]) -> dict[Order, int]:
    """Return the number of rows in the wrong order, for each pair of columns that was counted."""
    orders: dict[Order, int] = {}
    for analyzer, state in states.items():
        if not isinstance(analyzer, Compliance) or analyzer.where is not None:
            continue
        match = _PREDICATE.fullmatch(analyzer.predicate)
        if match is None or analyzer.nulls != "ignore":
            continue
        counted: Any = state
        earlier, later = (name.replace("``", "`") for name in match.groups())
        orders[earlier, later] = counted.rows - counted.matches
    return orders
