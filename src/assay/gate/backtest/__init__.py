"""Replay a history: judge each batch, in order, by the batches before it only."""

from assay.gate.backtest.replay import backtest, replay
from assay.gate.backtest.result import Backtest
from assay.gate.backtest.review import Review, ReviewPolicy

__all__ = ["Backtest", "Review", "ReviewPolicy", "backtest", "replay"]
