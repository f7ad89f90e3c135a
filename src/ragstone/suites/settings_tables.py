"""Option values that are tables of their own: gates, slices, other names of fields, rules."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragstone.contracts.kinds import MOST, is_number
from ragstone.contracts.mapped_fields import split_words
from ragstone.contracts.plain_numbers import RANGE, clipped
from ragstone.errors import ConfigError
from ragstone.gates.judge import suggestion
from ragstone.gates.margin import Margins, margins_given

_RULE = ("locked", "contradicts")

GateChanges = tuple[tuple[str, str | float], ...]


@dataclass(frozen=True, repr=False)
class SliceGates:
    """Gates for the part of the questions where each named field has the given value."""

    where: tuple[tuple[str, str | int | float | bool], ...]
    gates: GateChanges


def gates_from_table(value: object, at: str) -> GateChanges:
    """`precision = ">= 0.80"`, `chr = 0.75`, `missing = false`."""
    gates: list[tuple[str, str | float]] = []
    for key, given in table_of(value, at).items():
        if given is False:
            gates.append((key, "off"))
        elif isinstance(given, bool) or not isinstance(given, str | int | float):
            raise ConfigError(f"{at}.{key}: expected a number or text such as '>= 0.80'")
        else:
            gates.append((key, given))
    return tuple(gates)


def margins_from_table(value: object, at: str) -> Margins:
    """`precision = 0.02`, `p95 = "5%"`."""
    made: list[tuple[str, str | float]] = []
    for key, given in table_of(value, at).items():
        if isinstance(given, bool) or not isinstance(given, str | int | float):
            raise ConfigError(f"{at}.{key}: expected a number such as 0.02, or text such as '5%'")
        made.append((key, given))
    margins_given(made)
    return tuple(made)


def margins_from_words(words: Sequence[str]) -> Margins:
    """`precision=0.02 p95=5%`, also with commas between them."""
    made: list[tuple[str, str | float]] = []
    for part in (part.strip() for word in words for part in word.split(",")):
        name, equals, given = part.rpartition("=")
        if not equals or not name.strip():
            raise ConfigError(
                f"--max-regression {part!r}: expected NAME=NUMBER, such as precision=0.02"
            )
        made.append((name.strip(), given.strip()))
    margins_given(made)
    return tuple(made)


def slices_from_table(value: object, at: str) -> tuple[SliceGates, ...]:
    """`[[answers.slices]]`, each with `where` and `gates`."""
    if not isinstance(value, list):
        raise ConfigError(f"{at}: expected a list, found {clipped(value)}")
    return tuple(_slice(item, f"{at}[{number}]") for number, item in enumerate(value))


def _slice(item: object, at: str) -> SliceGates:
    if not isinstance(item, dict):
        raise ConfigError(f"{at}: expected a table with `where` and `gates`")
    must_know(item, ("where", "gates"), f"{at}.")
    where = table_of(item.get("where", {}), f"{at}.where")
    gates = gates_from_table(item.get("gates", {}), f"{at}.gates")
    if not where or not gates:
        raise ConfigError(
            f"{at}: expected both `where` and `gates`, as in "
            '{ where = { tags = "billing" }, gates = { precision = 0.90 } }'
        )
    chosen = []
    for key, given in where.items():
        if not key or "\0" in key:
            raise ConfigError(f"{at}.where: expected the name of a field of gold, found {key!r}")
        if not isinstance(given, str | int | float | bool):
            raise ConfigError(f"{at}.where.{key}: expected a string, number or boolean")
        if is_number(given) and not -MOST <= given <= MOST:  # type: ignore[operator]
            found = clipped(given)
            raise ConfigError(f"{at}.where.{key}: expected a number {RANGE}, found {found}")
        chosen.append((key, given))
    return SliceGates(tuple(chosen), gates)


def mapping_from_table(value: object, at: str) -> dict[str, str]:
    """`claim = "answer.text"`, `gold.qid = "id"`, `answerable = true`."""
    return {key: mapped_words(path, f"{at}.{key}") for key, path in _flat(table_of(value, at))}


def mapped_words(value: object, at: str) -> str:
    """What a field is mapped to, as it is written behind a flag; a number or flag is a constant."""
    if isinstance(value, bool):
        return json.dumps(value)
    if is_number(value):
        # Written so that NaN, which is neither below nor above anything, is out of bounds.
        if not -MOST <= value <= MOST:  # type: ignore[operator]
            raise ConfigError(f"{at}: expected a number {RANGE}, found {clipped(value)}")
        return json.dumps(value)
    return text_of(value, at)


def _flat(table: Mapping[str, object], at: str = "") -> Iterator[tuple[str, object]]:
    """`gold.qid = "id"` is a table in a table to TOML, and a dotted name to the user."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{at}{key}.")
        else:
            yield f"{at}{key}", value


def mapping_from_words(words: Sequence[str], at: str = "--map") -> dict[str, str]:
    """`claim=answer.text gold.qid=id`, also with commas between them."""
    found = {}
    for item in (part for text in words for part in split_words(text)):
        name, equals, path = item.partition("=")
        if not equals or not name.strip() or not path.strip():
            raise ConfigError(f"{at} {item!r}: expected FIELD=PATH, such as claim=answer.text")
        found[name.strip()] = path.strip()
    return found


def rules_from_table(value: object, at: str) -> tuple[tuple[str, str], ...]:
    """`[[scu.rules]]`, each with `locked` and `contradicts`."""
    if not isinstance(value, list):
        raise ConfigError(f"{at}: expected a list, found {clipped(value)}")
    rules = []
    for number, rule in enumerate(value):
        here = f"{at}[{number}]"
        if not isinstance(rule, dict):
            raise ConfigError(f"{here}: expected a table with `locked` and `contradicts`")
        must_know(rule, _RULE, f"{here}.")
        locked, against = (text_of(rule.get(key), f"{here}.{key}") for key in _RULE)
        rules.append((locked, against))
    return tuple(rules)


def must_know(table: Mapping[str, object], keys: Sequence[str], at: str) -> None:
    """Every key of the table is one of these; a suggestion for one that is not."""
    for key in table:
        if key not in keys:
            raise ConfigError(f"unknown key {at}{key}{suggestion(key, keys)}")


def table_of(value: object, at: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise ConfigError(f"{at}: expected a table, found {clipped(value)}")
    return value


def text_of(value: object, at: str) -> str:
    if not isinstance(value, str) or not value:
        raise ConfigError(f"{at}: expected a string that is not empty")
    return value
