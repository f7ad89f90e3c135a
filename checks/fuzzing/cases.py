"""Makes one case from a seed and a number: files, a command line, and what should be said of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from fuzzing.broken import break_line, change_row, damage, file_of, line_of
from fuzzing.command_lines import flags
from fuzzing.good_inputs import Row, jsonl, rows
from fuzzing.packings import ENDINGS, maybe_damaged, packed, parquet, unpacked, verdict_of
from fuzzing.strict_reader import Verdict, not_json

JUDGED = ("gold", "trace")
# These are read as tables too, so a line that is not JSON may be good.
TABLES = ("results", "reference")


@dataclass(frozen=True)
class Case:
    """One run. `expected` and `at_least` are by the name that messages give the file.

    `call` names a function of Python that gets the contents of the files instead of a command.
    `reply` is what a server answers while the case runs, whose port is {port} in the words.
    """

    family: str
    words: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    stdin: bytes = b""
    expected: Mapping[str, Verdict] = field(default_factory=dict)
    at_least: Mapping[str, frozenset[int]] = field(default_factory=dict)
    call: str = ""
    reply: bytes = b""


Make = Callable[[Random], Case]


def more_flags(chance: Random, command: str) -> list[str]:
    """Odd flags for a command, two times in five."""
    return flags(chance, command) if chance.random() < 0.4 else []


@dataclass(frozen=True)
class File:
    """An input of a case: its name, its bytes, and what a strict reader says of it."""

    name: str
    data: bytes
    verdict: Verdict | None = None
    not_json: frozenset[int] = frozenset()


def broken_file(chance: Random, record: str, broken: bool = True) -> File:
    """A file of some record: small or large, good or not, packed in any of the ways."""
    given = _sized(chance, record)
    how = chance.choices(tuple(ENDINGS), (40, 20, 25, 15))[0]
    level = (
        chance.choice(("none", "values", "values", "lines", "lines", "bytes")) if broken else "none"
    )
    if level == "values":
        given = _changed(chance, given)
    table = parquet(chance, given) if how == "parquet" and level != "bytes" else None
    if table is not None:
        data = maybe_damaged(chance, table) if broken else table
        verdict = verdict_of(record, data, whole=data == table) if record in JUDGED else None
        return File(f"{record}.parquet", data, verdict)
    content = _content(chance, given, level)
    how = how if how != "parquet" else "plain"
    data = packed(chance, content, how)
    data = maybe_damaged(chance, data) if broken else data
    return _judged(record, f"{record}.{ENDINGS[how]}", data)


def _judged(record: str, name: str, data: bytes) -> File:
    if record in JUDGED:
        return File(name, data, verdict_of(record, data, whole=False))
    try:
        lines = frozenset() if record in TABLES else not_json(unpacked(data))
    except Exception:
        lines = frozenset()
    return File(name, data, None, lines)


def unpacked_file(chance: Random, record: str) -> bytes:
    """The bytes of a small file, changed in one of the ways."""
    level = chance.choice(("values", "lines", "bytes"))
    given = rows(chance, record, chance.choice((1, 2, 3, 4, 6)))
    return _content(chance, _changed(chance, given) if level == "values" else given, level)


def changed_rows(chance: Random, record: str) -> list[Row]:
    """A few rows as a user of Python holds them, good or with changed values."""
    given = rows(chance, record, chance.choice((1, 2, 3, 4, 6)))
    return _changed(chance, given) if chance.random() < 0.6 else given


def _sized(chance: Random, record: str) -> list[Row]:
    """Mostly a few rows; sometimes enough for the check in SQL, or one that is very long."""
    size = chance.random()
    if size < 0.75:
        return rows(chance, record, chance.choice((1, 2, 3, 4, 6)))
    given = rows(chance, record, 400)
    if size < 0.97:
        for number, row in enumerate(given):
            row["padding"] = "x" * 400
            if size < 0.82:
                # More orders of keys than the check in SQL learns.
                keys = list(row)
                chance.shuffle(keys)
                given[number] = {key: row[key] for key in keys}
        return given
    given = given[:3]
    given[1]["padding"] = chance.choice(("x", "文", '"')) * (2**21 + chance.choice((0, 1, 10**6)))
    return given


def _changed(chance: Random, given: list[Row]) -> list[Row]:
    made = list(given)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        at = chance.randrange(len(made))
        match chance.random():
            case share if share < 0.1:
                made.append(made[at])
            case share if share < 0.2:
                # A column of one type, so that Parquet can hold it too.
                name = chance.choice(list(made[at]))
                value = change_row(chance, {name: 1}).get(name)
                made = [{**row, name: value} for row in made]
            case _:
                made[at] = change_row(chance, made[at])
    return made


def _content(chance: Random, given: list[Row], level: str) -> bytes:
    lines = [line_of(chance, row) for row in given]
    if level == "lines":
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            at = chance.randrange(len(lines))
            lines[at] = break_line(chance, lines[at])
    content = (
        file_of(chance, lines) if level != "none" else b"".join(line + b"\n" for line in lines)
    )
    if level == "bytes":
        for _ in range(chance.choice((1, 1, 2, 5))):
            content = damage(chance, content)
    return content


def broken_text(chance: Random, content: bytes) -> bytes:
    """Any file of ours, changed as text (a line dropped, doubled, a value replaced) or as bytes."""
    if chance.random() < 0.3:
        return damage(chance, content)
    if content.startswith(b"{\n"):
        # One object over several lines, such as a saved report.
        return _other_object(chance, content)
    lines = content.split(b"\n")
    at = chance.randrange(len(lines))
    if lines[at].startswith(b"{") and chance.random() < 0.5:
        lines[at] = _other_object(chance, lines[at])
        return b"\n".join(lines)
    match chance.choice(("drop", "double", "value", "value", "break", "swap")):
        case "drop":
            del lines[at]
        case "double":
            lines.insert(at, lines[at])
        case "value":
            lines[at] = _other_value(chance, lines[at])
        case "break":
            lines[at] = break_line(chance, lines[at])
        case _:
            other = chance.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
    return b"\n".join(lines)


def _other_object(chance: Random, text: bytes) -> bytes:
    """The JSON object with a value changed, at any depth; as bytes where it is none any more."""
    try:
        made = change_row(chance, json.loads(text))
    except ValueError:
        return damage(chance, text)
    return json.dumps(made, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _other_value(chance: Random, line: bytes) -> bytes:
    """The line with what follows its first `=` or `:` replaced."""
    for mark in (b" = ", b'": '):
        head, found, _ = line.partition(mark)
        if found:
            return head + found + chance.choice(_SETTINGS)
    return break_line(chance, line)


# What a key of ragstone.toml, of a grid or of a JSON file may say instead.
_SETTINGS = (
    *b"""1 -1 0 0.5 nan inf -inf true false "" "x" "\\u0000" [] [1] [""] ["x",1] {} {a=1} 1979-05-27
    07:32:00 0x10 1_000 1e400 ''' ">=0.5" ">x" "off" "../x" "(" "(?=a)b" "-" null {"a":1}
    """.split(),
    *(b"9" * 30, b"9" * 4400, b'"' + b"x" * 5000 + b'"', b'"\xff"', b"[" * 300, b'"> 0.5"'),
)


def one_broken(
    chance: Random, records: Mapping[str, str], others: Callable[[str], bytes]
) -> tuple[dict[str, bytes], dict[str, str], File | None]:
    """Files for a command that reads several: at most one of them is broken.

    `records` are the inputs by flag; the names come back the same way, with the broken file.
    """
    broken = chance.choice((*records, "")) if chance.random() < 0.85 else ""
    files: dict[str, bytes] = {}
    names: dict[str, str] = {}
    found: File | None = None
    for given, record in records.items():
        name, data = f"{given}.jsonl", others(record)
        if given == broken:
            found = broken_file(chance, record)
            name, data = f"{given}_{found.name}", found.data
        files[name], names[given] = data, name
    return files, names, found


def plain_file(record: str) -> bytes:
    """A good file of a record, the same in every case."""
    chance = Random(record)
    count = 36 if record == "run" else 12
    return jsonl(rows(chance, record, count))
