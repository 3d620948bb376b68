"""Write a check as a Python program or a YAML suite, with a comment above each constraint."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from assay.checks.codegen.yaml_values import flow
from assay.checks.formatting import one_line

__all__ = ["python_of", "yaml_of"]


def python_of(name: str, constraints: Iterable[tuple[str, str]]) -> str:
    """Return a check as a Python program.

    Parameters
    ----------
    name
        Name of the check.
    constraints
        Pairs of a comment and a call. A call may be empty: then only the comment is written.

    Examples
    --------
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
    code = "\n".join(f"    {line}" for line in _lines(constraints))
    imports = ["from assay import Check"]
    if "timedelta(" in code:
        imports.insert(0, "from datetime import timedelta\n")
    variable = name if name.isidentifier() else "suggested"
    start = f"{variable} = (\n    Check({json.dumps(name, ensure_ascii=False)})"
    return "\n".join([*imports, "", start, *([code] if code else []), ")", ""])


def yaml_of(name: str, constraints: Iterable[tuple[str, str]]) -> str:
    """Return a suite as YAML.

    Parameters
    ----------
    name
        Name of the dataset and of its check.
    constraints
        Pairs of a comment and an entry of the list of constraints, which may be empty.
    """
    lines = list(_lines(constraints))
    has_entries = any(not line.startswith("#") for line in lines)
    head = [
        "version: 1",
        f"dataset: {flow(name)}",
        "checks:",
        f"  - name: {flow(name)}",
        "    constraints:" if has_entries else "    constraints: []",
    ]
    return "\n".join([*head, *(f"      {line}" for line in lines), ""])


def _lines(constraints: Iterable[tuple[str, str]]) -> Iterator[str]:
    for comment, constraint in constraints:
        yield f"# {one_line(comment)}"
        if constraint:
            yield constraint
