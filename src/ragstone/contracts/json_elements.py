"""The elements of a JSON document of any size, one at a time.

The document is cut apart and never held: what is in memory is the element that is being read and
the block of the file that it ends in. To find where an element ends is not to parse it. Brackets
must balance and strings must close, and that is all that is looked at, so whoever reads an element
parses it strictly. If every element is JSON, so is the document up to what the path passes by.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import NamedTuple, NoReturn

from ragstone.contracts import packed
from ragstone.contracts.not_json import NotJson
from ragstone.contracts.strict_json import parse
from ragstone.errors import ContractError, Diagnostic

_BOM = b"\xef\xbb\xbf"
_OPENING, _CLOSING, _QUOTE, _BACKSLASH = b"[{", b"]}", ord('"'), ord("\\")
_BLANKS = re.compile(rb"[ \t\n\r]*+")
# Between two brackets or quotes; in a string, up to its end or what may not be in it. A line break
# in a string stops here too: nothing after this could tell it from one between two values.
_OUTSIDE = re.compile(rb'[^"\[\]{}]*+')
_INSIDE = re.compile(rb'[^"\\\x00-\x1f]*+(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*+)*+')
_STRING = b'"%b"' % _INSIDE.pattern
_WORD = re.compile(rb"[-+.0-9A-Za-z_]*+")
# An element that is nested no deeper is found by one regular expression, the others bracket by
# bracket; records of logs are three or four levels deep.
_QUICK_DEPTH = 8
# An element that is too deep to be read is one bad element, and the next ones are read. A document
# of brackets alone is no such thing: it is not gone through to its end.
_DEEPEST = 1_000


class Element(NamedTuple):
    """One element: its number from 1, the line of the file that it begins on, and its JSON.

    `key` is that of an object's value, and empty in an array.
    """

    number: int
    line: int
    key: str
    text: bytes

    def on_one_line(self) -> bytes:
        """The same value without line breaks.

        >>> Element(1, 1, "", b'{\\n"a": 1}').on_one_line()
        b'{ "a": 1}'
        """
        # None of them is inside a string.
        return self.text.replace(b"\n", b" ").replace(b"\r", b" ")


def elements(
    blocks: Iterable[bytes], path: Sequence[str] = (), *, name: str, pairs: bool = False
) -> Iterator[Element]:
    """Each element of the array that the keys lead to; with `pairs`, of the object there.

    `blocks` are the bytes of the document in pieces of any size, as `packed.blocks_in` gives them,
    and `name` is what the errors call it. A document that is cut short, goes on after its end, or
    has no array there, is a ContractError when that is seen, after the elements before it.

    >>> [each.text for each in elements([b'{"n": 2, "rows": [{"a": 1}, 2]}'], ["rows"], name="x")]
    [b'{"a": 1}', b'2']
    """
    document = _Document(blocks, name)
    yield from _within(document, tuple(path), 0, pairs)
    if document.next_byte(at_end=True):
        document.refuse("something follows after the end of the document")


def _within(document: _Document, path: Sequence[str], depth: int, pairs: bool) -> Iterator[Element]:
    """The elements below the value that begins here, of which `depth` keys are behind it."""
    if depth == len(path):
        kind = b"{" if pairs else b"["
        if document.next_byte() != kind:
            wanted = "an object" if pairs else "an array"
            document.refuse(f"expected {wanted}{_at(path)}, found {document.found()}")
        yield from document.members(pairs)
        return
    wanted = f"expected an object with the key {path[depth]!r}{_at(path[:depth])}"
    if document.next_byte() != b"{":
        document.refuse(f"{wanted}, found {document.found()}")
    seen = False
    for key in document.each_key():
        if key != path[depth]:
            document.pass_value()
            continue
        if seen:
            document.refuse(f"the key {key!r} is repeated{_at(path[:depth])}")
        seen = True
        yield from _within(document, path, depth + 1, pairs)
    if not seen:
        document.refuse(f"{wanted}, found none")


def _at(path: Sequence[str]) -> str:
    return f" at {'.'.join(path)}" if path else ""


def _nested(depth: int) -> bytes:
    """A string, or a list or object of no greater depth."""
    if not depth:
        return _STRING
    return rb"(?:%b|[\[{]%b[\]}])" % (_STRING, _several(_nested(depth - 1)))


def _several(values: bytes) -> bytes:
    return b"%b(?:%b%b)*+" % (_OUTSIDE.pattern, values, _OUTSIDE.pattern)


@cache
def _inside() -> re.Pattern[bytes]:
    """What stands in a list or object, up to its end or what is deeper, or is not whole."""
    return re.compile(_several(_nested(_QUICK_DEPTH)))


@cache
def _quick(pairs: bool) -> re.Pattern[bytes]:
    """One whole element of no great depth, and the mark behind it."""
    blanks = _BLANKS.pattern
    key = b"(%b)%b:%b" % (_STRING, blanks, blanks) if pairs else b"()"
    value = b"%b|%b++" % (_nested(_QUICK_DEPTH), _WORD.pattern[:-2])
    return re.compile(
        b"%b%b(%b)%b([,%b])" % (blanks, key, value, blanks, rb"\}" if pairs else rb"\]")
    )


class _Document:
    """The part of a document that is in memory, and the place in it that has been reached."""

    def __init__(self, blocks: Iterable[bytes], name: str) -> None:
        self._blocks = iter(blocks)
        self._name = name
        self._buffer = bytearray()
        self._at = 0
        # Where the value begins that must stay in memory; -1 if none must.
        self._held = -1
        self._gone = 0
        self._line, self._counted = 1, 0
        self._number = 0
        self._after_comma = False
        while len(self._buffer) < len(_BOM) and self._more():
            pass
        if self._buffer.startswith(_BOM):
            self._at = len(_BOM)

    def members(self, pairs: bool) -> Iterator[Element]:
        """The elements of the array or object that begins here."""
        quick = _quick(pairs)
        self._at += 1
        more = not self._closes(b"}" if pairs else b"]")
        while more:
            self._number += 1
            found = quick.match(self._buffer, self._at)
            if found is None:
                yield self._slowly(pairs)
                more = self._goes_on(b"}" if pairs else b"]")
                continue
            key, text, mark = found.groups()
            line = self._line_at(found.start(2))
            self._at = found.end()
            self._must_be_short(len(text))
            yield Element(self._number, line, self._key_of(key) if pairs else "", text)
            more = self._after_comma = mark == b","
        self._number = 0

    def each_key(self) -> Iterator[str]:
        """The keys of the object that begins here; the value of each is passed before the next."""
        self._at += 1
        more = not self._closes(b"}")
        while more:
            yield self._key()
            more = self._goes_on(b"}")

    def pass_value(self) -> None:
        """Goes to the end of the value that begins here, and keeps nothing of it."""
        first = self.next_byte()
        if first == b'"':
            self._at += 1
            self._pass_string()
        elif first in _OPENING:
            self._pass_brackets()
        else:
            self._pass_word()

    def next_byte(self, at_end: bool = False) -> bytes:
        """The next byte that is no blank; none at the end, if that may be here."""
        while True:
            blanks = _BLANKS.match(self._buffer, self._at)
            self._at = blanks.end() if blanks else self._at
            if self._at < len(self._buffer):
                return bytes(self._buffer[self._at : self._at + 1])
            if not self._more():
                if at_end:
                    return b""
                self._cut()

    def found(self) -> str:
        """What begins here, in words."""
        kinds = {b"{": "an object", b"[": "an array", b'"': "a string"}
        return kinds.get(self.next_byte(), "a value" if self._word() else "no value")

    def refuse(self, reason: str) -> NoReturn:
        where = f"element {self._number:,}, " if self._number else ""
        place = f"({where}byte {self._gone + self._at + 1:,})"
        line = self._line_at(self._at)
        raise ContractError([Diagnostic(self._name, line, "json", f"{reason} {place}")])

    def _slowly(self, pairs: bool) -> Element:
        """The element that begins here, which is deep, goes over the end of the block or is bad."""
        key = self._key() if pairs else ""
        self.next_byte()
        line = self._line_at(self._at)
        self._held = self._at
        self.pass_value()
        text = bytes(self._buffer[self._held : self._at])
        self._held = -1
        self._must_be_short(len(text))
        return Element(self._number, line, key, text)

    def _key(self) -> str:
        if self.next_byte() != b'"':
            self._refuse_value("a key in double quotes")
        self._held = self._at
        self._at += 1
        self._pass_string()
        key = self._key_of(bytes(self._buffer[self._held : self._at]))
        self._held = -1
        if self.next_byte() != b":":
            self.refuse("expected a colon after the key")
        self._at += 1
        self._after_comma = False
        return key

    def _key_of(self, text: bytes) -> str:
        try:
            return str(parse(text))
        except NotJson as error:
            self.refuse(f"the key is no JSON: {error}")

    def _closes(self, mark: bytes) -> bool:
        """Whether the array or object ends here, and goes behind it."""
        if self.next_byte() != mark:
            return False
        self._at += 1
        return True

    def _goes_on(self, mark: bytes) -> bool:
        if self._closes(mark):
            return False
        if self.next_byte() != b",":
            what = "list" if mark == b"]" else "object"
            self.refuse(f"expected a comma or the end of the {what}")
        self._at += 1
        self._after_comma = True
        return True

    def _pass_brackets(self) -> None:
        depth = 0
        # Whatever is whole and not too deep is passed at once; the rest is, bracket by bracket.
        while True:
            plain = _inside().match(self._buffer, self._at) if depth else None
            self._at = plain.end() if plain else self._at
            if self._at == len(self._buffer):
                if not self._more():
                    self._cut()
                continue
            mark = self._buffer[self._at]
            self._at += 1
            if mark == _QUOTE:
                self._pass_string()
            elif mark in _OPENING:
                depth += 1
                if depth > _DEEPEST:
                    self.refuse(f"nested more than {_DEEPEST:,} levels deep")
            else:
                depth -= 1
                if not depth:
                    return

    def _pass_string(self) -> None:
        """Goes behind the end of the string whose opening quote has been passed."""
        while True:
            good = _INSIDE.match(self._buffer, self._at)
            self._at = good.end() if good else self._at
            left = len(self._buffer) - self._at
            if left and self._buffer[self._at] == _QUOTE:
                self._at += 1
                return
            if left > 1 or (left == 1 and self._buffer[self._at] != _BACKSLASH):
                self.refuse("a control character inside a string")
            if not self._more():
                self._cut()

    def _pass_word(self) -> None:
        if not self._word():
            self._refuse_value("a value")
        while True:
            word = _WORD.match(self._buffer, self._at)
            self._at = word.end() if word else self._at
            if self._at < len(self._buffer) or not self._more():
                return

    def _word(self) -> bool:
        found = _WORD.match(self._buffer, self._at)
        return bool(found and found.group())

    def _refuse_value(self, wanted: str) -> NoReturn:
        mark = self.next_byte()
        if mark in _CLOSING and self._after_comma:
            self.refuse(f"a comma before the closing {mark.decode()}")
        self.refuse(f"expected {wanted}, found {chr(mark[0])!a}")

    def _cut(self) -> NoReturn:
        self.refuse("the document ends too early (truncated?)")

    def _must_be_short(self, size: int) -> None:
        if size > packed.LONGEST:
            self.refuse(packed.TOO_LONG.replace("a line", "an element"))

    def _line_at(self, place: int) -> int:
        """The line of a place, which is never before one that was asked for."""
        # To look for the next one is quicker than to count, and many documents have none.
        if self._buffer.find(b"\n", self._counted, place) >= 0:
            self._line += self._buffer.count(b"\n", self._counted, place)
        self._counted = place
        return self._line

    def _more(self) -> bool:
        """Reads another block, and forgets what is behind; False at the end of the file."""
        if self._held >= 0:
            self._must_be_short(self._at - self._held)
        start = self._at if self._held < 0 else self._held
        self._line_at(max(start, self._counted))
        del self._buffer[:start]
        self._gone += start
        self._at -= start
        self._counted -= start
        self._held = min(self._held, 0)
        block = next((each for each in self._blocks if each), b"")
        self._buffer += block
        return bool(block)
