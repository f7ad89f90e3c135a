"""The configurations of a pipeline: a TOML file of knobs, with every list multiplied out."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ragstone.contracts.toml_file import read_toml
from ragstone.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Configuration:
    """One value for every knob, and a name that no other configuration has."""

    name: str
    knobs: Mapping[str, object]


def read_grid(path: str | Path) -> tuple[Configuration, ...]:
    """Reads the configurations of a grid file, in its order.

    A list is an axis, anything else is the same in every configuration; `[[config]]` tables are
    grids of their own, each over the values at the top, and may carry a `name`.
    """
    table = read_toml(Path(path))
    try:
        found = tuple(configurations(table))
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    names = [configuration.name for configuration in found]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"{path}: two configurations are called {name!r}")
    return found


def configurations(table: Mapping[str, object]) -> Iterator[Configuration]:
    """Yields every combination; the last list of the file varies fastest.

    >>> [c.name for c in configurations({"k": [5, 10], "rerank": True})]
    ['k=5', 'k=10']
    >>> [c.knobs for c in configurations({"k": [5, 10], "rerank": True})]
    [{'k': 5, 'rerank': True}, {'k': 10, 'rerank': True}]
    """
    shared = {key: value for key, value in table.items() if key != "config"}
    listed = table.get("config", [{}])
    if not isinstance(listed, list) or not all(isinstance(item, dict) for item in listed):
        raise ConfigError("config: expected tables, written [[config]]")
    for item in listed:
        name = item.get("name")
        if name is not None and not isinstance(name, str):
            raise ConfigError(f"config.name: expected a string, found {name!r}")
        own = {key: value for key, value in item.items() if key != "name"}
        yield from _product(name, {**shared, **own}, tuple(own))


def _product(
    name: str | None, knobs: Mapping[str, object], own: tuple[str, ...]
) -> Iterator[Configuration]:
    axes = {key: value for key, value in knobs.items() if isinstance(value, list)}
    for key, values in axes.items():
        if not values:
            raise ConfigError(f"{key}: expected at least one value")
    for chosen in itertools.product(*axes.values()):
        picked = dict(zip(axes, chosen, strict=True))
        setting = {key: picked.get(key, value) for key, value in knobs.items()}
        _must_be_json(setting)
        # Without lists, a configuration is called by its name or else by its own values.
        distinct = picked if axes else {key: knobs[key] for key in own}
        parts = [name] if name else []
        if axes or not name:
            parts += [f"{key}={_word(value)}" for key, value in distinct.items()]
        yield Configuration(" ".join(parts) or "default", setting)


def _word(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _must_be_json(setting: Mapping[str, object]) -> None:
    for key, value in setting.items():
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            raise ConfigError(f"{key}: {value!r} cannot be sent as JSON") from None
