"""Several validators' labels: do they agree, beyond chance, and who is right where they do not?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragstone.contracts.records.label_records import LABEL, PAIRS
from ragstone.errors import ConfigError, InputError
from ragstone.gates.gate import Judged
from ragstone.gates.judge import Gates, not_tested
from ragstone.gates.main_question import MainQuestion
from ragstone.measure.metric import Metric
from ragstone.report.document.blocks import Json
from ragstone.suites.agreement import shows
from ragstone.suites.agreement.metrics import ALPHA, KAPPA, MANY, METRICS, PERCENT_AGREEMENT
from ragstone.suites.agreement.options import AgreementOptions
from ragstone.suites.answers.refusal_proposal import Where, gather_claims, propose_refusals
from ragstone.suites.answers.shared_questions import must_share_questions
from ragstone.suites.answers.shows import warn_of_scope
from ragstone.suites.answers.suite import GOLD_SET, TRACES
from ragstone.suites.answers.verdicts import join_by_question, prepare, sum_scored, verdict_rows
from ragstone.suites.arm_gates import judge_numbers
from ragstone.suites.declaration import Arm, Check, Input, Numbers, O, Suite, Work
from ragstone.suites.inputs import must_share, read_inputs, sum_inputs

# What says nothing where only one label was ever used.
_BEYOND_CHANCE = (KAPPA.name, ALPHA.name)
# The ways that labels come in, of which one must be chosen.
RATERS, DERIVED = ("raters",), ("trace", "gold")
WAYS = (("pairs",), ("scholar", "auditor"), RATERS, DERIVED)


def choose(layers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The inputs of one way; the first layer (flags, the suite's table, the file) that names some.

    >>> choose(({}, {}, {"gold": ["g.jsonl"], "trace": ["t.jsonl"]}))
    {'trace': ['t.jsonl'], 'gold': ['g.jsonl']}
    """
    for given in layers:
        chosen = [way for way in WAYS if any(name in given for name in way)]
        if not chosen:
            continue
        if len(chosen) > 1:
            flags = " and ".join(f"--{way[0]}" for way in chosen)
            raise ConfigError(f"{flags} cannot be given together: labels come one way")
        (way,) = chosen
        # Of gold and traces, either may be left to the file.
        whole = {**layers[-1], **given} if way == DERIVED else given
        for name in way:
            if name not in whole:
                raise ConfigError(f"--{name} FILE is missing: the two belong together")
        if way == RATERS and (isinstance(whole["raters"], str | Path) or len(whole["raters"]) < 2):
            raise ConfigError("--raters: expected at least two files")
        return {name: whole[name] for name in way}
    raise ConfigError(
        "no labels: give --pairs FILE, --scholar FILE --auditor FILE, --raters FILE FILE ..., "
        "or --trace FILE --gold FILE"
    )


def given_metrics(work: Work[AgreementOptions]) -> tuple[Metric, ...]:
    """With more than two validators alpha takes the place of kappa."""
    return MANY if len(work.arms) > 2 else METRICS


def read(work: Work[AgreementOptions]) -> None:
    """The labels, whichever way they come, in `given(rater, qid, label)`; of two, also `pairs`."""
    if work.options.slice_fields and not work.sources.get("gold"):
        raise ConfigError("slices are by fields of the gold items: give --gold and --trace")
    read_inputs(work)
    # Later there is one arm, and the files of the raters would be looked for in vain.
    raters, trace = work.arms, Arm("", "trace", work.sources.get("trace", ()))
    if raters:
        _must_overlap(work, raters)
        sum_inputs(work)
        work.notes["raters"] = [arm.name for arm in raters]
    work.arms = (trace,)
    if len(raters) > 2:
        labels = [arm.table for arm in raters]
    else:
        _pair(work, raters)
        labels = [f"(select qid, {who} as label from pairs)" for who in ("scholar", "auditor")]
    for place, table in enumerate(labels):
        work.duck.fill("given", f"select {place} as rater, qid, label from {table}")


def _must_overlap(work: Work[AgreementOptions], raters: tuple[Arm, ...]) -> None:
    """Some item has two labels, unless all but one of the files are empty."""
    filled = [arm.table for arm in raters if work.lines[arm.table]]
    each = " union all ".join(f"select qid from {table}" for table in filled)
    if len(filled) > 1 and not work.duck.count(
        f"select count(*) - count(distinct qid) from ({each})"
    ):
        raise InputError("no two of the raters share an item")


def _pair(work: Work[AgreementOptions], raters: tuple[Arm, ...]) -> None:
    """The table `pairs`, where it was not read as such."""
    if work.sources.get("trace"):
        _derive(work)
    elif not work.sources.get("pairs"):
        one, two = [arm.table for arm in raters] or ["scholar", "auditor"]
        must_share(work, one, two, "scholar and auditor share no item")
        work.duck.fill("pairs", work.sql("joined.sql", scholar=one, auditor=two))
        work.notes["labelled"] = {"scholar": (one, two), "auditor": (two, one)}


