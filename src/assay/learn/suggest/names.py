"""Predict from a column's name whether it is unique (Deequ, sections 3.3 and 4.2).

A sample shows that a column has no duplicates so far. The name tells whether this will last: an
`order_id` is made to be unique, and a `statuses_count` is unique by chance. The model is a logistic
regression over features of the name (`name_features`). It was trained on the schemas of open-source
projects by ``python -m benchmarks.names``; its weights are in ``names.tsv``. Scoring needs only the
standard library.
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
#: weights are integers, in hundredths: their sum does not depend on the order of a set
_UNIT = 100


def uniqueness_of_name(
    column: str,
    table: str | None = None,
    type_name: str | None = None,
    *,
    columns: Sequence[str] | None = None,
) -> float:
    """Return the probability that a column with this name is unique.

    It is ``1 / (1 + exp(-Σ weight of its features))``. The paper follows a suggestion if the
    probability is above one half (section 4.2). More information makes it more accurate.

    Parameters
    ----------
    column
        The name of the column.
    table
        The name of the table.
    type_name
        The type, Spark's or SQL's.
    columns
        The names of all columns of the table, in any order, with or without this one.

    Examples
    --------
    >>> uniqueness_of_name("user_id", "users", "bigint") > 0.5
    True
    >>> uniqueness_of_name("user_id", "orders", "bigint") < 0.5
    True
    """
    return _trained_model().score(column, table, type_name, columns)


@dataclass(frozen=True)
class NameModel:
    """The weights of features, in hundredths, for each of four cases.

    The cases are: only the name is known; the table's name, too; the other columns, too; both. An
    `id` without a table's name is other evidence than an `id` with one, so that each case has
    weights of its own.
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
        """Return the probability that the column is unique; see `uniqueness_of_name`."""
        case = (table is not None) + 2 * (columns is not None)
        features = name_features(column, table, type_name, columns)
        weights = (self.weights[name][case] for name in features if name in self.weights)
        total = (self.intercepts[case] + sum(weights)) / _UNIT
        # The exponential of larger numbers overflows; the result would not differ.
        return 1 / (1 + math.exp(-max(-500.0, min(500.0, total))))

    @property
    def text(self) -> str:
        """The contents of the model's file.

        The first line has the format and the checksum of the other lines. Then come the intercepts,
        and one line for each feature: its name and four weights, separated by tabs. A weight of
        zero is left empty.
        """
        lines = [_line("", self.intercepts)]
        lines += (_line(name, self.weights[name]) for name in sorted(self.weights))
        body = "".join(f"{line}\n" for line in lines)
        return f"{_FORMAT} {_checksum(body)}\n{body}"

    @staticmethod
    def read(text: str) -> NameModel:
        """Read a model from the contents of its file.

        Raises
        ------
        ValueError
            If the file is damaged or of another format.
        """
        head, _, body = text.partition("\n")
        if head != f"{_FORMAT} {_checksum(body)}":
            raise ValueError("names.tsv is damaged (wrong checksum). Install Assay again.")
        intercepts, *features = (line.split("\t") for line in body.splitlines())
        weights = {name: _weights(cells) for name, *cells in features}
        return NameModel(_weights(intercepts[1:]), weights)


@cache
def _trained_model() -> NameModel:
    path = files("assay.learn.suggest") / "names.tsv"
    return NameModel.read(path.read_text(encoding="utf-8"))


def _line(name: str, weights: Sequence[int]) -> str:
    return "\t".join((name, *(str(weight or "") for weight in weights)))


def _weights(cells: Sequence[str]) -> tuple[int, int, int, int]:
    alone, table, columns, both = (int(cell or 0) for cell in cells)
    return alone, table, columns, both


def _checksum(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()[:16]
