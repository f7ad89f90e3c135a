"""The check in SQL that a line keeps its contract, without reading it a second time in Python.

The lines of a file look alike, so their shape is learned from some of them. A line passes if the
text rebuilt from its typed values and the shape is the line itself, byte for byte; or, where it
spells something otherwise (an escape, another blank), if it matches the shape's pattern. Either way
it is strict JSON, has every key once, and every value is of its kind. A line that does not pass may
still be good: those, and only those, are checked in Python, by `contracts`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from ragstone.contracts.json_paths import Path
from ragstone.contracts.kinds import BLANK, FILLED_TEXT, TEXT
from ragstone.contracts.near_keys import NearKey
from ragstone.contracts.record import Field, FieldMap, Record, near_fields
from ragstone.contracts.strict_json import NotJson, parse
from ragstone.engine.duck import identifier, quoted
from ragstone.engine.few_marks import usual_marks_in_line
from ragstone.engine.line_columns import Tree, has_object, types_of
from ragstone.engine.line_shape import Either, Items, Member, Members, Scalar, Shape, learn

Style = tuple[str, str]
"""The comma and the colon that a line is written with, such as `, ` and `: `."""


@dataclass(frozen=True, slots=True)
class SqlCheck:
    """What to read of the lines of a file, and the condition in SQL under which one is good.

    The condition is over `line`, `parsed`, which is the line read as `types`, and the record's
    columns. `types` has only what lines of the shape hold, and `lists` are fields that these never
    give as an object. What else the contract knows is `unread`: a good line of another shape may
    hold it, and then all lines are read as `all_types`. `rules` are what no pattern can say. Where
    `cells` is given, lines are rows of Parquet files whose columns already are of these types:
    `parsed` is that SQL, and no JSON is read (`typed_rows`).
    """

    types: Tree
    condition: str
    all_types: Tree
    lists: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()
    shape: Members | None = None
    rules: tuple[str, ...] = ()
    cells: str = ""

    def reading_all(self) -> SqlCheck:
        """The same check, with every field of the contract read."""
        return SqlCheck(self.all_types, self.condition, self.all_types)

    def unread_in(self, line: str) -> str:
        """That a line may hold something that was not read, as SQL."""
        found = [f"contains({line}, {quoted(json.dumps(name))})" for name in sorted(self.unread)]
        found += [has_object(name, line) for name in sorted(self.lists)]
        # A line with an escape may spell a key in another way.
        return " or ".join([f"contains({line}, chr(92))", *found]) if found else "false"


def learn_check(
    record: Record, mapping: FieldMap, extra: Sequence[str], lines: Sequence[bytes]
) -> SqlCheck | None:
    """The check for lines like these; None if they have nothing in common."""
    try:
        values = [parse(line) for line in lines]
    except NotJson:
        return None
    shapes = learn(record, mapping, values)
    near = [near_fields(record, value, mapping) for value in values if isinstance(value, dict)]
    there = _field_is_there(record, {key for some in near for key in some})
    if not shapes or there is None:
        return None
    rules = (*rules_of(record), *there)
    known = types_of(record, extra)
    unread: set[str] = set()
    types = known if mapping else _seen_of(known, shapes, unread)
    for tree in (types, known):
        _add_types(tree, shapes[0])
    condition = f"regexp_full_match(line, {quoted(pattern(Either(shapes)))})"
    styles = (_style_of(line.decode(), value) for line, value in zip(lines, values, strict=True))
    style = next((style for style in styles if style), None)
    same = _is_rebuilt(shapes[0], types, style) if style and not mapping else None
    if same:
        condition = f"case when {same} then true else {condition} end"
    condition += f" and {usual_marks_in_line('line')}"
    condition += "".join(f" and {rule}" for rule in rules)
    lists = frozenset() if mapping else _only_lists(record, shapes)
    one = shapes[0] if len(shapes) == 1 and not mapping else None
    return SqlCheck(types, condition, known, lists, frozenset(unread), one, rules)


def _field_is_there(record: Record, near: Collection[NearKey]) -> tuple[str, ...] | None:
    """That no field is missed which one of these keys nearly is, as SQL over the record's columns;
    None where that cannot be said, or a line misses it already."""
    columns: dict[Path, str] = {
        field.path: ".".join(map(identifier, field.path)) for field in record.fields
    }
    found = set()
    for key in near:
        if key.missed or not columns.keys() >= {*key.there}:
            return None
        found.add(" or ".join(f"{columns[path]} is not null" for path in key.there))
    return tuple(f"({each})" for each in sorted(found))


def _only_lists(record: Record, shapes: Sequence[Members]) -> frozenset[str]:
    """The fields that may be a list or an object, and are a list in all of these shapes."""
    return frozenset(
        field.name
        for field in record.fields
        if field.values.from_object
        and all(
            isinstance(member.value, Items)
            for shape in shapes
            for member in _members_called(shape, field.name)
        )
    )


def _seen_of(tree: Tree, shapes: Sequence[Shape], unread: set[str]) -> Tree:
    """The part of the types that lines of these shapes hold; the names of the rest are `unread`.

    Every type costs time in every line, whether the line has the field or not.
    """
    found: Tree = {}
    for name, column in tree.items():
        values = [member.value for shape in shapes for member in _members_called(shape, name)]
        seen = _seen_of(column, values, unread) if isinstance(column, dict) else column
        if values and seen:
            found[name] = seen
        else:
            unread.add(name)
    return found


def _members_called(shape: Shape, name: str) -> Iterator[Member]:
    match shape:
        case Members():
            yield from (member for member in shape.members if member.key == name)
        case Either():
            for each in shape.shapes:
                yield from _members_called(each, name)
        case _:
            return


def rules_of(record: Record) -> Iterator[str]:
    """What no pattern can say, because it compares two values, as SQL over the record's columns."""
    return (f"coalesce({rule}, true)" for field in record.fields for rule in _rules(field))


