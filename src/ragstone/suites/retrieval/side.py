"""One log against gold: ranks, citations, ΔS and λ.

The canary scores two logs with the same steps, so a log is a side. Its verdict rows stay in the
engine (`rows_<side>`), for the evidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragstone.engine.content_hash import content_sum
from ragstone.engine.duck import Duck
from ragstone.measure.measure import measure, measure_by
from ragstone.measure.metric import Measured
from ragstone.suites.answers import slices
from ragstone.suites.retrieval import delta_s, spans
from ragstone.suites.retrieval.delta_s import DeltaS
from ragstone.suites.retrieval.metrics import (
    BY_ANSWERS,
    BY_DELTA_S,
    BY_SPANS,
    KS,
    LAMBDA_CONVERGENCE,
    ROW_METRICS,
)
from ragstone.suites.retrieval.options import Options
from ragstone.suites.retrieval.read import sql

PARAPHRASES, SEEDS = 3, 2

Slices = Mapping[str, Mapping[str, Measured]]


@dataclass(frozen=True, slots=True)
class Lambda:
    """How the runs of a question hang together: the distribution of states, and the scattered."""

    logged: bool
    states: Mapping[str, int]
    unmeasurable: int
    scattered: tuple[str, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class Side:
    """Everything one log came to."""

    name: str
    lines: int
    runs: int
    unknown_qid: int
    repeats: int
    answers: int
    log_hash: str
    index_hashes: tuple[str, ...]
    normalizers: tuple[str, ...]
    rerankers: tuple[str, ...]
    unknown_sections: int
    unknown_spans: int
    other_anchor: int
    delta_s: DeltaS
    lambdas: Lambda
    hidden: frozenset[str]
    measured: Mapping[str, Measured]
    by_type: Slices
    slices: Mapping[str, Slices]
    bad_qids: tuple[str, ...]


def types(duck: Duck, sides: Sequence[str]) -> None:
    """The table `seen`: what type each question's first relevant id has in the logs."""
    logs = " union all ".join(f"select qid, ids, types from log_{side}" for side in sides)
    duck.run(sql("seen.sql", logs=logs))


def score_side(duck: Duck, side: str, lines: int, options: Options) -> Side:
    """One log from its table to its numbers."""
    spans.convert(duck, side, options.unit)
    _runs(duck, side, options)
    found = delta_s.settle(duck, side, options)
    duck.set(scale=found.scale)
    sums, shares = _sums()
    duck.run(sql("rows.sql", side=side, sums=sums, shares=shares, delta_s=found.column))
    _lambda_tables(duck, side)
    answers = _int(duck, f"select count(*) from runs_{side} where answered")
    measured = measured_in(duck, options, f"rows_{side}", f"triplets_{side}")
    hidden = _hidden(duck, side, answers, found)
    return Side(
        name=side,
        lines=lines,
        runs=_int(duck, f"select count(*) from runs_{side}"),
        unknown_qid=_int(
            duck, f"select count(*) from log_{side} where qid not in (select qid from gold)"
        ),
        repeats=_int(
            duck,
            "select coalesce(sum(n - 1), 0) from (select count(*) as n "
            f"from runs_{side} group by gold_row, paraphrase, seed)",
        ),
        answers=answers,
        log_hash=content_sum(
            duck, f"log_{side} where qid in (select qid from gold)", _HEARD
        ).finish(),
        index_hashes=_texts(duck, side, "index_hash"),
        normalizers=_texts(duck, side, "normalizer"),
        rerankers=_texts(duck, side, "reranker"),
        unknown_sections=_int(
            duck,
            f"select count(*) from runs_{side} where cited_id is not null "
            "and cited_section is null",
        ),
        unknown_spans=_int(duck, f"select count(*) from runs_{side} where span_unknown"),
        other_anchor=_int(
            duck,
            f"select count(*) from log_{side} as log join gold using (qid) "
            "where log.anchor <> gold.anchor",
        ),
        delta_s=found,
        lambdas=_lambdas(duck, side),
        hidden=hidden,
        measured=known_only(measured, hidden),
        by_type={
            name: known_only(row, hidden) for name, row in _by(duck, side, options, "type").items()
        },
        slices={
            name: {
                value: known_only(row, hidden)
                for value, row in _by(duck, side, options, options.slice_fields.index(name)).items()
            }
            for name in options.by
        },
        bad_qids=_bad(duck, side, answers),
    )


