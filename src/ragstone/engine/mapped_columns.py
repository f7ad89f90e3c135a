"""How mapped fields become columns: what `contracts/mapped_values` says of a line, in SQL.

Only lines that were found good, by it or by their shape, are read by what this says of them. It
never fails on another line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from ragstone.contracts.kinds import KINDS, Kind
from ragstone.contracts.mapped_fields import Mapped
from ragstone.contracts.mapped_values import HASHED, WHOLE_FLOAT
from ragstone.contracts.record import Field, FieldMap, Record, places_of
from ragstone.engine.duck import identifier, quoted
from ragstone.engine.few_marks import few_marks
from ragstone.engine.json_values import json_at, typed

_TEXTS = KINDS["texts"]
# The names of lambdas' parameters differ from those inside of paths.
_ITEM = "item"


def mapped_sql(record: Record, extra: Sequence[str], raw: str, mapping: FieldMap) -> str:
    """The lines of `raw` with the record's top-level fields beside them, read as they are mapped.

    `extra` are further fields, which are JSON.
    """
    columns = []
    known = dict.fromkeys(field.path[0] for field in record.fields)
    for name in known:
        inside = [field for field in record.fields if field.path[0] == name]
        if len(inside[0].path) == 1:
            columns.append(f"{_value(inside[0], mapping)} as {identifier(name)}")
        else:
            leaves = (f"{identifier(f.leaf)} := {_value(f, mapping)}" for f in inside)
            columns.append(f"struct_pack({', '.join(leaves)}) as {identifier(name)}")
    columns += [f"{json_at((name,))} as {identifier(name)}" for name in extra if name not in known]
    return f"(select json::varchar as line, file_index, {', '.join(columns)} from {raw})"


def _value(field: Field, mapping: FieldMap) -> str:
    places = places_of(field, mapping)
    return f"coalesce({', '.join(column_sql(place, field.values) for place in places)})"


def column_sql(mapped: Mapped, kind: Kind) -> str:
    """The column of a kind that a mapping gives, as SQL over `json`."""
    if mapped.positions_in:
        return _ids_at(mapped)
    found = _made(mapped)
    if mapped.given:
        found = _listed(found, kind)
    if mapped.ids == "text":
        found = _with_whole_texts(found, kind.column)
    column = typed(kind.column, found)
    if kind.from_object:
        made = kind.from_object.replace("{0}", found)
        column = f"case when json_type({found}) = 'OBJECT' then {made} else {column} end"
    return _hashed(column, kind.column) if mapped.ids == "hash" else column


def _made(mapped: Mapped) -> str:
    """What is made of the value at the path, as JSON."""
    if mapped.constant is not None:
        return _literal(mapped.constant)
    found = json_at(mapped.path)
    if mapped.negated:
        turned = "when 'true' then 'false' when 'false' then 'true'"
        return f"(case {found}::varchar {turned} end)::json"
    if mapped.table:
        return _each(mapped, found, lambda one: _looked_up(mapped, one))
    return found


def _literal(value: object) -> str:
    return f"{quoted(json.dumps(value, ensure_ascii=False))}::json"


def _each(mapped: Mapped, found: str, make: Callable[[str], str]) -> str:
    if not mapped.each:
        return make(found)
    return f"to_json(list_transform(try_cast({found} as json[]), lambda {_ITEM}: {make(_ITEM)}))"


def _looked_up(mapped: Mapped, value: str) -> str:
    whens = " ".join(
        f"when {quoted(key)} then {'null' if made is None else _literal(made)}"
        for key, made in mapped.table
    )
    return f"(case {_key(value)} {whens} end)"


def _key(value: str) -> str:
    """The text that a table has a value under: a text, true, false or a whole number."""
    return (
        f"(case json_type({value}) when 'VARCHAR' then {value}->>'$' "
        f"when 'BOOLEAN' then {value}::varchar else {whole_text(value)} end)"
    )


def whole_text(value: str) -> str:
    """The digits of a whole number, as `mapped_values.whole_of` has it; null for anything else."""
    number = f"try_cast({value}::varchar as double)"
    return (
        f"(case when json_type({value}) in ('BIGINT', 'UBIGINT') "
        f"then try_cast({value}::varchar as hugeint)::varchar "
        f"when json_type({value}) = 'DOUBLE' and {number} = trunc({number}) "
        f"and abs({number}) < {WHOLE_FLOAT} then try_cast({number} as bigint)::varchar end)"
    )


def _listed(found: str, kind: Kind) -> str:
    """A scalar where the field is a list is a list of one."""
    if kind.item is None:
        return found
    # A text is a list of ids, where it is the field of a table.
    lists = ["'ARRAY'", "'OBJECT'", *(["'VARCHAR'"] if kind.name == "ids" else [])]
    return (
        f"(case when json_type({found}) not in ({', '.join(lists)}) then json_array({found}) "
        f"else {found} end)"
    )


def _with_whole_texts(found: str, column: object) -> str:
    """JSON with texts for the whole numbers in it, where ids are."""
    if column == "VARCHAR":
        return f"coalesce(to_json({whole_text(found)}), {found})"
    if not isinstance(column, list):
        # Numbers inside of objects become text where they are read as such.
        return found
    name = _name_for(column[0])
    one = _with_whole_texts(name, column[0])
    items = f"list_transform(try_cast({found} as json[]), lambda {name}: {one})"
    return f"(case when json_type({found}) = 'ARRAY' then to_json({items}) else {found} end)"


def _name_for(column: object) -> str:
    """A name for the items of a list, other than those of lists inside of it."""
    return f"{_ITEM}{str(column).count('[')}"


def _hashed(column: str, kind: object) -> str:
    """A column of ids with the hashes of its texts."""
    match kind:
        case "VARCHAR":
            return _hash(column)
        case [inside]:
            name = _name_for(inside)
            return f"list_transform({column}, lambda {name}: {_hashed(name, inside)})"
        case {"text": "VARCHAR", "citations": cited}:
            return (
                f"struct_pack(text := {column}.text, "
                f"citations := {_hashed(f'{column}.citations', cited)})"
            )
        case _:
            return column


def _hash(text: str) -> str:
    # The engine's normal form ends at a NUL, so a text that holds one goes piece by piece.
    pieces = f"list_transform(string_split({text}, chr(0)), lambda piece: nfc_normalize(piece))"
    normal = (
        f"case when not ({few_marks(text)}) then {text} "
        f"when contains({text}, chr(0)) then array_to_string({pieces}, chr(0)) "
        f"else nfc_normalize({text}) end"
    )
    return (
        f"(case when {text} = '' or regexp_full_match({text}, '{HASHED}') then {text} "
        f"else left(sha256({normal}), 16) end)"
    )


def _ids_at(mapped: Mapped) -> str:
    """The ids at positions of another field; one that points nowhere is called by it."""
    ids = f"coalesce({', '.join(column_sql(place, _TEXTS) for place in mapped.listing)}, [])"
    places = f"list_transform(try_cast({_listed(json_at(mapped.path), _TEXTS)} as json[]), "
    places += f"lambda {_ITEM}: {whole_text(_ITEM)})"
    at = f"(try_cast(place as bigint) - {mapped.base})"
    nowhere = (
        "'[' || place || ']' || case when list_contains(listed.ids, '[' || place || ']') "
        "then ' (points nowhere)' else '' end"
    )
    one = f"case when {at} between 0 and len(listed.ids) - 1 then listed.ids[{at} + 1] "
    one += f"else {nowhere} end"
    # A list of one, so that what is long is said, and computed, once.
    pair = f"[struct_pack(ids := {ids}, places := {places})]"
    each = f"list_transform(listed.places, lambda place: {one})"
    return f"list_transform({pair}, lambda listed: {each})[1]"
