"""Name the package or the setting that a session lacks to read a path or a format.

>>> missing_connector("orders", "delta", "[DATA_SOURCE_NOT_FOUND] Failed to find delta")
'the session cannot read the format delta: add io.delta:delta-spark to spark.jars.packages'
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["missing_connector"]

_NO_CLASS = re.compile(
    r"ClassNotFoundException|NoClassDefFoundError|No FileSystem for scheme|UNSUPPORTED_FILE_SYSTEM"
    r"|UnsupportedFileSystem|DATA_SOURCE_NOT_(?:FOUND|ENABLED)|Failed to find (?:the )?data source",
    re.IGNORECASE,
)
_NO_ACCESS = re.compile(
    r"NoA(?:uth|ws)|no aws credentials|NoAuthWithAWS|AccessDenied|Access Denied|\b40[13]\b"
    r"|Anonymous caller|access token|Failure to initialize configuration|AuthorizationFailure",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/")


@dataclass(frozen=True, slots=True)
class _Connector:
    """The package of a file system or format, and the setting with its credentials."""

    package: str
    setting: str = ""


_S3 = _Connector("org.apache.hadoop:hadoop-aws", "spark.hadoop.fs.s3a.access.key and .secret.key")
_AZURE = _Connector("org.apache.hadoop:hadoop-azure", "spark.hadoop.fs.azure.account.key.ACCOUNT")
_FILE_SYSTEMS = {
    "s3a": _S3,
    "gs": _Connector(
        "com.google.cloud.bigdataoss:gcs-connector",
        "spark.hadoop.google.cloud.auth.service.account.json.keyfile",
    ),
    "abfs": _AZURE,
    "abfss": _AZURE,
    "wasb": _AZURE,
    "wasbs": _AZURE,
}
_FORMATS = {
    "delta": _Connector("io.delta:delta-spark"),
    "iceberg": _Connector("org.apache.iceberg:iceberg-spark-runtime"),
    "hudi": _Connector("org.apache.hudi:hudi-spark-bundle"),
    "avro": _Connector("org.apache.spark:spark-avro"),
    "xml": _Connector("com.databricks:spark-xml"),
}


def missing_connector(source: str, format_name: str | None, error: str) -> str | None:
    """Return what a session lacks, from the text of Spark's error; None if it is something else.

    Notes
    -----
    The package has the version of the session's Scala, and of its Hadoop or Spark.
    """
    match = _SCHEME.match(source)
    scheme = "" if match is None else match[1].lower()
    if scheme in ("http", "https", "ftp") and _NO_CLASS.search(error):
        return f"Spark does not read {scheme}://: download the file and give its path"
    if scheme in ("s3", "s3n") and _NO_CLASS.search(error):
        return f"Spark reads S3 as s3a://: write s3a://{source.partition('://')[2]}"
    connector = _FORMATS.get(format_name or "")
    if connector is not None and _NO_CLASS.search(error):
        return (
            f"the session cannot read the format {format_name}:"
            f" add {connector.package} to spark.jars.packages"
        )
    connector = _FILE_SYSTEMS.get(scheme)
    if connector is None:
        return None
    if _NO_CLASS.search(error):
        return (
            f"the session has no connector for {scheme}://:"
            f" add {connector.package} to spark.jars.packages"
        )
    if _NO_ACCESS.search(error):
        return f"access to {scheme}:// is refused: set {connector.setting}"
    return None
