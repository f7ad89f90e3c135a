"""Open loop is real: a server that stalls cannot hide its queue, and a load ends by itself."""

from __future__ import annotations

import asyncio

import pytest
import virtual_clock

from ragstone.measure.interval import quantile_linear
from ragstone.targets.protocol import Answer, Ask
from ragstone.targets.sweep import Arrival, Load, open_loop

ASKS = [Ask(f"q{n}", "Who?") for n in range(7)]


class Server:
    """Answers in 50 ms, but for the two seconds from 15 s on, in which it answers nobody."""

    stall = (15.0, 17.0)

    def __init__(self) -> None:
        self.asked: list[tuple[float, str]] = []

    async def ask(self, ask: Ask) -> Answer:
        loop = asyncio.get_running_loop()
        self.asked.append((loop.time(), ask.qid))
        begin, end = self.stall
        if begin <= loop.time() < end:
            await asyncio.sleep(end - loop.time())
        await asyncio.sleep(0.05)
        return Answer({"claim": "X."})

    async def close(self) -> None:
        """Nothing is held."""


class Silent(Server):
    async def ask(self, ask: Ask) -> Answer:
        await asyncio.Event().wait()
        raise AssertionError


def p95(latencies: list[float]) -> float:
    return quantile_linear([(value, 1) for value in sorted(latencies)], 0.95)


def measured(load: Load, server: Server) -> tuple[list[Arrival], float]:
    return virtual_clock.run(open_loop(server, ASKS, load))


async def closed_loop(server: Server, requests: int, rps: float) -> list[float]:
    """The client this is not: it asks again when it has an answer, and times from there."""
    clock = asyncio.get_running_loop().time
    latencies = []
    for _ in range(requests):
        begin = clock()
        await server.ask(ASKS[0])
        latencies.append((clock() - begin) * 1000)
        await asyncio.sleep(max(0.0, begin + 1 / rps - clock()))
    return latencies


def test_a_stall_of_two_seconds_shows_in_p95_and_a_closed_loop_hides_it():
    arrivals, _ = measured(Load(5, 30, warmup=0), Server())
    hidden, _ = virtual_clock.run(closed_loop(Server(), 150, 5))
    assert len(arrivals) == len(hidden) == 150
    assert p95(hidden) == pytest.approx(50)
    # Ten of the 150 arrived in the stall and waited for its end: 2.0, 1.8, ... 0.2 seconds.
    late = sorted((a.latency_ms for a in arrivals if a.latency_ms > 51), reverse=True)
    assert late == pytest.approx([2050 - 200 * n for n in range(10)])
    assert p95([a.latency_ms for a in arrivals]) > 400


def test_requests_arrive_by_the_clock():
    server = Server()
    arrivals, _ = measured(Load(4, 5, warmup=0), server)
    assert [a.planned for a in arrivals] == [n / 4 for n in range(20)]
    assert [moment for moment, _ in server.asked] == pytest.approx([n / 4 for n in range(20)])


def test_the_warm_up_is_asked_and_not_measured():
    server = Server()
    arrivals, _ = measured(Load(10, 1, warmup=0.5), server)
    assert len(server.asked) == 15
    assert len(arrivals) == 10
    assert arrivals[0].planned == 0
    # Every load measures the same questions, whatever its warm-up was.
    assert [a.reply.ask.qid for a in arrivals][:3] == ["q0", "q1", "q2"]


def test_a_load_never_outlives_its_duration_by_more_than_the_time_out():
    load = Load(5, 10, warmup=2, timeout=3)
    arrivals, took = measured(load, Silent())
    assert took <= 2 + 10 + 3
    assert {a.reply.failure.reason for a in arrivals if a.reply.failure} == {"timeout"}
    assert [a.latency_ms for a in arrivals] == pytest.approx([3000] * 50)


def test_waiting_for_a_place_counts_and_so_does_giving_it_up():
    """With one request in flight at a time, the queue before it is part of the latency."""
    load = Load(40, 1, warmup=0, timeout=0.5, concurrency=1)
    arrivals, took = measured(load, Server())
    assert took <= 1 + 0.5 + 1e-9
    assert arrivals[0].latency_ms == pytest.approx(50)
    assert arrivals[4].latency_ms == pytest.approx(150)
    assert arrivals[-1].reply.failure is not None
    assert arrivals[-1].latency_ms == pytest.approx(500)
