"""Say what a metric means, what it is computed over, and when it passes."""

from __future__ import annotations

import argparse

from ragstone.cli.common import as_json, say
from ragstone.cli.flags import add_json, flag
from ragstone.contracts.plain_numbers import whole_number
from ragstone.gates.judge import resolve
from ragstone.measure.metric import Change, Count, Mean, Metric, Quantile, Ratio, Statistic, as_dict
from ragstone.suites.registry import suites


def metrics_by_suite() -> dict[str, tuple[Metric, ...]]:
    """Every metric of every suite, as its default options have it."""
    return {suite.name: suite.metrics(suite.options()) for suite in suites()}


def configure(parser: argparse.ArgumentParser) -> None:
    flag(parser, "METRIC", "its name, or SUITE.NAME", nargs="?")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    if arguments.metric is None:
        every = [declared(name, each) for name, some in metrics_by_suite().items() for each in some]
        say(as_json({"metrics": every}) if arguments.json else listing())
        return 0
    found = find(arguments.metric)
    if arguments.json:
        others = [f"{owner}.{metric.name}" for owner, metric in found[1:]]
        say(as_json({**declared(*found[0]), "also": others}))
    else:
        say("\n\n".join(explanation(suite, metric) for suite, metric in found))
    return 0


def declared(suite: str, metric: Metric) -> dict[str, object]:
    return {"suite": suite, "kind": type(metric).__name__, **as_dict(metric)}


def find(name: str) -> list[tuple[str, Metric]]:
    """The metrics behind `precision`, `under`, `recall@5` or `context.mrr`; several suites may
    have one of that name."""
    every = metrics_by_suite()
    suite, dot, rest = name.partition(".")
    known = dot and suite in every
    chosen = {suite: every[suite]} if known else every
    wanted = rest if known else name
    found = [
        (owner, metric)
        for owner, metrics in chosen.items()
        for metric in metrics
        if wanted in (metric.name, *metric.aliases)
    ]
    if found:
        return found
    k = whole_number(wanted.partition("@")[2])
    metric = resolve(wanted, [each for group in chosen.values() for each in group], k)
    return [(owner, metric) for owner, group in chosen.items() if metric in group]


def listing() -> str:
    every = metrics_by_suite()
    width = max(len(metric.name) for metrics in every.values() for metric in metrics)
    lines = []
    for suite, metrics in every.items():
        lines.append(f"{suite}:")
        lines += [f"  {metric.name:<{width}}  {metric.says}" for metric in metrics]
    return "\n".join(lines)


def explanation(suite: str, metric: Metric) -> str:
    """Everything the declaration says, a line each."""
    rows = [("metric", f"{suite}.{metric.name}"), ("meaning", metric.says)]
    shares = isinstance(metric, Mean) and metric.share
    kind = "a mean of shares, with a Wilson interval" if shares else KINDS[type(metric)]
    rows += [("kind", kind), ("over", f"{metric.over} that are {metric.of}")]
    match metric:
        case Ratio() | Count():
            rows.append(("counts", f"{metric.over} that are {metric.hit}"))
        case Mean() | Quantile():
            rows.append(("of", metric.value))
        case Statistic():
            rows.append(("how", metric.how))
        case Change():
            rows.append(("how", CHANGES[metric.how].format(metric.metric)))
    if metric.tested != "true":
        rows.append(("tested on", f"{metric.over} that are {metric.tested}"))
    if isinstance(metric, Quantile | Statistic | Change):
        rows.append(("when empty", "unmeasurable"))
    else:
        rows.append(("when empty", f"{metric.empty:g}, marked vacuous"))
        rows.append(("offenders", f"{metric.over} that are {metric.offenders}"))
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
    Statistic: "a number over the whole set, with an interval of its own",
    Change: "a comparison with the baseline",
}

CHANGES = {
    "difference": "{0} minus the baseline's {0}",
    "drop": "the baseline's {0} minus {0}",
    "ratio": "{0} / the baseline's {0}",
}
