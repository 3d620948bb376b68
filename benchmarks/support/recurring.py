"""The recurring data sets: their batches in order, and the incidents that their READMEs list."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from assay import Gate, MemoryStore, local_session
from assay.gate.measure_files import measure_files
from assay.gate.measured_batch import MeasuredBatch
from assay.io.batch_files import BatchFile
from assay.io.batch_names import key_of_path, time_in_name
from benchmarks.support.measured_batches import read_measured_batches, write_measured_batches
from tools.real_data import real_data_path

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["CASES", "Case", "measure_case", "start_session"]


@dataclass(frozen=True)
class Case:
    """A data set and the incidents that its README lists, by the beginning of the batch key."""

    name: str
    incidents: tuple[str, ...]
    #: incidents that ended with the next batch; all others stay as they are
    once: tuple[str, ...] = ()
    #: days that the README lists as disturbed, such as by a storm: neither good days nor incidents
    disturbed: tuple[str, ...] = ()
    #: days that the README lists as good but changed, such as by new columns
    changes: tuple[str, ...] = ()
    #: folders of batches, one after the other
    parts: tuple[str, ...] = ("batches",)
    #: by folder, the member of a JSON document that holds the table; "" for the document itself
    members: Mapping[str, str] = field(default_factory=dict)
    #: first and last batch of the sample with --quick, which contains an incident
    quick: tuple[str, str] | None = None


def _keys(text: str) -> tuple[str, ...]:
    return tuple(text.split())


CASES = (
    # a storm is not an error of the data: in `benchmarks.incidents`, these holds count as false
    Case("nycflights13_daily", (), disturbed=_keys("2013-02-08 2013-02-09")),
    Case("online_retail_by_day", ()),
    Case("ourairports_regions", _keys("2022-06-24 2025-01-31"), _keys("2025-01-31")),
    Case("jhu_us_daily", _keys("2020-08-28 2020-11-09 2021-03-07"),
         quick=("2020-07-25", "2020-09-03")),
    Case(
        "jhu_global_daily",
        _keys(
            "2020-03-01 2020-03-22 2020-05-29 2020-11-09 2020-01-23 2020-01-31 2020-02-02"
            " 2020-03-23 2020-03-28 2020-03-31 2020-04-02 2020-04-04 2020-04-06"
        ),
        _keys("2020-04-02 2020-04-04 2020-04-06"),
    ),
    Case(
        "covid_tracking_states",
        # 2021-03-07 brought the last new values; 2021-03-16 is the first batch that repeats most
        _keys(
            "2020-08-17 2020-03-11 2020-03-12 2020-03-20 2020-03-21 2020-03-26 2020-03-27"
            " 2020-03-30 2020-04-02 2020-04-24 2020-06-02 2020-06-10 2020-07-08 2020-08-14"
            " 2020-08-25 2020-09-18 2020-10-05 2020-10-16 2021-02-15 2021-02-23 2021-03-16"
        ),
        _keys("2020-08-17"),
    ),
    Case(
        "hhs_hospital_utilization",
        # these include byte-order marks that appear and disappear
        _keys(
            "2022-11-19 2022-12-10 2020-08-02T2335 2020-11-22T1834 2020-07-20T2009 2020-07-30T0129"
            " 2020-07-30T2341 2020-07-31 2020-08-01 2020-08-03 2021-04-03"
        ),
        _keys("2022-11-19 2022-12-10 2020-08-02T2335 2020-11-22T1834"),
        # new columns; those of 2020-07-30 and 2021-04-03 come with an incident
        changes=_keys(
            "2020-09-02 2020-09-08 2020-11-15 2020-11-18 2021-04-29 2021-06-30 2021-09-14"
            " 2021-09-20 2022-04-28"
        ),
    ),
    # two feeds: the second one has a new name and other fields
    Case(
        "ca_fires",
        _keys("2021-09-02 2023-03-04 2023-06-28 2023-07-12 2024-07-28"),
        _keys("2023-03-04 2024-07-28"),
        parts=("batches", "v2_batches"),
        members={"batches": "AllYearIncidents", "v2_batches": ""},
        quick=("2022-11-01", "2023-07-17"),
    ),
    # `benchmarks.novelty` covers its dirty version
    Case("fbposts", (), parts=("clean",)),
)  # fmt: skip


def measure_case(
    case: Case,
    spark: SparkSession | None,
    within: tuple[str, str] | None = None,
    cache: Path | None = None,
    by: str | None = None,
) -> list[MeasuredBatch]:
    """Measure the batches of a data set, or read them from the cache.

    Parameters
    ----------
    spark
        A session. It is not needed for a data set in the cache.
    within
        The first and the last batch. All by default.
    cache
        Folder in which measured batches are kept. It knows nothing of changes of the analyzers or
        of the reader: delete it after such a change.
    by
        The column that splits the batches into segments.
    """
    path = _cache_path(case, within, cache, by)
    if path is not None and path.exists():
        return list(read_measured_batches(path))
    assert spark is not None
    gate = Gate(case.name, MemoryStore(), by=by)
    with tempfile.TemporaryDirectory() as folder:
        files = list(_files_of(case, within, Path(folder)))
        measured = measure_files(gate.spec, spark, files)
    if path is not None:
        write_measured_batches(path, measured)
    return measured


def start_session(
    cases: Sequence[Case], cache: Path | None, *, quick: bool = False
) -> SparkSession | None:
    """Start a session, unless the cache has all data sets."""
    paths = [_cache_path(case, case.quick if quick else None, cache) for case in cases]
    if all(path is not None and path.exists() for path in paths):
        return None
    return local_session("assay-benchmark")


def _cache_path(
    case: Case, within: tuple[str, str] | None, cache: Path | None, by: str | None = None
) -> Path | None:
    if cache is None:
        return None
    split = () if by is None else (f"by_{quote(by, safe='')}",)
    return cache / ("_".join((case.name, *(within or ()), *split)) + ".jsonl.gz")


def _files_of(case: Case, within: tuple[str, str] | None, folder: Path) -> Iterator[BatchFile]:
    for part in case.parts:
        files = _list_files(real_data_path("recurring", case.name, part))
        if within is not None:
            first, last = within
            files = [file for file in files if first <= file.key <= last]
        member = case.members.get(part)
        yield from files if member is None else _extract_records(files, member, folder)


def _list_files(folder: Path) -> list[BatchFile]:
    """List the batches of a folder, one per file, oldest first.

    Files without a time in their names are a day apart, in the order of the names.
    """
    days = (datetime(2000, 1, 1, tzinfo=UTC) + timedelta(days=day) for day in count())
    files = [
        BatchFile(key_of_path(path, is_folder=False), time_in_name(path.name) or day, path)
        for path, day in zip(sorted(folder.iterdir()), days, strict=False)
    ]
    return sorted(files, key=lambda file: (file.time, file.key))


def _extract_records(files: Sequence[BatchFile], member: str, folder: Path) -> Iterator[BatchFile]:
    """Write the records of JSON documents as JSON lines. Empty files stay empty."""
    for file in files:
        data = gzip.decompress(file.path.read_bytes())
        path = folder / file.path.name.removesuffix(".gz")
        if data.strip():
            document = json.loads(data)
            records = document[member] if member else document
            data = "".join(json.dumps(record) + "\n" for record in records).encode() or b"[]"
        path.write_bytes(data)
        yield BatchFile(file.key, file.time, path)
