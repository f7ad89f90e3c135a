"""How retrieved documents are scored: the options of the context suite."""

from dataclasses import dataclass, replace

from ragstone.errors import ConfigError
from ragstone.matching.user_patterns import checked
from ragstone.suites.context import metrics
from ragstone.suites.context.question_values import ID_PATTERN, Documents, value_text
from ragstone.suites.option_fields import option
from ragstone.suites.ranking.options import RankedOptions
from ragstone.suites.ranking.ranking_measures import MOST_CUT, Measure


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ContextOptions(RankedOptions):
    """How retrieved documents are scored.

    >>> ContextOptions(k=0)
    Traceback (most recent call last):
        ...
    ragstone.errors.ConfigError: k: expected a whole number from 1 to 1,000,000, found 0
    """

    k: int = option(10, "the cut of the @k metrics", metavar="K", least=1, most=MOST_CUT + 1)
    id_pattern: str = option(
        ID_PATTERN, "the part of an id that names the document", metavar="REGEX"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.id_pattern != ID_PATTERN and checked(self.id_pattern, "id_pattern").groups > 1:
            raise ConfigError(f"id_pattern: {self.id_pattern!r} has more than one group")
        # The fields of a table are texts, so values of slices are compared as texts.
        slices = tuple(
            replace(part, where=tuple((name, value_text(value)) for name, value in part.where))
            for part in self.slices
        )
        object.__setattr__(self, "slices", slices)

    @property
    def documents(self) -> Documents:
        return Documents(self.id_pattern)

    @property
    def measures(self) -> tuple[Measure, ...]:
        named = [name for name, _ in self.gates]
        named += [name for part in self.slices for name, _ in part.gates]
        return metrics.measures(self.k, named)
