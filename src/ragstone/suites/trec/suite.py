"""TREC runs against qrels: the ranking measures by trec_eval's rules, for files of any size."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from ragstone.contracts.sources import Source, lines_of
from ragstone.contracts.table_files import shaped
from ragstone.engine.content_hash import content_sum
from ragstone.engine.duck import identifier, quoted
from ragstone.engine.trec_lines import TrecFile, must_be_good, with_views
from ragstone.errors import InputError
from ragstone.gates.main_question import MainQuestion
from ragstone.measure.metric import Mean, Metric
from ragstone.report.document.blocks import Json
from ragstone.suites.declaration import Arm, Check, Input, Suite, Work
from ragstone.suites.ranking import ranked_arms
from ragstone.suites.ranking.kernel import (
    kernel_sql,
    measured_columns,
    must_be_finite,
    prepare_kernel,
)
from ragstone.suites.ranking.ranked_arms import Ranked
from ragstone.suites.ranking.ranking_measures import ranking_metric
from ragstone.suites.trec import shows
from ragstone.suites.trec.options import ONLY_JUDGED, Over, TrecOptions

OVER: dict[Over, str] = {
    # judged questions with a relevant document
    "relevant": "scored",
    # as trec_eval averages, and as it does with -c
    "both": "judged and not missing",
    "judged": "judged",
}
# Which questions have a relevant document; their rows say so themselves only under another level.
_SCORED = "gold_docs > 0"
_COUNTS = ("judged", "missing", "n_lines", "retrieved_docs", "gold_docs", "correct_docs")


def metrics(options: TrecOptions) -> tuple[Metric, ...]:
    of = OVER[options.over]
    if options.grade == 1:
        of = of.replace("scored", _SCORED)
    plain = (ranking_metric(each, of) for each in options.measures)
    return tuple(_only_judged(each) for each in plain) if options.only_judged else tuple(plain)


def _only_judged(metric: Mean) -> Mean:
    """The same over the questions with a document of the level, and named so."""
    return replace(
        metric,
        name=f"{metric.name}{ONLY_JUDGED}",
        title=f"{metric.title}, questions with a document of the level",
        of=f"{metric.of} and {_SCORED}",
        says=f"{metric.says} Only questions with a document of the level are averaged.",
    )


def read(work: Work[TrecOptions]) -> None:
    """An arm per run; the lines themselves are read where the rows are made, once for each run."""
    if any(source.fault for some in work.sources.values() for source in some):
        _check(work)
    files = ranked_arms.files_of(work, "runs")
    names = [name or ranked_arms.stem(source) for name, source in files]
    ranked_arms.set_arms(work, "runs", names, [source for _, source in files])
    prepare_kernel(work.duck, work.options.measures, work.options.grade)
    work.duck.define(work.sql("macros.sql"))


def rows(work: Work[TrecOptions], arm: Arm) -> None:
    """One row per question of qrels or of the run, with the value of each measure."""
    qrels = _qrels(work)
    files = (qrels, TrecFile(arm.sources[0], "run", "run"))
    sql = work.sql(
        "rows.sql",
        arm=quoted(arm.name),
        lines=work.sql("lines.sql"),
        kernel=kernel_sql(),
        measures=measured_columns(work.options.measures),
        scored="    n_graded > 0 as scored,\n" if work.options.grade > 1 else "",
    )
    # The order of lines decides nothing here, and keeping it costs memory. The judgments are the
    # small side: the plan must hold these in memory, whatever it guesses.
    with work.duck.ordering(False), work.duck.joining_as_written():
        with_views(work.duck, files, lambda: work.add_rows(sql), lambda: _check(work))
    _count(work, arm)


def _check(work: Work[TrecOptions]) -> None:
    """Looks at every line of every file; one error lists what is wrong in any of them."""
    runs = (TrecFile(source, "run", "run") for source in work.sources["runs"])
    must_be_good((_qrels(work), *runs), work.options.refuses_repeats)


def _count(work: Work[TrecOptions], arm: Arm) -> None:
    """What came in for a run, and the sum of its content; bad lines that only rows show."""
    must_be_finite(work.duck, work.options.measures)
    own = f"(from rows where arm = {quoted(arm.name)})"
    scored = "scored" if work.options.grade > 1 else _SCORED
    bad, repeated, missing, unknown, ranked, judged, shared, depth = work.duck.counts(f"""
        select
            count(*) filter (has_nan or twice),
            coalesce(sum(n_lines - retrieved_docs), 0)::bigint,
            count(*) filter ({scored} and missing),
            count(*) filter (not judged),
            count(*) filter (not missing),
            count(*) filter (judged),
            count(*) filter (judged and not missing),
            coalesce(max(retrieved_docs), 0)
        from {own}
    """)
    if bad or (repeated and work.options.refuses_repeats):
        _check(work)
    if judged and ranked and not shared:
        raise InputError(f"qrels and the run {arm.name} share no question")
    work.notes[arm.name] = Ranked(ranked, missing, unknown, repeated, depth)
    # Whatever moves one of a question's numbers; the judgments are part of each run's rows. Ten
    # million lines would take longer to sum than to score.
    values = (identifier(each.name) for each in work.options.measures)
    work.sums[arm.table] = content_sum(work.duck, own, ("qid", *_COUNTS, *values))
    work.sums["qrels"] = content_sum(work.duck, f"{own} where judged", ("qid", "gold_docs"))


def _qrels(work: Work[TrecOptions]) -> TrecFile:
    (source,) = work.sources["qrels"]
    return TrecFile(source, "qrels" if source.fault else _kind(source), "qrels")


def _kind(qrels: Source) -> Literal["qrels", "beir"]:
    shape, _ = shaped(lines_of(qrels), {})
    return "beir" if shape == "beir" else "qrels"


def came_in(work: Work[TrecOptions]) -> dict[str, Json]:
    """The hash of a run covers the judgments that it was scored with."""
    return {"runs": ranked_arms.came_in(work)}


def compared(metrics: tuple[Metric, ...]) -> tuple[Metric, ...]:
    return metrics


TREC = Suite(
    name="trec",
    package="ragstone.suites.trec",
    options=TrecOptions,
    inputs=(
        Input(
            name="qrels",
            says="judgments: TREC or BEIR qrels",
            single=True,
            frozen=True,
            positional=True,
        ),
        Input(name="runs", says="one TREC run or more", many=True, arms=True, positional=True),
    ),
    main=MainQuestion(
        "whether the judged documents are found", "ndcg@10=0.40", "give it judged questions"
    ),
    metrics=metrics,
    read=read,
    rows=rows,
    came_in=came_in,
    compared=compared,
    checks={"missing": Check("missing", "missing", "the run has nothing for it")},
    right=lambda options: "case when gold_docs > 0 then correct_docs > 0 end",
    steps={"retrieved": "not missing", "found": "correct_docs > 0"},
    told=(),
    charges="failed",
    slices_of="",
    answered_in="",
    facts=shows.facts,
    figures=shows.figures,
    arm_figures=shows.arm_figures,
    data=shows.data,
    shows=shows.blocks,
    warns=shows.warnings,
    table=None,
    example="""\
examples:
  ragstone trec qrels.txt run.txt
  ragstone trec qrels.txt bm25.txt rm3.txt -m ndcg@10 map P@5 -o report.html
  ragstone trec qrels.txt run.txt --trec -q -m ndcg_cut_10,recip_rank
""",
)
