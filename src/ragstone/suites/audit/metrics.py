"""The audit suite's metrics: what can be said of traces without gold."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

from ragstone.engine.duck import real
from ragstone.measure.interval import clustered_mean_interval, exact_mean, mean_interval
from ragstone.measure.metric import (
    Bounds,
    Computed,
    Counted,
    Mean,
    Metric,
    Quantile,
    Ratio,
    Statistic,
    by_question,
    must_be_within,
)
from ragstone.suites.support.support_metrics import SUPPORT_METRICS


def _mean_cost(counted: Counted, level: float, bounds: Bounds | None = None) -> Computed:
    alone, several = by_question(counted)
    each: Counter[float] = Counter()
    for some in (alone, *several):
        for (cost,), count in some.items():
            each[real(cost)] += count
    costs = sorted(each.items())
    if not costs:
        return None, None
    must_be_within("cost", costs, bounds)
    # The true mean is not below the least cost that there can be.
    bounds, mean = bounds or (min(0.0, costs[0][0]), math.inf), exact_mean(costs)
    if not several:
        return mean, mean_interval(costs, level, bounds)
    questions = [[real(cost)] for (cost,) in alone]
    questions += [[real(cost) for (cost,), n in some.items() for _ in range(n)] for some in several]
    times = [*alone.values(), *(1 for _ in several)]
    return mean, clustered_mean_interval(questions, mean, level, bounds, times)


def _latency(name: str, q: float) -> Quantile:
    return Quantile(
        name=name,
        title=f"{100 * q:g} % of the traces took at most",
        of="latency_ms is not null",
        value="latency_ms",
        q=q,
        better="lower",
        says=f"The time that {100 * q:g} % of the traces that say how long they took stay within.",
        aliases=(f"latency_{name}",),
        unit="ms",
    )


EMPTY = Ratio(
    name="empty",
    title="answers with nothing in them",
    hit="empty",
    better="lower",
    says="Of all traces, how many have no claim, or nothing visible in it.",
)
UNSCOPED = Ratio(
    name="unscoped",
    title="cites what was not retrieved",
    of="shipped and cited",
    hit="not scoped",
    better="lower",
    untested="no shipped answer cites anything",
    says="Of the shipped answers that cite something, how many cite what was not retrieved.",
)
INCONSISTENT = Ratio(
    name="inconsistent",
    title="same question, different answers",
    hit="inconsistent",
    better="lower",
    over="questions",
    costs="(arm, trace_row) in (select (arm, unnest(asked)) from questions where inconsistent)",
    untested="no question was asked more than once",
    says="Of the questions that were asked more than once, how many got answers that differ in "
    "refusal or in their numbers.",
)


METRICS: tuple[Metric, ...] = (
    EMPTY,
    replace(
        EMPTY,
        name="refused",
        title="refused, rightly or not",
        hit="refused",
        says="Of all traces, how many refuse.",
    ),
    replace(
        EMPTY,
        name="near_refused",
        title="reads like a refusal, counts as an answer",
        hit="near_refused",
        says="Of all traces, how many would be a refusal for a language pack, or hold a refusal "
        "token, and are none by the rules in force.",
    ),
    Ratio(
        name="answer_rate",
        title="answered, rightly or not",
        hit="shipped",
        says="Of all traces, how many ship an answer.",
    ),
    UNSCOPED,
    Mean(
        name="uncited",
        title="cites nothing",
        of="shipped",
        value="uncited",
        better="lower",
        best=0.0,
        untested="no answer was shipped",
        says="Of the shipped answers, how many cite nothing; of one that is given sentence by "
        "sentence, the share of its sentences that cite nothing.",
    ),
    *SUPPORT_METRICS,
    INCONSISTENT,
    Ratio(
        name="no_echo",
        title="does not repeat its constraints",
        of="constrained",
        hit="not echoed",
        better="lower",
        untested="no trace carries constraints",
        says="Of the traces that carry constraints, how many do not echo them as they are, or "
        "contradict one.",
    ),
    _latency("p50", 0.5),
    _latency("p95", 0.95),
    _latency("p99", 0.99),
    Statistic(
        name="cost",
        title="mean cost of a trace",
        of="cost_usd is not null",
        how="the mean of cost_usd",
        columns=("cost_usd",),
        by_question=True,
        compute=_mean_cost,
        better="lower",
        says="What a trace costs, on average over those that say it.",
        unit="USD",
        mean=True,
    ),
)
