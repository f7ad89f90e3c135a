"""`ragstone.toml`: the user's gates, paths and policies, read strictly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from ragstone.contracts.record import Record, mapping_of
from ragstone.contracts.toml_file import read_toml
from ragstone.errors import ConfigError
from ragstone.gates.judge import suggestion

FILE_NAME = "ragstone.toml"
SUITES = ("answers", "retrieval", "context", "latency", "agreement", "stability")

Table = Mapping[str, object]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SliceGates:
    """Gates for the part of the gold set where each named field has the given value."""

    where: tuple[tuple[str, str | int | float | bool], ...]
    gates: tuple[tuple[str, str | float], ...]


@dataclass(frozen=True, slots=True)
class SuiteTable:
    """One suite's table: its options as written, its gates, its slices."""

    options: Mapping[str, object] = field(default_factory=dict)
    gates: tuple[tuple[str, str | float], ...] = ()
    slices: tuple[SliceGates, ...] = ()
    named: bool = False


@dataclass(frozen=True, slots=True)
class Config:
    """The file, checked; without a file, the defaults. Paths are relative to its folder."""

    path: Path | None = None
    gold: str | None = None
    trace: tuple[str, ...] = ()
    mapping: Mapping[str, str] = field(default_factory=dict)
    rules: tuple[tuple[str, str], ...] = ()
    suites: Mapping[str, SuiteTable] = field(default_factory=dict)

    def suite(self, name: str) -> SuiteTable:
        return self.suites.get(name, SuiteTable())


# option → what it must be; the suites check ranges and choices themselves.
_OPTIONS: Mapping[str, Mapping[str, type]] = {
    "answers": {"k": int, "missing": str, "keep": str, "scu": bool, "refusal": list},
    "agreement": {"pairs": str, "scholar": str, "auditor": str, "raters": list},
    "latency": {"samples": str, "baseline": str, "only": str},
    "stability": {"runs": str},
    "context": {
        "results": list,
        "reference": str,
        "k": int,
        "level": int,
        "id_pattern": str,
        "baseline": str,
        "by": list,
    },
    "retrieval": {
        "gold": str,
        "log": list,
        "live": list,
        "shadow": list,
        "manifest": str,
        "texts": str,
        "unit": str,
        "embedder": str,
        "delta_s_line": float,
        "delta_s_line_for": str,
        "index_only": bool,
    },
}


def find(start: Path) -> Path | None:
    """The nearest ragstone.toml, from the folder upwards."""
    for folder in (start, *start.parents):
        # A folder that may not be entered holds nothing that could be read.
        with suppress(PermissionError):
            if (folder / FILE_NAME).is_file():
                return folder / FILE_NAME
    return None


def read(path: Path) -> Config:
    """The checked file; ConfigError names the key that is wrong."""
    table = read_toml(path)
    try:
        return _config(table, path)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def _config(table: Table, path: Path) -> Config:
    _known(table, ("paths", "map", "scu", *SUITES), "")
    paths = _typed(table, "paths", dict, "", {})
    _known(paths, ("gold", "trace"), "paths.")
    trace = paths.get("trace", [])
    if isinstance(trace, str):
        trace = [trace]
    mapping = _typed(table, "map", dict, "", {})
    return Config(
        path,
        gold=_typed(paths, "gold", str, "paths.", None),
        trace=tuple(_texts(trace, "paths.trace")),
        mapping=checked_mapping(
            {key: _text(value, f"map.{key}") for key, value in _flat(mapping)}, "map."
        ),
        rules=_rules(_typed(table, "scu", dict, "", {})),
        suites={name: _suite(name, table) for name in SUITES if name in table},
    )


