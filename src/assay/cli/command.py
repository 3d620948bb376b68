"""Turn a function of option groups into a function that typer can read."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, get_type_hints

from assay.cli.closing import closing_at_end
from assay.cli.exits import exit_on_error

__all__ = ["command"]


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Replace each parameter that is a dataclass by one option for each of its fields.

    Errors that the function raises become one sentence and an exit code.
    """
    hints = get_type_hints(function, include_extras=True)
    declared = inspect.signature(function).parameters
    groups = {name: hints[name] for name in declared if is_dataclass(hints[name])}
    parameters: list[inspect.Parameter] = []
    for name, parameter in declared.items():
        if name in groups:
            field_hints = get_type_hints(groups[name], include_extras=True)
            parameters += [
                _parameter(option, field_hints[option.name]) for option in fields(groups[name])
            ]
        else:
            parameters.append(parameter.replace(annotation=hints[name]))

    @functools.wraps(function)
    def run(**values: Any) -> None:
        with exit_on_error(debug=bool(values.get("debug"))), closing_at_end():
            grouped = {
                name: group(**{option.name: values.pop(option.name) for option in fields(group)})
                for name, group in groups.items()
            }
            function(**values, **grouped)

    # typer wants required parameters first
    parameters.sort(key=lambda parameter: parameter.default is not parameter.empty)
    keyword_only = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters
    ]
    run.__signature__ = inspect.Signature(keyword_only)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in keyword_only}
    return run


def _parameter(option: Field[Any], annotation: Any) -> inspect.Parameter:
    default = inspect.Parameter.empty if option.default is MISSING else option.default
    return inspect.Parameter(
        option.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )
