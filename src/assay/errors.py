"""Everything that Assay raises: one hierarchy, a code for machines, a sentence for people."""

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
    "nearest",
]


def nearest(name: str, known: Collection[str]) -> str | None:
    """The known name that looks most like this one, if any does."""
    folded = {each.lower(): each for each in known}
    found = difflib.get_close_matches(name.lower(), folded, n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def _named(value: object) -> str:
    return type(value).__name__


class AssayError(Exception):
    """The root of all errors of Assay; `code` names the reason for machines."""

    code: str = "error"


class MissingDependencyError(AssayError):
    """A package that this part of Assay needs is absent or too old."""

    code = "missing_dependency"

    @classmethod
    def absent(cls, package: str, *, extra: str) -> MissingDependencyError:
        """The package is not installed; the extra that brings it is named."""
        return cls(f"{package} is not installed: pip install 'assay[{extra}]'.")

    @classmethod
    def too_old(
        cls, package: str, found: str, *, needed: str, extra: str
    ) -> MissingDependencyError:
        """The package is installed in a version that is not supported."""
        return cls(
            f"{package} {found} is too old, {needed} or newer is needed: "
            f"pip install --upgrade 'assay[{extra}]'."
        )


class JavaNotFoundError(AssayError):
    """Spark needs a Java, and there is none that it can run on."""

    code = "java_not_found"

    @classmethod
    def among(
        cls, seen: Iterable[str], *, oldest: int, newest: int | None = None
    ) -> JavaNotFoundError:
        """No candidate was good enough; each is named with what is wrong with it."""
        wanted = f"Java {oldest} or newer" if newest is None else f"Java {oldest} to {newest}"
        return cls(
            f"Spark needs {wanted}, and none was found ({'; '.join(seen)}): "
            "install one, set JAVA_HOME to it, or pip install 'assay[spark]', which brings one."
        )


class PatternIndexError(AssayError):
    """An index of patterns that cannot be read, or cannot be added to another."""

    code = "bad_pattern_index"


class LakeError(AssayError):
    """A lake that cannot be read at all."""

    code = "bad_lake"

    @classmethod
    def missing(cls, path: str) -> LakeError:
        """There is nothing at its path."""
        return cls(f"there is no lake at {path}: no such file or directory.")

    @classmethod
    def unlistable(cls, path: str, reason: str) -> LakeError:
        """Its files cannot be told."""
        return cls(f"the files of the lake at {path!r} cannot be listed: {reason}")

    @classmethod
    def no_database(cls, name: str) -> LakeError:
        """The catalog does not have it."""
        return cls(f"the catalog has no database {name!r}.")

    @classmethod
    def stopped(cls, reason: str) -> LakeError:
        """What fails for one table of it would fail for all."""
        return cls(f"the lake cannot be read: {reason}")

    @classmethod
    def not_on_executors(cls) -> LakeError:
        """Python is run on the executors, and does not find Assay there."""
        return cls(
            "the executors have no Assay: install it where Spark's Python workers run, as it is"
            " installed here."
        )


class SourceError(AssayError):
    """A path or name that is no table, or one that cannot be read."""

    code = "bad_source"

    @classmethod
    def missing(cls, given: str, beside: Collection[str] = ()) -> SourceError:
        """There is nothing of that name; what lies beside it may be meant."""
        guess = nearest(given.rstrip("/").rpartition("/")[2], beside)
        hint = f"; did you mean {guess!r}?" if guess else "."
        return cls(f"there is no file, directory or table {given!r}{hint}")

    @classmethod
    def not_a_table(cls, given: str, reason: str) -> SourceError:
        """What it is instead."""
        return cls(f"{given} is not a table: {reason}.")

    @classmethod
    def mixed(cls, given: str, formats: Mapping[str, int]) -> SourceError:
        """A directory of several formats."""
        listed = ", ".join(f"{n} of {name}" for name, n in formats.items())
        return cls(
            f"{given} is not a table: its files are of several formats ({listed});"
            " give one file, a pattern such as 'dir/*.csv', or the --format."
        )

    @classmethod
    def unreadable(cls, given: str, reason: object) -> SourceError:
        """It is there, and cannot be read."""
        return cls(f"{given} cannot be read: {str(reason).rstrip('.…')}.")

    @classmethod
    def same_batch(cls, key: str, one: str, other: str) -> SourceError:
        """Two files of one key."""
        return cls(f"{one} and {other} are both batch {key!r}: leave one of them in the folder.")

    @classmethod
    def no_format(cls, given: str) -> SourceError:
        """Neither its name nor its bytes say what it is."""
        return cls(f"{given} does not say by its name what format it has: give its --format.")


class SessionConflictError(AssayError):
    """A session of another kind is already running in this process."""

    code = "session_conflict"

    @classmethod
    def classic_is_running(cls, url: str) -> SessionConflictError:
        """Spark Connect was asked for while a classic session is active."""
        return cls(
            f"cannot connect to {url}: a classic Spark session is running in this process, and "
            "PySpark cannot mix the two; stop it first, or connect from another process."
        )


class UnknownColumnError(AssayError):
    """A column that is not there."""

    code = "unknown_column"

    @classmethod
    def of(
        cls, name: str, columns: Sequence[str], paths: Collection[str] = ()
    ) -> UnknownColumnError:
        """The name asked for, and the one that was probably meant."""
        guess = nearest(name, {*columns, *paths})
        hint = f"; did you mean {guess!r}?" if guess else "."
        shown = ", ".join(columns[:12]) + (f", … {len(columns) - 12} more" if columns[12:] else "")
        return cls(f"no column {name!r}{hint} The columns are: {shown}.")


class UnknownTableError(AssayError):
    """A table to compare with that nobody has given."""

    code = "unknown_table"

    @classmethod
    def of(cls, name: str, given: Sequence[str]) -> UnknownTableError:
        """The name asked for, and what was given."""
        if not given:
            return cls(f"no table {name!r} was given to compare with: others={{{name!r}: …}}.")
        guess = nearest(name, given)
        hint = f"; did you mean {guess!r}?" if guess else "."
        return cls(f"no table {name!r} was given{hint} Given are: {', '.join(given)}.")

    @classmethod
    def no_frame(cls, name: str, found: object) -> UnknownTableError:
        """Something else was given in its place."""
        package = type(found).__module__.partition(".")[0]
        return cls(f"the table {name!r} is no DataFrame of Spark's: {package}.{_named(found)}.")

    @classmethod
    def other_session(cls, name: str) -> UnknownTableError:
        """Spark compares nothing across sessions."""
        return cls(
            f"the table {name!r} is of another Spark session; read it with the session of the"
            " DataFrame that it is compared with."
        )


class AmbiguousColumnError(AssayError):
    """A name that several columns have."""

    code = "ambiguous_column"

    @classmethod
    def of(cls, name: str, candidates: Sequence[str]) -> AmbiguousColumnError:
        """The name, and how many have it."""
        return cls(
            f"{len(candidates)} columns are called {name!r}"
            f" ({', '.join(candidates)}); rename all but one of them."
        )


class WrongTypeError(AssayError):
    """A column of a type that the question makes no sense for."""

    code = "wrong_type"

    @classmethod
    def of(cls, column: str, actual: str, asked: str, families: Collection[str]) -> WrongTypeError:
        """The column, its type, and the types that would do."""
        expected = ", ".join(sorted(families))
        return cls(f"column {column!r} is {actual}; {asked} needs one of: {expected}.")

    @classmethod
    def unlike(cls, ours: str, our_type: str, theirs: str, their_type: str) -> WrongTypeError:
        """Two columns whose values are never equal, or only by accident."""
        return cls(
            f"column {ours!r} is {our_type} and {theirs} is {their_type}, which do not compare;"
            " cast one of them."
        )


class KeySyntaxError(AssayError):
    """A text that is no analyzer's key."""

    code = "bad_key"

    @classmethod
    def of(cls, key: str, why: str, known: Collection[str]) -> KeySyntaxError:
        """The text, what is wrong with it, the nearest analyzer."""
        guess = nearest(key.partition("(")[0], known)
        hint = f"; did you mean {guess}?" if guess and not key.startswith(f"{guess}(") else ""
        return cls(f"{key!r} is not an analyzer's key: {why}{hint}")


class StateError(AssayError):
    """A state that cannot be read or merged."""

    code = "bad_state"

    @classmethod
    def not_a_state(cls, data: bytes) -> StateError:
        """Bytes that were not written by a state."""
        return cls(f"these {len(data)} bytes are not a state of Assay's.")

    @classmethod
    def unknown_kind(cls, kind: str, version: int) -> StateError:
        """A kind or version from a newer Assay."""
        return cls(
            f"a state of kind {kind!r}, version {version}, is not known here;"
            " it was written by a newer Assay: upgrade this one."
        )

    @classmethod
    def not_mergeable(cls, what: str, instead: str) -> StateError:
        """Two values that do not make one."""
        return cls(f"states of {what} do not merge; {instead}.")

    @classmethod
    def not_invertible(cls, analyzers: Sequence[str]) -> StateError:
        """States from which nothing can be taken out again."""
        return cls(
            f"nothing can be taken out of {', '.join(analyzers)}: measure the batch anew,"
            " or give them up for it with partial=True."
        )

    @classmethod
    def too_large(cls, limit: int) -> StateError:
        """A table of frequencies that does not belong on the driver."""
        return cls(
            f"a table of more than {limit:,} frequencies does not belong on the driver;"
            " keep it as a DataFrame."
        )

    @classmethod
    def too_many_counts(cls, limit: int) -> StateError:
        """A model that does not belong on the driver."""
        return cls(
            f"a model of more than {limit:,} counts does not belong on the driver: the target has"
            " too many values, or its inputs have; give it fewer buckets, or fewer inputs."
        )


class NotComputableError(AssayError):
    """A metric that these values do not have in this type."""

    code = "not_computable"

    @classmethod
    def overflow(cls, column: str, type_name: str) -> NotComputableError:
        """A sum beyond what the type holds."""
        return cls(f"the sum of {column!r} overflows the largest {type_name.split('(')[0]}.")

    @classmethod
    def not_finite(cls) -> NotComputableError:
        """NaN and infinities cannot be taken out of a sum again."""
        return cls(
            "a state with NaN or infinite values cannot be subtracted; recombine the others."
        )

    @classmethod
    def collated(cls, column: str) -> NotComputableError:
        """Spark hashes the bytes of a string, whatever its collation holds to be equal."""
        return cls(f"column {column!r} has a collation, which no hash respects; use CountDistinct.")

    @classmethod
    def predicts_itself(cls, target: str, column: str) -> NotComputableError:
        """An input that holds what is to be predicted."""
        return cls(f"{target!r} is not predicted from {column!r}, which is or holds the same.")

    @classmethod
    def unfit(cls, classifier: str, reason: str) -> NotComputableError:
        """A classifier of the user's that failed."""
        return cls(f"{classifier} could not be fitted and tried: {reason}")

    @classmethod
    def per_segment(cls, what: str) -> NotComputableError:
        """A metric of all rows, asked for by segment."""
        return cls(f"{what} is not computed per segment; select the rows by `where`.")

    @classmethod
    def unlike(cls, ours: object, theirs: object) -> NotComputableError:
        """Two aggregates that have no ratio."""
        return cls(f"{_named(ours)} {ours!r} and {_named(theirs)} {theirs!r} do not compare.")

    @classmethod
    def beyond_calendar(cls, column: str) -> NotComputableError:
        """A date outside the years 1 to 9999."""
        return cls(f"column {column!r} holds a date outside the years 1 to 9999.")


class WatchError(AssayError):
    """A watched query of which nothing is known."""

    code = "nothing_watched"

    @classmethod
    def unseen(cls, seconds: float) -> WatchError:
        """Nothing ran, or it failed."""
        return cls(
            f"nothing was seen within {seconds:g} s: write or collect the `.df` of what is watched"
            " (once, and to its end) before asking what it came to."
        )


class StoreError(AssayError):
    """A store that cannot be used, or not so."""

    code = "store"

    @classmethod
    def unusable(cls, folder: object, error: Exception) -> StoreError:
        """A folder that cannot be read or written, or that is no store."""
        return cls(f"the store {folder} cannot be used: {error}.")

    @classmethod
    def newer(cls, folder: object, found: int, known: int) -> StoreError:
        """A store that a newer Assay has written."""
        return cls(
            f"the store {folder} has version {found}, this Assay knows versions up to {known}:"
            " upgrade Assay, or use another store."
        )


class CheckError(AssayError):
    """A check that is not well formed."""

    code = "bad_check"


class SuiteError(AssayError):
    """A suite that cannot be read or written; `problems` has a sentence for each reason."""

    code = "bad_suite"

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class VerificationError(AssayError):
    """What `raise_for_failure` raises: the constraints that did not hold."""

    code = "verification_failed"
