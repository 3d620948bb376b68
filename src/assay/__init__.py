"""Assay keeps bad data out of Spark pipelines.

>>> from assay import Check
>>> Check("orders").is_complete("order_id").constraints[0].name
'is_complete(order_id)'
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from assay.version import __version__ as __version__

if TYPE_CHECKING:
    from assay import analyzers
    from assay.checks import Check, Level, Outcome, Result, Status, evaluate, verify
    from assay.dataset import Dataset, Proposal, stream
    from assay.engine import (
        Measurement,
        Metric,
        Plan,
        Watched,
        local_session,
        measure,
        plan,
        remote_session,
        watch,
    )
    from assay.errors import AssayError
    from assay.gate import Backtest, Finding, Gate, Verdict
    from assay.learn.profile import Profile, profile
    from assay.learn.suggest import Suggestion, Suggestions
    from assay.learn.suggest.suggest import suggest
    from assay.report import Report, report_of, result_html, to_junit
    from assay.report.comparison import TableComparison, compare
    from assay.report.notify import Notice, notify
    from assay.store import (
        Batch,
        Decision,
        EmbeddedStore,
        MarkKind,
        MemoryStore,
        PostgresStore,
        open_store,
    )
    from assay.suite import DetectorSettings, GateSettings, Suite, Target


__all__ = [
    "AssayError",
    "Backtest",
    "Batch",
    "Check",
    "Dataset",
    "Decision",
    "DetectorSettings",
    "EmbeddedStore",
    "Finding",
    "Gate",
    "GateSettings",
    "Level",
    "MarkKind",
    "Measurement",
    "MemoryStore",
    "Metric",
    "Notice",
    "Outcome",
    "Plan",
    "PostgresStore",
    "Profile",
    "Proposal",
    "Report",
    "Result",
    "Status",
    "Suggestion",
    "Suggestions",
    "Suite",
    "TableComparison",
    "Target",
    "Verdict",
    "Watched",
    "analyzers",
    "compare",
    "evaluate",
    "local_session",
    "measure",
    "notify",
    "open_store",
    "plan",
    "profile",
    "remote_session",
    "report_of",
    "result_html",
    "stream",
    "suggest",
    "to_junit",
    "verify",
    "watch",
]

#: the module of each name; names are imported at their first use, so that `import assay` and
#: `assay --help` load neither pyspark nor numpy
_HOMES = {
    "assay.checks": "Check Level Outcome Result Status evaluate verify",
    "assay.dataset": "Dataset Proposal stream",
    "assay.engine": (
        "Measurement Metric Plan Watched local_session measure plan remote_session watch"
    ),
    "assay.errors": "AssayError",
    "assay.gate": "Backtest Finding Gate Verdict",
    "assay.learn.profile": "Profile profile",
    "assay.learn.suggest": "Suggestion Suggestions suggest",
    "assay.report": "Report report_of result_html to_junit",
    "assay.report.comparison": "TableComparison compare",
    "assay.report.notify": "Notice notify",
    "assay.store": "Batch Decision EmbeddedStore MarkKind MemoryStore PostgresStore open_store",
    "assay.suite": "DetectorSettings GateSettings Suite Target",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name == "analyzers":
        return import_module("assay.analyzers")
    if name not in _HOME:
        # Python suggests the nearest name of the module
        message = f"module 'assay' has no attribute {name!r}"
        raise AttributeError(message, name=name, obj=sys.modules[__name__])
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
