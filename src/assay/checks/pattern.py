r"""Patterns that describe what the values of a column look like (auto-validate, section 2.1).

A pattern is a sequence of constants and tokens. A token is a class of characters with a count, or
with ``+`` for one or more. Alternatives are separated by bars.

>>> date = Pattern.parse("<letter>{3} <digit>{2} <digit>{4}")
>>> date.matches("Mar 01 2019"), date.matches("2019-03-01")
(True, False)
>>> print(date.regex)
[A-Za-z...]{3} [0-9]{2} [0-9]{4}
>>> print(Pattern.of("a|b", Token("digit"), "+"))
a\|b<digit>+\+

A backslash makes the next character a constant. Every regular expression engine matches a pattern
in time that is linear in the length of the value. `Pattern` refuses patterns that are not linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import groupby, pairwise

from assay.errors import CheckError, nearest

__all__ = ["ALPHANUM", "CLASSES", "LETTER", "Pattern", "Piece", "Token"]

#: Letters of all scripts, as ranges. Engines agree on ranges, but not on names of classes.
LETTER = (
    "A-Za-zªµºÀ-ÖØ-öø-ʯ\u0300-\u036fͰ-῿\u2c00-\u2dff\u3040-\ud7ff\uf900-\ufaff\ufb1d-\ufdff"
    "\ufe70-\ufefc\U00020000-\U0003ffff"
)
ALPHANUM = f"0-9{LETTER}"
_UPPER, _LOWER = "A-ZÀ-ÖØ-Þ", "a-zß-öø-ÿ"

#: The character set of each class of the hierarchy (Figure 4 of the paper, and further ones).
CLASSES = {
    "digit": "[0-9]",
    "lower": f"[{_LOWER}]",
    "upper": f"[{_UPPER}]",
    "letter": f"[{LETTER}]",
    "hex": "[0-9A-Fa-f]",
    "alphanum": f"[{ALPHANUM}]",
    "symbol": f"[^{ALPHANUM}]",
    "all": r"[\s\S]",
}
#: classes of words, which a set of characters cannot describe
_WORDS = {
    "capitalised": f"[{_UPPER}][{_LOWER}]",
    "num": r"-?[0-9]+(?:\.[0-9]+)?",
}
#: how general a class is compared with a constant, and the surcharge for one or more
_GENERALITY = {
    "digit": 1.0,
    "lower": 1.0,
    "upper": 1.0,
    "capitalised": 1.0,
    "hex": 1.5,
    "letter": 2.0,
    "num": 2.5,
    "alphanum": 3.0,
    "symbol": 3.0,
    "all": 4.0,
}
_OPEN = 1.0
#: the largest count that RE2 supports
_MAX_COUNT = 1000
#: characters that need a backslash after a token, since they would belong to it
_QUANTIFIERS = "{*?+"
_TOKENS = "<digit>, <digit>{2}, <digit>+ or plain characters"
_SURROGATE = re.compile("[\ud800-\udfff]")
_PROBES = [chr(code) for code in (*range(0x250), 0x3B1, 0x4E00, 0x1F600, 0x20000)]


@dataclass(frozen=True, slots=True)
class Token:
    """A class of characters with a count, or one or more of them if `count` is None.

    ``<capitalised>{5}`` is an upper-case letter and four lower-case ones. ``<num>`` is a number of
    any length, with or without a sign and decimals.
    """

    kind: str
    count: int | None = None

    def __post_init__(self) -> None:
        if self.kind not in _GENERALITY:
            likely = nearest(self.kind, sorted(_GENERALITY))
            hint = f"did you mean <{likely}>?" if likely else f"there are {_list_classes()}."
            raise CheckError(f"no class of characters is called <{self.kind}>; {hint}")
        if self.count is not None and type(self.count) is not int:
            raise CheckError.unexpected(
                f"invalid count of <{self.kind}>", "a whole number", self.count
            )
        if self.count is not None and (not 1 <= self.count <= _MAX_COUNT or self.kind == "num"):
            expected = "none" if self.kind == "num" else f"a number from 1 to {_MAX_COUNT:,}"
            raise CheckError.unexpected(f"invalid count of <{self.kind}>", expected, self.count)

    @property
    def text(self) -> str:
        """The token as it is written in a pattern."""
        if self.kind == "num" and self.count is None:
            return "<num>"
        return f"<{self.kind}>+" if self.count is None else f"<{self.kind}>{{{self.count}}}"

    @property
    def regex(self) -> str:
        """The regular expression that matches the token."""
        match self.kind, self.count:
            case "num", _:
                return _WORDS["num"]
            case "capitalised", None:
                return _WORDS["capitalised"] + "+"
            case "capitalised", int(count):
                first, _, following = _WORDS["capitalised"].rpartition("[")
                return first if count == 1 else f"{first}[{following}{{{count - 1}}}"
            case kind, count:
                return CLASSES[kind] + ("+" if count is None else f"{{{count}}}")

    @property
    def generality(self) -> float:
        """The generality of the token. A constant has 0."""
        return _GENERALITY[self.kind] + (_OPEN if self.count is None else 0.0)


#: a constant, or a token
Piece = str | Token


@dataclass(frozen=True)
class Pattern:
    """One or more alternatives, each a sequence of constants and tokens.

    Adjacent constants are joined, so that equal patterns have equal pieces.
    """

    alternatives: tuple[tuple[Piece, ...], ...]

    def __post_init__(self) -> None:
        if not self.alternatives:
            raise CheckError.unexpected(
                "invalid pattern", "at least one alternative", self.alternatives
            )
        joined = tuple(
            dict.fromkeys(tuple(_join_constants(pieces)) for pieces in self.alternatives)
        )
        object.__setattr__(self, "alternatives", joined)
        for pieces in joined:
            _require_characters(pieces)
            _require_linear(pieces)

    @staticmethod
    def of(*pieces: Piece) -> Pattern:
        """Return a pattern with one alternative."""
        return Pattern((pieces,))

    @staticmethod
    def parse(text: str) -> Pattern:
        """Parse the text of a pattern; ``<digit>`` without a count is one digit."""
        if not isinstance(text, str):
            raise CheckError.unexpected("invalid pattern", "text, such as '<digit>+'", text)
        alternatives: list[list[Piece]] = [[]]
        at = 0
        while at < len(text):
            piece = _PIECE.match(text, at)
            if piece is None:
                raise CheckError.unexpected(
                    f"invalid pattern {text!r}", _TOKENS, text[at:], r"Write < as \<."
                )
            at = piece.end()
            if piece["kind"] and at < len(text) and text[at] in _QUANTIFIERS:
                remedy = f"Write {text[at]} as \\{text[at]}."
                raise CheckError.unexpected(f"invalid pattern {text!r}", _TOKENS, text[at:], remedy)
            if piece["bar"]:
                alternatives.append([])
            elif piece["kind"]:
                alternatives[-1].append(_token(piece["kind"], piece["many"]))
            elif piece["code"]:
                alternatives[-1].append(chr(int(piece["code"], 16)))
            else:
                alternatives[-1].append(piece["escaped"] or piece["plain"])
        return Pattern(tuple(map(tuple, alternatives)))

    @staticmethod
    def coerce(pattern: Pattern | str) -> Pattern:
        """Return the pattern, parsed if it is text."""
        return pattern if isinstance(pattern, Pattern) else Pattern.parse(pattern)

    @cached_property
    def regex(self) -> str:
        """A regular expression for the whole value, with one meaning in Java, Python and RE2."""
        alternatives = ["".join(map(_regex, pieces)) for pieces in self.alternatives]
        return alternatives[0] if len(alternatives) == 1 else f"(?:{'|'.join(alternatives)})"

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.regex)

    def matches(self, value: str) -> bool:
        """Return whether the whole value matches the pattern."""
        return self._compiled.fullmatch(value) is not None

    @cached_property
    def generality(self) -> float:
        """The generality of the pattern. A pattern with a smaller value is more specific.

        A constant has 0. A run of adjacent tokens has the generality of its most general token,
        plus 0.5 for each further token. A pattern has the maximum of its alternatives, plus 1 for
        each further alternative.
        """
        widths = [
            sum(_width(tuple(run)) for token, run in groupby(pieces, _is_token) if token)
            for pieces in self.alternatives
        ]
        return max(widths) + len(widths) - 1

    def __str__(self) -> str:
        return "|".join("".join(_write(pieces)) for pieces in self.alternatives)


def _is_token(piece: Piece) -> bool:
    return isinstance(piece, Token)


def _width(run: tuple[Piece, ...]) -> float:
    widest = max(token.generality for token in run if isinstance(token, Token))
    return widest + (len(run) - 1) / 2


_PIECE = re.compile(
    r"(?P<bar>\|)|<(?P<kind>[a-zA-Z]+)>(?P<many>\+|\{[0-9]{1,6}\})?"
    r"|\\u\{(?P<code>[0-9a-fA-F]{1,5}|10[0-9a-fA-F]{4})\}|\\(?P<escaped>[\s\S])|(?P<plain>[^\\<|]+)"
)


def _token(kind: str, many: str | None) -> Token:
    if kind == "num" and many is None:
        return Token(kind)
    if many is None:
        return Token(kind, 1)
    return Token(kind) if many == "+" else Token(kind, int(many[1:-1]))


def _list_classes() -> str:
    return ", ".join(f"<{kind}>" for kind in _GENERALITY)


def _join_constants(pieces: Iterable[Piece]) -> Iterator[Piece]:
    constant = ""
    for piece in pieces:
        if isinstance(piece, str):
            constant += piece
            continue
        if constant:
            yield constant
        constant = ""
        yield piece
    if constant:
        yield constant


def _regex(piece: Piece) -> str:
    if isinstance(piece, Token):
        return piece.regex
    return "".join(map(_literal, piece))


def _literal(character: str) -> str:
    """Return a regular expression for one character, which every engine reads alike."""
    if character.isalnum() or character in " ,:;/_-%@=<>!~'\"&":
        return character
    if character.isprintable():
        return f"[{character}]" if character not in "^[]\\" else f"\\{character}"
    return character if ord(character) > 0xFF else f"\\x{ord(character):02x}"


def _write(pieces: Iterable[Piece]) -> Iterator[str]:
    after_token = False
    for piece in pieces:
        if isinstance(piece, Token):
            yield piece.text
        else:
            for at, character in enumerate(piece):
                yield _escape(character, after_token=after_token and at == 0)
        after_token = isinstance(piece, Token)


def _escape(character: str, *, after_token: bool) -> str:
    if character in "\\<|" or (after_token and character in _QUANTIFIERS):
        return f"\\{character}"
    return character if character.isprintable() else f"\\u{{{ord(character):x}}}"


def _require_characters(pieces: tuple[Piece, ...]) -> None:
    """Refuse surrogates, which no text can contain."""
    for piece in pieces:
        if isinstance(piece, str) and not piece.isascii() and _SURROGATE.search(piece):
            raise CheckError(f"the constant {piece!r} has half of a character, which matches none.")


def _require_linear(pieces: tuple[Piece, ...]) -> None:
    """Refuse patterns that a backtracking engine may match in more than linear time.

    A token with ``+`` must be followed by a piece that cannot continue it. Only the last such token
    of a pattern may share characters with the next piece.
    """
    open_ended = [
        n for n, piece in enumerate(pieces) if isinstance(piece, Token) and not piece.count
    ]
    for at, _ in pairwise(open_ended):
        token, following = pieces[at], pieces[at + 1]
        assert isinstance(token, Token)
        if _may_continue(token, following):
            shown = "".join(_write(pieces))
            raise CheckError(
                f"the pattern {shown!r} is ambiguous: where {token.text} ends is not clear, since"
                f" what follows can be part of it; put a separator or a count."
            )


#: the characters that continue a token with ``+``, and those that begin it
_CONTINUES = {**CLASSES, "capitalised": f"[{_LOWER}]", "num": "[0-9.]"}
_BEGINS = {**CLASSES, "capitalised": f"[{_UPPER}]", "num": "[-0-9]"}


def _may_continue(token: Token, following: Piece) -> bool:
    """Return whether the next piece can begin with a character that continues the token."""
    if isinstance(following, Token):
        return _overlap(token.kind, following.kind)
    return re.match(_CONTINUES[token.kind], following) is not None


@cache
def _overlap(kind: str, following: str) -> bool:
    inner, first = re.compile(_CONTINUES[kind]), re.compile(_BEGINS[following])
    return any(inner.match(probe) and first.match(probe) for probe in _PROBES)
