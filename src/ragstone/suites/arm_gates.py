"""The gates of every arm: over all of its rows, and over each slice that has gates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from ragstone.engine.duck import quoted
from ragstone.gates.gate import Judged
from ragstone.gates.judge import Gates, judge, not_tested
from ragstone.measure.measure import one_question
from ragstone.measure.metric import Metric
from ragstone.suites import slices
from ragstone.suites.arm_numbers import numbers_by
from ragstone.suites.declaration import Numbers, O, Work
from ragstone.suites.waived_questions import without_proof


def judged_arms(
    work: Work[O],
    metrics: tuple[Metric, ...],
    measured: Mapping[str, Numbers],
    gates: Gates,
    parts: list[Gates],
) -> tuple[Judged, ...]:
    """The gates of every arm that is judged, over the rows that are in the tables."""
    return tuple(
        verdict
        for arm in work.judged
        for verdict in _judged(work, arm, metrics, measured[arm], gates, parts)
    )


def _judged(
    work: Work[O],
    arm: str,
    metrics: tuple[Metric, ...],
    numbers: Numbers,
    gates: Gates,
    parts: list[Gates],
) -> tuple[Judged, ...]:
    """The gates of an arm: over all of its rows, then over each slice that has gates."""
    whose = arm if len(work.arms) > 1 and work.judged != (arm,) else ""
    if whose and work.suite.arm_word:
        whose = f"{work.suite.arm_word}={whose}"
    verdicts = work.suite.judge or judge_numbers
    judged = verdicts(work, arm, numbers, gates, whose)
    for part, limits in zip(work.options.slices, parts, strict=True):
        fields, key = work.options.slice_fields, work.suite.slice_key
        tables = slices.part(work.duck, work.suite.slices_of, part.where, fields, key)
        name = slices.name_of(part.where)
        where = ",".join(filter(None, (whose, name)))
        work.part = slices.in_part(key)
        found = numbers_by(work, metrics, arm, "''", tables).get("") or {}
        verdict = verdicts(work, arm, without_proof(work, arm, found), limits, where)
        if not work.duck.count("select count(*) from part"):
            why = f"none of the {work.suite.row_word} is in this slice"
            verdict = tuple(not_tested(each, why, required=True) for each in verdict)
        work.part = "true"
        judged += tuple(replace(gate, part=name) for gate in verdict)
    return judged


def judge_numbers(
    work: Work[O], arm: str, numbers: Numbers, gates: Gates, where: str
) -> tuple[Judged, ...]:
    """Every gate on the number itself."""
    options = work.options
    # Whoever judges a slice, asked for it.
    optional = work.optional if work.part == "true" else frozenset()

    @cache
    def questions() -> int:
        rows = f"from rows where arm = {quoted(arm)} and {work.part}"
        return work.duck.questions(rows, one_question(work.duck))

    return judge(
        numbers,
        gates,
        questions=questions,
        optional=optional,
        confidence=options.confidence,
        where=where,
        arm=arm,
    )
