"""What a retriever brought beside the documents that answer: recall, precision and ranking."""

from __future__ import annotations

from collections.abc import Mapping

from ragstone.contracts.records.context_records import REFERENCE, RESULTS
from ragstone.engine.duck import quoted
from ragstone.errors import Diagnostics, InputError
from ragstone.gates.main_question import MainQuestion
from ragstone.measure.metric import Metric
from ragstone.report.document.blocks import Json
from ragstone.suites.context import metrics as declared
from ragstone.suites.context import shows
from ragstone.suites.context.options import ContextOptions
from ragstone.suites.context.parted_files import ON_SPARK
from ragstone.suites.context.question_files import (
    Retrieved,
    read_reference,
    read_results,
)
from ragstone.suites.declaration import Arm, Check, Input, Suite, Work
from ragstone.suites.ranking import ranked_arms
from ragstone.suites.ranking.kernel import (
    kernel_sql,
    measured_columns,
    prepare_kernel,
    too_large_measures,
)
from ragstone.suites.ranking.ranked_arms import Ranked
from ragstone.suites.ranking.ranking_measures import too_large

# What is gathered of each system.
_COUNTED = ("questions", "missing", "unknown")


def metrics(options: ContextOptions) -> tuple[Metric, ...]:
    return declared.metrics(options.measures)


def read(work: Work[ContextOptions]) -> None:
    """The reference, and an arm per results file; one error lists what is wrong in any of them."""
    bad = Diagnostics()
    found: list[Retrieved] = []
    try:
        read_reference(work, work.sources["reference"][0])
    except InputError as error:
        bad.take(error)
    files = ranked_arms.files_of(work, "results")
    for number, (_, source) in enumerate(files):
        try:
            found.append(read_results(work, source, f"results_{number}"))
        except InputError as error:
            bad.take(error)
    bad.must_be_none()
    names = [name or each.name for (name, _), each in zip(files, found, strict=True)]
    ranked_arms.set_arms(work, "results", names, [source for _, source in files])
    for arm, each in zip(work.arms, found, strict=True):
        work.notes[arm.name] = each.repeated
    prepare_kernel(work.duck, work.options.measures, work.options.grade)


def rows(work: Work[ContextOptions], arm: Arm) -> None:
    """The verdict rows of one system, and counts of what came in for it."""
    work.add_rows(
        work.sql(
            "rows.sql",
            table=arm.table,
            arm=quoted(arm.name),
            kernel=kernel_sql(),
            measures=measured_columns(work.options.measures),
        )
    )
    large = too_large_measures(work.duck, work.options.measures)
    work.gathered.keep_all(f"too large of {arm.name}", large)
    found = work.duck.counts(f"""
        select
            (select count(*) from {arm.table}),
            (select count(*) from rows where arm = {quoted(arm.name)} and scored and missing),
            (select count(*) from {arm.table} where qid not in (select qid from reference))
    """)
    for what, number in zip(_COUNTED, found, strict=True):
        work.gathered.count(f"{what} of {arm.name}", number)


def concludes(work: Work[ContextOptions]) -> None:
    """What came in for every system, or why it cannot be scored."""
    gathered = work.gathered
    for arm in work.arms:
        large = gathered.sets[f"too large of {arm.name}"]
        for each in work.options.measures:
            if each.name in large:
                raise too_large(each.name)
        questions, missing, unknown = (
            gathered.counted(f"{what} of {arm.name}") for what in _COUNTED
        )
        if questions and unknown == questions:
            of = f" of {arm.name}" if len(work.arms) > 1 else ""
            raise InputError(f"the reference and the results{of} share no question")
        depth = work.duck.count(
            f"select coalesce(max(retrieved_docs), 0) from rows where arm = {quoted(arm.name)}"
        )
        work.notes[arm.name] = Ranked(questions, missing, unknown, work.notes[arm.name], depth)


def came_in(work: Work[ContextOptions]) -> dict[str, Json]:
    tally = work.duck.tally
    questions, no_gold = work.duck.counts(
        f"select {tally()}, {tally('not scored')} from rows where arm = {quoted(work.shown)}"
    )
    reference = work.sums["reference"].finish()
    return {
        "reference": {"questions": questions, "no_gold": no_gold, "hash": reference},
        "results": ranked_arms.came_in(work),
    }


def compared(metrics: tuple[Metric, ...]) -> tuple[Metric, ...]:
    return tuple(metric for metric in metrics if metric.name in shows.COMPARED)


CHECKS: Mapping[str, Check] = {
    "missing": Check("missing", "missing", "nothing was retrieved for it"),
    "any_ref": Check(
        "any_ref",
        "not missing and gold_docs > 0 and not any_ref",
        "none of its documents were retrieved",
    ),
    "all_refs": Check(
        "all_refs", "any_ref and not all_refs", "some of its documents were not retrieved"
    ),
}

CONTEXT = Suite(
    name="context",
    package="ragstone.suites.context",
    options=ContextOptions,
    inputs=(
        Input(
            name="results",
            record=RESULTS,
            says="what each system retrieved: TSV, CSV, JSON, JSONL, Parquet, a LiveRAG answer "
            "file or a TREC run; several files are several systems",
            unique="qid",
            many=True,
            arms=True,
        ),
        Input(
            name="reference",
            record=REFERENCE,
            says="the gold documents: TSV, CSV, JSON, JSONL, Parquet, TREC or BEIR qrels",
            unique="qid",
            single=True,
            frozen=True,
        ),
    ),
    main=MainQuestion(
        "whether the gold documents are retrieved", "context_recall=0.60", "give it questions"
    ),
    metrics=metrics,
    read=read,
    rows=rows,
    concludes=concludes,
    in_parts=True,
    on_spark=ON_SPARK,
    came_in=came_in,
    compared=compared,
    apart=-1,
    checks=CHECKS,
    worst_first=("context_recall", '"ndcg@10"'),
    told=("context_recall", "ndcg@10", "missing"),
    charges="failed",
    offender="offender.sql",
    row_texts="row_texts.sql",
    right=lambda options: f"case when {declared.SCORED} then all_refs end",
    steps={"retrieved": "not missing", "any_ref": "any_ref", "all_refs": "all_refs"},
    slices_of="reference",
    asks="question",
    slice_columns=shows.SHOWN,
    answered_in="results",
    facts=ranked_arms.facts,
    figures=shows.figures,
    arm_figures=shows.arm_figures,
    data=shows.data,
    shows=shows.blocks,
    warns=shows.warnings,
    example="""\
examples:
  ragstone context --results run.tsv --reference questions.tsv
  ragstone context --results bm25.tsv rm3.tsv --reference questions.tsv -o report.html
  ragstone context --results run.jsonl --reference qrels.txt --by question_factuality -o eval/
""",
)
