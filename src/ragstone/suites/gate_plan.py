"""What `gate` runs: the suites that ragstone.toml names, and the options for each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

from ragstone.errors import ConfigError, Diagnostics, InputError
from ragstone.gates.judge import resolve, suggestion
from ragstone.suites import waivers
from ragstone.suites.answers.verdicts import Keep
from ragstone.suites.config_file import Config
from ragstone.suites.declaration import AnySuite
from ragstone.suites.options import Options
from ragstone.suites.registry import entries, find_suite, of_table, tables

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Planned:
    """A suite that `gate` runs, with its inputs and the options in force."""

    suite: AnySuite
    inputs: Mapping[str, Any]
    options: Options


def suites_of(config: Config) -> list[AnySuite]:
    """The suites that the file names, in the order they run."""
    if config.path is None:
        raise ConfigError("no ragstone.toml, and so no gates; `ragstone init` writes one")
    named = [table for table in tables() if config.names(table)]
    if not named and config.names("paths"):
        named = ["answers"]
    if not named:
        table = f"[{config.prefix}answers]"
        raise ConfigError(f"{config.path} names no suite; add a table such as {table}")
    return [_chosen(table, config) for table in named]


def suite_called(name: str) -> AnySuite:
    """The suite of a name or of a command's name; ConfigError lists those that there are."""
    names = {entry.command: entry.name for entry in reversed(entries())}
    names |= {entry.name: entry.name for entry in entries()}
    if name not in names:
        raise ConfigError(f"there is no suite {name!r}{suggestion(name, list(names))}")
    return find_suite(names[name])


def _chosen(table: str, config: Config) -> AnySuite:
    """Where suites share a table, the last one whose inputs the file names; else the first."""
    suites = of_table(table)
    for suite in reversed(suites):
        files = config.inputs(suite)
        if all(given.name in files for given in suite.inputs if given.required):
            return suite
    return suites[0]


def options_for(
    suites: Sequence[AnySuite], given: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """The options of each suite; `answers.precision=0.9` is for one, `precision=0.9` for all.

    Where every line counts, `--keep last` has nothing to say: it is meant for the other suites.
    """
    found = {name: dict(options) for name, options in given.items()}
    for suite in suites:
        known = next((each.choices for each in suite.own_options if each.name == "keep"), ())
        if found[suite.name].get("keep") in set(get_args(Keep)).difference(known):
            del found[suite.name]["keep"]
    asked = dict.fromkeys(name for each in found.values() for name, _ in each.get("gates", ()))
    used: set[str] = set()
    for suite in suites:
        mine = []
        for name, limit in found[suite.name].get("gates", ()):
            owner, dot, rest = name.partition(".")
            own = rest if dot and owner in (suite.name, suite.file_table) else name
            if own != name or _has(suite, name, limit):
                mine.append((own, limit))
                used.add(name)
        if "gates" in found[suite.name]:
            found[suite.name]["gates"] = tuple(mine)
    for name in asked:
        if name not in used:
            raise ConfigError(f"gate {name}: no suite that the file names has this metric")
    return found


def on_one_day(config: Config, given: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The options with the day, where something is waived: one for all suites, also at midnight."""
    found = {name: dict(options) for name, options in given.items()}
    if config.whole.get("waive") or any(options.get("waive") for options in found.values()):
        day = waivers.today()
        for options in found.values():
            options["as_of"] = options.get("as_of") or day
    return found


def each_judged(suites: Sequence[AnySuite], judge: Callable[[AnySuite], T]) -> Iterator[T]:
    """What becomes of each suite; if inputs are bad, one error at the end lists those of all."""
    bad = Diagnostics()
    for suite in suites:
        try:
            judged = judge(suite)
        except ConfigError:
            raise
        except InputError as error:
            bad.take(error)
            continue
        # With --fail-fast no suite is looked at behind one that fails: that must not hide the bad.
        if not bad:
            yield judged
    bad.must_be_none()


def _has(suite: AnySuite, name: str, limit: str | float) -> bool:
    try:
        # A gate may ask for what only the traces have: another tool's score.
        options = suite.options(gates=((name, limit),))
        resolve(name, suite.metrics(options), getattr(options, "k", None))
    except ConfigError:
        return False
    return True
