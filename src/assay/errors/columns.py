"""Errors about columns, their types, and tables to compare with."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from assay.errors.base import AssayError, did_you_mean, list_names, type_name

__all__ = ["AmbiguousColumnError", "UnknownColumnError", "UnknownTableError", "WrongTypeError"]


class UnknownColumnError(AssayError):
    """A column does not exist."""

    code = "unknown_column"

    @classmethod
    def of(
        cls, name: str, columns: Sequence[str], paths: Collection[str] = ()
    ) -> UnknownColumnError:
        """Report the missing column, the most similar name and the existing columns."""
        hint = did_you_mean(name, {*columns, *paths})
        return cls(f"no column {name!r}{hint} The columns are: {list_names(columns)}.")


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
        actual = type_name(value) if package == "builtins" else f"{package}.{type_name(value)}"
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
