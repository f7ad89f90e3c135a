"""How records of windows are judged: by the options of the file, and by its gold set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragstone.contracts.record import EVERY_KEY
from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck
from ragstone.gates.gate import Threshold
from ragstone.gates.judge import OFF, merge, resolve
from ragstone.measure.metric import Metric
from ragstone.scratch import keep
from ragstone.serve.live_metrics import AUDIT_METRICS, why_not_live
from ragstone.serve.minute_rows import Judging, Unwatched
from ragstone.suites.config_file import Config, options_of
from ragstone.suites.declaration import AnySuite, Arm, Work
from ragstone.suites.inputs import read_inputs
from ragstone.suites.options import Options
from ragstone.suites.registry import command_of, find_suite, tables
from ragstone.suites.settings_tables import gates_from_table, table_of

AUDIT, ANSWERS = find_suite("audit"), find_suite("answers")
# Mappings and formats of the file are for other inputs than records.
_PLAIN: dict[str, Any] = {"map": {}, "from_": None, "ids": None}


def judging_by(config: Config, gold: Sequence[str], duck: Duck) -> Judging:
    """The judging, with the answers suite's metrics where there is a gold set.

    The gold set is read here, so that what is wrong with it is said at the start.
    """
    audit = plain_options(AUDIT, config)
    unwatched = (*_unwatched(config, AUDIT), *_of_other_suites(config))
    # Records are looked at when they arrive, by what is allowed then.
    audit = replace(audit, allow_key=(EVERY_KEY,))
    if not gold:
        return Judging(audit, unwatched=(*unwatched, *_without_gold(config)))
    from ragstone.contracts.sources import find

    options = plain_options(ANSWERS, config, keep="all")
    sources = find(list(gold), "gold", duck.scratch)
    asked = _asked(duck, sources, options)
    options = replace(options, allow_key=(EVERY_KEY,))
    unwatched += _unwatched(config, ANSWERS)
    return Judging(audit, options, sources, asked, answers_metrics(options), unwatched)


def _unwatched(config: Config, suite: AnySuite) -> tuple[Unwatched, ...]:
    live = gated_live(config, suite)
    return tuple(
        Unwatched(f"{suite.name}.{name}", why, name in live.required)
        for name, why in live.unwatched.items()
    )


def _without_gold(config: Config) -> Iterator[Unwatched]:
    """The gates on answers that the user wrote, where there is nothing to judge answers by."""
    live = gated_live(config, ANSWERS)
    for name in live.required:
        yield Unwatched(f"{ANSWERS.name}.{name}", "there is no gold set: give --gold", True)


def _of_other_suites(config: Config) -> Iterator[Unwatched]:
    """The gates of the file that are on other inputs than records."""
    for name in (name for name in tables() if name not in (ANSWERS.name, AUDIT.name)):
        table = table_of(config.whole.get(name, {}), name)
        for gate, limit in gates_from_table(table.get("gates", {}), f"{name}.gates"):
            if limit != OFF:
                yield Unwatched(f"{name}.{gate}", f"`ragstone {command_of(name)}` does", False)


def answers_metrics(options: Options) -> tuple[Metric, ...]:
    """The answers suite's metrics that a window can measure."""
    return tuple(metric for metric in ANSWERS.metrics(options) if not why_not_live(metric))


@dataclass(frozen=True, slots=True)
class GatedLive:
    """What the gates of a suite are to live windows.

    `metrics` are those that they measure, with the gate of each that has one; `unwatched` are the
    gates that only a run can judge, and why. What the user gated is `required`, unless
    `[serve.alerts]` switches it off.
    """

    metrics: Mapping[str, Threshold | None]
    unwatched: Mapping[str, str]
    required: tuple[str, ...]


def gated_live(config: Config, suite: AnySuite) -> GatedLive:
    """The gates in force of answers or of the audit, as far as windows can judge them."""
    more = {"keep": "all"} if suite is ANSWERS else {}
    options = plain_options(suite, config, **more)
    every = suite.metrics(options)
    words = [*suite.default_gates(every, options), *options.gates]
    gates = merge({}, words, every, getattr(options, "k", None))
    known = answers_metrics(options) if suite is ANSWERS else AUDIT_METRICS
    watched = {metric.name: gates.get(metric.name) for metric in known}
    parts = [
        f"{name}[{','.join(f'{field}={value}' for field, value in part.where)}]"
        for part in options.slices
        for name, _ in part.gates
    ]
    unwatched = {
        **{each.name: why_not_live(each) for each in every if each.name in {*gates} - {*watched}},
        **dict.fromkeys(parts, "windows have no slices"),
    }
    written = {resolve(name, every, getattr(options, "k", None)).name for name, _ in options.gates}
    alerts = table_of(config.whole.get("serve", {}), "serve").get("alerts", {})
    own = table_of(table_of(alerts, "serve.alerts").get(suite.name, {}), "serve.alerts")
    required = (*(name for name in gates if name in written), *parts)
    return GatedLive(watched, unwatched, tuple(name for name in required if own.get(name) != OFF))


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
