"""`cmd:PROGRAM ARGS`: long-lived processes that read a JSON line and write a JSON line."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import signal
from asyncio.subprocess import PIPE, Process
from collections import deque
from contextlib import suppress
from dataclasses import dataclass

import msgspec

from ragstone.contracts.strict_json import NotJson, parse
from ragstone.errors import ConfigError
from ragstone.targets.protocol import Answer, Ask, NoAnswer, Opening, answer_of, shown_address
from ragstone.targets.secret_words import secrets_in, without

_LINE_LIMIT = 64 * 1024 * 1024
_SECONDS_TO_END = 2.0


@dataclass(frozen=True, slots=True)
class _Worker:
    """A process, its last lines on standard error, and the task that reads them."""

    process: Process
    complaints: deque[str]
    listening: asyncio.Task[None]


class Command:
    """A pool of processes, started as they are needed, one for each question in flight.

    A process answers one question at a time. One that dies is replaced; one that is late is killed,
    because its next line would be taken for the answer to the next question.
    """

    def __init__(self, words: list[str], size: int, secrets: tuple[str, ...] = ()) -> None:
        self._words = words
        self._secrets = secrets
        self._free = asyncio.Semaphore(size)
        self._idle: list[_Worker] = []

    async def ask(self, ask: Ask) -> Answer:
        async with self._free:
            worker = self._idle.pop() if self._idle else await self._start()
            try:
                line = await _exchange(worker, msgspec.json.encode(ask.body()) + b"\n")
            except BaseException:
                await asyncio.shield(_ended(worker, 0))
                raise
            self._idle.append(worker)
        try:
            return answer_of(parse(line.strip()))
        except NotJson as error:
            raise NoAnswer("bad_answer", f"the line is not JSON: {error}") from None

    async def _start(self) -> _Worker:
        try:
            process = await asyncio.create_subprocess_exec(
                *self._words,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                limit=_LINE_LIMIT,
                # Ctrl-C at the terminal must not reach the process: it may finish its question.
                start_new_session=True,
            )
        except OSError as error:
            raise NoAnswer("exited", f"{self._words[0]}: {error.strerror}") from None
        complaints: deque[str] = deque(maxlen=5)
        return _Worker(process, complaints, asyncio.create_task(self._listen(process, complaints)))

    async def _listen(self, process: Process, complaints: deque[str]) -> None:
        """Reads standard error as it comes; a pipe that is full would block the process."""
        while process.stderr is not None and (part := await process.stderr.read(65536)):
            text = without(self._secrets, part.decode("utf-8", "replace"))
            complaints.extend(line.strip()[:200] for line in text.splitlines() if line.strip())

    async def close(self) -> None:
        idle, self._idle = self._idle, []
        await asyncio.gather(*(_ended(worker, _SECONDS_TO_END) for worker in idle))


def open_command(address: str, opening: Opening) -> Command:
    try:
        words = shlex.split(address.removeprefix("cmd:"))
    except ValueError as error:
        raise ConfigError(f"--target {shown_address(address)!r}: {error}") from None
    if not words or shutil.which(words[0]) is None:
        raise ConfigError(
            f"--target {shown_address(address)!r}: there is no program {words[0] if words else ''}"
        )
    return Command(words, opening.concurrency, secrets_in(address))


async def _exchange(worker: _Worker, line: bytes) -> bytes:
    """Writes a line to the process and reads the line it answers with."""
    process = worker.process
    if process.stdin is None or process.stdout is None:
        raise NoAnswer("exited", "the process has no pipes")
    try:
        process.stdin.write(line)
        await process.stdin.drain()
        reply = await process.stdout.readline()
    except (ConnectionError, RuntimeError):
        reply = b""
    except ValueError:
        raise NoAnswer("bad_answer", f"a line of more than {_LINE_LIMIT:,} bytes") from None
    if not reply.endswith(b"\n"):
        code = await process.wait()
        with suppress(TimeoutError):
            async with asyncio.timeout(_SECONDS_TO_END):
                await asyncio.shield(worker.listening)
        last = worker.complaints[-1] if worker.complaints else "it said nothing"
        raise NoAnswer("exited", f"the process ended with {code}: {last}", again=True)
    return reply


async def _ended(worker: _Worker, patience: float) -> None:
    """Closes the input of the process, which tells it to end, and kills it if it does not."""
    process = worker.process
    if process.stdin is not None:
        process.stdin.close()
    try:
        if process.returncode is None:
            async with asyncio.timeout(patience):
                await process.wait()
    except TimeoutError:
        # The whole group: killing only a shell would leave the program running that it waits for.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    worker.listening.cancel()
    await asyncio.gather(worker.listening, return_exceptions=True)
