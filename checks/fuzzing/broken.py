"""What is done to good inputs: to the values of a record, to the text of a line, to any bytes.

Some of it leaves a good input good (an escape, blanks, a byte-order mark): a reader that refuses
too much is as wrong as one that refuses too little.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

Row = dict[str, Any]

BOM = b"\xef\xbb\xbf"

TEXTS = (
    *("", " ", "A1", "a1", "not in context", "NaN", "null", "true", "1", "-1", "0.5", "1e999"),
    *("\u0661\u0662", "²", "①", "İ", "ß", "文", "é", "e\u0301", "\u200b", "\u00a0", "\ufeff"),
    *(
        "\u2028",
        "\x85",
        "\x1f",
        "\0",
        "a\0b",
        "a\nb",
        "a\rb",
        "\t",
        "\x7f",
        "👩\u200d👧",
        "\U0010ffff",
    ),
    *("</script>", "=1+1", "'; drop table gold; --", '"', "\\", "\\u0000", "{", "[", "%s", "{0}"),
    *("e" + "\u0301" * 30, "e" + "\u0301" * 31, "\u0327\u0301" * 16, "\u0f73" * 31),
    *("../../x", "C:\\x", "-o", "--gold", "x" * 300, "2024-01-31T10:00:00Z", "2024-02-30", "→"),
)
NUMBERS = (
    *(0, 1, -1, 2, 5, 0.5, -0.0, 1e-300, 5e-324, 10**15, 10**15 + 1, -(10**16), 1e15, 1e16, 1e300),
    *(2**31, 2**53 + 1, 2**63, -(2**63) - 1, 2**64, 10**400, 1.7976931348623157e308),
)
VALUES: tuple[Any, ...] = (
    *(None, True, False, [], {}, [None], [[]], [{}], {"a": None}, ["a", 1], ["a", None], ["a"]),
    *([1], [0.5], {"id": "a"}, [{"id": "a"}], [{"id": 1}], [{"id": "a", "score": "b"}]),
    *([{"id": "a", "score": None}], [0, 9], [9, 0], [-1, 2], [0, 10**16], {"a": [0, 9]}),
)
NAMES = (
    *("qid", "q_id", "QID", "question", "answer", "chunks", "x", "", "a.b", "answer_json", "é"),
    *("id", "source", "line", "unchecked", "file_index", "arm", "rows", "__proto__"),
)
# What lax readers have been seen to take, and the marks of JSON itself.
WORDS = rb"""
    { } [ ] , : " ' \ / # // /*x*/ - + . 0 1 -1 00 01 1. .5 +1 1e5 1E+5 1e999 -1e999 0x1 1_0 null
    true false True None NaN nan -NaN Infinity -Infinity inf undefined "" "a" "\"" "\u0061" "\ud800"
    \u0301\u0327\u0301\u0327\u0301\u0327\u0301\u0327\u0301\u0327\u0301
    "\udc00" "\ud83d\ude00" \u0061 [] [null] {} {"a":1} {"a":1,"a":2} {"a":1,} ,"x":1 ,"x":NaN
    ,"x":"\ud800" ,"qid":"B" ,"q\u0069d":"B" ,"answerable":true ,"x":1e999 ,"x":{"y":[1,]}
""".split()
BYTES = (
    *(b"\0", b"\v", b"\f", b"\r", b"\t", b" ", b"\n", b"\r\n", b"\x01", b"\x1f", b"\x7f", b"\x85"),
    *(b"\xff", b"\xfe", b"\xa0", b"\x80", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"),
    *(
        b"\xcc\x81" * 16,
        b"\xcc\x81\xcc\xa7" * 16,
        b"\xef\xbb\xbf",
        b"\xc2\xa0",
        b"\xe2\x80\xa8",
        b"\xe6\x96\x87",
        b"\xf0\x9f\x99\x82",
    ),
)


def some_value(chance: Random) -> Any:
    """A value of any type, often one that a field does not take."""
    kind = chance.random()
    if kind < 0.35:
        return chance.choice(TEXTS)
    if kind < 0.6:
        return chance.choice(NUMBERS)
    if kind < 0.95:
        return copy.deepcopy(chance.choice(VALUES))
    return nested(chance.choice((2, 50, 197, 198, 199, 200, 201, 400)))


def nested(depth: int) -> Any:
    """A list in a list in a list."""
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a value, so that a change can happen at any depth."""
    found: list[tuple[Any, Any]] = []
    left = [value]
    while left:
        inside = left.pop()
        keys = inside if isinstance(inside, dict) else range(len(inside))
        for key in keys:
            found.append((inside, key))
            if isinstance(inside[key], dict | list):
                left.append(inside[key])
    return found


def change_row(chance: Random, row: Row) -> Row:
    """The row with a field dropped, retyped, renamed, added, or a value put into another place."""
    made = copy.deepcopy(row)
    places = _places(made)
    if not places:
        return {chance.choice(NAMES): some_value(chance)}
    inside, key = chance.choice(places)
    match chance.choice(("drop", "retype", "retype", "retype", "rename", "slip", "add", "swap")):
        case "drop":
            del inside[key]
        case "retype":
            inside[key] = some_value(chance)
        case "rename" if isinstance(inside, dict):
            inside[chance.choice(NAMES)] = inside.pop(key)
        case "slip" if isinstance(key, str) and key:
            both = chance.random() < 0.2
            inside[_slipped(chance, key)] = inside[key] if both else inside.pop(key)
        case "swap":
            other, at = chance.choice(places)
            inside[key] = copy.deepcopy(other[at]) if at in other or not isinstance(at, str) else 0
        case _:
            made[chance.choice(NAMES)] = some_value(chance)
    return made


