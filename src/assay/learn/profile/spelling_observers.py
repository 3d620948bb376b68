"""Observers of spellings: variants, typos, units, and codes that a spreadsheet changed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from assay.checks.formatting import count_noun, visible
from assay.learn.profile.column_profile import ColumnProfile
from assay.learn.profile.known_values import MIN_ROWS, Observer, count_of_total, known_values

__all__ = ["SPELLING_OBSERVERS"]

#: A typo occurs at most this often, the right value at least this many times as often. Shorter
#: words differ by one letter by chance.
_MAX_TYPOS, _MIN_TYPO_RATIO, _MIN_WORD_LENGTH = 2, 10.0, 5
_WORD_END, _WORD_START = re.compile(r"\w+$"), re.compile(r"\w+")
#: the share of the values that must be numbers with an ending, such as ``12 oz``
_MIN_UNIT_SHARE = 0.95
_NUMBER_WITH_UNIT = re.compile(r"[+-]?[0-9][0-9.,]*(\s*(?:%|[^\W\d_][^0-9]{0,7})?)")
#: spreadsheets write a code such as 3-9 as ``9-Mar``, and a long one as ``9.79E+12``
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_SPREADSHEET = re.compile(rf"{_MONTH}-[0-9]{{2}}|[0-9]{{1,2}}-{_MONTH}|[0-9]\.[0-9]+E\+[0-9]{{2}}")
_MAX_SPREADSHEET_SHARE = 0.5


def _observe_variants(column: ColumnProfile) -> str:
    """Report values that differ only in case or spaces."""
    if not column.exact or column.texts is None or _observe_units(column):
        return ""
    groups: dict[str, list[str]] = {}
    for label in known_values(column):
        groups.setdefault(" ".join(label.casefold().split()), []).append(label)
    for labels in groups.values():
        if len(labels) > 1:
            return f"{visible(labels[0])!r} and {visible(labels[1])!r} may be the same"
    return ""


def _observe_typos(column: ColumnProfile) -> str:
    """Report a rare value that differs from a frequent one by a letter."""
    if not column.exact or column.texts is None:
        return ""
    values = known_values(column)
    candidates: dict[str, list[str]] = {}
    for label, count in values.items():
        if count >= _MIN_TYPO_RATIO and len(label) >= _MIN_WORD_LENGTH:
            for key in _without_one_character(label):
                candidates.setdefault(key, []).append(label)
    for label, count in values.items():
        if count > _MAX_TYPOS or len(label) < _MIN_WORD_LENGTH:
            continue
        for usual in _candidates_of(label, candidates):
            if values[usual] >= _MIN_TYPO_RATIO * count and _differ_by_a_letter(label, usual):
                times, usual_times = (
                    count_noun(round(number), "time") for number in (count, values[usual])
                )
                return f"{visible(label)!r} ({times}) may be {visible(usual)!r} ({usual_times})"
    return ""


def _without_one_character(label: str) -> Iterator[str]:
    """Yield the label, and the label without each of its characters."""
    yield label
    yield from (label[:at] + label[at + 1 :] for at in range(len(label)))


def _candidates_of(label: str, candidates: Mapping[str, Iterable[str]]) -> list[str]:
    """Return the values that share a key with a label: they differ by two characters at most."""
    keys = _without_one_character(label)
    return list(dict.fromkeys(usual for key in keys for usual in candidates.get(key, ())))


def _differ_by_a_letter(first: str, second: str) -> bool:
    """Return whether a letter of a word is replaced, missing or added, or two are exchanged.

    >>> _differ_by_a_letter("san jose", "san jsoe"), _differ_by_a_letter("pn-3a", "pn-3b")
    (False, False)
    >>> _differ_by_a_letter("birminghxm", "birmingham"), _differ_by_a_letter("Cortland", "Portland")
    (True, False)
    """
    shorter = min(len(first), len(second))
    start = next((at for at in range(shorter) if first[at] != second[at]), shorter)
    if start == 0:
        return False  # other names often differ in the first letter: Cortland, Portland
    end = next((at for at in range(shorter - start) if first[-1 - at] != second[-1 - at]), None)
    end = shorter - start if end is None else end
    middle, other = first[start : len(first) - end], second[start : len(second) - end]
    if not (middle + other).isalpha() or middle.casefold() == other.casefold():
        return False
    before, after = (
        _WORD_END.search(second[:start]),
        _WORD_START.match(second[start + len(other) :]),
    )
    word = f"{before[0] if before else ''}{other}{after[0] if after else ''}"
    if len(word) < _MIN_WORD_LENGTH or not word.isalpha():
        return False
    return max(len(middle), len(other)) == 1 or (len(middle) == 2 and middle == other[::-1])


def _observe_units(column: ColumnProfile) -> str:
    """Report numbers of which some have ``%``, and a unit that is written in several ways."""
    values = known_values(column)
    if column.texts is None or column.kind != "string":
        return ""
    total = sum(values.values())
    endings: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for label, count in values.items():
        match = _NUMBER_WITH_UNIT.fullmatch(label)
        if match is not None:
            endings[match[1]] += round(count)
            examples.setdefault(match[1], label)
    if total < MIN_ROWS or sum(endings.values()) < _MIN_UNIT_SHARE * total:
        return ""
    percentages = [ending for ending in endings if ending.strip() == "%"]
    if percentages and endings[""]:
        count = sum(endings[ending] for ending in percentages)
        numbers = f"{count_of_total(count, round(total))} values"
        return f"some numbers end with '%' ({numbers}), such as {examples[percentages[0]]!r}"
    spellings: dict[str, list[str]] = {}
    for ending in endings:
        unit = ending.strip(" .").casefold()
        if len(unit) > 1:
            spellings.setdefault(unit, []).append(ending)
    for written in spellings.values():
        if len(written) > 1:
            forms = " and ".join(repr(visible(ending)) for ending in written[:2])
            return f"a unit is written in {len(written)} ways: {forms}"
    return ""


def _observe_spreadsheets(column: ColumnProfile) -> str:
    """Report dates such as ``9-Mar`` and numbers such as ``9.79E+12`` among other values."""
    values = known_values(column)
    if column.texts is None or column.kind in {"fractional", "date", "timestamp"}:
        return ""
    changed = [label for label in values if _SPREADSHEET.fullmatch(label.strip())]
    count = sum(values[label] for label in changed)
    if not changed or count > _MAX_SPREADSHEET_SHARE * sum(values.values()):
        return ""
    return f"{visible(changed[0])!r} may be a code that a spreadsheet has changed"


#: the observers of spellings by the code of their observation
SPELLING_OBSERVERS: Mapping[str, Observer] = {
    "variants": _observe_variants,
    "typo": _observe_typos,
    "units": _observe_units,
    "spreadsheet": _observe_spreadsheets,
}
