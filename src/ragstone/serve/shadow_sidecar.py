"""A mirror that is fed by what the server stores: records, traces, and traces of spans.

A record is on the disk before it is mirrored, and one that came before is not mirrored again. Who
sends records waits for neither.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path

import msgspec

from ragstone.contracts.strict_json import parse
from ragstone.errors import InputError
from ragstone.serve.frames import Stored
from ragstone.serve.minute_rows import Line
from ragstone.shadow.live_answer import LiveAnswer, Unread, arm_in, name_in
from ragstone.shadow.mirror_settings import MirrorSettings
from ragstone.shadow.pair_files import Counts, PairFiles, runs_in
from ragstone.shadow.pair_writer import say
from ragstone.shadow.question_mirror import QuestionMirror
from ragstone.shadow.shadow_target import opened
from ragstone.worker import Troubles

# Traces of spans are joined again after a crash; those of these days are known by their pairs.
_DAYS = 2


class _Asked(msgspec.Struct):
    """The question of a record: all that has to be read of one that is left out."""

    question: object = None
    q: object = None


_QUESTIONS = msgspec.json.Decoder(_Asked)


class Sidecar:
    """The mirror of one server; nothing that it is told of raises or waits."""

    def __init__(self, settings: MirrorSettings, troubles: Troubles) -> None:
        # A mistake of whoever starts the server, who is told now; the mirror opens its own.
        asyncio.run(opened(settings).close())
        self.run = settings.run
        self._mirror = QuestionMirror(settings, troubles)
        self._known = _traces_in(PairFiles(settings.data, settings.run))
        self._mirror.start()

    def hear(self, new: list[tuple[Stored, str]]) -> None:
        """Records that were stored; spans are heard of when their trace is whole."""
        for record, _ in new:
            if record.kind != "span":
                self._mirror.offer(partial(_of_record, record), len(record.text))

    def hear_trace(self, line: Line) -> None:
        """A trace that spans were joined to."""
        if line.id not in self._known:
            self._mirror.offer(partial(_of_trace, line), len(line.text))

    def counts(self) -> Counts:
        return self._mirror.counts()

    def forget(self, ids: Collection[str]) -> None:
        """What waits of these questions, traces or ids is not written."""
        self._mirror.forget(ids)

    def close(self) -> None:
        self._mirror.close()


def forget_pairs(data: Path, ids: Collection[str]) -> int:
    """Takes the pairs of these questions, traces or ids off the disk, of every run."""
    return sum(PairFiles(data, run).forget(ids) for run in runs_in(data))


def remove_pairs_before(data: Path, moment: float) -> int:
    """Removes the files of pairs of days that ended before a moment, of every run."""
    return sum(PairFiles(data, run).remove_before(moment) for run in runs_in(data))


def _traces_in(files: PairFiles) -> frozenset[str]:
    """The traces that have a pair."""
    try:
        pairs = (line.pair for line in files.lines(_DAYS))
        return frozenset(pair.id for pair in pairs if pair and pair.id == pair.trace_id)
    except (InputError, OSError) as error:
        say(str(error))
        return frozenset()


def _of_record(record: Stored, is_chosen: Callable[[str], bool]) -> LiveAnswer | None:
    question = _question(record.text)
    if not is_chosen(question):
        return None
    arm = arm_in(parse(record.text.encode()))
    return LiveAnswer(question, arm, record.id, record.moment, qid=record.qid, trace_id=record.name)


def _of_trace(line: Line, is_chosen: Callable[[str], bool]) -> LiveAnswer | None:
    question = _question(line.text)
    if not is_chosen(question):
        return None
    value = parse(line.text.encode())
    qid = name_in(value, "qid", "q_id")
    return LiveAnswer(question, arm_in(value), line.id, line.moment, qid=qid, trace_id=line.id)


def _question(text: str) -> str:
    asked = _QUESTIONS.decode(text)
    for said in (asked.question, asked.q):
        if isinstance(said, str) and said.strip():
            return said
    raise Unread("there is no question: neither question nor q is a text")
