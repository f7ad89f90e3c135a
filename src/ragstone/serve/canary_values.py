"""From pairs to the numbers of a watched canary: both answers judged as live records are.

A question counts once, by its first pair. Where the shadow gave no answer, it counts as wrong in
every number that the live answer has.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from ragstone.contracts.records.live_record import as_trace
from ragstone.contracts.records.retrieval_records import STATES
from ragstone.engine.duck import Duck
from ragstone.scratch import keep
from ragstone.serve.canary_conditions import DELTA_S_MEDIAN, Condition
from ragstone.serve.canary_gold import CanaryGold, GoldItem
from ragstone.serve.minute_rows import Line, judged_lines
from ragstone.shadow.pairs import ArmRecord, Pair
from ragstone.suites.retrieval.metrics import LINE
from ragstone.suites.retrieval.options import RetrievalOptions
from ragstone.suites.statements import sql_of


@dataclass(frozen=True, slots=True)
class Lines:
    """The calibrated line of an embedder, where there is one."""

    embedder: str = ""
    line: float = LINE

    def scale(self, by: str) -> float | None:
        """What a limit of the specification is multiplied by for a ΔS; None where nothing is known.

        A ΔS that the pipeline reports is on the scale of the specification; one that was computed
        here is on that of its embedder, which means nothing before it is calibrated.
        """
        if not by:
            return 1.0
        return self.line / LINE if by == self.embedder else None


def lines_of(options: RetrievalOptions) -> Lines:
    line = options.delta_s_line
    return Lines() if line is None else Lines(options.delta_s_line_for or "", line)


@dataclass(frozen=True, slots=True)
class ArmNumbers:
    """What is known of one answer."""

    covered: float | None = None
    own_coverage: float | None = None
    cites: bool = False
    accurate: bool | None = None
    delta_s: float | None = None
    divergent: bool | None = None
    recall: float | None = None


@dataclass(frozen=True, slots=True)
class QuestionNumbers:
    """The numbers of a question, by the names of the conditions; `uncalibrated` is the embedder of
    a ΔS that could not be used."""

    values: Mapping[str, float | None]
    uncalibrated: str = ""


def trace_of(pair: Pair, arm: ArmRecord, qid: str) -> dict[str, object]:
    """What an arm said, as the trace of a live record."""
    states = tuple(each for each in arm.retrieval.lambda_states if each in STATES)
    final = arm.answer.lambda_final if arm.answer.lambda_final in STATES else ""
    plain = replace(
        arm,
        retrieval=replace(arm.retrieval, lambda_states=states),
        answer=replace(arm.answer, lambda_final=final),
    )
    made: dict[str, object] = msgspec.json.decode(msgspec.json.encode(plain))
    whole = as_trace({**made, "qid": qid or None, "question": pair.question, "ts": pair.ts})
    took = arm.perf.latency_ms
    return whole if took is None else {**whole, "latency_ms": took}


def line_of(pair: Pair, arm: ArmRecord, qid: str, number: int) -> Line:
    text = json.dumps(trace_of(pair, arm, qid), ensure_ascii=False)
    return Line(pair.ts, str(number), text)


@dataclass(frozen=True, slots=True)
class Golds:
    """The gold set with the ids of each index: after re-chunking, the same evidence has others."""

    live: CanaryGold
    shadow: CanaryGold


def numbers_of(
    pairs: Sequence[Pair], golds: Golds, conditions: Iterable[Condition], lines: Lines
) -> list[QuestionNumbers]:
    """The numbers of each pair; each arm is judged at once, by the gold set with its ids."""
    qids = [golds.live.qid_of(pair.qid, pair.question) for pair in pairs]
    asked = [(place, pair, qids[place]) for place, pair in enumerate(pairs)]
    live = _judged([(place, pair, pair.live, qid) for place, pair, qid in asked], golds.live)
    shadow = _judged(
        [
            (place, pair, pair.shadow, qid if qid in golds.shadow.items else "")
            for place, pair, qid in asked
            if pair.shadow is not None
        ],
        golds.shadow,
    )
    limit = next((each.limit for each in conditions if each.metric is DELTA_S_MEDIAN), None)
    return [
        _numbers(pair, live[place], shadow.get(place), limit, lines)
        for place, pair in enumerate(pairs)
    ]


_Asked = tuple[int, Pair, ArmRecord, str]


def _judged(asked: Sequence[_Asked], gold: CanaryGold) -> dict[int, ArmNumbers]:
    """Every answer by its place, as the windows of live records judge it."""
    found: dict[int, ArmNumbers] = {}
    with Duck(1) as duck:
        lines = (line_of(pair, arm, qid, place) for place, pair, arm, qid in asked)
        if not judged_lines(duck, lines, gold.judging):
            return found
        anchored = _anchored(duck, asked, gold)
        rows = duck.query(
            "select covered, cited, accurate, delta_s, divergent from judged order by trace_row"
        )
    for (place, _, arm, qid), row in zip(asked, rows, strict=True):
        covered, cites, accurate, delta_s, divergent = row
        item = gold.items.get(qid)
        own = arm.answer.coverage
        found[place] = ArmNumbers(
            covered=_by_gold(covered, place in anchored) if item and item.groups else None,
            own_coverage=None if own is None else min(1.0, max(0.0, own)),
            cites=bool(cites),
            accurate=None if accurate is None else bool(accurate),
            delta_s=None if delta_s is None else float(str(delta_s)),
            divergent=None if divergent is None else bool(divergent),
            recall=_recall(item, arm),
        )
    return found


def _by_gold(covered: object, anchored: bool) -> float:
    return 1.0 if anchored else float(str(covered))


def _recall(item: GoldItem | None, arm: ArmRecord) -> float | None:
    return None if item is None else item.recall([hit.id for hit in arm.retrieval.topk])


def _anchored(duck: Duck, asked: Sequence[_Asked], gold: CanaryGold) -> set[int]:
    """The places of answers that cite something in the anchor section of their question."""
    cites = [
        {"place": place, "id": hit.id, "anchor": item.anchor}
        for place, _, arm, qid in asked
        if (item := gold.items.get(qid)) is not None and item.anchor
        for hit in arm.answer.citations
    ]
    if not cites:
        return set()
    duck.define(sql_of("ragstone.suites.retrieval", "sections.sql", own=""))
    told = keep(duck.scratch, (json.dumps(each).encode() + b"\n" for each in cites))
    columns = "columns = {place: 'BIGINT', id: 'VARCHAR', anchor: 'VARCHAR'}"
    rows = duck.query(
        f"select distinct place from read_json('{told}', {columns}) "
        "where within(section_of(id), anchor)"
    )
    return {int(str(place)) for (place,) in rows}


def _numbers(
    pair: Pair, live: ArmNumbers, shadow: ArmNumbers | None, limit: float | None, lines: Lines
) -> QuestionNumbers:
    measured, by = shadow or live, (pair.shadow or pair.live).answer.delta_s_by
    scale = lines.scale(by)
    far = None if scale is None or limit is None else limit * scale
    beside = shadow or ArmNumbers(recall=0.0, divergent=True)
    values = {
        "coverage": _coverage(live, shadow),
        "citation_accuracy": _accuracy(live, shadow),
        "delta_s_median": _within(live, shadow, far),
        "recall": _difference(live.recall, beside.recall),
        "flips": _difference(live.divergent, beside.divergent),
    }
    return QuestionNumbers(values, by if scale is None and measured.delta_s is not None else "")


def _coverage(live: ArmNumbers, shadow: ArmNumbers | None) -> float | None:
    """Both arms by the same rule: by gold, else their own word, else whether they cite."""
    arms = (live, shadow) if shadow is not None else (live,)
    for told in (
        [each.covered for each in arms],
        [each.own_coverage for each in arms],
        # Where neither answer cites anything, none could have cited worse.
        [float(each.cites) for each in arms if any(one.cites for one in arms)],
    ):
        known = [value for value in told if value is not None]
        if len(known) == len(arms):
            return (known[1] if shadow is not None else 0.0) - known[0]
    return None


def _accuracy(live: ArmNumbers, shadow: ArmNumbers | None) -> float | None:
    if shadow is None:
        return None if live.accurate is None else 0.0
    return None if shadow.accurate is None else float(shadow.accurate)


def _within(live: ArmNumbers, shadow: ArmNumbers | None, limit: float | None) -> float | None:
    if limit is None:
        return None
    if shadow is None:
        return None if live.delta_s is None else 0.0
    return None if shadow.delta_s is None else float(shadow.delta_s <= limit)


def _difference(live: float | None, shadow: float | None) -> float | None:
    return None if live is None or shadow is None else float(shadow) - float(live)
