"""Writes traces from a pipeline's own code, one line a question: `docs/tracing.md`.

    trace = TraceFile("trace.jsonl")
    with trace("A1", "Does X take null keys?") as t:
        t.retrieved(["p1#2"])
        t.answer("X rejects null keys.", ["p1#2"])

Every value is checked by the trace contract when it is given. A line is appended in one piece under
a lock of the file, so that threads and processes can share one.
"""

from __future__ import annotations

import json
import os
import stat
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from ragstone.contracts.record import problems
from ragstone.contracts.records.trace_records import TRACE
from ragstone.errors import InputError
from ragstone.file_lock import lock, unlock

# The contract's own words for a refusal; `answer_json.refused` says it as well.
REFUSAL = "not in context"
_LINE_FEED = b"\n"
# A cut line is looked for from the end of the file, so many bytes at a time.
_BACK = 1 << 16


class Trace:
    """What a pipeline does for one question; written when its block ends."""

    def __init__(
        self, write: Callable[[Mapping[str, object]], None], named: Mapping[str, object]
    ) -> None:
        self._write = write
        self._said: dict[str, Any] = {}
        self._answer: dict[str, Any] = {}
        self._echo: dict[str, Any] = {}
        self._stages: dict[str, float] = {}
        self._began: float | None = None
        self._ended = False
        self._keep(self._said, {name: value for name, value in named.items() if value is not None})

    def retrieved(self, ids: Iterable[str], texts: Iterable[str] | None = None) -> None:
        """The ids of what was retrieved, in rank order, and the text of each where it is known."""
        found = {"retrieved_ids": _listed(ids)}
        if texts is not None:
            found["retrieved_texts"] = _listed(texts)
        self._said.pop("retrieved_texts", None)
        self._keep(self._said, found)

    def answer(self, claim: str, citations: Iterable[str] = ()) -> None:
        """The answer, and the ids of what it rests on."""
        self._answered({"claim": claim, "citations": _listed(citations)})

    def refuse(self, claim: str = REFUSAL) -> None:
        """That the pipeline does not answer, in these words."""
        self._answered({"claim": claim, "citations": [], "refused": True})

    def constraints(self, locked: Iterable[str], echo: Iterable[str] | None = None) -> None:
        """The locked constraints that the pipeline was given, and those that its answer echoes."""
        self._keep(self._said, {"constraints": _listed(locked)})
        if echo is not None:
            said = {"constraints_echo": _listed(echo)}
            self._check({"answer_json": said})
            self._echo = said

    def tokens(self, read: float, written: float) -> None:
        """How many tokens the language model read and wrote."""
        self._keep(self._said, {"tokens": {"in": read, "out": written}})

    def cost(self, usd: float) -> None:
        """What the answer cost."""
        self._keep(self._said, {"cost_usd": usd})

    def judge(self, name: str, score: float | bool | str) -> None:
        """What another tool's judge said of the answer: a number, true or false, or a label."""
        self._keep(self._said, {"judge": {**self._said.get("judge", {}), name: score}})

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measures a part of the block: `retrieval`, `rerank`, `llm` or `guard`."""
        if name not in STAGES:
            raise ValueError(f"stage {name!r}: there are {', '.join(STAGES)}")
        began = time.monotonic()
        try:
            yield
        finally:
            took = 1000 * (time.monotonic() - began)
            self._stages[name] = self._stages.get(name, 0.0) + took

    def __enter__(self) -> Trace:
        if self._began is not None:
            raise RuntimeError("a trace is one block; open another one for the next question")
        self._said["ts"] = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._began = time.monotonic()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        took = 1000 * (time.monotonic() - (self._began or 0.0))
        self._ended = True
        line = dict(self._said)
        if error is not None:
            # Without an answer it counts as missing; the message may hold anything, the type not.
            line |= {"ok": False, "reason": type(error).__name__}
        elif self._answer or self._echo:
            line["answer_json"] = {**self._answer, **self._echo}
        line["latency_ms"] = _milliseconds(took)
        if self._stages:
            line["stage_ms"] = {name: _milliseconds(ms) for name, ms in self._stages.items()}
        try:
            self._write(line)
        except InputError as fault:
            if error is None:
                raise
            # What went wrong in the block is what its caller has to know.
            error.add_note(str(fault))

    def _answered(self, answer: dict[str, Any]) -> None:
        self._check({"answer_json": answer})
        self._answer = answer

    def _keep(self, into: dict[str, Any], found: Mapping[str, object]) -> None:
        self._check(found)
        into.update(found)

    def _check(self, found: Mapping[str, object]) -> None:
        """Refuses what the contract does not take, and whatever comes after the block."""
        if self._ended:
            raise RuntimeError("the trace is written already: say it inside of its block")
        named = ", ".join(found)
        try:
            text = json.dumps(found, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise TypeError(f"{named}: expected what JSON can hold: {error}") from None
        for field, reason in problems(TRACE, dict(found), {}):
            raise TypeError(f"{field}: {reason}")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise TypeError(f"{named}: expected text that UTF-8 can hold") from None


STAGES = tuple(field.leaf for field in TRACE.fields if field.path[0] == "stage_ms")


class TraceFile:
    """A file that traces are appended to: `with trace(qid, question) as t`."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Opens the file, or makes it; InputError says why it cannot be written."""
        # Whole, because a service may change its folder, and a child opens the file anew.
        self.path = Path(path).absolute()
        self._given = os.fspath(path)
        self._lock = threading.Lock()
        self._file: int | None = None
        self._file = self._opened()
        _OPEN.add(self)

    def __call__(
        self,
        qid: str | None = None,
        question: str | None = None,
        *,
        trace_id: str | int | None = None,
    ) -> Trace:
        """The trace of one question, as a block."""
        self._must_be_open()
        for name, given in (("qid", qid), ("question", question)):
            if given is not None and not isinstance(given, str):
                raise TypeError(f"{name}: expected a string, found {given!r}")
        if trace_id is not None and (
            isinstance(trace_id, bool) or not isinstance(trace_id, str | int)
        ):
            raise TypeError(f"trace_id: expected a string or a number, found {trace_id!r}")
        if not (qid or question or trace_id):
            raise TypeError("a trace needs a qid, a question or a trace_id")
        return Trace(self._append, {"qid": qid, "q": question, "trace_id": trace_id})

    def close(self) -> None:
        """Nothing can be written any more; closing twice is no mistake."""
        with self._lock:
            if self._file is not None:
                os.close(self._file)
                self._file = None

    def __enter__(self) -> TraceFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_file", None) is not None:
            with suppress(OSError):
                os.close(self._file)  # type: ignore[arg-type]

    def __reduce__(self) -> tuple[type[TraceFile], tuple[str]]:
        """A process that is sent one opens the file itself."""
        return TraceFile, (str(self.path),)

    def _must_be_open(self) -> int:
        if self._file is None:
            raise InputError(f"{self._given} is closed: no trace can be written to it")
        return self._file

    def _opened(self) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        try:
            file = os.open(self.path, flags | getattr(os, "O_BINARY", 0), 0o666)
        except FileNotFoundError:
            folder = Path(self._given).parent
            raise InputError(f"{self._given}: there is no folder {folder}; make it first") from None
        except OSError as error:
            raise self._refused(error) from None
        try:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                raise InputError(f"{self._given}: expected a file that lines are appended to")
            begins = os.pread(file, 1, 0) if hasattr(os, "pread") else b""
            if begins not in (b"", b"{", b"\xef"):
                # The last line of a file that is not ours is never mended.
                raise InputError(f"{self._given} does not hold traces; name another file")
        except BaseException:
            os.close(file)
            raise
        return file

    def _refused(self, error: OSError) -> InputError:
        why = (error.strerror or str(error)).lower()
        return InputError(f"{self._given} cannot be written: {why}")

    def _append(self, found: Mapping[str, object]) -> None:
        """Puts a line behind the others, whole or not at all."""
        line = _line(found)
        with self._lock:
            file = self._must_be_open()
            try:
                with _alone(file) as locked:
                    if locked:
                        self._mend(file)
                    _write_whole(file, line, locked)
            except OSError as error:
                raise self._refused(error) from None

    def _mend(self, file: int) -> None:
        """Removes a last line that a killed writer left without its end."""
        size = os.fstat(file).st_size
        if not size or os.pread(file, 1, size - 1) == _LINE_FEED:
            return
        begins = _start_of_last_line(file, size)
        try:
            json.loads(os.pread(file, size - begins, begins))
        except (ValueError, RecursionError):
            os.ftruncate(file, begins)
            cut = f"{self._given}: the last line was cut when its writer was stopped; it is removed"
            warnings.warn(cut, RuntimeWarning, stacklevel=4)
        else:
            # An editor may leave the line feed out.
            os.write(file, _LINE_FEED)

    def _after_fork(self) -> None:
        """A child has its own lock: one that it shares with its parent keeps neither out."""
        self._lock = threading.Lock()
        if self._file is None:
            return
        with suppress(OSError):
            os.close(self._file)
        self._file = None
        # Where it cannot be opened, the child's first trace says that it is closed.
        with suppress(InputError):
            self._file = self._opened()


