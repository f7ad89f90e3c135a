"""A server with a shadow: what is stored is mirrored once, counted, and can be forgotten."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from command import Command, Folder
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from raw_server import RawServer, Send, raw_server, reply
from serve.running_server import Server, process_serving, serving, until
from written_spans import openinference, tracer

from ragstone.serve import run_server
from ragstone.shadow.pair_files import PairFiles
from ragstone.shadow.sampling import is_chosen

DATA = Path(".ragstone") / "live"
ALL = ("--share", "1")
FOUND = {"d1": "Ada Lovelace wrote the notes in 1843.", "d2": "Bath is a city."}


@pytest.fixture
def shadow() -> Iterator[RawServer]:
    with raw_server(lambda send, q, number: send(reply(q))) as made:
        yield made


def live(number: int, **more: Any) -> dict[str, Any]:
    found = {"topk": [{"id": "d1"}], "index_hash": "now", "ΔS_list": [0.2], "λ_states": ["→"]}
    said = {"claim": "30 days.", "citations": ["d1"], "coverage": 1, "λ_final": "→"}
    named = {"qid": f"Q{number}", "question": f"question {number}?", "trace_id": f"t{number}"}
    return {**named, "retrieval": found, "answer": said, **more}


def trace(number: int) -> dict[str, Any]:
    answer = {"claim": "30 days.", "citations": ["d1"]}
    return {"q": f"question {number}?", "answer_json": answer, "retrieved_ids": ["d1"]}


def counts(server: Server) -> dict[str, Any]:
    found: dict[str, Any] = server.get("/v1/shadow").json
    return found


def settled(server: Server, seen: int) -> dict[str, Any]:
    """The counts once so many questions were seen and none waits."""
    found = until(lambda: (said := counts(server))["seen"] >= seen and not said["waiting"] and said)
    assert found["seen"] == seen
    return dict(found)


def pairs(folder: Path, run: str = "shadow") -> list[Any]:
    return list(PairFiles(folder / DATA, run).pairs())


def test_records_and_traces_are_mirrored_and_counted(tmp_path: Path, shadow: RawServer) -> None:
    with process_serving(tmp_path, "--shadow", shadow.url, *ALL, "--shadow-run", "r1") as server:
        assert server.child.stderr is not None
        said = server.child.stderr.readline().decode()
        assert f"100 % of the questions are asked of {shadow.url} too" in said
        assert server.send(live(1), trace(2), {"qid": "Q3", "retrieved_ids": []}).status == 200
        found = settled(server, 3)
        assert (found["run"], found["target"], found["share"]) == ("r1", shadow.url, 1.0)
        assert (found["answered"], found["unread"]) == (2, 1)
        assert found["why"]["unread"].startswith("there is no question")
        text = server.get("/metrics").body.decode()
        assert (
            "# TYPE ragstone_shadow_answered_total counter\nragstone_shadow_answered_total 2"
            in text
        )
        assert "ragstone_shadow_waiting 0" in text
        assert server.stop() == 0
    by_question = {pair.question: pair for pair in pairs(tmp_path, "r1")}
    one, two = by_question["question 1?"], by_question["question 2?"]
    assert (one.qid, one.trace_id) == ("Q1", "t1")
    assert (one.live.retrieval.index_hash, one.live.answer.delta_s) == ("now", 0.2)
    assert one.live.answer.lambda_final == "→"
    assert one.shadow.answer.claim == "You asked: question 1?"
    assert two.live.answer.claim == "30 days."
    (last,) = PairFiles(tmp_path / DATA, "r1").counts()
    assert (last.seen, last.answered, last.unread) == (3, 2, 1)


def test_the_share_is_chosen_by_the_question(tmp_path: Path, shadow: RawServer) -> None:
    with serving(tmp_path, "--shadow", shadow.url, "--share", "0.3") as server:
        server.send(*(live(number) for number in range(40)))
        found = settled(server, 40)
    chosen = {f"question {n}?" for n in range(40) if is_chosen(f"question {n}?", 0.3)}
    assert {body["q"] for body in shadow.bodies} == chosen
    assert (found["answered"], found["left_out"]) == (len(chosen), 40 - len(chosen))


def test_what_comes_again_is_mirrored_once(tmp_path: Path, shadow: RawServer) -> None:
    words = ("--shadow", shadow.url, *ALL)
    with serving(tmp_path, *words) as server:
        for key in ("k1", "k1", "k2"):
            server.send(live(1), Idempotency_Key=key)
        server.send(live(2))
        server.send(live(2))
        # Two keys are two batches, and what is in them may be alike.
        assert settled(server, 3)["answered"] == 3
        server.stop()
    with serving(tmp_path, *words) as server:
        assert server.send(live(2)).json["repeated"] == 1
        server.send(live(3))
        assert settled(server, 1)["answered"] == 1
    assert len(shadow.bodies) == 4


@contextmanager
def with_a_shadow(folder: Path, behave: Callable[..., object]) -> Iterator[Server]:
    """A server whose shadow behaves so."""
    with raw_server(behave) as shadow, serving(folder, "--shadow", shadow.url, *ALL) as server:
        yield server


def test_the_answer_to_who_sends_records_does_not_wait(tmp_path: Path) -> None:
    go = threading.Event()

    def waits(send: Send, q: str, number: int) -> None:
        go.wait(60)
        send(reply(q))

    with with_a_shadow(tmp_path, waits) as server:
        answer = server.send(*(live(number) for number in range(3_000)))
        # It is told that all are stored while not one was answered by the shadow.
        assert answer.json["stored"] == 3_000
        found = until(lambda: (said := counts(server))["dropped"] and said)
        assert (found["seen"], found["answered"], found["failed"]) == (3_000, 0, 0)
        assert found["why"]["dropped"] == "too many questions were waiting"
        assert server.send(live(4_000)).json["stored"] == 1
        go.set()
        found = settled(server, 3_001)
        assert found["answered"] + found["dropped"] == 3_001


def test_a_shadow_that_is_gone_is_counted_and_changes_nothing(tmp_path: Path) -> None:
    with serving(tmp_path, "--shadow", "http://127.0.0.1:9/ask", *ALL) as server:
        assert server.send(live(1)).json["stored"] == 1
        assert settled(server, 1)["failed"] == 1
        assert server.get("/readyz").body == b"ok\n"
    (pair,) = pairs(tmp_path)
    assert pair.shadow is None
    assert pair.failure.startswith("transport: ")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_although_the_shadow_never_answers(tmp_path: Path, number: int) -> None:
    (tmp_path / "own.toml").write_text('[serve.shadow]\nclosing = "0s"\n')
    with raw_server(lambda send, q, number: time.sleep(60)) as shadow:
        words = ("--config", "own.toml", "--shadow", shadow.url, *ALL)
        with process_serving(tmp_path, *words) as server:
            server.send(*(live(number) for number in range(10)))
            until(lambda: shadow.bodies)
            assert server.stop(number) == 0
    (last,) = PairFiles(tmp_path / DATA).counts()
    assert (last.seen, last.dropped, last.waiting) == (10, 10, 0)
    assert last.why["dropped"] == "the mirror ended"


def test_forgetting_reaches_pairs_on_the_disk_and_those_that_wait(tmp_path: Path) -> None:
    go = threading.Event()

    def waits(send: Send, q: str, number: int) -> None:
        if q != "question 1?":
            go.wait(60)
        send(reply(q))

    with with_a_shadow(tmp_path, waits) as server:
        server.send(live(1), live(2), live(3))
        until(lambda: counts(server)["answered"] == 1)
        other = PairFiles(tmp_path / DATA, "of-an-app")
        other.make()
        other.add(pairs(tmp_path)[0], time.time())
        body = json.dumps({"ids": ["Q1", "t2"]}).encode()
        answer = server.ask("POST", "/v1/forget", body, Content_Type="application/json")
        assert answer.json == {"forgotten": 2, "pairs": 2}
        go.set()
        found = settled(server, 3)
        assert (found["answered"], found["dropped"]) == (2, 1)
    assert [pair.qid for pair in pairs(tmp_path)] == ["Q3"]
    assert pairs(tmp_path, "of-an-app") == []
    assert b"question 1" not in b"".join(path.read_bytes() for path in files(tmp_path))


def files(folder: Path) -> list[Path]:
    return [path for path in (folder / DATA / "shadow").rglob("*") if path.is_file()]


def test_only_the_owner_can_read_pairs(tmp_path: Path, shadow: RawServer) -> None:
    with serving(tmp_path, "--shadow", shadow.url, *ALL) as server:
        server.send(live(1))
        settled(server, 1)
    assert [path.stat().st_mode & 0o777 for path in files(tmp_path)] == [0o600]


def test_old_pairs_are_removed_as_old_records_are(tmp_path: Path, shadow: RawServer) -> None:
    from ragstone.serve.live_store import LiveStore

    with serving(tmp_path, "--shadow", shadow.url, *ALL) as server:
        server.send(live(1))
        settled(server, 1)
        server.stop()
    (pair,) = pairs(tmp_path)
    old = PairFiles(tmp_path / DATA)
    old.add(pair, time.time() - 40 * 86_400)
    assert len(files(tmp_path)) == 2
    store = LiveStore(tmp_path / DATA)
    try:
        keeper = run_server.Keeper(store, keep=30 * 86_400)
        keeper.stop()
        keeper.look()
    finally:
        store.close()
    assert pairs(tmp_path) == [pair]


CONFIG = """
[serve]
late = "1s"
"""


def test_a_trace_of_spans_is_mirrored_once_it_is_whole(
    tmp_path: Path, shadow: RawServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # For the server the minute of the spans is over: else it ends up to a minute later.
    later = time.time_ns() // 10**6 + 3 * 60_000
    monkeypatch.setattr(run_server, "machine_clock", lambda: later)
    (tmp_path / "ragstone.toml").write_text(CONFIG)
    words = ("--shadow", shadow.url, *ALL)
    with serving(tmp_path, *words) as server:
        exporter = OTLPSpanExporter(endpoint=f"{server.url}/v1/traces")
        with tracer(exporter) as spans:
            openinference(spans, "Q1", "Who wrote the notes?", "Lovelace [d1].", FOUND)
        # A record of the next minutes closes that of the spans.
        server.send({"qid": "Q9", "retrieved_ids": [], "ts": later})
        assert settled(server, 2)["answered"] == 1
        server.stop()
    (pair,) = pairs(tmp_path)
    assert (pair.question, pair.qid) == ("Who wrote the notes?", "Q1")
    assert pair.id == pair.trace_id
    assert [hit.id for hit in pair.live.retrieval.topk] == ["d1", "d2"]
    # A crash before the minute was saved: its spans are joined again, and known by their pair.
    for path in (tmp_path / DATA / "minutes").iterdir():
        path.unlink()
    with serving(tmp_path, *words) as server:
        until(lambda: server.get("/v1/windows").json)
        assert counts(server)["seen"] == 0
        body = json.dumps({"ids": ["Q1"]}).encode()
        answer = server.ask("POST", "/v1/forget", body, Content_Type="application/json")
        assert answer.json["pairs"] == 1
    assert pairs(tmp_path) == []


def test_without_a_shadow_there_is_nothing_to_say(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        assert counts(server) == {}
        assert "shadow" not in server.get("/metrics").body.decode()


def test_a_file_may_name_the_shadow_where_somebody_names_the_file(
    tmp_path: Path, shadow: RawServer
) -> None:
    table = f"""
