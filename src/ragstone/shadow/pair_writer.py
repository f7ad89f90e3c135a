"""The thread that keeps pairs: it computes what is missing of ΔS, and writes to the disk.

It is apart from the thread that asks, so that a slow disk delays no answer of the shadow.
"""

from __future__ import annotations

import queue
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from msgspec.structs import replace

from ragstone.embedders.embed import Embedder, find
from ragstone.errors import RagstoneError
from ragstone.report.private_texts import CLIPPED, Texts
from ragstone.shadow.computed_delta_s import with_delta_s
from ragstone.shadow.live_answer import LiveAnswer
from ragstone.shadow.mirror_settings import MirrorSettings
from ragstone.shadow.pair_files import PairFiles
from ragstone.shadow.pairs import ArmRecord, Hit, Pair
from ragstone.shadow.tally import Tally
from ragstone.worker import Troubles, Worker

COUNTS_EVERY = 30.0


@dataclass(frozen=True, slots=True)
class Finished:
    """A question that the shadow was asked; `number` is its place among those that were seen.

    `done` is called once the pair is on the disk, or given up.
    """

    number: int
    live: LiveAnswer
    shadow: ArmRecord | None
    failure: str
    done: Callable[[], None]


class PairWriter:
    """Writes the pairs of one mirror, and from time to time what it has counted."""

    def __init__(self, settings: MirrorSettings, tally: Tally, troubles: Troubles) -> None:
        self._settings, self._tally = settings, tally
        self._files = PairFiles(settings.data, settings.run)
        self._queue: queue.SimpleQueue[Finished | None] = queue.SimpleQueue()
        self._writing = threading.Lock()
        self._forgotten: list[tuple[int, frozenset[str]]] = []
        self._embedder: Embedder | None = None
        self._said: set[str] = set()
        self._written = tally.counts()
        self._looked: float | None = None
        self._worker = Worker("shadow pairs", self._step, troubles)

    def start(self) -> None:
        self._worker.start()

    def keep(self, finished: Finished) -> None:
        self._queue.put(finished)

    def end(self, seconds: float) -> None:
        """Writes what was handed over, and the last counts; gives up after some seconds."""
        self._queue.put(None)
        self._worker.join(seconds)

    def forget(self, ids: frozenset[str]) -> None:
        """No pair of these questions, traces or ids that was seen until now will be written."""
        with self._writing:
            self._forgotten.append((self._tally.counts().seen, ids))

    def say_once(self, kind: str, says: str) -> None:
        """Tells whoever reads standard error, the first time."""
        if kind not in self._said:
            self._said.add(kind)
            say(says)

    def _begin(self) -> None:
        self._looked = time.monotonic()
        try:
            self._files.make()
            self._embedder = find(self._settings.embedder)
        except Exception as error:
            self.say_once("kept", f"{_words(error)}; questions are counted as dropped")

    def _step(self) -> bool:
        if self._looked is None:
            self._begin()
        try:
            finished = self._queue.get(timeout=COUNTS_EVERY)
        except queue.Empty:
            self._write_counts()
            return True
        if finished is None:
            self._tally.end("the mirror ended")
            self._write_counts()
            return False
        try:
            self._settle(finished)
        finally:
            finished.done()
        if time.monotonic() - (self._looked or 0.0) > COUNTS_EVERY:
            self._looked = time.monotonic()
            self._write_counts()
        return True

    def _settle(self, finished: Finished) -> None:
        """Writes a pair, and counts its question: answered and failed ones are on the disk."""
        try:
            pair = self._pair(finished)
            with self._writing:
                if self._tally.ended:
                    return
                if self._is_forgotten(finished.number, pair):
                    self._tally.settle("dropped", "forgotten before it was kept")
                    return
                self._add(pair)
        except Exception as error:
            # Whatever it is, it concerns nobody who asks the live pipeline.
            says = f"a pair could not be kept: {_words(error)}"
            self._tally.settle("dropped", says)
            self.say_once("kept", f"{says}; such questions are counted as dropped")
            return
        self._tally.settle("failed" if pair.shadow is None else "answered", pair.failure)

    def _pair(self, finished: Finished) -> Pair:
        live, shadow, texts = finished.live, finished.shadow, self._settings.texts
        return Pair(
            id=live.id,
            question=_cut(live.question, texts),
            live=self._kept(live.question, live.arm),
            shadow=None if shadow is None else self._kept(live.question, shadow),
            failure=finished.failure if texts == "all" else finished.failure.partition(":")[0],
            qid=live.qid,
            trace_id=live.trace_id,
            ts=live.ts,
        )

    def _kept(self, question: str, arm: ArmRecord) -> ArmRecord:
        if self._embedder is None:
            self._embedder = find(self._settings.embedder)
        return with_texts(with_delta_s(question, arm, self._embedder), self._settings.texts)

    def _is_forgotten(self, number: int, pair: Pair) -> bool:
        names = (pair.id, pair.qid, pair.trace_id)
        return any(number <= until and not ids.isdisjoint(names) for until, ids in self._forgotten)

    def _add(self, pair: Pair) -> None:
        try:
            self._files.add(pair, time.time())
        except FileNotFoundError:
            # Somebody removed the run; where the folder of live data is gone too, it stays so.
            if not self._settings.data.is_dir():
                raise
            self._files.make()
            self._files.add(pair, time.time())

    def _write_counts(self) -> None:
        with self._writing:
            counts = self._tally.counts()
            if not counts.waiting:
                self._forgotten.clear()
        if counts == self._written:
            return
        try:
            self._files.add(counts, time.time())
            self._written = counts
        except OSError as error:
            self.say_once("counts", f"counts could not be written: {_words(error)}")


def say(text: str) -> None:
    """Tells whoever reads standard error; where that is closed, nobody."""
    with suppress(OSError, ValueError):
        print(f"ragstone: the mirror: {text}", file=sys.stderr, flush=True)


def with_texts(arm: ArmRecord, texts: Texts) -> ArmRecord:
    """The arm with all texts, the beginning of each, or none."""
    if texts == "all":
        return arm
    found, said = arm.retrieval, arm.answer

    def shortened(hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        return tuple(Hit(hit.id, _cut(hit.text, texts)) for hit in hits)

    claim = None if said.claim is None or texts == "none" else _cut(said.claim, texts)
    return replace(
        arm,
        retrieval=replace(found, topk=shortened(found.topk)),
        answer=replace(said, claim=claim, citations=shortened(said.citations)),
    )


def _cut(text: str, texts: Texts) -> str:
    if texts == "all":
        return text
    return text[:CLIPPED] if texts == "clip" else ""


def _words(error: Exception) -> str:
    """What is wrong, in words that quote nothing of the data."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error) if isinstance(error, RagstoneError) else type(error).__name__