_OPEN: weakref.WeakSet[TraceFile] = weakref.WeakSet()


def _reopen() -> None:
    for each in list(_OPEN):
        each._after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reopen)


@contextmanager
def _alone(file: int) -> Iterator[bool]:
    """Inside, no other process appends; False where the system has no such lock."""
    locked = lock(file, wait=True)
    try:
        yield bool(locked)
    finally:
        if locked:
            unlock(file)


def _write_whole(file: int, line: bytes, locked: bool) -> None:
    """All of a line; where that fails, what was written of it is taken back."""
    size = os.fstat(file).st_size
    left = memoryview(line)
    try:
        while left:
            left = left[os.write(file, left) :]
    except BaseException:
        if locked:
            with suppress(OSError):
                os.ftruncate(file, size)
        raise


def _start_of_last_line(file: int, size: int) -> int:
    at = size
    while at:
        start = max(0, at - _BACK)
        found = os.pread(file, at - start, start).rfind(_LINE_FEED)
        if found >= 0:
            return start + found + 1
        at = start
    return 0


def _line(found: Mapping[str, object]) -> bytes:
    return json.dumps(found, ensure_ascii=False, allow_nan=False).encode() + _LINE_FEED


def _listed(given: Iterable[str]) -> Any:
    """A list of what is given; what is none is left for the contract to name."""
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        return given
    # A text of numpy's is a text.
    return [str(each) if isinstance(each, str) else each for each in given]


def _milliseconds(number: float) -> float:
    return round(number, 3)
