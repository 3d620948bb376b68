r"""The language of patterns: what the values of a column look like (auto-validate, section 2.1).

A pattern is a sequence of constants and of tokens; a token is a class of characters, so many of
them or one and more. Alternatives stand between bars.

>>> date = Pattern.parse("<letter>{3} <digit>{2} <digit>{4}")
>>> date.matches("Mar 01 2019"), date.matches("2019-03-01")
(True, False)
>>> print(date.regex)
[A-Za-z...]{3} [0-9]{2} [0-9]{4}
>>> print(Pattern.of("a|b", Token("digit"), "+"))
a\|b<digit>+\+

A backslash makes the next character a constant. Every pattern is matched in time that grows with
the length of the value alone, by any engine of regular expressions: `Pattern` refuses the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import groupby, pairwise

from assay.errors import CheckError, nearest

__all__ = ["ALPHANUM", "CLASSES", "LETTER", "Pattern", "Piece", "Token"]

#: Letters of all scripts, as ranges: every engine agrees on these, on names of classes none do.
LETTER = (
    "A-Za-zªµºÀ-ÖØ-öø-ʯ\u0300-\u036fͰ-῿\u2c00-\u2dff\u3040-\ud7ff\uf900-\ufaff\ufb1d-\ufdff"
    "\ufe70-\ufefc\U00020000-\U0003ffff"
)
ALPHANUM = f"0-9{LETTER}"
_UPPER, _LOWER = "A-ZÀ-ÖØ-Þ", "a-zß-öø-ÿ"

#: The hierarchy's classes (Figure 4 and ours) by name: the set of their characters.
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
#: classes of whole words, which are no sets of characters
_WORDS = {
    "capitalised": f"[{_UPPER}][{_LOWER}]",
    "num": r"-?[0-9]+(?:\.[0-9]+)?",
}
#: how much wider a class is than a constant, and how much one and more is than so many
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
#: RE2 counts no further
_MOST = 1000
#: what would belong to a token right before it, were it not written with a backslash
_QUANTIFIERS = "{*?+"
_SURROGATE = re.compile("[\ud800-\udfff]")
_PROBES = [chr(code) for code in (*range(0x250), 0x3B1, 0x4E00, 0x1F600, 0x20000)]


@dataclass(frozen=True, slots=True)
class Token:
    """A class of characters: `count` of them, or one and more.

    ``<capitalised>{5}`` is an upper-case letter and four lower-case ones; ``<num>`` a number with
    or without a sign and decimals, as long as it may be.
    """

    kind: str
    count: int | None = None

    def __post_init__(self) -> None:
        if self.kind not in _GENERALITY:
            likely = nearest(self.kind, sorted(_GENERALITY))
            known = f"did you mean <{likely}>?" if likely else f"there are {_known()}."
            raise CheckError(f"no class of characters is called <{self.kind}>; {known}")
        if self.count is not None and type(self.count) is not int:
            raise CheckError(f"<{self.kind}>: a count is a whole number, not {self.count!r}.")
        if self.count is not None and (not 1 <= self.count <= _MOST or self.kind == "num"):
            raise CheckError(f"{self.text}: a count is from 1 to {_MOST:,}, and <num> has none.")

    @property
    def text(self) -> str:
        """As it stands in a pattern."""
        if self.kind == "num" and self.count is None:
            return "<num>"
        return f"<{self.kind}>+" if self.count is None else f"<{self.kind}>{{{self.count}}}"

    @property
    def regex(self) -> str:
        """The regular expression of it."""
        match self.kind, self.count:
            case "num", _:
                return _WORDS["num"]
            case "capitalised", None:
                return _WORDS["capitalised"] + "+"
            case "capitalised", int(count):
                first, _, rest = _WORDS["capitalised"].rpartition("[")
                return first if count == 1 else f"{first}[{rest}{{{count - 1}}}"
            case kind, count:
                return CLASSES[kind] + ("+" if count is None else f"{{{count}}}")

    @property
    def generality(self) -> float:
        """How much it leaves open; a constant leaves 0."""
        return _GENERALITY[self.kind] + (_OPEN if self.count is None else 0.0)


#: a constant, or a token
Piece = str | Token


@dataclass(frozen=True)
class Pattern:
    """Alternatives, each a sequence of pieces.

    Equal patterns are written alike: constants that follow each other are one.
    """

    alternatives: tuple[tuple[Piece, ...], ...]

    def __post_init__(self) -> None:
        if not self.alternatives:
            raise CheckError("a pattern has at least one alternative.")
        joined = tuple(dict.fromkeys(tuple(_joined(each)) for each in self.alternatives))
        object.__setattr__(self, "alternatives", joined)
        for each in joined:
            _require_characters(each)
            _require_linear(each)

    @staticmethod
    def of(*pieces: Piece) -> Pattern:
        """The pattern of one alternative."""
        return Pattern((pieces,))

    @staticmethod
    def parse(text: str) -> Pattern:
        """The inverse of ``str``; ``<digit>`` alone is one digit."""
        if not isinstance(text, str):
            raise CheckError(f"a pattern is text, such as '<digit>+', not {text!r}.")
        alternatives: list[list[Piece]] = [[]]
        at = 0
        while at < len(text):
            found = _WRITTEN.match(text, at)
            if found is None:
                raise CheckError(
                    f"the pattern {text!r} cannot be read at {text[at:]!r}: a token is written"
                    r" <digit>, <digit>{2} or <digit>+, and < itself \<."
                )
            at = found.end()
            if found["kind"] and at < len(text) and text[at] in _QUANTIFIERS:
                raise CheckError(
                    f"the pattern {text!r} cannot be read at {text[at:]!r}: a token is written"
                    f" <digit>, <digit>{{2}} or <digit>+, and {text[at]} itself after it"
                    f" \\{text[at]}."
                )
            if found["bar"]:
                alternatives.append([])
            elif found["kind"]:
                alternatives[-1].append(_token(found["kind"], found["many"]))
            elif found["code"]:
                alternatives[-1].append(chr(int(found["code"], 16)))
            else:
                alternatives[-1].append(found["escaped"] or found["plain"])
        return Pattern(tuple(map(tuple, alternatives)))

    @staticmethod
    def taken(given: Pattern | str) -> Pattern:
        """A pattern, or one that is given as text."""
        return given if isinstance(given, Pattern) else Pattern.parse(given)

    @cached_property
    def regex(self) -> str:
        """A regular expression for the whole value, with the same meaning in Java, Python, RE2."""
        each = ["".join(map(_regex, pieces)) for pieces in self.alternatives]
        return each[0] if len(each) == 1 else f"(?:{'|'.join(each)})"

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.regex)

    def matches(self, value: str) -> bool:
        """Whether the whole value is of this pattern."""
        return self._compiled.fullmatch(value) is not None

    @cached_property
    def generality(self) -> float:
        """How much it leaves open: of two patterns that fit, the lesser is the more specific.

        A constant leaves nothing open; tokens that touch, as much as the widest of them and a half
        for each more. Of alternatives the widest counts, and 1 for each more.
        """
        widths = [
            sum(_width(tuple(run)) for token, run in groupby(pieces, _is_token) if token)
            for pieces in self.alternatives
        ]
        return max(widths) + len(widths) - 1

    def __str__(self) -> str:
        return "|".join("".join(_written(pieces)) for pieces in self.alternatives)


def _is_token(piece: Piece) -> bool:
    return isinstance(piece, Token)


def _width(run: tuple[Piece, ...]) -> float:
    widest = max(each.generality for each in run if isinstance(each, Token))
    return widest + (len(run) - 1) / 2


_WRITTEN = re.compile(
    r"(?P<bar>\|)|<(?P<kind>[a-zA-Z]+)>(?P<many>\+|\{[0-9]{1,6}\})?"
    r"|\\u\{(?P<code>[0-9a-fA-F]{1,5}|10[0-9a-fA-F]{4})\}|\\(?P<escaped>[\s\S])|(?P<plain>[^\\<|]+)"
)


def _token(kind: str, many: str | None) -> Token:
    if kind == "num" and many is None:
        return Token(kind)
    if many is None:
        return Token(kind, 1)
    return Token(kind) if many == "+" else Token(kind, int(many[1:-1]))


def _known() -> str:
    return ", ".join(f"<{kind}>" for kind in _GENERALITY)


def _joined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    constant = ""
    for each in pieces:
        if isinstance(each, str):
            constant += each
            continue
        if constant:
            yield constant
        constant = ""
        yield each
    if constant:
        yield constant


def _regex(piece: Piece) -> str:
    if isinstance(piece, Token):
        return piece.regex
    return "".join(_literal(each) for each in piece)


def _literal(character: str) -> str:
    """A character as itself: letters and digits bare, all else as a class of one, or its code."""
    if character.isalnum() or character in " ,:;/_-%@=<>!~'\"&":
        return character
    if character.isprintable():
        return f"[{character}]" if character not in "^[]\\" else f"\\{character}"
    return character if ord(character) > 0xFF else f"\\x{ord(character):02x}"


def _written(pieces: Iterable[Piece]) -> Iterator[str]:
    after_token = False
    for each in pieces:
        if isinstance(each, Token):
            yield each.text
        else:
            for at, character in enumerate(each):
                yield _escaped(character, after_token=after_token and at == 0)
        after_token = isinstance(each, Token)


def _escaped(character: str, *, after_token: bool) -> str:
    if character in "\\<|" or (after_token and character in _QUANTIFIERS):
        return f"\\{character}"
    return character if character.isprintable() else f"\\u{{{ord(character):x}}}"


def _require_characters(pieces: tuple[Piece, ...]) -> None:
    """Refuse halves of characters, which no text can hold."""
    for each in pieces:
        if isinstance(each, str) and not each.isascii() and _SURROGATE.search(each):
            raise CheckError(f"the constant {each!r} has half of a character, which matches none.")


def _require_linear(pieces: tuple[Piece, ...]) -> None:
    """Refuse what a backtracking engine could take more than linear time for.

    A token of one and more must end where it has to: before something that it cannot contain. Only
    the last one of a pattern may share characters with what follows.
    """
    open_ended = [n for n, each in enumerate(pieces) if isinstance(each, Token) and not each.count]
    for at, _ in pairwise(open_ended):
        token, following = pieces[at], pieces[at + 1]
        assert isinstance(token, Token)
        if _goes_on(token, following):
            shown = "".join(_written(pieces))
            raise CheckError(
                f"the pattern {shown!r} is ambiguous: where {token.text} ends is not clear, since"
                f" what follows can be part of it; put a separator or a count."
            )


#: what a token of one and more goes on with, and what it begins with, where that is not its class
_GOES_ON = {**CLASSES, "capitalised": f"[{_LOWER}]", "num": "[0-9.]"}
_BEGINS = {**CLASSES, "capitalised": f"[{_UPPER}]", "num": "[-0-9]"}


def _goes_on(token: Token, following: Piece) -> bool:
    """Whether what follows can begin with what a token can go on with."""
    if isinstance(following, Token):
        return _overlap(token.kind, following.kind)
    return re.match(_GOES_ON[token.kind], following) is not None


@cache
def _overlap(kind: str, following: str) -> bool:
    inner, first = re.compile(_GOES_ON[kind]), re.compile(_BEGINS[following])
    return any(inner.match(each) and first.match(each) for each in _PROBES)
