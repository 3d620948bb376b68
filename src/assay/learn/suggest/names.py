"""Whether a column can be unique, judged by its name alone (deequ, sections 3.3 and 4.2).

A sample says that a column has no duplicates so far; its name says whether that will last: an
`order_id` is made to be unique, a `statuses_count` only happens to be. The model is a logistic
regression over the parts of a name (`name_parts`), trained on schemas of open-source projects by
``python -m benchmarks.names``; its weights are the file ``names.tsv``, and scoring needs nothing
but the standard library.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from assay.learn.suggest.name_features import name_features

__all__ = ["NameModel", "uniqueness_of_name"]

_FORMAT = "assay names 1"
#: weights are whole hundredths: their sum is exact, in whatever order parts come out of a set
_UNIT = 100


def uniqueness_of_name(
    column: str,
    table: str | None = None,
    type_name: str | None = None,
    *,
    columns: Sequence[str] | None = None,
) -> float:
    """The probability that a column so called is unique: ``1 / (1 + exp(-Σ weight of its parts))``.

    It is better the more is known: the table's name, the type (Spark's or SQL's), and what all
    `columns` of the table are called, in any order and with or without this one. The paper follows
    a suggestion where the probability is above one half (section 4.2).

    >>> uniqueness_of_name("user_id", "users", "bigint") > 0.5
    True
    >>> uniqueness_of_name("user_id", "orders", "bigint") < 0.5
    True
    """
    return _shipped().score(column, table, type_name, columns)


@dataclass(frozen=True)
class NameModel:
    """Weights of parts, in hundredths, for each of four cases: what else than the name is known.

    The cases are: nothing, the table, the columns, both. An `id` without a table's name is another
    piece of evidence than one beside it, and so each case has weights of its own.
    """

    intercepts: tuple[int, int, int, int]
    weights: Mapping[str, tuple[int, int, int, int]]

    def score(
        self,
        column: str,
        table: str | None = None,
        type_name: str | None = None,
        columns: Sequence[str] | None = None,
    ) -> float:
        """The logistic function of the sum of the weights of what the name is made of."""
        case = (table is not None) + 2 * (columns is not None)
        parts = name_features(column, table, type_name, columns)
        known = (self.weights[part][case] for part in parts if part in self.weights)
        total = (self.intercepts[case] + sum(known)) / _UNIT
        # beyond this the exponential overflows, and nobody tells the difference
        return 1 / (1 + math.exp(-max(-500.0, min(500.0, total))))

    @property
    def text(self) -> str:
        """As a file: the format and the checksum of the rest, the intercepts, a line for each part.

        A line is a part and its four weights, between tabs; a weight of zero is left empty.
        """
        lines = [_line("", self.intercepts)]
        lines += (_line(part, self.weights[part]) for part in sorted(self.weights))
        body = "".join(f"{line}\n" for line in lines)
        return f"{_FORMAT} {_checksum(body)}\n{body}"

    @staticmethod
    def read(text: str) -> NameModel:
        """The model from its file; a `ValueError` where that is damaged or of another format."""
        head, _, body = text.partition("\n")
        if head != f"{_FORMAT} {_checksum(body)}":
            raise ValueError("the weights of column names are damaged: install assay again.")
        first, *rest = (line.split("\t") for line in body.splitlines())
        return NameModel(_weights(first[1:]), {part: _weights(cells) for part, *cells in rest})


@cache
def _shipped() -> NameModel:
    path = files("assay.learn.suggest") / "names.tsv"
    return NameModel.read(path.read_text(encoding="utf-8"))


def _line(part: str, weights: Sequence[int]) -> str:
    return "\t".join((part, *(str(weight or "") for weight in weights)))


def _weights(cells: Sequence[str]) -> tuple[int, int, int, int]:
    alone, table, columns, both = (int(cell or 0) for cell in cells)
    return alone, table, columns, both


def _checksum(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()[:16]
