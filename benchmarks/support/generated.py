"""Generate the tables that the speed benchmarks read.

Spark writes each table once, the same on every machine. A value is a hash of the row's number and
the column's number: it depends neither on partitions nor on versions. Tables are kept as Parquet
(one also as CSV) in ``~/.cache/assay/benchmarks``.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.status import Status

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["CACHE", "comments", "groups", "orders", "orders_csv", "readings"]

CACHE = Path.home() / ".cache" / "assay" / "benchmarks"
_ROWS_PER_FILE = 2_500_000
_VERSION = 1


def orders(spark: SparkSession, folder: Path, rows: int, out: Console) -> Path:
    """Write orders of a shop: 20 columns of the types that most tables have."""
    return _write_once(
        spark, folder / f"orders-{rows}-v{_VERSION}.parquet", rows, _orders(rows), out
    )


def orders_csv(spark: SparkSession, folder: Path, rows: int, out: Console) -> Path:
    """Write the orders as CSV, where reading one column means reading all of them."""
    path = folder / f"orders-{rows}-v{_VERSION}.csv"
    if not (path / "_SUCCESS").exists():
        parquet = orders(spark, folder, rows, out)
        with _show_status(out, path):
            spark.read.parquet(str(parquet)).write.mode("overwrite").csv(str(path), header=True)
    return path


def readings(spark: SparkSession, folder: Path, rows: int, columns: int, out: Console) -> Path:
    """Write many numeric columns: integers, longs, doubles, decimals, some with nulls."""
    path = folder / f"readings-{rows}x{columns}-v{_VERSION}.parquet"
    return _write_once(spark, path, rows, _readings(columns), out)


def groups(spark: SparkSession, folder: Path, rows: int, out: Console) -> Path:
    """Write 18 columns: six each with few, some and many distinct values."""
    return _write_once(
        spark, folder / f"groups-{rows}-v{_VERSION}.parquet", rows, _groups(rows), out
    )


def comments(spark: SparkSession, folder: Path, rows: int, parts: int, out: Console) -> Path:
    """Write comments of a forum in `parts` partitions, as in differential-icde19, section V."""
    path = folder / f"comments-{rows}-in-{parts}-v{_VERSION}.parquet"
    return _write_once(spark, path, rows, _comments(rows, parts), out, by="part")


def _write_once(
    spark: SparkSession,
    path: Path,
    rows: int,
    columns: Mapping[str, str],
    out: Console,
    by: str | None = None,
) -> Path:
    if (path / "_SUCCESS").exists():
        return path
    shutil.rmtree(path, ignore_errors=True)
    files = math.ceil(rows / _ROWS_PER_FILE)
    with _show_status(out, path):
        numbers = spark.range(0, rows, numPartitions=max(2, files)).withColumnRenamed("id", "i")
        table = numbers.selectExpr(*(f"{sql} AS {name}" for name, sql in columns.items()))
        if by is not None:
            table = table.repartition(by)
        table.write.option("compression", "snappy").parquet(str(path), partitionBy=by)
    return path


def _show_status(out: Console, path: Path) -> Status:
    return out.status(f"writing {path.name}")


def _below(limit: int, seed: int) -> str:
    """SQL of an integer from 0 to `limit` - 1."""
    return f"pmod(xxhash64(i, {seed}), {limit}L)"


def _share(seed: int) -> str:
    """SQL of a double from 0 to 1, 1 excluded."""
    return f"(shiftrightunsigned(xxhash64(i, {seed}), 11) / 9007199254740992D)"


def _normal(seed: int) -> str:
    """SQL of a standard normal double (Box-Muller transform)."""
    return f"(sqrt(-2 * ln(1 - {_share(seed)})) * cos(2 * pi() * {_share(seed + 500)}))"


def _rarely(share: float, seed: int, odd: str, usual: str) -> str:
    """SQL that is `odd` in a share of the rows, otherwise `usual`."""
    return f"if({_share(seed)} < {share}, {odd}, {usual})"


def _one_of(seed: int, *values: str) -> str:
    literals = ", ".join(f"'{value}'" for value in values)
    return f"element_at(array({literals}), 1 + cast({_below(len(values), seed)} AS int))"


def _orders(rows: int) -> dict[str, str]:
    people = max(1, rows // 10)
    moment = f"timestamp_micros(1760000000000000 + {_below(10**12, 11)} * 10)"
    person = (
        f"concat('user', {_below(people, 2)}, '@', {_one_of(13, 'mail', 'post', 'web')}, '.com')"
    )
    sku = (
        f"concat(chr(65 + {_below(5, 16)}), chr(65 + {_below(2, 17)}), '-',"
        f" lpad({_below(5000, 18)}, 5, '0'))"
    )
    words = f"repeat('lorem ipsum ', 1 + cast({_below(6, 20)} AS int))"
    phone = f"concat('+49 ', {_below(900, 14)} + 100, ' ', {_below(9000000, 15)})"
    return {
        "order_id": "i",
        "customer_id": _below(people, 2),
        "store": f"cast({_below(500, 3)} AS int)",
        "quantity": f"cast(1 + {_below(50, 4)} AS int)",
        "amount": f"exp(3 + {_normal(5)})",
        "tax": f"cast(0.19 * exp(3 + {_normal(5)}) + {_share(6)} AS decimal(12,4))",
        "price": f"cast({_below(200000, 7)} / 100 AS decimal(10,2))",
        "discount": _rarely(0.3, 8, "NULL", _share(9)),
        "weight": f"abs(20 + 5 * {_normal(10)})",
        "latitude": f"{_share(21)} * 180 - 90",
        "longitude": f"{_share(22)} * 360 - 180",
        "ordered_on": f"cast({moment} AS date)",
        "ordered_at": moment,
        "shipped_at": _rarely(0.15, 12, "NULL", f"{moment} + INTERVAL 2 DAYS"),
        "status": _one_of(23, "new", "paid", "paid", "shipped", "shipped", "void", "lost"),
        "country": f"concat(chr(65 + {_below(8, 24)}), chr(65 + {_below(8, 25)}))",
        "sku": _rarely(0.001, 26, "'unknown'", sku),
        "email": _rarely(0.1, 27, "NULL", person),
        "phone": _rarely(0.02, 28, "'n/a'", phone),
        "comment": _rarely(0.4, 29, "NULL", words),
    }


def _comments(rows: int, parts: int) -> dict[str, str]:
    boards = max(10, rows // 400)
    # most comments are on few boards
    board = f"cast(pow({boards}, {_share(2)}) AS bigint)"
    return {
        "created_utc": f"1430438400 + {_below(14 * 86_400, 3)}",
        "week_day": f"cast({_below(7, 4)} AS int)",
        "controversiality": f"cast({_share(5)} < 0.02 AS int)",
        "ups": f"cast(exp(1.5 * {_normal(6)}) AS bigint)",
        "downs": "0L",
        "id": "concat('c', hex(i))",
        "name": "concat('t1_c', hex(i))",
        "subreddit_id": f"concat('t5_', hex({board}))",
        "link_id": f"concat('t3_', hex({_below(max(1, rows // 20), 7)}))",
        "subreddit": f"concat('board ', {board})",
        "author": f"concat('user', {_below(max(1, rows // 10), 8)})",
        "parent_id": f"concat('t1_', hex({_below(rows, 9)}))",
        "removal_reason": _rarely(0.99, 10, "NULL", "'legal'"),
        "part": f"cast({_below(parts, 11)} AS int)",
    }


def _readings(columns: int) -> dict[str, str]:
    kinds = (
        lambda s: f"cast({_below(1000, s)} AS int)",
        lambda s: _below(10**12, s),
        lambda s: f"1000 * {_share(s)}",
        lambda s: _rarely(0.1, s + 1000, "NULL", f"round(50 + 10 * {_normal(s)}, 2)"),
        lambda s: f"cast({_below(5_000_000, s)} / 100 AS decimal(12,2))",
    )
    return {f"c{n}": kinds[n % len(kinds)](10_000 + 7 * n) for n in range(columns)}


def _groups(rows: int) -> dict[str, str]:
    scales = {
        "low": (12, 30, 3, 100, 5, 300),
        "mid": (1_000, 3_000, 8_000, 20_000, 40_000, 60_000),
        "high": (rows // 4, rows // 2, rows, rows * 2, rows * 4, rows * 1_000),
    }
    kinds = (
        lambda n, s: f"cast({_below(n, s)} AS int)",
        lambda n, s: f"concat('k', {_below(n, s)})",
        lambda n, s: _rarely(0.05, s + 500, "NULL", f"concat('value ', {_below(n, s)})"),
        lambda n, s: _below(n, s),
        lambda n, s: _rarely(0.02, s + 500, "NULL", f"cast({_below(n, s)} AS decimal(18,2))"),
        lambda n, s: f"timestamp_seconds(1700000000 + {_below(n, s)})",
    )
    return {
        f"{scale}{n}": kinds[n](cardinality, 100 * k + n)
        for k, (scale, cardinalities) in enumerate(scales.items())
        for n, cardinality in enumerate(cardinalities)
    }
