"""The gate: measure a batch, judge it, and accept, warn or hold (novelty-edbt21, section 1).

`submit` shows a batch's way from top to bottom. Its steps are modules of the same names:
`context` (load), `measure_many`, `judges`, `diagnose`, `decide`. `verdict` is the result,
`quarantine` keeps held batches, `backtest` and `backfill` use the same steps.
"""

from assay.gate.backtest import Backtest
from assay.gate.context import BatchContext
from assay.gate.finding import Finding
from assay.gate.gate import Gate
from assay.gate.measured_batch import MeasuredBatch
from assay.gate.mutes import Mute, load_mutes, mute, unmute
from assay.gate.problem import Problem
from assay.gate.quarantine import HeldBatch, Quarantine
from assay.gate.verdict import BatchHeldError, Verdict

__all__ = [
    "Backtest",
    "BatchContext",
    "BatchHeldError",
    "Finding",
    "Gate",
    "HeldBatch",
    "MeasuredBatch",
    "Mute",
    "Problem",
    "Quarantine",
    "Verdict",
    "load_mutes",
    "mute",
    "unmute",
]
