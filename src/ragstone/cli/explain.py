"""Say what a metric means, what it is computed over, and when it passes."""

from __future__ import annotations

import argparse
import dataclasses

from ragstone.cli.common import add_everywhere, as_json, say
from ragstone.gates.judge import resolve
from ragstone.measure.metric import Count, Mean, Metric, Quantile, Ratio, Statistic
from ragstone.suites.agreement.metrics import METRICS as AGREEMENT
from ragstone.suites.answers.metrics import METRICS
from ragstone.suites.context.metrics import METRICS as CONTEXT
from ragstone.suites.latency.metrics import METRICS as LATENCY
from ragstone.suites.retrieval.metrics import DELTA_R
from ragstone.suites.retrieval.metrics import METRICS as RETRIEVAL
from ragstone.suites.stability.metrics import METRICS as STABILITY

EXAMPLE = """\
examples:
  ragstone explain precision
  ragstone explain            (lists every metric)
"""

SUITES: dict[str, tuple[Metric, ...]] = {
    "answers": METRICS,
    "retrieval": (*RETRIEVAL, DELTA_R),
    "context": CONTEXT,
    "latency": LATENCY,
    "agreement": AGREEMENT,
    "stability": STABILITY,
}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("metric", metavar="METRIC", nargs="?", help="its name, or SUITE.NAME")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    add_everywhere(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.metric is None:
        every = [declared(suite, metric) for suite, metrics in SUITES.items() for metric in metrics]
        say(as_json({"metrics": every}) if arguments.json else listing())
        return 0
    suite, metric = find(arguments.metric)
    say(as_json(declared(suite, metric)) if arguments.json else explanation(suite, metric))
    return 0


def declared(suite: str, metric: Metric) -> dict[str, object]:
    return {"suite": suite, "kind": type(metric).__name__, **dataclasses.asdict(metric)}


def find(name: str) -> tuple[str, Metric]:
    """The metric behind `precision`, `under`, `recall@5` or `answers.precision`."""
    suite, dot, rest = name.partition(".")
    chosen = {suite: SUITES[suite]} if dot and suite in SUITES else SUITES
    wanted = rest if dot and suite in SUITES else name
    number = wanted.partition("@")[2]
    k = int(number) if number.isdecimal() else None
    for owner, metrics in chosen.items():
        for metric in metrics:
            if wanted in (metric.name, *metric.aliases):
                return owner, metric
    metrics = tuple(metric for group in chosen.values() for metric in group)
    found = resolve(wanted, metrics, k)
    return next(owner for owner, group in chosen.items() if found in group), found


def listing() -> str:
    width = max(len(metric.name) for metrics in SUITES.values() for metric in metrics)
    lines = []
    for suite, metrics in SUITES.items():
        lines.append(f"{suite}:")
        lines += [f"  {metric.name:<{width}}  {metric.says}" for metric in metrics]
    return "\n".join(lines)


def explanation(suite: str, metric: Metric) -> str:
    """Everything the declaration says, a line each."""
    rows = [("metric", f"{suite}.{metric.name}"), ("meaning", metric.says)]
    rows += [("kind", KINDS[type(metric)]), ("over", f"rows that are {metric.of}")]
    match metric:
        case Ratio() | Count():
            rows.append(("counts", f"rows that are {metric.hit}"))
        case Mean() | Quantile():
            rows.append(("of", metric.value))
        case Statistic():
            rows.append(("how", metric.how))
    if isinstance(metric, Quantile | Statistic):
        rows.append(("when empty", "unmeasurable"))
    else:
        rows.append(("when empty", f"{metric.empty:g}, marked vacuous"))
        rows.append(("offenders", f"rows that are {metric.offenders}"))
    rows.append(("better", metric.better))
    rows.append(("default gate", metric.gate or "none"))
    if metric.aliases:
        rows.append(("also called", ", ".join(metric.aliases)))
    return "\n".join(f"{name + ':':<13} {text}" for name, text in rows)


KINDS: dict[type[Metric], str] = {
    Ratio: "a ratio, with a Wilson interval",
    Count: "a count; sampling cannot prove it",
    Mean: "a mean, with a Student t interval",
    Quantile: "a quantile by linear interpolation, with an order-statistics interval",
    Statistic: "a number over the whole set, with a bootstrap interval",
}
