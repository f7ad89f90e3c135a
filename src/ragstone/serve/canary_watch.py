"""A watched canary: reads the pairs of a run as they come, and keeps what they come to.

What is kept does not grow with the pairs, but for 16 bytes of each text and of each qid of gold, by
which a question is known when it is asked again.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from ragstone.progress import doing
from ragstone.serve.alert_rules import Rule
from ragstone.serve.canary_evidence import Plan, Stop, Watched
from ragstone.serve.canary_gold import CanaryGold
from ragstone.serve.canary_questions import AskedQuestions
from ragstone.serve.canary_values import Golds, Lines, QuestionNumbers, line_of, numbers_of
from ragstone.serve.canary_windows import ShadowWindows
from ragstone.serve.window_numbers import WindowSettings
from ragstone.shadow.followed_pairs import FollowedPairs
from ragstone.shadow.pair_files import Counts, Line, PairFiles
from ragstone.shadow.pairs import Pair

# So many lines are judged at once: more cost memory, fewer cost time.
BATCH = 2_000
# So many questions are kept for each condition, the worst first.
KEPT = 10
_ENCODER = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class CanarySetup:
    """What is decided, and by what pairs are judged."""

    plan: Plan
    gold: CanaryGold
    shadow_gold: CanaryGold
    lines: Lines
    windows: WindowSettings
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class LostQuestion:
    """A question on which the shadow did worse: by how much in which condition."""

    number: int
    pair: Pair
    qid: str
    losses: Mapping[str, float]

    @property
    def total(self) -> float:
        return math.fsum(self.losses.values())


@dataclass(slots=True)
class Tally:
    """What the lines were: pairs, repeats, answers that did not come, builds of the indexes."""

    pairs: int = 0
    repeats: int = 0
    failures: int = 0
    mirrors: dict[str, Counts] = field(default_factory=dict)
    live_hashes: list[str] = field(default_factory=list)
    shadow_hashes: list[str] = field(default_factory=list)
    uncalibrated: set[str] = field(default_factory=set)


class CanaryWatch:
    """One run of a shadow, as far as it was read."""

    def __init__(self, files: PairFiles, setup: CanarySetup) -> None:
        self.setup, self._followed = setup, FollowedPairs(files)
        self.run = files.run
        self._windows = ShadowWindows(setup.windows, setup.rules, setup.shadow_gold.judging)
        self._begin()

    def _begin(self) -> None:
        self.watched = Watched(self.setup.plan)
        self.tally = Tally()
        self._asked = AskedQuestions(self.setup.gold)
        self._lost: dict[str, list[LostQuestion]] = {}
        self._content = hashlib.sha256()
        # What stops in the middle has counted some of its lines: then all are read again.
        self._unsure = False

    def read(self, most: int | None = None) -> int:
        """Reads what is new, at most so many lines; says how many bytes are left to read."""
        if self._followed.begun_anew(self._unsure):
            self._unsure = True
            self._windows.close()
            setup = self.setup
            self._windows = ShadowWindows(setup.windows, setup.rules, setup.shadow_gold.judging)
            self._begin()
        left = most
        while left is None or left > 0:
            lines = self._followed.next(BATCH if left is None else min(BATCH, left))
            if not lines:
                break
            self._unsure = True
            self._take(lines)
            self._unsure = False
            left = None if left is None else left - len(lines)
        return self._followed.left()

    def read_all(self) -> int:
        """Reads all that there is, and tells how far it is; says how many bytes are left."""
        total = left = self._followed.left()
        with doing("reading the pairs", total, "B", step="reading") as task:
            while (now := self.read(BATCH)) < left:
                task.done, left = total - now, now
        # What was written since, by a mirror that goes on.
        return self.read()

    def _take(self, lines: Sequence[Line]) -> None:
        pairs = [*self._pairs(lines)]
        fresh = [self._asked.is_new(pair) for pair in pairs]
        setup = self.setup
        conditions = setup.plan.conditions
        asked = [pair for pair, new in zip(pairs, fresh, strict=True) if new]
        numbers = iter(
            numbers_of(asked, Golds(setup.gold, setup.shadow_gold), conditions, setup.lines)
            if asked
            else ()
        )
        alarm = self._alarm(pairs, fresh)
        for pair, new in zip(pairs, fresh, strict=True):
            coming = self.watched.questions + new
            stop = self._drift(pair)
            if stop is None and alarm is not None and coming >= alarm[0]:
                stop = Stop("alerts", f"two alert windows of the shadow in a row: {alarm[1]}")
            if new:
                self._add(pair, next(numbers), stop)
            else:
                self.watched.roll_back(stop)
        self.tally.pairs += len(pairs)
        self.tally.repeats += len(pairs) - len(asked)

    def _pairs(self, lines: Iterable[Line]) -> Iterator[Pair]:
        for line in lines:
            self._content.update(_ENCODER.encode(line))
            if line.counts is not None:
                self.tally.mirrors[line.counts.mirror] = line.counts
            if line.pair is not None:
                yield line.pair

    def _alarm(self, pairs: Sequence[Pair], fresh: Sequence[bool]) -> tuple[int, str] | None:
        """The question with which windows alarm; none is looked at after the decision."""
        if self.watched.decided:
            return None
        question = self.watched.questions
        for pair, new in zip(pairs, fresh, strict=True):
            question += new
            if pair.shadow is not None:
                qid = self.setup.gold.qid_of(pair.qid, pair.question)
                self._windows.add(line_of(pair, pair.shadow, qid, question), question)
        return self._windows.alarming()

    def _drift(self, pair: Pair) -> Stop | None:
        """What is wrong with the index of the shadow, where a second build of it answers."""
        live, tally = pair.live.retrieval.index_hash, self.tally
        if live and live not in tally.live_hashes:
            tally.live_hashes.append(live)
        found = pair.shadow.retrieval.index_hash if pair.shadow is not None else ""
        if not found or found in tally.shadow_hashes:
            return None
        tally.shadow_hashes.append(found)
        if len(tally.shadow_hashes) < 2:
            return None
        before = tally.shadow_hashes[0]
        return Stop("index", f"the index of the shadow changed from {before} to {found}")

    def _add(self, pair: Pair, found: QuestionNumbers, stop: Stop | None) -> None:
        self.watched.add(found.values, stop, pair.ts)
        if pair.shadow is None:
            self.tally.failures += 1
        if found.uncalibrated:
            self.tally.uncalibrated.add(found.uncalibrated)
        losses = {
            each.name: loss
            for each in self.setup.plan.conditions
            if (value := found.values.get(each.name)) is not None and (loss := each.loss(value)) > 0
        }
        qid = self.setup.gold.qid_of(pair.qid, pair.question) or pair.qid
        lost = LostQuestion(self.watched.questions, pair, qid, losses)
        for name in losses:
            kept = self._lost.setdefault(name, [])
            kept.append(lost)
            kept.sort(key=lambda each: (-each.losses[name], -each.total, each.number))
            del kept[KEPT:]

    def worst(self, names: Iterable[str], most: int) -> list[LostQuestion]:
        """The questions on which the shadow lost most in these conditions, taken in turns."""
        lists = [self._lost.get(name, []) for name in names]
        turns = [
            each for place in range(KEPT) for some in lists for each in some[place : place + 1]
        ]
        return [*{each.number: each for each in turns}.values()][:most]

    @property
    def content(self) -> str:
        """The SHA-256 of all lines that were read."""
        return self._content.hexdigest()

    def close(self) -> None:
        self._windows.close()
