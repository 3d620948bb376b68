"""Errors about files, tables, lakes and pattern indexes that cannot be read."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from assay.errors.base import AssayError, did_you_mean

__all__ = ["LakeError", "PatternIndexError", "SourceError"]


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
    def not_supported(cls, source: str, lacking: str) -> SourceError:
        """Report a package or setting that the session lacks to read a source."""
        error = cls.unreadable(source, lacking)
        error.code = "missing_package"
        return error

    @classmethod
    def bad_condition(cls, where: str, reason: object) -> SourceError:
        """Report a SQL condition that the rows of a source do not allow."""
        return cls(f"invalid condition `{where}`: {str(reason).rstrip('.…')}.")

    @classmethod
    def not_writable(cls, path: str, reason: object) -> SourceError:
        """Report a file that cannot be written."""
        return cls(f"{path} cannot be written: {str(reason).rstrip('.…')}.")

    @classmethod
    def no_batches(cls, source: str) -> SourceError:
        """Report a source without files."""
        return cls.unreadable(source, "it has no files: expected one file or folder per batch")

    @classmethod
    def several_batches(
        cls, source: str, keys: Collection[str], *, more: bool = False
    ) -> SourceError:
        """Report a source of several batches, or perhaps `more`, where one is expected."""
        *_, last = sorted(keys)
        number = f"{len(keys):,}{' or more' if more else ''}"
        return cls(
            f"{source} has {number} batches: expected one, such as {last!r}. Give its file or"
            " folder, choose its rows with --where, or state --batch for all of them."
        )

    @classmethod
    def no_batch_column(cls, source: str, columns: Collection[str]) -> SourceError:
        """Report a table whose batches no column is known to name."""
        listed = ", ".join(columns) or "none"
        return cls(
            f"cannot split {source} into batches: expected the column that names the batch of"
            f" each row, --by COLUMN. The columns are: {listed}."
        )

    @classmethod
    def same_batch(cls, key: str, first: str, second: str) -> SourceError:
        """Report two files with the same batch key."""
        return cls(f"{first} and {second} are both batch {key!r}: keep only one of them.")
