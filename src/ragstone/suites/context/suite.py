"""Did the retriever bring the right documents, and in what order? One system, or several.

`evaluate` is the whole suite: read strictly, one verdict row per question and system, numbers from
rows, gates from numbers, systems side by side. The rows stay in the engine, for the evidence.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import resources

from ragstone.contracts.sources import Source
from ragstone.engine.content import content_hash
from ragstone.engine.duck import Duck, identifier, quoted
from ragstone.errors import ContractError, Diagnostic
from ragstone.gates.gate import Judged
from ragstone.gates.judge import Gates, judge, merge
from ragstone.measure.measure import measure
from ragstone.measure.metric import Measured, Metric
from ragstone.suites.context import metrics as declared
from ragstone.suites.context.measures import Measure, deepest, needs_all_judged
from ragstone.suites.context.options import Options
from ragstone.suites.context.reading import Retrieved, read_reference, read_results
from ragstone.suites.context.systems import (
    Comparison,
    Differing,
    System,
    baseline_of,
    compare,
    differing,
    sliced,
    unique,
)

COMPARED = ("context_recall", "context_precision", "context_f1", "ndcg@10")
Slices = Mapping[str, Mapping[str, Mapping[str, Measured]]]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Every number of the suite, before it is rendered; slices are the baseline's."""

    options: Options
    metrics: tuple[Metric, ...]
    questions: int
    no_gold: int
    reference_hash: str
    systems: tuple[System, ...]
    baseline: int
    gates: tuple[Judged, ...]
    slices: Mapping[str, Slices]
    comparisons: tuple[Comparison, ...]
    differing: tuple[Differing, ...]

    @property
    def first(self) -> System:
        """The system whose figures stand at the top: the only one, or the baseline."""
        return self.systems[self.baseline]


def evaluate(
    duck: Duck,
    results: Sequence[Source],
    reference: Source,
    options: Options,
    limit: int | None = None,
) -> Evaluation:
    """Reads, checks and scores; each system's verdict rows stay in the engine."""
    named = [name for name, _ in options.gates]
    named += [name for part in options.slices for name, _ in part.gates]
    ranked = declared.measures(options.k, named)
    metrics = declared.metrics(ranked)
    # Names and numbers of gates are checked before anything is read.
    gates = merge({}, options.gates, metrics, None)
    parts = [merge({}, part.gates, metrics, None) for part in options.slices]
    retrieved = _read(duck, results, reference, options)
    names = unique([each.name for each in retrieved])
    baseline = baseline_of(names, options.baseline)
    settings(duck, ranked, options.level)
    systems = tuple(
        _system(duck, ranked, metrics, each, name, number, options)
        for number, (each, name) in enumerate(zip(retrieved, names, strict=True))
    )
    questions, no_gold = duck.one(f"""
        select count(*) filter ({declared.SCORED}), count(*) filter (not {declared.SCORED})
        from {systems[0].table}
    """)
    size = int(str(questions))
    compared = [metric for metric in metrics if metric.name in COMPARED]
    primary = next(metric for metric in metrics if metric.name == "ndcg@10")
    return Evaluation(
        options=options,
        metrics=metrics,
        questions=size,
        no_gold=int(str(no_gold)),
        reference_hash=_reference_hash(duck, options),
        systems=systems,
        baseline=baseline,
        gates=_judged(duck, systems, metrics, gates, parts, size, options),
        slices=_slices(duck, systems, metrics, options),
        comparisons=compare(duck, systems, baseline, compared),
        differing=differing(duck, systems, baseline, primary, limit),
    )


def settings(duck: Duck, ranked: Iterable[Measure], level: int) -> None:
    """The variables and macros that the kernel and the measures read."""
    ranked = tuple(ranked)
    # The same table serves Python's own scorer, so that both agree to the last bit.
    table = [math.log2(rank + 1) for rank in range(1, max(1000, deepest(ranked)) + 1)]
    duck.set(discount=table, level=level, floor=0 if needs_all_judged(ranked) else min(1, level))
    duck.run("""
        create or replace temp macro discount(rank) as
            coalesce(getvariable('discount')[rank], log2(rank + 1))
    """)


