"""The judges: each compares a measured batch with what is expected, and returns findings.

One file per judge. `registry` lists them in the order in which their findings are shown.
"""

from assay.gate.judges.registry import JUDGES, Judge, judge_batch, register

__all__ = ["JUDGES", "Judge", "judge_batch", "register"]
