"""Grounded question answering: precision, citations, refusals, constraints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ragstone.contracts.records.gold_record import GOLD
from ragstone.contracts.records.trace_records import TRACE
from ragstone.engine.duck import quoted
from ragstone.errors import Diagnostics, InputError
from ragstone.gates.main_question import MainQuestion, Measures, Settings
from ragstone.measure.metric import Metric, Ratio
from ragstone.suites.answers import shows
from ragstone.suites.answers.floor import floor_warnings, gather_short_phrases
from ragstone.suites.answers.metrics import (
    BY_RETRIEVED,
    METRICS,
    OVER_REFUSAL,
    PRECISION,
    PRECISION_SCU,
    UNDER_REFUSAL,
)
from ragstone.suites.answers.options import AnswersOptions
from ragstone.suites.answers.refusal_metrics import (
    HEDGED,
    HEDGED_UNKNOWN,
    REFUSAL_METRICS,
)
from ragstone.suites.answers.refusal_proposal import gather_claims, propose_refusals
from ragstone.suites.answers.refusal_rules import refusal_rules
from ragstone.suites.answers.repeat_metrics import repeat_metrics, right
from ragstone.suites.answers.row_parts import DROPPED
from ragstone.suites.answers.rules import LINES, READINGS
from ragstone.suites.answers.shared_questions import gather_names, shares_none
from ragstone.suites.answers.verdicts import (
    join_by_question,
    prepare,
    sum_scored,
    verdict_rows,
)
from ragstone.suites.declaration import Arm, Check, Input, Numbers, Suite, Work, own_gates
from ragstone.suites.inputs import read_inputs
from ragstone.suites.judged_scores.score_metrics import (
    found_scores,
    gated_scores,
    without_scores,
)
from ragstone.suites.judged_scores.side_scores import (
    SIDE_SCORES,
    attach_scores,
    side_warnings,
)
from ragstone.suites.support.chunk_texts import TEXTS_OF_CHUNKS, view_texts
from ragstone.suites.support.support_metrics import BY_TEXTS
from ragstone.suites.support.support_tables import UNFOUND_SHOWN
from ragstone.suites.surveys import OnSpark

# What is gathered: in how many parts of the traces another tool's judge says something.
_SCORED = "parts with scores"


def metrics(options: AnswersOptions) -> tuple[Metric, ...]:
    """The metrics as these options have them: what SCU adds, repeats, no pack to hedge by."""
    others: dict[str, Metric] = {
        PRECISION.name: _precision(options),
        HEDGED.name: HEDGED if refusal_rules(options.refusal).packs else HEDGED_UNKNOWN,
    }
    repeated = repeat_metrics(_precision(options)) if options.keep == "all" else ()
    known = (others.get(metric.name, metric) for metric in METRICS)
    return (*known, *repeated, *gated_scores(options))


def _precision(options: AnswersOptions) -> Ratio:
    return PRECISION_SCU if options.scu else PRECISION


def default_gates(declared: tuple[Metric, ...], options: AnswersOptions) -> list[tuple[str, str]]:
    """The gates of the spec; with --missing answered there is no bucket left to gate."""
    gates = own_gates(declared, options)
    if options.scu:
        gates.append(("scu_violations", "= 0"))
    return [pair for pair in gates if options.missing == "fail" or pair[0] != "missing"]


def read(work: Work[AnswersOptions]) -> None:
    """Gold and traces; traces without a qid find their gold item by the question."""
    read_inputs(work)
    ready(work)
    bad = Diagnostics()
    for arm in work.arms:
        try:
            join_by_question(work, work.suite.input("trace"), arm, work.options.keep)
        except InputError as error:
            bad.take(error)
    bad.must_be_none()


def ready(work: Work[AnswersOptions]) -> None:
    """Makes an engine ready for `rows`."""
    prepare(work.duck, work.options.judging)
    if work.sources.get("texts"):
        work.notes["texts"] = view_texts(work)


def rows(work: Work[AnswersOptions], arm: Arm) -> None:
    """The verdict rows of one system's traces."""
    attach_scores(work, arm)
    asked = verdict_rows(work.duck, arm.table, work.options.judging, arm.name)
    if work.options.keep == "all":
        precision = _precision(work.options)
        parts = {"arm": quoted(arm.name), "right": right(precision), "tested": precision.tested}
        work.duck.fill("questions", work.sql("questions.sql", **parts))
    work.gathered.count(_SCORED, int(asked.scores))
    sum_scored(work, work.suite.input("trace"), arm, asked)
    for why, count in asked.dropped.items():
        work.gathered.count(f"{why} of {arm.name}", count)
    # Also where a part of the questions has no trace at all: its gold items are to be named, too.
    if asked.dropped["unknown_qid"] + asked.dropped["no_qid"] == asked.lines:
        gather_names(work.duck, arm, work.gathered)
    if arm is work.arms[0]:
        gather_short_phrases(
            work.duck, "gold", work.gathered, expects=asked.short, forbids=asked.expected
        )
    shows.gather_asked(work, arm, asked)
    if work.sources.get("texts"):
        _look_up(work, arm)
    gather_claims(work, arm)


