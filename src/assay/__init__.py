"""Assay keeps bad data out of Spark pipelines.

>>> from assay import Check
>>> Check("orders").is_complete("order_id").constraints[0].name
'is_complete(order_id)'
"""

from assay import analyzers
from assay.checks import Check, Level, Outcome, Result, Status, verify
from assay.engine import Measurement, Metric, Plan, local_session, measure, plan, remote_session
from assay.errors import AssayError

__version__ = "0.1.0"

__all__ = [
    "AssayError",
    "Check",
    "Level",
    "Measurement",
    "Metric",
    "Outcome",
    "Plan",
    "Result",
    "Status",
    "analyzers",
    "local_session",
    "measure",
    "plan",
    "remote_session",
    "verify",
]
