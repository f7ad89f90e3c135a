"""What to do where no trace answers a question of gold: which ids and questions each side has."""

from __future__ import annotations

from ragstone.engine.duck import Duck
from ragstone.errors import InputError
from ragstone.report.text import quoted, shown
from ragstone.suites.declaration import Arm, O, Work
from ragstone.suites.gathered import Gathered

_SHOWN = 3
_LONGEST = 60


def must_share_questions(work: Work[O], arm: Arm) -> None:
    """Gold and traces that hold lines and have no question in common are an error."""
    if not work.lines.get("gold") or not work.lines.get(arm.table):
        return
    if not work.duck.count(f"select count(*) from {arm.table} where qid in (select qid from gold)"):
        gather_names(work.duck, arm, work.gathered)
        raise InputError(shares_none(arm.name, work.gathered))


def gather_names(duck: Duck, arm: Arm, gathered: Gathered) -> None:
    """The first ids and questions of gold and of the traces that it does not know."""
    strange = f"{arm.table} where (qid is null or qid not in (select qid from gold))"
    for name, query in (
        (f"ids of {arm.name}", f"qid from {strange} and qid is not null"),
        (f"questions of {arm.name}", f"asked from {strange} and asked is not null"),
        ("ids of gold", "qid from gold"),
        ("questions of gold", "question from gold where question <> ''"),
    ):
        found = duck.query(f"select distinct {query} order by 1 limit {_SHOWN}")
        gathered.keep_first(name, found, _SHOWN)


def shares_none(arm: str, gathered: Gathered) -> str:
    """That nothing is shared, why, and what to do."""
    whose = f" of {arm}" if arm else ""
    asked, ids = gathered.rows(f"questions of {arm}"), gathered.rows(f"ids of {arm}")
    gold_asks = gathered.rows("questions of gold")
    if ids:
        why = (
            f"the traces have the qids {_listed(ids)}, and gold has "
            f"{_listed(gathered.rows('ids of gold'))}; name the field that holds gold's, "
            "as in --map trace.qid=PATH"
        )
    elif not asked:
        why = (
            "no trace has a qid or a question (q); name the field that holds one, as in "
            "--map trace.qid=PATH or --map trace.q=PATH"
        )
    elif not gold_asks:
        why = (
            "the traces have no qid, only questions, and gold has no field question; name it, "
            "as in --map gold.question=PATH, or give the traces a qid"
        )
    else:
        why = (
            f"without a qid the question must be gold's letter by letter; the traces ask "
            f"{_listed(asked)}, and gold asks {_listed(gold_asks)}; write gold's question, or "
            "its qid, into the traces"
        )
    return f"gold and the traces{whose} share no question: {why}"


def _listed(rows: list[tuple[object, ...]]) -> str:
    return ", ".join(quoted(shown(str(value), _LONGEST)) for (value,) in rows)
