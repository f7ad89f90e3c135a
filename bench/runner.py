#!/usr/bin/env python3
"""How many questions a second can the runner ask? Against a loopback server that answers at once.

    bench/runner.py [--questions 20000] [--concurrency 16 64]

Server and runner are processes of their own, as they would be in life. The server also counts how
many questions it has in hand, which shows that the bound on them is kept.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ANSWER = json.dumps(
    {
        "answer_json": {"claim": "X rejects null keys.", "citations": ["p1#2"]},
        "retrieved_ids": ["p1#1", "p1#2", "p2#1"],
        "stage_ms": {"retrieval": 1.5, "llm": 3.25},
    }
).encode()
REPLY = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(ANSWER), ANSWER)


class Instant(asyncio.Protocol):
    """Answers every request with the same bytes, as soon as the whole of it is there."""

    most = in_hand = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.held = b""

    def data_received(self, data: bytes) -> None:
        self.held += data
        head, blank, body = self.held.partition(b"\r\n\r\n")
        if not blank:
            return
        length = int(head.lower().rpartition(b"content-length:")[2].split(b"\r\n")[0])
        if len(body) < length:
            return
        self.held = body[length:]
        if b'"most?"' in body:
            self.reply(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n%4d" % Instant.most)
            return
        # The reply waits for the next turn of the loop: what came together is seen together.
        Instant.in_hand += 1
        Instant.most = max(Instant.most, Instant.in_hand)
        asyncio.get_running_loop().call_soon(self.answer)

    def answer(self) -> None:
        Instant.in_hand -= 1
        self.reply(REPLY)

    def reply(self, data: bytes) -> None:
        if isinstance(self.transport, asyncio.WriteTransport):
            self.transport.write(data)


async def serve() -> None:
    server = await asyncio.get_running_loop().create_server(Instant, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def most_in_hand(port: int) -> int:
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("POST", "/", '"most?"')
    return int(connection.getresponse().read())


def cpu_seconds() -> float:
    """What ended processes took: steadier than the clock on a busy machine."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime


def measure(folder: Path, questions: int, concurrency: int) -> None:
    server = subprocess.Popen(
        [sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True
    )
    try:
        port = int(server.stdout.readline()) if server.stdout else 0
        command = [
            sys.executable, "-m", "ragstone", "run", "--no-config", "--fresh", "--quiet", "--json",
            "--gold", str(folder / "gold.jsonl"), "--target", f"http://127.0.0.1:{port}/ask",
            "-o", str(folder / "trace.jsonl"), "--concurrency", str(concurrency),
        ]  # fmt: skip
        start, used = time.perf_counter(), cpu_seconds()
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        seconds, used = time.perf_counter() - start, cpu_seconds() - used
        answered = json.loads(done.stdout)["answered"]
        if answered != questions:
            raise SystemExit(f"{answered:,} of {questions:,} answered")
        print(
            f"concurrency {concurrency:>3}: {questions:,} questions in {seconds:.2f} s, "
            f"{questions / seconds:,.0f}/s from start to finished file, "
            f"{used / questions * 1e6:.0f} µs of CPU each; "
            f"at most {most_in_hand(port)} in hand"
        )
    finally:
        server.kill()
        server.communicate()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=20_000)
    parser.add_argument("--concurrency", type=int, nargs="+", default=[8, 16, 64])
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        asyncio.run(serve())
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "gold.jsonl").open("w") as file:
            for number in range(arguments.questions):
                item = {"qid": f"Q{number}", "question": f"What is {number}?", "answerable": True}
                file.write(json.dumps(item) + "\n")
        for concurrency in arguments.concurrency:
            measure(folder, arguments.questions, concurrency)


if __name__ == "__main__":
    main()
