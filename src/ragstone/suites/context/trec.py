"""How good are the rankings of TREC runs? The same kernel, for people who come from IR."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import resources
from typing import Literal

from ragstone.contracts.sources import Source
from ragstone.engine.content_hash import content_sum
from ragstone.engine.duck import Duck, identifier
from ragstone.engine.read_lines import lines_of
from ragstone.engine.trec_lines import TrecFile, must_be_good, with_views
from ragstone.errors import ConfigError
from ragstone.gates.gate import Judged
from ragstone.gates.judge import judge, merge
from ragstone.measure.measure import measure as measured
from ragstone.measure.metric import Mean, Metric
from ragstone.suites.context.measures import Measure, deepest, measure, needs_all_judged
from ragstone.suites.context.metrics import ranking_metric
from ragstone.suites.context.reading import stem
from ragstone.suites.context.systems import (
    Comparison,
    Differing,
    Pair,
    System,
    baseline_of,
    compare,
    differing,
    unique,
)

Over = Literal["relevant", "both", "judged"]
OVER: dict[Over, str] = {
    # judged questions with a relevant document
    "relevant": "gold_docs > 0",
    # as trec_eval averages, and as it does with -c
    "both": "judged and not missing",
    "judged": "judged",
}
DEFAULT = ("ndcg@10", "map", "mrr", "P@10", "R@10", "bpref", "rprec")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrecOptions:
    """What to measure and over which questions; `names` are kept as the user wrote them."""

    names: tuple[str, ...] = DEFAULT
    level: int = 1
    over: Over = "relevant"
    baseline: str | None = None
    gates: tuple[tuple[str, str | float], ...] = ()
    strict: bool = False
    confidence: float | None = None
    measures: tuple[Measure, ...] = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.level, int) or self.level < 1:
            raise ConfigError(f"level: expected a whole number of at least 1, found {self.level!r}")
        if not self.names:
            raise ConfigError("no metric was asked for")
        asked = [measure(name) for name in (*self.names, *(name for name, _ in self.gates))]
        object.__setattr__(self, "measures", tuple(dict.fromkeys(asked)))

    @property
    def level_of_intervals(self) -> float:
        return self.confidence or 0.95


@dataclass(frozen=True, slots=True)
class TrecEvaluation:
    """Every number, before it is rendered."""

    options: TrecOptions
    metrics: tuple[Metric, ...]
    systems: tuple[System, ...]
    baseline: int
    gates: tuple[Judged, ...]
    comparisons: tuple[Comparison, ...]
    differing: tuple[Differing, ...]
    questions: int
    no_gold: int

    @property
    def first(self) -> System:
        return self.systems[self.baseline]


def evaluate_trec(
    duck: Duck,
    qrels: Source,
    runs: Sequence[Source],
    options: TrecOptions,
    limit: int | None = None,
) -> TrecEvaluation:
    """Reads, checks and scores; each run's rows stay in the engine."""
    metrics = tuple(ranking_metric(each, OVER[options.over]) for each in options.measures)
    changes = [(measure(name).name, given) for name, given in options.gates]
    gates = merge({}, changes, metrics, None)
    names = unique([stem(run) for run in runs])
    baseline = baseline_of(names, options.baseline)
    # The order of lines decides nothing here, and keeping it costs memory.
    duck.run("set preserve_insertion_order = false")
    # The judgments are the small side: the plan must build on them whatever it guesses.
    duck.run("set disabled_optimizers = 'join_order,build_side_probe_side'")
    _settings(duck, options.measures, options.level)
    systems = tuple(
        _system(duck, qrels, run, name, number, metrics, options)
        for number, (run, name) in enumerate(zip(runs, names, strict=True))
    )
    judged: tuple[Judged, ...] = ()
    how = partial(judge, strict=options.strict, confidence=options.confidence)
    for system in systems:
        where = f"system={system.name}" if len(systems) > 1 else ""
        judged += how(system.measured, gates, questions=system.questions, where=where)
    questions, no_gold = duck.one(f"""
        select count(*) filter ({OVER[options.over]}), count(*) filter (judged and gold_docs = 0)
        from {table_of(baseline)}
    """)

    def pairs(number: int, metric: Mean) -> list[Pair]:
        return _pairs(duck, table_of(baseline), table_of(number), metric)

    return TrecEvaluation(
        options=options,
        metrics=metrics,
        systems=systems,
        baseline=baseline,
        gates=judged,
        comparisons=compare(names, baseline, metrics, pairs),
        differing=differing(names, baseline, metrics[0], pairs, limit),
        questions=int(str(questions)),
        no_gold=int(str(no_gold)),
    )


