"""Assay keeps bad data out of Spark pipelines.

>>> from assay import Check
>>> Check("orders").is_complete("order_id").constraints[0].name
'is_complete(order_id)'
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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
    from assay.learn.suggest import Suggestion, Suggestions, suggest
    from assay.store import EmbeddedStore, MemoryStore, PostgresStore
    from assay.suite import GateSettings, Suite

__version__ = "0.2.0"

__all__ = [
    "AssayError",
    "Backtest",
    "Check",
    "Dataset",
    "EmbeddedStore",
    "Finding",
    "Gate",
    "GateSettings",
    "Level",
    "Measurement",
    "MemoryStore",
    "Metric",
    "Outcome",
    "Plan",
    "PostgresStore",
    "Profile",
    "Proposal",
    "Result",
    "Status",
    "Suggestion",
    "Suggestions",
    "Suite",
    "Verdict",
    "Watched",
    "analyzers",
    "evaluate",
    "local_session",
    "measure",
    "plan",
    "profile",
    "remote_session",
    "stream",
    "suggest",
    "verify",
    "watch",
]

#: where each name is; it is imported when it is first asked for, so that `assay --help` waits for
#: nothing that it does not show
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
    "assay.store": "EmbeddedStore MemoryStore PostgresStore",
    "assay.suite": "GateSettings Suite",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name == "analyzers":
        return import_module("assay.analyzers")
    if name not in _HOME:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOME[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
