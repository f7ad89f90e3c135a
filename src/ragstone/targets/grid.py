"""The asks of a run: every question × paraphrase × seed × jitter × configuration, in order.

The configurations come from a TOML file of knobs, in which every list is multiplied out.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from ragstone.contracts.questions import Question
from ragstone.contracts.toml_file import read_toml
from ragstone.errors import ConfigError
from ragstone.targets.jitters import Jitter, none
from ragstone.targets.protocol import Ask


@dataclass(frozen=True, slots=True)
class Grid:
    """What is varied; a field that is empty here is not varied, and is left out of the traces."""

    paraphrases: bool = False
    seeds: tuple[int, ...] = ()
    jitters: Mapping[str, Jitter] = field(default_factory=dict)
    knobs: tuple[Mapping[str, object], ...] = ()


def asks_of(questions: Sequence[Question], grid: Grid) -> Iterator[Ask]:
    """Yields the asks in the order of the finished file.

    >>> asks = asks_of([Question("A1", "Who?")], Grid(seeds=(0, 1)))
    >>> [(ask.qid, ask.q, ask.seed) for ask in asks]
    [('A1', 'Who?', 0), ('A1', 'Who?', 1)]
    """
    jitters: Iterable[tuple[str | None, Jitter]] = grid.jitters.items() or [(None, none)]
    for question in questions:
        wordings: Iterable[tuple[int | None, str]] = [(None, question.wording)]
        if grid.paraphrases:
            wordings = enumerate(question.wordings)
        for (number, wording), seed, (name, jitter), knobs in itertools.product(
            wordings, grid.seeds or (None,), jitters, grid.knobs or ({},)
        ):
            q = jitter(wording)
            yield Ask(question.qid, q, number, seed, name, knobs, question.constraints)


def key_of(ask: Ask) -> str:
    """A hash of everything that is asked; the journal finds an earlier reply by it."""
    parts = [ask.qid, ask.q, ask.paraphrase, ask.seed, ask.jitter, ask.knobs, ask.constraints]
    return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()[:32]


def parse_seeds(text: str) -> tuple[int, ...]:
    """Reads a list of seeds and ranges, in ascending order.

    >>> parse_seeds("0-4"), parse_seeds("7,1,3-4")
    ((0, 1, 2, 3, 4), (1, 3, 4, 7))
    """
    seeds: set[int] = set()
    for part in text.split(","):
        found = re.fullmatch(r"\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*", part)
        if found is None:
            raise ConfigError(f"--seeds {text!r}: expected numbers and ranges, such as 0-4 or 1,7")
        first, last = int(found[1]), int(found[2] or found[1])
        if last < first or last - first > 100_000:
            raise ConfigError(f"--seeds {text!r}: {part.strip()} is not a range that can be run")
        seeds.update(range(first, last + 1))
    return tuple(sorted(seeds))


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
        written = {key: _json(key, value) for key, value in setting.items()}
        # Without lists, a configuration is called by its name or else by its own values.
        parts = [name] if name else []
        if axes or not name:
            parts += [f"{key}={written[key]}" for key in (picked or own)]
        yield Configuration(" ".join(parts) or "default", setting)


def _json(key: str, value: object) -> str:
    """The value as JSON; a string as it is, without quotes."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):
        raise ConfigError(f"{key}: {value!r} cannot be sent as JSON") from None
    return value if isinstance(value, str) else text
