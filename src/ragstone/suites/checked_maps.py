"""A user's mapping is checked before a line is read: the fields, the paths, and what they give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ragstone.contracts.json_paths import BadPath
from ragstone.contracts.mapped_fields import Mapped, parse_mapped
from ragstone.contracts.record import Field, Record, fields_called, reason_of
from ragstone.errors import ConfigError
from ragstone.gates.judge import suggestion
from ragstone.suites.registry import records

# What a list of ids can be read as.
_OF_IDS = ("texts", "evidence", "ids", "any")


def checked_mapping(given: object, at: str = "map ") -> None:
    """Each name is a field of some record, and what stands behind it can be read and fits it."""
    for name, text in given.items() if isinstance(given, Mapping) else ():
        known = list(records().values())
        called = [(record, field) for record in known for field in fields_called(record, name)]
        if not called:
            fields = [field for record in known for field in record.fields]
            names = [field.name if "." in name else field.leaf for field in fields]
            hint = suggestion(name, list(dict.fromkeys(names)))
            raise ConfigError(f"{at}{name}: no input has this field{hint}")
        mapped = parsed(text, f"{at}{name}")
        misfits = [list(misfits_of(record, field, mapped, text)) for record, field in called]
        if all(misfits):
            raise ConfigError(f"{at}{name}: {misfits[0][0]}")


def parsed(text: str, at: str) -> Mapped:
    """What a user wrote behind a field; ConfigError points at the character that is wrong."""
    try:
        return parse_mapped(text)
    except BadPath as error:
        raise ConfigError(f"{at}: expected a path such as answer.text: {error}") from None


def misfits_of(record: Record, field: Field, mapped: Mapped, text: str) -> Iterator[str]:
    """Why a field cannot be what is written behind it, whatever the lines hold."""
    kind, name = field.values, field.leaf
    is_list = bool(kind.item or kind.free)
    if mapped.constant is not None:
        reason = reason_of(field, [mapped.constant] if kind.item else mapped.constant)
        if reason is not None and reason_of(field, mapped.constant) is not None:
            yield f"{reason}, which is a constant; a key of this name goes in quotes"
    elif mapped.each and not is_list:
        yield f"{text} gives a list, and {name} is none"
    elif mapped.negated and kind.name != "flag" and not kind.free:
        yield f"{text} gives true or false, and {name} is {kind.expected}"
    elif mapped.positions_in:
        if kind.name not in _OF_IDS:
            yield f"{text} gives a list of ids, and {name} is {kind.expected}"
        others = [each for each in record.fields if each.values.item and each is not field]
        if not any(each in others for each in fields_called(record, mapped.positions_in)):
            hint = suggestion(mapped.positions_in, [each.leaf for each in others])
            place = text.rindex("@") + 2
            yield (
                f"{mapped.positions_in!r} at character {place} of {text!r} is no list of the "
                f"{record.name}{hint}; a key with @ goes in quotes"
            )
    for key, value in mapped.table:
        reason = None if value is None else reason_of(field, [value] if kind.item else value)
        if reason is not None:
            yield f"{key}:{value} of {text!r}: {reason}"
