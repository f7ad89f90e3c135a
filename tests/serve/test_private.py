"""What was forgotten is in no file: whoever looks at the disk finds none of its words."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
from raw_server import raw_server, reply
from serve.running_server import ServerProcess, process_serving, until
from serve.test_watched_server import CONFIG, recent

MARK = "forgotten-0123456789"
KEPT = "kept-0123456789"


def record(word: str, number: int, ts: int) -> dict[str, Any]:
    """A live record that says a word wherever a text can be."""
    hits = [{"id": f"{word}-d{number}", "text": f"a chunk about {word}"}]
    return {
        "qid": word,
        "question": f"{word}, question {number}?",
        "trace_id": f"{word}-{number}",
        "retrieval": {"topk": hits, "ΔS_list": [0.2], "λ_states": ["→"]},
        "answer": {"claim": f"{word} said so", "citations": [f"{word}-d{number}"], "coverage": 0},
        "context": {"client": word, "region": word},
        "ts": ts,
        "else": {word: word},
    }


def spans(word: str, number: int, ts: int) -> bytes:
    """A trace of two spans; only the root's names the question."""
    made = []
    for id, parent, said in (("1", "", {"metadata.qid": word}), ("2", "1", {"output.value": word})):
        said = {"input.value": f"{word}?", "openinference.span.kind": "CHAIN", **said}
        span = {
            "traceId": f"{number:032x}",
            "spanId": id.rjust(16, "0"),
            "parentSpanId": parent and parent.rjust(16, "0"),
            "name": word,
            "startTimeUnixNano": f"{ts}000000",
            "endTimeUnixNano": f"{ts}000000",
            "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in said.items()],
        }
        made.append(span)
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": made}]}]}).encode()


def send(server: ServerProcess, first: int) -> None:
    """Records and spans of both words, of minutes that are closed and of the one that is open."""
    now = time.time_ns() // 10**6
    for number, ts in enumerate((now - 240_000, now - 120_000, now), first):
        records = [record(word, number, ts) for word in (MARK, KEPT)]
        assert server.send(*records).json["stored"] == 2
        for place, word in enumerate((MARK, KEPT)):
            body = spans(word, 1_000 * (place + 1) + number, ts)
            assert (
                server.ask("POST", "/v1/traces", body, Content_Type="application/json").json == {}
            )


def texts(folder: Path) -> Iterator[tuple[str, str]]:
    """What every file holds, also unpacked, and files of the server that have no name."""
    for path in folder.rglob("*"):
        if path.is_file():
            yield str(path), path.read_bytes().decode("latin-1")
            if path.suffix == ".parquet":
                yield str(path), str(duckdb.sql(f"from read_parquet('{path}')").fetchall())


def unnamed(server: ServerProcess) -> Iterator[tuple[str, str]]:
    for path in Path(f"/proc/{server.child.pid}/fd").iterdir():
        if path.is_file():
            yield path.readlink().name, path.read_bytes().decode("latin-1")


def found(word: str, some: Iterator[tuple[str, str]]) -> list[str]:
    return [name for name, text in some if word in text]


def test_what_was_forgotten_is_in_no_file(tmp_path: Path) -> None:
    work, temporary = tmp_path / "work", tmp_path / "temporary"
    work.mkdir()
    temporary.mkdir()
    (work / "ragstone.toml").write_text(CONFIG)
    with raw_server(lambda send, q, number: send(reply(f"{q} by the shadow"))) as shadow:
        words = ("--shadow", shadow.url, "--share", "1")
        with process_serving(work, *words, TMPDIR=str(temporary)) as server:
            send(server, 0)
            server.send(*recent(range(3)))
            until(lambda: server.get("/v1/alerts").json["alerts"])
            until(lambda: server.get("/v1/shadow").json["answered"] >= 5)
            server.stop(9)
        assert found(MARK, texts(tmp_path))
        with process_serving(work, *words, TMPDIR=str(temporary)) as server:
            send(server, 10)
            until(lambda: not server.get("/v1/shadow").json["waiting"])
            body = json.dumps({"ids": [MARK]}).encode()
            answer = server.ask("POST", "/v1/forget", body, Content_Type="application/json")
            assert answer.json["forgotten"] == 18
            assert answer.json["pairs"] > 0
            # What a minute that is just being closed holds is gone with it.
            until(lambda: not found(MARK, unnamed(server)))
            assert found(MARK, texts(tmp_path)) == []
            assert found(KEPT, texts(work))
            assert server.stop() == 0
        assert found(MARK, texts(tmp_path)) == []
