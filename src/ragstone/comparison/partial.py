"""What a comparison keeps of any set of questions: that of two sets adds up to that of both.

Plain values (`Gathered`) are how many questions have each fate, how long every list is, and what
became of questions that are called by name. In the engine are `pairs`, one row for all questions
whose numbers are the same in both runs, with how many these are (`times`); `first_turned`, the
first of every list with what puts them in order; and `wanted_ids`, the ids that gold names with how
often B lacked one. Counts are added; rows in the engine stand one behind the other, and are then
summed or put in order. So neither the parts nor their order can be seen in a report.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ragstone.comparison.changed_labels import keep_wanted_ids
from ragstone.comparison.pairing import pair_gold, paired, tell_fates
from ragstone.comparison.protected import keep_named, tell_named
from ragstone.comparison.row_sets import RowSet, SavedMetric
from ragstone.comparison.what_broke import tell_turned
from ragstone.engine.duck import Duck, identifier
from ragstone.suites.condense import TIMES
from ragstone.suites.gathered import Gathered
from ragstone.suites.saved_rows import FIRST_ASKED

# More questions than any list has.
_ALL = 10**15


@dataclass(eq=False, slots=True)
class Partial:
    """What is known of the questions that were added.

    `protect` and `waive` name questions, `sliced` says whether slices are asked for, and `limit`
    how many questions a list shows.
    """

    duck: Duck
    a: RowSet
    b: RowSet
    metrics: Mapping[str, SavedMetric]
    protect: Sequence[str] = ()
    waive: Sequence[str] = ()
    sliced: bool = False
    limit: int | None = None
    told: Gathered = field(default_factory=Gathered)

    def __post_init__(self) -> None:
        keep_named(self.duck, self.protect, self.waive)

    @property
    def most(self) -> int:
        """How many questions a list may have."""
        return _ALL if self.limit is None else self.limit

    def add(self) -> None:
        """Adds the questions that `rows_a` and `rows_b` hold now; none of them is known yet."""
        duck, most = self.duck, self.most
        told = Gathered()
        pair_gold(duck)
        tell_fates(duck, told, most)
        tell_turned(duck, told, most)
        tell_named(duck, told)
        keep_wanted_ids(duck)
        duck.fill("pairs", self._alike())
        duck.condensed = True
        self.told.add(told)

    def _alike(self) -> str:
        """Questions with the same numbers in both runs as one row, which is called as the first.

        Waived ones stand for themselves alone: gates are judged without them. So do those whose
        text other ids have, too: these may have come out otherwise.
        """
        numbers = [identifier(f"{side}:{name}") for name in self.metrics for side in ("a", "b")]
        slices = ["slices_a", "slices_b"] if self.sliced else []
        waived = " or qid in (from waive_questions)" if self.waive else ""
        own = f"case when {FIRST_ASKED} is not null{waived} then qid end"
        # Grouped as small as they are; of another part the same numbers may be larger.
        doubles = ", ".join([f"{each}::double as {each}" for each in numbers] + slices)
        return f"""
            select qid, {doubles}, {FIRST_ASKED}, {TIMES} from (
                select min(qid) as qid, {", ".join([*numbers, *slices])}, {FIRST_ASKED},
                    {own} as own, count(*) as {TIMES},
                from {paired(self.duck, self.a, self.b, [*self.metrics.values()])} group by all
            )
        """
