"""What stands behind `FIELD=` of `--map` and `--reply`: a path, and what is made of its value.

| form | what the field is |
|---|---|
| `answer.text`, `hits[].id`, `results."gpt-4.1"` | the value at the path |
| `true`, `false`, `7`, `'a text'` | the same in every line |
| `!should_abstain` | the opposite of the true or false at the path |
| `type{answerable:true,unanswerable:false}` | what the table has for the value at the path |
| `cites[]@retrieved_ids` | the ids at these positions of another field |

`mapped_values` reads a field in this way in Python, and `engine/mapped_columns` does so in SQL.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ragstone.contracts.json_paths import EACH, BadPath, Path, expected_at, quoted_in, steps_in

Ids = Literal["", "text", "hash"]
Constant = str | bool | int | float
Table = tuple[tuple[str, Constant | None], ...]

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
# A quote in such a text is written twice.
_TEXT = re.compile(r"'((?:[^']|'')*)'")
_BARE = re.compile(r"[^\"'{}:,][^{}:,]*")
_BLANKS = re.compile(r"\s*")
_WORDS = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True)
class Mapped:
    """Where a field is read from, and what is made of the value there.

    A `constant` has no path. Of a `table`, the keys are texts. `positions_in` is the field whose
    ids the numbers are positions of, from `base` on; `listing` says how that field itself is read.
    `ids` says how ids are read, and `given` is false where only that was asked for.
    """

    path: Path = ()
    constant: Constant | None = None
    negated: bool = False
    table: Table = ()
    positions_in: str = ""
    listing: tuple[Mapped, ...] = ()
    base: int = 1
    ids: Ids = ""
    given: bool = True

    @property
    def each(self) -> bool:
        """Whether the path takes every item of a list, and so gives one."""
        return EACH in self.path


@lru_cache(1024)
def parse_mapped(text: str) -> Mapped:
    """What a user writes behind `FIELD=`.

    >>> parse_mapped("!out.abstained").negated, parse_mapped("'n/a'").constant
    (True, 'n/a')
    >>> parse_mapped("type{yes:true, 'no':false}").table
    (('yes', True), ('no', False))
    >>> parse_mapped("type{yes:true")
    Traceback (most recent call last):
        ...
    ragstone.contracts.json_paths.BadPath: expected , or } at character 14 of 'type{yes:true'
    """
    constant = _constant(text)
    if constant is not None:
        return Mapped(constant=constant)
    negated = text.startswith("!")
    path, at = steps_in(text, int(negated))
    if negated and (at < len(text) or EACH in path):
        at = at if at < len(text) else text.index("[]")
        raise expected_at("the end", text, at, "; ! is for one value that is true or false")
    if text.startswith("{", at):
        table, at = _table(text, at)
        if at < len(text):
            raise expected_at("the end", text, at)
        return Mapped(path, table=table)
    if at < len(text):
        field = text[at + 1 :]
        if not field:
            raise expected_at("a field such as retrieved_ids", text, at + 1)
        return Mapped(path, positions_in=field)
    return Mapped(path, negated=negated)


def _constant(text: str) -> Constant | None:
    """The constant that a text is; None if it is none."""
    if text in ("true", "false"):
        return text == "true"
    if _NUMBER.fullmatch(text):
        return _number(text, 0, text)
    if not text.startswith("'"):
        return None
    words, at = _text_in(text, 0)
    if at < len(text):
        raise expected_at("the end", text, at, "; a quote in a text is written twice")
    return words


def _number(text: str, at: int, word: str) -> int | float:
    try:
        number: int | float = json.loads(word)
    except ValueError:
        # Python reads no whole number of more than 4,300 digits.
        number = math.inf
    if math.isinf(number):
        raise expected_at("a number that a float can hold", text, at)
    return number


def _text_in(text: str, at: int) -> tuple[str, int]:
    found = _TEXT.match(text, at)
    if found is None:
        raise BadPath(f"the quote at character {at + 1} of {text!r} is not closed")
    return found[1].replace("''", "'"), found.end()


def _table(text: str, at: int) -> tuple[Table, int]:
    """The table that begins with the brace at this place, and where it ends."""
    made: dict[str, Constant | None] = {}
    while True:
        at = _after_blanks(text, at + 1)
        begin = at
        key, _, at = _word(text, at, "a value to look up")
        if key in made:
            raise BadPath(f"{key!r} at character {begin + 1} of {text!r} is given twice")
        if not text.startswith(":", at):
            raise expected_at("a colon", text, at)
        at = _after_blanks(text, at + 1)
        begin = at
        word, bare, at = _word(text, at, "what the value stands for")
        made[key] = word
        if bare and word in _WORDS:
            made[key] = _WORDS[word]
        elif bare and _NUMBER.fullmatch(word):
            made[key] = _number(text, begin, word)
        if text.startswith("}", at):
            return tuple(made.items()), at + 1
        if not text.startswith(",", at):
            raise expected_at(", or }", text, at)


def _word(text: str, at: int, what: str) -> tuple[str, bool, int]:
    """The word that begins here, whether it stands without quotes, and where what follows is."""
    bare = False
    if text.startswith('"', at):
        word, at = quoted_in(text, at)
    elif text.startswith("'", at):
        word, at = _text_in(text, at)
    else:
        found = _BARE.match(text, at)
        if found is None:
            raise expected_at(what, text, at)
        word, at, bare = found[0].rstrip(), found.end(), True
    return word, bare, _after_blanks(text, at)


def _after_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at


def split_words(text: str) -> list[str]:
    """`a=b,c=d` at its commas, but for those in quotes and tables.

    >>> split_words('claim=a."b,c",answerable=type{yes:true,no:false},qid=id')
    ['claim=a."b,c"', 'answerable=type{yes:true,no:false}', 'qid=id']
    """
    parts, begin, at, inside = [], 0, 0, 0
    while at < len(text):
        mark = text[at]
        quoted = mark == '"' or (mark == "'" and text[:at].rstrip()[-1:] in ("=", "{", ",", ":"))
        if quoted:
            # One that is never closed goes on to the end, and is refused when it is read.
            found = re.compile(rf"{mark}(?:[^{mark}\\]|\\.)*{mark}").match(text, at)
            at = found.end() - 1 if found else len(text)
        elif mark in "{}":
            inside += 1 if mark == "{" else -1
        elif mark == "," and inside <= 0:
            parts.append(text[begin:at])
            begin = at + 1
        at += 1
    return [*parts, text[begin:]]
