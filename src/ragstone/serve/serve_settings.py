"""What `[serve]` of ragstone.toml says of the server and of the windows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ragstone.errors import ConfigError
from ragstone.serve.moments import seconds_in
from ragstone.suites.config_file import Config
from ragstone.suites.settings_tables import must_know, table_of, text_of

DATA = ".ragstone/live"
_KEYS = ("data", "keep")


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """Where records are kept and for how many seconds."""

    data: Path = Path(DATA)
    keep: int = 30 * 86400


def serve_settings(config: Config) -> ServeSettings:
    """The settings of the file; what it does not say has its default."""
    try:
        return _settings(config)
    except ConfigError as error:
        raise ConfigError(f"{config.path}: {error}") from None


def _settings(config: Config) -> ServeSettings:
    at = f"{config.prefix}serve"
    table: Mapping[str, object] = table_of(config.whole.get("serve", {}), at)
    must_know(table, _KEYS, f"{at}.")
    data = text_of(table.get("data", DATA), f"{at}.data")
    keep = seconds_in(table.get("keep", "30d"), f"{at}.keep")
    if keep < 3600:
        raise ConfigError(f"{at}.keep: expected at least an hour")
    return ServeSettings(Path(config.resolved(data)), keep)
