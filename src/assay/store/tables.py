"""How a store refers to tables of frequencies: by the names of their files under one path."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from assay.analyzers.frequencies import GroupKey
from assay.engine.frequency_table import FrequencyTable, TableFile, write_table

__all__ = ["Tables"]

#: what lies in more files is written anew as one
_MOST_FILES = 16


@dataclass(frozen=True)
class Tables:
    """The path of a store's tables, which any Spark that uses the store can read and write."""

    root: str

    def write(
        self, tables: Iterable[FrequencyTable], *, most_files: int = _MOST_FILES
    ) -> dict[int, str]:
        """What refers to each table, by its identity.

        Tables that are nowhere yet, or in more files than these, are written.
        """
        references: dict[int, str] = {}
        for table in tables:
            if id(table) not in references:
                scattered = len(table.files) > most_files
                kept = write_table(table, self.root) if scattered or self._strange(table) else table
                references[id(table)] = json.dumps(
                    {
                        "keys": [asdict(key) for key in kept.keys],
                        "files": [
                            [
                                file.path.removeprefix(self.root + "/"),
                                file.schema,
                                file.sign,
                                file.groups,
                            ]
                            for file in kept.files
                        ],
                    }
                )
        return references

    def read(self, reference: str) -> FrequencyTable:
        """The table that a reference names; nothing is read until it is asked."""
        parsed = json.loads(reference)
        keys = tuple(GroupKey(**key) for key in parsed["keys"])
        files = (TableFile(f"{self.root}/{path}", *rest) for path, *rest in parsed["files"])
        return FrequencyTable(keys, (), tuple(files))

    def names(self, reference: str) -> set[str]:
        """The names under the path that a reference needs."""
        return {path.partition("/")[0] for path, *_ in json.loads(reference)["files"]}

    def _strange(self, table: FrequencyTable) -> bool:
        elsewhere = any(not file.path.startswith(self.root + "/") for file in table.files)
        return bool(table.frames) or elsewhere
