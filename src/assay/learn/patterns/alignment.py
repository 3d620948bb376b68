"""Align shapes, so that what describes a position describes it in all of them (section 3).

Tokens of several shapes that have the same meaning are put into one column: multi-sequence
alignment. The best alignment is NP-hard to find. As in the paper, sequences are added one at a
time, those with the most rows first. Each is added at the least sum-of-pairs cost, by Needleman
and Wunsch's recurrence. A token is a symbol, or the class of the runs at that position.

>>> hours, seconds = ("digit", ":", "digit", "Z"), ("digit", ":", "digit", ":", "digit", "Z")
>>> for line in align_sequences({hours: 70, seconds: 30}).values():
...     print(*(token or "gap" for token in line))
digit : digit gap gap Z
digit : digit : digit Z

>>> from assay.learn.patterns.hierarchy import FINE
>>> from assay.learn.patterns.value_shape import group_by_shape
>>> times = align_shapes(group_by_shape(["9:07 AM", "9:15 PM", "12:30:05 PM"]), FINE)
>>> [shape.columns for shape in times]
[(0, 2, 6), (0, 2, 4, 6)]
>>> [str(option) for option in times[0].positions[0].options]
['<digit>+', '<alphanum>+']
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from assay.checks.pattern import CLASSES
from assay.learn.patterns.hierarchy import Hierarchy
from assay.learn.patterns.positions import Position, find_positions
from assay.learn.patterns.value_shape import MARK, ShapeGroup, is_number

__all__ = ["AlignedShape", "Line", "Tokens", "align_sequences", "align_shapes"]

#: symbols (one character each) and names of classes
Tokens = tuple[str, ...]
#: a sequence with its gaps, which are None
Line = tuple[str | None, ...]

#: the cost of a token in the same column as a gap
_GAP_COST = 2
#: the cost of two different symbols, or of letters and digits: less than a gap in each sequence
_MISMATCH_COST = 2
#: the cost of a class and a wider class
_WIDER_COST = 1
#: the cost of a symbol and a run, or of words and numbers: never chosen
_FORBIDDEN_COST = 1_000_000
_NESTED_CLASSES = frozenset(
    {
        frozenset(("digit", "alphanum")),
        frozenset(("letter", "alphanum")),
        frozenset(("digit", "num")),
    }
)
#: sequences to align, and tokens of each, at most: these bound the time
_MAX_SEQUENCES = 8
_MAX_TOKENS = 64
_SINGLE_CLASSES = {kind: re.compile(f"{CLASSES[kind]}+") for kind in ("digit", "letter")}


class AlignedShape(NamedTuple):
    """A shape, the column of the alignment for each of its runs, and the options for each run.

    The options match every run of their column, so that a single row stands for all rows.
    """

    group: ShapeGroup
    columns: tuple[int, ...]
    positions: tuple[Position, ...]


def align_shapes(groups: Sequence[ShapeGroup], hierarchy: Hierarchy) -> list[AlignedShape]:
    """Align the shape with the most rows and the shapes near it, with common options."""
    group_of_tokens = {_tokens(group): group for group in groups}
    lines = align_sequences({tokens: group.rows for tokens, group in group_of_tokens.items()})
    aligned = [(group_of_tokens[tokens], _run_columns(line)) for tokens, line in lines.items()]
    runs_of_column: dict[int, list[str]] = {}
    for group, columns in aligned:
        for column, runs in zip(columns, group.runs, strict=True):
            runs_of_column.setdefault(column, []).extend(runs)
    positions = {
        column: _common_position(runs, hierarchy) for column, runs in runs_of_column.items()
    }
    return [
        AlignedShape(group, columns, tuple(map(positions.__getitem__, columns)))
        for group, columns in aligned
    ]


def align_sequences(rows: Mapping[Tokens, int]) -> dict[Tokens, Line]:
    """Align the sequence with the most rows and the sequences near it.

    A sequence is near if its distance is at most the number of tokens of the longer sequence. Up
    to half of the tokens may then be gaps. If gaps could be elsewhere at the same cost, they are as
    late as possible.

    Parameters
    ----------
    rows
        The number of rows of each sequence.
    """
    order = sorted(rows, key=lambda tokens: (-rows[tokens], tokens))
    short = [tokens for tokens in order if len(tokens) <= _MAX_TOKENS]
    near = [tokens for tokens in short if _is_near(order[0], tokens)][:_MAX_SEQUENCES] or order[:1]
    lines: list[Line] = [near[0]] if near else []
    for tokens in near[1:]:
        lines = _add_sequence(lines, tokens)
    return dict(zip(near, lines, strict=True))


def _is_near(leader: Tokens, tokens: Tokens) -> bool:
    if len(leader) > _MAX_TOKENS:
        return leader == tokens
    return _alignment_costs([leader], tokens)[0][0] <= max(len(leader), len(tokens))


def _pair_cost(token: str | None, other: str | None) -> int:
    """Return the cost of two tokens, or of a token and a gap, in one column."""
    if token == other:
        return 0
    if token is None or other is None:
        return _GAP_COST
    if len(token) == 1 or len(other) == 1:
        return _MISMATCH_COST if len(token) == len(other) else _FORBIDDEN_COST
    if frozenset((token, other)) in _NESTED_CLASSES:
        return _WIDER_COST
    return _FORBIDDEN_COST if "num" in (token, other) else _MISMATCH_COST


def _count_columns(lines: Sequence[Line]) -> list[Counter[str | None]]:
    return [Counter(column) for column in zip(*lines, strict=True)]


def _column_cost(column: Counter[str | None], token: str | None) -> int:
    """Return the sum of pairs that a token or a gap adds to a column."""
    return sum(count * _pair_cost(token, other) for other, count in column.items())


def _alignment_costs(lines: Sequence[Line], tokens: Tokens) -> list[list[int]]:
    """Return the least costs of aligning suffixes: columns from i on with tokens from j on."""
    columns = _count_columns(lines)
    new_column_cost = _GAP_COST * len(lines)
    costs = [[0] * (len(tokens) + 1) for _ in range(len(columns) + 1)]
    token_costs = [
        {token: _column_cost(column, token) for token in {None, *tokens}} for column in columns
    ]
    for i, j in product(range(len(columns), -1, -1), range(len(tokens), -1, -1)):
        choices = []
        if i < len(columns):
            choices.append(costs[i + 1][j] + token_costs[i][None])
        if j < len(tokens):
            choices.append(costs[i][j + 1] + new_column_cost)
        if i < len(columns) and j < len(tokens):
            choices.append(costs[i + 1][j + 1] + token_costs[i][tokens[j]])
        costs[i][j] = min(choices, default=0)
    return costs


def _add_sequence(lines: Sequence[Line], tokens: Tokens) -> list[Line]:
    """Add one sequence: its tokens go into existing columns or into new ones."""
    costs, columns = _alignment_costs(lines, tokens), _count_columns(lines)
    result: list[tuple[str | None, ...]] = []
    i = j = 0
    gaps = (None,) * len(lines)
    old_columns = list(zip(*lines, strict=True))
    while i < len(columns) or j < len(tokens):
        cost, has_both = costs[i][j], i < len(columns) and j < len(tokens)
        if has_both and cost == costs[i + 1][j + 1] + _column_cost(columns[i], tokens[j]):
            result.append((*old_columns[i], tokens[j]))
            i, j = i + 1, j + 1
        elif i < len(columns) and cost == costs[i + 1][j] + _column_cost(columns[i], None):
            result.append((*old_columns[i], None))
            i += 1
        else:
            result.append((*gaps, tokens[j]))
            j += 1
    return list(zip(*result, strict=True))


def _run_columns(line: Line) -> tuple[int, ...]:
    """Return the columns of runs: names of classes are longer than a symbol."""
    return tuple(at for at, token in enumerate(line) if token is not None and len(token) > 1)


def _tokens(group: ShapeGroup) -> Tokens:
    """Return the symbols of a shape and the classes of its runs."""
    classes = map(_class_of_runs, group.runs)
    return tuple(next(classes) if symbol == MARK else symbol for symbol in group.shape)


def _class_of_runs(runs: Sequence[str]) -> str:
    if any(map(is_number, runs)):
        return "num"
    text = "".join(runs)
    kinds = (kind for kind, regex in _SINGLE_CLASSES.items() if regex.fullmatch(text))
    return next(kinds, "alphanum")


def _common_position(runs: Sequence[str], hierarchy: Hierarchy) -> Position:
    """Return the options that match all of these runs, as if there were a single row."""
    group = ShapeGroup(MARK, runs, [1] * len(runs))
    (position,) = find_positions(group, hierarchy, max_constants=1, min_rows=len(runs))
    option_count = len(position.support)
    return Position(
        position.constants,
        position.classes,
        np.ones(option_count, np.int64),
        np.zeros(option_count, np.intp),
        lambda: np.ones((1, 1), np.uint64),
    )
