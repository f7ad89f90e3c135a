"""How many records a second a server takes, what it costs to be sure of them, and what 20 kills do.

    python checks/ingest.py                     # 60 s of load, then 20 kills
    python checks/ingest.py --seconds 10 --kills 3

A second process sends batches over several connections. Every record that was acknowledged is then
looked for in the store, one by one. Beside it stands what a plain append and fsync of the same
bytes reaches on the same disk.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from random import Random

from ragstone.serve.live_store import LiveStore


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--connections", type=int, default=4)
    parser.add_argument("--batch", type=int, default=100)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if given.seconds:
            load(Path(folder) / "load", given.seconds, given.connections, given.batch)
        if given.kills:
            kills(Path(folder) / "kills", given.kills, given.batch)


class Served:
    """One `ragstone serve` as a process, on a free port."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        words = [sys.executable, "-m", "ragstone", "serve", "--port", "0", "--data", "data"]
        self.child = subprocess.Popen(
            [*words, "--no-config"], cwd=folder, stderr=subprocess.PIPE, text=True
        )
        assert self.child.stderr is not None
        said = self.child.stderr.readline()
        found = re.search(r"http://[^:]+:([0-9]+)", said)
        if found is None:
            raise SystemExit(said + self.child.stderr.read())
        self.port = int(found[1])

    def peak(self) -> int:
        """The most memory that it had, in MB."""
        status = Path(f"/proc/{self.child.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) // 1024

    def end(self, number: int) -> int:
        self.child.send_signal(number)
        assert self.child.stderr is not None
        with self.child.stderr:
            self.child.stderr.read()
        return self.child.wait()


class Sender:
    """Sends batches over one connection, and remembers what was acknowledged, and how soon."""

    def __init__(self, port: int, name: str, batch: int) -> None:
        self._port, self._name, self._batch = port, name, batch
        self.acknowledged: set[str] = set()
        self.seconds: list[float] = []
        self.turned_away = 0
        self.bytes = 0

    def run(self, stop: threading.Event) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=60)
        headers = {"Content-Type": "application/x-ndjson"}
        number = 0
        while not stop.is_set():
            names = [f"{self._name}-{number + each}" for each in range(self._batch)]
            body = b"".join(record(name) for name in names)
            begun = time.perf_counter()
            try:
                connection.request("POST", "/v1/records", body, headers)
                answer = connection.getresponse()
                answer.read()
            except (OSError, http.client.HTTPException):
                # The server was killed: what was in flight was not acknowledged.
                return
            if answer.status == 429:
                self.turned_away += 1
                stop.wait(0.1)
                continue
            if answer.status != 200:
                raise SystemExit(f"the server answers {answer.status}")
            self.seconds.append(time.perf_counter() - begun)
            self.acknowledged.update(names)
            self.bytes += len(body)
            number += self._batch


def record(name: str) -> bytes:
    """A trace of about 0.7 KB, of this moment."""
    made = {
        "trace_id": name,
        "q": f"What does clause {name} say about the notice period?",
        "retrieved_ids": [f"doc-{each}#p{each}" for each in range(8)],
        "answer_json": {
            "claim": "The notice period is 30 days to the end of a month. " * 4,
            "citations": ["doc-1#p1"],
        },
        "ts": int(time.time() * 1000),
        "latency_ms": 812.5,
        "stage_ms": {"retrieval": 41.0, "llm": 750.0},
    }
    return json.dumps(made).encode() + b"\n"


def sent(port: int, seconds: float, connections: int, batch: int, name: str) -> dict[str, object]:
    """Load from a process of its own; what it says when it is done."""
    code = "import sys; sys.path.insert(0, sys.argv[1]); import ingest; ingest.send(sys.argv[2:])"
    words = [str(port), str(seconds), str(connections), str(batch), name]
    ran = subprocess.run(
        [sys.executable, "-c", code, str(Path(__file__).parent), *words],
        capture_output=True,
        check=True,
    )
    found: dict[str, object] = json.loads(ran.stdout)
    return found


