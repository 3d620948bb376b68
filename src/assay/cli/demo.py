"""`assay demo`: what it looks like."""

from __future__ import annotations

import tempfile
from pathlib import Path

from assay.cli.options import Manner, Session
from assay.cli.output import console
from assay.cli.session import started
from assay.demo import flights, tell

__all__ = ["run"]


def run(manner: Manner, session: Session) -> None:
    """Tell the story of two weeks of flights."""
    with started(session, manner) as spark:
        tell(console(), flights(spark), Path(tempfile.mkdtemp(prefix="assay-demo-")))
