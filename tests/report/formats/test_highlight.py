import unicodedata

import pytest
from against.answers_oracle import contains
from hypothesis import given
from hypothesis import strategies as st

from ragstone.report.formats.highlight import pieces

LETTERS = st.text(st.sampled_from("aAßsSΣσςİıéeE\u0301 .12,京"), max_size=30)


def marked(text: str, *substrings: str) -> list[str]:
    return [piece for piece, hit in pieces(text, substrings) if hit]


@pytest.mark.parametrize(
    ("claim", "substring", "expected"),
    [
        ("X rejects NULL keys.", "rejects null keys", ["rejects NULL keys"]),
        ("ΟΔΟΣ ΟΔΟΣ ", "οδος οδος", ["ΟΔΟΣ ΟΔΟΣ"]),
        ("STRASSE straße", "straße", ["STRASSE", "straße"]),
        ("Cafe\u0301 noir", "CAFÉ NOIR", ["Café noir"]),
        ("abcd abcd", "abcd", []),
        ("aaaaaaaaaa", "aaaaa", ["aaaaaaaaaa"]),
        ("nothing here", "somewhere else", []),
        ("21,577 or 1,577.", "1,577", ["1,577"]),
        ("東京です", "東京", ["東京"]),
        ("", "anything", []),
    ],
)
def test_a_gold_substring_is_found_ignoring_case(
    claim: str, substring: str, expected: list[str]
) -> None:
    assert marked(claim, substring) == expected


def test_overlapping_substrings_are_one_mark() -> None:
    assert marked("only domain example.com", "only domain", "domain example") == [
        "only domain example"
    ]


@given(LETTERS, st.lists(LETTERS, max_size=3))
def test_the_pieces_are_the_text_and_the_marks_agree_with_containment(
    text: str, substrings: list[str]
) -> None:
    cut = pieces(text, substrings)
    assert "".join(piece for piece, _ in cut) == unicodedata.normalize("NFC", text)
    assert any(hit for _, hit in cut) == (substrings != [] and contains(text, substrings))