def scores(work: Work[AnswersOptions]) -> tuple[Metric, ...]:
    """The scores of another tool's judge; most traces have none, and then no row is asked."""
    return found_scores(work) if work.gathered.counted(_SCORED) else ()


def concludes(work: Work[AnswersOptions]) -> None:
    """What became of the lines, and what somebody should know of them."""
    work.warnings += floor_warnings(work.gathered)
    work.warnings += side_warnings(work)
    work.counts["gold"] = work.lines["gold"]
    for arm in work.arms:
        lines = work.lines[arm.table]
        dropped = {why: work.gathered.counted(f"{why} of {arm.name}") for why in DROPPED}
        if lines and lines == dropped["unknown_qid"] + dropped["no_qid"]:
            raise InputError(shares_none(arm.name, work.gathered))
        kept = lines - sum(dropped.values())
        for name, count in {"lines": lines, "kept": kept, **dropped}.items():
            work.counts[name] = work.counts.get(name, 0) + count
        shows.warn_of_repeats(work, arm, dropped["superseded"])
        propose_refusals(work, arm)


def _look_up(work: Work[AnswersOptions], arm: Arm) -> None:
    """The sentences of shipped answers beside their texts."""
    from ragstone.suites.support.supported import check_support

    answers = work.sql("to_check.sql", trace=arm.table, arm=quoted(arm.name))
    absent = check_support(work.duck, arm.name, answers, work.options.decimal)
    work.gathered.keep_all(f"absent of {arm.name}", absent)


def known(work: Work[AnswersOptions], arm: str, numbers: Numbers) -> Numbers:
    """Without scope or texts, what looks at the retrieved ids, or at texts, cannot be computed."""
    hidden = {
        *(() if work.options.scope else BY_RETRIEVED),
        *(() if work.notes.get("texts") else BY_TEXTS),
    }
    return {
        name: replace(found, value=None, interval=None, vacuous=False) if name in hidden else found
        for name, found in without_scores(numbers).items()
    }


def _on_main(numbers: Measures, settings: Settings) -> tuple[str, ...]:
    """Where no question has an answer, refusing all of them is all there is to do."""
    answerable = numbers.get(OVER_REFUSAL.name)
    nothing = answerable is not None and not answerable.denominator
    return (PRECISION.name, UNDER_REFUSAL.name) if nothing else (PRECISION.name,)


def compared(declared: tuple[Metric, ...]) -> tuple[Metric, ...]:
    """What systems are compared in: refusing is, by under_refusal and over_refusal.

    Every test that is added makes those of the others weaker, by Holm's correction.
    """
    again = {*(metric.name for metric in REFUSAL_METRICS), *BY_TEXTS}
    return tuple(metric for metric in declared if metric.name not in again)


def cluster(options: AnswersOptions) -> str | None:
    """Under --keep all the lines of one question are repeats, and so one cluster."""
    return "qid" if options.keep == "all" else None


CHECKS: Mapping[str, Check] = {
    "missing": Check("missing", "missing", "the trace has no answer for it"),
    "shipped": Check(
        "shipped", "shipped and not answerable", "answered, but the question has no answer"
    ),
    "refused": Check(
        "refused", "refused and answerable", "refused, but the question has an answer"
    ),
    "hedged": Check("hedged", "hedged", "says that it cannot answer, and answers all the same"),
    "contained": Check(
        "contained",
        "shipped and answerable and not contained",
        "the answer does not say what is expected",
    ),
    "forbidden": Check(
        "forbidden", "shipped and forbidden", "says what the question's must_not forbids"
    ),
    "cited": Check(
        "cited", "shipped and answerable and not cited", "does not cite the right evidence"
    ),
    "scoped": Check("scoped", "shipped and not scoped", "cites something that was not retrieved"),
    "intact": Check(
        "intact", "shipped and constrained and not intact", "does not keep its constraints"
    ),
    "recalled@k": Check(
        "recalled",
        "answerable and not recalled",
        "some of its evidence is not among the first k retrieved",
    ),
    "reachable@k": Check(
        "reachable",
        "answerable and not reachable",
        "none of its evidence is among the first k retrieved",
    ),
}

