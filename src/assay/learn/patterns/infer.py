"""Which pattern describes a column's domain: FMDV and its cuts (auto-validate, sections 2.3 to 4).

Every variant looks for patterns h that the lake speaks for: FPR_T(h) <= r and Cov_T(h) >= m. They
differ in what is a pattern of the column, and in which is the best:

- ``fmdv``: all rows match; the least FPR_T (eq. 5 to 7); of equals the most specific (Lemma 1);
- ``cmdv``: the least coverage instead;
- ``fmdv-h``: a share θ of the rows need not match (eq. 12 to 16);
- ``fmdv-v``: the column is cut into parts that the lake knows, the sum of their rates is the least
  and at most r (eq. 8 to 11); symbols between parts cost nothing;
- ``fmdv-vh``: both cuts;
- ``unified``, the default: both cuts; what the lake does not know is described by its class at a
  price, and the rate is weighed against how much a pattern leaves open; several alternatives where
  one shape does not describe the column.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from numbers import Integral
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from assay.checks.pattern import Pattern
from assay.deprecation import renamed_fields
from assay.errors import CheckError
from assay.learn.patterns.arguments import (
    require_choice,
    require_number,
    require_share,
    require_whole,
)
from assay.learn.patterns.candidates import Position, Specialised, common, pattern, positions
from assay.learn.patterns.hierarchy import Option
from assay.learn.patterns.index import PatternIndex, require_index
from assay.learn.patterns.inferred import InferredPattern, NoPattern
from assay.learn.patterns.pooling import Pooled, pooled
from assay.learn.patterns.value_shape import LONGEST, MARK, Shaped, encodable, group_by_shape
from assay.learn.patterns.vocabulary import guarded, open_runs

__all__ = ["Search", "Variant", "infer", "require_search"]

Variant = Literal["fmdv", "fmdv-v", "fmdv-h", "fmdv-vh", "cmdv", "unified"]

#: what a run costs that the lake says nothing of, and what each degree of generality costs (λ).
#: λ was measured beside 0.004 on the columns of `benchmarks.patterns`: .69 of small changes are
#: caught instead of .65, F1 is .909 instead of .911
_UNKNOWN = 0.01
_GENERALITY = 0.01
#: patterns of one part of a column that are looked up at most
_MOST = 4000
#: constants that are tried at each position
_CONSTANTS = 16
#: the least share of the rows that an alternative describes
_LEAST = 0.05
#: rows of a shape that are looked at: what is more is scaled down
_ROWS = 10_000
#: what stands for a value that is not there
_MISSING = frozenset(("-", "--", ".", "?", "n/a", "na", "nan", "nil", "none", "null"))


@renamed_fields(whole="column_impurity")
@dataclass(frozen=True)
class Search:
    """What is looked for: the paper's r, m and θ; its τ is the index's own.

    `whole` takes the paper's impurity, of all rows of a column, instead of those of the shape.
    `unified` describes up to so many `alternatives`, and takes the rate of a pattern as if `doubt`
    columns more had been seen, of which it describes half: what few speak for is not known well.
    Without `generic`, it describes nothing that the lake does not know.

    With `align` the shapes near the dominant one are aligned (section 3): they are one alternative,
    and what they share is described alike. It is not the default, since it was measured to gain on
    columns of all kinds (F1 .77 instead of .75), but not on those that machines make (precision
    .953 instead of .957, the same F1).

    `open_vocabulary` is a guard: where at least such a share of the runs at a position occurs once,
    in a shape of several tokens without a space, it is ``<alphanum>+``. It is not the default: with
    0.01 F1 is about the same (.912 instead of .909), but .62 of small changes are caught instead of
    .69.
    """

    variant: Variant = "unified"
    rate: float = 0.05
    coverage: int = 5
    tolerance: float = 0.1
    column_impurity: bool = False
    alternatives: int = 3
    doubt: float = 1.0
    align: bool = False
    open_vocabulary: float | None = None
    generic: bool = True

    def __post_init__(self) -> None:
        if self.variant not in get_args(Variant):
            known = ", ".join(get_args(Variant))
            raise CheckError(f"there is no variant {self.variant!r}; there are: {known}.")
        require_share("rate", self.rate)
        require_share("tolerance", self.tolerance)
        require_whole("coverage", self.coverage, 0)
        require_whole("alternatives", self.alternatives, 1)
        require_number("doubt", self.doubt)
        require_choice("align", self.align)
        if self.open_vocabulary is not None:
            require_share("open_vocabulary", self.open_vocabulary)

    @property
    def horizontal(self) -> bool:
        """Whether some rows may go without a match."""
        return self.variant in {"fmdv-h", "fmdv-vh", "unified"}

    @property
    def vertical(self) -> bool:
        """Whether the column may be cut into parts."""
        return self.variant in {"fmdv-v", "fmdv-vh", "unified"}


def require_search(value: object) -> None:
    """It is a search, and not the name of a variant."""
    if not isinstance(value, Search):
        raise CheckError(f"search is a Search(…), not {value!r}.")


class _Part(NamedTuple):
    """A part of a column with the best pattern for it."""

    cost: float
    rate: float
    coverage: int
    start: int
    options: tuple[Option, ...]


_NOTHING = _Part(0.0, 0.0, 0, 0, ())


def infer(
    values: Iterable[str | None] | Mapping[str, int],
    index: PatternIndex | None = None,
    search: Search | None = None,
) -> InferredPattern | NoPattern:
    """The pattern for a column, from values of it or rows by value.

    Empty strings and None are no values. Without an index nothing is known of a lake: then
    `unified` finds the generic pattern.
    """
    if index is not None:
        require_index("index", index)
    if search is not None:
        require_search(search)
    index, search = index or PatternIndex.empty(), search or Search()
    counts = _counted(values)
    if not counts:
        return NoPattern("there are no values")
    found = _inferred(counts, index, search)
    if search.align and isinstance(found, NoPattern):
        # what shapes have in common says too little: each for itself
        return _inferred(counts, index, replace(search, align=False))
    return found


def _inferred(
    counts: Counter[str], index: PatternIndex, search: Search
) -> InferredPattern | NoPattern:
    unified = search.variant == "unified"
    marks = {value for value in counts if unified and value.strip().lower() in _MISSING}
    present = Counter({value: n for value, n in counts.items() if value not in marks}) or counts
    rows = present.total()
    shapes = group_by_shape(present)
    chosen, tolerance = shapes[:1], search.tolerance if search.horizontal else 0.0
    near: list[Pooled] = []
    if unified:
        chosen = [shape for shape in shapes if shape.rows >= _LEAST * rows]
        near = pooled(chosen, index.hierarchy) if search.align else []
        chosen = _alternatives(chosen, near, search.alternatives)
    enough = math.ceil((1 - tolerance) * rows - 1e-9)
    spare = sum(shape.rows for shape in chosen) - enough
    if not shapes:
        return NoPattern(f"its values are longer than {LONGEST} characters, and have no shape")
    if spare < 0 or (len(chosen) > 1 and len(present) < 2 * len(chosen)):
        return NoPattern(f"its values are of {len(shapes):,} shapes, as those of text are")
    found: list[tuple[Shaped, _Part]] = []
    together = _together(near, index, search) if len(near) > 1 else {}
    if together is None:
        return NoPattern("the lake knows no pattern for it")
    for whole in chosen:
        shape = _scaled(whole)
        opened = _opened(whole, search)
        # of the same shape there are exceptions only where nothing describes them all
        part = together.get(whole.shape)
        if part is None and unified:
            part = _best(shape, shape.rows, index, search, opened)
        if part is None:
            missed = spare * shape.rows // whole.rows
            part, spare = _best(shape, shape.rows - missed, index, search, opened), 0
        if part is None:
            return NoPattern("the lake knows no pattern for it")
        found.append((shape, part))
    try:
        return _learned(found, counts, sorted(marks))
    except CheckError:  # runs that the language cannot tell apart
        return NoPattern("where its parts end is not clear")


def _counted(values: Iterable[str | None] | Mapping[str, int]) -> Counter[str]:
    """Rows by value, of those that are values."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise CheckError(f"values are a list of strings, or rows by value, not {values!r}.")
    try:
        given: Mapping[Any, Any] = values if isinstance(values, Mapping) else Counter(values)
    except TypeError:
        raise CheckError("values are strings, not lists or the like: cast them first.") from None
    counts: Counter[str] = Counter()
    for value, rows in given.items():
        if value is None or value == "":
            continue
        if not isinstance(value, str):
            raise CheckError(f"values are strings, not {value!r}: cast them first.")
        if not isinstance(rows, Integral):
            raise CheckError(f"the rows of {value!r} are a whole number, not {rows!r}.")
        if int(rows) > 0:
            counts[encodable(value)] += int(rows)
    return counts


