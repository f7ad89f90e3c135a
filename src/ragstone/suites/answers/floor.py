"""Phrases that are too short to be looked for: what they stand for, questions that no claim can
answer, and words that are forbidden to no effect."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ragstone.engine.duck import Duck, Row, whole
from ragstone.matching.characters import SPACELESS
from ragstone.matching.phrases import FLOOR
from ragstone.suites.gathered import Gathered

# The rule of `matching.phrases.weight`; nearly all phrases are longer whatever they are written in.
_WEIGHT = f"length(entry) + 2 * length(regexp_replace(entry, '[^{SPACELESS}]', '', 'g'))"
# A first phrase that is long enough spares the lists.
_TOO_SHORT = f"""
    length(substrings[1]) < {FLOOR}
    and list_max(list_transform(substrings, lambda entry: length(entry))) < {FLOOR}
    and list_max(list_transform(substrings, lambda entry: {_WEIGHT})) < {FLOOR}
"""

# Questions that expect nothing but them.
ONLY_SHORT = f"answerable and substrings <> [] and gold_answer is null and {_TOO_SHORT}"

# What is gathered of them: how many questions there are, and the first.
_EXPECTED = "questions with short phrases"
_FORBIDDEN = "questions that forbid short phrases"


def gather_short_phrases(
    duck: Duck, table: str, gathered: Gathered, *, expects: bool = True, forbids: bool = True
) -> None:
    """What a table of gold with `substrings`, `gold_answer` and `must_not` has of them.

    `expects` is false where it is known that no question expects short phrases alone, `forbids`
    where nothing is forbidden.
    """
    if expects:
        _gather(gathered, _EXPECTED, _expected(duck, table), 3)
    if forbids:
        _gather(gathered, _FORBIDDEN, _forbidden(duck, table), 1)


def _gather(gathered: Gathered, name: str, found: Sequence[Row], most: int) -> None:
    if found:
        gathered.count(name, whole(found[0][-1]))
        gathered.keep_first(name, (row[:-1] for row in found), most)


def type_short_phrases(duck: Duck, table: str) -> bool:
    """Gives questions that expect nothing but short phrases the typed answers these stand for.

    Says whether there was any such question.
    """
    found = duck.query(
        f"select rowid, question, substrings from {table} where {ONLY_SHORT} order by rowid"
    )
    if not found:
        return False
    # Few gold sets have such a question, and the rules of matching take a while to load.
    from ragstone.matching.short_phrases import short_forms

    rows, forms = [], []
    for row, question, phrases in found:
        made = short_forms(phrases, str(question or "")) if isinstance(phrases, list) else []
        if made:
            rows.append(row)
            forms.append(json.dumps(made, ensure_ascii=False))
    if rows:
        duck.run(
            f"update {table} set gold_answer = typed.form from (select unnest($rows::bigint[]) as "
            f"place, unnest($forms::varchar[]) as form) as typed where {table}.rowid = typed.place",
            {"rows": rows, "forms": forms},
        )
    return bool(rows)


def floor_warnings(gathered: Gathered) -> list[str]:
    """The warnings for what was gathered.

    What is quoted from the gold set stands between curly marks, for reports without texts.
    """
    warnings = []
    if expected := gathered.rows(_EXPECTED):
        qids = [str(qid) for qid, _ in expected]
        warnings.append(_sentence(qids, expected[0][1], gathered.counted(_EXPECTED)))
    for qid, entry in gathered.rows(_FORBIDDEN):
        warnings.append(_forbids(str(qid), entry, gathered.counted(_FORBIDDEN)))
    return warnings


def _expected(duck: Duck, table: str) -> list[Row]:
    """The first questions all of whose phrases are too short, and how many there are."""
    return duck.query(f"""
        select qid, substrings, count(*) over () from {table}
        where {ONLY_SHORT}
        order by qid limit 3
    """)


def _forbidden(duck: Duck, table: str) -> list[Row]:
    """The first plain text of `must_not` that can never be found in a claim, and how many."""
    return duck.query(f"""
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


def _forbids(qid: str, entry: object, count: int) -> str:
    form = json.dumps({"any": [entry]}, ensure_ascii=False).replace("“", "'").replace("”", "'")
    who = "question forbids" if count == 1 else "questions forbid"
    return (
        f"{count:,} {who} a phrase under {FLOOR} characters, which never matches; write whole "
        f"words instead, for {qid} “{form}” in must_not"
    )


def _sentence(qids: Sequence[str], phrases: object, total: int) -> str:
    form = json.dumps({"any": phrases}, ensure_ascii=False).replace("“", "'").replace("”", "'")
    more = ", ..." if total > len(qids) else ""
    who = "question" if total == 1 else "questions"
    return (
        f"{total:,} {who} can never be right ({', '.join(qids)}{more}): a phrase under {FLOOR} "
        f"characters is not looked for; write what it means, for {qids[0]} "
        f'“"gold_answer": {form}”'
    )
