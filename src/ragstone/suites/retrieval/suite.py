"""One index, judged by the log of its query runs: recall, citations, ΔS and convergence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ragstone.contracts.records.retrieval_records import (
    DELTA_S,
    LAMBDA_STATE,
    MANIFEST,
    RETRIEVAL_GOLD,
    RETRIEVAL_LOG,
    TEXTS,
)
from ragstone.engine.duck import identifier
from ragstone.gates.gate import Judged, Status
from ragstone.gates.judge import Gates
from ragstone.gates.main_question import MainQuestion, Measures, Settings
from ragstone.measure.metric import Metric
from ragstone.suites.arm_gates import judge_numbers
from ragstone.suites.declaration import Check, GateWords, Input, Numbers, Suite, Work, own_gates
from ragstone.suites.retrieval import log_survey, logs, shows
from ragstone.suites.retrieval.delta_s_by_rank import AT_RANKS
from ragstone.suites.retrieval.log_facts import PARAPHRASES, SEEDS, Log
from ragstone.suites.retrieval.metrics import (
    BY_ANSWERS,
    BY_DELTA_S,
    BY_SECTIONS,
    BY_SPANS,
    METRICS,
    RECALLS,
)
from ragstone.suites.retrieval.options import R, RetrievalOptions
from ragstone.suites.retrieval.rules import READINGS
from ragstone.suites.surveys import OnSpark


def default_gates(declared: tuple[Metric, ...], options: RetrievalOptions) -> GateWords:
    """The gates of the spec; a log without answers cannot show those on answers."""
    gates = own_gates(declared, options)
    return [pair for pair in gates if not options.index_only or pair[0] not in BY_ANSWERS]


def late_gates(work: Work[R], gates: GateWords) -> GateWords:
    """A computed ΔS has the scale of its embedder, and so have the thresholds for it."""
    if work.options.index_only:
        work.warnings.append("--index-only: coverage and citation_accuracy are not gated")
    found = work.notes[work.shown].delta_s
    if found.calibrated:
        return [(name, _scaled(name, limit, found.scale)) for name, limit in gates]
    return gates


def _scaled(name: str, limit: str, scale: float) -> str:
    if name not in ("delta_s_median", "delta_s_p90"):
        return limit
    op, number = limit.split()
    return f"{op} {float(number) * scale!r}"


def judge(
    work: Work[R], arm: str, numbers: Numbers, gates: Gates, where: str
) -> tuple[Judged, ...]:
    """Every gate with its verdict, and why where it could not be measured."""
    log: Log = work.notes[arm]
    shown = dict(numbers)
    for name in (
        *([] if log.complete else ["lambda_convergence"]),
        *(BY_DELTA_S if log.delta_s.off_scale else []),
    ):
        if name in shown:
            shown[name] = replace(shown[name], value=None, interval=None, vacuous=False)
    return tuple(
        replace(gate, note=_why(gate.metric, log))
        if gate.status is Status.UNMEASURABLE and gate.value is None
        else gate
        for gate in judge_numbers(work, arm, shown, gates, where)
    )


def _on_main(numbers: Measures, settings: Settings) -> tuple[str, ...] | None:
    """Without answers to look at, every gate with rows says something of the index."""
    return None if settings.get("index_only") else ("coverage", *RECALLS)


def _why(metric: str, log: Log) -> str:
    if metric in BY_ANSWERS and not log.counts["answers"]:
        return "the log holds no answer_citations; --index-only drops this gate"
    if metric in BY_SPANS:
        return "no gold span to check citations against: give relevant_offsets, or --manifest"
    if metric in BY_DELTA_S and log.delta_s.off_scale:
        return (
            f"ΔS was computed by {log.delta_s.embedder}, which has no calibrated line: "
            f"ragstone retrieval calibrate learns it, {metric}=off drops this gate"
        )
    if metric in BY_SECTIONS:
        return (
            "no id says in which section it stands: give --manifest, or --section-pattern for ids "
            "of another shape"
        )
    if metric in BY_DELTA_S:
        return "no ΔS: the log has none, and there are no texts to compute it from"
    if metric == "lambda_convergence":
        return f"needs at least {PARAPHRASES} paraphrases × {SEEDS} seeds of a question"
    return "could not be computed"


CHECKS: Mapping[str, Check] = {
    "missing": Check("missing", "missing", "the log never ran it"),
    "found@5": Check(
        "found_5 >= 1", "found_5 < 1", "at least one run has nothing relevant in the first 5"
    ),
    "found@10": Check(
        "found_10 >= 1", "found_10 < 1", "at least one run has nothing relevant in the first 10"
    ),
    "anchor_hit@5": Check(
        "anchor_5 >= 1",
        "anchored and anchor_5 < 1",
        "at least one run has nothing of the right section in the first 5",
    ),
    "covered": Check(
        "coverage >= 1",
        "answered and coverage < 1",
        "at least one run has no answer that cites something relevant",
    ),
    "citation_accurate": Check(
        "accuracy >= 1", "accuracy < 1", "at least one answer cites the wrong place first"
    ),
    "offsets": Check(
        "not drifted", "drifted", "cites the right section, but at the wrong place in it"
    ),
    "negatives_below@5": Check(
        "negative_5 = 0", "negative_5 > 0", "a marked wrong one stands above the first relevant one"
    ),
}


def _spellings(names: tuple[str, ...]) -> str:
    return f"coalesce({', '.join(identifier(name) for name in names)})"


GOLD = Input(
    name="gold",
    record=RETRIEVAL_GOLD,
    says="the retrieval gold set",
    select="gold.sql",
    added=("type",),
    unique="qid",
    filled=True,
    shared=True,
    frozen=True,
    noun="gold set",
)
LOG = Input(
    name="log",
    record=RETRIEVAL_LOG,
    says="logs: files, globs, or -",
    select="log.sql",
    parts={"delta_s": _spellings(DELTA_S), "lambda_state": _spellings(LAMBDA_STATE)},
    many=True,
    arms=True,
    answer_key=("qid", "paraphrase", "seed"),
)
CHUNKS = (
    Input(
        name="manifest",
        record=MANIFEST,
        says="the chunk manifest: sections, offsets, types, texts",
        select="manifest.sql",
        unique="id",
        required=False,
    ),
    Input(
        name="texts",
        record=TEXTS,
        says="texts of chunks: {id, text} a line",
        select="texts.sql",
        unique="id",
        required=False,
    ),
)

RETRIEVAL = Suite(
    name="retrieval",
    package="ragstone.suites.retrieval",
    options=RetrievalOptions,
    inputs=(GOLD, LOG, *CHUNKS),
    main=MainQuestion(
        "whether the relevant is found", "coverage=0.70", "give gold questions", _on_main
    ),
    metrics=lambda options: METRICS,
    default_gates=default_gates,
    read=log_survey.read,
    rows=logs.rows,
    concludes=logs.concludes,
    in_parts=True,
    on_spark=OnSpark(logs.ready, logs.begins, log_survey.SURVEYS),
    tallied=(AT_RANKS,),
    late_gates=late_gates,
    known=logs.known,
    judge=judge,
    came_in=shows.came_in,
    checks=CHECKS,
    told=("R@5",),
    offender="offender.sql",
    row_texts="row_texts.sql",
    asks="paraphrases[1]",
    right=lambda options: CHECKS["found@5"].holds,
    steps={
        "logged": "not missing",
        **{f"{name} in all runs": CHECKS[name].holds for name in ("found@10", "found@5")},
    },
    readings=READINGS,
    slice_columns=shows.BY_COLUMNS,
    answered_in="log",
    facts=shows.facts,
    data=shows.data,
    shows=shows.blocks,
    warns=shows.warnings,
    example="""\
examples:
  ragstone retrieval --gold gold.jsonl --log runs/log.jsonl --manifest manifest.jsonl
  ragstone retrieval --gold gold.jsonl --log log.jsonl --index-only --by tags -o report.html
  ragstone retrieval --gold gold.jsonl --log log.jsonl --compact
  ragstone retrieval calibrate --gold gold.jsonl --manifest manifest.jsonl
""",
)
