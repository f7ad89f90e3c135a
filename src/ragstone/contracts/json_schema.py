"""The JSON Schema of a record, from the same field table that the checks come from."""

from __future__ import annotations

from ragstone.contracts.expected_patterns import DEFINITIONS
from ragstone.contracts.kinds import nullable
from ragstone.contracts.record import Field, Record


def schema(record: Record) -> dict[str, object]:
    """A JSON Schema (2020-12) that accepts every line the contract accepts.

    Fields of another shape of the record (`unless`) depend on their neighbours, which a schema of
    one field cannot say: they are described and left open.
    """
    properties: dict[str, object] = {}
    for field in record.fields:
        if len(field.path) == 1:
            properties[field.name] = _property(field)
            continue
        parent = properties.setdefault(
            field.path[0], {"type": ["object", "null"], "properties": {}}
        )
        if isinstance(parent, dict):
            parent["properties"][field.leaf] = _property(field)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": record.name,
        "description": record.says,
        "type": "object",
        "properties": properties,
        "required": [field.name for field in record.fields if field.required],
        # What the schemas of some fields refer to.
        **({"$defs": DEFINITIONS} if any(f.values.misfit for f in record.fields) else {}),
    }


def _property(field: Field) -> dict[str, object]:
    if field.unless:
        return {"description": field.says}
    made: dict[str, object] = {"description": field.says, **field.values.schema}
    if field.filled:
        made["minItems" if field.values.item else "minLength"] = 1
    if field.least is not None:
        made["minimum"] = field.least
    if field.kind == "text" and field.choices:
        made["enum"] = [*field.choices, *([] if field.required else [None])]
    # Null is the same as absent.
    return made if field.required or not made.keys() & {"type", "anyOf"} else nullable(made)
