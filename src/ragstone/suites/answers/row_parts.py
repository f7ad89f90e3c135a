"""The parts of a verdict row that many inputs have no use for.

Each costs time in every row, whether a question asks for it or not. So it is known before the rows
are made which of them anything asks for, and `rows.sql` says what stands in place of the others.
"""

from __future__ import annotations

from dataclasses import dataclass

from ragstone.engine.duck import Duck

_IF, _ELSE, _END = "-- if ", "-- else", "-- end"


@dataclass(frozen=True, slots=True)
class Asked:
    """What the gold set and the traces have of what they need not have.

    `expected` are typed answers, nuggets and what must not be said; `several` more than one phrase
    for a question; `groups` ids that prove the same; `sentences` answers that are lists of them;
    `flags` the pipeline's own word that it refuses; `scores` what another tool's judge says.
    """

    expected: bool
    several: bool
    groups: bool
    sentences: bool
    flags: bool
    scores: bool = False

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
    """What there is of it in the table `gold` and in a table of traces."""
    expected, several, groups = duck.counts(
        "select count(coalesce(gold_answer, nuggets, must_not)), "
        "count(*) filter (len(substrings) > 1), count(groups) from gold"
    )
    sentences, flags = duck.counts(f"select count(claims), count(flag) from {trace}")
    # Not every suite that judges answers reads what other tools say of them.
    judged = "judge" in duck.columns(trace)
    scores = duck.count(f"select count(judge) from {trace}") if judged else 0
    found = (expected, several, groups, sentences, flags, scores)
    return Asked(*(count > 0 for count in found))
