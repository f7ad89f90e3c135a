"""What the stability suite shows: each question over its runs, and what breaks which of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragstone.engine.duck import listed, quoted, whole
from ragstone.measure.metric import Mean, value_sql
from ragstone.progress import counting
from ragstone.report.document.blocks import Block, Cell, Finding, Json, Reading, Table
from ragstone.report.text import counted
from ragstone.suites.answers.options import EveryLineOptions
from ragstone.suites.declaration import Outcome, Work
from ragstone.suites.stability.metrics import ACR, CGHC, METRICS, PER_QUESTION, RCR, SCU_CONS
from ragstone.suites.stability.run_grid import DRAWN, DrawnRun, axis_key, grid
from ragstone.suites.standard_blocks import arms_blocks, first_of, slice_tables

RUN_ORDER = "qid, try_cast(seed as bigint), seed, jitter, run_id"
# The metric whose gate asks for a check of a run.
_ASKED_BY = {
    "contained": ACR.name,
    "cited": CGHC.name,
    "intact": SCU_CONS.name,
    "refused": RCR.name,
}


def facts(work: Work[EveryLineOptions], outcome: Outcome[EveryLineOptions]) -> Mapping[str, Any]:
    """Questions, broken runs and what breaks them, while the rows are there to be asked."""
    failed: dict[str, list[str]] = work.notes.get("failed", {}).get(work.shown, {})
    gated = {gate.metric for gate in outcome.gates if gate.arm == work.shown}
    found: Any = work.duck.query(
        work.sql("drawn.sql", order=RUN_ORDER),
        {"arm": work.shown, "failed": list(failed), "most": DRAWN},
    )
    drawn: dict[str, list[DrawnRun]] = {}
    for qid, *run in found:
        drawn.setdefault(qid, []).append(DrawnRun(*run))
    return {
        "failed": failed,
        **_questions(work, failed),
        "broken": work.duck.dicts(f"""
            select qid, run_id, seed, jitter, broken as checks
            from {_runs(work)} and broken <> [] order by {RUN_ORDER}
        """),
        "drawn": drawn,
        "axes": {axis: _by_axis(work, axis) for axis in ("jitter", "seed")},
        "findings": _findings(
            work, [name for name, metric in _ASKED_BY.items() if metric in gated]
        ),
    }


def _runs(work: Work[EveryLineOptions]) -> str:
    return f"checked_runs where arm = {quoted(work.shown)}"


def _questions(work: Work[EveryLineOptions], failed: Mapping[str, list[str]]) -> dict[str, Any]:
    """Every question with its numbers; of those that fail, the ones that a gate asks of them."""
    asked = ", ".join(value_sql(metric) for metric in METRICS if isinstance(metric, Mean))
    found: Any = work.duck.dicts(f"""
        select qid, answerable, runs, {", ".join(PER_QUESTION)}, refused, [{asked}] as asked
        from rows where arm = {quoted(work.shown)} order by qid
    """)
    questions, failures = {}, []
    for row in counting(found, "", "questions"):
        qid, numbers = row.pop("qid"), row.pop("asked")
        fails = failed.get(qid, [])
        questions[qid] = {**row, "failed": list(fails), "pass": not fails}
        if fails:
            failures.append((qid, ", ".join(fails), row["runs"], *numbers))
    return {"questions": questions, "failures": tuple(failures[: work.options.limit])}


def _by_axis(work: Work[EveryLineOptions], axis: str) -> tuple[tuple[Cell, ...], ...]:
    """Of each jitter, or each seed: its runs, how many are broken, and of how many questions."""
    found: Any = work.duck.query(f"""
        select {axis}, count(*), count(*) filter (broken <> []),
            count(*) filter (broken <> []) / count(*),
            count(distinct qid) filter (broken <> []),
        from {_runs(work)} group by {axis}
    """)
    return tuple(sorted(found, key=lambda row: axis_key(row[0])))


def _findings(work: Work[EveryLineOptions], checks: Sequence[str]) -> tuple[Finding, ...]:
    """Which jitter, or which seed, turns a question that was fine into one that is not.

    Only checks that a gate asks for count; what most questions show comes first.
    """
    if not checks:
        return ()
    checks = listed(["missing", *checks])
    broken: Any = work.duck.query(work.sql("findings.sql", checks=checks, arm=quoted(work.shown)))
    found = []
    # The seeds come after every jitter.
    for jitter, qids in sorted(broken, key=lambda row: (row[0] is None, axis_key(row[0] or ""))):
        many = "1 question is" if len(qids) == 1 else f"{len(qids):,} questions are"
        name = f"right as asked, wrong under jitter {jitter}"
        says = (
            f"{many} answered rightly as asked, and wrongly when the wording changes a little "
            f"({_CHANGES.get(jitter, jitter)}). The meaning stays the same: look at what the "
            "pipeline does with the form of a question before it retrieves."
        )
        if jitter is None:
            name = "right under some seeds, wrong under others"
            says = (
                f"{many} answered rightly under some seeds and wrongly under others, in the same "
                "words: chance decides. Lower the temperature, or fix what varies between runs."
            )
        found.append((name, says, qids))
    found.sort(key=lambda each: -len(each[2]))
    limit = work.options.limit
    return tuple(
        Finding(name, says, tuple(qids[:limit]), rows=len(qids)) for name, says, qids in found
    )


# What a jitter changes in the wording of a question.
_CHANGES = {
    "ws": "spaces around commas and colons",
    "punct": "punctuation",
    "syn": "a verb of the same meaning",
    "order": "the order of phrases",
}


def figures(outcome: Outcome[EveryLineOptions]) -> dict[str, float | int | None]:
    questions = outcome.facts["questions"]
    return {
        "gold": len(questions),
        "runs": sum(each["runs"] for each in questions.values()),
        "failed_questions": len(outcome.facts["failed"]),
        **{name: found.value for name, found in outcome.first.items()},
    }


def data(outcome: Outcome[EveryLineOptions]) -> dict[str, Json]:
    return {
        "reading": [
            {
                "pattern": each.pattern,
                "reading": each.reading,
                "qids": list(each.qids),
                "title": each.title,
                "rows": each.rows,
            }
            for each in outcome.facts["findings"]
        ],
        "questions": outcome.facts["questions"],
        "broken": outcome.facts["broken"],
    }


def blocks(outcome: Outcome[EveryLineOptions]) -> list[Block]:
    facts, made = outcome.facts, list[Block]()
    if facts["findings"]:
        made.append(Reading("What makes right answers wrong", facts["findings"]))
    made += arms_blocks(outcome, PER_QUESTION)
    if facts["drawn"]:
        asked = sum(each["runs"] > 0 for each in facts["questions"].values())
        made.append(grid(facts["drawn"], facts["failed"], asked))
        for axis, rows in facts["axes"].items():
            columns = (axis, "runs", "broken runs", "share broken", "questions broken")
            made.append(Table(f"By {axis}", columns, rows))
    made += slice_tables(outcome)
    if facts["failed"]:
        says = "A dash stands where the number has no gate for this kind of question."
        failing = ("qid", "fails", "runs", *PER_QUESTION)
        says = first_of(len(facts["failures"]), len(facts["failed"]), says)
        made.append(Table("Questions that fail", failing, facts["failures"], says))
    return made


def warnings(outcome: Outcome[EveryLineOptions]) -> list[str]:
    found = []
    questions = outcome.facts["questions"].values()
    if not any(each["runs"] for each in questions):
        found.append("the run file is empty: no question was asked")
    single = sum(each["runs"] == 1 for each in questions)
    if single:
        found.append(f"run only once, so with nothing to compare: {counted(single, 'question')}")
    replaced = outcome.inputs["superseded"]
    if replaced:
        found.append(
            f"replaced by a later line of the same run id: {counted(whole(replaced), 'line')}"
        )
    return found
