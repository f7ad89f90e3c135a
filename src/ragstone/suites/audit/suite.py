"""Traces without gold: what production logs say of themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ragstone.gates.main_question import MainQuestion
from ragstone.measure.measure import ASKED_AGAIN
from ragstone.suites.answers.suite import SCORED_TRACES
from ragstone.suites.audit import shows, traces
from ragstone.suites.audit.metrics import METRICS
from ragstone.suites.audit.options import AuditOptions
from ragstone.suites.audit.repeated_questions import compare_repeats
from ragstone.suites.audit.rules import LINES, READINGS
from ragstone.suites.declaration import Check, Numbers, Suite, Work
from ragstone.suites.judged_scores.score_metrics import (
    found_scores,
    gated_scores,
    without_scores,
)
from ragstone.suites.judged_scores.side_scores import SIDE_SCORES
from ragstone.suites.support.chunk_texts import TEXT_INPUTS
from ragstone.suites.support.support_metrics import BY_TEXTS, SUPPORT
from ragstone.suites.support.support_tables import UNFOUND_SHOWN


def known(work: Work[AuditOptions], arm: str, numbers: Numbers) -> Numbers:
    """Without scope nothing is unscoped, and without texts nothing is supported or not."""
    hidden = {*(() if work.options.scope else ("unscoped",))}
    if not work.notes["texts"]:
        hidden |= set(BY_TEXTS)
    return {
        name: replace(found, value=None, numerator=None, interval=None, vacuous=False)
        if name in hidden
        else found
        for name, found in without_scores(numbers).items()
    }


CHECKS: Mapping[str, Check] = {
    "empty": Check("empty", "empty", "the answer is empty"),
    "refused": Check("refused", "false", "refused"),
    "shipped": Check("shipped", "false", "answered"),
    "near_refused": Check(
        "near_refused", "near_refused", "reads like a refusal, but is not the agreed one"
    ),
    "scoped": Check("scoped", "shipped and not scoped", "cites something that was not retrieved"),
    "cited": Check("cited", "shipped and not cited", "cites nothing"),
    "echoed": Check("echoed", "constrained and not echoed", "does not repeat its constraints"),
    "supported": Check(
        f"not {SUPPORT.costs}", SUPPORT.costs, "says something that its texts do not hold"
    ),
}

AUDIT = Suite(
    name="audit",
    package="ragstone.suites.audit",
    options=AuditOptions,
    inputs=(
        replace(
            SCORED_TRACES,
            keeps=False,
            answer_key=("coalesce(trace_id, qid)",),
            select=("answers/trace.sql", "logged.sql", "judged_scores/own.sql"),
        ),
        *TEXT_INPUTS,
        SIDE_SCORES,
    ),
    main=MainQuestion("anything of the log", "unscoped=0", "give it traces"),
    metrics=lambda options: (*METRICS, *gated_scores(options)),
    found_metrics=found_scores,
    read=traces.read,
    rows=traces.rows,
    concludes=traces.concludes,
    in_parts=True,
    on_spark=traces.ON_SPARK,
    lines_in_parts=traces.lines_in_parts,
    views=traces.view_items,
    also_counted=("unfound",),
    tallied=(ASKED_AGAIN,),
    only_shown=(*UNFOUND_SHOWN, "question", "asked"),
    only_measured=("latency_ms", "cost_usd", "judge"),
    known=known,
    made_of_rows={"questions": compare_repeats},
    checks=CHECKS,
    row_order=("qid", "trace_row"),
    told=("empty", "near_refused", "unscoped", "support", "inconsistent", "no_echo"),
    offender="offender.sql",
    readings=READINGS,
    lines=LINES,
    row_word="traces",
    slices_of="trace",
    # Traces may share a name, and each has its own values.
    slice_key="trace_row",
    # A report finds lines by their qid, which here many lines may share.
    answered_in="",
    slice_columns=("empty", "refused", "answer_rate", "unscoped", "uncited", "support", "p95"),
    facts=shows.facts,
    figures=shows.figures,
    data=shows.data,
    shows=shows.blocks,
    warns=shows.warnings,
    example="""\
examples:
  ragstone audit --trace 'logs/*.jsonl.gz'
  ragstone audit --trace log.jsonl --texts chunks.jsonl --gates support=0.95 unscoped=0
  ragstone audit --trace log.jsonl --manifest docs.index/manifest.jsonl -o report.html
  ragstone audit --trace log.jsonl --sample-rate 0.1 --map claim=answer.text q=question
""",
)
