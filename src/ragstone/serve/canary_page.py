"""The watched canary as data: what the page, the report and the command all show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragstone.gates.proof import percent
from ragstone.measure.more_questions import more_questions
from ragstone.report.private_texts import Texts
from ragstone.serve.canary_conditions import CONDITIONS, off_in_words
from ragstone.serve.canary_evidence import (
    Decision,
    Evidence,
    State,
    Verdict,
    Watched,
    all_proven_in_words,
)
from ragstone.serve.canary_outlook import Outlook, more_needed, outlook
from ragstone.serve.canary_watch import CanaryWatch, LostQuestion, Tally
from ragstone.serve.moments import seconds_in_words
from ragstone.serve.page_fields import says
from ragstone.serve.shown_texts import cut
from ragstone.shadow.pairs import ArmRecord

# So many questions are shown.
SHOWN = 10
START = (
    "no pair is kept yet: ask the shadow live questions first (ragstone.shadow.Mirror around "
    "the app, or the mirror of ragstone serve)"
)


@dataclass(frozen=True, slots=True)
class PathPoint:
    """The evidence after so many questions, as powers of ten."""

    question: int = says("after so many questions")
    proving: float = says("the evidence that the condition holds: 2 is a wealth of 100")
    refuting: float = says("the evidence that it does not")


@dataclass(frozen=True, slots=True)
class ConditionShown:
    """A condition of the rule, and what is known of it."""

    name: str = says("its name, as --gates takes it")
    title: str = says("its plain name")
    what: str = says("what it is")
    value: float | None = says("the mean that was seen; null where nothing was measured")
    questions: int = says("over how many questions")
    low: float | None = says("the lower end of where the true mean lies, however often one looked")
    high: float | None = says("the upper end of it")
    line: str = says("what the true mean must be")
    state: str = says("proven, refuted, open or not measured")
    at: int = says("the question since which it is proven or refuted; 0 while it is open")
    later: str = says("what was seen after the decision, and would have changed it")
    proving: float = says("the evidence that it holds, as a power of ten")
    refuting: float = says("the evidence that it does not, as a power of ten")
    note: str = says("what to do, or what is to be expected")
    path: tuple[PathPoint, ...] = says("the evidence over time, thinned")


@dataclass(frozen=True, slots=True)
class LostShown:
    """A question on which the shadow did worse."""

    number: int = says("which question of the run it is")
    qid: str = says("its id, where it has one")
    question: str = says("what was asked")
    lost: tuple[str, ...] = says("in which conditions the shadow lost")
    live_citations: tuple[str, ...] = says("what the live answer cites")
    shadow_citations: tuple[str, ...] = says("what the shadow's answer cites")
    failure: str = says("the reason where the shadow gave no answer")


@dataclass(frozen=True, slots=True)
class MirrorShown:
    """What all mirrors of the run have counted together."""

    mirrors: int = says("how many mirrors wrote to the run")
    seen: int = says("live questions that they saw")
    left_out: int = says("questions that are not in the share")
    unread: int = says("questions that could not be read")
    dropped: int = says("questions that were dropped: the queue was full, or the mirror ended")
    answered: int = says("questions that the shadow answered")
    failed: int = says("questions that it gave no answer to")
    waiting: int = says("questions that wait for it")


@dataclass(frozen=True, slots=True)
class CanaryPage:
    """A watched canary: the decision, the evidence and the questions that show why."""

    run: str = says("the run of the shadow")
    runs: tuple[str, ...] = says("all runs that are kept, the last that was written to first")
    verdict: str = says("PROMOTE, HOLD or ROLL BACK")
    because: str = says("why, in one sentence")
    decided_at: int = says("the question that decided it; 0 while it is open")
    level: float = says("the level: the chance of a false decision is at most what it lacks to 1")
    to_prove: float = says("the evidence that proves a condition")
    to_refute: float = says("the evidence that refutes one")
    planned: int = says("the planned number of questions; 0 where there is none")
    plan: str = says("what the planned number can prove, in words")
    at_least: int = says("seconds that the questions must span before PROMOTE; 0 where none")
    span: float = says("seconds from the earliest question to the latest")
    waits: str = says("what PROMOTE waits for, whatever is proven; nothing where it need not")
    pairs: int = says("pairs that were read")
    questions: int = says("different questions among them; each counts once")
    repeats: int = says("pairs of questions that were asked before, which count for nothing")
    failures: int = says("questions that the shadow gave no answer to; they count as wrong")
    conditions: tuple[ConditionShown, ...] = says("the conditions of the rule")
    off: tuple[str, ...] = says("conditions that are switched off")
    worst: tuple[LostShown, ...] = says("questions on which the shadow did worse, the worst first")
    mirror: MirrorShown = says("what the mirrors counted")  # noqa: RUF009 (it makes a field)
    live_index: tuple[str, ...] = says("builds of the index that answered in the live arm")
    shadow_index: tuple[str, ...] = says("builds of the index that answered in the shadow arm")
    warnings: tuple[str, ...] = says("what else is to be known")
    unread_bytes: int = says("how much of the run is not read yet; the next look goes on there")


def canary_page(
    watch: CanaryWatch, runs: Sequence[str], unread: int = 0, texts: Texts = "all"
) -> CanaryPage:
    """What a run comes to, as far as it was read."""
    watched, tally, plan = watch.watched, watch.tally, watch.setup.plan
    ahead = {each.name: each for each in outlook(watched)}
    shown = tuple(
        _condition(each, ahead[name], watched, tally) for name, each in watched.evidence.items()
    )
    decision = watched.decision
    on = {each.name for each in plan.conditions}
    return CanaryPage(
        run=watch.run,
        runs=tuple(runs),
        verdict=str(decision.verdict),
        because=because(watched, shown, tally),
        decided_at=decision.question if watched.decided else 0,
        level=plan.level,
        to_prove=round(plan.to_prove, 6),
        to_refute=round(plan.to_refute, 6),
        planned=plan.most,
        plan=_plan(watched, ahead),
        at_least=plan.at_least,
        span=watched.span,
        waits="" if watched.decided or watched.span >= plan.at_least else _span_in_words(watched),
        pairs=tally.pairs,
        questions=watched.questions,
        repeats=tally.repeats,
        failures=tally.failures,
        conditions=shown,
        off=tuple(each.name for each in CONDITIONS if each.name not in on),
        worst=tuple(_lost(each, watch, texts) for each in watch.worst(_blamed(watched), SHOWN)),
        mirror=_mirror(tally),
        live_index=tuple(tally.live_hashes),
        shadow_index=tuple(tally.shadow_hashes),
        warnings=_warnings(tally),
        unread_bytes=unread,
    )


def _condition(found: Evidence, ahead: Outlook, watched: Watched, tally: Tally) -> ConditionShown:
    low, high = found.interval or (None, None)
    now = found.point(watched.questions)
    path = [*found.path.points]
    if watched.questions and (not path or path[-1].question < watched.questions):
        path.append(now)
    return ConditionShown(
        name=found.condition.name,
        title=found.condition.title,
        what=found.condition.metric.says,
        value=found.value,
        questions=found.questions,
        low=low,
        high=high,
        line=str(found.condition.line),
        state=str(found.state),
        at=found.standing.since,
        later=_later(found, watched.decision),
        proving=now.proving,
        refuting=now.refuting,
        note=_note(found, ahead, watched, tally),
        path=tuple(PathPoint(each.question, each.proving, each.refuting) for each in path),
    )


def _later(found: Evidence, decision: Decision) -> str:
    """What was seen after the decision and speaks for another."""
    now, end = found.now, "planned end" if decision.verdict is Verdict.HOLD else "decision"
    if now.state is found.state:
        return ""
    if now.state in (State.PROVEN, State.REFUTED):
        return f"{now.state} at question {now.since:,}, after the {end}"
    if found.state is State.PROVEN:
        return f"no longer proven since question {found.lost_at:,}, after the {end}"
    return ""


def _note(found: Evidence, ahead: Outlook, watched: Watched, tally: Tally) -> str:
    if found.state is State.UNMEASURED:
        return f"{_missing(found, tally)}, {off_in_words([found.condition.name])}"
    if found.state is not State.OPEN or watched.decided:
        return ""
    lost = f"proven before, and no longer since question {found.lost_at:,}; "
    said = lost if found.lost_at else ""
    surely = {State.PROVEN: ahead.proven[1], State.REFUTED: ahead.refuted[1]}
    said += "".join(f"{state} if it goes on like this; " for state in surely if surely[state])
    return said + more_questions(*more_needed([ahead]))


def _missing(found: Evidence, tally: Tally) -> str:
    if found.condition.limit is None or not tally.uncalibrated:
        return found.condition.missing
    by = ", ".join(sorted(tally.uncalibrated))
    return f"ΔS was computed by {by}, without a line: run ragstone retrieval calibrate"


def because(watched: Watched, shown: Sequence[ConditionShown], tally: Tally) -> str:
    """Why it is decided so, or not yet, in one sentence."""
    decision = watched.decision
    if watched.decided and decision.verdict is not Verdict.HOLD:
        at = f"at question {decision.question:,}"
        level = f" at {percent(watched.plan.level)}" if decision.by == "test" else ""
        return f"{decision.why}{level}, {at}"
    if not watched.questions:
        return START
    if watched.all_proven:
        said = f"{all_proven_in_words(watched)} at {percent(watched.plan.level)}, and "
        said += _span_in_words(watched)
        return f"{decision.why}: {said}" if watched.decided else said
    unmeasured = watched.in_state(State.UNMEASURED)
    said = _unmeasured_in_words(unmeasured, tally) if unmeasured else _open_in_words(shown)
    if watched.decided:
        return f"{decision.why}: {said}; {_after_the_end(watched, decision)}"
    return said if unmeasured else f"{said}; {_more_in_words(watched)} if it goes on like this"


def _unmeasured_in_words(found: Sequence[Evidence], tally: Tally) -> str:
    titles = " and ".join(each.condition.title for each in found)
    give = "; ".join(_missing(each, tally) for each in found)
    off = off_in_words([each.condition.name for each in found])
    return f"{titles} cannot be measured: {give}, {off}"


def _span_in_words(watched: Watched) -> str:
    """How long the questions must span before PROMOTE, and how long they span so far."""
    wanted, seen = seconds_in_words(watched.plan.at_least), seconds_in_words(watched.span)
    return f"PROMOTE waits until the questions span {wanted}; they span {seen} so far"


def _open_in_words(shown: Sequence[ConditionShown]) -> str:
    open_ = [each.title for each in shown if each.state == State.OPEN]
    verb = "is" if len(open_) == 1 else "are"
    return f"{len(open_)} of {len(shown)} conditions {verb} open ({'; '.join(open_)})"


def _after_the_end(watched: Watched, decision: Decision) -> str:
    if watched.questions > decision.question:
        return "later questions are shown and decide nothing; a larger --max-questions counts them"
    return _more_in_words(watched)


def _more_in_words(watched: Watched) -> str:
    return more_questions(*more_needed(outlook(watched)))


def _plan(watched: Watched, ahead: dict[str, Outlook]) -> str:
    """What the planned number of questions can prove, one condition after the other."""
    most = watched.plan.most
    if not most:
        return ""
    said = []
    unsettled = (State.OPEN, State.UNMEASURED)
    for name, evidence in watched.evidence.items():
        found, sign = ahead[name], evidence.condition.line.op
        if evidence.state not in unsettled:
            continue
        if not evidence.questions:
            enough = found.at_best is not None and found.at_best <= most
            state = "provable at best" if enough else "not provable"
        else:
            state = str(found.by_then)
        said.append(f"{evidence.condition.title} {sign} {found.provable:.4f} ({state})")
    lead = "as seen so far" if watched.questions else "at best, if both arms answer alike"
    return f"{most:,} questions can prove, {lead}: {'; '.join(said)}" if said else ""


def _blamed(watched: Watched) -> list[str]:
    """The conditions that keep it from being promoted, those that are refuted first."""
    states = (State.REFUTED, State.OPEN, State.PROVEN)
    return [each.condition.name for state in states for each in watched.in_state(state)]


def _lost(found: LostQuestion, watch: CanaryWatch, texts: Texts) -> LostShown:
    titles = {each.name: each.title for each in watch.setup.plan.conditions}
    order = sorted(found.losses, key=lambda name: (-found.losses[name], name))
    return LostShown(
        number=found.number,
        qid=found.qid,
        question=cut(found.pair.question, texts),
        lost=tuple(titles[name] for name in order),
        live_citations=_cites(found.pair.live),
        shadow_citations=_cites(found.pair.shadow) if found.pair.shadow is not None else (),
        failure=found.pair.failure,
    )


def _cites(arm: ArmRecord) -> tuple[str, ...]:
    return tuple(hit.id for hit in arm.answer.citations)


def _mirror(tally: Tally) -> MirrorShown:
    names = ("seen", "left_out", "unread", "dropped", "answered", "failed", "waiting")
    counted = [*tally.mirrors.values()]
    sums: dict[str, int] = {
        name: sum(int(getattr(each, name)) for each in counted) for name in names
    }
    return MirrorShown(mirrors=len(counted), **sums)


def _warnings(tally: Tally) -> tuple[str, ...]:
    said = []
    if len(tally.live_hashes) > 1:
        named = ", ".join(tally.live_hashes)
        said.append(f"the live arm answered from {len(tally.live_hashes)} indexes: {named}")
    both = set(tally.live_hashes) & set(tally.shadow_hashes)
    if both:
        named = ", ".join(sorted(both))
        said.append(f"both arms answered from the same index: {named}")
    return tuple(said)
