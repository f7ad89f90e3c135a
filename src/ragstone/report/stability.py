"""The stability suite's report: each question over its runs, and what breaks which of them."""

from __future__ import annotations

from collections import Counter

from ragstone._version import __version__
from ragstone.report.grid import axis_key, grid
from ragstone.report.model import Block, Cell, Finding, Json, Reading, Report, Table
from ragstone.suites.stability.judging import belongs
from ragstone.suites.stability.questions import Question
from ragstone.suites.stability.suite import Evaluation

_NAMES = ("acr", "cghc", "css", "ned50", "rcr", "scu_cons", "iaa")


def settings(found: Evaluation) -> dict[str, Json]:
    """The effective configuration, as far as it can change a number."""
    return {
        "refusal": list(found.refusal),
        "strict": found.deciding.strict,
        "confidence": found.deciding.confidence,
    }


def inputs(found: Evaluation) -> dict[str, Json]:
    return dict(found.inputs)


def build(found: Evaluation, digest: str, limit: int | None) -> Report:
    """Everything a renderer needs, in one object."""
    return Report(
        suite="stability",
        version=__version__,
        figures={
            "gold": len(found.questions),
            "runs": found.runs,
            "failed_questions": len(found.failed),
            **{name: measured.value for name, measured in found.measured.items()},
        },
        metrics=found.measured,
        gates=found.gates,
        digest=digest,
        settings=settings(found),
        data={
            "inputs": inputs(found),
            "questions": {each.qid: _question(found, each) for each in found.questions},
            "broken": [
                {"qid": each.qid, "run_id": run.run_id, "seed": run.seed, "jitter": run.jitter,
                 "checks": list(each.broken(run))}
                for each in found.questions
                for run in each.runs
                if each.broken(run)
            ],
        },
        blocks=tuple(_blocks(found, limit)),
        warnings=tuple(_warnings(found)),
    )  # fmt: skip


def _question(found: Evaluation, each: Question) -> dict[str, Json]:
    failed = found.failed.get(each.qid, ())
    numbers: dict[str, Json] = {name: each.value(name) if each.runs else None for name in _NAMES}
    return {
        "answerable": each.answerable,
        "runs": len(each.runs),
        **numbers,
        "refused": sum(run.refused for run in each.runs),
        "failed": list(failed),
        "pass": not failed,
    }


def _blocks(found: Evaluation, limit: int | None) -> list[Block]:
    blocks: list[Block] = []
    findings = _findings(found, limit)
    if findings:
        blocks.append(Reading("What breaks what", findings))
    asked = [each for each in found.questions if each.runs]
    if asked:
        # The questions that fail come first; among them those with most broken runs.
        asked.sort(key=lambda q: (q.qid not in found.failed, -_broken(q), q.qid))
        blocks.append(grid(asked, found.failed))
        blocks.append(_axis_table(found, "jitter"))
        blocks.append(_axis_table(found, "seed"))
    if found.failed:
        blocks.append(_failures(found, limit))
    return blocks


def _broken(question: Question) -> int:
    return sum(bool(question.broken(run)) for run in question.runs)


def _failures(found: Evaluation, limit: int | None) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for each in found.questions:
        if each.qid in found.failed:
            numbers = [
                each.value(name) if each.runs and (belongs(each, name) or name == "iaa") else None
                for name in _NAMES
            ]
            rows.append((each.qid, ", ".join(found.failed[each.qid]), len(each.runs), *numbers))
    says = "A dash stands where the number has no gate for this kind of question."
    if limit is not None and len(rows) > limit:
        says += f" The first {limit} of {len(rows):,}; --all lists them all."
    return Table(
        "Questions that fail", ("qid", "fails", "runs", *_NAMES), tuple(rows[:limit]), says
    )


def _axis_table(found: Evaluation, axis: str) -> Table:
    runs: Counter[str] = Counter()
    broken: Counter[str] = Counter()
    questions: dict[str, set[str]] = {}
    for each in found.questions:
        for run in each.runs:
            value = str(getattr(run, axis))
            runs[value] += 1
            if each.broken(run):
                broken[value] += 1
                questions.setdefault(value, set()).add(each.qid)
    rows = tuple(
        (value, runs[value], broken[value], broken[value] / runs[value],
         len(questions.get(value, ())))
        for value in sorted(runs, key=axis_key)
    )  # fmt: skip
    columns = (axis, "runs", "broken runs", "share broken", "questions broken")
    return Table(f"By {axis}", columns, rows)


def _findings(found: Evaluation, limit: int | None) -> tuple[Finding, ...]:
    """Which jitter, or which seed, turns a question that was fine into one that is not."""
    by_jitter: dict[str, list[str]] = {}
    unsteady: list[str] = []
    for each in found.questions:
        broken = {(run.seed, run.jitter) for run in each.runs if each.broken(run)}
        plain = {run.seed for run in each.runs if run.jitter == "none"}
        bad = {seed for seed, jitter in broken if jitter == "none"}
        if bad and bad != plain:
            unsteady.append(each.qid)
        if plain and not bad:
            for jitter in sorted({jitter for _, jitter in broken}, key=axis_key):
                by_jitter.setdefault(jitter, []).append(each.qid)
    findings = [
        Finding(
            f"fine as asked, broken by {jitter}",
            f"{_count(len(qids))} answered rightly as asked, and not when put with {jitter}: the "
            "pipeline reacts to the form of the question.",
            tuple(qids[:limit]),
        )
        for jitter, qids in sorted(by_jitter.items(), key=lambda pair: axis_key(pair[0]))
    ]
    if unsteady:
        findings.append(
            Finding(
                "broken by some seeds only",
                f"{_count(len(unsteady))} answered rightly under some seeds and not under others, "
                "in the same words: chance decides.",
                tuple(unsteady[:limit]),
            )
        )
    return tuple(findings)


def _count(number: int) -> str:
    return "1 question is" if number == 1 else f"{number:,} questions are"


def _warnings(found: Evaluation) -> list[str]:
    warnings = [
        f"{gate.name} is vacuous: its set is empty, so nothing was tested"
        for gate in found.gates
        if gate.vacuous
    ]
    if not found.runs:
        warnings.append("the run file is empty: no question was asked")
    single = sum(len(each.runs) == 1 for each in found.questions)
    if single:
        warnings.append(f"{single:,} questions have one run only: nothing to compare it with")
    replaced = found.inputs["superseded"]
    if replaced:
        warnings.append(f"{replaced:,} lines were replaced by a later line of the same run id")
    return warnings
