"""A program as a document that JSON can hold, and back.

>>> program = Program("age", (), Settings(), 0.01, 30)
>>> read(written(program)) == program
True
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from assay.errors import CheckError
from assay.learn.history.bounds import Interval
from assay.learn.history.constraint import Constraint, LeftOut
from assay.learn.history.kinds import kind_of
from assay.learn.history.program import Program, Settings
from assay.learn.history.stationary import Transformation

__all__ = ["read", "written"]


def written(program: Program) -> dict[str, Any]:
    """The program in numbers, strings, lists and dictionaries."""
    found = asdict(program)
    return {**found, "constraints": list(found["constraints"]), "left_out": list(found["left_out"])}


def read(document: Mapping[str, Any]) -> Program:
    """The inverse of `written`; a metric that is not registered is an error."""
    try:
        return Program(
            **{
                **document,
                "settings": Settings(**document["settings"]),
                "constraints": tuple(map(_constraint, document["constraints"])),
                "left_out": tuple(LeftOut(**each) for each in document["left_out"]),
            }
        )
    except (KeyError, TypeError) as error:
        raise CheckError(f"this is no program of a column: {error}.") from error


def _constraint(document: Mapping[str, Any]) -> Constraint:
    kind_of(document["metric"])
    return Constraint(
        **{
            **document,
            "interval": Interval(**document["interval"]),
            "transformation": Transformation(**document["transformation"]),
        }
    )
