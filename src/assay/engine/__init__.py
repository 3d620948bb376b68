"""How it is computed: plans, scans, groupings. Spark lives here."""

from assay.engine.measure import measure, plan_for
from assay.engine.measurement import Measurement, Metric
from assay.engine.plan import Plan, plan
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
    "watch",
]
