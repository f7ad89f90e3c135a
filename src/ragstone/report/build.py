"""From a suite's outcome to its report, and from several reports to that of `ragstone gate`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any

from ragstone._version import __version__
from ragstone.errors import ConfigError
from ragstone.gates.gate import Judged, Status
from ragstone.progress import counting, doing
from ragstone.report.document.blocks import Block, Json, Offender
from ragstone.report.document.figures import numbers_json
from ragstone.report.document.question_list import fitted
from ragstone.report.formats.json_text import plain, to_object
from ragstone.report.model import Report
from ragstone.report.waived_list import waived_of
from ragstone.report.words import value_and_share
from ragstone.suites.declaration import Numbers, Outcome
from ragstone.suites.standard_blocks import (
    arms_blocks,
    findings_block,
    offenders_block,
    slice_tables,
)
from ragstone.suites.waived_questions import as_json, unknown_said, waived_blocks


def build(outcome: Outcome[Any]) -> Report:
    """Everything a renderer needs, in one object."""
    rows = len(outcome.offenders.rows) or 1
    with doing("making the report", rows, "rows", step="making"):
        return _built(outcome)


def _built(outcome: Outcome[Any]) -> Report:
    suite = outcome.suite
    report = Report(
        suite=suite.name,
        version=__version__,
        figures=suite.figures(outcome) if suite.figures else _figures(outcome.first),
        metrics=outcome.first,
        gates=outcome.gates,
        lacks={suite.name: outcome.lacks} if outcome.lacks else {},
        digest=outcome.digest,
        settings=_settings(outcome),
        data=_data(outcome),
        blocks=(*waived_blocks(outcome.waived), *_blocks(outcome)),
        warnings=outcome.warnings,
        offending=outcome.offending,
        verdicts=suite.verdicts,
        answered_in=suite.answered_in,
        notice=outcome.notice,
        unfrozen=outcome.unfrozen,
        questions=() if outcome.questions is None else (outcome.questions,),
    )
    report = _with_waived(report, outcome.gates_on_all)
    if outcome.options.report_texts != "all":
        from ragstone.report.private_texts import with_texts

        report = with_texts(report, outcome.options.report_texts)
    return replace(report, questions=fitted(report.questions))


def _with_waived(report: Report, on_all: Sequence[Judged]) -> Report:
    """The report in which gates judged without waived questions have the number with them, too."""
    whole = {gate.name: gate for gate in on_all}
    gates = tuple(
        replace(each, with_waived=value_and_share(report, whole[each.name]))
        if each.waived
        else each
        for each in report.gates
    )
    return replace(report, gates=gates)


def _settings(outcome: Outcome[Any]) -> dict[str, Json]:
    """The effective configuration, with the baseline in force where arms are compared."""
    found: dict[str, Any] = outcome.settings
    if outcome.several and "baseline" in found:
        found["baseline"] = outcome.baseline
    return {**found, **(outcome.suite.settings(outcome) if outcome.suite.settings else {})}


def _figures(numbers: Numbers) -> dict[str, float | int | None]:
    return {name: found.value for name, found in numbers.items()}


def _data(outcome: Outcome[Any]) -> dict[str, Json]:
    own = outcome.suite.data(outcome) if outcome.suite.data else {}
    standard: dict[str, Json] = {
        "reading": [plain(asdict(each)) for each in outcome.findings],
        "offenders": [_offender(row) for row in counting(outcome.offenders.rows, "", "rows")],
        "offenders_total": outcome.offenders.total,
        "slices": _slices(outcome),
        **_slices_left_out(outcome),
        **_waived(outcome),
        # Where arms have no word of their own, the suite shows them itself.
        **(_arms(outcome) if outcome.several and outcome.suite.arm_word else {}),
    }
    # What the suite says itself comes first, and is not said again.
    added = {name: value for name, value in standard.items() if name not in own}
    return {"inputs": dict(outcome.inputs), **own, **added}


def _offender(row: Offender) -> Json:
    # `asdict` copies every text, which takes longer than writing it.
    names = [name for name in Offender.__slots__ if name not in ("chunks", "before")]
    # Gold that is phrases alone has no rules to tell of.
    names = [name for name in names if name != "accepted_by" or row.accepted_by]
    return plain({name: getattr(row, name) for name in names})


def _slices(outcome: Outcome[Any]) -> dict[str, Json]:
    """From field to value to the numbers; with several arms, from field to arm to value."""
    by_arm: dict[str, Any] = {
        field: {
            arm: {value: numbers_json(numbers) for value, numbers in values.items()}
            for arm, values in arms.items()
        }
        for field, arms in outcome.slices.items()
    }
    if outcome.several:
        return by_arm
    return {field: arms[outcome.shown] for field, arms in by_arm.items()}


def _slices_left_out(outcome: Outcome[Any]) -> dict[str, Json]:
    """From field to the number of values that `slices` does not have, where there are any."""
    left_out = {name: plain(rest._asdict()) for name, rest in outcome.slices_left_out.items()}
    return {"slices_left_out": left_out} if left_out else {}


def _waived(outcome: Outcome[Any]) -> dict[str, Json]:
    """Every waiver; and where one is in force, the numbers that the gates were judged on."""
    found: dict[str, Json] = {"waived": as_json(outcome.waived)} if outcome.waived else {}
    return {**found, **_gated(outcome, outcome.shown)}


def _gated(outcome: Outcome[Any], arm: str) -> dict[str, Json]:
    numbers = outcome.gated.get(arm)
    return {} if numbers is None else {"gated_metrics": numbers_json(numbers)}


def _arms(outcome: Outcome[Any]) -> dict[str, Json]:
    word = outcome.suite.arm_word
    own = outcome.suite.arm_figures
    return {
        "baseline": outcome.baseline,
        f"{word}s": [
            {
                f"{word}_name": arm,
                **(own(outcome, arm) if own else _figures(numbers)),
                "metrics": numbers_json(numbers),
                **_gated(outcome, arm),
            }
            for arm, numbers in outcome.measured.items()
        ],
        "comparisons": [_named(word, asdict(each)) for each in outcome.comparisons],
        "differing": [
            _named(word, {**asdict(each), "difference": each.difference})
            for each in outcome.differing
        ],
    }


def _named(word: str, row: dict[str, Any]) -> Json:
    """A row about an arm, under the suite's own word for an arm."""
    return plain({word: row.pop("arm"), **row})


