"""What is known of a log beyond its rows: gathered of each part of it, and put together."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ragstone.contracts.records.retrieval_records import STATES
from ragstone.engine.duck import Duck, whole
from ragstone.suites.declaration import Arm, Work
from ragstone.suites.retrieval.delta_s import DeltaS, settled
from ragstone.suites.retrieval.delta_s_by_rank import AtRank, by_rank
from ragstone.suites.retrieval.metrics import BY_ANSWERS, BY_DELTA_S, BY_SPANS
from ragstone.suites.retrieval.options import R
from ragstone.suites.retrieval.spans import Broken

PARAPHRASES, SEEDS = 3, 2

# The columns of log_facts.sql.
_COUNTED = (
    "runs",
    "unknown_qid",
    "repeats",
    "answers",
    "unknown_sections",
    "unknown_spans",
    "known_spans",
    "other_anchor",
    "anchors",
    "placeless",
    "types_from_log",
)
_VALUES = ("index_hash", "normalizer", "reranker")


@dataclass(frozen=True, slots=True)
class Lambda:
    """How the runs of a question agree: where the states come from, and how often each occurs.

    `source` is `log` or `computed`, `over` is `runs` or `questions`, and `unmeasurable` are
    questions with fewer than two runs.
    """

    source: str
    over: str
    states: Mapping[str, int]
    unmeasurable: int


@dataclass(frozen=True, slots=True)
class Log:
    """What is known of one log beyond its rows.

    `counts` are those of log_facts.sql, and `values` the different index hashes, normalisers and
    rerankers it names. `complete` says that some question has enough wordings and seeds for
    convergence to be judged; `hidden` are metrics that the log cannot show, and `by_rank` is the ΔS
    of all that was retrieved. `broken` are the first of the citations whose text is not what their
    hash says, and `broken_total` counts all.
    """

    counts: Mapping[str, int]
    values: Mapping[str, tuple[str, ...]]
    delta_s: DeltaS
    by_rank: tuple[AtRank, ...]
    lambdas: Lambda
    complete: bool
    hidden: frozenset[str]
    broken: tuple[Broken, ...]
    broken_total: int


def gather(work: Work[R], arm: Arm, broken: Sequence[Broken]) -> None:
    """What the runs of a log say that are in the tables now."""
    duck, log, gathered, of = work.duck, arm.table, work.gathered, f"of {arm.name}"
    for what, number in zip(_COUNTED, duck.counts(work.sql("log_facts.sql", log=log)), strict=True):
        gathered.count(f"{what} {of}", number)
    complete = duck.count(
        f"select count(*) from questions_{log} "
        f"where paraphrases >= {PARAPHRASES} and seeds >= {SEEDS}"
    )
    gathered.count(f"complete questions {of}", complete)
    for name in _VALUES:
        gathered.keep_all(f"{name} {of}", values_in(duck, log, name))
    for column, over in (("logged_state", "runs"), ("computed", "questions")):
        found = duck.query(f"select {column}, count(*) from {over}_{log} group by 1")
        for state, runs in found:
            gathered.count(f"{over} in state {state} {of}", whole(runs))
    gathered.count(f"broken hashes {of}", len(broken))
    # All of a question are in one part, in their order there.
    placed = [(each.qid, place, each.id, each.says) for place, each in enumerate(broken)]
    gathered.keep_first(f"broken hashes {of}", placed, work.options.limit or sys.maxsize)


def values_in(duck: Duck, log: str, column: str) -> tuple[str, ...]:
    """The different values of a column of a log, in order."""
    return duck.texts(f"select distinct {column} from {log} where {column} is not null order by 1")


def log_of(work: Work[R], arm: Arm) -> Log:
    """All that was gathered of a log."""
    gathered, of = work.gathered, f"of {arm.name}"
    counts = {what: gathered.counted(f"{what} {of}") for what in _COUNTED}
    found = replace(settled(work, arm), unknown=gathered.counted(f"unknown_delta_s {of}"))
    return Log(
        counts=counts,
        values={name: tuple(sorted(gathered.sets[f"{name} {of}"])) for name in _VALUES},
        delta_s=found,
        by_rank=by_rank(work, arm),
        lambdas=_lambdas(work, of),
        complete=gathered.counted(f"complete questions {of}") > 0,
        hidden=_hidden(counts, found),
        broken=tuple(
            Broken(qid, chunk, says) for qid, _, chunk, says in gathered.rows(f"broken hashes {of}")
        ),
        broken_total=gathered.counted(f"broken hashes {of}"),
    )


def _hidden(counts: Mapping[str, int], found: DeltaS) -> frozenset[str]:
    """The metrics that a log cannot show."""
    hidden = set(BY_DELTA_S) if found.source == "none" else set()
    if not counts["answers"]:
        hidden |= {*BY_ANSWERS, "citation_iou"}
    if counts["unknown_spans"] and not counts["known_spans"]:
        # Not one citation had a gold span to be held against: that is no accuracy of zero.
        hidden |= set(BY_SPANS)
    return frozenset(hidden)


def _lambdas(work: Work[R], of: str) -> Lambda:
    def count(over: str, state: str | None) -> int:
        return work.gathered.counted(f"{over} in state {state} {of}")

    known = tuple(dict.fromkeys(STATES.values()))
    logged = any(count("runs", state) for state in known)
    over = "runs" if logged else "questions"
    states = {state: count(over, state) for state in known}
    return Lambda("log" if logged else "computed", over, states, count(over, None))
