"""Errors about analyzers, their states and metrics, and the stores that keep them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from assay.errors.base import AssayError, list_names, nearest, type_name

__all__ = ["KeySyntaxError", "NotComputableError", "StateError", "StoreError", "WatchError"]


class KeySyntaxError(AssayError):
    """A text is not the key of an analyzer."""

    code = "bad_key"

    @classmethod
    def of(cls, key: str, reason: str, analyzers: Collection[str]) -> KeySyntaxError:
        """Report the text, the reason and the most similar analyzer."""
        guess = nearest(key.partition("(")[0], analyzers)
        hint = f"; did you mean {guess}?" if guess and not key.startswith(f"{guess}(") else ""
        return cls(f"{key!r} is not an analyzer's key: {reason}{hint}")


class StateError(AssayError):
    """A state cannot be read, merged or subtracted."""

    code = "bad_state"

    @classmethod
    def not_a_state(cls, data: bytes) -> StateError:
        """Report bytes that no state has written."""
        return cls(f"{len(data):,} bytes are not a state that Assay has written.")

    @classmethod
    def unknown_kind(cls, kind: str, version: int) -> StateError:
        """Report a state that a newer version of Assay has written."""
        return cls(
            f"a state of kind {kind!r}, version {version}, is not known here;"
            " it was written by a newer Assay: upgrade this one."
        )

    @classmethod
    def not_mergeable(cls, analyzer: str, remedy: str) -> StateError:
        """Report states that cannot be merged."""
        return cls(f"states of {analyzer} do not merge; {remedy}.")

    @classmethod
    def columns_changed(cls, columns: Sequence[str]) -> StateError:
        """Report frequency tables that do not merge: a column was added, renamed or retyped."""
        error = cls(
            f"the frequencies of {list_names(columns)} do not merge: some batches have other"
            " columns, or other types of these columns."
        )
        error.code = "columns_changed"
        return error

    @classmethod
    def of_several_kinds(cls, kinds: Sequence[str]) -> StateError:
        """Report states of one analyzer that different kinds of stores have kept."""
        listed = " and ".join(dict.fromkeys(kinds))
        error = cls(f"states of the kinds {listed} do not merge: measure all batches again.")
        error.code = "kinds_differ"
        return error

    @classmethod
    def values_hashed(cls) -> StateError:
        """Report a metric that shows values, and a table that has only their hashes."""
        error = cls("the values are needed, but only their hashes were stored.")
        error.code = "values_hashed"
        return error

    @classmethod
    def not_invertible(cls, analyzers: Sequence[str]) -> StateError:
        """Report states that cannot be subtracted from a total, such as a maximum."""
        return cls(
            f"states of {', '.join(analyzers)} cannot be subtracted: measure the batch again,"
            " or drop these metrics with partial=True."
        )

    @classmethod
    def too_large(cls, limit: int) -> StateError:
        """Report a frequency table that is too large for the driver."""
        return cls(
            f"a table of more than {limit:,} frequencies does not belong on the driver;"
            " keep it as a DataFrame."
        )

    @classmethod
    def too_many_counts(cls, limit: int) -> StateError:
        """Report a naive Bayes model that is too large for the driver."""
        return cls(
            f"a model of more than {limit:,} counts does not belong on the driver: the target or"
            " its inputs have too many distinct values. Use fewer buckets or fewer inputs."
        )


class NotComputableError(AssayError):
    """A metric is undefined for these values."""

    code = "not_computable"

    @classmethod
    def overflow(cls, column: str, type_name: str) -> NotComputableError:
        """Report a sum that exceeds the range of its type."""
        return cls(f"the sum of {column!r} overflows the largest {type_name.split('(')[0]}.")

    @classmethod
    def not_finite(cls) -> NotComputableError:
        """Report NaN or infinite values, which cannot be subtracted from a sum."""
        return cls(
            "a state with NaN or infinite values cannot be subtracted;"
            " merge the remaining states instead."
        )

    @classmethod
    def collated(cls, column: str) -> NotComputableError:
        """Report a collated column: hashes compare bytes and ignore the collation."""
        return cls(
            f"column {column!r} has a collation, and hashes ignore collations; use CountDistinct."
        )

    @classmethod
    def predicts_itself(cls, target: str, column: str) -> NotComputableError:
        """Report an input column that contains the target."""
        return cls(
            f"{target!r} cannot be predicted from {column!r}, which has the same values;"
            " remove it from the inputs."
        )

    @classmethod
    def unfit(cls, classifier: str, reason: str) -> NotComputableError:
        """Report a user's classifier that raised an exception."""
        return cls(f"{classifier} could not be fitted and tried: {reason}")

    @classmethod
    def per_segment(cls, analyzer: str) -> NotComputableError:
        """Report a metric that is defined for all rows only."""
        return cls(f"{analyzer} is not computed per segment; select the rows by `where`.")

    @classmethod
    def unlike(cls, value: object, reference: object) -> NotComputableError:
        """Report two aggregates that have no ratio."""
        return cls(
            f"{type_name(value)} {value!r} and {type_name(reference)} {reference!r} do not compare."
        )

    @classmethod
    def changed_type(cls, distance: str) -> NotComputableError:
        """Report two distributions of a column whose type changed."""
        return cls(f"{distance} is not computed: the type of the column changed meanwhile.")

    @classmethod
    def beyond_calendar(cls, column: str) -> NotComputableError:
        """Report a date that Python cannot represent."""
        return cls(f"column {column!r} holds a date outside the years 1 to 9999.")