def columns(ranked: Iterable[Measure]) -> str:
    """The measures as columns of the verdict row."""
    return ", ".join(f"{each.sql} as {identifier(each.name)}" for each in ranked)


def kernel_sql(*parts: str) -> str:
    """The common table expressions of these files, one after another."""
    return ",\n".join(_sql(part).rstrip().rstrip(",") for part in parts)


def _read(
    duck: Duck, results: Sequence[Source], reference: Source, options: Options
) -> list[Retrieved]:
    """All tables, checked; one error lists what is wrong in any of the files."""
    bad: list[Diagnostic] = []
    found: list[Retrieved] = []
    try:
        read_reference(duck, reference, options)
    except ContractError as error:
        bad.extend(error.diagnostics)
    for number, source in enumerate(results):
        try:
            found.append(read_results(duck, source, options, number))
        except ContractError as error:
            bad.extend(error.diagnostics)
    if bad:
        raise ContractError(bad)
    return found


def _system(
    duck: Duck,
    ranked: Sequence[Measure],
    metrics: Sequence[Metric],
    found: Retrieved,
    name: str,
    number: int,
    options: Options,
) -> System:
    table = f"rows_{number}"
    duck.run(f"create or replace temp view retrieved as select * from retrieved_{number}")
    duck.run(f"""
        create or replace temp table {table} as
        with {kernel_sql("lists.sql", "kernel.sql", "rows.sql")}
        select counted.*, {columns(ranked)} from counted order by qid
    """)
    missing, unknown = duck.one(f"""
        select
            count(*) filter ({declared.SCORED} and missing),
            (select count(*) from retrieved where qid not in (select qid from reference))
        from {table}
    """)
    return System(
        name=name,
        source=found.source,
        table=table,
        measured=measure(duck, metrics, table, options.level_of_intervals),
        questions=found.questions,
        missing=int(str(missing)),
        unknown_qid=int(str(unknown)),
        repeated=found.repeated,
        hash=content_hash(duck, "qid, chunks", f"retrieved_{number}"),
    )


def _judged(
    duck: Duck,
    systems: Sequence[System],
    metrics: Sequence[Metric],
    gates: Gates,
    parts: Sequence[Gates],
    questions: int,
    options: Options,
) -> tuple[Judged, ...]:
    """Every gate of every system; with several, the gate's name says whose it is."""
    judged: tuple[Judged, ...] = ()
    how = partial(judge, strict=options.strict, confidence=options.confidence)
    for system in systems:
        whose = f"system={system.name}" if len(systems) > 1 else ""
        judged += how(system.measured, gates, questions=questions, where=whose)
        for part, limits in zip(options.slices, parts, strict=True):
            table = _part(duck, system, part.where, options.slice_fields)
            found = measure(duck, metrics, table, options.level_of_intervals)
            where = ",".join([*([whose] if whose else []), *(f"{k}={v}" for k, v in part.where)])
            size = found["missing"].denominator
            judged += how(found, limits, questions=size, where=where)
    return judged


def _part(
    duck: Duck,
    system: System,
    where: Sequence[tuple[str, str | int | float | bool]],
    fields: Sequence[str],
) -> str:
    """The rows whose reference has each of the values, as a table expression."""
    tests = " and ".join(
        f"list_contains(from_json(reference.slice_{fields.index(field)}, '[\"varchar\"]'), "
        f"{quoted(_text(value))})"
        for field, value in where
    )
    return f"(select rows.* from {system.table} as rows join reference using (qid) where {tests})"


def _text(value: str | int | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _slices(
    duck: Duck, systems: Sequence[System], metrics: Sequence[Metric], options: Options
) -> dict[str, Slices]:
    fields = options.slice_fields
    return {
        name: {
            system.name: sliced(
                duck, metrics, system, fields.index(name), options.level_of_intervals
            )
            for system in systems
        }
        for name in options.by
    }


def _reference_hash(duck: Duck, options: Options) -> str:
    names = ", ".join(f"slice_{n}" for n in range(len(options.slice_fields)))
    sorted_gold = "list_sort(gold) as judged"
    return content_hash(
        duck,
        f"qid, judged{', ' + names if names else ''}",
        f"(select *, {sorted_gold} from reference)",
    )


def _sql(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
