"""What a mirror costs the caller: paired requests with and without it, whatever the shadow does.

    python checks/mirror.py                      # every state of the shadow
    python checks/mirror.py --pairs 50 --states healthy,gone --share 1

Two uvicorns serve the same app, one as it is and one behind the mirror. The app searches an
embedded index. They are two processes, so that the work of the mirror's own threads is felt by
none but its own server. Two clients ask at a time over kept connections, in pairs with the same
question, in an order that is drawn for each pair; so what slows the machine slows both.

Six rounds are made, each with new servers, because two processes are never treated quite alike.
Printed are the medians, the median over rounds of the median difference in a pair, and the least
and the largest of these: with six rounds, an interval that holds the true median in 96.9 of 100
cases, whatever the spread is like (a sign test). Then come the 99th percentiles, and the counts.

The shadow is `none` (neither server has a mirror: so far apart are two servers that are alike),
`healthy` (another index, asked over HTTP in another process), `inside` (the same
index within the server's own process), `stalled` (takes the question and never answers), `failing`
(answers 500), `gone` (nobody listens) or `slow disk` (healthy, and each write takes 50 ms).
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any

STATES = ("none", "healthy", "inside", "stalled", "failing", "gone", "slow disk")
ROUNDS = 6
WARM_UP = 20
# Milliseconds without and with the mirror, pair by pair.
Times = list[tuple[float, float]]
_JSON = (b"content-type", b"application/json")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pairs", type=int, default=300, help="in each of six rounds")
    parser.add_argument("--share", type=float, default=0.1)
    parser.add_argument("--states", default=",".join(STATES))
    parser.add_argument("--clients", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(f"share {given.share:g}, {ROUNDS} rounds of {given.pairs:,} pairs of requests each\n")
    head = ("shadow", "plain", "mirrored", "difference", "six rounds", "p99 plain", "p99 mirr.")
    print("{:<10} {:>9} {:>9} {:>11} {:>19} {:>9} {:>9}  counts".format(*head))
    with tempfile.TemporaryDirectory() as folder:
        index = built_index(Path(folder))
        for state in given.states.split(","):
            with shadow(state, index) as target:
                measure(Path(folder), state, index, target, given)
        took = asyncio.run(own_steps(folder))
    print(f"\nthe mirror's own steps between request and answer: {took:.1f} µs in the median")


def measure(folder: Path, state: str, index: Path, target: str, given: argparse.Namespace) -> None:
    """Asks both servers in some rounds, and prints a line."""
    environment = {
        "BENCH_STATE": state,
        "BENCH_INDEX": str(index),
        "BENCH_TARGET": target,
        "BENCH_SHARE": str(given.share),
        "BENCH_DATA": str(folder / f"data-{state.replace(' ', '-')}"),
    }
    rounds = [a_round(environment, given, number) for number in range(ROUNDS)]
    show(state, rounds, counted(Path(environment["BENCH_DATA"])) if target else "")


def a_round(environment: dict[str, str], given: argparse.Namespace, number: int) -> Times:
    without = {**environment, "BENCH_TARGET": ""}
    with served(without) as plain, served(environment) as mirrored:
        seeds = range(number * given.clients, (number + 1) * given.clients)
        each = given.pairs // given.clients
        clients = [Client(plain.port, mirrored.port, each, given.seed + seed) for seed in seeds]
        with ThreadPoolExecutor(given.clients) as threads:
            for done in [threads.submit(client.run) for client in clients]:
                done.result()
    return [time for client in clients for time in client.times]


# The app that is measured, as its own process.


def built_index(folder: Path) -> Path:
    """An index of made-up documents: 2,000 sections about numbered options."""
    chance = Random(7)
    words = ["cache", "queue", "shard", "token", "limit", "retry", "event", "batch", "alert"]
    docs = folder / "docs"
    docs.mkdir()
    for number in range(20):
        parts = []
        for section in range(100):
            text = " ".join(chance.choices(words, k=40))
            parts.append(f"## Option {number * 100 + section}\n\nIt sets {text}.\n")
        (docs / f"page{number}.md").write_text(f"# Page {number}\n\n" + "\n".join(parts))
    command = [sys.executable, "-m", "ragstone", "index", "build", str(docs), "-o", "live.index"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "live.index"


def application() -> Any:
    """The ASGI app of the measured process: told what to do by its environment."""
    from ragstone.index.extractive import Answerer
    from ragstone.index.store import open_index
    from ragstone.shadow import Mirror
    from ragstone.targets.embedded import answer_from

    if os.environ["BENCH_STATE"] == "slow disk":
        _slow_disk()
    index = open_index(os.environ["BENCH_INDEX"])
    answerer = Answerer(index.ranker.idf)

    async def ask(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        q = json.loads((await receive())["body"])["q"]
        hits = index.ranker.search(q, 10, "hybrid")
        said = {
            "answer_json": answer_from(answerer.best(q, hits[:5]), index.header.threshold),
            "retrieved_ids": [hit.chunk.id for hit in hits],
            "retrieved_texts": [hit.chunk.text for hit in hits],
            "index_hash": index.header.index_hash,
        }
        start = {"type": "http.response.start", "status": 200}
        await send({**start, "headers": [_JSON]})
        await send({"type": "http.response.body", "body": json.dumps(said).encode()})

    if not os.environ["BENCH_TARGET"]:
        return ask
    return Mirror(
        ask,
        os.environ["BENCH_TARGET"],
        share=float(os.environ["BENCH_SHARE"]),
        data=os.environ["BENCH_DATA"],
        queue=100,
        timeout=5.0,
        closing=1.0,
    )


async def _lifespan(receive: Any, send: Any) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


def _slow_disk() -> None:
    """Writes of pairs take 50 ms each, as on a disk over a bad network."""
    from ragstone.shadow.pair_files import PairFiles

    add = PairFiles.add

    def slowly(self: PairFiles, line: Any, now: float) -> None:
        time.sleep(0.05)
        add(self, line, now)

    PairFiles.add = slowly  # type: ignore[method-assign]


class Served:
    """The app in a process of its own."""

    def __init__(self, environment: dict[str, str]) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        words = ["--factory", "mirror:application", "--port", str(self.port)]
        self._child = subprocess.Popen(
            [sys.executable, "-m", "uvicorn", *words, "--log-level", "warning"],
            cwd=Path(__file__).parent,
            env={**os.environ, **environment},
        )
        for _ in range(600):
            with socket.socket() as trying:
                if trying.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.1)
        self.end()
        raise SystemExit("the app did not start")

    def end(self) -> None:
        self._child.terminate()
        self._child.wait(60)


@contextmanager
def served(environment: dict[str, str]) -> Iterator[Served]:
    made = Served(environment)
    try:
        yield made
    finally:
        made.end()


class Client:
    """Asks pairs of questions over one connection to each server; `times` are milliseconds."""

    def __init__(self, plain: int, mirrored: int, pairs: int, seed: int) -> None:
        self._pairs, self._chance, self._seed = pairs, Random(seed), seed
        self._servers = [
            http.client.HTTPConnection("127.0.0.1", port, timeout=60) for port in (plain, mirrored)
        ]
        self.times: Times = []

    def run(self) -> None:
        for number in range(-WARM_UP, self._pairs):
            option = self._chance.randrange(2_000)
            question = f"What does option {option} set, in case {self._seed}.{number}?"
            took = [0.0, 0.0]
            for which in self._chance.sample((0, 1), 2):
                took[which] = self._ask(which, question)
            if number >= 0:
                self.times.append((took[0], took[1]))

    def _ask(self, which: int, question: str) -> float:
        """Milliseconds from the first byte that is sent to the last that is read."""
        connection = self._servers[which]
        body = json.dumps({"q": question}).encode()
        began = time.perf_counter()
        connection.request("POST", "/ask", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        took = (time.perf_counter() - began) * 1000
        if answer.status != 200:
            raise SystemExit(f"the app answered {answer.status}")
        return took


def counted(data: Path) -> str:
    """What the mirrors counted, as a sum; each question that was answered or failed has a pair."""
    from ragstone.shadow.pair_files import PairFiles

    files = PairFiles(data)
    counts = files.counts()
    names = ("left_out", "unread", "dropped", "answered", "failed", "waiting")
    parts = {name: sum(getattr(each, name) for each in counts) for name in names}
    seen, kept = sum(each.seen for each in counts), sum(1 for _ in files.pairs())
    if kept != parts["answered"] + parts["failed"]:
        raise SystemExit(f"{kept} pairs are kept, and counted were {counts}")
    if sum(parts.values()) != seen:
        raise SystemExit(f"the counts do not add up: {counts}")
    told = " + ".join(f"{count:,} {name}" for name, count in parts.items() if count)
    return f"{seen:,} = {told}"


async def own_steps(folder: str, calls: int = 20_000) -> float:
    """Microseconds that a request takes longer in the mirror's own code, without any server."""
    from ragstone.shadow import Mirror

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b'{"q": "What does option 7 set?"}'}

    async def send(message: Any) -> None:
        """Takes it."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": [_JSON]})
        await send({"type": "http.response.body", "body": b'{"answer_json": {"claim": "x"}}'})

    names = ("host", "accept", "user-agent", "content-length", "traceparent")
    headers = [(name.encode(), b"x") for name in names] + [_JSON]
    scope = {"type": "http", "method": "POST", "path": "/ask", "headers": headers}
    mirror: Any = Mirror(app, "py:json:loads", share=0.0, data=Path(folder) / "own")
    took: dict[Any, list[float]] = {app: [], mirror: []}
    for _ in range(calls):
        for each, times in took.items():
            began = time.perf_counter()
            await each(scope, receive, send)
            times.append((time.perf_counter() - began) * 1e6)
    mirror.close(0)
    return median(took[mirror]) - median(took[app])


# The shadow, in each of its states.


@contextmanager
def shadow(state: str, index: Path) -> Iterator[str]:
    """The address of a shadow in this state."""
    if state == "none":
        yield ""
    elif state == "inside":
        yield f"index:{index}"
    elif state == "gone":
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        yield f"http://127.0.0.1:{port}/ask"
    else:
        behaves = state if state in ("stalled", "failing") else "healthy"
        words = [sys.executable, __file__, "--shadow", behaves]
        child = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(child.stdout.readline())}/ask"
        finally:
            child.kill()
            child.communicate()


class _Shadow(BaseHTTPRequestHandler):
    behaves = "healthy"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.behaves == "stalled":
            threading.Event().wait()
        answer = {"claim": f"You asked: {asked['q']}", "citations": ["s1"]}
        hits = [{"id": f"s{place}", "text": "It sets a limit. " * 20} for place in range(1, 11)]
        found = {"retrieved_ids": [hit["id"] for hit in hits], "topk": hits}
        body = json.dumps({"answer_json": answer, **found, "index_hash": "next"}).encode()
        self.send_response(500 if self.behaves == "failing" else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def be_a_shadow(behaves: str) -> None:
    _Shadow.behaves = behaves
    with ThreadingHTTPServer(("127.0.0.1", 0), _Shadow) as server:
        print(server.server_port, flush=True)
        server.serve_forever()


# What came of it.


def show(state: str, rounds: list[Times], counts: str) -> None:
    pairs = [pair for times in rounds for pair in times]
    plain, mirrored = ([pair[which] for pair in pairs] for which in (0, 1))
    differences = [median(after - before for before, after in times) for times in rounds]
    interval = f"{min(differences):+.3f} to {max(differences):+.3f}"
    tails = [quantiles(each, n=100)[98] for each in (plain, mirrored)]
    print(
        f"{state:<10} {median(plain):>6.3f} ms {median(mirrored):>6.3f} ms "
        f"{median(differences):>+8.3f} ms {interval:>16} ms "
        f"{tails[0]:>6.2f} ms {tails[1]:>6.2f} ms  {counts}",
        flush=True,
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--shadow"]:
        be_a_shadow(sys.argv[2])
    else:
        main()