# Where a question that is wrong was lost: without a claim or the refusal that was due, or at a
# step of the funnel. Without scope nothing is known of what was retrieved.
STEPS: Mapping[str, str] = {
    "claimed": "not missing",
    "refused": "answerable or refused",
    **{name: f"not answerable or {check}" for name, check, _ in shows.FUNNEL},
    "reachable@k": "not answerable or reachable or not getvariable('scope')",
    "not forbidden": "not answerable or not forbidden",
}

_REFUSED = ("refused", "shipped", "hedged", "near_refusal")
_CITED = ("cited", "scoped", "cited_ids", "cited_gold", "gold_cited")
_SAID = (
    *("contained", "found", "forbidden", "nuggets_found", "vital_found", "hedged"),
    *("accepted_by", "list_found", "field_accuracy"),
)
# Which columns of a row a setting decides: with another setting they are another fact.
SETTLED_BY: Mapping[str, tuple[str, ...]] = {
    "k": ("recalled", "reachable", "gold_found"),
    "refusal": _REFUSED,
    "refusal_packs": _REFUSED,
    "missing": ("shipped", "missing"),
    "scope": ("scoped", "cited"),
    "decimal": _SAID,
    "cite_pattern": _CITED,
    "cite_base": _CITED,
    "rules": ("intact",),
    # What it changes is the declaration of precision.
    "scu_enforced": (),
    "scu": (),
}

GOLD_SET = Input(
    name="gold",
    record=GOLD,
    says="the gold set (JSONL, .gz, .zst, Parquet, -)",
    select="answers/gold.sql",
    rare=("gold_answer", "nuggets", "must_not", "groups"),
    unique="qid",
    filled=True,
    shared=True,
    frozen=True,
    ordered=False,
    noun="gold set",
)
TRACES = Input(
    name="trace",
    record=TRACE,
    says="traces: files, globs, or -",
    select="answers/trace.sql",
    rare=("claims", "written", "flag"),
    many=True,
    shared=True,
    keeps=True,
    answer_key=("qid",),
    noun="traces",
)
SCORED_TRACES = replace(
    TRACES, arms=True, select=("answers/trace.sql", "judged_scores/own.sql"), added=("judge",)
)

ANSWERS = Suite(
    name="answers",
    package="ragstone.suites.answers",
    options=AnswersOptions,
    inputs=(GOLD_SET, SCORED_TRACES, TEXTS_OF_CHUNKS, SIDE_SCORES),
    main=MainQuestion(
        "whether the answers are right",
        "precision=0.80",
        "give gold phrases, typed answers, nuggets or citations",
        _on_main,
    ),
    metrics=metrics,
    fullest={"keep": "all"},
    found_metrics=scores,
    default_gates=default_gates,
    read=read,
    rows=rows,
    concludes=concludes,
    known=known,
    cluster=cluster,
    compared=compared,
    checks=CHECKS,
    row_order=("qid", "trace_row"),
    in_parts=True,
    on_spark=OnSpark(ready),
    also_counted=("unfound",),
    only_shown=UNFOUND_SHOWN,
    offender="offender.sql",
    row_texts="row_texts.sql",
    asks="question",
    rare_columns=shows.rare_columns,
    right=lambda options: right(_precision(options)),
    steps=STEPS,
    settled_by=SETTLED_BY,
    readings=READINGS,
    lines=LINES,
    slice_columns=("precision", "chr", "under_refusal", "over_refusal", "recall@k"),
    facts=shows.facts,
    figures=shows.figures,
    data=shows.data,
    shows=shows.blocks,
    warns=shows.warnings,
    example="""\
examples:
  ragstone score --gold eval/gold.jsonl --trace runs/trace.jsonl
  ragstone score --gates precision=0.85,chr=0.8 under=0.02 --by tags -o report.html
  ragstone score --gold gold.jsonl --trace - --json < trace.jsonl
  ragstone score --map claim=answer.text citations=answer.sources --confidence 0.95
  ragstone score --gold gold.jsonl --system old=v1.jsonl --system new=v2.jsonl
""",
)
