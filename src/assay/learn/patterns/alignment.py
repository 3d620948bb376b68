"""Which tokens of several shapes stand for the same: multi-sequence alignment (section 3).

The best alignment of many sequences is NP-hard to find; as in the paper, one more sequence at a
time is aligned with those before it, here in the order of their rows, by the sum of pairs
(Needleman and Wunsch's recurrence). A token is a symbol, or the class of the runs that stand there.

>>> hours, seconds = ("digit", ":", "digit", "Z"), ("digit", ":", "digit", ":", "digit", "Z")
>>> for line in aligned({hours: 70, seconds: 30}).values():
...     print(*(each or "gap" for each in line))
digit : digit gap gap Z
digit : digit : digit Z
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product

__all__ = ["Line", "Tokens", "aligned"]

#: symbols, which are one character each, and names of classes
Tokens = tuple[str, ...]
#: a sequence with its gaps, which are None
Line = tuple[str | None, ...]

#: a token that has no counterpart
_GAP = 2
#: two symbols, or letters and digits: rather than a gap in either
_OTHER = 2
#: a class that has the other in it
_WIDER = 1
#: a symbol is no run, and words are no numbers
_NEVER = 1_000_000
_WITHIN = frozenset(
    {
        frozenset(("digit", "alphanum")),
        frozenset(("letter", "alphanum")),
        frozenset(("digit", "num")),
    }
)
#: sequences that are aligned at most, and tokens of each: what it takes is bounded
_SEQUENCES = 8
_TOKENS = 64


def aligned(rows: Mapping[Tokens, int]) -> dict[Tokens, Line]:
    """The sequence of the most rows and those near to it, each with its gaps.

    Near is what differs by a cost of no more than one a token of the longer: half of them may be
    gaps. Where gaps could be elsewhere at the same cost, they are as late as they can be.
    """
    order = sorted(rows, key=lambda each: (-rows[each], each))
    near = [each for each in order if len(each) <= _TOKENS]
    near = [each for each in near if _near(order[0], each)][:_SEQUENCES] or order[:1]
    lines: list[Line] = [near[0]] if near else []
    for tokens in near[1:]:
        lines = _joined(lines, tokens)
    return dict(zip(near, lines, strict=True))


def _near(leader: Tokens, tokens: Tokens) -> bool:
    if len(leader) > _TOKENS:
        return leader == tokens
    return _costs([leader], tokens)[0][0] <= max(len(leader), len(tokens))


def _cost(one: str | None, other: str | None) -> int:
    """What it costs that two tokens, or a token and a gap, stand in the same column."""
    if one == other:
        return 0
    if one is None or other is None:
        return _GAP
    if len(one) == 1 or len(other) == 1:
        return _OTHER if len(one) == len(other) else _NEVER
    if frozenset((one, other)) in _WITHIN:
        return _WIDER
    return _NEVER if "num" in (one, other) else _OTHER


def _columns(lines: Sequence[Line]) -> list[Counter[str | None]]:
    return [Counter(column) for column in zip(*lines, strict=True)]


def _with(column: Counter[str | None], token: str | None) -> int:
    """The sum of pairs that a token, or a gap, adds to a column."""
    return sum(count * _cost(token, other) for other, count in column.items())


def _costs(lines: Sequence[Line], tokens: Tokens) -> list[list[int]]:
    """The least cost to align the columns from each on with the tokens from each on."""
    columns = _columns(lines)
    new = _GAP * len(lines)
    best = [[0] * (len(tokens) + 1) for _ in range(len(columns) + 1)]
    known = [{token: _with(column, token) for token in {None, *tokens}} for column in columns]
    for at, to in product(range(len(columns), -1, -1), range(len(tokens), -1, -1)):
        ways = []
        if at < len(columns):
            ways.append(best[at + 1][to] + known[at][None])
        if to < len(tokens):
            ways.append(best[at][to + 1] + new)
        if at < len(columns) and to < len(tokens):
            ways.append(best[at + 1][to + 1] + known[at][tokens[to]])
        best[at][to] = min(ways, default=0)
    return best


def _joined(lines: Sequence[Line], tokens: Tokens) -> list[Line]:
    """With one more sequence: its tokens are in columns that there are, or in new ones."""
    best, columns = _costs(lines, tokens), _columns(lines)
    joined: list[tuple[str | None, ...]] = []
    at = to = 0
    gaps = (None,) * len(lines)
    before = list(zip(*lines, strict=True))
    while at < len(columns) or to < len(tokens):
        left, both = best[at][to], at < len(columns) and to < len(tokens)
        if both and left == best[at + 1][to + 1] + _with(columns[at], tokens[to]):
            joined.append((*before[at], tokens[to]))
            at, to = at + 1, to + 1
        elif at < len(columns) and left == best[at + 1][to] + _with(columns[at], None):
            joined.append((*before[at], None))
            at += 1
        else:
            joined.append((*gaps, tokens[to]))
            to += 1
    return list(zip(*joined, strict=True))
