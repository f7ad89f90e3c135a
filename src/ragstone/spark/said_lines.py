"""What executors say of bad lines, and what the driver makes of it: file, line, field and reason.

A task knows the number of a line within its split. How many lines the file has before that is
counted only now that something is wrong, on the executors too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ragstone.contracts.diagnose import is_of_file
from ragstone.contracts.sources import Source
from ragstone.engine.duck import Row, whole
from ragstone.errors import DESCRIBED, ContractError, Diagnostic, InputError
from ragstone.spark.file_splits import Split

Bad = tuple[int, str, str]
"""The number of a line within its split, its field, and the reason."""
Place = tuple[int, int, int]
"""A table, a file of it, and the start of a split."""


@dataclass(frozen=True, slots=True)
class Said:
    """What is wrong with the lines of a split: the first of them, and how many there are.

    Without a count, only the file as a whole can say it. `late` is that of the split's `Piece`.
    """

    tab: int
    file: int
    block: int
    late: bool = False
    count: int = 0
    first: tuple[Bad, ...] = ()

    @property
    def place(self) -> Place:
        return self.tab, self.file, self.block


def said_by(error: InputError, *, late: bool = False) -> str:
    """What an error says of the lines of a split, as text; "" where it is about something else."""
    if not isinstance(error, ContractError):
        return ""
    if any(is_of_file(each.reason) for each in error.diagnostics):
        return ""
    first = [(each.line, each.field, each.reason) for each in error.diagnostics]
    return json.dumps([late, error.count, first])


def first_said(rows: Iterable[Row]) -> Iterator[Said]:
    """What was said of each split, in order: as much as is described, and of the others a count."""
    room = DESCRIBED
    for tab, file, block, said in rows:
        late, count, first = json.loads(str(said)) if said else (False, 0, ())
        kept = tuple((line, field, reason) for line, field, reason in first[:room])
        room -= len(kept)
        yield Said(whole(tab), whole(file), whole(block), late, count, kept)


def splits_before(said: Sequence[Said], splits: Sequence[Split]) -> list[Split]:
    """The splits whose lines must be counted before those that are described can be numbered."""
    last = {(each.tab, each.file): each.block for each in said if each.first}
    return [split for split in splits if split.start < last.get((split.tab, split.file), 0)]


def error_of(
    said: Sequence[Said], sources: Sequence[Source], before: dict[Place, int]
) -> ContractError:
    """One error of what was said of the splits of a table, with the numbers of lines in files.

    `before` has how many lines end before the start of each split.
    """
    described = [
        _diagnostic(each, sources[each.file], bad, before) for each in said for bad in each.first
    ]
    return ContractError(described[:DESCRIBED], sum(each.count for each in said))


def _diagnostic(said: Said, source: Source, bad: Bad, before: dict[Place, int]) -> Diagnostic:
    line, field, reason = bad
    if source.table:
        # Its rows have no number.
        return Diagnostic("", 0, "", f"{source.name}: {field}: {reason}")
    number = before.get(said.place, 0) + said.late + line
    return Diagnostic(source.name, number, field, reason)


def lines_before(splits: Sequence[Split], breaks: Sequence[int]) -> dict[Place, int]:
    """How many lines of its file end before each split, and before the end of the last."""
    found: dict[Place, int] = {}
    for split, number in zip(splits, breaks, strict=True):
        start = found.get((split.tab, split.file, split.start), 0)
        found[split.tab, split.file, split.end] = start + number
    return found
