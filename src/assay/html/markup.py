"""Create HTML elements. All text is escaped; only elements are markup.

Everything that comes from data or names passes through `text`. It shortens the text, replaces
control characters by visible escapes, and escapes HTML. `element` applies it to every argument
that is not an `Html`.

>>> element("p", "a < b", element("b", "\\x1b"), title='"')
'<p title="&quot;">a &lt; b<b>\\\\x1b</b></p>'
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from assay.text import visible

__all__ = ["MAX_TEXT", "Html", "bidi_text", "element", "join", "shorten", "text"]

#: characters of a text that are shown by default, and of an attribute
MAX_TEXT, _MAX_ATTRIBUTE = 400, 2000
#: elements without content and end tag
_VOID = frozenset({"meta", "rect", "circle", "line", "path", "polyline"})
#: attributes of SVG with capital letters
_CAPITALS = {"viewbox": "viewBox", "preserveaspectratio": "preserveAspectRatio"}


class Html(str):
    """Markup, as `element` creates it. It is not escaped again."""

    __slots__ = ()


def shorten(value: str, limit: int = MAX_TEXT) -> str:
    """Shorten a text; the last character is an ellipsis if something was cut off.

    >>> shorten("abcdef", 4), shorten("abcd", 4), shorten("\\x00\\x00", 5)
    ('abc…', 'abcd', '\\\\x00…')
    """
    # cut first: a value may have a million characters
    readable = visible(value[: limit + 1])
    return readable if len(readable) <= limit else f"{readable[: limit - 1]}…"


def text(value: str, limit: int = MAX_TEXT) -> Html:
    """Escape a text."""
    return Html(escape(shorten(value, limit)))


def bidi_text(value: str, limit: int = 80) -> Html:
    """Escape a name or a value, and keep its writing direction from changing text around it."""
    return element("bdi", text(value, limit))


def join(parts: Iterable[Html]) -> Html:
    """Concatenate elements."""
    return Html("".join(parts))


def element(name: str, /, *content: str | None, **attributes: object) -> Html:
    """Create an element.

    Parameters
    ----------
    *content
        Elements, or text that is escaped. None is left out.
    **attributes
        Attributes; those that are None or False are left out. A final underscore is removed
        (``class_``), other underscores become hyphens.
    """
    start = "".join([name, *(_attribute(key, value) for key, value in attributes.items())])
    if name in _VOID:
        return Html(f"<{start}>" if name == "meta" else f"<{start}/>")
    inner = "".join(
        part if isinstance(part, Html) else text(part) for part in content if part is not None
    )
    return Html(f"<{start}>{inner}</{name}>")


def _attribute(name: str, value: object) -> str:
    if value is None or value is False:
        return ""
    attribute = name.removesuffix("_").replace("_", "-")
    attribute = _CAPITALS.get(attribute, attribute)
    return (
        f" {attribute}" if value is True else f' {attribute}="{text(str(value), _MAX_ATTRIBUTE)}"'
    )
