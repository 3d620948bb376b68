"""Demands listed under what speaks for each: a check as code that runs, or as part of a suite."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from assay.checks.codegen.yaml_values import flow
from assay.checks.formatting import one_line

__all__ = ["python_of", "yaml_of"]


def python_of(name: str, demands: Iterable[tuple[str, str]]) -> str:
    """A check in Python; demands are pairs of a remark and a call, which may be empty.

    >>> print(python_of("orders", [("no nulls in 100 rows", '.is_complete("id")')]))
    from assay import Check
    <BLANKLINE>
    orders = (
        Check("orders")
        # no nulls in 100 rows
        .is_complete("id")
    )
    <BLANKLINE>
    """
    code = "\n".join(f"    {line}" for line in _lines(demands))
    needs = ["from assay import Check"]
    if "timedelta(" in code:
        needs.insert(0, "from datetime import timedelta\n")
    variable = name if name.isidentifier() else "suggested"
    start = f"{variable} = (\n    Check({json.dumps(name, ensure_ascii=False)})"
    return "\n".join([*needs, "", start, *([code] if code else []), ")", ""])


def yaml_of(name: str, demands: Iterable[tuple[str, str]]) -> str:
    """A suite of the dataset of this name; demands are pairs of a remark and an entry of a list."""
    lines = list(_lines(demands))
    listed = any(not line.startswith("#") for line in lines)
    head = [
        "version: 1",
        f"dataset: {flow(name)}",
        "checks:",
        f"  - name: {flow(name)}",
        "    constraints:" if listed else "    constraints: []",
    ]
    return "\n".join([*head, *(f"      {line}" for line in lines), ""])


def _lines(demands: Iterable[tuple[str, str]]) -> Iterator[str]:
    for remark, demand in demands:
        yield f"# {one_line(remark)}"
        if demand:
            yield demand
