"""Arguments that every constraint method takes: bounds, rows, level, hint, id and scope."""

from __future__ import annotations

from typing import Literal

from assay.checks.assertions.bounds import Bounds

__all__ = ["On", "Options"]

#: The scope of a constraint of a dataset: each new batch, the whole dataset with it, or both.
On = Literal["batch", "whole", "both"]


class Options(Bounds, total=False):
    """The common arguments of constraint methods. An argument that is None counts as absent."""

    where: str | None
    level: str | None
    hint: str
    id: str
    on: On
