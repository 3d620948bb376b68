"""The decision: every batch is judged by all, and let in, warned of, or held (novelty-edbt21, 1).

`gate` is the whole. `columns` judges the schema, `judges` are the others, `knowledge` is what they
learn from; a `finding` is what one noticed, `causes`, `explanation` and `segments` say why and
where, `reproduction` how to see it; a `verdict` is what becomes of the batch, `quarantine` where
held ones wait, and `backtest` replays a history.
"""

from assay.gate.backtest import Backtest
from assay.gate.finding import Finding
from assay.gate.gate import Gate
from assay.gate.quarantine import Held, Quarantine
from assay.gate.verdict import Verdict

__all__ = ["Backtest", "Finding", "Gate", "Held", "Quarantine", "Verdict"]
