"""The answers suite's options, checked: what flags, the file and the Python call all become."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from ragstone.contracts.record import Record, mapping_of
from ragstone.contracts.records.gold_record import GOLD
from ragstone.contracts.records.trace_records import TRACE
from ragstone.errors import ConfigError
from ragstone.gates.config import SliceGates, checked_mapping
from ragstone.gates.judge import suggestion

Missing = Literal["fail", "answered"]
Keep = Literal["last", "first", "error", "all"]

REFUSAL = "not in context"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to score; `gates` are changes over the defaults, in order, the last one winning.

    >>> Options(k=0)
    Traceback (most recent call last):
        ...
    ragstone.errors.ConfigError: k: expected a whole number of at least 1, found 0
    """

    k: int = 5
    missing: Missing = "fail"
    keep: Keep = "last"
    scu: bool = False
    refusal: tuple[str, ...] = (REFUSAL,)
    gates: tuple[tuple[str, str | float], ...] = ()
    slices: tuple[SliceGates, ...] = ()
    by: tuple[str, ...] = ()
    strict: bool = False
    confidence: float | None = None
    mapping: Mapping[str, str] = field(default_factory=dict)
    rules: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.k, int) or isinstance(self.k, bool) or self.k < 1:
            raise ConfigError(f"k: expected a whole number of at least 1, found {self.k!r}")
        _choice("missing", self.missing, get_args(Missing))
        _choice("keep", self.keep, get_args(Keep))
        if not self.refusal or not all(token.strip() for token in self.refusal):
            raise ConfigError("refusal: expected at least one token, none of them empty")
        if self.confidence is not None and not 0.5 <= self.confidence < 1:
            raise ConfigError(
                f"confidence: expected a number from 0.5 to below 1, found {self.confidence!r}"
            )
        checked_mapping(self.mapping)

    @property
    def level(self) -> float:
        """The level of the printed intervals."""
        return self.confidence or 0.95

    @property
    def slice_fields(self) -> tuple[str, ...]:
        """The gold fields that slices read, each once."""
        used = [*self.by, *(name for part in self.slices for name, _ in part.where)]
        return tuple(dict.fromkeys(used))

    def mapping_for(self, record: Record) -> dict[str, str]:
        """`claim=answer.text` holds for every record that has the field, `gold.qid=id` for one.

        Runs and samples are traces that say more, so `trace.claim` holds for them too.
        """
        found = mapping_of(record, self.mapping)
        return found if record is GOLD else {**mapping_of(TRACE, self.mapping), **found}


def _choice(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ConfigError(f"{name}: there is no {value!r}{suggestion(value, known)}")
