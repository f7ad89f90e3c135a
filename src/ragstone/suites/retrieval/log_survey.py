"""What must be known of all of a log before any question is scored: is it the log of this gold set,
where does its ΔS come from, and of which type is what is relevant?"""

from __future__ import annotations

from ragstone.errors import InputError
from ragstone.suites.declaration import Work
from ragstone.suites.retrieval.delta_s import find_source
from ragstone.suites.retrieval.logs import read_tables
from ragstone.suites.retrieval.options import R
from ragstone.suites.surveys import Survey, look_around

_LOOKED_FOR = ("lines", "shared", "answers", "measured")


def read(work: Work[R]) -> None:
    """Every input, and a look at all of the log."""
    read_tables(work)
    look_around(work, SURVEYS)


def look(work: Work[R]) -> None:
    """What lines of the logs say, and the types of the relevant ids that their own runs show."""
    for arm in work.arms:
        found = work.duck.counts(f"""
            select count(*), count(*) filter (known), count(*) filter (known and answered),
                count(*) filter (measured)
            from (select answered, measured, qid in (select qid from gold) as known
                from {arm.table})
        """)
        for what, number in zip(_LOOKED_FOR, found, strict=True):
            work.gathered.count(_looked_for(what, arm.name), number)
    work.duck.fill("own_types", work.sql("own_types.sql", logs=_logs(work)))
    work.duck.fill("wanted_types", "select distinct relevant as ids from gold where type is null")


def _looked_for(what: str, arm: str) -> str:
    return f"{what} looked for in {arm}"


def _logs(work: Work[R]) -> str:
    return " union all ".join(f"select qid, ids, types from {arm.table}" for arm in work.arms)


def settle(work: Work[R]) -> None:
    """A log that shares no question with gold is one of another gold set."""
    duck = work.duck
    for arm in work.arms:
        lines, shared, answers, measured = (
            work.gathered.counted(_looked_for(what, arm.name)) for what in _LOOKED_FOR
        )
        if lines and not shared:
            which = f"{arm.name} log" if arm.name else "log"
            raise InputError(f"no line of the {which} has a qid of this gold set")
        find_source(work, arm, answers=answers > 0, measured=measured > 0)
    duck.fill("seen", "select id, min(type) as type from own_types group by id")
    # One id with a type is enough for a question.
    duck.fill(
        "untyped",
        """
        with wanted as (select distinct ids, unnest(ids) as id from wanted_types)
        select distinct id from wanted where ids not in (
            select ids from wanted
            where id in (select id from seen) or id in (select id from manifest)
        )
        """,
    )


def look_further(work: Work[R]) -> None:
    work.duck.fill("others_types", work.sql("others_types.sql", logs=_logs(work)))


def settle_further(work: Work[R]) -> None:
    work.duck.run("insert into seen select id, min(type) from others_types group by id")


def _is_untyped(work: Work[R]) -> bool:
    """Whether something relevant has a type that neither its own runs nor a manifest tells."""
    return bool(work.duck.query("select 1 from untyped limit 1"))


LOOK = Survey(look, settle, tables=("own_types", "wanted_types"), leaves=("seen", "untyped"))
LOOK_FURTHER = Survey(
    look_further, settle_further, tables=("others_types",), leaves=("seen",), due=_is_untyped
)
SURVEYS = (LOOK, LOOK_FURTHER)
