"""The history before a batch, from which the judges learn."""

from assay.gate.history.gate_history import WINDOW, GateHistory, calendar_time
from assay.gate.history.load import load_history
from assay.gate.history.schemas import load_last_schema, load_schema

__all__ = [
    "WINDOW",
    "GateHistory",
    "calendar_time",
    "load_history",
    "load_last_schema",
    "load_schema",
]
