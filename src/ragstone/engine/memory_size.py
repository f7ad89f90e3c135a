"""Sizes of memory as people write them: `2GB`, `750 MB`, `1.5GiB`."""

from __future__ import annotations

import re

from ragstone.contracts.plain_numbers import clipped
from ragstone.errors import ConfigError

_UNITS = {
    **{unit: 1000**power for power, unit in enumerate(("KB", "MB", "GB", "TB"), 1)},
    **{unit: 1024**power for power, unit in enumerate(("KiB", "MiB", "GiB", "TiB"), 1)},
}
_SIZE = re.compile(rf"(\d{{1,9}}(?:\.\d{{1,9}})?)\s*({'|'.join(_UNITS)})", re.IGNORECASE)
_BY_NAME = {unit.lower(): size for unit, size in _UNITS.items()}
# Python and the engine take about 200 MB before they have read a line.
LEAST = 500 * 10**6


def memory_size(text: str) -> int:
    """The bytes that a text says.

    >>> memory_size("2GB"), memory_size("0.5 gib")
    (2000000000, 536870912)
    """
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise ConfigError(f"memory: expected a size such as 2GB or 750MB, found {clipped(text)}")
    size = int(float(found[1]) * _BY_NAME[found[2].lower()])
    if size < LEAST:
        raise ConfigError(f"memory: expected at least {LEAST // 10**6}MB, found {clipped(text)}")
    return size
