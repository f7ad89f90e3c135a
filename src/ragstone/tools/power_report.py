"""The report of `ragstone power`: one sentence, the gates, and with --plan the questions to add."""

from __future__ import annotations

from typing import Any

from ragstone._version import __version__
from ragstone.measure.bootstrap import SEED
from ragstone.measure.found_regressions import ALPHA, POWER
from ragstone.report.document.blocks import Block, Cell, Json, Table
from ragstone.report.document.figures import number
from ragstone.report.model import Report
from ragstone.report.plain_names import both_names
from ragstone.report.private_texts import with_texts
from ragstone.suites.declaration import Outcome
from ragstone.suites.digest import digest_of
from ragstone.suites.metric_titles import metric_title
from ragstone.suites.waived_questions import as_json, waived_blocks
from ragstone.tools.gold_power import GatePower, Power, planned

# The gates are those of this suite.
SUITE = "answers"
_CHURN = {
    "given": "as --churn says",
    "seen": "as seen between the two systems",
    "assumed": "assumed; --churn or a second system says better",
}


def sentence(found: Power) -> str:
    """Whether the gold set is large enough for its thresholds.

    Large enough is: of every gate that a sample can prove, the whole interval is on one side.
    """
    provable = [gate for gate in found.gates if gate.proven is not None]
    open_ = [gate for gate in provable if not gate.settled]
    if not provable:
        return "No sample can prove any of these gates, so no gold set is large enough for them."
    many = "the one gate" if len(provable) == 1 else f"all {len(provable)} gates"
    if not open_:
        failing = [_called(gate) for gate in provable if not gate.proven]
        but = f"; proven to fail: {', '.join(failing)}" if failing else ""
        return f"The gold set is large enough to settle {many} that a sample can prove{but}."
    what = "; ".join(map(_lacking, open_))
    return f"The gold set is too small for {len(open_)} of {len(provable)} gates: {what}."


def _called(gate: GatePower) -> str:
    return both_names(metric_title(SUITE, gate.name), gate.name)


def _lacking(gate: GatePower) -> str:
    has = f"there {'is' if gate.questions == 1 else 'are'} {gate.questions:,}"
    if gate.fewest is not None and gate.questions < gate.fewest:
        return f"{_called(gate)} takes {gate.fewest:,} questions even if none fails, and {has}"
    if gate.needed is None:
        return f"{_called(gate)} is at its threshold or beyond it, and nothing is proven yet"
    return f"{_called(gate)} takes {gate.needed.questions:,} questions at this rate, and {has}"


def flips_in_words(found: Power) -> str:
    """How often the verdict depends on the draw.

    A share that rounds to none is not told as none.
    """
    if found.flips.flips is None:
        alike = [
            _called(gate) for gate in found.gates if gate.proven is False and gate.passes is None
        ]
        return (
            f"How often two samples of {found.questions:,} such questions disagree about the "
            f"verdict cannot be told: all questions of {', '.join(alike)} came out alike, and they "
            "are too few to tell how many others would not."
        )
    percent = f"{100 * found.flips.flips:.1f} %"
    if 0 < found.flips.flips < 0.0005:
        percent = "less than 0.1 %"
    return (
        f"Two samples of {found.questions:,} such questions disagree about the verdict {percent} "
        "of the time."
    )


def report_of(found: Power, outcome: Outcome[Any], *, plan: bool, churn: float | None) -> Report:
    """Everything a renderer needs, in one object."""
    settings: dict[str, Any] = {**outcome.settings, "churn": churn, "plan": plan}
    whole = {"suite": "power", "outcome": outcome.digest, "churn": churn, "plan": plan}
    small = any(gate.proven is not None and not gate.settled for gate in found.gates)
    gated = {gate.metric for gate in outcome.gates}
    flips = found.flips
    waived: dict[str, Json] = {"waived": as_json(outcome.waived)} if outcome.waived else {}
    report = Report(
        suite="power",
        version=__version__,
        figures={
            "questions": found.questions,
            "flips": flips.flips,
            "passes": flips.passes,
            "samples": flips.samples,
        },
        metrics={name: each for name, each in outcome.first.items() if name in gated},
        gates=(),
        digest=digest_of(whole),
        settings=settings,
        data={
            "inputs": dict(outcome.inputs),
            "large_enough": not small,
            "says": sentence(found),
            "verdict_now": found.decision.value,
            "seed": SEED,
            "churn_is": found.churn_is,
            "gated": {gate.name: _json(gate) for gate in found.gates},
            **({"plan": _plan_json(found)} if plan else {}),
            **waived,
        },
        blocks=(*waived_blocks(outcome.waived), *_blocks(found, plan)),
        warnings=outcome.warnings,
        verdicts={None: "TOO SMALL" if small else "LARGE ENOUGH"},
        notice=f"{sentence(found)} {flips_in_words(found)}",
        unfrozen=outcome.unfrozen,
    )
    return with_texts(report, outcome.options.report_texts)


