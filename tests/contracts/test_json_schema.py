"""The JSON Schema of gold takes the expectations that the contract takes, as far as one can."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest
from contracts.test_kinds import BAD, GOOD, ODD

from ragstone.contracts.json_schema import schema
from ragstone.contracts.records.gold_record import GOLD

pytestmark = pytest.mark.python

FIELDS = {"answers": "gold_answer", "nuggets": "nuggets", "must_not": "must_not"}
TYPES: Mapping[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "number": (int, float),
    "null": type(None),
}
# What only the rules of matching can say: a number in words, a pattern of RE2, a day that exists.
BEYOND = (
    {"number": "abc"},
    {"regex": "a(?=b)"},
    {"date": "2023-13"},
    {"date": "2023-02-30"},
    [{"id": "a", "any": ["b"]}, {"id": "a", "any": ["c"]}],
)
WHOLE: Any = schema(GOLD)


def accepts(rule: Mapping[str, Any], value: Any) -> bool:
    """The few words of JSON Schema that these schemas are made of."""
    if "$ref" in rule:
        return accepts(WHOLE["$defs"][rule["$ref"].rpartition("/")[2]], value)
    if "anyOf" in rule:
        return any(accepts(one, value) for one in rule["anyOf"])
    if "enum" in rule:
        return value in rule["enum"]
    kinds = rule["type"] if isinstance(rule["type"], list) else [rule["type"]]
    if not any(_is(value, kind) for kind in kinds):
        return False
    if isinstance(value, str):
        found = re.search(rule.get("pattern", ""), value)
        return len(value) >= rule.get("minLength", 0) and found is not None
    if isinstance(value, list):
        long_enough = len(value) >= rule.get("minItems", 0)
        return long_enough and all(accepts(rule["items"], item) for item in value)
    if isinstance(value, dict):
        known = rule["properties"]
        return {*rule["required"]} <= {*value} <= {*known} and all(
            accepts(known[key], item) for key, item in value.items()
        )
    return True


def _is(value: object, kind: str) -> bool:
    return isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


@pytest.mark.parametrize("kind", FIELDS)
def test_the_schema_and_the_contract_agree(kind: str) -> None:
    rule = WHOLE["properties"][FIELDS[kind]]
    tables = [{"number": 5, "unit": None, "date": None, "any": None}] if kind == "answers" else []
    for value in [None, *GOOD[kind], *ODD[kind], *tables]:
        assert accepts(rule, value), value
    for value in BAD[kind]:
        assert accepts(rule, value) == (value in BEYOND), value
