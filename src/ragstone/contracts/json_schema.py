"""The JSON Schema of a record, from the same field table that the checks come from."""

from __future__ import annotations

from collections.abc import Mapping

from ragstone.contracts.record import Field, Kind, Record

_TEXTS = {"type": "array", "items": {"type": "string"}}
_SPAN: Mapping[str, object] = {
    "type": "array",
    "items": {"type": "integer", "minimum": 0},
    "minItems": 2,
    "maxItems": 2,
}
_TYPES: Mapping[Kind, Mapping[str, object]] = {
    "text": {"type": "string"},
    "flag": {"type": "boolean"},
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "texts": _TEXTS,
    "numbers": {"type": "array", "items": {"type": "number"}},
    "moment": {"type": ["number", "string"]},
    "object": {"type": "object"},
    "chunks": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"id": {"type": "string"}, "score": {"type": ["number", "null"]}},
            "required": ["id"],
        },
    },
    "hits": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "id": {"type": "string"},
                "score": {"type": ["number", "null"]},
                "offsets": {**_SPAN, "type": ["array", "null"]},
                "type": {"type": ["string", "null"]},
                "section_id": {"type": ["string", "null"]},
                "hash": {"type": ["string", "null"]},
            },
            "required": ["id"],
        },
    },
    "span": _SPAN,
    "spans": {"type": "object", "additionalProperties": _SPAN},
    "any": {},
    "id": {"type": ["string", "number"]},
    "ids": {"type": ["array", "string"], "items": {"type": ["string", "number"]}},
}


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
    }


def _property(field: Field) -> dict[str, object]:
    if field.unless:
        return {"description": field.says}
    made: dict[str, object] = {"description": field.says, **_TYPES[field.kind]}
    if field.filled:
        made["minItems" if field.kind == "texts" else "minLength"] = 1
    if field.least is not None:
        made["minimum"] = field.least
    if field.kind == "text" and field.choices:
        made["enum"] = [*field.choices, *([] if field.required else [None])]
    if not field.required and "type" in made:
        # Null is the same as absent.
        kind = made["type"]
        made["type"] = [*(kind if isinstance(kind, list) else [kind]), "null"]
    return made
