"""The journal: an append-only file of the replies so far, and the lines they become.

Line 1 names the target; every further line is one reply under the key of its ask, or the SHA-256
of a finished file that was written from it. A line reaches
the kernel in one write before the next question is asked, so a killed run loses the questions in
flight and nothing else. A last line without its line feed was cut: it is moved to a file beside
the journal, with `.torn` at its end. A journal that is a link is refused.
"""

from __future__ import annotations

import datetime
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from ragstone.contracts.answer_texts import citations_of, claim_of
from ragstone.errors import InputError
from ragstone.file_lock import lock
from ragstone.own_files import open_own, write_own
from ragstone.suites.answers.refusal_rules import REFUSAL
from ragstone.targets.protocol import Ask, NoAnswer, Reply

FORMAT = 1
_BEGINS = b'{"journal":'
_WROTE = re.compile(rb'\{"wrote":"([0-9a-f]{64})"\}\n')
# These differ from run to run; everything else is what the target answered.
MEASURED = ("ts", "latency_ms", "stage_ms")
_AXES = ("paraphrase", "seed", "jitter", "knobs")
T = TypeVar("T")


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line: the fields of the trace, and apart from them those that a clock measured."""

    key: str
    record: dict[str, object]
    measured: dict[str, object] = {}
    failed: bool = False
    withdrawn: bool = False


class _Header(msgspec.Struct, frozen=True):
    journal: int
    target: str


class _Stub(msgspec.Struct, frozen=True):
    """The part of an entry that resuming needs; msgspec skips the rest without building it."""

    key: str
    failed: bool = False
    withdrawn: bool = False


class Journal:
    """The journal of one target; `answered` and `failed` map keys to the offsets of their lines.

    `wrote` has the SHA-256 of every finished file: what it wrote itself it may replace.
    """

    def __init__(
        self, path: str | Path, target: str, *, fresh: bool = False, resume: bool = False
    ) -> None:
        """Opens or begins it; `fresh` empties it, `resume` refuses one of another target."""
        self.path = Path(path)
        self._resume = resume
        self.answered: dict[str, int] = {}
        self.failed: dict[str, int] = {}
        self.wrote: set[str] = set()
        self._file = _opened(self.path)
        try:
            self._must_be_a_journal()
            if fresh:
                self.wrote = _finished(self.path)
            self._end = self._begun(target) if fresh else self._read(target)
        except BaseException:
            os.close(self._file)
            raise

    def _must_be_a_journal(self) -> None:
        """Refuses a file that is not ours: a journal is truncated where its last line was cut."""
        with self.path.open("rb") as file:
            begins = file.read(len(_BEGINS))
        if not _BEGINS.startswith(begins):
            raise InputError(f"{self.path} is not a journal of ragstone; name another file")

    def _read(self, target: str) -> int:
        """Reads the keys, cuts off an incomplete last line, and returns where to append."""
        end, header = 0, None
        with self.path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    write_own(self.path.with_name(f"{self.path.name}.torn"), [line])
                    os.ftruncate(self._file, end)
                    break
                if number == 1:
                    header = self._decoded(line, number, _Header)
                else:
                    finished = _WROTE.fullmatch(line)
                    if finished is None:
                        self._keep(self._decoded(line, number, _Stub), end)
                    else:
                        self.wrote.add(finished[1].decode())
                end += len(line)
        if header is not None and self._fits(header, target):
            return end
        self.failed.clear()
        return self._begun(target)

    def _begun(self, target: str) -> int:
        """Drops every reply, and returns where to append; which files it wrote is not forgotten."""
        os.ftruncate(self._file, 0)
        header = msgspec.json.encode(_Header(FORMAT, target)) + b"\n"
        return self._append(header + b"".join(map(_wrote_line, sorted(self.wrote))), 0)

    def _fits(self, header: _Header, target: str) -> bool:
        """Whether this run may continue it; one that holds no answer is simply started anew."""
        if header == _Header(FORMAT, target):
            return True
        if not self.answered and not self._resume:
            return False
        other = "" if header.journal == FORMAT else " by another version of ragstone"
        raise InputError(
            f"{self.path} holds answers of {header.target}{other}, not of {target}; write to "
            "another file with -o, or give --fresh to drop them"
        )

    def _decoded(self, line: bytes, number: int, kind: type[T]) -> T:
        try:
            return msgspec.json.decode(line, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise self._broken(number, error) from None

    def _broken(self, number: int, error: Exception) -> InputError:
        why = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error
        return InputError(f"{self.path}:{number}: journal: {why}; --fresh drops it and asks again")

    def _keep(self, entry: _Stub | Entry, offset: int) -> None:
        if entry.withdrawn:
            self.answered.pop(entry.key, None)
        if not entry.failed:
            self.answered[entry.key] = offset
            self.failed.pop(entry.key, None)
        elif entry.key not in self.answered:
            self.failed[entry.key] = offset

    def write(self, key: str, reply: Reply, attempts: int) -> None:
        """Appends the reply to the ask of this key; the kernel has it before this returns."""
        measured = measured_of(reply, attempts)
        self._record(Entry(key, record_of(reply), measured, failed=reply.failure is not None))

    def withdraw(self, key: str, ask: Ask, why: NoAnswer) -> None:
        """Appends that the answer on record is none after all, and counts as a failure."""
        record = record_of(Reply(ask, None, why, 0.0, 0.0))
        self._record(Entry(key, record, failed=True, withdrawn=True))

    def noting(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """The lines of a finished file; at their end, before it gets its name, it is noted."""
        content = hashlib.sha256()
        for line in lines:
            content.update(line)
            yield line
        if (digest := content.hexdigest()) not in self.wrote:
            self.wrote.add(digest)
            self._end = self._append(_wrote_line(digest), self._end)

    def _record(self, entry: Entry) -> None:
        start = self._end
        self._end = self._append(msgspec.json.encode(entry) + b"\n", start)
        self._keep(entry, start)

    def _append(self, line: bytes, end: int) -> int:
        # One write for the whole line: if the process is killed, only the end of it can be missing.
        view = memoryview(line)
        try:
            while view:
                view = view[os.write(self._file, view) :]
        except OSError as error:
            raise InputError(f"{self.path}: cannot be written: {error.strerror}") from None
        return end + len(line)

    def entries(self, keys: Iterable[str]) -> Iterator[Entry]:
        """The latest reply to each key, in the order of the keys; an answer wins over a failure."""
        with self.path.open("rb") as file:
            for key in keys:
                offset = self.answered.get(key, self.failed.get(key))
                if offset is not None:
                    file.seek(offset)
                    yield self._entry(file.readline(), offset)

    def _entry(self, line: bytes, offset: int) -> Entry:
        """Reads a whole entry; only its key was looked at when the journal was opened."""
        try:
            entry = msgspec.json.decode(line, type=Entry)
            needed = ("qid", "q", "reason", "error") if entry.failed else ("qid", "q")
            missing = [name for name in needed if not isinstance(entry.record.get(name), str)]
            if not missing:
                return entry
            error: Exception = ValueError(f"the record has no {missing[0]}")
        except (msgspec.MsgspecError, UnicodeDecodeError) as found:
            error = found
        with self.path.open("rb") as file:
            number = sum(1 for _ in iter(file.readline, b"") if file.tell() <= offset) + 1
        raise self._broken(number, error)

    def close(self) -> None:
        os.close(self._file)


def _wrote_line(digest: str) -> bytes:
    return b'{"wrote":"%s"}\n' % digest.encode()


def _finished(path: Path) -> set[str]:
    """What the finished files hold, also where other lines of the journal are broken."""
    with path.open("rb") as file:
        return {line[1].decode() for line in map(_WROTE.fullmatch, file) if line is not None}


def _opened(path: Path) -> int:
    """Refuses a second run on the same journal: the two would ask everything twice."""
    try:
        file = open_own(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    if lock(file) is False:
        os.close(file)
        raise InputError(f"{path} is in use by another run")
    return file


def record_of(reply: Reply) -> dict[str, object]:
    """The fields of the trace that no clock measured; a failure has a reason instead of an answer.

    >>> from ragstone.targets.protocol import Ask, NoAnswer
    >>> late = NoAnswer("timeout", "no answer within 30 s")
    >>> record_of(Reply(Ask("A1", "Who?"), None, late, 0.0, 30000.0))
    {'qid': 'A1', 'q': 'Who?', 'ok': False, 'reason': 'timeout', 'error': 'no answer within 30 s'}
    """
    ask, answer, failure = reply.ask, reply.answer, reply.failure
    record: dict[str, object] = {"qid": ask.qid, "q": ask.q}
    # What the run does not vary is left out.
    varied = ((name, getattr(ask, name)) for name in _AXES)
    record.update((name, value) for name, value in varied if value not in (None, {}))
    if answer is None:
        reason = "exception" if failure is None else failure.reason
        says = "" if failure is None else failure.says
        return {**record, "ok": False, "reason": reason, "error": says}
    record["retrieved_ids"] = list(answer.retrieved_ids)
    if answer.answer_json is not None:
        record["answer_json"] = dict(answer.answer_json)
    if answer.tokens:
        record["tokens"] = dict(answer.tokens)
    if answer.cost_usd is not None:
        record["cost_usd"] = answer.cost_usd
    return {**record, **answer.extra}


def measured_of(reply: Reply, attempts: int) -> dict[str, object]:
    """The measured fields: when it was asked, and how long the last attempt and its stages took."""
    moment = datetime.datetime.fromtimestamp(reply.ts, datetime.UTC)
    measured: dict[str, object] = {
        "ts": moment.isoformat(timespec="milliseconds"),
        "latency_ms": round(reply.latency_ms, 3),
    }
    if reply.answer is not None and reply.answer.stage_ms:
        measured["stage_ms"] = dict(reply.answer.stage_ms)
    return {**measured, "attempts": attempts}


def trace_line(record: Mapping[str, object], measured: Mapping[str, object]) -> dict[str, object]:
    """A line of traces, with the measured fields that its contract has."""
    return {**record, **{name: measured[name] for name in MEASURED if name in measured}}


def run_line(record: Mapping[str, object], measured: Mapping[str, object]) -> dict[str, object]:
    """A line of runs for the stability suite, with an id that no other run has.

    >>> run_line({"qid": "A1", "seed": 2, "jitter": "punct"}, {})["run_id"]
    'A1#seed=2;j=punct'
    """
    name = f"{record['qid']}#seed={record.get('seed', 0)};j={record.get('jitter', 'none')}"
    if "paraphrase" in record:
        name += f";p={record['paraphrase']}"
    return {"run_id": name, **trace_line(record, measured)}


def timing_line(record: Mapping[str, object], measured: Mapping[str, object]) -> dict[str, object]:
    """A line of the timings file: which ask, and everything that was measured."""
    which = {name: record[name] for name in ("qid", *_AXES) if name in record}
    return {**which, **measured}


def log_line(record: Mapping[str, object], measured: Mapping[str, object]) -> dict[str, object]:
    """A line of a retrieval log.

    A target that gives ids without scores gets 1/rank for them, which keeps the order. A refusal
    has no `answer_citations`.
    """
    line: dict[str, object] = {"qid": record["qid"], "query": record["q"]}
    line.update((name, record[name]) for name in _AXES if name in record)
    topk = line["topk"] = _topk(record)
    cited = None if _says_refused(record) else _citations(record.get("answer_json"), topk)
    if cited is not None:
        line["answer_citations"] = cited
    used = ("q", "retrieved_ids", "answer_json", "topk")
    rest = {name: value for name, value in record.items() if name not in used}
    return trace_line({**line, **rest}, measured)


def _topk(record: Mapping[str, object]) -> list[object]:
    topk = record.get("topk")
    if isinstance(topk, list):
        return topk
    ids = record.get("retrieved_ids")
    ranked = ids if isinstance(ids, list) else []
    return [{"id": id, "score": 1 / rank} for rank, id in enumerate(ranked, 1)]


def _says_refused(record: Mapping[str, object]) -> bool:
    """Whether the pipeline itself calls its answer a refusal."""
    answer = record.get("answer_json")
    said = answer.get("refused") if isinstance(answer, dict) else None
    return (record.get("refused") if said is None else said) is True


def _citations(answer: object, topk: list[object]) -> list[dict[str, object]] | None:
    """The citations of the answer, with their offsets where `topk` has them."""
    if not isinstance(answer, dict):
        return None
    claim = claim_of(answer)
    if claim is None or claim.strip().casefold() in ("", REFUSAL):
        return None
    places = {
        item["id"]: {"offsets": item["offsets"]}
        for item in topk
        if isinstance(item, dict) and isinstance(item.get("id"), str) and item.get("offsets")
    }
    return [{"id": id, **places.get(id, {})} for id in citations_of(answer)]
