"""Complete the docstrings of constraint methods with the parameters that they share.

A method documents what is special about it. `complete_docstring` adds the parameters that the
docstring does not mention, the return value, and the formula of the metric.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

__all__ = ["complete_docstring"]

_BOUND = "the metric must be {} this value."
#: numpydoc text of parameters that several methods have
SHARED = {
    "column": "Name of the column. Write a nested field as ``address.zip``.",
    "columns": "Names of columns, one by one or in lists.",
    "first": "Name of the first column.",
    "second": "Name of the second column.",
    "table": "Name of the other table, a key of ``verify(..., reference_tables={...})``.",
    "nulls": (
        'The meaning of a null. ``"ignore"``: no violation, as in SQL\'s CHECK.'
        ' ``"fail"``: a violation.'
    ),
    "equals": f"Bound: {_BOUND.format('equal to')}",
    "at_least": f"Bound: {_BOUND.format('greater than or equal to')}",
    "at_most": f"Bound: {_BOUND.format('less than or equal to')}",
    "more_than": f"Bound: {_BOUND.format('greater than')}",
    "less_than": f"Bound: {_BOUND.format('less than')}",
    "between": "Bound: lowest and highest value allowed, both included.",
    "satisfies": "A function that takes the metric and returns whether it is good.",
    "where": "SQL condition. Only rows for which it is true are read.",
    "level": '``"error"`` or ``"warning"``; the level of the check if omitted.',
    "hint": "Advice for the case that the constraint fails; shown with the result.",
    "id": (
        "Stable name of the constraint in stores and results; made of method and arguments if"
        " omitted."
    ),
    "on": (
        '``"batch"``, ``"whole"`` or ``"both"``: what a dataset or a gate evaluates the'
        " constraint on. If omitted, a gate evaluates keys and uniqueness on both, and everything"
        " else on the batch."
    ),
}
_PARAMETERS = "Parameters\n----------\n"
_NOTES = "Notes\n-----\n"
_NO_DOCS: Mapping[str, str] = MappingProxyType({})
_SECTION = re.compile(r"^\w[\w ]*\n-{3,}$", re.M)
_RETURNS = "Returns\n-------\nCheck\n    A copy of the check with the constraint added."


def complete_docstring(
    docstring: str,
    signature: inspect.Signature,
    *,
    formula: str,
    docs: Mapping[str, str] = _NO_DOCS,
) -> str:
    """Return the docstring with all parameters, the return value and the formula.

    Parameters
    ----------
    docstring
        A numpydoc docstring. Its ``Parameters`` section may be missing or incomplete.
    signature
        The signature of the method, without ``self``.
    formula
        The metric, for the first line of the notes.
    docs
        Texts of parameters that `SHARED` lacks or words in another way.

    Raises
    ------
    KeyError
        If a parameter is documented neither in the docstring nor in `SHARED`.
    """
    text = inspect.cleandoc(docstring)
    sections = list(_SECTION.finditer(text))
    starts = [match.start() for match in sections] + [len(text)]
    head, other_sections = text[: starts[0]].rstrip(), text[starts[0] :]
    documented: dict[str, str] = {}
    if other_sections.startswith(_PARAMETERS):
        end = starts[1] - starts[0]
        documented = _split_parameters(other_sections[len(_PARAMETERS) : end])
        other_sections = other_sections[end:]
    listed = "\n".join(_entries(signature.parameters, {**SHARED, **docs, **documented}))
    notes, examples = "", other_sections.strip()
    if examples.startswith(_NOTES):
        notes, _, examples = examples.removeprefix(_NOTES).partition("\n\nExamples\n")
        notes, examples = f"\n\n{notes.strip()}", f"Examples\n{examples}"
    metric = f"{_NOTES}Metric: ``{formula}``.{notes}"
    parts = [head, f"{_PARAMETERS}{listed}", _RETURNS, metric, examples]
    return "\n\n".join(part for part in parts if part) + "\n"


def _split_parameters(section: str) -> dict[str, str]:
    """Return the text of each parameter of a numpydoc section."""
    documented: dict[str, str] = {}
    for entry in re.split(r"\n(?=\S)", section.rstrip()):
        names, _, text = entry.partition("\n")
        for name in names.split(", "):
            documented[name.lstrip("*")] = inspect.cleandoc(text)
    return documented


def _entries(names: Iterable[str], documented: dict[str, str]) -> Iterable[str]:
    for name in names:
        indented = "\n".join(f"    {line}" for line in documented[name].splitlines())
        yield f"{name}\n{indented}"