def _scaled(shape: Shaped) -> Shaped:
    """With so few rows that each can be looked at, in the same proportions; at least one each.

    Of more distinct values than that, those that are drawn by lot.
    """
    if shape.rows <= _ROWS:
        return shape
    if len(shape.counts) > _ROWS:
        shape = shape.least(_ROWS)
    counts = [max(1, count * _ROWS // shape.rows) for count in shape.counts]
    return Shaped(shape.shape, shape.every_run, counts)


def _learned(
    found: list[tuple[Shaped, _Part]], counts: Counter[str], marks: Sequence[str]
) -> InferredPattern:
    """What was found, and the marks of missing values, which stand for themselves."""
    parts = [pattern(shape.shape, part.options) for shape, part in found]
    joint = Pattern(tuple(each for one in parts for each in one.alternatives))
    others = tuple((mark,) for mark in marks if not joint.matches(mark))
    joint = Pattern((*joint.alternatives, *others))
    missed = {value: count for value, count in counts.items() if not joint.matches(value)}
    known = [part for _, part in found if part.coverage]
    return InferredPattern(
        joint,
        rows=counts.total(),
        missed=sum(missed.values()),
        distinct=len(counts),
        distinct_missed=len(missed),
        rate=max((part.rate for part in known), default=None),
        coverage=min((part.coverage for part in known), default=0),
    )


def _alternatives(shapes: list[Shaped], near: Sequence[Pooled], most: int) -> list[Shaped]:
    """The first so many; shapes that are aligned are one."""
    aligned = {each.shape.shape for each in near}
    others = [each.shape for each in shapes if each.shape not in aligned]
    kept = aligned.union(others[: most - 1 if aligned else most])
    return [each for each in shapes if each.shape in kept]


def _opened(shape: Shaped, search: Search) -> frozenset[int]:
    """The positions of an open vocabulary, if they are guarded."""
    share = search.open_vocabulary
    return frozenset() if share is None else open_runs(shape, share)


def _together(
    near: Sequence[Pooled], index: PatternIndex, search: Search
) -> dict[str, _Part] | None:
    """The best patterns of aligned shapes: what one settles for a column, the next take over."""
    opened = {each.columns[run] for each in near for run in _opened(each.shape, search)}
    settled: dict[int, Option] = {}
    found: dict[str, _Part] = {}
    for shape, columns, places in near:
        given = {run: settled[at] for run, at in enumerate(columns) if at in settled}
        free = guarded(places, {run for run, at in enumerate(columns) if at in opened})
        left = [place.only(given[run]) if run in given else place for run, place in enumerate(free)]
        one = Shaped(shape.shape, shape.every_run[: shape.width], [1])
        part = _cut(_Lake(one, left, 1, index, search, given))
        if part is None:
            return None
        settled |= zip(columns, part.options, strict=True)
        found[shape.shape] = part
    return found


def _best(
    shape: Shaped, enough: int, index: PatternIndex, search: Search, opened: frozenset[int]
) -> _Part | None:
    """The best pattern that at least so many rows of the shape match."""
    if not shape.width:
        return _NOTHING if search.variant == "unified" else None
    places = positions(shape, index.hierarchy, constants=_CONSTANTS, at_least=enough)
    places = guarded(places, opened)
    if not all(place.options for place in places):
        return None
    lake = _Lake(shape, places, enough, index, search)
    if not search.vertical:
        return dict(lake.parts_from(0)).get(len(shape.shape))
    found = _cut(lake)
    if found is None or enough == shape.rows or lake.matched(found.options) >= enough:
        return found
    # parts that each match enough rows, but not the same ones
    return _best(shape, shape.rows, index, search, opened)


@dataclass(frozen=True)
class _Lake:
    """What the lake knows of the parts of one shape."""

    shape: Shaped
    places: list[Position]
    enough: int
    index: PatternIndex
    search: Search
    #: what is settled for runs, which need not be known again
    settled: Mapping[int, Option] = field(default_factory=dict)

    @property
    def runs_before(self) -> list[int]:
        """How many runs stand before each token of the shape."""
        marks = (int(token == MARK) for token in self.shape.shape)
        return [0, *accumulate(marks)]

    def matched(self, options: tuple[Option, ...]) -> int:
        """How many rows match all of these at once."""
        chosen = zip(self.places, options, strict=True)
        return common([place.rows_of(place.options.index(option)) for place, option in chosen])

    def parts_from(self, start: int) -> Iterator[tuple[int, _Part]]:
        """For each end, the best pattern that the lake knows for the tokens from `start`."""
        found = Specialised.start(self.shape.rows)
        last = min(len(self.shape.shape), start + self.index.enumeration.tokens)
        run = self.runs_before[start]
        for end in range(start, last):
            if self.shape.shape[end] == MARK:
                place = self.places[run]
                found = found.extended(place, at_least=self.enough, most=_MOST, wide=False)
                run += 1
                if not len(found):
                    return
            if found.choices.shape[1]:
                part = self._best(found, start, end + 1)
                if part is not None:
                    yield end + 1, part

    def _best(self, found: Specialised, start: int, end: int) -> _Part | None:
        search = self.search
        looked = self.index.look_up(
            found.keys(self.shape.shape[start:end]), column_impurity=search.column_impurity
        )
        known, rates = looked
        if search.variant == "unified":
            rates = (rates * known + search.doubt / 2) / np.maximum(known + search.doubt, 1)
        feasible = np.flatnonzero((known >= max(search.coverage, 1)) & (rates <= search.rate))
        if not len(feasible):
            return None
        coverage, rate = known[feasible], rates[feasible]
        generality = found.generality[feasible]
        match search.variant:
            case "cmdv":
                cost = coverage.astype(float)
            case "unified":
                cost = rate + _GENERALITY * generality
            case _:
                cost = rate
        best = np.lexsort((found.keys("")[feasible], generality, cost))[0]
        first = self.runs_before[start]
        choices = found.choices[feasible[best]]
        options = tuple(
            self.places[first + at].options[int(choice)] for at, choice in enumerate(choices)
        )
        return _Part(float(cost[best]), float(rate[best]), int(coverage[best]), start, options)


def _cut(lake: _Lake) -> _Part | None:
    """Equation 11, from left to right: the best way to each token is one part longer."""
    shape, search = lake.shape.shape, lake.search
    best: list[_Part | None] = [_NOTHING, *[None] * len(shape)]

    def reach(end: int, before: _Part, part: _Part) -> None:
        cost = before.cost + part.cost
        held = best[end]
        if held is not None and held.cost <= cost:
            return
        known = [each.coverage for each in (before, part) if each.coverage]
        best[end] = _Part(
            cost,
            before.rate + part.rate,
            min(known, default=0),
            0,
            before.options + part.options,
        )

    for at, token in enumerate(shape):
        before = best[at]
        if before is None:
            continue
        if token != MARK:
            reach(at + 1, before, _NOTHING)
        elif search.variant == "unified":
            run = lake.runs_before[at]
            generic = lake.settled.get(run)
            if generic is None and search.generic:
                generic = _generic(lake.places[run], lake.enough)
            if generic is not None:
                price = _UNKNOWN + _GENERALITY * generic.generality
                reach(at + 1, before, _Part(price, 0.0, 0, at, (generic,)))
        for end, part in lake.parts_from(at):
            reach(end, before, part)
    whole = best[len(shape)]
    if whole is None or (search.variant != "unified" and whole.rate > search.rate):
        return None
    return whole


def _generic(place: Position, enough: int) -> Option | None:
    """The most specific class of one and more that describes enough rows."""
    described = zip(place.options, place.support, strict=True)
    wide = [option for option, rows in described if option.open_ended and rows >= enough]
    return min(wide, key=lambda each: (each.generality, each.hash), default=None)
