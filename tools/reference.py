"""Generate the API reference from signatures and docstrings.

``python -m tools.reference`` writes ``docs/reference``: one page for each public area. A test
compares the files with the generated text. No Spark is needed.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from enum import Enum
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from assay.analyzers import Analyzer
from tools.docstrings import summary, to_markdown

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
#: each page: its title, and the modules whose public names it describes
PAGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "checks": ("Checks", ("assay.checks",)),
    "analyzers": ("Analyzers", ("assay.analyzers",)),
    "measuring": ("Measuring", ("assay.engine",)),
    "datasets": ("Datasets", ("assay.dataset",)),
    "stores": ("Stores", ("assay.store",)),
    "detectors": ("Detectors", ("assay.learn.anomaly",)),
    "profiles": ("Profiles and suggestions", ("assay.learn.profile", "assay.learn.suggest")),
    "patterns": ("Patterns", ("assay.learn.patterns",)),
    "limits": ("Limits", ("assay.learn.limits", "assay.learn.fingerprint")),
    "suites": ("Suites", ("assay.suite",)),
    "gate": ("The gate", ("assay.gate",)),
    "reports": (
        "Reports and messages",
        (
            "assay.report.html",
            "assay.report.comparison",
            "assay.report.junit",
            "assay.report.notify",
            "assay.html",
        ),
    ),
    "formats": ("File formats", ("assay.io.formats", "assay.io.file_format")),
    "errors": ("Errors", ("assay.errors",)),
}
#: longer signatures have one parameter per line
MAX_SIGNATURE_WIDTH = 96


class PublicName(NamedTuple):
    """A public name, the module that exports it, and its value."""

    module: str
    name: str
    value: Any

    @property
    def full_name(self) -> str:
        return f"{self.module}.{self.name}"

    @property
    def is_class(self) -> bool:
        return isinstance(self.value, type)

    @property
    def anchor(self) -> str:
        # `plan` and `Plan` are different names, and browsers may ignore the case of an anchor
        kind = "class-" if self.is_class else ""
        return kind + self.full_name.lower().replace(".", "-")


class UndocumentedError(Exception):
    """A public name has no docstring."""


class Reference:
    """The text of all pages."""

    def __init__(self) -> None:
        self.names = {page: list(_public_names(modules)) for page, (_, modules) in PAGES.items()}
        self._undocumented: list[str] = []
        self._public_classes = {
            public.value for names in self.names.values() for public in names if public.is_class
        }

    @cached_property
    def pages(self) -> dict[str, str]:
        """The text of each page by file name."""
        pages = {f"{page}.md": self._page(page) for page in PAGES} | {"README.md": self._index()}
        if self._undocumented:
            raise UndocumentedError(f"without a docstring: {', '.join(self._undocumented)}")
        return pages

    def _page(self, page: str) -> str:
        title, modules = PAGES[page]
        lines = [f"# {title}", ""]
        for module in modules:
            lines += [*to_markdown(import_module(module).__doc__ or ""), ""]
        for public in self.names[page]:
            lines += [f'## <a id="{public.anchor}"></a>`{public.full_name}`', ""]
            lines += self._describe(public)
        return "\n".join(lines).rstrip("\n") + "\n"

    def _describe(self, public: PublicName) -> Iterator[str]:
        docstring = self._docstring(public.value, public.full_name, public.module)
        if public.is_class or inspect.isroutine(public.value):
            yield from _signature(public.name, public.value)
        yield from to_markdown(docstring)
        yield ""
        if public.is_class:
            yield from self._describe_members(public)

    def _describe_members(self, public: PublicName) -> Iterator[str]:
        for name, member in _members(public.value, self._public_classes):
            function = member.fget if isinstance(member, property) else _function(member)
            docstring = self._docstring(function, f"{public.full_name}.{name}", public.module)
            yield f"### `{public.name}.{name}`"
            yield ""
            if not isinstance(member, property):
                yield from _signature(name, function)
            yield from to_markdown(docstring)
            yield ""

    def _docstring(self, value: Any, full_name: str, module: str) -> str:
        name = full_name.rpartition(".")[2]
        if isinstance(value, type) or inspect.isroutine(value):
            docstring = value.__doc__ or ""
        else:
            docstring = _comment_above(import_module(module), name)
        # a dataclass without a docstring gets its signature as one
        if not docstring or docstring.startswith(f"{name}("):
            self._undocumented.append(full_name)
        return inspect.cleandoc(docstring)

    def _index(self) -> str:
        import assay

        pages_of_values = {
            id(public.value): (page, public)
            for page, names in self.names.items()
            for public in names
        }
        lines = ["# Reference", "", "Generated from docstrings by `python -m tools.reference`.", ""]
        lines += ["| page | modules |", "|---|---|"]
        for page, (title, modules) in PAGES.items():
            module_list = ", ".join(f"`{module}`" for module in modules)
            lines.append(f"| [{title}]({page}.md) | {module_list} |")
        lines += ["", "## `from assay import …`", "", "| name | purpose |", "|---|---|"]
        for name in assay.__all__:
            value = getattr(assay, name)
            if isinstance(value, ModuleType):
                lines.append(f"| [`{name}`](analyzers.md) | {summary(value.__doc__ or '')} |")
                continue
            page, public = pages_of_values[id(value)]
            link = f"[`{name}`]({page}.md#{public.anchor})"
            lines.append(f"| {link} | {summary(value.__doc__ or '')} |")
        lines += ["", "## All names", ""]
        for page, names in self.names.items():
            links = (f"- [`{public.name}`]({page}.md#{public.anchor})" for public in names)
            lines += [f"### {PAGES[page][0]}", "", *links, ""]
        return "\n".join(lines).rstrip("\n") + "\n"


def _public_names(modules: tuple[str, ...]) -> Iterator[PublicName]:
    for module_name in modules:
        module = import_module(module_name)
        for name in module.__all__:
            yield PublicName(module_name, name, getattr(module, name))


def _members(cls: type, public_classes: set[Any]) -> Iterator[tuple[str, Any]]:
    """Yield the public methods and properties that no public base class describes."""
    if issubclass(cls, Analyzer) and cls is not Analyzer:
        return  # the engine calls them, not the user
    inherited = {name for base in cls.__mro__[1:] if base in public_classes for name in dir(base)}
    listed: set[str] = set()
    for base in cls.__mro__:
        if not base.__module__.startswith("assay"):
            continue
        for name, member in vars(base).items():
            if name.startswith("_") or name in inherited or name in listed:
                continue
            if name in getattr(base, "__dataclass_fields__", ()):
                continue  # a field whose default is a function
            if isinstance(member, property) or _function(member) is not None:
                listed.add(name)
                yield name, member


def _function(member: Any) -> Any:
    """Return the function of a method, class method or static method; None for other members."""
    function = getattr(member, "__func__", member)
    return function if inspect.isfunction(function) else None


def _signature(name: str, value: Any) -> Iterator[str]:
    """Yield a code block with a signature, without ``self``."""
    try:
        signature = inspect.signature(value)
    except ValueError:
        return
    parameters = [
        parameter
        for parameter in signature.parameters.values()
        if parameter.name not in ("self", "cls")
    ]
    formatted = _with_star(parameters)
    annotation = signature.return_annotation
    returns = ""
    if annotation is not signature.empty and not isinstance(value, type):
        returns = f" -> {_format_annotation(annotation)}"
    line = f"{name}({', '.join(formatted)}){returns}"
    if len(line) > MAX_SIGNATURE_WIDTH:
        indented = "".join(f"    {parameter},\n" for parameter in formatted)
        line = f"{name}(\n{indented}){returns}"
    yield from ("```python", line, "```", "")


def _with_star(parameters: list[inspect.Parameter]) -> list[str]:
    """Return the parameters as text, with ``*`` before those that are keyword-only."""
    formatted = [_format_parameter(parameter) for parameter in parameters]
    kinds = [parameter.kind for parameter in parameters]
    if inspect.Parameter.KEYWORD_ONLY not in kinds or inspect.Parameter.VAR_POSITIONAL in kinds:
        return formatted
    index = kinds.index(inspect.Parameter.KEYWORD_ONLY)
    return [*formatted[:index], "*", *formatted[index:]]


def _format_parameter(parameter: inspect.Parameter) -> str:
    star_args, star_kwargs = parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD
    stars = "*" * (parameter.kind is star_args) + "**" * (parameter.kind is star_kwargs)
    text = f"{stars}{parameter.name}"
    if parameter.annotation is not parameter.empty:
        text += f": {_format_annotation(parameter.annotation)}"
    if parameter.default is parameter.empty:
        return text
    default = parameter.default
    is_enum = isinstance(default, Enum)
    value = f"{type(default).__name__}.{default.name}" if is_enum else repr(default)
    # such a repr is not Python, and may contain an address in memory
    return f"{text} = {'…' if '<' in value else value}"


def _format_annotation(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _comment_above(module: ModuleType, name: str) -> str:
    """Return the ``#:`` lines above the assignment of a name, in the module that makes it."""
    source = inspect.getsource(module)
    match = re.search(rf"((?:^#:.*\n)+)(?:type )?{name}\b[^\n=]*=", source, re.MULTILINE)
    if match:
        return "\n".join(line.removeprefix("#:").strip() for line in match[1].splitlines())
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and name in {alias.name for alias in node.names}:
            return _comment_above(import_module(str(node.module)), name)
    return ""


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for old_page in FOLDER.glob("*.md"):
        old_page.unlink()
    for name, text in Reference().pages.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
