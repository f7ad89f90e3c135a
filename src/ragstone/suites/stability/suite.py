"""The same question asked again, under other seeds and with jitters: is it the same answer?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby

from ragstone.contracts.records.trace_records import RUN
from ragstone.engine.duck import quoted, real, text
from ragstone.gates.gate import Judged, Status
from ragstone.gates.judge import Gates, tested_note, waived_words
from ragstone.gates.main_question import MainQuestion, Measures, Settings
from ragstone.gates.proof import NO_SAMPLE
from ragstone.measure.metric import Mean, Measured
from ragstone.progress import counting
from ragstone.suites.answers.options import EveryLineOptions
from ragstone.suites.answers.refusal_proposal import Where, gather_claims, propose_refusals
from ragstone.suites.answers.shows import has_retrieved, say_without_scope
from ragstone.suites.answers.suite import GOLD_SET
from ragstone.suites.answers.verdicts import prepare, verdict_rows
from ragstone.suites.arm_gates import judge_numbers
from ragstone.suites.declaration import Arm, Check, Input, Numbers, Suite, Work
from ragstone.suites.inputs import read_inputs
from ragstone.suites.offenders import behind
from ragstone.suites.stability import shows
from ragstone.suites.stability.claims import (
    canonical,
    equal_pairs,
    levenshtein,
    ned50,
    usual,
)
from ragstone.suites.stability.metrics import (
    ACR,
    CGHC,
    CSS,
    IAA,
    METRICS,
    NED50,
    NO_RUNS,
    RCR,
    SCU_CONS,
)
from ragstone.suites.surveys import OnSpark


def read(work: Work[EveryLineOptions]) -> None:
    """Gold and runs."""
    read_inputs(work)
    ready(work)


def ready(work: Work[EveryLineOptions]) -> None:
    """Makes an engine ready for `rows`."""
    prepare(work.duck, work.options.judging)
    work.duck.run("""
        create or replace temp table wording (
            arm varchar, qid varchar, ned50 double, iaa double, reworded varchar[]
        )
    """)


def rows(work: Work[EveryLineOptions], arm: Arm) -> None:
    """The checks of every run, of which the last of each run id counts, and a row per question."""
    _gather_runs(work, arm)
    verdict_rows(work.duck, arm.table, work.options.judging, arm.name, into="answers_rows")
    gather_claims(work, arm, Where("answers_rows"))
    parts = {"table": arm.table, "arm": quoted(arm.name)}
    work.duck.fill("checked_runs", work.sql("checked_runs.sql", **parts))
    _add_wording(work, arm)
    work.duck.fill("rows", work.sql("rows.sql", **parts))
    # All that is read of them later is in the other two tables.
    work.duck.forget("answers_rows")


def _gather_runs(work: Work[EveryLineOptions], arm: Arm) -> None:
    """Leaves the last line of each run, and counts what there is."""
    duck, gathered = work.duck, work.gathered
    lines = duck.count(f"select count(*) from {arm.table}")
    duck.run(work.sql("latest.sql", table=arm.table))
    runs = duck.count(f"select count(*) from {arm.table}")
    gathered.count("runs", runs)
    gathered.count("superseded", lines - runs)
    cites = duck.count(f"select count(*) from {arm.table} where citations <> []")
    gathered.count(f"runs with citations of {arm.name}", cites)
    gathered.count(f"parts with retrieved ids of {arm.name}", has_retrieved(work, arm.table))


def concludes(work: Work[EveryLineOptions]) -> None:
    """What became of the lines, and whether the log lacks what was retrieved."""
    gathered, counts = work.gathered, work.counts
    counts.update(
        gold=work.lines["gold"],
        lines=sum(work.lines[arm.table] for arm in work.arms),
        runs=gathered.counted("runs"),
        superseded=gathered.counted("superseded"),
    )
    for arm in work.arms:
        cites = gathered.counted(f"runs with citations of {arm.name}")
        if cites and not gathered.counted(f"parts with retrieved ids of {arm.name}"):
            say_without_scope(work)
        propose_refusals(work, arm)


def _add_wording(work: Work[EveryLineOptions], arm: Arm) -> None:
    """What only Python can say of a question's claims: how far apart their wordings are."""
    distance = levenshtein()
    found = work.duck.query(f"""
        select qid, coalesce(claim, ''), refused or missing, run_id from checked_runs
        where arm = {quoted(arm.name)} order by {shows.RUN_ORDER}
    """)
    qids, far, same, reworded = [], [], [], []
    for qid, runs in groupby(counting(found, "", "runs"), key=lambda row: text(row[0])):
        # Of each run: its claim as it is compared, whether it is none, and its id.
        said = [(canonical(text(claim)), silent, text(run)) for _, claim, silent, run in runs]
        claims = [claim for claim, _, _ in said]
        common = usual(claims)
        qids.append(qid)
        far.append(ned50([claim for claim, silent, _ in said if not silent], distance))
        same.append(equal_pairs(claims))
        reworded.append([run for claim, _, run in said if claim != common])
    work.duck.run(
        "insert into wording select $arm, unnest($qids::varchar[]), unnest($far::double[]), "
        "unnest($same::double[]), unnest($reworded::varchar[][])",
        {"arm": arm.name, "qids": qids, "far": far, "same": same, "reworded": reworded},
    )