def _flat(table: Table, at: str = "") -> Iterator[tuple[str, object]]:
    """`gold.qid = "id"` is a table in a table to TOML, and a dotted name to the user."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{at}{key}.")
        else:
            yield f"{at}{key}", value


def records() -> tuple[Record, ...]:
    """Every record whose fields may have other names; most runs name none, and need none of it."""
    from ragstone.contracts.records.context_records import REFERENCE, RESULTS
    from ragstone.contracts.records.gold_record import GOLD
    from ragstone.contracts.records.label_records import LABEL, PAIRS
    from ragstone.contracts.records.retrieval_records import (
        MANIFEST,
        RETRIEVAL_GOLD,
        RETRIEVAL_LOG,
        TEXTS,
    )
    from ragstone.contracts.records.trace_records import RUN, SAMPLE, TRACE

    retrieval = (RETRIEVAL_GOLD, RETRIEVAL_LOG, MANIFEST, TEXTS)
    return (GOLD, TRACE, *retrieval, RESULTS, REFERENCE, LABEL, PAIRS, RUN, SAMPLE)


def checked_mapping(given: Mapping[str, str], at: str = "map ") -> Mapping[str, str]:
    """The mapping, if each name is a field of some record and each path can be followed."""
    for name, path in given.items():
        if not any(mapping_of(record, {name: path}) for record in records()):
            fields = [field for record in records() for field in record.fields]
            known = [field.name if "." in name else field.leaf for field in fields]
            hint = suggestion(name, list(dict.fromkeys(known)))
            raise ConfigError(f"{at}{name}: no input has this field{hint}")
        if not all(path.split(".")):
            raise ConfigError(f"{at}{name}: expected a path such as answer.text, found {path!r}")
    return given


def _suite(name: str, table: Table) -> SuiteTable:
    body = _typed(table, name, dict, "", {})
    kinds = _OPTIONS.get(name, {})
    _known(body, (*kinds, "gates", "slices"), f"{name}.")
    options: dict[str, object] = {}
    for key, kind in kinds.items():
        if key in body:
            options[key] = _typed(body, key, kind, f"{name}.", None)
    for key, kind in kinds.items():
        if kind is list and key in options:
            options[key] = _texts(options[key], f"{name}.{key}")
    gates = _gates(_typed(body, "gates", dict, f"{name}.", {}), f"{name}.gates.")
    slices = tuple(
        _slice(item, f"{name}.slices[{number}]")
        for number, item in enumerate(_typed(body, "slices", list, f"{name}.", []))
    )
    named = bool(options or gates or slices) or (name == "answers" and not body)
    return SuiteTable(options, gates, slices, named)


def _slice(item: object, at: str) -> SliceGates:
    if not isinstance(item, dict):
        raise ConfigError(f"{at}: expected a table with `where` and `gates`")
    _known(item, ("where", "gates"), f"{at}.")
    where = _typed(item, "where", dict, f"{at}.", {})
    gates = _gates(_typed(item, "gates", dict, f"{at}.", {}), f"{at}.gates.")
    if not where or not gates:
        raise ConfigError(
            f"{at}: expected both `where` and `gates`, as in "
            '{ where = { tags = "billing" }, gates = { precision = 0.90 } }'
        )
    for key, value in where.items():
        if not isinstance(value, str | int | float | bool):
            raise ConfigError(f"{at}.where.{key}: expected a string, number or boolean")
    return SliceGates(tuple(where.items()), gates)


def _gates(table: Table, at: str) -> tuple[tuple[str, str | float], ...]:
    gates: list[tuple[str, str | float]] = []
    for key, value in table.items():
        if value is False:
            gates.append((key, "off"))
        elif isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ConfigError(f"{at}{key}: expected a number or text such as '>= 0.80'")
        else:
            gates.append((key, value))
    return tuple(gates)


def _rules(table: Table) -> tuple[tuple[str, str], ...]:
    _known(table, ("rules",), "scu.")
    rules = []
    for number, rule in enumerate(_typed(table, "rules", list, "scu.", [])):
        at = f"scu.rules[{number}]"
        if not isinstance(rule, dict):
            raise ConfigError(f"{at}: expected a table with `locked` and `contradicts`")
        _known(rule, ("locked", "contradicts"), f"{at}.")
        pair = [_text(rule.get(key), f"{at}.{key}") for key in ("locked", "contradicts")]
        rules.append((pair[0], pair[1]))
    return tuple(rules)


def _known(table: Table, keys: tuple[str, ...], at: str) -> None:
    for key in table:
        if key not in keys:
            raise ConfigError(f"unknown key {at}{key}{suggestion(key, keys)}")


def _typed(table: Table, key: str, kind: type[T], at: str, default: T | None) -> T:
    value = table.get(key, default)
    if value is None:
        return value  # type: ignore[return-value]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        expected: dict[type, str] = {
            dict: "a table", list: "a list", str: "a string", int: "a whole number",
            float: "a number with a decimal point",
        }  # fmt: skip
        raise ConfigError(
            f"{at}{key}: expected {expected.get(kind, 'true or false')}, found {value!r}"
        )
    return value


def _text(value: object, at: str) -> str:
    if not isinstance(value, str) or not value:
        raise ConfigError(f"{at}: expected a string that is not empty")
    return value


def _texts(value: object, at: str) -> list[str]:
    if not isinstance(value, list):
        raise ConfigError(f"{at}: expected a list of strings")
    return [_text(item, at) for item in value]
