"""Is this index fit for use? One log, its gates and the decision.

`evaluate` is the whole of `ragstone retrieval`; the canary compares two logs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ragstone.engine.content_hash import content_sum
from ragstone.engine.duck import Duck
from ragstone.gates.gate import Judged, Status
from ragstone.gates.judge import Gates, judge, merge
from ragstone.measure.metric import Measured, Metric
from ragstone.suites.answers import slices
from ragstone.suites.retrieval.metrics import (
    BY_ANSWERS,
    BY_DELTA_S,
    BY_SPANS,
    INDEX_GATES,
    LAMBDA_CONVERGENCE,
    METRICS,
)
from ragstone.suites.retrieval.options import Options
from ragstone.suites.retrieval.read import Files, read
from ragstone.suites.retrieval.side import (
    PARAPHRASES,
    SEEDS,
    Side,
    known_only,
    measured_in,
    score_side,
    types,
)

LOG = "log"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Every number of `ragstone retrieval`, before it is rendered."""

    options: Options
    gold: int
    gold_hash: str
    manifest: int
    manifest_hash: str | None
    side: Side
    gates: tuple[Judged, ...]
    dropped: tuple[str, ...]


def evaluate(duck: Duck, files: Files, options: Options) -> Evaluation:
    """Reads, checks and scores one log."""
    merge({}, [*INDEX_GATES, *options.gates], METRICS, None)
    lines = read(duck, files, options)
    types(duck, (LOG,))
    side = score_side(duck, LOG, lines[LOG], options)
    gates, dropped = gates_for(INDEX_GATES, METRICS, options, (side,))
    judged = judged_with_notes(side.measured, gates, lines["gold"], options, side)
    judged += slice_gates(duck, side, METRICS, options)
    return Evaluation(
        options,
        lines["gold"],
        gold_hash(duck),
        lines["manifest"],
        manifest_hash(duck),
        side,
        judged,
        dropped,
    )


def gates_for(
    defaults: Sequence[tuple[str, str]],
    metrics: Sequence[Metric],
    options: Options,
    sides: Sequence[Side],
) -> tuple[Gates, tuple[str, ...]]:
    """The gates in force and why some are not: what cannot be gated, and what the user set."""
    chosen = list(defaults)
    dropped: list[str] = []
    if options.index_only:
        chosen = [pair for pair in chosen if pair[0] not in BY_ANSWERS]
        dropped.append("--index-only: coverage and citation_accuracy are not gated")
    found = sides[-1].delta_s
    if found.source == "computed" and not found.calibrated:
        chosen = [pair for pair in chosen if pair[0] not in BY_DELTA_S]
        dropped.append(
            f"ΔS was computed by {found.embedder} and is not calibrated: shown, not gated "
            "(`ragstone retrieval calibrate` learns the line)"
        )
    elif found.calibrated:
        chosen = [(name, _scaled(name, limit, found.scale)) for name, limit in chosen]
    return merge({}, [*chosen, *options.gates], metrics, None), tuple(dropped)


def _scaled(name: str, limit: str, scale: float) -> str:
    if name not in ("delta_s_median", "delta_s_p90"):
        return limit
    op, number = limit.split()
    return f"{op} {float(number) * scale!r}"


def judged_with_notes(
    measured: Mapping[str, Measured],
    gates: Gates,
    questions: int,
    options: Options,
    side: Side,
    where: str = "",
) -> tuple[Judged, ...]:
    """Every gate with its verdict, and why where it could not be measured."""
    shown = dict(measured)
    if not side.lambdas.complete:
        shown[LAMBDA_CONVERGENCE.name] = replace(
            shown[LAMBDA_CONVERGENCE.name], value=None, interval=None
        )
    judged = judge(
        shown,
        gates,
        questions=questions,
        strict=options.strict,
        confidence=options.confidence,
        where=where,
    )
    return tuple(
        replace(gate, note=_why(gate.metric, side)) if gate.status is Status.UNMEASURABLE else gate
        for gate in judged
    )


def slice_gates(
    duck: Duck, side: Side, metrics: Sequence[Metric], options: Options
) -> tuple[Judged, ...]:
    """The gates that ragstone.toml sets for a part of the gold set."""
    judged: tuple[Judged, ...] = ()
    for part in options.slices:
        limits = merge({}, part.gates, metrics, None)
        rows = slices.part(duck, part.where, options.slice_fields, f"rows_{side.name}")
        triplets = (
            f"(select * from triplets_{side.name} where gold_row in (select gold_row from {rows}))"
        )
        found = measured_in(duck, options, rows, triplets)
        judged += judged_with_notes(
            known_only(found, side.hidden),
            limits,
            slices.questions(duck, rows),
            options,
            side,
            where=slices.name_of(part.where),
        )
    return judged


def _why(metric: str, side: Side) -> str:
    if metric in BY_ANSWERS and not side.answers:
        return "the log holds no answer_citations; --index-only drops this gate"
    if metric in BY_SPANS:
        return "no gold span to check citations against: give relevant_offsets, or --manifest"
    if metric in BY_DELTA_S:
        return "no ΔS: the log has none, and there are no texts to compute it from"
    if metric == LAMBDA_CONVERGENCE.name:
        return f"needs at least {PARAPHRASES} paraphrases × {SEEDS} seeds of a question"
    return "could not be computed"


def gold_hash(duck: Duck) -> str:
    stored = ("qid", "paraphrases", "relevant", "first_relevant", "anchor", "negatives", "spans")
    return content_sum(duck, "gold", ", ".join((*stored, "slices"))).finish()


def manifest_hash(duck: Duck) -> str | None:
    if not duck.one("select count(*) + (select count(*) from texts) from manifest")[0]:
        return None
    return content_sum(
        duck,
        "(select manifest.* exclude (text), texts.text from manifest full join texts using (id))",
        "id, section, b, e, type, hash, text",
    ).finish()