def send(words: list[str]) -> None:
    """The second process: sends for some seconds, and prints what was acknowledged."""
    port, seconds, connections, batch = int(words[0]), float(words[1]), int(words[2]), int(words[3])
    stop = threading.Event()
    senders = [Sender(port, f"{words[4]}-{each}", batch) for each in range(connections)]
    threads = [threading.Thread(target=sender.run, args=(stop,)) for sender in senders]
    for thread in threads:
        thread.start()
    stop.wait(seconds) if seconds else None
    while not seconds and any(thread.is_alive() for thread in threads):
        time.sleep(0.05)
    stop.set()
    for thread in threads:
        thread.join()
    print(
        json.dumps(
            {
                "acknowledged": sorted(name for each in senders for name in each.acknowledged),
                "seconds": sorted(second for each in senders for second in each.seconds),
                "turned_away": sum(each.turned_away for each in senders),
                "bytes": sum(each.bytes for each in senders),
            }
        )
    )


def stored(folder: Path) -> list[str]:
    """The names of all records in the store of a server that is gone."""
    store = LiveStore(folder / "data")
    try:
        return [each.name for each in store.records()]
    finally:
        store.close()


def must_agree(acknowledged: set[str], found: list[str], in_flight: int) -> None:
    """Everything that was acknowledged is there, and nothing is there twice."""
    lost = acknowledged - set(found)
    if lost or len(found) != len(set(found)) or len(found) - len(acknowledged) > in_flight:
        doubled = len(found) - len(set(found))
        raise SystemExit(f"lost {len(lost):,}, doubled {doubled:,} of {len(acknowledged):,}")


def load(folder: Path, seconds: float, connections: int, batch: int) -> None:
    server = Served(folder)
    told = sent(server.port, seconds, connections, batch, "load")
    peak = server.peak()
    if server.end(signal.SIGTERM) != 0:
        raise SystemExit("the server did not end in order")
    names, times, size = told["acknowledged"], told["seconds"], told["bytes"]
    assert isinstance(names, list)
    assert isinstance(times, list)
    assert isinstance(size, int)
    must_agree(set(names), stored(folder), 0)
    p50, p99 = (1000 * times[int(q * (len(times) - 1))] for q in (0.5, 0.99))
    plain = appended(folder, size // len(times), len(times))
    print(f"{len(names):,} records in {seconds:g} s: {len(names) / seconds:,.0f} a second,")
    print(f"  {size / seconds / 1e6:.1f} MB/s; acknowledged = stored, one by one")
    print(f"  acknowledgement of {batch} records: p50 {p50:.0f} ms, p99 {p99:.0f} ms")
    print(f"  turned away (429): {told['turned_away']}; most memory of the server: {peak} MB")
    print(f"  plain append and fsync of the same batches, one by one: {plain / 1e6:.1f} MB/s")


def appended(folder: Path, size: int, count: int) -> float:
    """Bytes a second that one process reaches with a write and a sync for each batch."""
    data = os.urandom(size)
    count = min(count, 2_000)
    descriptor = os.open(folder / "plain", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    begun = time.perf_counter()
    for _ in range(count):
        os.write(descriptor, data)
        os.fsync(descriptor)
    took = time.perf_counter() - begun
    os.close(descriptor)
    return size * count / took


def kills(folder: Path, count: int, batch: int) -> None:
    """Kills the server at random moments under load; each next one goes on in the same folder."""
    chance, acknowledged = Random(count), set[str]()
    for turn in range(count):
        server = Served(folder)
        wait = 0.2 + chance.random()
        timer = threading.Timer(wait, lambda child=server.child: child.kill())
        timer.start()
        told = sent(server.port, 0, 2, batch, f"turn{turn}")
        timer.join()
        server.end(signal.SIGKILL)
        names = told["acknowledged"]
        assert isinstance(names, list)
        acknowledged |= set(names)
    # A batch of each of two connections may be stored and not acknowledged at each kill.
    must_agree(acknowledged, stored(folder), count * 2 * batch)
    print(f"{count} kills: {len(acknowledged):,} acknowledged records, none lost, none doubled")


if __name__ == "__main__":
    main()
