"""May the shadow index replace the live one? Two logs of the same gold, question by question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ragstone.engine.duck import Duck
from ragstone.errors import InputError
from ragstone.gates.gate import Judged
from ragstone.gates.judge import merge
from ragstone.measure.measure import measure
from ragstone.measure.metric import Count, Mean, Measured, Metric, Quantile, Ratio
from ragstone.measure.paired import (
    Difference,
    NonInferiority,
    difference_of_means,
    difference_of_quantiles,
    non_inferiority,
)
from ragstone.measure.permutation import mcnemar
from ragstone.suites.retrieval.metrics import (
    CANARY_GATES,
    DELTA_R,
    KS,
    LAMBDA_CONVERGENCE,
    METRICS,
    ROW_METRICS,
)
from ragstone.suites.retrieval.options import Options
from ragstone.suites.retrieval.read import Files, read, sql
from ragstone.suites.retrieval.side import Side, score_side, types
from ragstone.suites.retrieval.suite import (
    gates_for,
    gold_hash,
    judged_with_notes,
    manifest_hash,
    slice_gates,
)

LIVE, SHADOW = "live", "shadow"
MARGIN = 0.02

# What a question can flip on: the name, and when its row says yes.
FLIPS = {
    "found@5": "found_5 >= 0.5",
    "covered": "coverage >= 0.5",
    "citation_accurate": "accuracy >= 0.5",
}

OVERLAPS: tuple[Metric, ...] = (
    *(
        Mean(
            name=f"overlap@{k}",
            of="true",
            value=f"overlap_{k}",
            empty=1.0,
            better="higher",
            says=f"Of the ids in the first {k} positions, how many both indexes share.",
        )
        for k in KS
    ),
    Mean(
        name="rbo",
        of="true",
        value="rbo",
        empty=1.0,
        better="higher",
        says="Rank-biased overlap (p = 0.9) of the two rankings: 1 is the same order.",
    ),
    Mean(
        name="gold_rank_displacement",
        of="displacement is not null",
        value="displacement",
        empty=0.0,
        better="lower",
        best=0.0,
        bounds=None,
        says="How many ranks further down the shadow index puts the first relevant id, where both "
        "find one.",
    ),
)


@dataclass(frozen=True, slots=True)
class Flip:
    """The questions that changed on one check, either way."""

    name: str
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    p: float


@dataclass(frozen=True, slots=True)
class Canary:
    """Every number of `ragstone canary`, before it is rendered."""

    options: Options
    gold: int
    gold_hash: str
    manifest: int
    manifest_hash: str | None
    live: Side
    shadow: Side
    measured: Mapping[str, Measured]
    deltas: Mapping[str, Difference | None]
    deltas_by_type: Mapping[str, Mapping[str, Difference | None]]
    drop: NonInferiority
    flips: tuple[Flip, ...]
    overlaps: Mapping[str, Measured]
    gates: tuple[Judged, ...]
    dropped: tuple[str, ...]
    mismatches: tuple[str, ...]

    @property
    def metrics(self) -> tuple[Metric, ...]:
        return (*METRICS, DELTA_R)


def evaluate(duck: Duck, files: Files, options: Options) -> Canary:
    """Reads, checks and scores both logs, and compares them."""
    declared = (*METRICS, DELTA_R)
    merge({}, [*CANARY_GATES, *options.gates], declared, None)
    lines = read(duck, files, options)
    mismatches = _mismatches(duck, options)
    types(duck, (LIVE, SHADOW))
    sides = []
    for name in (LIVE, SHADOW):
        sides.append(score_side(duck, name, lines[name], options))
        _values(duck, name)
    live, shadow = sides
    deltas = _deltas(duck, live, shadow, options)
    by_type = {
        kind: _deltas(duck, live, shadow, options, kind)
        for kind in sorted({*live.by_type, *shadow.by_type})
    }
    recall = deltas["R@5"]
    if recall is None:
        raise InputError("the gold set holds no question to compare")
    measured = {
        **shadow.measured,
        DELTA_R.name: Measured(
            DELTA_R, recall.value, None, recall.questions, recall.interval, vacuous=False
        ),
    }
    gates, dropped = gates_for(CANARY_GATES, declared, options, (live, shadow))
    drop = non_inferiority(recall, _margin(gates.get(DELTA_R.name)), options.level)
    judged = judged_with_notes(measured, gates, lines["gold"], options, shadow)
    duck.run(sql("pairs.sql", overlaps=_overlaps()))
    return Canary(
        options,
        lines["gold"],
        gold_hash(duck),
        lines["manifest"],
        manifest_hash(duck),
        live,
        shadow,
        measured,
        deltas,
        by_type,
        drop,
        _flips(duck, answers=bool(live.answers and shadow.answers)),
        measure(duck, OVERLAPS, "alike", options.level),
        (
            *(_with_need(gate, drop, options) for gate in judged),
            *slice_gates(duck, shadow, METRICS, options),
        ),
        dropped,
        mismatches,
    )


def _margin(limit: object) -> float:
    value = getattr(limit, "value", None)
    return abs(value) if isinstance(value, float) else MARGIN


def _with_need(gate: Judged, drop: NonInferiority, options: Options) -> Judged:
    if gate.metric != DELTA_R.name or options.confidence is None or gate.proven:
        return gate
    more = (
        "no number of questions would settle it"
        if drop.needed is None
        else f"about {drop.needed:,} more questions would settle it"
    )
    return replace(gate, needed=drop.needed, note=f"the drop is {drop.proof}: {more}")


def _mismatches(duck: Duck, options: Options) -> tuple[str, ...]:
    """What the two logs do not have in common; refused unless the user allows it."""
    found = []
    for column, name in (("normalizer", "normaliser"), ("reranker", "reranker")):
        sides = []
        for side in (LIVE, SHADOW):
            rows = duck.query(
                f"select distinct {column} from log_{side} where {column} is not null order by 1"
            )
            sides.append([str(value) for (value,) in rows])
        if sides[0] and sides[1] and sides[0] != sides[1]:
            found.append(
                f"the {name} differs: live {', '.join(sides[0])}; shadow {', '.join(sides[1])}"
            )
    for side in (LIVE, SHADOW):
        known, lines = duck.one(
            f"select count(*) filter (qid in (select qid from gold)), count(*) from log_{side}"
        )
        if lines and not known:
            raise InputError(f"no line of the {side} log has a qid of this gold set")
    if found and not options.allow_mismatch:
        raise InputError(f"{'; '.join(found)} (--allow-mismatch compares them all the same)")
    return tuple(found)


def _values(duck: Duck, side: str) -> None:
    """The table `values_<side>`: one column per metric, null where a question is not in its set."""
    columns = ", ".join(
        f"case when {metric.of} then ({_value(metric)})::double end as m{number}"
        for number, metric in enumerate(ROW_METRICS)
    )
    duck.run(f"""
        create temp table values_{side} as
        select gold_row, qid, type, {columns}, lambdas.share as m{len(ROW_METRICS)}
        from rows_{side}
        left join (
            select gold_row, count(*) filter (converges)::double / count(*) as share
            from triplets_{side} where runs >= 2 group by gold_row
        ) as lambdas using (gold_row)
    """)


def _value(metric: Ratio | Count | Mean | Quantile) -> str:
    return f"({metric.hit})::int" if isinstance(metric, Ratio | Count) else metric.value


def _deltas(
    duck: Duck, live: Side, shadow: Side, options: Options, kind: str | None = None
) -> dict[str, Difference | None]:
    """Shadow minus live for every metric that both could show."""
    numbered = list(enumerate((*ROW_METRICS, LAMBDA_CONVERGENCE)))
    shown = (live.measured, shadow.measured)
    if kind is not None:
        shown = (live.by_type.get(kind, {}), shadow.by_type.get(kind, {}))
    deltas: dict[str, Difference | None] = {}
    for number, metric in numbered:
        if any(metric.name not in part or part[metric.name].value is None for part in shown):
            deltas[metric.name] = None
            continue
        rows = duck.query(
            f"select live.m{number}, shadow.m{number} from values_live as live "
            "join values_shadow as shadow using (gold_row) "
            "where $kind is null or live.type = $kind order by live.qid",
            {"kind": kind},
        )
        before = [None if x is None else float(str(x)) for x, _ in rows]
        after = [None if y is None else float(str(y)) for _, y in rows]
        if isinstance(metric, Quantile):
            deltas[metric.name] = difference_of_quantiles(before, after, metric.q, options.level)
        else:
            bounded = not (isinstance(metric, Mean) and metric.bounds is None)
            deltas[metric.name] = difference_of_means(before, after, options.level, bounded=bounded)
    return deltas


def _overlaps() -> str:
    parts = []
    for k in KS:
        size = f"greatest(list_unique(live_ids[:{k}]), list_unique(shadow_ids[:{k}]))"
        shared = f"coalesce(shared[least({k}, depth)], 0)"
        parts.append(
            f"sum(case when {size} = 0 then 2520 else 2520 * {shared} // {size} end)::double "
            f"/ (2520 * count(*)) as overlap_{k},"
        )
    return "\n    ".join(parts)


def _flips(duck: Duck, answers: bool) -> tuple[Flip, ...]:
    flips = []
    checks = FLIPS if answers else {"found@5": FLIPS["found@5"]}
    for name, says_yes in checks.items():
        rows = duck.query(f"""
            select live.qid, live.yes, shadow.yes
            from (select gold_row, qid, coalesce({says_yes}, false) as yes from rows_live) as live
            join (select gold_row, coalesce({says_yes}, false) as yes from rows_shadow) as shadow
                using (gold_row)
            where live.yes <> shadow.yes
            order by live.qid
        """)
        gained = tuple(str(qid) for qid, _, now in rows if now)
        lost = tuple(str(qid) for qid, _, now in rows if not now)
        flips.append(Flip(name, gained, lost, mcnemar(len(gained), len(lost))))
    return tuple(flips)
