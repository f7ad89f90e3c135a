"""How gates are judged: the options that every suite shares."""

from __future__ import annotations

from dataclasses import dataclass

from ragstone.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class Deciding:
    """`gates` are changes over the defaults, in order, the last one winning.

    >>> Deciding(confidence=2.0)
    Traceback (most recent call last):
        ...
    ragstone.errors.ConfigError: confidence: expected a number from 0.5 to below 1, found 2.0
    """

    gates: tuple[tuple[str, str | float], ...] = ()
    strict: bool = False
    confidence: float | None = None

    def __post_init__(self) -> None:
        if self.confidence is not None and not 0.5 <= self.confidence < 1:
            raise ConfigError(
                f"confidence: expected a number from 0.5 to below 1, found {self.confidence!r}"
            )

    @property
    def level(self) -> float:
        """The level of the printed intervals."""
        return self.confidence or 0.95
