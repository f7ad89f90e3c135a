"""Documents cut into elements: what json.loads gives, at every size of the pieces they come in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone.contracts import packed
from ragstone.contracts.json_elements import Element, elements
from ragstone.errors import ContractError

pytestmark = pytest.mark.python

SIZES = (1, 2, 3, 7, 64, 1 << 18)
TEXTS = st.text(alphabet='ab"\\[]{},: \n\u00e9\U0001f642', max_size=6)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=12,
)


def pieces(document: bytes, size: int) -> Iterator[bytes]:
    return (document[at : at + size] for at in range(0, len(document), size))


def cut(document: bytes, size: int, *path: str, pairs: bool = False) -> list[Element]:
    return list(elements(pieces(document, size), path, name="doc.json", pairs=pairs))


def refusal(document: bytes, *path: str, pairs: bool = False) -> str:
    """What is said of a document, which must not depend on the pieces."""
    said = set()
    for size in SIZES:
        with pytest.raises(ContractError) as error:
            cut(document, size, *path, pairs=pairs)
        said.add(str(error.value))
    (only,) = said
    return only


@given(st.lists(VALUES, max_size=5), st.sampled_from([None, 1]), st.booleans())
def test_elements_are_what_json_reads(
    values: list[object], indent: int | None, ascii_: bool
) -> None:
    document = json.dumps(values, indent=indent, ensure_ascii=ascii_).encode()
    for size in SIZES:
        found = cut(document, size)
        assert [json.loads(each.text) for each in found] == values
        assert [json.loads(each.on_one_line()) for each in found] == values
        assert not any(b"\n" in each.on_one_line() for each in found)
        assert [each.number for each in found] == list(range(1, len(values) + 1))


@given(st.dictionaries(TEXTS, VALUES, max_size=4), VALUES, st.sampled_from([None, 1]))
def test_pairs_below_a_path(values: dict[str, object], other: object, indent: int | None) -> None:
    whole = {"first": other, "at": {"x": other, "here": values, "y": other}, "last": other}
    document = json.dumps(whole, indent=indent).encode()
    for size in SIZES:
        found = cut(document, size, "at", "here", pairs=True)
        assert {each.key: json.loads(each.text) for each in found} == values


@given(st.lists(VALUES, min_size=1, max_size=3), st.data())
def test_no_part_of_a_document_is_a_document(values: list[object], data: st.DataObject) -> None:
    document = json.dumps(values).encode()
    end = data.draw(st.integers(0, len(document) - 1))
    with pytest.raises(ContractError, match=r"ends too early|expected an array"):
        cut(document[:end], data.draw(st.sampled_from(SIZES)))


@given(st.binary(max_size=12).map(lambda tail: b'[{"a":1},' + tail))
def test_what_is_cut_without_an_error_is_a_document(document: bytes) -> None:
    try:
        found = cut(document, 3)
        parts = [json.loads(each.text) for each in found]
    except (ContractError, ValueError):
        return
    assert json.loads(document) == parts


def test_an_element_has_the_line_that_it_begins_on() -> None:
    document = b'\xef\xbb\xbf\n[\n {"a":\n 1}\n, "x",\r\n\n [\n]]\n'
    for size in SIZES:
        assert [(each.line, each.text) for each in cut(document, size)] == [
            (3, b'{"a":\n 1}'),
            (5, b'"x"'),
            (7, b"[\n]"),
        ]


def test_an_element_that_is_too_deep_to_be_read_has_others_behind_it() -> None:
    deep = b"[" * 500 + b"{}" + b"]" * 500
    for size in SIZES:
        assert [each.text for each in cut(b"[1," + deep + b',"x"]', size)] == [b"1", deep, b'"x"']


@pytest.mark.parametrize(
    ("document", "path", "said"),
    [
        (
            b"[" * 3_000,
            (),
            "1: json: nested more than 1,000 levels deep (element 1, byte 1,003)",
        ),
        (b"", (), "1: json: the document ends too early (truncated?) (byte 1)"),
        (
            b'[{"a": 1},\n',
            (),
            "2: json: the document ends too early (truncated?) (element 2, byte 12)",
        ),
        (
            b'[{"a": "b',
            (),
            "1: json: the document ends too early (truncated?) (element 1, byte 10)",
        ),
        (b"[1]\n[2]", (), "2: json: something follows after the end of the document (byte 5)"),
        (b"[1,]", (), "1: json: a comma before the closing ] (element 2, byte 4)"),
        (b"[1 2]", (), "1: json: expected a comma or the end of the list (element 1, byte 4)"),
        (b"[1,,2]", (), "1: json: expected a value, found ',' (element 2, byte 4)"),
        (b'["a\nb"]', (), "1: json: a control character inside a string (element 1, byte 4)"),
        (b'{"a": 1}', (), "1: json: expected an array, found an object (byte 1)"),
        (b'{"a": {}}', ("a",), "1: json: expected an array at a, found an object (byte 7)"),
        (
            b'{"a": {}}',
            ("b",),
            "1: json: expected an object with the key 'b', found none (byte 10)",
        ),
        (
            b'{"a": {"b": 1}}',
            ("a", "c"),
            "1: json: expected an object with the key 'c' at a, found none (byte 15)",
        ),
        (b"[]", ("a",), "1: json: expected an object with the key 'a', found an array (byte 1)"),
        (b'{"a": [], "a": []}', ("a",), "1: json: the key 'a' is repeated (byte 15)"),
        (
            b'{"a": [1], b: 2}',
            ("a",),
            "1: json: expected a key in double quotes, found 'b' (byte 12)",
        ),
        (b'{"a" [1]}', ("a",), "1: json: expected a colon after the key (byte 6)"),
    ],
)
def test_a_bad_document_is_refused_in_one_sentence(
    document: bytes, path: Sequence[str], said: str
) -> None:
    assert refusal(document, *path) == f"doc.json:{said}"


def test_an_object_is_no_array_and_an_array_no_object() -> None:
    said = "doc.json:1: json: expected an object, found an array (byte 1)"
    assert refusal(b"[]", pairs=True) == said


def test_an_element_is_no_longer_than_a_line_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "LONGEST", 100)
    fits, over = b'"' + b"x" * 98 + b'"', b'"' + b"x" * 99 + b'"'
    for size in SIZES:
        assert [each.text for each in cut(b"[" + fits + b"]", size)] == [fits]
        with pytest.raises(ContractError, match="an element of more than 256 MB"):
            cut(b"[" + over + b"]", size)
        # What the path passes by is not held, so that it may be of any length.
        passed = b'{"a": "' + b"x" * 500 + b'", "b": [1]}'
        assert [each.text for each in cut(passed, size, "b")] == [b"1"]
