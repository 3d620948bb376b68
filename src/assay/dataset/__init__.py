"""Recurring tables: verified batch by batch, known as a whole from what is remembered."""

from assay.dataset.dataset import Dataset
from assay.dataset.proposal import Proposal
from assay.dataset.streaming import MicroBatch, stream

__all__ = ["Dataset", "MicroBatch", "Proposal", "stream"]
