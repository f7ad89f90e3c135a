"""Speed against accuracy: every configuration under every load, on its own, never pooled.

`evaluate` reads samples strictly, takes the answers suite's checks of every answer, measures each
point, compares it with the baseline's, and finds the configurations worth having.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources

from ragstone.contracts.record import shown
from ragstone.contracts.records.trace_records import SAMPLE
from ragstone.contracts.sources import Source
from ragstone.engine.content_hash import content_sum
from ragstone.engine.duck import Duck
from ragstone.engine.fold import WHITE_SPACE
from ragstone.engine.line_places import places
from ragstone.errors import ConfigError, ContractError, Diagnostic
from ragstone.gates.gate import Judged, Threshold
from ragstone.gates.judge import judge, merge, suggestion
from ragstone.measure.metric import Measured
from ragstone.suites.answers.metrics import METRICS as ANSWERS
from ragstone.suites.answers.metrics import default_gates
from ragstone.suites.answers.options import Options
from ragstone.suites.answers.suite import read_inputs, verdict_rows
from ragstone.suites.deciding import Deciding
from ragstone.suites.latency.baseline import compared
from ragstone.suites.latency.frontier import Choice, Standing, stand
from ragstone.suites.latency.metrics import (
    ACCURACY,
    COMPARED,
    METRICS,
    P95,
    P95_RELAXED,
    RELAXED_FROM,
)
from ragstone.suites.latency.points import Point, points_of


@dataclass(frozen=True, slots=True)
class Samples:
    """What was read: the points, and what the digest needs to know of the file."""

    points: tuple[Point, ...]
    inputs: Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Every number of the suite, before it is rendered; `standings` are by load."""

    deciding: Deciding
    refusal: tuple[str, ...]
    only: str | None
    samples: Samples
    baseline: Samples | None
    standings: Mapping[float, Standing]
    gates: tuple[Judged, ...]
    limits: Mapping[str, Threshold]
    accuracy: Mapping[str, Threshold]

    @property
    def points(self) -> tuple[Point, ...]:
        return self.samples.points


def read_samples(
    duck: Duck,
    gold: tuple[Source, ...],
    samples: tuple[Source, ...],
    options: Options,
    level: float,
    only: str | None = None,
) -> Samples:
    """Every point of a file of samples; `only` keeps one configuration."""
    items, lines = read_inputs(duck, gold, samples, options, SAMPLE, _sql("sample.sql"))
    _must_be_known(duck, samples, options)
    if only is not None:
        _keep_only(duck, only)
    # What ended in an error has no answer, whatever came with it.
    duck.run("update trace set claim = null where failed")
    duck.set(spaces=f"[{WHITE_SPACE}]+")
    verdict_rows(duck, replace(options, keep="all"))
    duck.run(_sql("timed.sql"))
    heard = "config, rps, qid, claim, citations, retrieved, echo, latency_ms, cost_usd, failed"
    heard += ", knobs, retrieval_ms, rerank_ms, llm_ms, guard_ms"
    stored = "qid, question, answerable, substrings, gold_citations, constraints"
    inputs: dict[str, str | int] = {
        "gold": items,
        "gold_hash": content_sum(duck, "gold", stored).finish(),
        "samples": lines,
        "samples_hash": content_sum(duck, "trace", heard).finish(),
    }
    return Samples(points_of(duck, level), inputs)


def evaluate(
    samples: Samples,
    baseline: Samples | None,
    options: Options,
    deciding: Deciding,
    only: str | None = None,
) -> Evaluation:
    """Compares, stands the configurations against each other and judges every point."""
    limits = gates_of(deciding, baseline is not None)
    if baseline is not None or any(metric.name in limits for metric in COMPARED):
        others = None if baseline is None else baseline.points
        samples = replace(samples, points=compared(samples.points, others))
    accuracy = _accuracy(options)
    relaxed = limits.get(P95_RELAXED.name, Threshold("<=", 2500.0))
    return Evaluation(
        deciding=deciding,
        refusal=options.refusal,
        only=only,
        samples=samples,
        baseline=baseline,
        standings=_standings(samples.points, accuracy, relaxed),
        gates=_judged(samples.points, limits, deciding),
        limits=limits,
        accuracy=accuracy,
    )


def gates_of(deciding: Deciding, compared: bool) -> dict[str, Threshold]:
    """The default gates under the user's changes; those of a baseline only with one."""
    defaults = [
        (metric.name, metric.gate)
        for metric in METRICS
        if metric.gate is not None and (compared or metric not in COMPARED)
    ]
    return merge({}, [*defaults, *deciding.gates], METRICS, None)


def _accuracy(options: Options) -> dict[str, Threshold]:
    """The answers suite's gates, as far as a pick must meet them."""
    names = {metric.name for metric in ACCURACY}
    gates = merge({}, [*default_gates(False, "fail"), *options.gates], ANSWERS, options.k)
    return {name: limit for name, limit in gates.items() if name in names}


def _judged(
    points: Sequence[Point], limits: Mapping[str, Threshold], deciding: Deciding
) -> tuple[Judged, ...]:
    """Every gate of every point; a lone point needs no name."""
    if not points:
        # No request was made: nothing is slow, nothing is fast, and nothing can be said.
        nothing = {m.name: Measured(m, None, None, 0, None, False) for m in METRICS}
        gates = {name: limit for name, limit in limits.items() if name != P95_RELAXED.name}
        return judge(nothing, gates, questions=0)
    judged: tuple[Judged, ...] = ()
    for point in points:
        relaxed = point.rps >= RELAXED_FROM
        other = P95.name if relaxed else P95_RELAXED.name
        gates = {name: limit for name, limit in limits.items() if name != other}
        judged += judge(
            point.measured,
            gates,
            questions=point.questions,
            strict=deciding.strict,
            confidence=deciding.confidence,
            where=point.where if len(points) > 1 else "",
        )
    return judged


def _standings(
    points: Sequence[Point], accuracy: Mapping[str, Threshold], relaxed: Threshold
) -> dict[float, Standing]:
    loads = sorted({point.rps for point in points})
    return {
        load: stand([_choice(p) for p in points if p.rps == load], accuracy, relaxed)
        for load in loads
    }


def _choice(point: Point) -> Choice:
    accuracy = {metric.name: point.value(metric.name) or 0.0 for metric in ACCURACY}
    return Choice(point.config, point.value("p95") or 0.0, accuracy["precision"], accuracy)


def _keep_only(duck: Duck, only: str) -> None:
    known = [str(name) for (name,) in duck.query("select distinct config from trace order by 1")]
    if only not in known:
        raise ConfigError(f"--only: there is no configuration {only!r}{suggestion(only, known)}")
    duck.run("delete from trace where config <> $only", {"only": only})


def _must_be_known(duck: Duck, samples: tuple[Source, ...], options: Options) -> None:
    """Raises for every sample of a question that gold does not have."""
    unknown = duck.query("select distinct qid from trace where qid not in (select qid from gold)")
    if not unknown:
        return
    mapping = options.mapping_for(SAMPLE)
    found = places(duck, samples, mapping, [str(qid) for (qid,) in unknown])
    raise ContractError(
        sorted(
            Diagnostic(at.file, at.line, "qid", f"{shown(qid)} is not a question of the gold set")
            for qid, where in found.items()
            for at in where
        )
    )


def _sql(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
