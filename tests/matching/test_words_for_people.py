"""What a match says in words, and which part of the claim it marks."""

from __future__ import annotations

import pytest

from ragstone.matching.expectations import Claim, parse

pytestmark = pytest.mark.python


def words(expected: object, claim: str) -> tuple[str, str]:
    match = parse(expected).match(Claim(claim))
    return match.expected, match.found


def test_a_number_is_told_with_its_unit_and_what_was_found():
    gold = {"number": "1577.00", "unit": "USD million"}
    assert words(gold, "It was 1,832, then 636.") == ("1,577 USD million", "1,832 and 636")
    assert words(gold, "It was unknown.") == ("1,577 USD million", "")


def test_more_than_five_are_counted():
    found = words({"number": 9}, "1; 2; 3; 4; 5; 6; 7; 8")[1]
    assert found == "1, 2, 3, 4, 5 … and 3 more"


def test_each_form_has_words():
    assert words({"number": "8.70", "unit": "%"}, "")[0] == "8.7 %"
    assert words({"date": "2023-07"}, "in June 2023") == ("July 2023", "June 2023")
    assert words({"date": "2023-07-01"}, "")[0] == "July 1, 2023"
    assert words({"yesno": True}, "No.") == ("yes", "no")
    assert words({"any": ["a", "b"]}, "")[0] == "one of “a”; “b”"
    assert words(["a", {"number": 5}], "6")[0] == "one of “a”; 5"
    assert words({"regex": "a+"}, "")[0] == "a match of /a+/"


def test_of_all_only_what_is_missing_is_told():
    gold = {"all": [{"number": 5}, {"yesno": True}]}
    assert words(gold, "Yes, 6.") == ("5", "6")
    assert words(gold, "No, 6.") == ("5; yes", "6; no")


def marked(expected: object, claim: str) -> list[str]:
    return [claim[begin:end] for begin, end in parse(expected).match(Claim(claim)).spans]


def test_the_part_that_matched_is_marked_in_the_raw_claim():
    assert marked({"number": 5, "unit": "USD million"}, "Was it US$ 5 million?") == [
        "US$ 5 million"
    ]
    assert marked({"any": ["strasse"]}, "ß: die Straße, die STRASSE") == ["Straße", "STRASSE"]
    assert marked({"any": ["café"]}, "İ cafe\u0301!") == ["cafe\u0301"]
    assert marked({"yesno": True}, "İstanbul? Yes.") == ["Yes"]
    assert marked({"date": "2023-07"}, "on 1 July 2023,") == ["1 July 2023"]
    assert marked({"regex": "b+"}, "aébbc") == ["bb"]
