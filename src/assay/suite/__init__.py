"""A dataset's checks as a file: suites in YAML, their schema."""

from assay.suite.settings import DetectorSettings, GateSettings
from assay.suite.suite import Suite
from assay.suite.target import Target

__all__ = ["DetectorSettings", "GateSettings", "Suite", "Target"]
