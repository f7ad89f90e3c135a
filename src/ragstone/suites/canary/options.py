"""How a shadow index is compared with the live one: the options of the canary."""

from dataclasses import dataclass

from ragstone.contracts.plain_numbers import clipped, real_number
from ragstone.errors import ConfigError
from ragstone.gates.judge import suggestion
from ragstone.suites.option_fields import option
from ragstone.suites.retrieval.metrics import RECALLS
from ragstone.suites.retrieval.options import RetrievalOptions


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CanaryOptions(RetrievalOptions):
    """How a shadow index is compared with the live one."""

    allow_mismatch: bool = option(
        False, "compare logs of different normalisers or rerankers", key=""
    )
    max_drop: tuple[str, ...] = option(
        (),
        "how far a recall may fall below that of the live index (R@5=0.02)",
        metavar="R@K=DROP",
        group="deciding",
        key="",
        commas=True,
        # The gates that it sets are in the report, and hashed there.
        hashed=False,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        # Told before a log is read.
        self.margins()

    def margins(self) -> dict[str, float]:
        """How far each recall that was named may fall, by the name of its metric."""
        return dict(_margin(word) for word in self.max_drop)


def _margin(word: str) -> tuple[str, float]:
    name, equals, given = (part.strip() for part in word.partition("="))
    if name not in RECALLS:
        raise ConfigError(f"max_drop: there is no recall {name!r}{suggestion(name, [*RECALLS])}")
    margin = real_number(given) if equals else None
    if margin is None or not 0 <= margin <= 1:
        raise ConfigError(
            f"max_drop {name}: expected a number from 0 to 1, as in {name}=0.02, "
            f"found {clipped(given)}"
        )
    return name, margin
