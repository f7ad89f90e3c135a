"""How records of windows are judged: by the options of the file, and by its gold set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragstone.contracts.record import EVERY_KEY
from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck
from ragstone.gates.gate import Threshold
from ragstone.gates.judge import merge
from ragstone.measure.metric import Count, Mean, Metric, Ratio
from ragstone.scratch import keep
from ragstone.serve.live_metrics import AUDIT_METRICS
from ragstone.serve.minute_rows import Judging
from ragstone.suites.config_file import Config, options_of
from ragstone.suites.declaration import AnySuite, Arm, Work
from ragstone.suites.inputs import read_inputs
from ragstone.suites.options import Options
from ragstone.suites.registry import find_suite

AUDIT, ANSWERS = find_suite("audit"), find_suite("answers")
# A window holds what came: that nothing did is the rule on `traffic`.
_MISSING = "missing"
# Mappings and formats of the file are for other inputs than records.
_PLAIN: dict[str, Any] = {"map": {}, "from_": None, "ids": None}


def judging_by(config: Config, gold: Sequence[str], duck: Duck) -> Judging:
    """The judging, with the answers suite's metrics where there is a gold set.

    The gold set is read here, so that what is wrong with it is said at the start.
    """
    audit = plain_options(AUDIT, config)
    unwatched = _unwatched(config, AUDIT)
    # Records are looked at when they arrive, by what is allowed then.
    audit = replace(audit, allow_key=(EVERY_KEY,))
    if not gold:
        return Judging(audit, unwatched=unwatched)
    from ragstone.contracts.sources import find

    options = plain_options(ANSWERS, config, keep="all")
    sources = find(list(gold), "gold", duck.scratch)
    asked = _asked(duck, sources, options)
    options = replace(options, allow_key=(EVERY_KEY,))
    unwatched += _unwatched(config, ANSWERS)
    return Judging(audit, options, sources, asked, answers_metrics(options), unwatched)


def _unwatched(config: Config, suite: AnySuite) -> tuple[str, ...]:
    return tuple(f"{suite.name}.{name}" for name in gated_live(config, suite).others)


def answers_metrics(options: Options) -> tuple[Metric, ...]:
    """The answers suite's metrics that a window can measure, which is a sum over its rows.

    A statistic may need to know which question a row is of; an answer that did not come has no row.
    """
    return tuple(
        metric
        for metric in ANSWERS.metrics(options)
        if metric.over == "rows"
        and not metric.needs
        and metric.name != _MISSING
        and isinstance(metric, Ratio | Count | Mean)
    )


@dataclass(frozen=True, slots=True)
class GatedLive:
    """What the gates of a suite are to live windows: the metrics that they measure, with the gate
    of each that has one, and the names of the gates that only a run can judge."""

    metrics: Mapping[str, Threshold | None]
    others: tuple[str, ...]


def gated_live(config: Config, suite: AnySuite) -> GatedLive:
    """The gates in force of answers or of the audit, as far as windows can judge them."""
    more = {"keep": "all"} if suite is ANSWERS else {}
    options = plain_options(suite, config, **more)
    every = suite.metrics(options)
    words = [*suite.default_gates(every, options), *options.gates]
    gates = merge({}, words, every, getattr(options, "k", None))
    known = answers_metrics(options) if suite is ANSWERS else AUDIT_METRICS
    names = {metric.name for metric in known}
    whole = [name for name in gates if name not in names and name != _MISSING]
    parts = [
        f"{name}[{','.join(f'{field}={value}' for field, value in part.where)}]"
        for part in options.slices
        for name, _ in part.gates
    ]
    return GatedLive({metric.name: gates.get(metric.name) for metric in known}, (*whole, *parts))


def plain_options(suite: AnySuite, config: Config, **more: object) -> Options:
    """The options of a suite for records that are in the shape of the contract already."""
    given = options_of(suite, config, more)
    return replace(given, **_PLAIN)


def _asked(
    duck: Duck, sources: tuple[Source, ...], options: Options
) -> tuple[tuple[str, str], ...]:
    """Every question of the gold set with its qid; one that two items share names neither."""
    nothing = (Source("live", keep(duck.scratch, ())),)
    given = {"gold": sources, "trace": nothing}
    work: Work[Options] = Work(ANSWERS, duck, options, given, (Arm("", "trace_0", nothing),))
    (ANSWERS.read or read_inputs)(work)
    rows = duck.query(
        "select question, min(qid) from gold where question <> '' group by question "
        "having count(*) = 1 order by question"
    )
    return tuple((str(question), str(qid)) for question, qid in rows)
