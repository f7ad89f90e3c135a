"""A shadow index beside the live one: two logs of the same gold set, question by question."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from ragstone.errors import InputError
from ragstone.gates.gate import Judged, Status
from ragstone.gates.judge import Gates
from ragstone.gates.main_question import MainQuestion
from ragstone.measure.arm_differences import difference
from ragstone.measure.metric import Metric
from ragstone.measure.outlook import NonInferiority, non_inferiority
from ragstone.suites.canary import shows
from ragstone.suites.canary.metrics import ALWAYS, CANARY_METRICS, MARGIN, change_of
from ragstone.suites.canary.options import CanaryOptions
from ragstone.suites.declaration import AnySuite, Arm, GateWords, Numbers, Work
from ragstone.suites.retrieval import logs
from ragstone.suites.retrieval.log_facts import values_in
from ragstone.suites.retrieval.log_survey import LOOK, LOOK_FURTHER
from ragstone.suites.retrieval.metrics import KS, RECALLS
from ragstone.suites.retrieval.suite import CHUNKS, GOLD, LOG, RETRIEVAL, default_gates, judge
from ragstone.suites.surveys import OnSpark, look_around

LIVE, SHADOW = "live", "shadow"


_MUST_AGREE = {"normalizer": "normaliser", "reranker": "reranker"}


def read(work: Work[CanaryOptions]) -> None:
    """Both logs."""
    logs.read_tables(work)
    look_around(work, SURVEYS)


def look(work: Work[CanaryOptions]) -> None:
    """What is looked for in any log, and what must be the same in both."""
    LOOK.look(work)
    for log in (LIVE, SHADOW):
        for column in _MUST_AGREE:
            work.gathered.keep_all(_values(column, log), values_in(work.duck, log, column))


def _values(column: str, log: str) -> str:
    return f"every {column} of {log}"


def settle(work: Work[CanaryOptions]) -> None:
    """The live log is the baseline, the shadow is shown and judged."""
    LOOK.settle(work)
    work.baseline, work.shown, work.judged = LIVE, SHADOW, (SHADOW,)
    found = []
    for column, name in _MUST_AGREE.items():
        live, shadow = (sorted(work.gathered.sets[_values(column, log)]) for log in (LIVE, SHADOW))
        if live and shadow and live != shadow:
            found.append(f"the {name} differs: live {', '.join(live)}; shadow {', '.join(shadow)}")
        elif bool(live) != bool(shadow):
            named, other = (LIVE, SHADOW) if live else (SHADOW, LIVE)
            work.warnings.append(
                f"only the {named} log names a {name} ({', '.join(live or shadow)}): "
                f"the {other} log does not say whether it had the same"
            )
    if found and not work.options.allow_mismatch:
        raise InputError(f"{'; '.join(found)} (--allow-mismatch compares them all the same)")
    work.notes["mismatches"] = tuple(found)
    work.warnings += found


SURVEYS = (replace(LOOK, look=look, settle=settle), LOOK_FURTHER)


def rows(work: Work[CanaryOptions], arm: Arm) -> None:
    """The rows of a log; after both, how alike their rankings are."""
    logs.rows(work, arm)
    if arm is work.arms[-1]:
        overlaps = (work.sql("canary/overlap_at_k.sql", k=str(k)) for k in KS)
        work.duck.run(work.sql("canary/alike.sql", overlaps="".join(overlaps)))


def gates_of_shadow(declared: tuple[Metric, ...], options: CanaryOptions) -> GateWords:
    """The gates of the spec, with a drop for each recall that the user names."""
    drops = [(change_of(name), f">= -{margin!r}") for name, margin in options.margins().items()]
    return [*default_gates(declared, options), *drops]


def judge_shadow(
    work: Work[CanaryOptions], arm: str, numbers: Numbers, gates: Gates, where: str
) -> tuple[Judged, ...]:
    """The gates; and what is proven of a drop in recall, which the report shows."""
    judged = judge(work, arm, numbers, gates, where)
    if where or (work.waiving and not work.duck.count("select count(*) from rows")):
        # The change in recall is measured over all questions, and not by slice; if every one of
        # them is waived there is none.
        return judged
    work.notes["drops"] = {
        change_of(name): _drop(work, name, gates)
        for name in RECALLS
        if name == ALWAYS or change_of(name) in gates
    }
    return judged


def _drop(work: Work[CanaryOptions], recall: str, gates: Gates) -> NonInferiority:
    level = work.options.level
    found = difference(work.duck, RECALLS[recall], LIVE, SHADOW, level)
    if found is None:
        raise InputError("the gold set holds no question to compare")
    gate = gates.get(change_of(recall))
    return non_inferiority(found, abs(gate.value) if gate else MARGIN, level)


# Two logs are judged as one is, but for what is said here.
CANARY: AnySuite = replace(
    cast("AnySuite", RETRIEVAL),
    name="canary",
    table="retrieval",
    options=CanaryOptions,
    inputs=(
        GOLD,
        replace(LOG, name=LIVE, noun="live log", says="the log of the index in use"),
        replace(
            LOG, name=SHADOW, noun="shadow log", says="the log of the index that may replace it"
        ),
        *CHUNKS,
    ),
    main=MainQuestion(
        "whether the shadow index finds less",
        f"{change_of(ALWAYS)}=-{MARGIN}",
        "give gold questions",
        lambda numbers, settings: tuple(map(change_of, RECALLS)),
    ),
    metrics=lambda options: CANARY_METRICS,
    default_gates=gates_of_shadow,
    read=read,
    on_spark=OnSpark(logs.ready, logs.begins, SURVEYS),
    rows=rows,
    judge=judge_shadow,
    arm_word="",
    answered_in=SHADOW,
    facts=shows.facts,
    data=shows.data,
    shows=shows.blocks,
    warns=shows.warnings,
    verdicts={
        Status.PASS: "ELIGIBLE",
        Status.FAIL: "NOT ELIGIBLE",
        Status.UNMEASURABLE: "UNDECIDED",
    },
    example="""\
examples:
  ragstone canary --gold gold.jsonl --live live.jsonl --shadow shadow.jsonl -o canary.html
  ragstone canary --gold gold.jsonl --live l.jsonl --shadow s.jsonl --index-only --confidence 0.95
  ragstone canary --live-dir .ragstone/live --gold gold.jsonl --max-questions 2000 --exit-code
""",
)
