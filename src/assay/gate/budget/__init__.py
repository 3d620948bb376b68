"""The false-alarm budget: its shares, its use so far, and its calibration."""

from assay.gate.budget.budget import Budget

__all__ = ["Budget"]
