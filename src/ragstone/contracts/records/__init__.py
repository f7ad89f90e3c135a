"""The records that the suites read, each a table of fields in `records.json`."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

from ragstone.contracts.record import Field, Record


@functools.cache
def named(name: str) -> Record:
    """A record; its own fields replace those of the same name in the record that it extends."""
    table = _tables()["records"][name]
    fields = [_field(key, given) for key, given in table["fields"].items()]
    if "extends" in table:
        others = named(table["extends"]).fields
        fields = [*(field for field in others if field.name not in table["fields"]), *fields]
    return Record(name, table["says"], tuple(fields), table.get("tables", False))


def _field(name: str, given: Mapping[str, Any]) -> Field:
    lists = ("unless", "or_else", "aliases", "spared")
    tuples = {key: tuple(given[key]) for key in lists if key in given}
    if "choices" in given:
        tuples["choices"] = tuple(choices(given["choices"]))
    return Field(name, **{**given, **tuples})


def choices(name: str) -> Mapping[str, str]:
    """The words that a field may hold, each with the one that it is counted as."""
    return dict(_tables()["choices"][name])


@functools.cache
def _tables() -> Any:
    return json.loads(resources.files(__name__).joinpath("records.json").read_text("utf-8"))
