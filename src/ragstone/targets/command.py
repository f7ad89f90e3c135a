"""`cmd:PROGRAM ARGS`: long-lived processes that read a JSON line and write a JSON line.

Each answer must be the answer to its own question. One line too many on standard output would put
every later answer under the next question, so a process may print one line for each question and
nothing else. A request carries an `id`: a reply that repeats it is certain. A reply without one is
taken only from a process that never prints a line too many; when it does, all that it answered
without an id is withdrawn.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import shlex
import shutil
from dataclasses import dataclass, field

import msgspec

from ragstone.contracts.record import shown
from ragstone.contracts.strict_json import NotJson, parse
from ragstone.errors import ConfigError
from ragstone.targets.child_process import LINE_LIMIT, Child, TooLong
from ragstone.targets.masks import Masks
from ragstone.targets.protocol import Answer, Ask, NoAnswer, Opening, answer_of
from ragstone.targets.secret_words import secrets_in, shown_address

_SECONDS_TO_END = 2.0
# Longer where a line too many would take back answers: it may show only when the process ends.
_SECONDS_TO_SHOW = 5.0
_INSTEAD = "a process prints one JSON line for each question, and all else to standard error"


@dataclass(frozen=True, slots=True)
class _Worker:
    """A process, and the questions whose answers rest on its printing one line for each."""

    child: Child
    unproven: list[Ask] = field(default_factory=list)


class _OutOfTurn(NoAnswer):
    """The process printed something that no question asked for."""

    def __init__(self, says: str) -> None:
        super().__init__("bad_answer", f"{says}; {_INSTEAD}")


class Command:
    """A pool of processes, started as they are needed, one for each question in flight.

    A process answers one question at a time. One that dies is replaced; one that is late or speaks
    out of turn is ended, because its next line would be taken for the answer to the next question.
    """

    def __init__(self, words: list[str], opening: Opening, masks: Masks) -> None:
        self._words = words
        self._masks = masks
        self._withdraw = opening.withdraw
        self._allow_key = opening.endpoint.allow_key
        self._free = asyncio.Semaphore(opening.concurrency)
        self._idle: list[_Worker] = []
        # Random, because a program may number its own lines: a plain count could fit by chance.
        self._requests = (f"{os.urandom(6).hex()}-{number}" for number in itertools.count(1))
        self._repeats_ids = False

    async def ask(self, ask: Ask) -> Answer:
        async with self._free:
            worker = self._idle.pop() if self._idle else await self._start()
            keep = False
            try:
                reply, keep = await self._exchange(worker, ask)
                answer = answer_of(reply, self._allow_key)
                if not keep:
                    worker.unproven.append(ask)
                    keep = True
            except _OutOfTurn as error:
                self._distrust(worker, error)
                raise
            finally:
                if keep:
                    self._idle.append(worker)
                else:
                    await asyncio.shield(worker.child.end(0))
        return answer

    async def _start(self) -> _Worker:
        try:
            return _Worker(await Child.start(self._words, self._masks))
        except OSError as error:
            raise NoAnswer("exited", f"{self._words[0]}: {error.strerror}") from None

    async def _exchange(self, worker: _Worker, ask: Ask) -> tuple[object, bool]:
        """The reply without its id, and whether its id was that of the request."""
        output, request = worker.child.output, next(self._requests)
        if printed := output.waiting():
            raise _OutOfTurn(f"the process printed {self._quoted(printed)} without being asked")
        asked = msgspec.json.encode({"id": request, **ask.body()}) + b"\n"
        try:
            line = await worker.child.exchange(asked)
        except TooLong:
            raise NoAnswer("bad_answer", f"a line of more than {LINE_LIMIT:,} bytes") from None
        if not line.endswith(b"\n"):
            ended = await worker.child.last_words(_SECONDS_TO_END)
            raise NoAnswer("exited", f"the process ended with {ended}", again=True)
        reply = self._parsed(line)
        given = reply.pop("id", None)
        if given is None and not self._repeats_ids:
            if printed := output.waiting():
                raise _OutOfTurn(f"the process printed {self._quoted(printed)} after its reply")
            return reply, False
        if given != request:
            # The ids themselves are not shown: the same failure is the same line in every run.
            named = (
                "no id, though an earlier one had"
                if given is None
                else "another id than its request"
            )
            raise _OutOfTurn(f"the reply has {named}")
        self._repeats_ids = True
        return reply, True

    def _parsed(self, line: bytes) -> dict[str, object]:
        try:
            value = parse(line.strip())
            if self._masks.may_be_in(line):
                # A program that repeats its key does not get it written into the traces.
                value = self._masks.value(value)
        except NotJson as error:
            said = f"the process printed {self._quoted(line)}, which is not JSON: {error}"
            if line.lstrip().startswith(b"{"):
                # An answer that was written badly, and no line too many.
                raise NoAnswer("bad_answer", said) from None
            raise _OutOfTurn(said) from None
        if not isinstance(value, dict):
            raise _OutOfTurn(f"expected an object, the process printed {self._quoted(line)}")
        return value

    def _quoted(self, printed: bytes) -> str:
        """The first line of it, as a message shows it."""
        text = printed[:10_000].decode("utf-8", "replace").strip()
        return shown(self._masks.text(text).partition("\n")[0])

    def _distrust(self, worker: _Worker, why: NoAnswer) -> None:
        """Withdraws what the process answered without an id: it may belong to other questions."""
        says = f"withdrawn, for this reply had no id and later {why.says}"
        for ask in worker.unproven:
            self._withdraw(ask, NoAnswer("bad_answer", says))

    async def close(self) -> None:
        idle, self._idle = self._idle, []
        await asyncio.gather(*map(self._retire, idle))

    async def _retire(self, worker: _Worker) -> None:
        """Ends an idle process; an answer that is left over belonged to an earlier question."""
        waiting = worker.child.output.waiting()
        left = await worker.child.end(_SECONDS_TO_SHOW if worker.unproven else _SECONDS_TO_END)
        # A word of farewell, printed when its input was closed, is no answer.
        if waiting or any(line.lstrip().startswith(b"{") for line in left.splitlines()):
            said = f"the process printed {self._quoted(left.strip())} without being asked"
            self._distrust(worker, _OutOfTurn(said))


def open_command(address: str, opening: Opening) -> Command:
    wrong = f"--target {shown_address(address)!r}"
    try:
        words = shlex.split(address.removeprefix("cmd:"))
    except ValueError as error:
        raise ConfigError(f"{wrong}: {error}") from None
    if not words or shutil.which(words[0]) is None:
        raise ConfigError(f"{wrong}: there is no program {words[0] if words else ''}")
    return Command(words, opening, Masks.of(secrets_in(address)))
