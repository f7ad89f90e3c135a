"""How far another tool's judge agrees with people: Cohen's kappa of its yes and theirs.

A number becomes a yes from a threshold on. That is a choice of the user's, made before: one that is
fitted to the labels would make any judge look better than it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ragstone.contracts.records.label_records import JUDGE_LABELS
from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck
from ragstone.errors import InputError
from ragstone.gates.judge import suggestion
from ragstone.gates.main_question import MainQuestion
from ragstone.progress import doing
from ragstone.suites.agreement.coefficient_intervals import PairUnit, kappa_interval
from ragstone.suites.agreement.coefficients import kappa
from ragstone.suites.answers.suite import TRACES
from ragstone.suites.declaration import Arm, Input, Suite, Work
from ragstone.suites.inputs import read_inputs, sum_inputs
from ragstone.suites.judged_scores.calibration_file import Calibration, prompt_hash
from ragstone.suites.judged_scores.score_metrics import named_scores, yes_sql
from ragstone.suites.judged_scores.side_scores import SIDE_SCORES, attach_scores
from ragstone.suites.options import Options
from ragstone.suites.step_weights import bytes_read

LEVEL = 0.95
LABELS = Input(
    name="labels",
    record=JUDGE_LABELS,
    says="what people say of the answers: {qid, label} a line, label true or false",
    select="label.sql",
    many=True,
    unique="qid",
    filled=True,
    noun="labels",
)


def _no_rows(work: Work[Options], arm: Arm) -> None:
    raise AssertionError("nothing is judged here")


# What is read here is declared as for a suite, and read in the same way.
READ = Suite(
    name="calibrate-judge",
    package="ragstone.suites.judged_scores",
    options=Options,
    inputs=(
        replace(TRACES, arms=True, keeps=False, select=("scored.sql", "own.sql"), rare=()),
        SIDE_SCORES,
        LABELS,
    ),
    main=MainQuestion("anything", "any", "any"),
    metrics=lambda options: (),
    rows=_no_rows,
    table=None,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """Which score is calibrated, from where on it is a yes, and which judge gave it."""

    score: str
    threshold: float
    model: str
    prompt: Path


@dataclass(frozen=True, slots=True)
class Found:
    """A calibration, and how many labels are of no answer, or of one without the score."""

    calibration: Calibration
    unknown: int
    unscored: int


def calibrate_judge(
    duck: Duck, sources: Mapping[str, tuple[Source, ...]], options: Options, asked: Asked
) -> Found:
    """How far the judge and people agree on the answers that both judged."""
    prompt = prompt_hash(asked.prompt)
    arm = Arm("", "trace_0", sources["trace"])
    work: Work[Any] = Work(READ, duck, options, sources, (arm,))
    with doing("reading", bytes_read(work), "B", duck.share, step="reading"):
        read_inputs(work)
        attach_scores(work, arm)
    sum_inputs(work)
    is_label = _must_have(duck, asked.score)
    yes = yes_sql(asked.score, None if is_label else asked.threshold)
    duck.run(f"""
        create temp table labelled as
        select labels.label, trace.qid is not null as known, {yes} as yes
        from labels left join (
            select qid, arg_max(judge, rowid) as judge from trace_0 group by qid
        ) as trace on trace.qid = labels.qid
    """)
    counts = duck.counts("""
        select
            count(*) filter (yes and label), count(*) filter (yes and not label),
            count(*) filter (not yes and label), count(*) filter (not yes and not label),
            count(*) filter (not known), count(*) filter (known and yes is null),
        from labelled
    """)
    *cells, unknown, unscored = counts
    if not sum(cells):
        raise InputError(f"no answer has both a label and the score {asked.score}")
    calibration = Calibration(
        score=asked.score,
        model=asked.model,
        prompt_sha256=prompt,
        threshold=None if is_label else asked.threshold,
        labels=sum(cells),
        level=LEVEL,
        inputs={name.partition("_")[0]: each.finish() for name, each in sorted(work.sums.items())},
        **_agreement(cells),
    )
    return Found(calibration, unknown, unscored)


def _must_have(duck: Duck, score: str) -> bool:
    """Whether the score is a label (`tone:polite`), and not a number; some trace must have it."""
    numbers, labels = named_scores(duck, "trace_0")
    if score in numbers:
        return False
    name, _, label = score.rpartition(":")
    if label in labels.get(name, ()):
        return True
    known = [*sorted(numbers), *(f"{each}:{said}" for each in labels for said in labels[each])]
    if not known:
        raise InputError("no trace has a judge's score: none has the field judge, and no --judged")
    raise InputError(f"no trace has the score {score}{suggestion(score, known[:20])}")


def _agreement(cells: list[int]) -> dict[str, Any]:
    """Kappa, its interval and the table, from the counts of the four pairs."""
    yes_yes, yes_no, no_yes, no_no = cells
    table = ((yes_yes, yes_no), (no_yes, no_no))
    pairs = (("yes", "yes"), ("yes", "no"), ("no", "yes"), ("no", "no"))
    units: dict[PairUnit, int] = {
        ((pair, 1),): count for pair, count in zip(pairs, cells, strict=True) if count
    }
    return {"table": table, "kappa": kappa(table), "interval": kappa_interval(units, LEVEL)}
