"""All exceptions that Assay raises.

Every exception derives from `AssayError`. Its `code` is stable and meant for programs. Its message
is meant for people and may change: it says what is wrong, what was expected and what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence

__all__ = [
    "AmbiguousColumnError",
    "AssayError",
    "CheckError",
    "JavaNotFoundError",
    "KeySyntaxError",
    "LakeError",
    "MissingDependencyError",
    "NotComputableError",
    "PatternIndexError",
    "SessionConflictError",
    "SourceError",
    "StateError",
    "StoreError",
    "SuiteError",
    "UnknownColumnError",
    "UnknownTableError",
    "VerificationError",
    "WatchError",
    "WrongTypeError",
    "did_you_mean",
    "nearest",
]


#: column names listed in an error; more would not fit on a screen
MAX_COLUMNS_LISTED = 12


def nearest(name: str, candidates: Collection[str]) -> str | None:
    """Return the candidate with the most similar spelling, or None if no candidate is close.

    Examples
    --------
    >>> nearest("amuont", ["id", "amount"])
    'amount'
    """
    by_lower_case = {candidate.lower(): candidate for candidate in candidates}
    matches = difflib.get_close_matches(name.lower(), by_lower_case, n=1, cutoff=0.6)
    return by_lower_case[matches[0]] if matches else None


def did_you_mean(name: str, candidates: Collection[str]) -> str:
    """Return the end of a sentence about an unknown name: a suggestion, or a full stop.

    Examples
    --------
    >>> did_you_mean("amuont", ["id", "amount"])
    "; did you mean 'amount'?"
    >>> did_you_mean("xyz", ["id", "amount"])
    '.'
    """
    guess = nearest(name, candidates)
    return f"; did you mean {guess!r}?" if guess else "."


def _listed(names: Sequence[str], limit: int = MAX_COLUMNS_LISTED) -> str:
    hidden = len(names) - limit
    return ", ".join(names[:limit]) + (f", … {hidden:,} more" if hidden > 0 else "")


def _type_name(value: object) -> str:
    return type(value).__name__


class AssayError(Exception):
    """Base class of all exceptions of Assay.

    Attributes
    ----------
    code : str
        Stable name of the reason, for programs. It is also the code of a `Problem`.
    """

    code: str = "error"


class MissingDependencyError(AssayError):
    """A required package is missing or too old."""

    code = "missing_dependency"

    @classmethod
    def absent(cls, package: str, *, extra: str) -> MissingDependencyError:
        """Report a package that is not installed, with the extra that installs it."""
        return cls(f"{package} is not installed: pip install 'spark-assay[{extra}]'.")

    @classmethod
    def too_old(
        cls, package: str, installed: str, *, needed: str, extra: str
    ) -> MissingDependencyError:
        """Report a package whose installed version is not supported."""
        return cls(
            f"{package} {installed} is too old, {needed} or newer is needed: "
            f"pip install --upgrade 'spark-assay[{extra}]'."
        )


class JavaNotFoundError(AssayError):
    """No Java installation was found that Spark can use."""

    code = "java_not_found"

    @classmethod
    def among(
        cls, candidates: Iterable[str], *, oldest: int, newest: int | None = None
    ) -> JavaNotFoundError:
        """Report the installations that were tried, each with the reason why it does not work."""
        versions = f"Java {oldest} or newer" if newest is None else f"Java {oldest} to {newest}"
        return cls(
            f"Spark needs {versions}, and none was found ({'; '.join(candidates)}): "
            "install one, set JAVA_HOME to it, or run pip install 'spark-assay[spark]', "
            "which brings one."
        )


class PatternIndexError(AssayError):
    """A pattern index cannot be read or merged."""

    code = "bad_pattern_index"


class LakeError(AssayError):
    """A lake (a folder or database of tables) cannot be read."""

    code = "bad_lake"

    @classmethod
    def missing(cls, path: str) -> LakeError:
        """Report a path that does not exist."""
        return cls(f"there is no lake at {path}: no such file or directory.")

    @classmethod
    def unlistable(cls, path: str, reason: str) -> LakeError:
        """Report a path whose files cannot be listed."""
        return cls(f"the files of the lake at {path!r} cannot be listed: {reason}")

    @classmethod
    def no_database(cls, name: str) -> LakeError:
        """Report a database that the catalog does not have."""
        return cls(f"the catalog has no database {name!r}.")

    @classmethod
    def stopped(cls, reason: str) -> LakeError:
        """Report an error that would repeat for every table, such as a lost session."""
        return cls(f"the lake cannot be read: {reason}")

    @classmethod
    def not_on_executors(cls) -> LakeError:
        """Report executors whose Python workers cannot import Assay."""
        return cls(
            "Assay is not installed on the Spark executors: install the same version in the"
            " Python environment of the workers."
        )


class SourceError(AssayError):
    """A path or table name cannot be read as a table."""

    code = "bad_source"

    @classmethod
    def missing(cls, source: str, siblings: Collection[str] = ()) -> SourceError:
        """Report a source that does not exist, with the most similar name in its folder."""
        hint = did_you_mean(source.rstrip("/").rpartition("/")[2], siblings)
        return cls(f"there is no file, directory or table {source!r}{hint}")

    @classmethod
    def not_a_table(cls, source: str, reason: str) -> SourceError:
        """Report a source that is something else, such as an HTML page."""
        return cls(f"{source} is not a table: {reason}.")

    @classmethod
    def mixed(cls, source: str, formats: Mapping[str, int]) -> SourceError:
        """Report a directory with files of several formats."""
        listed = ", ".join(f"{count:,} of {name}" for name, count in formats.items())
        return cls.not_a_table(
            source,
            f"its files are of several formats ({listed});"
            " give one file, a pattern such as 'dir/*.csv', or the --format",
        )

    @classmethod
    def unreadable(cls, source: str, reason: object) -> SourceError:
        """Report a source that exists and cannot be read."""
        return cls(f"{source} cannot be read: {str(reason).rstrip('.…')}.")

    @classmethod
    def same_batch(cls, key: str, first: str, second: str) -> SourceError:
        """Report two files with the same batch key."""
        return cls(f"{first} and {second} are both batch {key!r}: keep only one of them.")

    @classmethod
    def no_format(cls, source: str) -> SourceError:
        """Report a source whose format can be detected from neither name nor content."""
        return cls(f"the format of {source} cannot be detected: give it with --format.")


class SessionConflictError(AssayError):
    """A Spark session of another kind is already active in this process."""

    code = "session_conflict"

    @classmethod
    def classic_is_running(cls, url: str) -> SessionConflictError:
        """Report a request for Spark Connect while a classic session is active."""
        return cls(
            f"cannot connect to {url}: a classic Spark session is running in this process, and "
            "PySpark cannot mix the two; stop it first, or connect from another process."
        )


class UnknownColumnError(AssayError):
    """A column does not exist."""

    code = "unknown_column"

    @classmethod
    def of(
        cls, name: str, columns: Sequence[str], paths: Collection[str] = ()
    ) -> UnknownColumnError:
        """Report the missing column, the most similar name and the existing columns."""
        hint = did_you_mean(name, {*columns, *paths})
        return cls(f"no column {name!r}{hint} The columns are: {_listed(columns)}.")


class UnknownTableError(AssayError):
    """A table to compare with is missing or unusable."""

    code = "unknown_table"

    @classmethod
    def of(cls, name: str, tables: Sequence[str]) -> UnknownTableError:
        """Report a table that was not passed, with the names of those that were."""
        if not tables:
            return cls(
                f"no table {name!r} was given to compare with: reference_tables={{{name!r}: …}}."
            )
        hint = did_you_mean(name, tables)
        return cls(f"no table {name!r} was given{hint} Given are: {', '.join(tables)}.")

    @classmethod
    def no_frame(cls, name: str, value: object) -> UnknownTableError:
        """Report a value that is not a DataFrame."""
        package = type(value).__module__.partition(".")[0]
        actual = _type_name(value) if package == "builtins" else f"{package}.{_type_name(value)}"
        return cls(f"the table {name!r} must be a pyspark DataFrame, got {actual}.")

    @classmethod
    def other_session(cls, name: str) -> UnknownTableError:
        """Report a table of another Spark session: Spark cannot join across sessions."""
        return cls(
            f"the table {name!r} is of another Spark session; read it with the session of the"
            " DataFrame that it is compared with."
        )


class AmbiguousColumnError(AssayError):
    """Several columns have the same name."""

    code = "ambiguous_column"

    @classmethod
    def of(cls, name: str, candidates: Sequence[str]) -> AmbiguousColumnError:
        """Report the name and the columns that share it."""
        return cls(
            f"{len(candidates)} columns are called {name!r}"
            f" ({', '.join(candidates)}); rename all but one of them."
        )


class WrongTypeError(AssayError):
    """A column has a type that the analyzer or constraint does not support."""

    code = "wrong_type"

    @classmethod
    def of(
        cls, column: str, actual: str, consumer: str, families: Collection[str]
    ) -> WrongTypeError:
        """Report the column's type and the types that the consumer supports."""
        expected = ", ".join(sorted(families))
        return cls(f"column {column!r} is {actual}; {consumer} needs one of: {expected}.")

    @classmethod
    def unlike(
        cls, column: str, column_type: str, reference: str, reference_type: str
    ) -> WrongTypeError:
        """Report two columns whose types cannot be compared."""
        return cls(
            f"column {column!r} is {column_type} and {reference} is {reference_type},"
            " which do not compare; cast one of them."
        )


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
            " its inputs have too many distinct values; use fewer buckets or fewer inputs."
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
            f"{_type_name(value)} {value!r} and {_type_name(reference)} {reference!r}"
            " do not compare."
        )

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
        return cls(f"the store {store} cannot be used: {error}.")

    @classmethod
    def newer(cls, store: object, version: int, supported: int) -> StoreError:
        """Report a store that a newer version of Assay has written."""
        return cls(
            f"the store {store} has version {version}, this Assay knows versions up to {supported}:"
            " upgrade Assay, or use another store."
        )


class CheckError(AssayError):
    """A check or an argument is invalid."""

    code = "bad_check"


class SuiteError(AssayError):
    """A suite cannot be read or written.

    Attributes
    ----------
    problems : tuple of str
        One sentence per problem, with line and column where known.
    """

    code = "bad_suite"

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class VerificationError(AssayError):
    """A check failed; raised by `raise_for_failure` with the failed constraints."""

    code = "verification_failed"
