"""From gold and a log to verdict rows: runs, their ranks and citations, ΔS and λ.

Per log there are tables of its runs (`runs_<log>`) and of groups of runs (`triplets_<log>`,
`questions_<log>`); `rows` and `triplets` hold those of every arm.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ragstone.contracts.records.retrieval_records import STATES, TYPES
from ragstone.engine.duck import Duck, quoted, whole
from ragstone.suites.declaration import Arm, Numbers, Work
from ragstone.suites.inputs import must_share, read_inputs
from ragstone.suites.retrieval import spans
from ragstone.suites.retrieval.delta_s import AtRank, DeltaS, by_rank, settle
from ragstone.suites.retrieval.metrics import (
    BY_ANSWERS,
    BY_DELTA_S,
    BY_SPANS,
    KS,
    UNKNOWN_IF_EMPTY,
)
from ragstone.suites.retrieval.options import R

PARAPHRASES, SEEDS = 3, 2

# The tables that stay empty where no file was given.
_ABSENT = {
    "manifest": "id varchar, section varchar, b bigint, e bigint, type varchar, hash varchar, "
    "text varchar",
    "texts": "id varchar, text varchar",
}


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
    of all that was retrieved.
    """

    counts: Mapping[str, int]
    values: Mapping[str, tuple[str, ...]]
    delta_s: DeltaS
    by_rank: tuple[AtRank, ...]
    lambdas: Lambda
    complete: bool
    hidden: frozenset[str]
    broken: tuple[spans.Broken, ...]


def read(work: Work[R]) -> None:
    """Every input; a log that shares no question with gold is one of another gold set."""
    read_tables(work)
    for arm in work.arms:
        which = f"{arm.name} log" if arm.name else "log"
        says = f"no line of the {which} has a qid of this gold set"
        must_share(work, "gold", arm.table, says)
    logs = " union all ".join(f"select qid, ids, types from {arm.table}" for arm in work.arms)
    work.duck.run(work.sql("seen.sql", logs=logs))


def read_tables(work: Work[R]) -> None:
    """The tables of all inputs, with the texts of the manifest among the texts."""
    duck = work.duck
    duck.set(types=list(TYPES), type_names=list(TYPES.values()))
    for name, words in (("states", STATES), ("type_of", TYPES)):
        both = {"keys": list(words), "values": list(words.values())}
        duck.run(f"set variable {name} = map($keys, $values)", both)
    duck.run(work.sql("sections.sql"))
    # The lists of ids take about half as much again as the lines they came from.
    read_inputs(work, room=1.5)
    for table, columns in _ABSENT.items():
        if not work.sources.get(table):
            duck.run(f"create temp table {table} ({columns})")
    duck.run("""
        create temp view chunk_texts as
        select id, text from texts
        union all
        select id, text from manifest where text is not null and id not in (select id from texts)
    """)


def rows(work: Work[R], arm: Arm) -> None:
    """Adds the rows and triplets of one log, and notes what else is known of it."""
    duck, log = work.duck, arm.table
    duck.set(unit=work.options.unit)
    spans.convert(work, log)
    broken = spans.broken_hashes(work, log)
    _runs(work, log)
    found = settle(work, log)
    duck.set(scale=found.scale)
    for name, by in (("triplets", "gold_row, seed"), ("questions", "gold_row")):
        duck.run(work.sql("lambda.sql", log=log, name=name, by=by))
    parts = {"log": log, "arm": quoted(arm.name)}
    more = {name: _at_each_k(work, f"{name}_at_k.sql") for name in ("sums", "shares")}
    duck.fill("rows", work.sql("rows.sql", **parts, **more, delta_s=found.column))
    duck.fill("triplets", work.sql("triplets.sql", **parts))
    work.notes[arm.name] = _log(work, log, found, broken)


def _log(work: Work[R], log: str, found: DeltaS, broken: tuple[spans.Broken, ...]) -> Log:
    (facts,) = work.duck.dicts(work.sql("log_facts.sql", log=log))
    counts = {name: whole(number) for name, number in facts.items()}
    hidden = set(BY_DELTA_S) if found.source == "none" else set()
    if not counts["answers"]:
        hidden |= {*BY_ANSWERS, "citation_iou"}
    if counts["unknown_spans"] and not counts["known_spans"]:
        # Not one citation had a gold span to be held against: that is no accuracy of zero.
        hidden |= set(BY_SPANS)
    names = ("index_hash", "normalizer", "reranker")
    complete = work.duck.count(
        f"select count(*) from questions_{log} "
        f"where paraphrases >= {PARAPHRASES} and seeds >= {SEEDS}"
    )
    return Log(
        counts=counts,
        values={name: values_in(work.duck, log, name) for name in names},
        delta_s=found,
        by_rank=by_rank(work, log, found),
        lambdas=_lambdas(work.duck, log),
        complete=complete > 0,
        hidden=frozenset(hidden),
        broken=broken,
    )


def values_in(duck: Duck, log: str, column: str) -> tuple[str, ...]:
    """The different values of a column of a log, in order."""
    return duck.texts(f"select distinct {column} from {log} where {column} is not null order by 1")


def _runs(work: Work[R], log: str) -> None:
    """The table of runs; what a log has no use for is not joined."""
    ranks = {"anchor_rank": work.sql("anchor_rank.sql"), "anchor_join": ""}
    if work.duck.count("select count(*) from manifest"):
        work.duck.run(work.sql("anchors_by_manifest.sql", log=log))
        joined = f"left join anchors_{log} as anchors using (run_row)"
        ranks = {"anchor_rank": "anchors.anchor_rank", "anchor_join": joined}
    given = "spans_as_given.sql" if work.options.unit == "bytes" else "spans_converted.sql"
    parts = {"counts": _at_each_k(work, "runs_at_k.sql"), "spans": work.sql(given), **ranks}
    work.duck.run(work.sql("runs.sql", log=log, **parts))


def _at_each_k(work: Work[R], file: str) -> str:
    """The columns that there are for every k."""
    return "".join(work.sql(file, k=str(k)) for k in KS)


def _lambdas(duck: Duck, log: str) -> Lambda:
    logged = duck.count(f"select count(logged_state) from runs_{log}") > 0
    column, over = ("logged_state", "runs") if logged else ("computed", "questions")
    found = duck.query(f"select {column}, count(*) from {over}_{log} group by 1")
    counts = {state: whole(number) for state, number in found}
    states = {state: counts.get(state, 0) for state in dict.fromkeys(STATES.values())}
    return Lambda("log" if logged else "computed", over, states, counts.get(None, 0))


def known(work: Work[R], arm: str, numbers: Numbers) -> Numbers:
    """Numbers that the log cannot show are absent: never zero, and never vacuously right."""
    hidden = work.notes[arm].hidden
    return {
        name: replace(each, value=None, numerator=None, interval=None, vacuous=False)
        if name in hidden or (name in UNKNOWN_IF_EMPTY and not each.denominator)
        else each
        for name, each in numbers.items()
    }
