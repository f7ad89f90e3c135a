"""What a mirror is told: whom to ask, how much of the traffic, and where pairs are kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ragstone.embedders.embed import DEFAULT_EMBEDDER
from ragstone.errors import ConfigError
from ragstone.report.private_texts import Texts
from ragstone.shadow.pair_files import RUN, PairFiles
from ragstone.shadow.sampling import checked_share
from ragstone.targets.endpoint import Endpoint
from ragstone.targets.protocol import must_be_address
from ragstone.targets.secret_words import shown_address

# A mistyped number must not open ten thousand sockets beside a live pipeline.
_MOST_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class MirrorSettings:
    """The settings of a mirror, checked when they are made.

    `queue` is how many questions of the share may wait, and `held` how many bytes of all that was
    seen; `timeout` is in seconds, for one question, and `closing` how long the end may take.
    """

    target: str
    data: Path
    run: str = RUN
    share: float = 0.1
    queue: int = 1_000
    held: int = 64 * 1024 * 1024
    concurrency: int = 4
    timeout: float = 30.0
    closing: float = 5.0
    texts: Texts = "all"
    embedder: str = DEFAULT_EMBEDDER
    evidence: str | None = None
    endpoint: Endpoint = field(default_factory=Endpoint)

    def __post_init__(self) -> None:
        must_be_address(self.target, self.endpoint)
        checked_share(self.share)
        PairFiles(self.data, self.run)
        _must_be("queue", self.queue, 1, 10**6)
        _must_be("concurrency", self.concurrency, 1, _MOST_AT_ONCE)
        _must_be("timeout", self.timeout, 0.001, 3600)
        _must_be("closing", self.closing, 0, 600)
        if self.texts not in ("all", "clip", "none"):
            raise ConfigError(f"texts: expected all, clip or none, found {self.texts!r}")

    @property
    def shown(self) -> str:
        """The target without keys and passwords."""
        return shown_address(self.target)


def _must_be(name: str, value: object, least: float, most: float) -> None:
    good = isinstance(value, int | float) and not isinstance(value, bool)
    if not good or not least <= value <= most:  # type: ignore[operator]
        raise ConfigError(f"{name}: expected a number from {least:g} to {most:,}, found {value!r}")
