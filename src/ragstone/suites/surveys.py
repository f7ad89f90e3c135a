"""What must be known of all questions before any is scored, and what other machines need for that.

One machine looks at whole tables. Where the lines are divided before anybody has seen all of them
(`spark/`), every part is looked at, and what the parts say is added up: the steps are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from ragstone.contracts.sources import Source
    from ragstone.engine.duck import Duck

# A run and an input of it: `Work` and `Input`, whose module declares suites by what is here.
Run = Any
Given = Any
Step = Callable[[Run], None]


class Reads(Protocol):
    """Fills a table with lines of one file: all of them, or some where it is `divided`."""

    def __call__(
        self, work: Run, given: Given, table: str, source: Source, *, divided: bool
    ) -> None: ...


@dataclass(frozen=True, eq=False, repr=False)
class Survey:
    """A look at all questions: `look` sees some of them, `settle` knows what all looks have found.

    `look` gathers counts and sets (`work.gathered`), and fills the `tables` it names, whose rows
    add up. `settle` notes what follows, and makes the tables that it `leaves` for whoever scores. A
    survey that is not `due` once the ones before it are settled is left out. One that is `of_items`
    needs only what rows are sliced by, such as gold, and no line of what was done with it.
    """

    look: Step
    settle: Step
    tables: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    due: Callable[[Run], bool] = lambda work: True
    of_items: bool = False


def look_around(work: Run, surveys: Sequence[Survey]) -> None:
    """Looks at all questions at once."""
    for survey in surveys:
        if survey.due(work):
            survey.look(work)
            survey.settle(work)


@dataclass(frozen=True, eq=False, repr=False)
class Across:
    """Lines that have to know of lines of other questions, before they are scored in parts.

    A line is scored by its `name`, SQL over the line as `trace` and, as `lines`, what `names` makes
    of files whose lines have none: a table `unnamed_...`. Of those lines that are `wanted`, the
    columns that are `looked_at` meet by a `key`. `decides` is given such lines as SQL, with their
    order (`trace_row`) and name (`qid`), and makes a table `again_...`: what a line gets to know,
    as the column `again` of type `again`.
    """

    name: str
    names: Callable[[Duck, str, Sequence[Numbered]], None]
    looked_at: Mapping[str, str]
    wanted: str
    key: str
    decides: Callable[[Run, str], None]
    again: str


class Numbered(NamedTuple):
    """The lines of a file: which file it is, and how many lines of it come before these.

    Without that number nobody knows what a line is called that has no name.
    """

    source: Source
    file: int
    before: int | None = 0


@dataclass(frozen=True, eq=False, repr=False)
class OnSpark:
    """What an engine on another machine needs to score a part of the questions.

    `begins` is called before any line is read, and `ready` before `rows`, once all tables are
    there; the driver, which has only the tables that are read whole, calls both too. Where the
    inputs are not plain records, `arranges` is what the driver does first, `reads` fills a table
    with lines of one file, and `divides` says whether each line of a file stands for itself, so
    that machines can share it. `across` is for lines that have to know of those of other questions.
    """

    ready: Step
    begins: Step | None = None
    surveys: tuple[Survey, ...] = ()
    arranges: Step | None = None
    reads: Reads | None = None
    divides: Callable[[Run, Given, Source], bool] | None = None
    across: Across | None = None
