"""Elements of HTML. What is text stays text: only what was made here is markup.

Everything from data or names becomes text through `text`, which cuts it, makes visible what acts on
what is around it, and escapes it. `element` does so to whatever is not markup already.

>>> element("p", "a < b", element("b", "\\x1b"), title='"')
'<p title="&quot;">a &lt; b<b>\\\\x1b</b></p>'
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from assay.checks.formatting import visible

__all__ = ["LONG", "Html", "cut", "data", "element", "joined", "text"]

#: characters of a text that are shown, unless fewer are asked for
LONG = 400
#: elements that have no content, and so no end
_VOID = frozenset({"meta", "rect", "circle", "line", "path", "polyline"})


class Html(str):
    """Markup, as made by `element`."""

    __slots__ = ()


def cut(value: str, most: int = LONG) -> str:
    """A text of so many characters at most; where there were more, an ellipsis is its last.

    >>> cut("abcdef", 4), cut("abcd", 4), cut("\\x00\\x00", 5)
    ('abc…', 'abcd', '\\\\x00…')
    """
    # of a text of a million characters, only the beginning is looked at
    seen = visible(value[: most + 1])
    return seen if len(seen) <= most else f"{seen[: most - 1]}…"


def text(value: str, most: int = LONG) -> Html:
    """Text as HTML shows it, and does nothing else."""
    return Html(escape(cut(value, most)))


def data(value: str, most: int = 80) -> Html:
    """What comes from data, or a name: its direction of writing is its own."""
    return element("bdi", text(value, most))


def joined(parts: Iterable[Html]) -> Html:
    """One after another."""
    return Html("".join(parts))


def element(name: str, /, *content: str | None, **attributes: object) -> Html:
    """An element with its content; of attributes, those that are None or false are left out.

    An underscore ends names that Python has taken (``class_``), and is a hyphen elsewhere.
    """
    start = "".join([name, *(_attribute(key, value) for key, value in attributes.items())])
    if name in _VOID:
        return Html(f"<{start}>" if name == "meta" else f"<{start}/>")
    inner = "".join(
        each if isinstance(each, Html) else text(each) for each in content if each is not None
    )
    return Html(f"<{start}>{inner}</{name}>")


def _attribute(name: str, value: object) -> str:
    if value is None or value is False:
        return ""
    called = name.removesuffix("_").replace("_", "-")
    # the one name of SVG's with a capital letter that is needed
    called = "viewBox" if called == "viewbox" else called
    return f" {called}" if value is True else f' {called}="{text(str(value), 2000)}"'
