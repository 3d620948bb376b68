"""The judges. Each compares a measured batch with its expectations, and returns findings.

One file per judge. `registry` lists them.
"""

from assay.gate.judges.registry import JUDGES, Judge, judge_batch, register_judge

__all__ = ["JUDGES", "Judge", "judge_batch", "register_judge"]
