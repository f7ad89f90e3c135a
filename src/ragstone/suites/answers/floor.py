"""Questions of which every phrase is too short to be looked for: nothing they say can be right."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ragstone.engine.duck import Duck, whole
from ragstone.matching.characters import SPACELESS
from ragstone.matching.phrases import FLOOR

# The rule of `matching.phrases.weight`; nearly all phrases are longer whatever they are written in.
_TOO_SHORT = f"""
    list_max(list_transform(substrings, lambda entry: length(entry))) < {FLOOR}
    and list_max(list_transform(substrings, lambda entry:
        length(entry) + 2 * length(regexp_replace(entry, '[^{SPACELESS}]', '', 'g')))) < {FLOOR}
"""


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


def _sentence(qids: Sequence[str], phrases: object, total: int) -> str:
    form = json.dumps({"any": phrases}, ensure_ascii=False).replace("“", "'").replace("”", "'")
    more = ", ..." if total > len(qids) else ""
    one = total == 1
    return (
        f"{total:,} {'question has' if one else 'questions have'} only phrases under {FLOOR} "
        f"characters, which never match ({', '.join(qids)}{more}); write a typed answer instead, "
        f"for {qids[0]} “{form}” as gold_answer"
    )
