"""Learn limits for the metrics of a batch from the history of a dataset (avh-kdd23).

The steps in order:

- `metric_history` loads the metrics of past batches; `kinds` lists the metrics.
- `stationary` removes drift and season, which `unit_root` tests for.
- `tail_bounds` bounds the false-alarm rate of limits; `metric_limit` lists candidate limits.
- `faults` lists typical faults; `fault_injection` computes their effect on the metrics.
- `greedy` chooses limits; `column_limits` and `table_limits` hold the chosen ones.
- `judge_limits` compares a batch with them; `one_row` ignores changes caused by one row.
- `drift` finds metrics that rise or fall a little in each batch.
- `approved_limits` stores the limits that a person approved; `as_checks` exports limits.
"""

from assay.learn.limits.approved_limits import approve, approved, withdraw
from assay.learn.limits.as_checks import to_python, to_yaml
from assay.learn.limits.column_limits import PAPER, ColumnLimits, Settings
from assay.learn.limits.metric_history import MetricHistory, load_metric_history
from assay.learn.limits.table_limits import (
    TableLimits,
    judge_batch,
    learn_stored_limits,
)

__all__ = [
    "PAPER",
    "ColumnLimits",
    "MetricHistory",
    "Settings",
    "TableLimits",
    "approve",
    "approved",
    "judge_batch",
    "learn_stored_limits",
    "load_metric_history",
    "to_python",
    "to_yaml",
    "withdraw",
]
