"""A process of `cmd:`: started so that it dies with us, written to and read from by lines."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from contextlib import suppress

from ragstone.targets.masks import Masks

LINE_LIMIT = 64 * 1024 * 1024
_CHUNK = 65536

# On Linux the kernel can be asked to kill a process when its parent dies, however that dies. The
# process has to ask for it itself, after the fork. `preexec_fn` would do that in a copy of this
# process, which may hang: another thread (the progress bar has one) can hold a lock at the fork
# that nobody releases in the copy. So a fresh interpreter asks, and then becomes the program. If
# we died before it asked, its parent is another one by then, and it ends at once. Python ignores
# two signals, and a program would inherit that.
_DIES_WITH_US = """
import contextlib, os, signal, sys
parent, *words = sys.argv[1:]
with contextlib.suppress(ImportError, AttributeError, OSError):
    import ctypes
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
if os.getppid() != int(parent):
    sys.exit("ragstone ended before the program was started")
for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
    signal.signal(ignored, signal.SIG_DFL)
try:
    os.execvp(words[0], words)
except OSError as error:
    sys.exit(f"{words[0]}: {error.strerror}")
"""


def _dying_with_us(words: list[str]) -> list[str]:
    # In a program that was frozen into one file, `sys.executable` is that program and no Python.
    if sys.platform != "linux" or not sys.executable or getattr(sys, "frozen", False):
        return words
    return [sys.executable, "-I", "-S", "-c", _DIES_WITH_US, str(os.getpid()), *words]


class TooLong(Exception):
    """A line of more than LINE_LIMIT bytes."""


class Output:
    """The standard output of a process.

    A stream of asyncio cannot say whether something is in the pipe; this can, and does not wait.
    """

    def __init__(self, file: int) -> None:
        os.set_blocking(file, False)
        self._file = file
        self._held = bytearray()
        self._ended = False

    def _fill(self) -> bool:
        """Takes what is in the pipe, up to a chunk; False when there is nothing now."""
        if self._ended:
            return False
        try:
            part = os.read(self._file, _CHUNK)
        except BlockingIOError:
            return False
        self._ended = not part
        self._held += part
        return bool(part)

    def waiting(self) -> bytes:
        """What was printed and not read yet, or the beginning of it; blank lines do not count."""
        self._fill()
        return bytes(self._held).strip()

    async def line(self) -> bytes:
        """The next line that is not blank; without its line feed if the output ended before it."""
        while (line := await self._any_line()).isspace():
            # A process that prints blank lines without end must not keep others from their turn.
            await asyncio.sleep(0)
        return line

    async def _any_line(self) -> bytes:
        looked = 0
        while (end := self._held.find(b"\n", looked)) < 0 and not self._ended:
            looked = len(self._held)
            if looked > LINE_LIMIT:
                raise TooLong
            if not self._fill() and not self._ended:
                await self._readable()
        size = len(self._held) if end < 0 else end + 1
        line = bytes(self._held[:size])
        del self._held[:size]
        return line

    async def _readable(self) -> None:
        loop = asyncio.get_running_loop()
        found: asyncio.Future[None] = loop.create_future()

        def readable() -> None:
            if not found.done():
                found.set_result(None)

        loop.add_reader(self._file, readable)
        try:
            await found
        finally:
            loop.remove_reader(self._file)

    async def keep_reading(self) -> None:
        """Reads as it comes: a process that ends must not block on a full pipe."""
        while not self._ended and len(self._held) <= LINE_LIMIT:
            if not self._fill():
                await self._readable()

    def rest(self) -> bytes:
        """All that is left, of a process that has ended."""
        while len(self._held) <= LINE_LIMIT and self._fill():
            continue
        return bytes(self._held)

    def close(self) -> None:
        os.close(self._file)


class Child:
    """A running process: its output, and its last lines on standard error."""

    def __init__(self, process: Process, output: Output, masks: Masks) -> None:
        self._process = process
        self._masks = masks
        self._complaints: deque[str] = deque(maxlen=5)
        self._listening = asyncio.create_task(self._listen())
        self.output = output

    @classmethod
    async def start(cls, words: list[str], masks: Masks) -> Child:
        """Starts the program; OSError when that is impossible."""
        readable, writable = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                *_dying_with_us(words),
                stdin=PIPE,
                stdout=writable,
                stderr=PIPE,
                # Ctrl-C at the terminal must not reach the process: it may finish its question.
                start_new_session=True,
            )
        except BaseException:
            os.close(readable)
            raise
        finally:
            os.close(writable)
        return cls(process, Output(readable), masks)

    async def _listen(self) -> None:
        """Reads standard error as it comes; a pipe that is full would block the process."""
        stream = self._process.stderr
        while stream is not None and (part := await stream.read(_CHUNK)):
            text = self._masks.text(part.decode("utf-8", "replace"))
            self._complaints.extend(
                line.strip()[:200] for line in text.splitlines() if line.strip()
            )

    async def exchange(self, line: bytes) -> bytes:
        """Writes a line and reads the next one; empty or cut off when the process has ended."""
        stream = self._process.stdin
        if stream is None:
            return b""
        # One that has ended cannot be written to; what it printed before that can still be read.
        with suppress(ConnectionError, RuntimeError):
            stream.write(line)
            await stream.drain()
        return await self.output.line()

    async def last_words(self, patience: float) -> str:
        """How it ended, and what it said last."""
        code = await self._process.wait()
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await asyncio.shield(self._listening)
        return f"{code}: {self._complaints[-1] if self._complaints else 'it said nothing'}"

    async def end(self, patience: float) -> bytes:
        """Closes its input, which tells it to end, or kills it; returns what it still printed."""
        process = self._process
        if process.stdin is not None:
            process.stdin.close()
        reading = asyncio.create_task(self.output.keep_reading())
        try:
            if process.returncode is None:
                async with asyncio.timeout(patience):
                    await process.wait()
        except TimeoutError:
            # The whole group: killing only a shell would leave the program it waits for.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        for task in (reading, self._listening):
            task.cancel()
        await asyncio.gather(reading, self._listening, return_exceptions=True)
        left = self.output.rest()
        self.output.close()
        return left