def table_of(number: int) -> str:
    """The engine's table of the rows of a run."""
    return f"rows_{number}"


def _settings(duck: Duck, measures: Iterable[Measure], level: int) -> None:
    """The variables and macros that the kernel and the measures read."""
    measures = tuple(measures)
    # The scorer in memory has the same table, so that both agree to the last bit.
    table = [math.log2(rank + 1) for rank in range(1, max(1000, deepest(measures)) + 1)]
    duck.set(discount=table, level=level, floor=0 if needs_all_judged(measures) else min(1, level))
    # Only what is not cut can look past the end of the table.
    listed = "getvariable('discount')[rank]"
    if any(each.base == "ndcg" and each.k is None for each in measures):
        listed = f"coalesce({listed}, log2(rank + 1))"
    duck.run(f"create or replace temp macro discount(rank) as {listed}")
    duck.run(_sql("macros.sql"))


def _pairs(duck: Duck, baseline: str, system: str, metric: Mean) -> list[Pair]:
    """qid, the baseline's value and the system's, for every question that both are judged on."""
    rows = duck.query(f"""
        with one as (
            select qid, ({metric.value})::double as value from {baseline} where {metric.of}
        ), other as (
            select qid, ({metric.value})::double as value from {system} where {metric.of}
        )
        select qid, one.value, other.value from one join other using (qid) order by qid
    """)
    return [(str(qid), float(str(a)), float(str(b))) for qid, a, b in rows]


def _system(
    duck: Duck,
    qrels: Source,
    run: Source,
    name: str,
    number: int,
    metrics: Sequence[Metric],
    options: TrecOptions,
) -> System:
    table = table_of(number)
    files = (TrecFile(qrels, _kind(duck, qrels), "qrels"), TrecFile(run, "run", "run"))
    with_views(duck, files, lambda: duck.run(_rows_sql(table, options)))
    has_nan, twice, repeated, missing, unknown, ranked = duck.one(f"""
        select bool_or(has_nan), bool_or(twice), coalesce(sum(n_lines - retrieved_docs), 0)::bigint,
            count(*) filter (gold_docs > 0 and missing), count(*) filter (not judged),
            count(*) filter (not missing)
        from {table}
    """)
    if has_nan or twice or (repeated and options.strict):
        must_be_good(duck, files, options.strict)
    return System(
        name=name,
        source=run.name,
        measured=measured(duck, metrics, table, options.level_of_intervals),
        questions=int(str(ranked)),
        missing=int(str(missing)),
        unknown_qid=int(str(unknown)),
        repeated=int(str(repeated)),
        hash=content_sum(duck, table, _hashed(options)).finish(),
    )


def _rows_sql(table: str, options: TrecOptions) -> str:
    """One row per question of either file, with the value of each measure."""
    measured_columns = ", ".join(
        f"{each.sql} as {identifier(each.name)}" for each in options.measures
    )
    return f"""
        create or replace temp table {table} as
        with {_sql("lines.sql")} {_sql("kernel.sql")}
        select qid, judged, missing, has_nan, twice, n_lines, n_ret as retrieved_docs,
            n_rel as gold_docs, len(relevant) as correct_docs,
            {measured_columns}
        from placed
    """


def _hashed(options: TrecOptions) -> str:
    """The columns that the content hash covers: whatever moves one of a question's numbers."""
    values = (identifier(each.name) for each in options.measures)
    counts = "qid, judged, missing, n_lines, retrieved_docs, gold_docs, correct_docs"
    return ", ".join((counts, *values))


def _kind(duck: Duck, qrels: Source) -> Literal["qrels", "beir"]:
    from ragstone.contracts.table_files import shape_of

    for line in lines_of(duck, qrels):
        if line.strip():
            return "beir" if shape_of(line) == "beir" else "qrels"
    return "qrels"


def tag_of(duck: Duck, run: Source) -> str:
    """The sixth column of the first line, by which trec_eval names a run."""
    for line in lines_of(duck, run):
        words = line.split()
        if len(words) >= 6:
            return words[5].decode("utf-8", "replace")
    return ""


def _sql(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