[serve.shadow]
target = "{shadow.url}"
share = 1
run = "2026-11"
texts = "none"
header = ["Authorization: Bearer $SHADOW_TOKEN"]
timeout = "5s"
"""
    (tmp_path / "own.toml").write_text(table)
    token = "a-token-that-is-secret"
    with serving(tmp_path, "--config", "own.toml", SHADOW_TOKEN=token) as server:
        server.send(live(1))
        assert settled(server, 1)["answered"] == 1
        assert token not in server.get("/v1/shadow").body.decode()
    assert f"Authorization: Bearer {token}" in shadow.heads[0]
    (pair,) = pairs(tmp_path, "2026-11")
    assert (pair.question, pair.live.answer.claim, pair.shadow.answer.claim) == ("", None, None)
    assert all(token.encode() not in path.read_bytes() for path in files(tmp_path))


@pytest.mark.parametrize(
    ("words", "config", "said"),
    [
        (["--shadow", "nonsense"], "", "expected py:module:function"),
        (["--shadow", "index:none.index"], "", "none.index"),
        (["--shadow", "py:nowhere:f"], "", "No module named 'nowhere'"),
        (["--shadow", "http://127.0.0.1:9/", "--share", "2"], "", "a number from 0 to 1"),
        (["--shadow", "http://127.0.0.1:9/", "--shadow-run", "../x"], "", "the run '../x'"),
        (["--share", "0.5"], "", "there is no shadow: give --shadow TARGET"),
        ([], "[serve.shadow]\nshare = 0.5", "there is no shadow"),
        ([], "[serve.shadow]\ntarget = 'http://127.0.0.1:9/'", "nobody has named this file"),
        ([], "[serve.shadow]\ntarget = 'cmd:rm x'", "nobody has named this file"),
        ([], "[serve.shadow]\ntarget = 'index:none.index'", "none.index"),
        ([], "[serve.shadow]\ntarget = 7", "serve.shadow.target: expected a string"),
        ([], "[serve.shadow]\nshare = '1'", "serve.shadow.share: expected a number"),
        ([], "[serve.shadow]\nqueue = 1.5", "serve.shadow.queue: expected a number"),
        ([], "[serve.shadow]\ntimeout = 5", "serve.shadow.timeout: expected a duration"),
        ([], "[serve.shadow]\ntexts = 'some'\ntarget='index:x'", "texts: expected all, clip"),
        ([], "[serve.shadow]\nheader = [1]", "serve.shadow.header: expected a list of lines"),
        ([], "[serve.shadow]\ntraget = 'x'", "unknown key serve.shadow.traget"),
        ([], "[serve]\nshadow = 'x'", "serve.shadow: expected a table"),
    ],
)
def test_a_shadow_that_cannot_be_is_said_at_the_start(
    command: Command, folder: Folder, words: list[str], config: str, said: str
) -> None:
    folder.write("ragstone.toml", config)
    ran = command("serve", "--port", "0", *words)
    assert (ran.code, said in ran.err) == (2, True), ran.err
