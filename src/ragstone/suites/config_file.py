"""`ragstone.toml`, or `[tool.ragstone]`: the user's gates, paths and policies, read strictly.

Which keys there are, and what they may hold, is said by the declarations of the suites.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragstone.contracts.mapped_fields import Ids
from ragstone.contracts.plain_numbers import clipped
from ragstone.contracts.record import Given
from ragstone.errors import ConfigError
from ragstone.formats.known_formats import own_formats_from_table
from ragstone.gates.judge import merge
from ragstone.ledger.run_place import PLACE
from ragstone.suites.checked_maps import checked_mapping
from ragstone.suites.declaration import AnySuite, Input
from ragstone.suites.judged_scores.judge_settings import with_paths
from ragstone.suites.option_fields import Declared, checked
from ragstone.suites.options import Options
from ragstone.suites.pyproject_table import (
    PREFIX,
    PROJECT_FILE,
    has_settings,
    is_project_file,
    settings_of,
)
from ragstone.suites.registry import find_suite, of_table, tables
from ragstone.suites.settings_tables import (
    mapping_from_table,
    mapping_from_words,
    must_know,
    table_of,
    text_of,
)
from ragstone.suites.waivers import waivers_from_table

FILE_NAME = "ragstone.toml"
# A waiver is for the question in every suite, so it stands in the table of none.
_WAIVE = "waive"
_FORMAT = "format"
# What is not of one suite.
_TABLES = (
    *("paths", "map", "read", "contracts", "format"),
    *("scu", "report", "ledger", "engine", "judge", "serve"),
)

Table = Mapping[str, object]


@dataclass(frozen=True, eq=False, repr=False)
class Config:
    """The file, checked; without a file, nothing. Paths are relative to its folder."""

    path: Path | None = None
    whole: Table = field(default_factory=dict)

    def names(self, table: str) -> bool:
        """Whether the file names this suite, so that `gate` runs it.

        A table that says nothing, such as `[retrieval.gates]` alone, is a place to write in; only
        the answers suite is judged without a word, for all of it has defaults.
        """
        body = self.whole.get(table)
        if not isinstance(body, Mapping):
            return False
        said = any(value not in ({}, []) for value in body.values())
        return said or (table == "answers" and not body)

    @property
    def mapping(self) -> dict[str, str]:
        """Other names of fields, as the file gives them."""
        return mapping_from_table(self.whole.get("map", {}), f"{self.prefix}map")

    @property
    def ids(self) -> Ids:
        """How ids are read, as the file says."""
        found = _get(self.whole.get("read", {}), "ids")
        return found if found == "text" or found == "hash" else ""

    @property
    def allowed(self) -> tuple[str, ...]:
        """The keys that are taken as they are, though they are nearly fields."""
        return tuple(_texts(_get(self.whole.get("contracts", {}), "allow")))

    @property
    def formats(self) -> dict[str, dict[str, Any]]:
        """Formats of the user's own; their SQL files are seen from the working folder."""
        given = own_formats_from_table(self.whole.get(_FORMAT, {}), f"{self.prefix}{_FORMAT}")
        return {
            name: {**table, "sql": self.resolved(str(table["sql"]))}
            for name, table in given.items()
        }

    @property
    def prefix(self) -> str:
        """What stands before a key where the file belongs to other tools too."""
        return PREFIX if self.path is not None and is_project_file(self.path) else ""

    @property
    def ledger(self) -> str:
        """The place of the ledger, seen from the working folder."""
        return self.resolved(str(_get(self.whole.get("ledger", {}), "path") or PLACE))

    def shared(self, name: str) -> list[str]:
        """The files under [paths] of this name, seen from the working folder."""
        named = _get(self.whole.get("paths", {}), name)
        words = [named] if isinstance(named, str) else _texts(named)
        return [self.resolved(word) for word in words]

    def options(self, suite: AnySuite) -> dict[str, object]:
        """What the file says of a suite's options, by their names."""
        found: dict[str, Any] = {}
        for each in suite.own_options:
            at, value = self._value(suite, each)
            if value is not None:
                found[each.name] = _in_file(self.path, each, f"{self.prefix}{at}", value)
            if each.key == _FORMAT and value is not None:
                found[each.name] = self.formats
            place = found.get(each.name, each.default)
            if each.option.is_path and self.path is not None and place is not None:
                found[each.name] = self.resolved(str(place))
            if each.key == "judge" and each.name in found:
                found[each.name] = with_paths(found[each.name], self.resolved)
        return found

    def _value(self, suite: AnySuite, each: Declared) -> tuple[str, object]:
        if each.key == _WAIVE:
            return each.key, self.whole.get(_WAIVE)
        if not each.key or (suite.file_table is None and "." not in each.key):
            return "", None
        if each.key in ("map", "judge", _FORMAT) or "." in each.key:
            head, _, leaf = each.key.partition(".")
            inside = self.whole.get(head, {})
            return each.key, _get(inside, leaf) if leaf else inside or None
        return f"{suite.file_table}.{each.key}", _get(
            self.whole.get(suite.file_table or "", {}), each.key
        )

    def inputs(self, suite: AnySuite, *, paths: bool = True) -> dict[str, list[str]]:
        """The files that the file names for a suite: its own table's, else those under [paths]."""
        found = {}
        for given in suite.inputs:
            named = _get(self.whole.get(suite.file_table or "", {}), given.file_key)
            words = [named] if isinstance(named, str) else _texts(named)
            files = [self.resolved(word) for word in words]
            own = own_paths(given) or not self.names("answers")
            if not files and given.shared and paths and own:
                files = self.shared(given.name)
            if files:
                found[given.name] = files
        return found

    def files(
        self, suite: AnySuite, flags: Mapping[str, Sequence[str]] | None = None
    ) -> dict[str, Sequence[str]]:
        """The files in force: flags win over the suite's own table, and that over [paths]."""
        given, file = flags or {}, self.inputs(suite)
        if suite.choose:
            return dict(suite.choose((given, self.inputs(suite, paths=False), file)))
        return {**file, **given}

    def resolved(self, given: str) -> str:
        """A path of the file, seen from the working folder."""
        if self.path is None or given == "-" or "://" in given or Path(given).is_absolute():
            return given
        joined = self.path.absolute().parent / given
        here = Path.cwd()
        return str(joined.relative_to(here)) if joined.is_relative_to(here) else str(joined)


