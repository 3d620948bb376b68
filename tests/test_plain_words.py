"""User-facing text is in plain English: documents, messages, help and output. No Spark here.

A test cannot tell good sentences from bad ones. These rules find two habits that make a sentence
hard to read: words that mean nothing precise, and sentences that open with a relative clause.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import assay

ROOT = Path(__file__).parents[1]
SOURCE = Path(assay.__file__).parent

#: each word or phrase, and what to write instead
INSTEAD = {
    r"told|tells? of|said of|spoken for": "says which part reports what",
    r"anew": "again",
    r"dear(?:er|est)?": "expensive",
    r"so many": "the number itself",
    r"whoever|nobody|somebody": "the person or part that is meant",
    r"demand(?:s|ed)?": "constraint, require, expected",
    r"were it|as they may": "a question or a condition with if",
    r"taken for": "treated as",
    r"(?<!there )(?:is|are) no (?!longer\b|more\b|further\b)\w+": "must be …, got …",
    r"what is (?:of|to be)|of which there": "a sentence with subject and verb",
}
_WORD = re.compile("|".join(rf"\b(?:{words})\b" for words in INSTEAD), re.IGNORECASE)
#: a statement that begins with its object: "What one row does to a number is not told."
_OPENING = re.compile(r"(?:What|That|Of|Whether|Which|Whose|Where|Who|How (?:many|much|often))\b")
_SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+|\n\s*\n|\n\s*(?:[-*|#>]|\d+\.)\s+")

#: sentences that are plain although a rule finds them
ALLOWED = frozenset[str]()


def problems(text: str) -> Iterator[str]:
    """Yield each sentence that breaks a rule, with the reason."""
    for part in _SENTENCE_END.split(text):
        sentence = " ".join(part.split())
        if len(sentence.split()) < 3 or sentence in ALLOWED:
            continue
        word = _WORD.search(sentence)
        if word:
            yield f"{word[0]!r} in: {sentence}"
        if _OPENING.match(sentence) and not sentence.endswith("?"):
            yield f"opens with a relative clause: {sentence}"


def prose_of_markdown(text: str) -> str:
    """Return a document without code blocks, code spans and comments."""
    text = re.sub(r"^```.*?^```$|<!--.*?-->", "\n\n", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "x", text)


def texts_of_python(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each string of several words, without docstrings."""
    tree = ast.parse(source)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    parts = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            text = "".join(
                str(part.value) if isinstance(part, ast.Constant) else "x" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = "" if id(node) in parts | docstrings else node.value
        else:
            continue
        if len(text.split()) >= 3:
            yield node.lineno, text


def _documents() -> list[Path]:
    """Return all documents. The reference has the docstrings of all public names."""
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob(".github/**/*.md")])


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT if ROOT in path.parents else SOURCE.parent))


@pytest.mark.parametrize("path", _documents(), ids=_name)
def test_documents_are_in_plain_words(path: Path) -> None:
    assert list(problems(prose_of_markdown(path.read_text(encoding="utf-8")))) == []


def test_messages_and_output_are_in_plain_words() -> None:
    hits = [
        f"{_name(path)}, line {line}: {problem}"
        for path in sorted(SOURCE.rglob("*.py"))
        for line, text in texts_of_python(path.read_text(encoding="utf-8"))
        for problem in problems(text)
    ]
    assert hits == []


def test_the_rules_find_riddles() -> None:
    assert len(list(problems("What one row does is not told."))) == 2
    assert len(list(problems("Reading again is dear. Nobody demanded it."))) == 2
    assert list(problems("Which rows failed? The batch is no longer held.")) == []


def test_code_in_documents_is_not_prose() -> None:
    text = "Run `nobody told me`:\n\n```sh\nwhoever --demands it anew\n```\n\nIt prints a table."
    assert list(problems(prose_of_markdown(text))) == []
