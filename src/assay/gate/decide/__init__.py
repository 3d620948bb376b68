"""From problems to one decision: agreement, weak warnings, lasting changes, the team's budget."""

from assay.gate.decide.decide import decide, decision_of, require_agreement

__all__ = ["decide", "decision_of", "require_agreement"]
