"""Measure DataFrames: plan the passes, run them, create states and metrics.

`passes` has one module for each kind of pass. Only this package and the ones above it use Spark.
"""

from assay.engine.frame import schema_of
from assay.engine.measure import measure
from assay.engine.measurement import Measurement, Metric
from assay.engine.plan import Plan, plan, plan_for
from assay.engine.session import local_session, remote_session
from assay.engine.watch import Watched, watch

__all__ = [
    "Measurement",
    "Metric",
    "Plan",
    "Watched",
    "local_session",
    "measure",
    "plan",
    "plan_for",
    "remote_session",
    "schema_of",
    "watch",
]
