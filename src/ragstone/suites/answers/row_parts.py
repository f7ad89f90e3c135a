"""The parts of a verdict row that many inputs have no use for.

Each costs time in every row, whether a question asks for it or not. So it is known before the rows
are made which of them anything asks for, and `rows.sql` says what stands in place of the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ragstone.engine.duck import Duck
from ragstone.suites.answers.floor import ONLY_SHORT

# Why a line is not scored: see dropped.sql.
DROPPED = ("unknown_qid", "no_qid", "superseded")
_IF, _ELSE, _END = "-- if ", "-- else", "-- end"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the gold set and the traces have of what they need not have.

    `expected` are typed answers, nuggets and what must not be said; `several` more than one phrase
    for a question; `groups` ids that prove the same; `sentences` answers that are lists of them;
    `flags` the pipeline's own word that it refuses; `scores` what another tool's judge says;
    `locked` statements that claims must not contradict; `retrieved` any retrieved id; `short`
    questions whose phrases are too short to be looked for. Of the lines, how many are `dropped`,
    by the reason why they are not scored.
    """

    expected: bool
    several: bool
    groups: bool
    sentences: bool
    flags: bool
    scores: bool = False
    locked: bool = False
    retrieved: bool = False
    short: bool = False
    dropped: Mapping[str, int] = field(default_factory=dict, kw_only=True)
    lines: int = field(default=0, kw_only=True)

    def parts_of(self, sql: str) -> str:
        """A statement whose lines between `-- if NAME`, `-- else` and `-- end` are chosen from.

        >>> plain = Asked(False, False, False, False, False)
        >>> plain.parts_of("-- if groups\\na\\n-- else\\nb\\n-- end\\nc")
        'b\\nc'
        """
        kept: list[str] = []
        wanted = True
        for line in sql.split("\n"):
            mark = line.strip()
            if mark.startswith(_IF):
                wanted = getattr(self, mark.removeprefix(_IF))
            elif mark == _ELSE:
                wanted = not wanted
            elif mark == _END:
                wanted = True
            elif wanted:
                kept.append(line)
        return "\n".join(kept)


def asked_of(duck: Duck, trace: str) -> Asked:
    """What there is of it in the table `gold`, in a table of traces and in that of its dropped."""
    # Not every suite that judges answers reads what other tools say of them.
    *counts, lines = duck.counts(f"""
        select
            expected, several, groups, sentences, flags, scores, locked, retrieved, short,
            {", ".join(DROPPED)}, lines
        from (
            select
                count(coalesce(gold_answer, nuggets, must_not)) as expected,
                count(*) filter (len(substrings) > 1) as several,
                count(groups) as groups,
                count(*) filter (constraints <> []) as locked,
            from gold
        ), (
            -- behind `where`, most gold items are decided by the first phrase
            select count(*) as short from gold where {ONLY_SHORT}
        ), (
            select {", ".join(f"count(*) filter (why = '{why}') as {why}" for why in DROPPED)}
            from dropped_{trace}
        ), (
            select
                count(claims) as sentences,
                count(flag) as flags,
                count(judge) as scores,
                count(*) filter (len(retrieved) > 0) as retrieved,
                count(*) as lines,
            from (from {trace} union all by name (select null::varchar as judge where false))
        )
    """)
    dropped = dict(zip(DROPPED, counts[-len(DROPPED) :], strict=True))
    there = (count > 0 for count in counts[: -len(DROPPED)])
    return Asked(*there, dropped=dropped, lines=lines)
