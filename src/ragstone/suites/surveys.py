"""What must be known of all questions before any is scored, and what other machines need for that.

One machine looks at whole tables. Where the lines are divided before anybody has seen all of them
(`spark/`), every part is looked at, and what the parts say is added up: the steps are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ragstone.contracts.sources import Source
    from ragstone.suites.declaration import Input, Work

Step = Callable[["Work[Any]"], None]


class Reads(Protocol):
    """Fills a table with lines of one file: all of them, or some where it is `divided`."""

    def __call__(
        self, work: Work[Any], given: Input, table: str, source: Source, *, divided: bool
    ) -> None: ...


@dataclass(frozen=True, eq=False, repr=False)
class Survey:
    """A look at all questions: `look` sees some of them, `settle` knows what all looks have found.

    `look` gathers counts and sets (`work.gathered`), and fills the `tables` it names, whose rows
    add up. `settle` notes what follows, and makes the tables that it `leaves` for whoever scores. A
    survey that is not `due` once the ones before it are settled is left out.
    """

    look: Step
    settle: Step
    tables: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    due: Callable[[Work[Any]], bool] = lambda work: True


def look_around(work: Work[Any], surveys: Sequence[Survey]) -> None:
    """Looks at all questions at once."""
    for survey in surveys:
        if survey.due(work):
            survey.look(work)
            survey.settle(work)


@dataclass(frozen=True, eq=False, repr=False)
class OnSpark:
    """What an engine on another machine needs to score a part of the questions.

    `begins` is called before any line is read, and `ready` before `rows`, once all tables are
    there; the driver, which has only the tables that are read whole, calls both too. Where the
    inputs are not plain records, `arranges` is what the driver does first, `reads` fills a table
    with lines of one file, and `divides` says whether each line of a file stands for itself, so
    that machines can share it.
    """

    ready: Step
    begins: Step | None = None
    surveys: tuple[Survey, ...] = ()
    arranges: Step | None = None
    reads: Reads | None = None
    divides: Callable[[Work[Any], Input, Source], bool] | None = None
