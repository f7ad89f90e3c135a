"""Proof that a line keeps its contract, in SQL and without a second reader.

The lines of a file look alike, so their shape is learned from a few. A line is proven if the text
made of its values and the shape is the line itself, byte for byte; or, where it spells something
otherwise (an escape, another blank), if it matches the shape's pattern. Either way it is strict
JSON, has every key once, and every value is of its kind. What is not proven may still be good: the
authority on that is `contracts`, which reads one line at a time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragstone.contracts.record import Field, FieldMap, Record
from ragstone.contracts.strict_json import NotJson, parse
from ragstone.engine.duck import identifier, quoted
from ragstone.engine.line_columns import TEXTS, Tree, types_of
from ragstone.engine.line_shape import (
    BLANK,
    FILLED,
    TEXT,
    Anything,
    Either,
    Items,
    Member,
    Members,
    Scalar,
    Shape,
    learn,
)


@dataclass(frozen=True, slots=True)
class Proof:
    """What to read of the lines of a file, and the condition in SQL under which one is proven.

    The condition is over `line`, `parsed`, which is the line read as `types`, and the record's
    columns.
    """

    types: Tree
    condition: str


def learn_proof(
    record: Record, mapping: FieldMap, extra: Sequence[str], lines: Sequence[bytes]
) -> Proof | None:
    """How to prove lines like these; None if they have nothing in common."""
    try:
        values = [parse(line) for line in lines]
    except NotJson:
        return None
    shapes = learn(record, mapping, values)
    if not shapes:
        return None
    shape = shapes[0]
    types = types_of(record, extra)
    _add(types, shape)
    condition = f"regexp_full_match(line, {quoted(pattern(Either(shapes)))})"
    condition += "".join(f" and {rule}" for each in shapes for rule in _unique_keys(each, "$"))
    styles = (style_of(line.decode(), value) for line, value in zip(lines, values, strict=True))
    style = next((style for style in styles if style), None)
    same = echo(shape, types, style) if style and not mapping else None
    if same:
        condition = f"case when {same} then true else {condition} end"
    return Proof(types, condition + relations(record))


def _add(tree: Tree, shape: Members) -> None:
    """What the shape has beyond the contract, for the echo.

    The engine takes names that differ in case only for one, and none that is empty.
    """
    names = {name.lower() for name in tree}
    for member in shape.members:
        known = tree.get(member.key)
        if isinstance(known, dict) and isinstance(member.value, Members):
            _add(known, member.value)
        if known is not None or member.key.lower() in names or not member.key:
            continue
        names.add(member.key.lower())
        match member.value:
            case Members():
                inside: Tree = {}
                _add(inside, member.value)
                tree[member.key] = inside or "JSON"
            case Items(item=Scalar(column="VARCHAR")):
                tree[member.key] = TEXTS
            case Scalar(column=kind):
                tree[member.key] = kind
            case _:
                tree[member.key] = "JSON"


def pattern(shape: Shape) -> str:
    """The regular expression of every spelling of a shape.

    >>> one = Member("a", Items(Scalar("[0-9]")), needed=True, nulled=False)
    >>> bool(re.fullmatch(pattern(Members((one,), 0)), '{"a" : [1, 2]}'))
    True
    """
    match shape:
        case Scalar() | Anything():
            return shape.pattern
        case Either():
            # An empty class matches nothing.
            each = (pattern(one) for one in shape.shapes)
            return f"(?:{'|'.join(each)})" if shape.shapes else r"[^\x{0}-\x{10FFFF}]"
        case Items():
            item = f"{pattern(shape.item)}{BLANK}"
            some = f"{item}(?:,{BLANK}{item})*"
            return rf"\[{BLANK}{some if shape.filled else f'(?:{some})?'}\]"
        case Members():
            return rf"\{{{BLANK}{''.join(_patterns(shape))}{BLANK}\}}"


def _patterns(shape: Members) -> Iterator[str]:
    for number, member in enumerate(shape.members):
        # Keys are written as they are, or all in ASCII.
        spelled = {json.dumps(member.key, ensure_ascii=plain) for plain in (True, False)}
        key = "|".join(sorted(map(re.escape, spelled)))
        value = pattern(member.value)
        value = value if member.needed else f"(?:{value}|null)"
        pair = f"(?:{key}){BLANK}:{BLANK}{value}"
        if number == shape.pivot:
            yield pair
            continue
        comma = f"{BLANK},{BLANK}"
        pair = f"{pair}{comma}" if number < shape.pivot else f"{comma}{pair}"
        yield pair if member.needed else f"(?:{pair})?"


def _unique_keys(shape: Shape, path: str) -> Iterator[str]:
    """The conditions that no key of an object that may have any is repeated."""
    match shape:
        case Anything():
            here = f"json_extract(line, {quoted(path)})"
            nodes = here if "[*]" in path else f"[{here}]"
            nodes = f"list_concat({nodes}, json_extract(line, {quoted(f'{path}..*')}))"
            unique = "list_unique(json_keys(node)) = len(json_keys(node))"
            yield f"coalesce(list_bool_and(list_transform({nodes}, lambda node: {unique})), true)"
        case Either():
            for one in shape.shapes:
                yield from _unique_keys(one, path)
        case Items():
            yield from _unique_keys(shape.item, f"{path}[*]")
        case Members():
            for member in shape.members:
                rules = _unique_keys(member.value, f'{path}."{member.key}"')
                # Not every key can be spelled in a path; under one that cannot, nothing is proven.
                yield from rules if re.fullmatch(r"[\w -]+", member.key) else map(_never, rules)
        case Scalar():
            return


def _never(_: str) -> str:
    return "false"


def style_of(line: str, value: object) -> tuple[str, str] | None:
    """The comma and the colon a line is written with, if it is written with one of each."""
    for style in ((", ", ": "), (",", ":"), (", ", ":")):
        if json.dumps(value, ensure_ascii=False, separators=style) == line:
            return style
    return None


class _NoEcho(Exception):
    """Some value's text cannot be told from its column."""


