"""What the answers suite shows beyond what every suite does: figures, funnel, near refusals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ragstone.engine.duck import quoted, text, whole
from ragstone.report.document.blocks import Block, Funnel, Json, Step, Table
from ragstone.suites.answers.refusal_rules import install_refusal_rule
from ragstone.suites.declaration import Arm, Work
from ragstone.suites.judged_scores.score_shows import score_blocks, score_data
from ragstone.suites.offenders import behind
from ragstone.suites.standard_blocks import (
    arms_blocks,
    findings_block,
    first_of,
    offenders_block,
    qids_table,
    slice_tables,
)
from ragstone.suites.support.support_shows import (
    support_blocks,
    support_data,
    support_facts,
    support_warnings,
)

if TYPE_CHECKING:
    from ragstone.suites.answers.options import AnswersOptions
    from ragstone.suites.answers.row_parts import Asked
    from ragstone.suites.declaration import Outcome

FUNNEL = (
    ("reachable@k", "reachable", "the first k retrieved hold evidence, where gold names some"),
    ("shipped", "shipped", "an answer was given"),
    ("cited", "cited", "it cites what gold asks for, all of it retrieved"),
    ("contained", "contained", "it says what gold asks for"),
    ("intact", "intact", "it keeps the locked constraints"),
)
_FIGURES = {
    "answered": "shipped",
    "refused": "refused",
    "answerable": "answerable",
    "unanswerable": "not answerable",
}
_NEAR = "near_refusal"
# What is gathered: in how many parts gold expects more than phrases.
_EXPECTED = "parts with typed answers"


class Refusal(NamedTuple):
    """A refused claim, and the rule that says so."""

    qid: str
    rule: str
    claim: str


def facts(work: Work[AnswersOptions], outcome: Outcome[AnswersOptions]) -> Mapping[str, Any]:
    """The counts, the funnel and the near refusals, while the rows are there to be asked."""
    checks = [check for _, check, _ in FUNNEL]
    passed = [" and ".join(("answerable", *checks[:n])) for n in range(len(checks) + 1)]
    lost = [f"{before} and not {check}" for before, check in zip(passed, checks, strict=False)]
    tested = _tested_by(work.options.scu)
    counted = [*_FIGURES.values(), *tested.values(), *passed[1:]]
    limit = work.options.limit
    (near, *qids), counts = behind(work.duck, work.shown, [_NEAR, *lost], limit, counted)
    others = counts[len(lost) + 1 :]
    figures = dict(zip(_FIGURES, others, strict=False))
    tested_by = dict(zip(tested, others[len(figures) :], strict=False))
    work.notice = " ".join(filter(None, (work.notice, tests_in_words(tested_by))))
    if outcome.first["unscoped"].numerator and not work.gathered.counted(_retrieved(work.shown)):
        say_without_scope(work)
    return {
        "figures": figures,
        "tested_by": tested_by,
        "funnel": tuple(
            Step(name, left, gone, first, says)
            for (name, _, says), left, gone, first in zip(
                FUNNEL, counts[-len(lost) :], counts[1:], qids, strict=False
            )
        ),
        "near_refusals": near,
        "near_refusals_total": counts[0],
        "refusals": explained(work) if work.options.explain_refusals else (),
        "accepted_by": _accepted_by(work),
        **support_facts(work),
    }


def _accepted_by(work: Work[AnswersOptions]) -> dict[str, int]:
    """How many right answers each rule accepted; nothing where it is one rule or none."""
    if not rare_columns(work):
        return {}
    counts = work.duck.query(f"""
        select accepted_by, count(*) from rows
        where arm = {quoted(work.shown)} and shipped and answerable and accepted_by is not null
        group by all order by all
    """)
    found = {text(rule): whole(count) for rule, count in counts}
    return found if len(found) > 1 else {}


def _tested_by(scu: bool) -> dict[str, str]:
    """What tests the answer to an answerable question, as conditions on a row."""
    words = "(phrased or guarded or constrained)" if scu else "(phrased or guarded)"
    return {
        "words": f"answerable and {words}",
        "citations_alone": f"answerable and evidenced and not {words}",
        "nothing": f"answerable and not {words} and not evidenced",
    }


def tests_in_words(rows: Mapping[str, int]) -> str:
    """What a reader has to know before any number; nothing where words test every answer.

    >>> tests_in_words({"words": 1, "citations_alone": 2, "nothing": 3})
    'Of 6 answerable questions, 1 is tested by words, 2 by citations alone, 3 by nothing.'
    """
    words, citations, nothing = rows["words"], rows["citations_alone"], rows["nothing"]
    if not citations + nothing:
        return ""
    total = words + citations + nothing
    if total == 1:
        by = "citations alone" if citations else "nothing"
        return f"The one answerable question is tested by {by}."
    by_words = f"{words:,} {'is' if words == 1 else 'are'} tested by words"
    rest = f"{citations:,} by citations alone, {nothing:,} by nothing"
    return f"Of {total:,} answerable questions, {by_words}, {rest}."


def explained(work: Work[AnswersOptions]) -> tuple[Refusal, ...]:
    """The refused claims, as many as every list shows, each with the rule that fired."""
    install_refusal_rule(work.duck, work.options.refusal)
    most = "" if work.options.limit is None else f"limit {work.options.limit}"
    found = work.duck.query(f"""
        select
            rows.qid,
            refusal_rule(fold(coalesce(trace.claim, '')), trace.flag),
            coalesce(trace.claim, ''),
        from rows
        join {work.arm(work.shown).table} as trace on trace.rowid = rows.trace_row
        where rows.arm = {quoted(work.shown)} and rows.refused
        order by rows.qid, rows.trace_row {most}
    """)
    return tuple(Refusal(*map(text, row)) for row in found)


def figures(outcome: Outcome[AnswersOptions]) -> dict[str, float | int | None]:
    found: dict[str, float | int | None] = dict(outcome.facts["figures"])
    for name, measured in outcome.first.items():
        counted = name == "scu_violations" and measured.value is not None
        found[name] = int(measured.value or 0) if counted else measured.value
    return {**found, "k": outcome.options.k}


def data(outcome: Outcome[AnswersOptions]) -> dict[str, Json]:
    facts = outcome.facts
    return {
        "funnel": [
            {"step": step.name, "left": step.left, "lost": step.lost, "qids": list(step.qids)}
            for step in facts["funnel"]
        ],
        "tested_by": dict(facts["tested_by"]),
        "near_refusals": list(facts["near_refusals"]),
        "near_refusals_total": facts["near_refusals_total"],
        **({"accepted_by": facts["accepted_by"]} if facts["accepted_by"] else {}),
        **_refusals(outcome),
        **(support_data(outcome) if outcome.facts["support_counts"] else {}),
        **score_data(outcome),
    }


def _refusals(outcome: Outcome[AnswersOptions]) -> dict[str, Json]:
    if not outcome.options.explain_refusals:
        return {}
    listed: list[Json] = [
        {"qid": each.qid, "rule": each.rule, "claim": each.claim}
        for each in outcome.facts["refusals"]
    ]
    return {"refusals": listed, "refusals_total": outcome.facts["figures"]["refused"]}


def _accepted_table(counts: Mapping[str, int]) -> list[Block]:
    says = "By which rule the answers were accepted that say what gold asks for."
    return [Table("Accepted by", ("rule", "answers"), (*counts.items(),), says)] if counts else []


def _refusals_table(outcome: Outcome[AnswersOptions]) -> list[Block]:
    rows = tuple((each.qid, each.rule, each.claim) for each in outcome.facts["refusals"])
    if not rows:
        return []
    says = first_of(len(rows), outcome.facts["figures"]["refused"], "The first rule that fired.")
    return [Table("Refusals", ("qid", "rule", "claim"), rows, says, texts=("claim",))]


def blocks(outcome: Outcome[AnswersOptions]) -> list[Block]:
    facts = outcome.facts
    near = "The claim holds the refusal token but is not equal to it, so it was shipped."
    funnel = Funnel(
        "Where answerable questions are lost",
        facts["figures"]["answerable"],
        facts["funnel"],
        "Each step keeps the questions that pass its check and all checks before it.",
    )
    return [
        *findings_block(outcome),
        funnel,
        *arms_blocks(outcome, outcome.suite.slice_columns),
        *slice_tables(outcome),
        *support_blocks(outcome),
        *score_blocks(outcome),
        *offenders_block(outcome),
        *_accepted_table(facts["accepted_by"]),
        *_refusals_table(outcome),
        *qids_table("Near refusals", facts["near_refusals"], facts["near_refusals_total"], near),
        _inputs(outcome),
    ]


def _inputs(outcome: Outcome[AnswersOptions]) -> Table:
    names = {
        "gold": "gold items",
        "lines": "trace lines",
        "kept": "scored",
        "superseded": "replaced by another line of the same question",
        "unknown_qid": "of questions that gold does not have",
        "no_qid": "without a qid",
    }
    rows = tuple((says, whole(outcome.inputs[name])) for name, says in names.items())
    return Table("Inputs", ("what", "count"), rows)


def warnings(outcome: Outcome[AnswersOptions]) -> list[str]:
    inputs, facts = outcome.inputs, outcome.facts
    found = []
    for name, one, many in (
        ("unknown_qid", "has a qid that gold does not know", "have a qid that gold does not know"),
        ("no_qid", "has no qid", "have no qid"),
    ):
        number = whole(inputs[name])
        if number:
            lines = "trace line" if number == 1 else "trace lines"
            found.append(f"{number:,} {lines} {one if number == 1 else many}; not scored")
    if facts["near_refusals"]:
        first = ", ".join(facts["near_refusals"][:3])
        total = facts["near_refusals_total"]
        more = ", ..." if total > 3 else ""
        found.append(
            f"{total:,} shipped answers hold the refusal token without being "
            f"equal to it ({first}{more}); the contract asks for the exact token"
        )
    if inputs["lines"] == 0:
        found.append("the trace file is empty: every question is missing")
    return [*found, *support_warnings(outcome)]


def warn_of_scope(work: Work[Any], table: str) -> None:
    """Without a single retrieved id every citation is unscoped: the log lacks them."""
    if not has_retrieved(work, table):
        say_without_scope(work)


def has_retrieved(work: Work[Any], table: str) -> bool:
    """Whether any line of a table has a retrieved id."""
    return bool(work.duck.query(f"select 1 from {table} where len(retrieved) > 0 limit 1"))


def say_without_scope(work: Work[Any]) -> None:
    """Says what to do about a log without retrieved ids, if they are asked for."""
    if work.options.scope:
        work.notice = (
            "No trace has retrieved_ids, so every citation counts as not retrieved: name the field "
            "with --map retrieved_ids=PATH, or give --no-scope (scope = false) to judge citations "
            "without it."
        )
        work.warnings.insert(0, work.notice.rstrip("."))


def _retrieved(arm: str) -> str:
    return f"parts with retrieved ids of {arm}"


def gather_asked(work: Work[AnswersOptions], arm: Arm, asked: Asked) -> None:
    """Whether anything was retrieved, and whether gold expects more than phrases."""
    work.gathered.count(_retrieved(arm.name), int(asked.retrieved))
    work.gathered.count(_EXPECTED, int(asked.expected))


def rare_columns(work: Work[AnswersOptions]) -> tuple[str, ...]:
    """What `rows.sql` says of typed answers, where gold has any."""
    expected = work.gathered.counted(_EXPECTED)
    return ("accepted_by", "list_found", "field_accuracy") if expected else ()


def warn_of_repeats(work: Work[AnswersOptions], arm: Arm, superseded: int) -> None:
    """Where many lines are superseded, these may be two systems."""
    lines = work.lines[arm.table]
    if superseded > lines / 10:
        work.warnings.append(
            f"{superseded:,} of {lines:,} trace lines were replaced by another line of the same "
            "question; --system NAME=FILE scores each as a system of its own"
        )
