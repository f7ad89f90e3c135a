"""What is said of a text that is not JSON: the same words on every version of Python."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.contracts.json_fault import refuse
from ragstone.contracts.strict_json import NotJson, parse, written

pytestmark = pytest.mark.python

SAID = {
    "": "the line ends too early (truncated?)",
    "[1, 2": "the line ends too early (truncated?)",
    '{"a": "b': "the line ends too early (truncated?)",
    r'{"a": "b\u12': "the line ends too early (truncated?)",
    '{"a": "' + "[" * 300: "the line ends too early (truncated?)",
    "[1,]": "a comma before the closing ] (character 4)",
    '{"a": 1 , }': "a comma before the closing } (character 11)",
    '{"a" 1}': "expected a ':' delimiter, found '1' (character 6)",
    '{"a": 01}': "expected a ',' delimiter, found '1' (character 8)",
    "{a: 1}": "expected a property name enclosed in double quotes, found 'a' (character 2)",
    '{"a": nothing_at_all}': "expected a value, found 'nothing_at' (character 7)",
    "[1, , 2]": "expected a value, found ',' (character 5)",
    '{"é": é}': "expected a value, found '\\xe9' (character 7)",
    '"a\tb"': "a control character inside a string, found '\\t' (character 3)",
    r'"a\x41"': r"not a valid \escape, found 'x41' (character 4)",
    r'"a\u12g4"': r"not a valid \uXXXX escape, found 'u12g4' (character 4)",
    '{"a": 1} {"a": 2}': "more than one value on the line (from character 10)",
    '{"a": 1} // why': "a comment is not JSON (character 10)",
    '{"a": 1, # why': "a comment is not JSON (character 10)",
    "\ufeff{}": "a byte-order mark stands at the start of a file only (character 1)",
    "[" * 201: "nested more than 200 levels deep",
    "[" * 100_000: "nested more than 200 levels deep",
    "[NaN" * 201: "nested more than 200 levels deep",
    '{"a": 1, "b": {"é": 1, "é": 2}}': 'the key "é" is repeated',
    r'["\ud800"]': r"\ud800 is half of a surrogate pair",
    '{"a": NaN}': "NaN is not a JSON number",
    '{"a": -Infinity}': "-Infinity is not a JSON number",
}


@pytest.mark.parametrize("text", SAID, ids=lambda text: text[:20])
def test_the_words_are_ours(text: str) -> None:
    with pytest.raises(NotJson) as error:
        parse(text.encode())
    assert str(error.value) == SAID[text]


@pytest.mark.parametrize("ascii", [True, False])
def test_more_than_30_combining_marks_in_a_row_are_an_error_of_their_field(ascii: bool) -> None:
    def spelled(row: object) -> bytes:
        return json.dumps(row, ensure_ascii=ascii).encode()

    def said(row: object) -> tuple[str, str]:
        with pytest.raises(NotJson) as error:
            parse(spelled(row))
        return error.value.field, str(error.value)

    good = {"a": "e" + "\u0327\u0301" * 15, "b": ["\u0301" * 30 + "e" + "\u0301" * 30]}
    assert parse(spelled(good)) == good
    reason = "more than 30 combining marks in a row"
    assert said({"a": {"b": ["e", "e" + "\u0301" * 31]}}) == ("a.b", reason)
    assert said({"a": "x" + "\U0001d165\u0301" * 16}) == ("a", reason)
    assert said(["\u0f73" * 31]) == ("json", reason)
    assert said({"a": {"\u0301" * 31: 1}}) == ("a", f"a key has {reason}")


MARKS = [*'[]{},:" \n\t\\/']
WORDS = ["1", "-", "0.5", "1e", "true", "nul", '"a"', '"a": ', r"\u00e9", r"\ud8"]
PIECES = st.sampled_from(MARKS + WORDS)


@given(st.lists(PIECES, max_size=12).map("".join))
def test_we_find_a_fault_exactly_where_python_does(text: str) -> None:
    try:
        json.loads(text)
    except ValueError:
        with pytest.raises(NotJson):
            refuse(text)
    else:
        refuse(text)


def test_a_fault_in_a_file_of_many_lines_is_counted_in_its_line() -> None:
    with pytest.raises(NotJson, match=r"found 'x' \(character 2\)") as error:
        refuse("[1,\n x]")
    assert error.value.at == 5


HOLDS_ITSELF: list[object] = []
HOLDS_ITSELF.append(HOLDS_ITSELF)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"a": {1}}, "a set cannot be written as JSON"),
        ({(1, 2): 3}, "a key is neither text nor a number, true, false or null"),
        (HOLDS_ITSELF, "a list or an object contains itself, or a number is too long"),
        ([10**5000], "a list or an object contains itself, or a number is too long"),
    ],
)
def test_what_json_cannot_hold_is_named(value: object, says: str) -> None:
    with pytest.raises(NotJson) as error:
        written(value)
    assert str(error.value) == says
