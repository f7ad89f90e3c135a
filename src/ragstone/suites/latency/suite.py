"""Speed against accuracy: every configuration under every load, on its own, never pooled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ragstone.contracts.records.trace_records import SAMPLE
from ragstone.engine.duck import quoted
from ragstone.engine.fold import WHITE_SPACE
from ragstone.errors import ConfigError
from ragstone.gates.gate import Judged
from ragstone.gates.judge import Gates, suggestion
from ragstone.gates.main_question import MainQuestion, Measures, Settings
from ragstone.progress import doing
from ragstone.report.document.blocks import Json
from ragstone.suites.answers.metrics import PRECISION
from ragstone.suites.answers.refusal_proposal import Where, gather_claims, propose_refusals
from ragstone.suites.answers.repeat_metrics import right
from ragstone.suites.answers.suite import CHECKS, GOLD_SET, STEPS
from ragstone.suites.answers.verdicts import prepare, verdict_rows
from ragstone.suites.arm_gates import judge_numbers
from ragstone.suites.declaration import Arm, Check, Input, Numbers, Suite, Work
from ragstone.suites.inputs import read_inputs
from ragstone.suites.latency import shows
from ragstone.suites.latency.frontier import RELAXED, Choice, stand
from ragstone.suites.latency.metrics import (
    ACCURACY,
    ERRORS,
    METRICS,
    P50,
    P90,
    P95,
    P95_RELAXED,
    P99,
    REFUSALS,
    RELAXED_FROM,
)
from ragstone.suites.latency.options import LatencyOptions
from ragstone.suites.latency.points import Point, points_in
from ragstone.suites.latency.spread import by_questions


def read(work: Work[LatencyOptions]) -> None:
    """Gold, samples and the baseline's; every point of them is an arm."""
    duck = work.duck
    duck.set(spaces=f"[{WHITE_SPACE}]+")
    read_inputs(work)
    if work.options.only is not None:
        _keep_only(work, work.options.only)
    prepare(duck, work.options.judging)
    points: dict[str, Point] = {}
    arms: list[Arm] = []
    for table in ("samples", "baseline"):
        if work.sources.get(table):
            with doing("judging", work.lines[table] or 1, "rows", duck.share):
                # What ended in an error has no answer, whatever came with it.
                duck.run(f"update {table} set claim = null, flag = null where failed")
                verdict_rows(duck, table, work.options.judging, into=f"judged_{table}")
            if table == "samples":
                own = Arm("", table)
                gather_claims(work, own, Where("judged_samples"))
                propose_refusals(work, own)
            for point in points_in(duck, table):
                points[point.name] = point
                arms.append(Arm(point.name, table, work.sources[table], point.baseline))
    work.notes["points"] = points
    # Without a sample there is one arm without rows, of which nothing can be measured.
    if all(arm.reference for arm in arms):
        arms.insert(0, Arm("", "samples", work.sources["samples"]))
    work.arms = tuple(arms)


def _keep_only(work: Work[LatencyOptions], only: str) -> None:
    known = work.duck.texts("select distinct config from samples order by config")
    if only not in known:
        raise ConfigError(f"--only: there is no configuration {only!r}{suggestion(only, known)}")
    work.duck.run("delete from samples where config <> $only", {"only": only})


def rows(work: Work[LatencyOptions], arm: Arm) -> None:
    """One row per request of the point."""
    point = work.notes["points"].get(arm.name, Point(config="", rps=0.0))
    select = work.sql(
        "rows.sql",
        arm=quoted(arm.name),
        table=arm.table,
        config=quoted(point.config),
        rps=f"{point.rps!r}::double",
    )
    work.duck.fill("rows", select)


def known(work: Work[LatencyOptions], arm: str, numbers: Numbers) -> Numbers:
    """The relaxed limit is one of high loads; where no request was made, there is no number."""
    point = work.notes["points"].get(arm)
    if point is None:
        numbers = {
            name: replace(found, value=None, vacuous=False) for name, found in numbers.items()
        }
    if point is None or point.rps < RELAXED_FROM:
        numbers.pop(P95_RELAXED.name, None)
    return numbers


def first(work: Work[LatencyOptions], measured: Mapping[str, Numbers]) -> str:
    """The interactive pick under the heaviest load."""
    points = [point for point in work.notes["points"].values() if not point.baseline]
    choices: dict[float, list[Choice]] = {}
    for point in sorted(points, key=lambda point: point.rps):
        numbers = measured[point.name]
        shares = {metric.name: numbers[metric.name].value or 0.0 for metric in ACCURACY}
        p95, unfit = numbers[P95.name].value or 0.0, _unfit(numbers, work.options.limits)
        choices.setdefault(point.rps, []).append(
            Choice(point.config, p95, shares["precision"], shares, unfit)
        )
    relaxed, accuracy = work.options.limits.get(P95_RELAXED.name, RELAXED), work.options.accuracy
    standings = {load: stand(some, accuracy, relaxed) for load, some in choices.items()}
    work.notes["standings"] = standings
    if not standings:
        return ""
    load, standing = list(standings.items())[-1]
    fastest = min(choices[load], key=lambda choice: (choice.p95, choice.config)).config
    shown = standing.interactive or next(iter(standing.frontier), fastest)
    return Point(config=shown, rps=load).name