def own_paths(given: Input) -> bool:
    """Whether [paths] is meant for this input: it names the files that the answers suite reads.

    Another suite's gold set may be named there only in a file without [answers].
    """
    inputs = find_suite("answers").inputs
    return given.shared and any(each.record is given.record for each in inputs)


def _texts(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def _get(table: object, key: str) -> object:
    return table.get(key) if isinstance(table, Mapping) else None


def _in_file(path: Path | None, each: Declared, at: str, value: object) -> object:
    try:
        if each.option.table is not None:
            return each.option.table(value, at)
        if each.listed and not isinstance(value, list):
            raise ConfigError(f"{at}: expected a list, found {clipped(value)}")
        return checked(each, value, at)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def find(start: Path) -> Path | None:
    """The nearest ragstone.toml or pyproject.toml with [tool.ragstone], from the folder upwards."""
    for folder in (start, *start.parents):
        own, project = folder / FILE_NAME, folder / PROJECT_FILE
        found = []
        # A folder that may not be entered holds nothing that could be read.
        with suppress(PermissionError):
            found += [own] if own.is_file() else []
            found += [project] if has_settings(project) else []
        if len(found) > 1:
            raise ConfigError(
                f"{folder} has both {FILE_NAME} and a {PROJECT_FILE} with [tool.ragstone]; "
                "keep one of them, or name one with --config"
            )
        if found:
            return found[0]
    return None


def read(path: Path) -> Config:
    """The checked file; ConfigError names the key that is wrong."""
    config = Config(path, _settings_in(path))
    try:
        _check(config)
    except ConfigError as error:
        said = str(error)
        raise ConfigError(said if said.startswith(f"{path}: ") else f"{path}: {said}") from None
    return config


def _settings_in(path: Path) -> Table:
    from ragstone.contracts.toml_file import read_toml

    return settings_of(path) if is_project_file(path) else read_toml(path)


def read_waivers(path: Path) -> Config:
    """The waivers of the file and nothing else of it, whatever that is."""
    config = Config(path, {_WAIVE: _settings_in(path).get(_WAIVE, [])})
    try:
        waivers_from_table(config.whole[_WAIVE], f"{config.prefix}{_WAIVE}")
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    return config


def _check(config: Config) -> None:
    """Every key is known, and every value of every suite is what its declaration asks for."""
    whole, at = config.whole, config.prefix
    if "canary" in whole:
        raise ConfigError(
            f"unknown key {at}canary: the settings of a watched canary are in [{at}serve.canary], "
            f"those of two logs in [{at}retrieval]"
        )
    must_know(whole, (*_TABLES, _WAIVE, *tables()), at)
    for name in _TABLES:
        table_of(whole.get(name, {}), f"{at}{name}")
    paths = table_of(whole.get("paths", {}), f"{at}paths")
    shared = [given for given in find_suite("answers").inputs if given.shared]
    must_know(paths, [given.name for given in shared], f"{at}paths.")
    _check_paths(paths, {given.name: given.many for given in shared}, f"{at}paths.")
    checked_mapping(config.mapping, f"{at}map.")
    must_know(table_of(whole.get("read", {}), f"{at}read"), ("ids",), f"{at}read.")
    allowed = table_of(whole.get("contracts", {}), f"{at}contracts")
    must_know(allowed, ("allow",), f"{at}contracts.")
    own_formats_from_table(whole.get(_FORMAT, {}), f"{at}{_FORMAT}")
    must_know(table_of(whole.get("scu", {}), f"{at}scu"), ("rules",), f"{at}scu.")
    must_know(table_of(whole.get("report", {}), f"{at}report"), ("texts",), f"{at}report.")
    ledger = table_of(whole.get("ledger", {}), f"{at}ledger")
    must_know(ledger, ("path", "record", "texts"), f"{at}ledger.")
    engine = table_of(whole.get("engine", {}), f"{at}engine")
    must_know(engine, ("memory", "temp", "name", "master", "spark_conf"), f"{at}engine.")
    config.options(find_suite("answers"))
    waivers_from_table(whole.get(_WAIVE, []), f"{at}{_WAIVE}")
    for table in tables():
        if table in whole:
            _check_suites(config, table)


def _check_suites(config: Config, table: str) -> None:
    suites, at = of_table(table), f"{config.prefix}{table}"
    body = table_of(config.whole[table], at)
    files = {given.file_key: given.many for suite in suites for given in suite.inputs}
    options = [each for suite in suites for each in suite.own_options]
    if _WAIVE in body:
        wanted = f"[[{config.prefix}{_WAIVE}]]"
        raise ConfigError(f"{at}.{_WAIVE}: a waiver is for every suite; write {wanted}")
    keys = {
        each.key.removeprefix(f"{table}.")
        for each in options
        if each.key not in ("", _WAIVE, _FORMAT)
    }
    must_know(body, sorted(key for key in (*files, *keys) if "." not in key), f"{at}.")
    _check_paths(body, files, f"{at}.")
    for suite in suites:
        _check_alone(config, suite, config.options(suite))


def _check_paths(table: Table, files: Mapping[str, bool], at: str) -> None:
    """The names of files: one text each, or, of inputs that may be many, also a list of texts."""
    for key, many in files.items():
        value = table.get(key, "-")
        if not isinstance(value, str | list) or (isinstance(value, list) and not many):
            expected = "a list of strings" if many else "a string"
            raise ConfigError(f"{at}{key}: expected {expected}, found {clipped(value)}")
        for item in value if isinstance(value, list) else [value]:
            text_of(item, f"{at}{key}")


def mapping_in(
    config: Config, arguments: argparse.Namespace, cite_base: int | None = None
) -> Given:
    """The file's mapping under the flags', for commands that belong to no suite."""
    given = mapping_from_words(arguments.map or ())
    checked_mapping(given, "--map ")
    file = config.options(find_suite("answers"))
    base = cite_base if cite_base is not None else file.get("cite_base", 1)
    return Given(
        {**config.mapping, **given},
        arguments.ids or config.ids,
        base if isinstance(base, int) else 1,
        (*config.allowed, *(arguments.allow_key or ())),
    )


def _check_alone(config: Config, suite: AnySuite, file: Mapping[str, object]) -> None:
    """What the file alone says, so that a mistake in it is told with the file's name."""
    try:
        options: Options = suite.options(**file)
        metrics = () if suite.given_metrics else suite.metrics(options)
        for gates in (options.gates, *(part.gates for part in options.slices)):
            # A flag may set k, and so decide whether `recall@10` is right: that is judged later.
            plain = [pair for pair in gates if "@" not in pair[0]]
            merge({}, plain if metrics else (), metrics, None)
    except ConfigError as error:
        raise ConfigError(f"{config.path}: {error}") from None


def options_of(
    suite: AnySuite, config: Config, given: Mapping[str, object], at: str = "--map "
) -> Options:
    """The options in force: the file's, under what the command line or the call gives."""
    file = config.options(suite)
    if file:
        _check_alone(config, suite, file)
    chosen = dict(file)
    here = frozenset(name for name, value in given.items() if value is not None)
    for each in suite.own_options:
        if each.name in here:
            value = given[each.name]
            add = each.option.add
            chosen[each.name] = add(file[each.name], value) if add and each.name in file else value
    checked_mapping(given.get("map") or {}, at)
    made: Options = suite.options(**chosen, of_this_call=here)
    return made
