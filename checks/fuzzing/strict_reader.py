"""A second reader of gold sets and traces, which says only what lines the contract refuses.

It is written from docs/contracts.md and RFC 8259 and shares no code with `src/ragstone`: where the
two disagree, one of them is wrong. It is slow, and builds no messages.
"""

from __future__ import annotations

import datetime
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from fuzzing.strict_keys import is_misspelled

DEEPEST = 200
MOST_MARKS = 30
# Times, costs and counts are at most this large; scores and moments only have to be finite.
LARGEST_MEASURE = 10**15
# What may stand around a line's value: JSON's blanks, and the two that the page of contracts adds.
EDGES = b" \t\r\v\f"
BOM = b"\xef\xbb\xbf"
# A file that begins like this is not JSON Lines in UTF-8; only its first line is sure to be named.
NOT_LINES = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff", b"\0{", b"\0[", b"{\0", b"[\0")

_BLANKS = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORDS = {"true": True, "false": False, "null": None}


class NotStrict(ValueError):
    """The text is not one JSON value to the letter of RFC 8259."""


@dataclass(frozen=True)
class Verdict:
    """The numbers of the refused lines; None where a whole file is refused without a line.

    `first_only`: more lines than these may be named, because the file is no JSON Lines at all.
    """

    lines: frozenset[int] | None
    first_only: bool = False

    @property
    def accepted(self) -> bool:
        return self.lines == frozenset()


DAMAGED = Verdict(None)


def read(record: str, content: bytes) -> Verdict:
    """What the contract of `gold` or `trace` refuses of a file's bytes."""
    rows: list[tuple[int, object]] = []
    bad: set[int] = set()
    if _is_array(content):
        try:
            rows = list(_elements(content))
        except NotStrict:
            return DAMAGED
        if record == "gold" and not rows:
            return Verdict(frozenset({1}))
        return Verdict(frozenset(_refused(record, rows)))
    held = _held(content)
    if _no_lines(held):
        return Verdict(frozenset({held[0][0]}), first_only=True)
    for number, line in held:
        try:
            rows.append((number, parse(line)))
        except NotStrict:
            bad.add(number)
    if record == "gold" and not held:
        return Verdict(frozenset({1}))
    return Verdict(frozenset(bad | set(_refused(record, rows))))


def read_rows(record: str, rows: Iterable[object]) -> Verdict:
    """The same of values: a row of a table is a line."""
    numbered = list(enumerate(rows, 1))
    if record == "gold" and not numbered:
        return Verdict(frozenset({1}))
    deep = {number for number, row in numbered if _depth(row) > DEEPEST}
    marked = {number for number, row in numbered if _most_marks(row) > MOST_MARKS}
    return Verdict(frozenset(deep.union(marked, _refused(record, numbered))))


def _depth(value: object) -> int:
    if not isinstance(value, dict | list):
        return 0
    inside = value.values() if isinstance(value, dict) else value
    return 1 + max(map(_depth, inside), default=0)


def not_json(content: bytes) -> frozenset[int]:
    """The lines that are not strict JSON, whatever record they should be."""
    if _is_array(content):
        return frozenset()
    held = _held(content)
    # Of a file that is no JSON Lines at all, only the first is named.
    some = held[:1] if _no_lines(held) else held
    return frozenset(number for number, line in some if not _parses(line))


def _is_array(content: bytes) -> bool:
    start = content.removeprefix(BOM).lstrip()
    return start.startswith(b"[") and not start.startswith(b"[\0")


def _elements(content: bytes) -> Iterator[tuple[int, object]]:
    """The elements of an array, each with the line it begins on."""
    try:
        text = content.removeprefix(BOM).decode("utf-8")
    except UnicodeDecodeError:
        raise NotStrict("not UTF-8") from None
    at = _blanks(text, 0)
    if not text.startswith("[", at):
        raise NotStrict("no array")
    at = _blanks(text, at + 1)
    more = not text.startswith("]", at)
    while more:
        line = text.count("\n", 0, at) + 1
        value, at = _value(text, at, 0)
        yield line, value
        at = _blanks(text, at)
        more = text.startswith(",", at)
        if more:
            at = _blanks(text, at + 1)
    if not text.startswith("]", at) or _blanks(text, at + 1) != len(text):
        raise NotStrict("no end")


def _held(content: bytes) -> list[tuple[int, bytes]]:
    """The lines that hold something, with their numbers."""
    lines = content.removeprefix(BOM).split(b"\n")
    held = ((number, line.strip(EDGES)) for number, line in enumerate(lines, 1))
    return [(number, line) for number, line in held if line]


def _no_lines(held: list[tuple[int, bytes]]) -> bool:
    return bool(held) and (held[0][1].startswith(NOT_LINES) or held[0][1] in (b"{", b"["))


def _parses(line: bytes) -> bool:
    try:
        parse(line)
    except NotStrict:
        return False
    return True


def _refused(record: str, rows: Iterable[tuple[int, object]]) -> Iterator[int]:
    seen: set[str] = set()
    keeps = _keeps_gold if record == "gold" else _keeps_trace
    for number, value in rows:
        if not isinstance(value, dict) or not keeps(value):
            yield number
        qid = value.get("qid") if isinstance(value, dict) else None
        if record == "gold" and isinstance(qid, str) and qid:
            if qid in seen:
                yield number
            seen.add(qid)


def parse(line: bytes) -> object:
    """The one value on a line; NotStrict if it is anything else."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        raise NotStrict("not UTF-8") from None
    value, at = _value(text, _blanks(text, 0), 0)
    if _blanks(text, at) != len(text):
        raise NotStrict("more than one value")
    return value


def _blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int, depth: int) -> tuple[object, int]:
    first = text[at : at + 1]
    if first in ("{", "["):
        if depth == DEEPEST:
            raise NotStrict("too deep")
        return (_object if first == "{" else _list)(text, _blanks(text, at + 1), depth + 1)
    if first == '"':
        return _string(text, at)
    for word, value in _WORDS.items():
        if text.startswith(word, at):
            return value, at + len(word)
    number = _NUMBER.match(text, at)
    if number is None:
        raise NotStrict("no value")
    digits = number.group()
    if number.group(1) or number.group(2) or len(digits) > 4000:
        return float(digits), number.end()
    return int(digits), number.end()


def _object(text: str, at: int, depth: int) -> tuple[object, int]:
    found: dict[str, object] = {}
    if text.startswith("}", at):
        return found, at + 1
    while True:
        key, at = _string(text, at)
        at = _blanks(text, at)
        if key in found:
            raise NotStrict("a key is repeated")
        if not text.startswith(":", at):
            raise NotStrict("no colon")
        found[key], at = _value(text, _blanks(text, at + 1), depth)
        at = _blanks(text, at)
        if text.startswith("}", at):
            return found, at + 1
        if not text.startswith(",", at):
            raise NotStrict("no comma")
        at = _blanks(text, at + 1)


def _list(text: str, at: int, depth: int) -> tuple[object, int]:
    found: list[object] = []
    if text.startswith("]", at):
        return found, at + 1
    while True:
        item, at = _value(text, at, depth)
        found.append(item)
        at = _blanks(text, at)
        if text.startswith("]", at):
            return found, at + 1
        if not text.startswith(",", at):
            raise NotStrict("no comma")
        at = _blanks(text, at + 1)


def _string(text: str, at: int) -> tuple[str, int]:
    found = _STRING.match(text, at)
    if found is None:
        raise NotStrict("no string")
    inside = found.group()[1:-1]
    if "\\" in inside:
        plain = _ESCAPE.sub(_unescaped, inside)
        try:
            # Two halves become one character; half of a pair alone does not pass.
            inside = plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        except UnicodeDecodeError:
            raise NotStrict("half of a surrogate pair") from None
    if _most_marks(inside) > MOST_MARKS:
        raise NotStrict("too many combining marks in a row")
    return inside, found.end()


def _most_marks(value: object) -> int:
    """How many combining marks there are in a row, in any text of a value."""
    if isinstance(value, dict):
        return max(map(_most_marks, (*value, *value.values())), default=0)
    if isinstance(value, list):
        return max(map(_most_marks, value), default=0)
    most = row = 0
    for character in value if isinstance(value, str) else "":
        parts = unicodedata.normalize("NFKD", character)
        row = row + 1 if all(map(unicodedata.combining, parts)) else 0
        most = max(most, row)
    return most


def _unescaped(found: re.Match[str]) -> str:
    word = found.group(1)
    return chr(int(word[1:], 16)) if word[0] == "u" and len(word) > 1 else _SHORT.get(word, word)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_finite(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def _is_measure(value: object) -> bool:
    return _is_finite(value) and abs(value) <= LARGEST_MEASURE  # type: ignore[arg-type]


def _is_label(value: object) -> bool:
    return isinstance(value, str) and 1 <= len(value) <= 100


def _are_scores(value: object) -> bool:
    return isinstance(value, dict) and all(
        _is_label(name) and (said is None or _is_flag(said) or _is_label(said) or _is_measure(said))
        for name, said in value.items()
    )


def _is_moment(value: object) -> bool:
    if not isinstance(value, str):
        return _is_finite(value)
    try:
        datetime.datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


def _are_chunks(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, dict)
        and isinstance(item.get("id"), str)
        and (item.get("score") is None or _is_finite(item["score"]))
        and (item.get("text") is None or _is_text(item["text"]))
        for item in value
    )


_FORMS = {
    "number": ("unit", "scale", "abs", "rel", "sign", "decimal"),
    "date": ("order",),
    "yesno": ("language",),
    **dict.fromkeys(("any", "all", "regex"), ()),
}


_KNOWN = {*_FORMS, *(key for more in _FORMS.values() for key in more)}


def _is_words(value: object) -> bool:
    return isinstance(value, str) and value.strip() != ""


def _is_expected(value: object, depth: int = 0) -> bool:
    """Whether a value is one expectation: a text, or an object of one form."""
    if isinstance(value, str):
        return _is_words(value)
    if not isinstance(value, dict) or depth > DEEPEST:
        return False
    # Null is the same as absent; a column of a Parquet file has all keys in every row.
    value = {key: said for key, said in value.items() if said is not None or key not in _KNOWN}
    forms = [key for key in value if key in _FORMS]
    if len(forms) != 1 or not set(value) <= {forms[0], *_FORMS[forms[0]]}:
        return False
    found = value[forms[0]]
    if forms[0] in ("any", "all"):
        inside = isinstance(found, list) and found
        return bool(inside) and all(_is_expected(item, depth + 1) for item in found)
    if forms[0] == "yesno" and len(value) == 1:
        return _is_flag(found)
    plain = len(value) == 1 and not isinstance(found, bool)
    if forms[0] == "number" and plain and _is_finite(found):
        return True
    return _is_readable(value)


def _is_readable(value: dict[str, object]) -> bool:
    """What a number in words, a date or a pattern of RE2 is, only the rules of matching can say."""
    from ragstone.matching.expectations import Misfit, parse

    for decimal in (".", ","):
        try:
            parse(value, decimal)
        except Misfit:
            continue
        return True
    return False


def _are_expected(value: object) -> bool:
    return all(map(_is_expected, value)) if isinstance(value, list) else _is_expected(value)


def _are_nuggets(value: object) -> bool:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        return False
    names = [item.get("id") for item in value]
    return (
        all(_is_words(name) for name in names)
        and len(set(names)) == len(names)
        and all(item.get("vital") is None or _is_flag(item["vital"]) for item in value)
        and all(
            _is_expected({key: said for key, said in item.items() if key not in ("id", "vital")})
            for item in value
        )
    )


def _are_claims(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, dict)
        and _is_text(item.get("text"))
        and (item.get("citations") is None or _are_texts(item["citations"]))
        for item in value
    )


def _is_evidence(value: object) -> bool:
    if isinstance(value, dict):
        return all(grade is None or _is_measure(grade) for grade in value.values())
    return _are_texts(value)


def _are_groups(value: object) -> bool:
    return isinstance(value, list) and all(_are_texts(group) and group for group in value)


_Fits = Callable[[object], bool]
_GOLD: dict[str, _Fits] = {
    "question": _is_text,
    **dict.fromkeys(("gold_answer", "must_not"), _are_expected),
    "nuggets": _are_nuggets,
    **dict.fromkeys(("gold_claim_substr", "constraints", "tags"), _are_texts),
    "gold_citations": _is_evidence,
    "gold_citations_any": _are_groups,
}
_TRACE: dict[str, _Fits] = {
    **dict.fromkeys(("qid", "q_id", "q"), _is_text),
    **dict.fromkeys(("retrieved_ids", "retrieved_texts", "constraints"), _are_texts),
    "refused": _is_flag,
    "ts": _is_moment,
    **dict.fromkeys(("latency_ms", "cost_usd"), _is_measure),
}
_INSIDE: dict[str, dict[str, _Fits]] = {
    "answer_json": {
        "claim": _is_text,
        "citations": _are_texts,
        "claims": _are_claims,
        "constraints_echo": _are_texts,
        "refused": _is_flag,
    },
    "stage_ms": dict.fromkeys(("retrieval", "rerank", "llm", "guard"), _is_measure),
    "tokens": dict.fromkeys(("in", "out"), _is_measure),
}
_OLDER: dict[str, _Fits] = {"chunks": _are_chunks, "answer": _is_text}


def _keeps(value: dict[str, object], fields: dict[str, _Fits]) -> bool:
    """Whether every field that is given, and is not null, is what it should be."""
    return all(value.get(name) is None or fits(value[name]) for name, fits in fields.items())


def _keeps_gold(value: dict[str, object]) -> bool:
    qid, answerable = value.get("qid"), value.get("answerable")
    good = _is_text(qid) and qid != "" and _is_flag(answerable) and _keeps(value, _GOLD)
    return good and not is_misspelled(value, ("qid", "answerable", "notes", *_GOLD))


_ALL_OF_A_TRACE = (*_TRACE, *_INSIDE, *_OLDER, "trace_id", "ok", "reason", "judge")
_MEMBERS = {"claims": ("text", "citations"), "chunks": ("id", "score", "text")}


def _has_misspelled_items(value: dict[str, object], name: str) -> bool:
    items = value.get(name)
    return isinstance(items, list) and any(is_misspelled(each, _MEMBERS[name]) for each in items)


def _keeps_trace(value: dict[str, object]) -> bool:
    said = value.get("answer_json")
    if is_misspelled(value, _ALL_OF_A_TRACE) or _has_misspelled_items(value, "chunks"):
        return False
    if isinstance(said, dict) and _has_misspelled_items(said, "claims"):
        return False
    for name, fields in _INSIDE.items():
        inside = value.get(name)
        if is_misspelled(inside, fields):
            return False
        if inside is not None and not (isinstance(inside, dict) and _keeps(inside, fields)):
            return False
    if value.get("retrieved_texts") is not None:
        texts, ids = value["retrieved_texts"], value.get("retrieved_ids")
        if not _are_texts(texts) or len(texts) != (len(ids) if isinstance(ids, list) else 0):  # type: ignore[arg-type]
            return False
    if value.get("judge") is not None and not _are_scores(value["judge"]):
        return False
    # An empty qid names no question, so the line is of the older shape.
    named = value.get("qid") or value.get("q_id")
    return _keeps(value, _TRACE) and (bool(named) or _keeps(value, _OLDER))
