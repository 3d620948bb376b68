"""The language of patterns: texts, values, and one meaning in Python and in Spark."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.analyzers.regex import full_match
from assay.checks.pattern import CLASSES, Pattern, Piece, Token
from assay.errors import CheckError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KINDS = (*CLASSES, "capitalised", "num")
tokens = st.builds(
    lambda kind, count: Token(kind, None if kind == "num" else count),
    st.sampled_from(KINDS),
    st.none() | st.integers(1, 12),
)
constants = st.text(min_size=1, max_size=6).filter(lambda text: text.isprintable() or "\n" in text)


@st.composite
def patterns(draw: st.DrawFn) -> Pattern:
    def alternative() -> tuple[Piece, ...]:
        return tuple(draw(st.lists(tokens | constants, max_size=5)))

    for _ in range(8):
        try:
            return Pattern(tuple(alternative() for _ in range(draw(st.integers(1, 3)))))
        except CheckError:
            continue
    return Pattern.of(draw(constants))


@given(patterns())
def test_the_text_of_a_pattern_reads_back(pattern: Pattern) -> None:
    assert Pattern.parse(str(pattern)) == pattern


@given(st.text(max_size=30))
def test_a_constant_matches_itself_alone(value: str) -> None:
    pattern = Pattern.of(value)
    assert pattern.matches(value)
    assert not pattern.matches(value + "x")
    assert Pattern.parse(str(pattern)).matches(value)


@pytest.mark.parametrize(
    ("text", "yes", "no"),
    [
        (
            "<digit>{2}:<digit>{2}",
            ["09:07"],
            ["9:07", "09:07\n", "\u0660\u0669:\u0660\u0667", " 09:07"],
        ),
        ("<letter>{3} <digit>+", ["Mar 1", "mär 2019"], ["Mar  1", "Ma1 1", "März 1"]),
        ("<capitalised>+", ["Paris", "Éa"], ["P", "PAris", "paris", "Par1s"]),
        ("<capitalised>{1}", ["P"], ["p", "Pa"]),
        ("<upper>{2}|<lower>+", ["AB", "x"], ["A", "Ab", "", "AB|x"]),
        ("<num>", ["1", "-1", "1.50", "-0.5"], ["1.", ".5", "1e3", "--1", "+1", "1,5"]),
        ("<hex>{4}", ["00fF"], ["00fg", "00f"]),
        ("<symbol>+", ["-- ", "🙂", "\u202e"], ["a", "-1", ""]),
        ("a<all>+", ["ab\nc"], ["a", "ba"]),
        (r"\<b\>\|\\<digit>+\+", ["<b>|\\12+"], ["<b>|\\12"]),
        ("[(^$.*?)]{2}", ["[(^$.*?)]{2}"], ["[(^$.*?)]"]),
        (r"a\u{1b}<digit>", ["a\x1b1"], ["a1"]),
        ("", [""], ["a", "\n"]),
    ],
)
def test_patterns_match_the_expected_values(text: str, yes: list[str], no: list[str]) -> None:
    pattern = Pattern.parse(text)
    assert [value for value in yes if not pattern.matches(value)] == []
    assert [value for value in no if pattern.matches(value)] == []


@pytest.mark.connect
def test_spark_means_the_same(spark: SparkSession) -> None:
    texts = [
        *(f"<{kind}>+" if kind != "num" else "<num>" for kind in KINDS),
        *(f"<{kind}>{{2}}" for kind in KINDS if kind != "num"),
        "<upper>{1}<digit>+[-]<letter>+ ",
        "[(^$.*?)]{2}&&~'\"#",
        "\\u{1b}\\u{202e}é\\|<digit>|\U00020000<symbol>{1}",
    ]
    values = [
        *(
            "a",
            "Ab",
            "AB",
            "É",
            "éa",
            "ß",
            "ǅ",
            "1",
            "12",
            "-1.5",
            "fF",
            "ab12",
            "",
            " ",
            "\n",
            "1\n",
        ),
        *(
            "a\r",
            "12\u2028",
            "12\u0085",
            "🙂",
            "🙂🙂",
            "\u202e\u202d",
            "\u0663\u0664",
            "日本",
            "e\u0301",
            "ﬀ",
        ),
        *("\U00020000\U00020001", "\U00020000🙂", "A1[-]b ", "[(^$.*?)]{2}&&~'\"#"),
        *("\x1b\u202eé|1", "\x00\x01", "a\tb", "_", "×÷", "\ud7ff\uf8ff", "\ufeffa"),
    ]
    df = spark.createDataFrame([(value,) for value in values], "value string")
    regexes = {text: full_match(Pattern.parse(text).regex) for text in texts}
    matched = df.select(
        "value", *(df["value"].rlike(regex) for regex in regexes.values())
    ).collect()
    differ = [
        (text, value)
        for value, *matches in matched
        for text, there in zip(texts, matches, strict=True)
        if there != Pattern.parse(text).matches(value)
    ]
    assert differ == []
    assert any(any(matches) for _, *matches in matched)


@pytest.mark.parametrize(
    "text",
    [
        "<digit>+<digit>+",
        "<letter>+<alphanum>{2}<digit>+",
        "<all>+-<digit>+",
        "<alphanum>+a<digit>+",
        "<num><digit>+",
        ".".join(["<num>"] * 30),
        "<num>.<digit>+",
        "<num><symbol>+<digit>+",
    ],
)
def test_ambiguous_patterns_are_refused(text: str) -> None:
    with pytest.raises(CheckError, match=r"is ambiguous: where .+ ends is not clear"):
        Pattern.parse(text)


@pytest.mark.parametrize("after", ["{", "*", "?", "+"])
def test_a_quantifier_after_a_token_is_escaped_or_refused(after: str) -> None:
    for token in ("<digit>+", "<digit>{2}", "<num>"):
        pattern = Pattern.of(*Pattern.parse(token).alternatives[0], after + "x")
        assert str(pattern) == rf"{token}\{after}x"
        assert Pattern.parse(str(pattern)) == pattern
    for token in ("<digit>+", "<digit>{2}"):
        with pytest.raises(CheckError, match=re.escape(f"Write {after} as \\{after}.")):
            Pattern.parse(f"{token}{after}x")
    assert Pattern.parse(f"a{after}").matches(f"a{after}")


def test_counts_that_every_engine_takes() -> None:
    assert Pattern.parse("<digit>{1000}").matches("7" * 1000)
    for text in ("<digit>{1001}", "<digit>{0}"):
        with pytest.raises(CheckError, match=r"from 1 to 1,000, got"):
            Pattern.parse(text)
    with pytest.raises(CheckError, match="1234567"):
        Pattern.parse("<digit>{1234567}")


def test_half_of_a_character_is_refused() -> None:
    with pytest.raises(CheckError, match="has half of a character"):
        Pattern.of("a\ud800")
    with pytest.raises(CheckError, match="has half of a character"):
        Pattern.parse(r"a\u{dfff}")


def test_a_long_value_is_judged_at_once() -> None:
    pattern = Pattern.parse("<alphanum>+-<lower>+_<digit>+<letter>+<digit>{3}")
    assert not pattern.matches("a" * 10**6)
    assert not pattern.matches("a-" + "b" * 10**6)
    assert not pattern.matches("a-b_" + "1" * 10**6)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<digits>{2}", "no class of characters is called <digits>; did you mean <digit>?"),
        ("<digit>{0}", "from 1 to 1,000, got 0"),
        ("<num>{2}", "<num>: expected none, got 2"),
        ("<digit", "got '<digit'"),
        ("a\\", "got "),
    ],
)
def test_pattern_errors_name_the_problem(text: str, message: str) -> None:
    with pytest.raises(CheckError) as error:
        Pattern.parse(text)
    assert message in str(error.value)


def test_the_more_specific_leaves_less_open() -> None:
    texts = ["Mar", "<capitalised>{3}", "<capitalised>+", "<letter>+", "<alphanum>+", "<all>+"]
    widths = [Pattern.parse(text).generality for text in texts]
    assert widths == sorted(set(widths))
    assert Pattern.parse("<digit>+|<upper>+").generality > Pattern.parse("<digit>+").generality


def test_codes_of_characters_are_read_in_either_case() -> None:
    assert Pattern.parse(r"\u{1F600}") == Pattern.parse(r"\u{1f600}") == Pattern.of("\U0001f600")
