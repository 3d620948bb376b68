"""A dataset's checks as a file: suites in YAML, their schema."""

from assay.suite.settings import GateSettings
from assay.suite.suite import Suite
from assay.suite.target import Target

__all__ = ["GateSettings", "Suite", "Target"]