class WatchError(AssayError):
    """A watched query has not delivered its metrics."""

    code = "nothing_watched"

    @classmethod
    def unseen(cls, seconds: float) -> WatchError:
        """Report a query that did not finish within the time limit."""
        return cls(
            f"no metrics arrived within {seconds:g} s: write or collect the watched `.df` once,"
            " to its end, before asking for the result."
        )


class StoreError(AssayError):
    """A store cannot be read or written."""

    code = "store"

    @classmethod
    def unusable(cls, store: object, error: Exception) -> StoreError:
        """Report a store that cannot be opened, read or written."""
        reason = getattr(error, "strerror", None) or str(error).removesuffix(".")
        return cls(f"the store {store} cannot be used: {reason}.")

    @classmethod
    def not_a_folder(cls, store: object) -> StoreError:
        """Report a store whose path is a file."""
        return cls(f"the store {store} cannot be used: expected a folder, got a file.")

    @classmethod
    def newer(cls, store: object, version: int, supported: int) -> StoreError:
        """Report a store that a newer version of Assay has written."""
        return cls(
            f"the store {store} has version {version}, this Assay knows versions up to {supported}:"
            " upgrade Assay, or use another store."
        )

    @classmethod
    def verdict_exists(cls, dataset: str, key: str, time: datetime) -> StoreError:
        """Report a verdict that would replace another: a stored verdict never changes."""
        return cls(
            f"batch {key!r} of {dataset} has another verdict of {time.isoformat()}: a stored"
            " verdict never changes. Add a verdict with a later time."
        )

    @classmethod
    def unknown_scheme(cls, url: str, schemes: Sequence[str]) -> StoreError:
        """Report a URL that no kind of store has."""
        start, separator, address = url.partition("://")
        shown = (
            f"{start}{separator}{address.rpartition('@')[2]}"  # a password stays out of messages
        )
        listed = " or ".join(f"{scheme}://" for scheme in schemes)
        expected = f"a folder or a URL with {listed}" if listed else "a folder"
        return cls(f"cannot open the store {shown}: expected {expected}.")

    @classmethod
    def not_in_quarantine(cls, dataset: str, key: str) -> StoreError:
        """Report a batch that is not in quarantine, or was delivered again meanwhile."""
        return cls(
            f"batch {key!r} of {dataset} is not in quarantine in this version. List the held"
            " batches, and decide on the current version."
        )
