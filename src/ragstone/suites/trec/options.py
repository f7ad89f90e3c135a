"""What to measure, and over which questions: the options of the trec suite."""

from dataclasses import dataclass
from typing import Literal

from ragstone.errors import ConfigError
from ragstone.suites.option_fields import option
from ragstone.suites.ranking.options import RankedOptions
from ragstone.suites.ranking.ranking_measures import DEFAULT, Measure, measure

Over = Literal["relevant", "both", "judged"]
# What stands behind the name of every number that is over some of the questions alone.
ONLY_JUDGED = "_only_judged"


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
    only_judged: bool = option(
        False, "with -l: leave out questions without a document of that grade, and say so"
    )
    over: Over = option("relevant", "which questions the averages are over", flagless=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.metrics:
            raise ConfigError("no metric was asked for")
        for name in self.metrics:
            measure(name)
        if self.only_judged and self.grade == 1:
            raise ConfigError("only_judged needs a level: by default every question has a document")
        gates = tuple((self.called(name), limit) for name, limit in self.gates)
        object.__setattr__(self, "gates", gates)

    def called(self, name: str) -> str:
        """The number of a measure: its own name, and over which questions it is."""
        plain = measure(name.removesuffix(ONLY_JUDGED)).name
        return f"{plain}{ONLY_JUDGED}" if self.only_judged else plain

    @property
    def measures(self) -> tuple[Measure, ...]:
        asked = [*self.metrics, *(name for name, _ in self.gates)]
        return tuple(dict.fromkeys(measure(name.removesuffix(ONLY_JUDGED)) for name in asked))
