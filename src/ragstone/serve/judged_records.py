"""How records of windows are judged: by the options of the file, and by its gold set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck
from ragstone.measure.metric import Count, Mean, Metric, Ratio
from ragstone.scratch import keep
from ragstone.serve.minute_rows import Judging
from ragstone.suites.config_file import Config, options_of
from ragstone.suites.declaration import AnySuite, Arm, Work
from ragstone.suites.inputs import read_inputs
from ragstone.suites.options import Options
from ragstone.suites.registry import find_suite

AUDIT, ANSWERS = find_suite("audit"), find_suite("answers")
# Mappings and formats of the file are for other inputs than records.
_PLAIN: dict[str, Any] = {"map": {}, "from_": None, "ids": None}


def judging_by(
    config: Config, gold: Sequence[str], duck: Duck
) -> tuple[Judging, tuple[Metric, ...]]:
    """The judging, and the answers suite's metrics where there is a gold set.

    The gold set is read here, so that what is wrong with it is said at the start.
    """
    audit = plain_options(AUDIT, config)
    if not gold:
        return Judging(audit), ()
    from ragstone.contracts.sources import find

    options = plain_options(ANSWERS, config, keep="all")
    sources = find(list(gold), "gold", duck.scratch)
    asked = _asked(duck, sources, options)
    metrics = tuple(
        metric
        for metric in ANSWERS.metrics(options)
        # What is a sum over rows: a statistic may need to know which question a row is of.
        if metric.over == "rows" and not metric.needs and isinstance(metric, Ratio | Count | Mean)
    )
    return Judging(audit, options, sources, asked), metrics


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