def _derive(work: Work[AgreementOptions]) -> None:
    """Both labels from traces, with the checks of the answers suite."""
    (arm,), how = work.arms, work.options.judging
    prepare(work.duck, how)
    join_by_question(work, work.suite.input("trace"), arm, how.keep)
    must_share_questions(work, arm)
    if work.duck.count(f"select count(*) from {arm.table} where citations <> []"):
        warn_of_scope(work, arm.table)
    asked = verdict_rows(work.duck, arm.table, how, into="answers_rows")
    gather_claims(work, arm, Where("answers_rows"))
    propose_refusals(work, arm)
    sum_scored(work, work.suite.input("trace"), arm, asked)
    work.duck.fill("pairs", work.sql("derived.sql"))


def rows(work: Work[AgreementOptions], arm: Arm) -> None:
    """One row per item, and the labels of each as alpha needs them."""
    many = len(work.notes.get("raters", ())) > 2
    work.duck.fill("rows", work.sql("many_rows.sql" if many else "rows.sql"))
    work.duck.fill("units", work.sql("units.sql"))
    if many:
        work.duck.fill("label_pairs", work.sql("label_pairs.sql"))


def known(work: Work[O], arm: str, numbers: Numbers) -> Numbers:
    """Where nobody labelled anything there is no agreement, and no disagreement either; where
    everyone says the same, nothing tells agreement from chance."""
    return {
        name: replace(found, value=None, vacuous=False)
        if not found.denominator
        else replace(found, tested=0)
        if name in _BEYOND_CHANCE and found.value is None
        else found
        for name, found in numbers.items()
    }


def judge(
    work: Work[O], arm: str, numbers: Numbers, gates: Gates, where: str
) -> tuple[Judged, ...]:
    """Where everyone says the same, percent_agreement alone decides."""
    return tuple(
        not_tested(
            gate,
            "undefined, for everyone gives every item the same label; percent_agreement decides",
            required=gate.metric not in work.optional or bool(gate.part),
        )
        if gate.metric in _BEYOND_CHANCE and gate.denominator and not gate.tested
        else gate
        for gate in judge_numbers(work, arm, numbers, gates, where)
    )


def came_in(work: Work[AgreementOptions]) -> dict[str, Json]:
    """How many items there are, who labelled them, and the hash of each file's content."""
    raters = work.notes.get("raters", [])
    items = work.duck.count("select count(*) from rows")
    found: dict[str, Json] = {
        "items" if len(raters) > 2 else "pairs": items,
        "hash": " ".join(found.finish() for found in work.sums.values()),
        "from": "+".join(next(way for way in WAYS if way[0] in work.sources)),
    }
    return {**found, "raters": raters} if len(raters) > 2 else found


# Kappa and alpha are undefined without two labels; how often two say the same never is.
AGREE = MainQuestion(
    "how often two say the same",
    "percent_agreement=0.90",
    "give items two labels",
    lambda numbers, settings: (PERCENT_AGREEMENT.name,),
)
SCHOLAR = Input(
    name="scholar",
    record=LABEL,
    says="the first validator's labels",
    select="label.sql",
    many=True,
    required=False,
    unique="qid",
)
AGREEMENT = Suite(
    name="agreement",
    package="ragstone.suites.agreement",
    options=AgreementOptions,
    inputs=(
        replace(
            SCHOLAR,
            name="pairs",
            record=PAIRS,
            says="both labels of each item on one line",
            select="pairs.sql",
        ),
        SCHOLAR,
        replace(SCHOLAR, name="auditor", says="the second validator's labels"),
        replace(SCHOLAR, name="raters", says="any number of validators", apart=True, noun="rater"),
        replace(GOLD_SET, says="with --trace: derive both labels", required=False),
        replace(TRACES, says="traces to derive labels from", required=False),
    ),
    choose=choose,
    main=AGREE,
    metrics=lambda options: METRICS,
    given_metrics=given_metrics,
    read=read,
    rows=rows,
    known=known,
    judge=judge,
    came_in=came_in,
    checks={
        "agreed": Check("agree", "not agree", "the validators give different labels"),
        "abstained": Check("abstained", "abstained", "a validator abstained"),
    },
    right=lambda options: "agree",
    row_order=("place",),
    answered_in="pairs",
    asks="question",
    facts=shows.facts,
    figures=shows.figures,
    data=shows.data,
    shows=shows.blocks,
    warns=shows.warnings,
    settings=lambda outcome: {"from": outcome.inputs["from"]},
)
