"""How `ragstone run` tells how far it is: as every other command does, and never with `--quiet`."""

from __future__ import annotations

import asyncio
import io

import pytest
from virtual_clock import run as run_virtually

from ragstone.progress import BETWEEN_LINES
from ragstone.targets import runner
from ragstone.targets.protocol import Answer, Ask, Reply
from ragstone.targets.runner import Meter, meter

REPLY = Reply(Ask("Q1", "Who?"), Answer(), None, 0.0, 1.0)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def counted(clock: Clock, said: list[str], total: int = 100) -> Meter:
    return Meter(total, 0, BETWEEN_LINES, lambda now: said.append(now.status), clock=clock)


def test_a_line_comes_as_often_as_that_of_other_commands() -> None:
    clock, said = Clock(), []
    lines = counted(clock, said)
    for _ in range(95):
        clock.now += 0.5
        lines.note(REPLY)
    assert len(said) == int(47.5 // BETWEEN_LINES)
    assert said[0] == "2.0/s, 40 s left, 0 failed"


def test_a_line_comes_also_while_nothing_is_answered() -> None:
    said: list[str] = []

    async def waiting() -> None:
        clock = asyncio.get_running_loop().time
        watching = asyncio.create_task(
            Meter(8, 0, BETWEEN_LINES, lambda now: said.append(now.status), clock=clock).watch()
        )
        await asyncio.sleep(3 * BETWEEN_LINES + 1)
        watching.cancel()

    run_virtually(waiting())
    assert said == ["0.0/s, 0 failed"] * 3


def test_a_run_that_shows_nothing_has_nothing_to_watch() -> None:
    with meter(8, 0, None) as quiet:
        asyncio.run(asyncio.wait_for(quiet.watch(), 1))


def test_a_stream_that_is_no_terminal_gets_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "BETWEEN_LINES", 0.0)
    stream = io.StringIO()
    with meter(2, 0, stream) as lines:
        lines.note(REPLY)
    assert [line.split(",")[0] for line in stream.getvalue().splitlines()] == ["1/2", "1/2"]
