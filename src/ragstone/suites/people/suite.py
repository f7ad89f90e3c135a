"""People's labels of answers: does the gate call right, wrong and refused what they do?"""

from __future__ import annotations

from dataclasses import replace

from ragstone.contracts.records.label_records import PEOPLE
from ragstone.engine.duck import quoted
from ragstone.errors import InputError
from ragstone.measure.measure import one_question
from ragstone.measure.metric import Metric
from ragstone.report.document.blocks import Json
from ragstone.report.text import counted
from ragstone.suites.agreement.suite import AGREE, judge, known
from ragstone.suites.answers.metrics import PRECISION
from ragstone.suites.answers.refusal_proposal import Where, gather_claims, propose_refusals
from ragstone.suites.answers.shared_questions import must_share_questions
from ragstone.suites.answers.shows import warn_of_scope
from ragstone.suites.answers.suite import GOLD_SET, TRACES
from ragstone.suites.answers.verdicts import join_by_question, prepare, sum_scored, verdict_rows
from ragstone.suites.declaration import Arm, Check, Input, Suite, Work
from ragstone.suites.inputs import must_share, read_inputs, sum_inputs
from ragstone.suites.people import shows
from ragstone.suites.people.metrics import METRICS, PERCENT_AGREEMENT, RANK_CORRELATION
from ragstone.suites.people.options import SAID, PeopleOptions


def given_metrics(work: Work[PeopleOptions]) -> tuple[Metric, ...]:
    """One system has no order; a gate on it is unmeasurable then, and not unknown."""
    gated = {name for name, _ in work.options.gates}
    return tuple(
        metric
        for metric in METRICS
        if metric is not RANK_CORRELATION or len(work.arms) > 1 or metric.name in gated
    )


def read(work: Work[PeopleOptions]) -> None:
    """Gold, traces and labels, the gate's verdict on every answer, and what each label means."""
    read_inputs(work)
    _must_name_systems(work)
    must_share(work, "gold", "labels", "gold and the labels share no question")
    _know_labels(work)
    prepare(work.duck, work.options.judging)
    for arm in work.arms:
        _judge(work, arm)
    sum_inputs(work)
    work.notes["systems"] = [arm.name for arm in work.arms]
    # The figures are over the answers of all systems: from here on they are one arm.
    every = tuple(source for arm in work.arms for source in arm.sources)
    work.arms = (Arm("", sources=every),)


def _must_name_systems(work: Work[PeopleOptions]) -> None:
    """It must be known whose answer each label is of."""
    named = work.duck.texts("select distinct system from labels where system <> '' order by all")
    unnamed = work.duck.count("select count(*) from labels where system = ''")
    arms = [arm.name for arm in work.arms]
    if arms == [""]:
        if len(named) > 1 or (named and unnamed):
            raise InputError(
                f"the labels are of several systems ({', '.join(named[:3])}, ...): "
                "give the traces of each as --system NAME=FILE"
            )
        return
    if unnamed:
        raise InputError(
            f"{counted(unnamed, 'label')} without a system, and there are several systems"
        )
    if named and not set(named) & set(arms):
        raise InputError(
            f"no label is of {' or '.join(arms)}: the labels name {', '.join(named[:3])}"
        )


def _know_labels(work: Work[PeopleOptions]) -> None:
    """The table `meant(label, said)`: what each of people's words for a label says."""
    found = work.duck.texts("select distinct label from labels order by all")
    meant = [(label, work.options.meaning(label)) for label in found]
    unknown = [label for label, said in meant if said is None]
    if unknown:
        shown = ", ".join(map(repr, unknown[:5])) + (", ..." if len(unknown) > 5 else "")
        raise InputError(
            f"labels that are not known: {shown}; known are {', '.join(SAID)}. Say what each "
            f'means, as in --label-map "{unknown[0]}=correct"'
        )
    work.duck.run("create or replace temp table meant (label varchar, said varchar)")
    if meant:
        values = {"labels": [label for label, _ in meant], "said": [said for _, said in meant]}
        work.duck.run("insert into meant select unnest($labels), unnest($said)", values)


def _judge(work: Work[PeopleOptions], arm: Arm) -> None:
    """The verdicts of the answers suite on one system's answers."""
    how = work.options.judging
    join_by_question(work, work.suite.input("trace"), arm, how.keep)
    must_share_questions(work, arm)
    if work.duck.count(f"select count(*) from {arm.table} where citations <> []"):
        warn_of_scope(work, arm.table)
    asked = verdict_rows(work.duck, arm.table, how, arm.name, into="answers_rows")
    gather_claims(work, arm, Where("answers_rows"))
    propose_refusals(work, arm)
    sum_scored(work, work.suite.input("trace"), arm, asked)
    # Of a system without a name, every label is meant.
    labelled = f"labels.system = {quoted(arm.name)}" if arm.name else "true"
    accepted = "accepted_by" if asked.expected else "null::varchar"
    parts = {"arm": quoted(arm.name), "trace": arm.table, "labelled": labelled}
    parts["accepted"] = accepted
    work.duck.fill("rows", work.sql("rows.sql", right=PRECISION.hit, **parts))


def rows(work: Work[PeopleOptions], arm: Arm) -> None:
    """The rows are there; what is left is to put those of each question together."""
    work.duck.fill("units", work.sql("units.sql", asked=one_question(work.duck)))


def came_in(work: Work[PeopleOptions]) -> dict[str, Json]:
    """How many labels there are and how many of them found their answer, and what was read."""
    labels = work.lines["labels"]
    compared = work.duck.count("select count(distinct (qid, system)) from rows")
    return {
        "labels": labels,
        "compared": compared,
        "unknown": labels - compared,
        "systems": len(work.notes["systems"]),
        "hash": " ".join(found.finish() for found in work.sums.values()),
    }


PEOPLE_LABELS = Input(
    name="labels",
    record=PEOPLE,
    says="what people said of the answers: qid, label, and system where there are several",
    select="label.sql",
    many=True,
    unique="qid",
    within="system",
    noun="labels",
)
PEOPLE_SUITE = Suite(
    name="people",
    package="ragstone.suites.people",
    options=PeopleOptions,
    inputs=(GOLD_SET, replace(TRACES, arms=True), PEOPLE_LABELS),
    main=AGREE,
    metrics=lambda options: METRICS,
    given_metrics=given_metrics,
    read=read,
    rows=rows,
    known=known,
    judge=judge,
    came_in=came_in,
    cluster=lambda options: "qid",
    checks={
        "agreed": Check("agree", "not missing and not agree", "the machine and the person disagree")
    },
    right=lambda options: "agree",
    row_order=("qid", "system", "trace_row"),
    told=(PERCENT_AGREEMENT.name,),
    row_word="answers",
    answered_in="labels",
    asks="question",
    facts=shows.facts,
    figures=shows.figures,
    data=shows.data,
    shows=shows.blocks,
    warns=shows.warnings,
    table="agreement",
)
