"""Make a gate from the options of a command."""

from __future__ import annotations

from assay.cli.gate_options import BackfillOptions, BacktestOptions, GateOptions
from assay.gate.gate import Gate
from assay.store import Store
from assay.suite import Suite

__all__ = ["create_gate"]


def create_gate(
    dataset: str, store: Store, options: GateOptions | BackfillOptions | BacktestOptions
) -> Gate:
    """Return the gate of a dataset with the suite and the settings of the options."""
    suite = () if options.suite is None else Suite.read(options.suite)
    if isinstance(options, BackfillOptions):
        return Gate(dataset, store, suite, by=options.segment_by)
    patterns = None if options.index is None else str(options.index)
    return Gate(
        dataset,
        store,
        suite,
        budget=options.budget,
        share_false=options.share_false,
        judges=options.judge,
        exclude=options.exclude,
        metrics=options.metric,
        patterns=patterns,
        by=options.segment_by,
    )