def judge(
    work: Work[EveryLineOptions], arm: str, numbers: Numbers, gates: Gates, where: str
) -> tuple[Judged, ...]:
    """Every gate on the question that fares worst; keeps which questions fail which gates."""
    judged: list[Judged] = []
    failed: dict[str, list[str]] = {}
    for name, limit in counting(gates.items(), "", "gates"):
        if name not in numbers:
            continue
        (plain,) = judge_numbers(work, arm, numbers, {name: limit}, where)
        if name == NO_RUNS.name:
            (qids,), _ = behind(work.duck, arm, [f"runs = 0 and {work.part}"], None)
            losers = list(qids)
            judged.append(plain)
        else:
            values = _values(work, arm, numbers[name])
            # Answering every time is consistent, and wrong: refusing must be the rule.
            losers = [
                qid
                for qid, value, refusals in values
                if (name == RCR.name and refusals <= 0.5) or not limit.holds(value)
            ]
            judged.append(_verdict(plain, numbers[name], values, losers))
        for qid in losers:
            failed.setdefault(qid, []).append(name)
    if work.part == "true":
        # From arm to the questions that fail, each with its gates.
        work.notes.setdefault("failed", {})[arm] = dict(sorted(failed.items()))
    return tuple(judged)


def _on_main(numbers: Measures, settings: Settings) -> tuple[str, ...]:
    """The metrics in whose set some question has two runs."""
    alike, cited = (numbers[name].tested if name in numbers else 0 for name in (IAA.name, CSS.name))
    of_answerable = (ACR.name, CGHC.name, CSS.name, NED50.name) if cited else ()
    of_others = (RCR.name,) if alike > cited else ()
    return (*of_answerable, *of_others, *((SCU_CONS.name, IAA.name) if alike else ()))


def _values(
    work: Work[EveryLineOptions], arm: str, found: Measured
) -> list[tuple[str, float, float]]:
    """Of each question in a metric's set: its number, and which part of its runs are refusals."""
    metric = found.metric
    assert isinstance(metric, Mean)
    rows = work.duck.query(f"""
        select qid, {metric.value}, refusal_share from rows
        where arm = {quoted(arm)} and ({metric.of}) and {work.part} order by qid
    """)
    return [(text(qid), real(value), real(refusals)) for qid, value, refusals in rows]


def _verdict(
    plain: Judged, found: Measured, values: list[tuple[str, float, float]], losers: list[str]
) -> Judged:
    """The gate with the number of the worst question, and who fails it."""
    if plain.tests_nothing and not losers:
        return plain
    shown = [refusals if found.name == RCR.name else value for _, value, refusals in values]
    worst = max(shown) if found.metric.better == "lower" else min(shown)
    note = f"every one of {len(values):,} questions passes; the worst is shown; {NO_SAMPLE}"
    if losers:
        few = ", ".join(losers[:3]) + (", ..." if len(losers) > 3 else "")
        note = f"{len(losers):,} of {len(values):,} questions fail it ({few}); the worst is shown"
    return replace(
        plain,
        value=worst,
        judged_on=worst,
        interval=None,
        status=Status.FAIL if losers else Status.PASS,
        vacuous=False,
        required=False,
        proven=None,
        needed=None,
        note="; ".join(filter(None, (note, tested_note(found), waived_words(found.waived)))),
    )


CHECKS: Mapping[str, Check] = {
    "asked": Check("runs > 0", "runs = 0", "it was never run"),
    "contained": Check(
        "acr = 1", "answerable and acr < 1", "some runs do not say what is expected"
    ),
    "cited": Check(
        "cghc = 1", "answerable and cghc < 1", "some runs do not cite the right evidence"
    ),
    "refused": Check(
        "refusal_share = 1",
        "not answerable and refusal_share < 1",
        "some runs answer, but the question has no answer",
    ),
    "intact": Check(
        "coalesce(scu_cons, 1) = 1",
        "constrained and scu_cons < 1",
        "some runs do not keep its constraints",
    ),
}
# A question is right when every run of it is.
STEPS = {name: f"not coalesce({check.failed}, false)" for name, check in CHECKS.items()}

STABILITY = Suite(
    name="stability",
    package="ragstone.suites.stability",
    options=EveryLineOptions,
    inputs=(
        GOLD_SET,
        Input(
            name="runs",
            record=RUN,
            says="the runs: files, globs, or -",
            select=("answers/trace.sql", "run.sql"),
            many=True,
            arms=True,
            unknown="error",
            answer_key=(
                "coalesce(given_id, qid)",
                *("given_seed", "given_jitter", "given_paraphrase"),
            ),
        ),
    ),
    main=MainQuestion(
        "whether a question that is asked twice is answered alike",
        "css=0.70",
        "give some question two runs",
        _on_main,
    ),
    metrics=lambda options: METRICS,
    read=read,
    rows=rows,
    concludes=concludes,
    in_parts=True,
    on_spark=OnSpark(ready),
    also_counted=("checked_runs", "wording"),
    lists_all=True,
    judge=judge,
    judged_on_worst=True,
    compared=lambda declared: declared,
    checks=CHECKS,
    right=lambda options: " and ".join(STEPS.values()),
    steps=STEPS,
    offender="offender.sql",
    answered_in="runs",
    asks="question",
    facts=shows.facts,
    figures=shows.figures,
    data=shows.data,
    shows=shows.blocks,
    warns=shows.warnings,
)