_HEARD = (
    "qid, query, paraphrase, seed, ids, types, first_delta_s, cited_delta_s, state, anchor, "
    "index_hash, normalizer, reranker, answered, cites"
)


def _runs(duck: Duck, side: str, options: Options) -> None:
    """The table of runs; what a log has no use for is not joined."""
    ranks = {"anchor_rank": sql("anchor_rank.sql"), "anchor_join": ""}
    if duck.one("select count(*) from manifest")[0]:
        duck.run(sql("anchors_by_manifest.sql", side=side))
        joined = f"left join anchors_{side} as anchors using (run_row)"
        ranks = {"anchor_rank": "anchors.anchor_rank", "anchor_join": joined}
    converted = sql("spans_as_given.sql" if options.unit == "bytes" else "spans_converted.sql")
    duck.run(sql("runs.sql", counts=_counts(), spans=converted, **ranks).replace("{side}", side))


def _counts() -> str:
    """Of each run, at each k: how many distinct ids, and how many of them are relevant."""
    columns = []
    for k in KS:
        distinct = f"list_distinct(ids[:{k}])"
        relevant = f"list_filter({distinct}, lambda id: list_contains(relevant, id))"
        columns.append(f"""
            (case when all_different then least({k}, len(ids)) else len({distinct}) end)::utinyint
                as size_{k},
            (case
                when relevant_rank is null or relevant_rank > {k} then 0
                when len(relevant) = 1 then 1
                else len({relevant})
            end)::utinyint as hits_{k},""")
    return "".join(columns)


def _sums() -> tuple[str, str]:
    """The same summed over a question's runs, and as its averages."""
    sums, shares = [], []
    for k in KS:
        sums.append(f"""
        sum(case when size_{k} > 0 then 2520 * hits_{k}::int // size_{k} else 0 end)::bigint
            as precise_{k},
        sum(hits_{k})::bigint as recalled_{k},
        count(*) filter (anchor_rank <= {k}) as anchor_{k},
        count(*) filter (relevant_rank <= {k}) as found_{k},
        count(*) filter (
            negative_rank <= {k} and negative_rank < coalesce(relevant_rank, 255)
        ) as negative_{k},""")
        shares.append(f"""
    coalesce(precise_{k}::double / (2520 * runs), 0) as p_{k},
    coalesce(recalled_{k}::double / (len(gold.relevant) * runs), 0) as r_{k},
    coalesce(anchor_{k}::double / runs, 0) as anchor_{k},
    coalesce(found_{k}::double / runs, 0) as found_{k},
    coalesce(negative_{k}::double / runs, 0) as negative_{k},""")
    return "".join(sums), "".join(shares)


def measured_in(duck: Duck, options: Options, rows: str, triplets: str) -> dict[str, Measured]:
    found = measure(duck, ROW_METRICS, rows, options.level)
    lambdas = measure(duck, (LAMBDA_CONVERGENCE,), triplets, options.level, cluster="gold_row")
    return {**found, **lambdas}


def _by(duck: Duck, side: str, options: Options, how: str | int) -> dict[str, dict[str, Measured]]:
    """Every metric by the question's type, or by the values of a field of the gold items."""
    triplets = f"(select t.*, r.type from triplets_{side} t join rows_{side} r using (gold_row))"
    if isinstance(how, str):
        rows, group = f"rows_{side}", how
    else:
        rows, group = slices.sliced(how, f"rows_{side}"), "slice"
        triplets = slices.sliced(how, f"triplets_{side}")
    found = measure_by(duck, ROW_METRICS, rows, group, options.level)
    lambdas = measure_by(
        duck, (LAMBDA_CONVERGENCE,), triplets, group, options.level, cluster="gold_row"
    )
    for name, row in found.items():
        empty = Measured(LAMBDA_CONVERGENCE, 0.0, 0, 0, None, vacuous=True)
        row.update(lambdas.get(name, {LAMBDA_CONVERGENCE.name: empty}))
    return found


