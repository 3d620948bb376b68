"""Tables of frequencies as Parquet, under any path that Spark can write.

A table is written under a name that nobody has seen yet, and counts only once the store refers to
it: a writer that dies leaves files that nothing refers to, never half a table.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from assay.analyzers.frequencies import GroupKey
from assay.engine.groupings import FrequencyTable
from assay.engine.session import active_session, local_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Tables"]


@dataclass(frozen=True)
class Tables:
    """The folder of a store's tables."""

    root: str

    def write(self, tables: Iterable[FrequencyTable]) -> dict[int, str]:
        """Write each table once, and name what refers to it, by the table's identity."""
        written: dict[int, str] = {}
        for table in tables:
            if id(table) not in written:
                name = uuid.uuid4().hex
                if table.frames:
                    table.frame().write.parquet(f"{self.root}/{name}")
                keys = [asdict(key) for key in table.keys]
                reference = {"table": name if table.frames else None, "keys": keys}
                written[id(table)] = json.dumps(reference)
        return written

    def read(self, reference: str, spark: SparkSession | None = None) -> FrequencyTable:
        """The table that a reference names."""
        parsed = json.loads(reference)
        keys = tuple(GroupKey(**key) for key in parsed["keys"])
        if parsed["table"] is None:
            return FrequencyTable(keys, ())
        session = spark or active_session() or local_session()
        return FrequencyTable(keys, (session.read.parquet(f"{self.root}/{parsed['table']}"),))
