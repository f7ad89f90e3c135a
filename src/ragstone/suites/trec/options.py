"""What to measure, and over which questions: the options of the trec suite."""

from dataclasses import dataclass
from typing import Literal

from ragstone.errors import ConfigError
from ragstone.suites.option_fields import option
from ragstone.suites.ranking.options import RankedOptions
from ragstone.suites.ranking.ranking_measures import DEFAULT, Measure, measure

Over = Literal["relevant", "both", "judged"]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TrecOptions(RankedOptions):
    """What to measure and over which questions; `metrics` are kept as the user wrote them."""

    metrics: tuple[str, ...] = option(
        DEFAULT,
        "ndcg@10 map mrr P@5 R@10 success@5 bpref rprec ndcg@10_exp; trec_eval's names too",
        flags=("-m", "--metrics"),
        metavar="NAME",
        commas=True,
    )
    over: Over = option("relevant", "which questions the averages are over", flagless=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.metrics:
            raise ConfigError("no metric was asked for")
        for name in self.metrics:
            measure(name)
        gates = tuple((measure(name).name, given) for name, given in self.gates)
        object.__setattr__(self, "gates", gates)

    @property
    def measures(self) -> tuple[Measure, ...]:
        asked = [*self.metrics, *(name for name, _ in self.gates)]
        return tuple(dict.fromkeys(measure(name) for name in asked))
