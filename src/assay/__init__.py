"""Assay keeps bad data out of Spark pipelines.

>>> from assay import Check
>>> Check("orders").is_complete("order_id").constraints[0].name
'is_complete(order_id)'
"""

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
from assay.learn.profile import Profile, profile
from assay.learn.suggest import Suggestion, Suggestions, suggest
from assay.store import EmbeddedStore, MemoryStore, PostgresStore
from assay.suite import GateSettings, Suite

__version__ = "0.1.0"

__all__ = [
    "AssayError",
    "Check",
    "Dataset",
    "EmbeddedStore",
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
