"""A list cell is data in any spelling, and an id is text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.contracts.ids import NotIds, id_text, ids_in

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(st.lists(texts))
def test_a_python_list_reads_back_as_it_was_written(ids):
    assert ids_in(repr(ids)) == ids


@given(st.lists(texts), st.booleans())
def test_a_json_list_reads_back_as_it_was_written(ids, ascii_only):
    assert ids_in(json.dumps(ids, ensure_ascii=ascii_only)) == ids


@given(st.lists(texts))
def test_a_list_is_taken_as_it_is(ids):
    assert ids_in(ids) == ids


@pytest.mark.parametrize(
    ("cell", "ids"),
    [
        ("", []),
        ("  ", []),
        (None, []),
        ("[]", []),
        ("one", ["one"]),
        ("an id with spaces", ["an id with spaces"]),
        ("['an id', \"it's\"]", ["an id", "it's"]),
        ("['a',]", ["a"]),
        ("[1, 2]", ["1", "2"]),
        ([1, "1x"], ["1", "1x"]),
        ("['a\\\\b', '\\x41\\u00e9\\U0001F600']", ["a\\b", "Aé😀"]),
        ("<urn:uuid:27c6>", ["<urn:uuid:27c6>"]),
        # Python 2 wrote its lists so.
        ("[u'a', u'b']", ["a", "b"]),
        # As in Python, an unknown escape is two characters; its warning is not shown.
        (r"['C:\data', 'a']", [r"C:\data", "a"]),
        # One number is one id, in a JSON list or a Python list.
        ("['a', 1.0, 2.50]", ["a", "1", "2.5"]),
        ('["a", 1.0, 2.50]', ["a", "1", "2.5"]),
        ("['a, b', 'c\" \"d', \"it's\"]", ["a, b", 'c" "d', "it's"]),
    ],
)
def test_a_cell_holds_these_ids(cell, ids):
    assert ids_in(cell) == ids


@pytest.mark.parametrize(
    "cell",
    [
        "['a' 'b']",
        "['a'",
        "[a, b]",
        "['a'] and more",
        "[[1]]",
        "['a', None]",
        "[__import__('os').system('true')]",
        "['']",
        [""],
        [None],
        [True],
        {"a": 1},
        '{"a": 1}',
        7,
        "['\\ud800']",
        "[,'a']",
        # So NumPy prints an array: Python would read one id.
        "[u'a'\n u'b']",
        "['a', b'b']",
        "['a', {b'b': 1}]",
        "['a', 1j]",
        "['a', set()]",
        "['a', {[]}]",
        "['a'], 'b'",
        "['a\0']",
        "[1e400]",
        "['a', 1e400]",
    ],
)
def test_what_is_no_list_of_ids_is_refused(cell):
    with pytest.raises(NotIds):
        ids_in(cell)


@pytest.mark.parametrize(
    "cell",
    [
        "[" * 1_000_000,
        "['a', " * 150_000,
        "['a', " + "-" * 900_000 + "1]",
        "['a', " + "1+" * 400_000 + "1]",
        "['a', " + "x." * 400_000 + "x]",
        "['a', " + "not " * 200_000 + "1]",
        "['a', " + "1" * 900_000 + "]",
    ],
)
def test_a_cell_of_a_million_characters_is_refused_like_any_other(cell):
    with pytest.raises(NotIds, match=r"^expected an? "):
        ids_in(cell)


def test_a_long_python_list_is_read_up_to_a_million_characters():
    ids = [f"doc-{number}" for number in range(70_000)]
    assert ids_in(repr(ids)) == ids
    with pytest.raises(NotIds, match="more than 1,000,000 characters; write it as a JSON list"):
        ids_in(repr(ids * 2))
    assert ids_in(json.dumps(ids * 2)) == ids * 2


@pytest.mark.parametrize("same", [1, "1", 1.0, "1.0"])
def test_one_question_has_one_id(same):
    assert id_text(same) == "1"


@pytest.mark.parametrize("own", ["1.10", "v1.0", "01", "1.00", "-"])
def test_other_texts_are_left_as_they_are(own):
    assert id_text(own) == own
