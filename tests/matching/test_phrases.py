"""Plain phrases: the floor of five, digits at the ends, and one set of characters everywhere."""

from __future__ import annotations

import re
import sys
import unicodedata
from random import Random

import pytest
from against.answers_oracle import contains, is_digit, is_spaceless
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone import score_eval
from ragstone.engine.duck import Duck
from ragstone.matching.characters import DIGITS, SPACELESS, fold
from ragstone.matching.phrases import FIGURE, FLOOR, has_phrase, phrase_spans, weight
from ragstone.suites.answers.verdicts import Judging, prepare

pytestmark = pytest.mark.python

EVERY_CHARACTER = [
    chr(code) for code in range(1, sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF
]
CHARACTERS = "12,.|' a京\u00a0٣"
FIGURES = st.text(CHARACTERS, max_size=12)


@pytest.mark.parametrize(
    ("phrase", "claim", "held"),
    [
        ("1,577", "It was $21,577.", False),
        ("1,577", "It was $1,577.", True),
        ("1,577", "It was 1,577.5 then", False),
        ("1,577", "It was 1,577,000", False),
        ("1,577", "2,1,577", False),
        ("1,577", "3.1,577", False),
        ("1,577", "first 21,577, then 1,577", True),
        ("1,577", "(1,577)", True),
        ("1,577", "1,577, 2,000", True),
        ("30 days", "130 days", False),
        ("30 days", "within 30 days.", True),
        ("30 days", "1\u00a030 days", False),
        ("within 30", "within 30 days", True),
        ("within 30", "within 30.5 days", False),
        ("within 30", "within 300 days", False),
        ("within 30.", "within 30.5 days", True),  # it does not end with a digit
        (".5 percent", "1.5 percent", True),
        ("1 1 1", "21 1 1 1", True),
        ("٣٠ يوما", "١٣٠ يوما", False),
        ("１５７７０", "２１５７７０", False),
        ("東京", "東京です", True),
        ("東", "東京", False),
        ("서울", "서울입니다", True),
        ("ไทย", "ประเทศไทย", True),
        ("京1", "東京1", False),  # 3 and 1 are 4
        ("京12", "東京123", False),
        ("京12", "東京12", True),
    ],
)
def test_a_phrase_is_held_or_not(phrase: str, claim: str, held: bool) -> None:
    assert has_phrase(claim, phrase) is held
    assert score_eval.holds(fold(claim), phrase) is held
    assert contains(claim, [phrase]) is held


def figures(chance: Random, most: int) -> str:
    return "".join(chance.choices(CHARACTERS, k=chance.randint(0, most)))


@given(FIGURES, FIGURES)
def test_the_scorer_the_oracle_and_the_highlighter_agree(claim: str, phrase: str) -> None:
    held = contains(claim, [phrase])
    assert has_phrase(claim, phrase) is held
    assert score_eval.holds(fold(claim), phrase) is held
    for begin, end in phrase_spans(fold(claim), phrase):
        assert fold(claim)[begin:end] == fold(phrase)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32))
def test_the_engine_agrees_with_the_oracle(seed: int) -> None:
    chance = Random(seed)
    pairs = [(figures(chance, 12), figures(chance, 8)) for _ in range(1000)]
    with Duck() as duck:
        prepare(duck, Judging())
        found = duck.query(
            "select long_enough(phrase) and holds(fold(claim), fold(phrase)) "
            "from (select unnest($claims) as claim, unnest($phrases) as phrase)",
            {"claims": [claim for claim, _ in pairs], "phrases": [phrase for _, phrase in pairs]},
        )
    assert [row[0] for row in found] == [contains(claim, [phrase]) for claim, phrase in pairs]


def test_everybody_counts_the_same_characters_as_three() -> None:
    spaceless = re.compile(f"[{SPACELESS}]")
    for character in EVERY_CHARACTER:
        expected = is_spaceless(character)
        assert bool(spaceless.match(character)) is expected, hex(ord(character))
        assert bool(re.match(score_eval.UNSPACED, character)) is expected, hex(ord(character))


def test_everybody_knows_the_same_digits() -> None:
    digit = re.compile(f"[{DIGITS}]")
    for character in EVERY_CHARACTER:
        known = bool(digit.match(character))
        # What Unicode added since 2021 is beyond the characters of two bytes.
        if known or ord(character) < 0x10000:
            assert is_digit(character) is known, hex(ord(character))
            assert bool(score_eval.FIGURE.match(character)) is known, hex(ord(character))


def test_the_engine_reads_the_classes_as_python_does() -> None:
    sample = EVERY_CHARACTER[:0x10000] + EVERY_CHARACTER[0x10000::7]
    with Duck() as duck:
        for pattern in (f"[{SPACELESS}]", f"[{DIGITS}]", FIGURE):
            found = duck.texts(
                "select c from (select unnest($sample) as c) where regexp_matches(c, $pattern)",
                {"sample": sample, "pattern": pattern},
            )
            assert list(found) == [each for each in sample if re.search(pattern, each)]


@pytest.mark.parametrize(
    ("name", "spaceless"),
    [
        *(("THAI CHARACTER KO KAI", True), ("LAO LETTER KO", True), ("KHMER LETTER KA", True)),
        *(("MYANMAR LETTER KA", True), ("HANGUL SYLLABLE GA", True), ("HIRAGANA LETTER A", True)),
        *(("KATAKANA LETTER A", True), ("HALFWIDTH KATAKANA LETTER A", True)),
        *(("CJK UNIFIED IDEOGRAPH-4E00", True), ("CJK UNIFIED IDEOGRAPH-20000", True)),
        *(("IDEOGRAPHIC ITERATION MARK", True), ("IDEOGRAPHIC FULL STOP", False)),
        *(("IDEOGRAPHIC SPACE", False), ("FULLWIDTH LATIN SMALL LETTER A", False)),
        *(
            ("ARABIC LETTER BEH", False),
            ("DEVANAGARI LETTER KA", False),
            ("BOPOMOFO LETTER B", False),
        ),
    ],
)
def test_a_script_without_spaces_counts_as_three(name: str, spaceless: bool) -> None:
    assert (weight(unicodedata.lookup(name) * 2) >= FLOOR) is spaceless