def _rules(field: Field) -> Iterator[str]:
    column = ".".join(map(identifier, field.path))
    if field.beside:
        yield f"len({column}) = coalesce(len({identifier(field.beside)}), 0)"
    if field.values.rule:
        yield field.values.rule.replace("{0}", column)


def _add_types(tree: Tree, shape: Members) -> None:
    """Adds what the lines have beyond the contract, which the rebuilt text needs.

    The engine takes names that differ in case only for one, and none that is empty.
    """
    names = {name.lower() for name in tree}
    for member in shape.members:
        known = tree.get(member.key)
        value = most_frequent(member.value)
        if isinstance(known, dict) and isinstance(value, Members):
            _add_types(known, value)
        if known is None and member.key and member.key.lower() not in names:
            names.add(member.key.lower())
            tree[member.key] = _type_of(value)


def _type_of(shape: Shape) -> object:
    match shape:
        case Members():
            inside: Tree = {}
            _add_types(inside, shape)
            return inside or "JSON"
        case Items(item=Scalar(column="VARCHAR")):
            return ["VARCHAR"]
        case Scalar():
            return shape.column
        case _:
            return "JSON"


def most_frequent(shape: Shape) -> Shape:
    """Of objects with several orders of keys, the one that most of them have."""
    if isinstance(shape, Either) and shape.shapes and isinstance(shape.shapes[0], Members):
        return shape.shapes[0]
    return shape


def pattern(shape: Shape) -> str:
    """The regular expression of every spelling of a shape.

    >>> one = Member("a", Items(Scalar("[0-9]")), needed=True, nulled=False)
    >>> bool(re.fullmatch(pattern(Members((one,), 0)), '{"a" : [1, 2]}'))
    True
    """
    match shape:
        case Scalar():
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


def _style_of(line: str, value: object) -> Style | None:
    """The style of a line that is written in one throughout."""
    for style in ((", ", ": "), (",", ":"), (", ", ":")):
        if json.dumps(value, ensure_ascii=False, separators=style) == line:
            return style
    return None


class NoText(Exception):
    """The text of some value cannot be rebuilt from its column."""


def _is_rebuilt(shape: Members, types: Tree, style: Style) -> str | None:
    """A condition over `line` and `parsed`: the line is the text rebuilt from its values.

    It is much quicker than the pattern. A line with an escape is left to the pattern, so that
    every text is spelled as it is.
    """
    tests = ["not contains(line, chr(92))"]
    try:
        parts = list(_object_text(shape, "parsed", types, style, tests))
    except NoText:
        return None
    return f"line = concat({', '.join(parts)}) and {' and '.join(tests)}"


def _object_text(
    shape: Members, column: str, types: Tree, style: Style, tests: list[str]
) -> Iterator[str]:
    """The pieces of an object's text; what else must hold is added to `tests`."""
    comma, colon = style
    opening = "{"
    for number, member in enumerate(shape.members):
        inside = f"{column}.{identifier(member.key)}"
        key = json.dumps(member.key, ensure_ascii=False) + colon
        value = list(_value_text(member, inside, types.get(member.key), style, tests))
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


def _value_text(
    member: Member, column: str, kind: object, style: Style, tests: list[str]
) -> Iterator[str]:
    shape = most_frequent(member.value)
    tests += value_tests(shape, column, kind, f"'\"' || {column} || '\"'")
    match shape, kind:
        case Scalar(column="VARCHAR"), "VARCHAR":
            yield from ("'\"'", column, "'\"'")
        case Scalar(column="BOOLEAN"), "BOOLEAN":
            yield f"case when {column} then 'true' else 'false' end"
        case Items(item=Scalar(column="VARCHAR")), ["VARCHAR"]:
            yield _texts(column, style[0])
        case Members(), dict():
            yield from _object_text(shape, column, kind, style, tests)
        case _, "JSON":
            yield f"{column}::varchar"
        case _:
            raise NoText


def value_tests(shape: Shape, column: str, kind: object, text: str) -> Iterator[str]:
    """What must hold of a value that was read as its type, but for those inside an object.

    `text` is the JSON text of a value that is text.
    """
    match shape, kind:
        case Scalar(column="VARCHAR", pattern=expected), "VARCHAR":
            if expected == FILLED_TEXT:
                yield f"coalesce({column} <> '', true)"
            elif expected != TEXT:
                yield _matches(text, expected)
        case Items(item=Scalar(column="VARCHAR"), filled=True), ["VARCHAR"]:
            yield f"coalesce(len({column}) > 0, true)"
        case _, "JSON":
            # The engine reads NaN and keeps its spelling, so the text is looked at.
            yield _matches(f"{column}::varchar", pattern(shape))


def _matches(text: str, expected: str) -> str:
    return f"coalesce(regexp_full_match({text}, {quoted(expected)}), true)"


def _texts(column: str, comma: str) -> str:
    """The text of a list of strings; joining is slow, and many lists have one item or none."""
    joined = f"""concat('["', array_to_string({column}, {quoted(f'"{comma}"')}), '"]')"""
    one = f"""concat('["', {column}[1], '"]')"""
    return f"case len({column}) when 0 then '[]' when 1 then {one} else {joined} end"
