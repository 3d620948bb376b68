"""Shapes that are aligned share their evidence: what describes a position describes it in all.

>>> from assay.learn.patterns.hierarchy import FINE
>>> from assay.learn.patterns.value_shape import group_by_shape
>>> times = pooled(group_by_shape(["9:07 AM", "9:15 PM", "12:30:05 PM"]), FINE)
>>> [each.columns for each in times]
[(0, 2, 6), (0, 2, 4, 6)]
>>> [str(each) for each in times[0].places[0].options]
['<digit>+', '<alphanum>+']
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assay.checks.pattern import CLASSES
from assay.learn.patterns.alignment import Line, Tokens, aligned
from assay.learn.patterns.candidates import Position, positions
from assay.learn.patterns.hierarchy import Hierarchy
from assay.learn.patterns.value_shape import MARK, Shaped, is_number

__all__ = ["Pooled", "pooled"]

_SINGLE = {kind: re.compile(f"{CLASSES[kind]}+") for kind in ("digit", "letter")}


class Pooled(NamedTuple):
    """A shape, in which column of the alignment each of its runs is, and what describes it.

    What describes a column describes all rows of it, so that one row stands for all.
    """

    shape: Shaped
    columns: tuple[int, ...]
    places: tuple[Position, ...]


def pooled(shapes: Sequence[Shaped], hierarchy: Hierarchy) -> list[Pooled]:
    """The shape of the most rows and those near to it, with options that hold for all of them."""
    tokens = {_tokens(each): each for each in shapes}
    lines = aligned({each: shape.rows for each, shape in tokens.items()})
    near = [(tokens[each], _columns(line)) for each, line in lines.items()]
    runs: dict[int, list[str]] = {}
    for shape, columns in near:
        for column, own in zip(columns, shape.runs, strict=True):
            runs.setdefault(column, []).extend(own)
    places = {column: _place(each, hierarchy) for column, each in runs.items()}
    return [
        Pooled(each, columns, tuple(map(places.__getitem__, columns))) for each, columns in near
    ]


def _columns(line: Line) -> tuple[int, ...]:
    """Where runs are: the names of classes are longer than a symbol."""
    return tuple(at for at, token in enumerate(line) if token is not None and len(token) > 1)


def _tokens(shape: Shaped) -> Tokens:
    """The symbols of a shape, and the classes of its runs."""
    classes = map(_class, shape.runs)
    return tuple(next(classes) if each == MARK else each for each in shape.shape)


def _class(runs: Sequence[str]) -> str:
    if any(map(is_number, runs)):
        return "num"
    text = "".join(runs)
    return next((kind for kind, each in _SINGLE.items() if each.fullmatch(text)), "alphanum")


def _place(runs: Sequence[str], hierarchy: Hierarchy) -> Position:
    """What describes all of these runs, of which one row is told."""
    column = Shaped(MARK, runs, [1] * len(runs))
    (found,) = positions(column, hierarchy, constants=1, at_least=len(runs))
    number = len(found.support)
    return Position(
        found.constants,
        found.classes,
        np.ones(number, np.int64),
        np.zeros(number, np.intp),
        lambda: np.ones((1, 1), np.uint64),
    )