def _json(gate: GatePower) -> dict[str, Json]:
    return {
        "threshold": gate.threshold.value,
        "op": gate.threshold.op,
        "value": gate.value,
        "questions": gate.questions,
        "status": gate.status.value,
        "passes": gate.passes,
        "proven": gate.proven,
        "churn": gate.churn,
        "smallest_regression": gate.regression,
    }


def _plan_json(found: Power) -> dict[str, Json]:
    return {
        "questions": {
            kind: {"now": found.by_kind[kind], "needed": needed}
            for kind, needed in planned(found).items()
        },
        "gates": {
            gate.name: {
                "of": gate.of,
                "now": gate.questions,
                "if_none_fails": gate.fewest,
                "at_this_rate": gate.needed and gate.needed.questions,
                "may_fail": gate.needed and gate.needed.failures,
            }
            for gate in found.gates
        },
    }


def _blocks(found: Power, plan: bool) -> list[Block]:
    blocks: list[Block] = [_gates(found), _regressions(found)]
    if plan:
        blocks += [_plan(found), _kinds(found)]
    return blocks


def _gates(found: Power) -> Table:
    rows = tuple(
        (
            gate.name,
            str(gate.threshold),
            gate.value,
            gate.questions,
            gate.status.value,
            gate.passes,
            _proven(gate),
        )
        for gate in found.gates
    )
    return Table(
        "How steady the verdict is",
        ("gate", "threshold", "value", "questions", "now", "passes", "proven"),
        rows,
        f"passes: in which share of {found.flips.samples:,} samples of the same questions, drawn "
        f"with replacement; all gates together {_all_pass(found.flips.passes)}.",
    )


def _all_pass(passes: float | None) -> str:
    return "cannot be told" if passes is None else f"pass in {number(passes)}"


def _proven(gate: GatePower) -> str:
    if gate.proven is None:
        return "cannot be"
    if gate.proven:
        return "yes"
    return "to fail" if gate.settled else "no"


def _regressions(found: Power) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (gate.name, gate.questions, gate.churn, gate.regression)
        for gate in found.gates
        if gate.by_kind
    )
    return Table(
        "The smallest regression that a comparison finds",
        ("gate", "questions", "change anyway", "smallest found"),
        rows,
        f"With {round(100 * POWER)} % power, by McNemar's test at {ALPHA}{_holm(found.family)}, "
        "where the interval of the difference leaves out 0, too. Change anyway: the share of the "
        f"questions that get better or worse without any regression, {_CHURN[found.churn_is]}.",
    )


def _holm(family: int) -> str:
    return f" with Holm's correction for {family} gates" if family > 1 else ""


def _plan(found: Power) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            gate.name,
            str(gate.threshold),
            gate.of,
            gate.questions,
            gate.fewest,
            gate.needed and gate.needed.questions,
            gate.needed and gate.needed.failures,
        )
        for gate in found.gates
        if gate.fewest is not None
    )
    return Table(
        "How many questions prove each gate",
        ("gate", "threshold", "set", "now", "if none fails", "at this rate", "may fail"),
        rows,
        "Questions in the metric's set. At this rate: if as large a share fails as failed here, so "
        f"many questions prove it with {round(100 * POWER)} % power; at most so many may fail.",
    )


def _kinds(found: Power) -> Table:
    rows = tuple((kind, found.by_kind[kind], needed) for kind, needed in planned(found).items())
    return Table(
        "Questions of each kind",
        ("kind", "now", "needed"),
        rows,
        "What the gates that are not settled need together, while as large a share of each kind "
        "gets into their sets as now.",
    )
