"""Phrases that are too short to be looked for: questions that no claim answers, and words that are
forbidden to no effect."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ragstone.engine.duck import Duck, whole
from ragstone.matching.characters import SPACELESS
from ragstone.matching.phrases import FLOOR

# The rule of `matching.phrases.weight`; nearly all phrases are longer whatever they are written in.
_WEIGHT = f"length(entry) + 2 * length(regexp_replace(entry, '[^{SPACELESS}]', '', 'g'))"
# A first phrase that is long enough spares the lists.
_TOO_SHORT = f"""
    length(substrings[1]) < {FLOOR}
    and list_max(list_transform(substrings, lambda entry: length(entry))) < {FLOOR}
    and list_max(list_transform(substrings, lambda entry: {_WEIGHT})) < {FLOOR}
"""


def floor_warnings(duck: Duck, table: str) -> list[str]:
    """The warnings for a table of gold with `substrings`, `gold_answer` and `must_not`."""
    found = [under_floor(duck, table)]
    if duck.query(f"select 1 from {table} where must_not is not null limit 1"):
        found.append(forbidden_under_floor(duck, table))
    return [each for each in found if each is not None]


def under_floor(duck: Duck, table: str) -> str | None:
    """The warning for a table of gold with `substrings` and `gold_answer`; None where all is well.

    What is quoted from the gold set stands between curly marks, for reports without texts.
    """
    found = duck.query(f"""
        select qid, substrings, count(*) over () from {table}
        where substrings <> [] and gold_answer is null and {_TOO_SHORT}
        order by qid limit 3
    """)
    if not found:
        return None
    qids = [str(qid) for qid, _, _ in found]
    return _sentence(qids, found[0][1], whole(found[0][2]))


def forbidden_under_floor(duck: Duck, table: str) -> str | None:
    """The warning for plain texts of `must_not` that can never be found in a claim."""
    found = duck.query(f"""
        with parts as (
            select qid, unnest(case
                when json_type(must_not::json) = 'ARRAY' then json_extract(must_not::json, '$[*]')
                else [must_not::json]
            end) as part
            from {table} where must_not is not null
        ),
        texts as (select qid, part ->> '$' as entry from parts where json_type(part) = 'VARCHAR')
        select qid, entry, count(distinct qid) over () from texts where {_WEIGHT} < {FLOOR}
        order by qid, entry limit 1
    """)
    if not found:
        return None
    ((qid, entry, total),) = found
    form = json.dumps({"any": [entry]}, ensure_ascii=False).replace("“", "'").replace("”", "'")
    count = whole(total)
    who = "question forbids" if count == 1 else "questions forbid"
    return (
        f"{count:,} {who} a phrase under {FLOOR} characters, which never matches; write whole "
        f"words instead, for {qid} “{form}” in must_not"
    )


def _sentence(qids: Sequence[str], phrases: object, total: int) -> str:
    form = json.dumps({"any": phrases}, ensure_ascii=False).replace("“", "'").replace("”", "'")
    more = ", ..." if total > len(qids) else ""
    one = total == 1
    return (
        f"{total:,} {'question has' if one else 'questions have'} only phrases under {FLOOR} "
        f"characters, which never match ({', '.join(qids)}{more}); write a typed answer instead, "
        f"for {qids[0]} “{form}” as gold_answer"
    )
