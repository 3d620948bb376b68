"""`Comparison` and `ColumnChange`: a batch, or one of its columns, and what came before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from assay.analyzers.schema import quote
from assay.checks.formatting import format_number
from assay.gate.causes.usual_rows import UsualRows
from assay.learn.fingerprint.column_stats import ColumnStats, Fingerprint, Stat
from assay.learn.novelty.seen_values import MAX_LENGTH, SeenColumn, SeenValues, shorten_values

__all__ = ["ColumnChange", "Comparison", "distinct_share", "most_frequent_value", "total"]

#: the values of a column recur if at most this share of them is usually new
MAX_SHARE_OF_NEW_VALUES = 0.5
#: a value is usual if its share of all remembered values is at least this part of its share before
MIN_USUAL_PART = 0.5
#: whole numbers between these are years
FIRST_YEAR, LAST_YEAR = 1800, 2200


@dataclass(frozen=True, slots=True)
class Comparison:
    """A batch and the one that it is compared with.

    Parameters
    ----------
    batch : Fingerprint
        The batch.
    last : Fingerprint, optional
        The last accepted batch with rows.
    is_small : bool
        True if the batch has far fewer rows than others, so that its columns cannot be compared.
    private : frozenset of str
        Columns whose values causes do not quote.
    history : SeenValues
        The values of all accepted batches.
    usual_rows : UsualRows, optional
        The usual number of rows. Without it, the number of the last batch counts.
    """

    batch: Fingerprint
    last: Fingerprint | None
    is_small: bool = False
    private: frozenset[str] = frozenset()
    history: SeenValues = field(default_factory=SeenValues)
    usual_rows: UsualRows | None = None

    def column(self, name: str) -> ColumnChange | None:
        """Return the change of a column; None if a batch lacks it."""
        if self.last is None or name not in self.batch.columns or name not in self.last.columns:
            return None
        return ColumnChange(
            name,
            self.batch.columns[name],
            self.last.columns[name],
            self.history.columns.get(name, SeenColumn()),
            may_quote=name not in self.private,
        )


@dataclass(frozen=True)
class ColumnChange:
    """The statistics of a column in a batch and in the one before.

    Parameters
    ----------
    name : str
        The column.
    now, before : ColumnStats
        Its statistics.
    history : SeenColumn
        Its values in all accepted batches.
    may_quote : bool
        True if a sentence may quote values of the column.
    """

    name: str
    now: ColumnStats
    before: ColumnStats
    history: SeenColumn = field(default_factory=SeenColumn)
    may_quote: bool = True

    @property
    def sql(self) -> str:
        """The quoted name of the column."""
        return quote(self.name)

    @cached_property
    def are_years(self) -> bool:
        """True if all numbers of both batches are years."""
        return all(
            stats.holds_integers and stats.minimum >= FIRST_YEAR and stats.maximum <= LAST_YEAR
            for stats in (self.now, self.before)
        )

    def format(self, value: float) -> str:
        """Return a number of the column. Years have no thousands separator."""
        return f"{value:.0f}" if self.are_years and value.is_integer() else format_number(value)

    @property
    def have_counts(self) -> bool:
        """True if values were counted in both batches, and are not numbers."""
        is_text = self.now.kind == self.before.kind == "categorical"
        return is_text and bool(self.now.value_counts and self.before.value_counts)

    @property
    def is_recount(self) -> bool:
        """True if all values were counted in both batches."""
        return self.have_counts and not (
            self.now.uncounted(self.now.value_counts)
            or self.before.uncounted(self.before.value_counts)
        )

    def share(self, value: str) -> float:
        """Return the share of a value in this batch."""
        return self.now.value_counts.get(value, 0) / max(1.0, self.now.n_values)

    def share_before(self, value: str) -> float:
        """Return the share of a value in the batch before."""
        return self.before.value_counts.get(value, 0) / max(1.0, self.before.n_values)

    def is_usual(self, value: str) -> bool:
        """Return whether a value of the batch before is about as frequent in all batches."""
        if not self.history.total:
            return True
        count = self.history.values.get(next(iter(shorten_values({value: 1}))), 0)
        return count / self.history.total >= MIN_USUAL_PART * self.share_before(value)

    def is_known(self, value: str) -> bool:
        """Return whether an accepted batch had a value."""
        return value in self.before.value_counts or _is_in(value, self.history.values)

    @cached_property
    def new_values(self) -> dict[str, int]:
        """Count the values that no accepted batch had, the most frequent first."""
        counts = self.now.value_counts
        new = [value for value in counts if not self.is_known(value)]
        return {v: counts[v] for v in sorted(new, key=lambda value: (-counts[value], value))}

    @cached_property
    def usual_share_of_new_values(self) -> float:
        """Return the share of values of the batch before that no earlier batch had."""
        return self._usual_share(self.before.value_counts, self.history.values)

    @property
    def usually_has_new_values(self) -> bool:
        """True if most values are new in each batch, such as the time of a delivery."""
        return self.usual_share_of_new_values > MAX_SHARE_OF_NEW_VALUES

    @cached_property
    def share_of_new_values(self) -> float:
        """Return the share of values that no accepted batch had."""
        counted = total(self.now.value_counts)
        return total(self.new_values) / counted if counted else 0.0

    def _usual_share(self, counts: Mapping[str, int], history: Mapping[str, int]) -> float:
        before = shorten_values(counts)
        if not before or self.history.total <= self.before.n_values:
            return 0.0
        new = sum(count for value, count in before.items() if history.get(value) == count)
        return new / sum(before.values())

    @cached_property
    def new_shapes(self) -> dict[str, int]:
        """Count the shapes that no accepted batch had, the most frequent first."""
        counts = self.now.shape_counts
        before, history = self.before.shape_counts, self.history.shapes
        new = [shape for shape in counts if shape not in before and not _is_in(shape, history)]
        return {s: counts[s] for s in sorted(new, key=lambda shape: (-counts[shape], shape))}

    def usual_share_of_new_shapes(self) -> float:
        """Return the share of values of the batch before with a shape that no earlier batch had."""
        return self._usual_share(self.before.shape_counts, self.history.shapes)

    def lost_values(self) -> dict[str, int]:
        """Count the values of the batch before that this one lacks, the most frequent first."""
        counts = self.before.value_counts
        lost = [value for value in counts if value not in self.now.value_counts]
        return {v: counts[v] for v in sorted(lost, key=lambda value: (-counts[value], value))}


def distinct_share(stats: ColumnStats) -> float:
    """Return the share of distinct values, from the exact counts of a sample if there is one."""
    if stats.n_sampled > 0:
        return stats.n_sampled_distinct / stats.n_sampled
    return min(stats.per_value(Stat.DISTINCT), 1.0)


def _is_in(value: str, history: Mapping[str, int]) -> bool:
    """Return whether stored values contain a value. Long ones are stored as hashes."""
    if not history:
        return False
    return value in history or (
        len(value) > MAX_LENGTH and next(iter(shorten_values({value: 1}))) in history
    )


def total(counts: Mapping[str, int]) -> int:
    """Return the number of rows of counted values."""
    return sum(counts.values())


def most_frequent_value(stats: ColumnStats) -> str | None:
    """Return the most frequent known value of a column."""
    counts = stats.value_counts
    return max(counts, key=lambda value: (counts[value], value), default=None)
