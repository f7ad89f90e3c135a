"""The context suite's options, checked: what flags, the file and the Python call all become."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ragstone.errors import ConfigError
from ragstone.gates.config import SliceGates

# `doc-<urn:uuid:27c6...>::chunk-0` and `<urn:uuid:27c6...>` are the same document.
ID_PATTERN = "<urn:uuid:[^>]+>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to score; `gates` are in order, the last one winning.

    >>> Options(k=0)
    Traceback (most recent call last):
        ...
    ragstone.errors.ConfigError: k: expected a whole number of at least 1, found 0
    """

    k: int = 10
    level: int = 1
    id_pattern: str = ID_PATTERN
    baseline: str | None = None
    by: tuple[str, ...] = ()
    gates: tuple[tuple[str, str | float], ...] = ()
    slices: tuple[SliceGates, ...] = ()
    strict: bool = False
    confidence: float | None = None
    mapping: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, number in (("k", self.k), ("level", self.level)):
            if not isinstance(number, int) or isinstance(number, bool) or number < 1:
                raise ConfigError(
                    f"{name}: expected a whole number of at least 1, found {number!r}"
                )
        if self.confidence is not None and not 0.5 <= self.confidence < 1:
            raise ConfigError(
                f"confidence: expected a number from 0.5 to below 1, found {self.confidence!r}"
            )
        try:
            groups = re.compile(self.id_pattern).groups
        except re.error as error:
            raise ConfigError(f"id_pattern {self.id_pattern!r}: {error}") from None
        if groups > 1:
            raise ConfigError(f"id_pattern {self.id_pattern!r}: expected one group at most")

    @property
    def level_of_intervals(self) -> float:
        return self.confidence or 0.95

    @property
    def is_default_pattern(self) -> bool:
        return self.id_pattern == ID_PATTERN

    @property
    def slice_fields(self) -> tuple[str, ...]:
        """The reference fields that slices read, each once."""
        used = [*self.by, *(name for part in self.slices for name, _ in part.where)]
        return tuple(dict.fromkeys(used))

    def mapping_for(self, record: str) -> dict[str, str]:
        """`doc_ids=retrieved` holds for every record that has the field."""
        found = {}
        for name, path in self.mapping.items():
            owner, _, leaf = name.rpartition(".")
            if owner in ("", record):
                found[leaf] = path
        return found
