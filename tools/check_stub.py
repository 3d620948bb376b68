"""Write the stub file of `Check`, with every method's whole signature.

`python -m tools.check_stub` writes it; a test compares it with the registry. Type checkers and
editors read it in place of the decorated methods.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

from assay.checks.constraint_method import ConstraintMethod, constraint_methods

PATH = Path(__file__).parents[1] / "src" / "assay" / "checks" / "check.pyi"
HEAD = """\
# Written by `python -m tools.check_stub`. Do not edit.
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, Self

from pyspark.sql.types import StructType

from assay.analyzers.analyzer import Analyzer
from assay.analyzers.distribution import DistanceName
from assay.analyzers.regex import Nulls
from assay.analyzers.schema import Schema
from assay.checks.applicability import Applicability
from assay.checks.assertions.expectation import Detector
from assay.checks.assertions.learned_pattern import PatternLearner
from assay.checks.assertions.proportion_test import Test
from assay.checks.builder import CheckBuilder, Columns
from assay.checks.code_lists import CodeStandard
from assay.checks.constraint import Constraint, Level
from assay.checks.constraint_method import Call
from assay.checks.constraint_options import On
from assay.checks.methods.lengths import LengthNulls
from assay.checks.methods.values import Closed
from assay.checks.pattern import Pattern
from assay.store.protocol import Scope

__all__ = ["Check"]

@dataclass(frozen=True, init=False)
class Check(CheckBuilder):
    def __init__(
        self,
        name: str,
        level: Level | Literal["error", "warning"] = ...,
        constraints: tuple[Constraint, ...] = (),
        recent: int = 0,
        calls: tuple[Call, ...] = (),
        *,
        on: On | None = None,
        row_filter: str | None = None,
    ) -> None: ...
    def applicable_to(
        self,
        schema: Schema | StructType,
        reference_tables: Mapping[str, Schema | StructType] | None = None,
    ) -> Applicability: ...
    def _repr_html_(self) -> str: ...
"""


def write_stub() -> str:
    """Return the text of the stub file."""
    methods = sorted(constraint_methods().values(), key=lambda method: method.name)
    return HEAD + "".join(line for method in methods for line in _write_method(method))


def _write_method(method: ConstraintMethod) -> Iterator[str]:
    yield f"    def {method.name}(\n        self,\n"
    previous: inspect.Parameter | None = None
    for parameter in method.signature.parameters.values():
        if _ends_positional_only(previous, parameter):
            yield "        /,\n"
        if _starts_keyword_only(previous, parameter):
            yield "        *,\n"
        stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
        default = "" if parameter.default is parameter.empty else f" = {_write(parameter.default)}"
        yield f"        {stars}{parameter.name}: {parameter.annotation}{default},\n"
        previous = parameter
    yield "    ) -> Self: ...\n"


def _write(default: object) -> str:
    """Return a default value as source code, with double quotes."""
    return f'"{default}"' if isinstance(default, str) else repr(default)


def _ends_positional_only(previous: inspect.Parameter | None, next_: inspect.Parameter) -> bool:
    kind = inspect.Parameter.POSITIONAL_ONLY
    return previous is not None and previous.kind is kind and next_.kind is not kind


def _starts_keyword_only(previous: inspect.Parameter | None, next_: inspect.Parameter) -> bool:
    if next_.kind is not inspect.Parameter.KEYWORD_ONLY:
        return False
    kinds = {inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_POSITIONAL}
    return previous is None or previous.kind not in kinds


if __name__ == "__main__":
    PATH.write_text(write_stub(), encoding="utf-8")
