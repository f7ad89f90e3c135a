"""What `[serve.shadow]` of ragstone.toml and the flags say of the shadow."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragstone.contracts.plain_numbers import clipped
from ragstone.errors import ConfigError
from ragstone.serve.moments import seconds_in
from ragstone.shadow.mirror_settings import MirrorSettings
from ragstone.suites.config_file import Config
from ragstone.suites.settings_tables import mapping_from_table, must_know, table_of, text_of
from ragstone.targets.endpoint import endpoint_of
from ragstone.targets.secret_words import shown_address

_TEXTS = ("target", "run", "texts", "embedder", "evidence")
_NUMBERS = ("share", "queue", "concurrency")
_SECONDS = ("timeout", "closing")
# How the target of the file is asked; a target of the command line is not asked so.
_ENDPOINT = ("header", "body", "reply")
KEYS = (*_TEXTS, *_NUMBERS, *_SECONDS, *_ENDPOINT)
_INDEX = "index:"


def shadow_settings(
    config: Config, data: Path, given: Mapping[str, Any], *, named: bool
) -> MirrorSettings | None:
    """The settings of the mirror, where a target is given or named in the file.

    `named` says whether somebody named the file. One that was merely found may name the file of an
    index; any other target would ask strangers, or start a program.
    """
    flags = {key: value for key, value in given.items() if value is not None}
    try:
        said = _said(config)
    except ConfigError as error:
        raise ConfigError(f"{config.path}: {error}") from None
    made: dict[str, Any] = {**said, **flags}
    if not made:
        return None
    if "target" not in made:
        raise ConfigError("there is no shadow: give --shadow TARGET, or set serve.shadow.target")
    if "target" in flags:
        made = {key: value for key, value in made.items() if key not in _ENDPOINT}
    else:
        made["target"] = _of_file(config, str(said["target"]), named)
    asked = {key: made.pop(key) for key in _ENDPOINT if key in made}
    return MirrorSettings(data=data, endpoint=endpoint_of(**asked), **made)


def _of_file(config: Config, target: str, named: bool) -> str:
    """The target that a file names; the path of an index is seen from the file."""
    if target.startswith(_INDEX):
        return _INDEX + config.resolved(target.removeprefix(_INDEX))
    if not named:
        raise ConfigError(
            f"{config.path} names the shadow {shown_address(target)}, and nobody has named this "
            "file: give --shadow TARGET, or name the file with --config"
        )
    return target


def _said(config: Config) -> dict[str, object]:
    """The keys that the file has, each of its type."""
    at = f"{config.prefix}serve.shadow"
    serve = table_of(config.whole.get("serve", {}), f"{config.prefix}serve")
    table = table_of(serve.get("shadow", {}), at)
    must_know(table, KEYS, f"{at}.")
    return {key: _value(key, value, f"{at}.{key}") for key, value in table.items()}


def _value(key: str, value: object, at: str) -> object:
    if key in _SECONDS:
        return float(seconds_in(value, at))
    if key == "reply":
        return mapping_from_table(value, at)
    if key == "header":
        lines = [value] if isinstance(value, str) else value
        if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            raise ConfigError(f"{at}: expected a list of lines such as 'Name: value'")
        return lines
    if key in _NUMBERS:
        whole = isinstance(value, int) and not isinstance(value, bool)
        if not whole and not (key == "share" and isinstance(value, float)):
            raise ConfigError(f"{at}: expected a number, found {clipped(value)}")
        return value
    return text_of(value, at)