def _slipped(chance: Random, key: str) -> str:
    """A key as somebody nearly spells it."""
    at = chance.randrange(len(key))
    return chance.choice(
        (
            key[:at] + key[at + 1 :],
            f"{key[:at]}x{key[at:]}",
            f"{key[:at]}x{key[at + 1 :]}",
            key[:at] + key[at + 1 : at + 2] + key[at] + key[at + 2 :],
            key.upper(),
            key.replace("_", "-"),
            key.replace("_", ""),
            f"{key}ing",
        )
    )


def line_of(chance: Random, row: Row) -> bytes:
    """The row as a line of JSON, spelled in one of the ways that JSON allows."""
    spelled = chance.random()
    text = json.dumps(
        row,
        ensure_ascii=spelled < 0.2,
        separators=(",", ":") if 0.2 < spelled < 0.4 else None,
    )
    return text.encode("utf-8", "surrogatepass")


def break_line(chance: Random, line: bytes) -> bytes:
    """The line with something put in, taken out or doubled, mostly at the edge of a token."""
    edges = [at for at, byte in enumerate(line) if byte in b'{}[]:," ']
    at = chance.choice(edges) if edges and chance.random() < 0.7 else chance.randint(0, len(line))
    match chance.choice(("word", "word", "bytes", "cut", "blanks", "key", "two", "token", "long")):
        case "word":
            return line[:at] + chance.choice(WORDS) + line[at:]
        case "bytes":
            return line[:at] + chance.choice(BYTES) + line[at:]
        case "cut":
            return line[:at]
        case "blanks":
            return chance.choice((b" ", b"\t", b"\r", b"\v", b"\f")) + line + chance.choice(BYTES)
        case "key":
            return line[:-1] + b', "x": 1, "\\u0078": 2}'
        case "two":
            return line + chance.choice((b"", b" ", b"\r", b"\x01", b",", b"\0")) + line
        case "token":
            return line.replace(chance.choice((b'"', b":", b",", b"true", b"[")), b"", 1)
    long = chance.choice((b"9" * 18, b"9" * 20, b"9" * 400, b"9" * 4400, b"[" * 9000 + b"]" * 9000))
    return line[:-1] + b', "' + chance.choice((b"x", b"latency_ms", b"ts")) + b'": ' + long + b"}"


def damage(chance: Random, data: bytes) -> bytes:
    """Any bytes with one place changed: flipped, put in, taken out, repeated, cut or zeroed."""
    size = len(data)
    at = chance.randint(0, max(size - 1, 0))
    if chance.random() < 0.3:
        # The first and the last bytes hold what formats say of themselves.
        at = chance.choice(
            (chance.randint(0, min(size, 12)), max(size - 1 - chance.randint(0, 12), 0))
        )
    length = chance.choice((1, 1, 2, 4, 16, 200))
    match chance.choice(("flip", "flip", "insert", "delete", "splice", "cut", "zeros", "tail")):
        case "flip" if data:
            at = min(at, size - 1)
            return data[:at] + bytes((data[at] ^ (1 << chance.randint(0, 7)),)) + data[at + 1 :]
        case "insert":
            return data[:at] + chance.choice((chance.randbytes(length), *BYTES)) + data[at:]
        case "delete":
            return data[:at] + data[at + length :]
        case "splice":
            other = chance.randint(0, size)
            return data[:at] + data[other : other + length * 8] + data[at:]
        case "cut":
            return data[:at]
        case "zeros":
            return data[:at] + bytes(length) + data[at + length :]
    return data + chance.choice((chance.randbytes(length), bytes(length), data[-length:], b"{}"))


_Form = Callable[[Random, Sequence[bytes]], bytes]
_FORMS: tuple[_Form, ...] = (
    lambda chance, lines: BOM + b"\n".join(lines) + b"\n",
    lambda chance, lines: b"\r\n".join(lines) + b"\r\n",
    lambda chance, lines: b"\r".join(lines),
    lambda chance, lines: b"\n".join(lines),
    lambda chance, lines: b"\n\n \t\n" + b"\n \r\n".join(lines) + b"\n\n",
    lambda chance, lines: b"\n".join(lines) + b"\n" + bytes(chance.choice((1, 3, 5000))),
    lambda chance, lines: b"",
    lambda chance, lines: chance.choice((b"\n", BOM, b" \r\n\n", b"\v", b"{", b"[\n", b"null")),
    lambda chance, lines: b"[" + b",\n".join(lines) + b"]\n",
    lambda chance, lines: b"\n".join(lines).decode("utf-8", "replace").encode(
        chance.choice(("utf-16", "utf-16-le", "utf-32", "utf-8-sig"))
    ),
)  # fmt: skip


def file_of(chance: Random, lines: Sequence[bytes]) -> bytes:
    """The lines as a file; one time in six in a form that a user might not expect."""
    if chance.random() < 1 / 6:
        return chance.choice(_FORMS)(chance, lines)
    return b"".join(line + b"\n" for line in lines)
