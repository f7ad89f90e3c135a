"""The retrieval suite's options, checked: what flags, the file and the Python call all become."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from ragstone.errors import ConfigError
from ragstone.gates.config import SliceGates
from ragstone.gates.judge import suggestion

Unit = Literal["bytes", "codepoints", "utf16"]

DEFAULT_EMBEDDER = "ngram"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to judge an index; `gates` are changes over the defaults, the last one winning.

    `delta_s_line` is a calibrated line; it holds for computed ΔS of the embedder it was learned
    with, `delta_s_line_for`, and for no other.

    >>> Options(unit="words")
    Traceback (most recent call last):
        ...
    ragstone.errors.ConfigError: unit: there is no 'words'; known: bytes, codepoints, utf16
    """

    unit: Unit = "bytes"
    embedder: str = DEFAULT_EMBEDDER
    allow_download: bool = False
    delta_s_line: float | None = None
    delta_s_line_for: str | None = None
    index_only: bool = False
    allow_mismatch: bool = False
    gates: tuple[tuple[str, str | float], ...] = ()
    slices: tuple[SliceGates, ...] = ()
    by: tuple[str, ...] = ()
    strict: bool = False
    confidence: float | None = None
    mapping: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = get_args(Unit)
        if self.unit not in known:
            raise ConfigError(f"unit: there is no {self.unit!r}{suggestion(self.unit, known)}")
        if self.confidence is not None and not 0.5 <= self.confidence < 1:
            raise ConfigError(
                f"confidence: expected a number from 0.5 to below 1, found {self.confidence!r}"
            )
        if self.delta_s_line is not None and not 0 < self.delta_s_line <= 1:
            raise ConfigError(
                f"delta_s_line: expected a number above 0, up to 1, found {self.delta_s_line!r}"
            )

    @property
    def level(self) -> float:
        """The level of the printed intervals."""
        return self.confidence or 0.95

    @property
    def slice_fields(self) -> tuple[str, ...]:
        """The gold fields that slices read, each once."""
        used = [*self.by, *(name for part in self.slices for name, _ in part.where)]
        return tuple(dict.fromkeys(used))
