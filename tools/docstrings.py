"""Convert numpydoc docstrings to Markdown.

Text is escaped, examples become Python code blocks, and the items of sections such as
``Parameters`` become a list.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator

__all__ = ["summary", "to_markdown"]

#: sections whose items are a name, or a type, with an indented description
ITEM_SECTIONS = frozenset(
    ("Parameters", "Other Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns")
)
TEXT_SECTIONS = frozenset(("Notes", "Examples", "References", "See Also"))

_HEADING = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", re.MULTILINE)
_EXAMPLE = re.compile(r"^ *>>> .*(?:\n(?! *$).*)*", re.MULTILINE)
_CODE = re.compile(r"``[^`]+``|`[^`]+`")
_MARKUP = re.compile(r"([\\*_<>\[\]#|])")


def to_markdown(docstring: str) -> list[str]:
    """Return the lines of Markdown that show a docstring."""
    lines: list[str] = []
    for title, body in _sections(inspect.cleandoc(docstring)):
        if title:
            lines += [f"**{title}**", ""]
        lines += _items(body) if title in ITEM_SECTIONS else _text(body)
        lines.append("")
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def summary(docstring: str) -> str:
    """Return the first paragraph in one line."""
    return " ".join(to_markdown(inspect.cleandoc(docstring).split("\n\n")[0]))


def _sections(docstring: str) -> Iterator[tuple[str, str]]:
    """Yield each section as title and body; the title of the first one is empty."""
    title, start = "", 0
    for heading in _HEADING.finditer(docstring):
        if heading[1] in ITEM_SECTIONS | TEXT_SECTIONS:
            yield title, docstring[start : heading.start()].strip("\n")
            title, start = heading[1], heading.end()
    yield title, docstring[start:].strip("\n")


def _items(body: str) -> Iterator[str]:
    """Yield a list item for each name and its indented description."""
    for item in re.split(r"\n+(?=\S)", body):
        name, _, description = item.partition("\n")
        name, _, annotation = name.partition(" : ")
        heading = f"- `{name.strip('`')}`"
        if annotation:
            heading += f" ({' '.join(_escape(annotation))})"
        paragraphs = textwrap.dedent(description).strip("\n")
        if not paragraphs:
            yield heading
            continue
        first, *more = _text(paragraphs)
        yield f"{heading}: {first}"
        yield from (f"  {line}" if line else "" for line in more)


def _text(text: str) -> list[str]:
    """Return paragraphs as Markdown, with each example as a code block."""
    lines: list[str] = []
    end = 0
    for example in _EXAMPLE.finditer(text):
        lines += _escape(text[end : example.start()])
        lines += ["```python", *textwrap.dedent(example[0]).splitlines(), "```"]
        end = example.end()
    return lines + _escape(text[end:])


def _escape(text: str) -> list[str]:
    """Return the lines of text in which only code spans are markup."""
    parts, end = [], 0
    for code in _CODE.finditer(text):
        parts += [_MARKUP.sub(r"\\\1", text[end : code.start()]), f"`{code[0].strip('`')}`"]
        end = code.end()
    parts.append(_MARKUP.sub(r"\\\1", text[end:]))
    lines = "".join(parts).removeprefix("\n").splitlines()
    # a line that begins with four spaces would be shown as code
    return [re.sub(r"^ {4,}", "", line) for line in lines]
