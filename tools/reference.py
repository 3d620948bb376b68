"""The reference: a page for each public area, made of signatures and docstrings.

`python -m tools.reference` writes it; a test holds it to what would be written. No Spark here.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from enum import Enum
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from assay.analyzers import Analyzer

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
#: the pages, what each is about, and the modules whose public names are on it
PAGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "checks": ("Checks", ("assay.checks",)),
    "analyzers": ("Analyzers", ("assay.analyzers",)),
    "measuring": ("Measuring", ("assay.engine",)),
    "datasets": ("Datasets", ("assay.dataset",)),
    "stores": ("Stores", ("assay.store",)),
    "detectors": ("Detectors", ("assay.learn.anomaly",)),
    "profiles": ("Profiles and suggestions", ("assay.learn.profile", "assay.learn.suggest")),
    "patterns": ("Patterns", ("assay.learn.patterns",)),
    "suites": ("Suites", ("assay.suite",)),
    "gate": ("The gate", ("assay.gate",)),
    "reports": (
        "Reports and messages",
        ("assay.report.html", "assay.report.junit", "assay.report.notify", "assay.report.dedup"),
    ),
    "formats": ("File formats", ("assay.io.formats", "assay.io.file_format")),
    "errors": ("Errors", ("assay.errors",)),
}
_EXAMPLE = re.compile(r"^ *>>> .*(?:\n(?! *$).*)*", re.M)
_CODE = re.compile(r"``[^`]+``|`[^`]+`")
_SPECIAL = re.compile(r"([\\*_<>\[\]#|])")


class Name(NamedTuple):
    """A public name: where it is asked for, and what it is."""

    module: str
    name: str
    value: Any

    @property
    def anchor(self) -> str:
        return f"{self.module}.{self.name}".lower().replace(".", "-")


class UndocumentedError(Exception):
    """Public names that nobody says anything about."""


class Reference:
    """All pages; `missing` are the names that have no docstring."""

    def __init__(self) -> None:
        self.missing: list[str] = []
        self.names = {page: list(_names(modules)) for page, (_, modules) in PAGES.items()}
        self._public = {
            each.value for names in self.names.values() for each in names if _is_class(each)
        }

    @cached_property
    def pages(self) -> dict[str, str]:
        """The text of every page, by the name of its file."""
        pages = {f"{page}.md": self._page(page) for page in PAGES} | {"README.md": self._index()}
        if self.missing:
            raise UndocumentedError(f"without a docstring: {', '.join(self.missing)}")
        return pages

    def _page(self, page: str) -> str:
        title, modules = PAGES[page]
        lines = [f"# {title}", ""]
        for module in modules:
            lines += [*_prose(import_module(module).__doc__ or ""), ""]
        for each in self.names[page]:
            lines += [f'## <a id="{each.anchor}"></a>`{each.module}.{each.name}`', ""]
            lines += self._told(each)
        return "\n".join(lines).rstrip("\n") + "\n"

    def _told(self, each: Name) -> Iterator[str]:
        doc = self._doc(each.value, f"{each.module}.{each.name}", each.module)
        if _is_class(each) or inspect.isroutine(each.value):
            yield from _signature(each.name, each.value)
        yield from _prose(doc)
        yield ""
        if _is_class(each):
            yield from self._members(each)

    def _members(self, each: Name) -> Iterator[str]:
        for name, member in _members(each.value, self._public):
            function = member.fget if isinstance(member, property) else _function(member)
            doc = self._doc(function, f"{each.module}.{each.name}.{name}", each.module)
            yield f"### `{each.name}.{name}`"
            yield ""
            if not isinstance(member, property):
                yield from _signature(name, function)
            yield from _prose(doc)
            yield ""

    def _doc(self, value: Any, name: str, module: str) -> str:
        last = name.rpartition(".")[2]
        if isinstance(value, type) or inspect.isroutine(value):
            doc = value.__doc__ or ""
        else:
            doc = _comment(import_module(module), last)
        # what a dataclass says of itself is its signature
        if not doc or doc.startswith(f"{last}("):
            self.missing.append(name)
        return inspect.cleandoc(doc)

    def _index(self) -> str:
        import assay

        where = {
            id(each.value): (page, each) for page, names in self.names.items() for each in names
        }
        lines = ["# Reference", "", "Written from the docstrings: `python -m tools.reference`.", ""]
        lines += ["| page | |", "|---|---|"]
        for page, (title, modules) in PAGES.items():
            told = "; ".join(f"`{module}`" for module in modules)
            lines.append(f"| [{title}]({page}.md) | {told} |")
        lines += ["", "## `from assay import …`", "", "| name | |", "|---|---|"]
        for name in assay.__all__:
            value = getattr(assay, name)
            if isinstance(value, ModuleType):
                lines.append(f"| [`{name}`](analyzers.md) | {_first(value.__doc__ or '')} |")
                continue
            page, each = where[id(value)]
            lines.append(f"| [`{name}`]({page}.md#{each.anchor}) | {_first(value.__doc__ or '')} |")
        lines += ["", "## All names", ""]
        for page, names in self.names.items():
            links = " · ".join(f"[`{each.name}`]({page}.md#{each.anchor})" for each in names)
            lines += [f"**{PAGES[page][0]}**: {links}", ""]
        return "\n".join(lines).rstrip("\n") + "\n"


def _names(modules: tuple[str, ...]) -> Iterator[Name]:
    for module in modules:
        home = import_module(module)
        for name in home.__all__:
            yield Name(module, name, getattr(home, name))


def _is_class(each: Name) -> bool:
    return isinstance(each.value, type)


def _members(cls: type, public: set[Any]) -> Iterator[tuple[str, Any]]:
    """What a class offers, but for what a base offers that is told elsewhere."""
    if issubclass(cls, Analyzer) and cls is not Analyzer:
        return  # how it is computed is the engine's to ask
    elsewhere = {name for base in cls.__mro__[1:] if base in public for name in dir(base)}
    seen: set[str] = set()
    for base in cls.__mro__:
        if not base.__module__.startswith("assay"):
            continue
        for name, member in vars(base).items():
            if name.startswith("_") or name in elsewhere or name in seen:
                continue
            if isinstance(member, property) or _function(member) is not None:
                seen.add(name)
                yield name, member


def _function(member: Any) -> Any:
    inner = getattr(member, "__func__", member)
    return inner if inspect.isfunction(inner) else None


def _signature(name: str, value: Any) -> Iterator[str]:
    try:
        signature = inspect.signature(value)
    except ValueError:
        return
    own = [each for each in signature.parameters.values() if each.name not in ("self", "cls")]
    listed = [_parameter(each) for each in own]
    back = signature.return_annotation
    arrow = "" if back is signature.empty or isinstance(value, type) else f" -> {_plain(back)}"
    line = f"{name}({', '.join(_marked(own, listed))}){arrow}"
    if len(line) > 96:
        inner = "".join(f"    {each},\n" for each in _marked(own, listed))
        line = f"{name}(\n{inner}){arrow}"
    yield from ("```python", line, "```", "")


def _marked(own: list[inspect.Parameter], listed: list[str]) -> list[str]:
    """The parameters, with the star that those by name alone come after."""
    kinds = [each.kind for each in own]
    if inspect.Parameter.KEYWORD_ONLY not in kinds or inspect.Parameter.VAR_POSITIONAL in kinds:
        return listed
    at = kinds.index(inspect.Parameter.KEYWORD_ONLY)
    return [*listed[:at], "*", *listed[at:]]


def _parameter(each: inspect.Parameter) -> str:
    many = each.kind is each.VAR_POSITIONAL, each.kind is each.VAR_KEYWORD
    said = f"{'*' * many[0]}{'**' * many[1]}{each.name}"
    if each.annotation is not each.empty:
        said += f": {_plain(each.annotation)}"
    if each.default is each.empty:
        return said
    value = each.default
    shown = f"{type(value).__name__}.{value.name}" if isinstance(value, Enum) else repr(value)
    # what is made anew for each, or has no form that reads back
    return f"{said} = {'…' if '<' in shown else shown}"


def _plain(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _comment(module: ModuleType, name: str) -> str:
    """What is said of a value: the lines of `#:` before it, where it is made."""
    source = inspect.getsource(module)
    found = re.search(rf"((?:^#:.*\n)+)(?:type )?{name}\b[^\n=]*=", source, re.M)
    if found:
        return "\n".join(line.removeprefix("#:").strip() for line in found[1].splitlines())
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and name in {each.name for each in node.names}:
            return _comment(import_module(str(node.module)), name)
    return ""


def _first(doc: str) -> str:
    return " ".join(_prose(inspect.cleandoc(doc).split("\n\n")[0]))


def _prose(doc: str) -> list[str]:
    """Markdown that says what a docstring says."""
    lines: list[str] = []
    end = 0
    doc = inspect.cleandoc(doc)
    for example in _EXAMPLE.finditer(doc):
        lines += _escaped(doc[end : example.start()])
        code = textwrap.dedent(example[0]).splitlines()
        lines += ["```python", *code, "```"]
        end = example.end()
    lines += _escaped(doc[end:])
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def _escaped(text: str) -> list[str]:
    """Text in which nothing is markup but what is written as code."""
    parts, end = [], 0
    for code in _CODE.finditer(text):
        parts += [_SPECIAL.sub(r"\\\1", text[end : code.start()]), f"`{code[0].strip('`')}`"]
        end = code.end()
    parts.append(_SPECIAL.sub(r"\\\1", text[end:]))
    return "".join(parts).removeprefix("\n").splitlines()


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.md"):
        old.unlink()
    for name, text in Reference().pages.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