def _blocks(outcome: Outcome[Any]) -> list[Block]:
    if outcome.suite.shows:
        return outcome.suite.shows(outcome)
    names = [metric.name for metric in outcome.metrics]
    return [
        *findings_block(outcome),
        *arms_blocks(outcome, names),
        *slice_tables(outcome),
        *offenders_block(outcome),
    ]


def combine(made: Iterable[Report], *, fail_fast: bool = False) -> Report:
    """The suites' gates and metrics under their suite's name (`answers.precision`), in order.

    `fail_fast` takes no further report, so that none is made, after one that fails.
    """
    reports: list[Report] = []
    for report in made:
        reports.append(report)
        if fail_fast and report.decision is Status.FAIL:
            break
    if not any(report.gates for report in reports):
        raise ConfigError(
            "no suite has a gate, so there is nothing to decide; set one in its table"
        )
    # A waiver is for the question in every suite: one that some suite knows is no mistake.
    waived = [(each.qid, each.state) for report in reports for each in waived_of(report)]
    known = {unknown_said(qid) for qid, state in waived if state != "unknown"}
    blocks: list[Block] = []
    for report in reports:
        blocks += [
            replace(block, title=f"{report.suite}: {block.title}") for block in report.blocks
        ]
    return Report(
        suite="gate",
        version=__version__,
        figures={},
        metrics={f"{r.suite}.{name}": found for r in reports for name, found in r.metrics.items()},
        gates=tuple(replace(g, name=f"{r.suite}.{g.name}") for r in reports for g in r.gates),
        digest=hashlib.sha256("\n".join(r.digest for r in reports).encode()).hexdigest(),
        settings={r.suite: dict(r.settings) for r in reports},
        data={
            "suites": {
                r.suite: to_object(r)
                for r in counting(reports, "putting the suites together", "suites", step="making")
            }
        },
        blocks=tuple(blocks),
        warnings=tuple(
            f"{r.suite}: {warning}"
            for r in reports
            for warning in r.warnings
            if warning not in known
        ),
        offending={
            f"{r.suite}.{name}": qids for r in reports for name, qids in r.offending.items()
        },
        places={qid: at for r in reports for qid, at in r.places.items()},
        lacks={name: why for r in reports for name, why in r.lacks.items()},
        unfrozen=any(r.unfrozen for r in reports),
        questions=fitted(tuple(each for r in reports for each in r.questions)),
        labels=reports[0].labels,
        kept=reports[0].kept if len(reports) == 1 else None,
        parts=tuple(reports),
    )