def echo(shape: Members, types: Tree, style: tuple[str, str]) -> str | None:
    """A condition in SQL over `line` and `parsed`: is the line what its values spell?

    A line with an escape is left to the pattern, so that every text is spelled as it is.
    """
    tests = ["not contains(line, chr(92))"]
    try:
        parts = list(_object(shape, "parsed", types, style, tests))
    except _NoEcho:
        return None
    return f"line = concat({', '.join(parts)}) and {' and '.join(tests)}"


def _object(
    shape: Members, column: str, types: Tree, style: tuple[str, str], tests: list[str]
) -> Iterator[str]:
    """The pieces of an object's text."""
    comma, colon = style
    opening = "{"
    for number, member in enumerate(shape.members):
        inside = f"{column}.{identifier(member.key)}"
        key = json.dumps(member.key, ensure_ascii=False) + colon
        value = list(_value(member, inside, types.get(member.key), style, tests))
        before = comma if number > shape.pivot else ""
        after = comma if number < shape.pivot else ""
        if number == shape.pivot:
            before, opening = opening, ""
        elif opening:
            yield quoted(opening)
            opening = ""
        present = ", ".join([quoted(f"{before}{key}"), *value, *([quoted(after)] if after else [])])
        if member.usual:
            # Where it has no value after all, the text is not the line's.
            yield present
        else:
            absent = f"{before}{key}null{after}" if member.nulled else ""
            yield f"case when {inside} is null then {quoted(absent)} else concat({present}) end"
    yield quoted("}")


def _value(
    member: Member, column: str, kind: object, style: tuple[str, str], tests: list[str]
) -> Iterator[str]:
    shape = member.value
    match shape, kind:
        case Scalar(), "VARCHAR":
            if shape.column != "VARCHAR":
                raise _NoEcho
            if shape.pattern == FILLED:
                tests.append(f"coalesce({column} <> '', true)")
            elif shape.pattern != TEXT:
                tests.append(_fits(f"'\"' || {column} || '\"'", shape.pattern))
            yield from ("'\"'", column, "'\"'")
        case Scalar(column="BOOLEAN"), "BOOLEAN":
            yield f"case when {column} then 'true' else 'false' end"
        case Scalar(), "JSON":
            # A number is spelled as it was; NaN too, so its text is looked at.
            tests.append(_fits(f"{column}::varchar", shape.pattern))
            yield f"{column}::varchar"
        case Items(item=Scalar(column="VARCHAR")), ["VARCHAR"]:
            if shape.filled:
                tests.append(f"coalesce(len({column}) > 0, true)")
            yield _texts(column, style[0], shape.least)
        case Either(shapes=()), _:
            # Always null so far: the text of any other value is not this one.
            return
        case Members(), dict():
            yield from _object(shape, column, kind, style, tests)
        case _:
            raise _NoEcho


def _fits(text: str, expected: str) -> str:
    return f"coalesce(regexp_full_match({text}, {quoted(expected)}), true)"


def _texts(column: str, comma: str, least: int) -> str:
    """The text of a list of strings; joining is dear, and most lists of few have one or none."""
    joined = f"""concat('["', array_to_string({column}, {quoted(f'"{comma}"')}), '"]')"""
    if least > 1:
        return joined
    one = f"""concat('["', {column}[1], '"]')"""
    return f"case len({column}) when 0 then '[]' when 1 then {one} else {joined} end"


def relations(record: Record) -> str:
    """A condition over the record's columns: the rules that compare two values."""
    rules = [rule for field in record.fields for rule in _relation(field)]
    return "".join(f" and coalesce({rule}, true)" for rule in rules)


def _relation(field: Field) -> Iterator[str]:
    column = ".".join(map(identifier, field.path))
    if field.beside:
        yield f"len({column}) = coalesce(len({identifier(field.beside)}), 0)"
    match field.kind:
        case "span":
            yield _in_order(column)
        case "hits":
            inside = f"coalesce({_in_order('hit.offsets')}, true)"
            yield f"list_bool_and(list_transform({column}, lambda hit: {inside}))"
        case "spans":
            begin, end = (f"try_cast(span->>{place} as bigint)" for place in (0, 1))
            each = f"list_transform(json_extract({column}, '$.*'), lambda span: {begin} <= {end})"
            yield f"list_bool_and({each})"


def _in_order(span: str) -> str:
    begin, end = (f"try_cast({span}[{place}]::varchar as bigint)" for place in (1, 2))
    return f"{begin} <= {end}"
