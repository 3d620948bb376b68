"""Describe the runs at one position of a shape: which options there are, and which rows they match.

A shape such as ``#-#`` has two positions. The options of a position are constants (the runs
themselves) and classes of characters. The classes of a run depend on its form alone, so that they
are determined once for each form and not once for each run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from heapq import nsmallest
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.checks.pattern import Token
from assay.learn.patterns.bitsets import pack, rows_of_each
from assay.learn.patterns.hierarchy import (
    Hierarchy,
    Option,
    constant,
    constant_hash,
    group_by_form,
    is_hexadecimal,
)
from assay.learn.patterns.value_shape import ShapeGroup, is_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.learn.patterns.bitsets import Bitsets, Counts

__all__ = ["Position", "find_positions", "guard_open_positions", "open_positions"]

_HEXADECIMAL_LETTERS = frozenset("abcdef")
#: runs count as hexadecimal if at least this many of the six letters occur
_MIN_HEXADECIMAL_LETTERS = 4
#: runs of at most this many forms are common, and their classes are cached
_CACHED_FORMS = 8
_ANY_RUN = Option((Token("alphanum"),))


@dataclass(frozen=True)
class Position:
    """The options for the runs at one position, constants first, and the rows that each matches.

    Many classes match the same rows. `bitsets` holds each set of rows once, and
    ``bitset_of_option[i]`` is the line of option ``i``.
    """

    constants: tuple[str, ...]
    classes: tuple[Option, ...]
    #: the number of rows that each option matches
    support: Counts
    bitset_of_option: NDArray[np.intp]
    _make_bitsets: Callable[[], Bitsets]

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """All options of this position."""
        return (*map(constant, self.constants), *self.classes)

    @cached_property
    def bitsets(self) -> Bitsets:
        """The distinct sets of rows. They are made lazily: a single position needs none."""
        return self._make_bitsets()

    def rows_of(self, option: int) -> Bitsets:
        """Return the set of rows that an option matches."""
        rows: Bitsets = self.bitsets[self.bitset_of_option[option]]
        return rows

    def only(self, option: Option) -> Position:
        """Return the position with a single one of its options."""
        number = self.options.index(option)
        constants = self.constants[number : number + 1]
        return Position(
            constants,
            () if constants else (option,),
            self.support[[number]],
            np.zeros(1, np.intp),
            lambda: self.rows_of(number)[None],
        )

    @property
    def hashes(self) -> Bitsets:
        """The hash of each option."""
        hashes = (*map(constant_hash, self.constants), *(option.hash for option in self.classes))
        return np.array(hashes, dtype=np.uint64)

    @property
    def generality(self) -> NDArray[np.float64]:
        """The generality of each option."""
        return np.array(
            [0.0] * len(self.constants) + [option.generality for option in self.classes]
        )


def find_positions(
    group: ShapeGroup, hierarchy: Hierarchy, *, max_constants: int, min_rows: int = 1
) -> list[Position]:
    """Describe the runs at each position of a shape.

    Parameters
    ----------
    group
        The values of one shape.
    hierarchy
        The classes of characters to try.
    max_constants
        The number of constants to try at each position, the most frequent first. A shape with a
        single run has no limit.
    min_rows
        Options that match fewer rows are left out.
    """
    value_of_row = np.repeat(np.arange(len(group.row_counts)), group.row_counts)
    limit = max_constants if group.run_count > 1 else None
    return [
        _describe_position(runs, value_of_row, hierarchy, limit, min_rows) for runs in group.runs
    ]


def _describe_position(
    runs: Sequence[str],
    value_of_row: NDArray[np.intp],
    hierarchy: Hierarchy,
    max_constants: int | None,
    min_rows: int,
) -> Position:
    run_numbers: dict[str, int] = {}
    run_of_value = np.array([run_numbers.setdefault(run, len(run_numbers)) for run in runs])
    run_of_row = run_of_value[value_of_row]
    rows_of_run = np.bincount(run_of_row, minlength=len(run_numbers))
    distinct_runs = list(run_numbers)
    frequent = np.flatnonzero(rows_of_run >= min_rows).tolist()
    if max_constants is not None:
        rank = list(zip((-rows_of_run).tolist(), distinct_runs, strict=True)).__getitem__
        frequent = nsmallest(max_constants, frequent, key=rank)
    runs_of_form = group_by_form(distinct_runs)
    excluded = _misleading_kinds(runs_of_form, "".join(distinct_runs))
    form_of_run = np.empty(len(distinct_runs), np.intp)
    for form, numbers in enumerate(runs_of_form.values()):
        form_of_run[numbers] = form
    is_cached = len(runs_of_form) <= _CACHED_FORMS
    find_classes = _classes_of_forms if is_cached else _classes_of_forms.__wrapped__
    classes = find_classes(hierarchy, tuple(runs_of_form), frozenset(excluded))
    form_of_row = form_of_run[run_of_row]
    rows_of_form = np.bincount(form_of_row, minlength=len(runs_of_form))
    support = (classes.forms @ rows_of_form)[classes.line_of_option]
    supported = np.flatnonzero(support >= min_rows)

    def make_bitsets() -> Bitsets:
        of_constants = rows_of_each(frequent, run_of_row, len(distinct_runs))
        return np.concatenate([of_constants, pack(classes.forms[:, form_of_row])])

    return Position(
        tuple(distinct_runs[number] for number in frequent),
        tuple(classes.options[number] for number in supported.tolist()),
        np.concatenate([rows_of_run[frequent], support[supported]]),
        np.concatenate(
            [np.arange(len(frequent)), classes.line_of_option[supported] + len(frequent)]
        ),
        make_bitsets,
    )


class _ClassesOfForms(NamedTuple):
    """The classes that match some forms.

    ``forms[line_of_option[i], j]`` says whether option ``i`` matches form ``j``. Options that match
    the same forms share a line.
    """

    options: list[Option]
    line_of_option: NDArray[np.intp]
    forms: NDArray[np.bool_]


@lru_cache(maxsize=1 << 14)
def _classes_of_forms(
    hierarchy: Hierarchy, forms: tuple[str, ...], excluded: frozenset[str]
) -> _ClassesOfForms:
    """Find the classes that match any of the forms, without the kinds that are excluded."""
    matched: dict[int, tuple[Option, list[int]]] = {}
    for number, form in enumerate(forms):
        for option in hierarchy.classes(form):
            if option.kind not in excluded:
                entry = matched.get(option.hash)
                if entry is None:
                    matched[option.hash] = (option, [number])
                else:
                    entry[1].append(number)
    _add_narrower_forms([entry for entry in matched.values() if len(entry[0].pieces) > 1])
    lines: dict[tuple[int, ...], int] = {}
    line_of_option = [
        lines.setdefault(tuple(numbers), len(lines)) for _, numbers in matched.values()
    ]
    matrix = np.zeros((len(lines), len(forms)), dtype=bool)
    for numbers, line in lines.items():
        matrix[line, numbers] = True
    options = [option for option, _ in matched.values()]
    return _ClassesOfForms(options, np.array(line_of_option, np.intp), matrix)


def _add_narrower_forms(mixtures: Sequence[tuple[Option, list[int]]]) -> None:
    """Let each mixture of classes match the forms of narrower mixtures, in place.

    ``<letter>+<digit>+`` also matches the runs from which ``<upper>+<digit>+`` was made.
    """
    by_counts: dict[tuple[int | None, ...], list[tuple[tuple[str, ...], list[int]]]] = {}
    for option, forms in mixtures:
        tokens = [piece for piece in option.pieces if isinstance(piece, Token)]
        counts = tuple(token.count for token in tokens)
        by_counts.setdefault(counts, []).append((tuple(token.kind for token in tokens), forms))
    for group in by_counts.values():
        original = [(kinds, tuple(forms)) for kinds, forms in group]
        for wide_kinds, forms in group:
            for narrow_kinds, narrow_forms in original if len(original) > 1 else ():
                if narrow_kinds != wide_kinds and all(map(_is_within, narrow_kinds, wide_kinds)):
                    forms.extend(narrow_forms)
            forms.sort()


def _is_within(kind: str, other: str) -> bool:
    """Return whether all runs of one class (of letters or of digits) belong to the other."""
    return kind == other or (other == "letter" and kind != "digit")


def _misleading_kinds(forms: Collection[str], all_runs: str) -> set[str]:
    """Return the classes that would describe these runs wrongly.

    - ``num``, unless a run has a sign or decimals: integers are digits.
    - ``hex``, unless a run mixes digits and letters, and most of the letters a to f occur.
      Otherwise the runs are words, or codes with one or two letters.
    """
    excluded = set() if any(map(is_number, forms)) else {"num"}
    mixed = any("0" in form and not form.isdigit() and is_hexadecimal(form) for form in forms)
    letters = _HEXADECIMAL_LETTERS.intersection(all_runs.lower()) if mixed else ()
    return excluded if len(letters) >= _MIN_HEXADECIMAL_LETTERS else excluded | {"hex"}


def open_positions(group: ShapeGroup, share: float) -> frozenset[int]:
    """Return the positions with an open vocabulary: at least `share` of the rows have a unique run.

    Only shapes of several tokens without spaces are considered. In prose and in single words, new
    runs are normal.
    """
    if group.token_count < 2 or any(map(str.isspace, group.shape)):
        return frozenset()
    return frozenset(
        position
        for position, runs in enumerate(group.runs)
        if _count_unique_runs(runs, group.row_counts) >= share * group.rows
    )


def _count_unique_runs(runs: Sequence[str], row_counts: Sequence[int]) -> int:
    """Count the runs that occur in exactly one row."""
    rows_of_run: Counter[str] = Counter()
    for run, rows in zip(runs, row_counts, strict=True):
        rows_of_run[run] += rows
    return sum(rows == 1 for rows in rows_of_run.values())


def guard_open_positions(positions: Sequence[Position], opened: Collection[int]) -> list[Position]:
    """Reduce each open position to ``<alphanum>+``, where that matches enough rows."""
    return [
        position.only(_ANY_RUN) if number in opened and _ANY_RUN in position.options else position
        for number, position in enumerate(positions)
    ]
