"""Recurring tables: verify each batch, and the whole dataset from stored states."""

from assay.dataset.dataset import Dataset
from assay.dataset.proposal import Proposal
from assay.dataset.streaming import MicroBatch, stream

__all__ = ["Dataset", "MicroBatch", "Proposal", "stream"]