def _hidden(duck: Duck, side: str, answers: int, found: DeltaS) -> frozenset[str]:
    """The metrics that this log cannot show, whatever its rows say."""
    hidden: set[str] = set()
    if not answers:
        hidden |= {*BY_ANSWERS, "citation_iou"}
    if found.source == "none":
        hidden |= set(BY_DELTA_S)
    checked, unknown = duck.one(f"""
        select count(*) filter (cited_relevant and not span_unknown), count(*) filter (span_unknown)
        from runs_{side}
    """)
    if unknown and not checked:
        # Not one citation had a gold span to be held against: that is no accuracy of zero.
        hidden |= set(BY_SPANS)
    return frozenset(hidden)


def known_only(measured: Mapping[str, Measured], hidden: frozenset[str]) -> dict[str, Measured]:
    """Numbers that the log cannot show are absent: never zero, and never vacuously right."""
    empty = {
        name
        for name in (*BY_DELTA_S, "citation_iou", "anchor_proximity", LAMBDA_CONVERGENCE.name)
        if measured[name].denominator == 0
    }
    return {
        name: Measured(each.metric, None, None, each.denominator, None, vacuous=False)
        if name in hidden or name in empty
        else each
        for name, each in measured.items()
    }


def _lambda_tables(duck: Duck, side: str) -> None:
    for name, keys in (("triplets", ("gold_row", "seed")), ("questions", ("gold_row",))):
        duck.run(
            sql(
                "lambda.sql",
                side=side,
                name=name,
                by_run=", ".join(f"runs.{key}" for key in keys),
                join=" and ".join(f"grouped.{key} = runs.{key}" for key in keys),
                by=", ".join(keys),
            )
        )


def _lambdas(duck: Duck, side: str) -> Lambda:
    logged = _int(duck, f"select count(logged_state) from runs_{side}") > 0
    states = {"→": 0, "←": 0, "<>": 0, "×": 0}
    counted = f"select logged_state, count(*) from runs_{side} group by 1"
    if not logged:
        counted = f"select computed, count(*) from questions_{side} group by 1"
    counts = {state: int(str(count)) for state, count in duck.query(counted)}
    scattered = f"""
        select distinct gold.qid
        from (
            select gold_row from questions_{side} where scatters or (logged = 0 and computed = '×')
            union all
            select gold_row from triplets_{side} where scatters or (logged = 0 and computed = '×')
        ) as found join gold on gold.rowid = found.gold_row
        order by qid
    """
    complete = _int(
        duck,
        f"select count(*) from questions_{side} "
        f"where paraphrases >= {PARAPHRASES} and seeds >= {SEEDS}",
    )
    return Lambda(
        logged=logged,
        states={state: counts.get(state, 0) for state in states},
        unmeasurable=counts.get(None, 0),
        scattered=tuple(str(qid) for (qid,) in duck.query(scattered)),
        complete=complete > 0,
    )


def _bad(duck: Duck, side: str, answers: int) -> tuple[str, ...]:
    """Not covered, or a cited ΔS above the line of risk."""
    uncovered = "coverage < 0.5 or" if answers else ""
    found = duck.query(
        f"select qid from rows_{side} where {uncovered} "
        "delta_s > 0.60 * getvariable('scale') + 1e-9 order by qid"
    )
    return tuple(str(qid) for (qid,) in found)


def _texts(duck: Duck, side: str, column: str) -> tuple[str, ...]:
    found = duck.query(
        f"select distinct {column} from log_{side} where {column} is not null order by 1"
    )
    return tuple(str(value) for (value,) in found)


def _int(duck: Duck, query: str) -> int:
    return int(str(duck.one(query)[0]))