def _unfit(numbers: Numbers, limits: Gates) -> str:
    """Why a configuration is never picked: it fails more than the gate allows, or ships nothing."""
    errors, limit = numbers[ERRORS.name], limits.get(ERRORS.name)
    if limit is not None and errors.value is not None and not limit.holds(errors.value):
        return f"{errors.numerator:,} of {errors.denominator:,} requests failed"
    return "" if numbers[PRECISION.name].denominator else "ships no answer"


def judge(
    work: Work[LatencyOptions], arm: str, numbers: Numbers, gates: Gates, where: str
) -> tuple[Judged, ...]:
    """Under a high load the relaxed limit on p95 takes the place of the other one."""
    if P95_RELAXED.name in numbers:
        gates = {name: limit for name, limit in gates.items() if name != P95.name}
    return judge_numbers(work, arm, numbers, gates, where)


def _on_main(numbers: Measures, settings: Settings) -> tuple[str, ...]:
    """A percentile, where any request was answered: how soon nothing comes is no answer."""
    errors, shipped, refused = (
        numbers.get(metric.name) for metric in (ERRORS, PRECISION, REFUSALS)
    )
    if errors is None or shipped is None or refused is None:
        return ()
    answered = shipped.denominator + (refused.numerator or 0)
    if not answered or errors.numerator == errors.denominator:
        return ()
    return tuple(metric.name for metric in (P50, P90, P95, P99, P95_RELAXED))


def counterpart(work: Work[LatencyOptions], arm: str) -> str | None:
    """The baseline's point for one: the same configuration under the same load.

    A baseline of one configuration serves all.
    """
    point = work.notes["points"].get(arm)
    others = [other for other in work.notes["points"].values() if other.baseline]
    lone = len({other.config for other in others}) == 1
    for other in others if point else ():
        if other.rps == point.rps and (lone or other.config == point.config):
            return str(other.name)
    return None


def came_in(work: Work[LatencyOptions]) -> dict[str, Json]:
    gold: dict[str, Json] = {"gold": work.lines["gold"], "gold_hash": work.sums["gold"].finish()}
    both: list[dict[str, Json]] = [
        {**gold, "samples": work.lines[table], "samples_hash": work.sums[table].finish()}
        for table in ("samples", "baseline")
        if table in work.sums
    ]
    return {**both[0], "baseline": both[1]} if len(both) > 1 else both[0]


SAMPLES = Input(
    name="samples",
    record=SAMPLE,
    says="the samples: files, globs, or -",
    select=("answers/trace.sql", "sample.sql"),
    many=True,
    unknown="error",
    answer_key=("qid", "config", "knobs", "rps"),
)
LATENCY = Suite(
    name="latency",
    package="ragstone.suites.latency",
    options=LatencyOptions,
    inputs=(
        replace(GOLD_SET, says="the gold set", select=("answers/gold.sql", "length.sql")),
        SAMPLES,
        replace(
            SAMPLES,
            name="baseline",
            says="what to compare with: samples, or an earlier run: its rows (.parquet) or its "
            "report (.json)",
            required=False,
        ),
    ),
    main=MainQuestion(
        "how long an answer takes", "p95=2000", "give samples of answered requests", _on_main
    ),
    metrics=lambda options: METRICS,
    read=read,
    rows=rows,
    intervals=by_questions,
    known=known,
    first=first,
    judge=judge,
    counterpart=counterpart,
    # Requests of one question rise and fall together.
    cluster=lambda options: "qid",
    came_in=came_in,
    checks={"failed": Check("failed", "failed", "the request failed"), **CHECKS},
    right=lambda options: f"not failed and {right(PRECISION)}",
    steps={"no error": "not failed", **STEPS},
    row_order=("qid", "latency_ms", "trace_row"),
    told=(),
    offender="answers/offender.sql",
    arm_word="",
    row_word="requests",
    # A question has many requests, and a report knows a row by its question: it points to gold.
    answered_in="",
    asks="question",
    slice_columns=("p50", "p95", "p99", "errors", "precision", "chr", "refusals"),
    facts=shows.facts,
    figures=shows.figures,
    data=shows.data,
    shows=shows.blocks,
    warns=shows.warnings,
)
