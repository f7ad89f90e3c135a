"""The server as its clients meet it: over HTTP, and as a process where it must be one."""

from __future__ import annotations

import gzip
import json
import signal
import socket
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import trace
from command import Command, Folder
from serve.running_server import Server, process_serving, serving

from ragstone.serve.live_store import LiveStore
from ragstone.serve.senders import WrongTokens

LIVE = {
    "qid": "Q1",
    "question": "Who?",
    "retrieval": {
        "topk": [{"id": "d1", "score": 0.9}],
        "index_hash": "i1",
        "ΔS_list": [0.2],
        "λ_states": ["→"],
    },
    "answer": {"citations": ["d1"], "coverage": 1, "ΔS": 0.2, "λ_final": "→"},
    "perf": {"t_retrieve_ms": 5, "t_reason_ms": 20},
    "context": {"client": "web", "build": "b1", "region": "eu"},
    "ts": "2026-01-01T00:00:00Z",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("served")) as made:
        yield made


def stored_texts(folder: Path) -> list[str]:
    """What is on the disk of a server that is gone."""
    store = LiveStore(folder / ".ragstone" / "live")
    try:
        return sorted(record.text for record in store.records())
    finally:
        store.close()


def test_what_is_answered_with_200_is_on_the_disk(tmp_path: Path) -> None:
    with process_serving(tmp_path) as server:
        sent = [trace("A1"), LIVE]
        assert server.send(*sent).json == {
            "stored": 2,
            "repeated": 0,
            "refused": 0,
            "problems": [],
        }
        server.stop(signal.SIGKILL)
    assert stored_texts(tmp_path) == sorted(json.dumps(each) for each in sent)


def test_sigterm_ends_it_in_order(tmp_path: Path) -> None:
    with process_serving(tmp_path) as server:
        server.send(trace("A1"))
        assert server.stop() == 0
    assert len(stored_texts(tmp_path)) == 1


@pytest.mark.parametrize(
    "body",
    [
        json.dumps([trace("J1"), trace("J2")]).encode(),
        json.dumps([trace("K1"), trace("K2")], indent=2).encode(),
        json.dumps(trace("L1")).encode() + b"\n\n" + json.dumps(trace("L2")).encode(),
    ],
)
def test_an_array_and_lines_are_both_batches(server: Server, body: bytes) -> None:
    answer = server.ask("POST", "/v1/records", body, Content_Type="application/json")
    assert (answer.status, answer.json["stored"]) == (200, 2)


def test_an_object_may_go_over_several_lines(server: Server) -> None:
    body = json.dumps(trace("M1"), indent=1).encode()
    answer = server.ask("POST", "/v1/records", body, Content_Type="application/json")
    assert answer.json["stored"] == 1


@pytest.mark.parametrize(("packing", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_packed_bodies_are_read(server: Server, packing: str, pack: object) -> None:
    body = pack(json.dumps(trace(packing)).encode())  # type: ignore[operator]
    answer = server.ask(
        "POST", "/v1/records", body, Content_Type="application/json", Content_Encoding=packing
    )
    assert (answer.status, answer.json["stored"]) == (200, 1)


def test_sent_again_it_is_repeated_and_not_stored(server: Server) -> None:
    server.send(trace("again"))
    assert server.send(trace("again"), trace("again 2")).json["repeated"] == 1


def test_a_key_makes_a_batch_happen_once(server: Server) -> None:
    assert server.send(trace("k"), trace("k"), Idempotency_Key="one").json["stored"] == 2
    again = server.send(trace("k"), trace("k"), Idempotency_Key="one")
    assert (again.json["stored"], again.json["repeated"]) == (0, 2)
    assert server.send(trace("other"), Idempotency_Key="one").status == 409


def test_bad_records_are_told_in_the_words_of_check(
    server: Server, folder: Folder, command: Command
) -> None:
    lines = (
        '{"qid": 7, "retrieved_ids": []}\n'
        f"{json.dumps(trace('good'))}\n"
        '{"qid": "B1", "answer_json": {"citations": [1]}, "ts": "noon"}\n'
        '{"qid": "B2", "qid": "B3"}\n'
        "not json\n"
    )
    folder.write("request", lines)
    told = command("check", "--as", "trace", "request").err.splitlines()[:-1]
    body = lines.encode()
    answer = server.ask("POST", "/v1/records", body, Content_Type="application/x-ndjson")
    said = [f"request:{p['line']}: {p['field']}: {p['reason']}" for p in answer.json["problems"]]
    assert said == told
    assert (answer.status, answer.json["stored"], answer.json["refused"]) == (200, 1, 4)


def test_a_batch_without_a_good_record_is_422(server: Server) -> None:
    answer = server.send({"qid": 7})
    assert (answer.status, answer.json["problems"][0]["field"]) == (422, "qid")


@pytest.mark.parametrize(
    ("broken", "field"),
    [
        ({"retrieval": {"topk": [{"score": 1}]}}, "retrieval.topk"),
        ({"retrieval": {"topk": [{"id": "a"}], "ΔS_list": [1, 2]}}, "retrieval.ΔS_list"),
        ({"retrieval": {"λ_states": ["up"]}}, "retrieval.λ_states"),
        ({"answer": {"λ_final": "down"}}, "answer.λ_final"),
        ({"answer": {"coverage": "all"}}, "answer.coverage"),
        ({"perf": {"t_reason_ms": -1}}, "perf.t_reason_ms"),
        ({"perf": 5}, "perf"),
        ({"context": {"build": 5}}, "context.build"),
        ({"context": {}, "ts": "noon"}, "ts"),
        ({"context": {}, "ts": 99999999999}, "ts"),
    ],
)
def test_a_live_record_has_a_contract_too(server: Server, broken: object, field: str) -> None:
    answer = server.send({**LIVE, **broken})  # type: ignore[dict-item]
    assert (answer.status, answer.json["problems"][0]["field"]) == (422, field)


def test_the_keys_of_a_live_record_may_be_misread_or_plain(server: Server) -> None:
    plain = {"topk": [{"id": "d"}], "delta_s_list": [0.5], "lambda_states": ["->"]}
    assert server.send({"question": "plain", "retrieval": plain}).json["stored"] == 1
    misread = {"topk": [{"id": "d"}], "Î”S_list": [0.5, 0.6]}
    answer = server.send({"question": "misread", "retrieval": misread})
    assert answer.json["problems"][0]["field"] == "retrieval.ΔS_list"


def test_too_large_a_body_is_refused(server: Server) -> None:
    answer = server.ask(
        "POST", "/v1/records", b" " * (16 * 2**20 + 1), Content_Type="application/json"
    )
    assert answer.status == 413


def test_a_gzip_bomb_is_refused(tmp_path: Path) -> None:
    bomb = gzip.compress(b" " * (200 * 2**20))
    packed = {"Content_Type": "application/json", "Content_Encoding": "gzip"}
    with process_serving(tmp_path) as server:
        assert server.ask("POST", "/v1/records", bomb, **packed).status == 413
        status = Path(f"/proc/{server.child.pid}/status").read_text().splitlines()
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    # Unpacked it would be 200 MB more than the server has.
    assert peak < 250_000


def test_too_many_records_are_refused(server: Server) -> None:
    body = b"{}\n" * 10_001
    answer = server.ask("POST", "/v1/records", body, Content_Type="application/x-ndjson")
    assert answer.status == 413


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content_Type": "text/plain"}, 415),
        ({}, 415),
        ({"Content_Type": "application/json", "Content_Encoding": "br"}, 415),
        ({"Content_Type": "application/json", "Content_Encoding": "gzip"}, 400),
        ({"Content_Type": "application/json", "Idempotency_Key": "k" * 201}, 400),
        ({"Content_Type": "application/json", "Origin": "http://example.org"}, 403),
        ({"Content_Type": "application/json", "Host": "example.org"}, 403),
    ],
)
def test_what_is_not_meant_for_it_is_refused(
    server: Server, headers: dict[str, str], status: int
) -> None:
    answer = server.ask("POST", "/v1/records", b"{}", **headers)
    assert (answer.status, list(answer.json)) == (status, ["error"])


def test_other_paths_and_methods_are_told(server: Server) -> None:
    assert server.get("/v1/secret").status == 404
    assert server.get("/v1/records").status == 405
    assert server.get("/../../etc/passwd").status == 404


def test_it_says_that_it_is_alive_and_ready(server: Server) -> None:
    for path in ("/livez", "/readyz"):
        assert (server.get(path).status, server.get(path).body) == (200, b"ok\n")


def test_forgetting_takes_records_off_the_disk(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        server.send(trace("keep"), trace("go"), {**trace("other"), "trace_id": "t9"})
        body = json.dumps({"ids": ["go", "t9"]}).encode()
        answer = server.ask("POST", "/v1/forget", body, Content_Type="application/json")
        assert answer.json == {"forgotten": 2}
        assert server.send(trace("go")).json["repeated"] == 1
        server.stop()
    assert stored_texts(tmp_path) == [json.dumps(trace("keep"))]


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"ids": []}', b'{"ids": [1]}', b'{"ids": [""]}', b'{"ids": "a"}']
)
def test_forgetting_wants_ids(server: Server, body: bytes) -> None:
    answer = server.ask("POST", "/v1/forget", body, Content_Type="application/json")
    assert answer.status == 400


TOKEN = "a-token-of-some-length"


def test_with_a_token_nothing_comes_out_without_it(tmp_path: Path) -> None:
    with serving(tmp_path, RAGSTONE_TOKEN=TOKEN) as server:
        paths = [*server.get("/openapi.json", Authorization=f"Bearer {TOKEN}").json["paths"]]
        assert "/v1/records" in paths
        for path in paths:
            for method in ("GET", "POST"):
                for given in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}):
                    answer = server.ask(method, path, b"{}" if method == "POST" else None, **given)
                    if path in ("/livez", "/readyz"):
                        assert answer.body == b"ok\n" or answer.status == 405
                    else:
                        # Who errs often is told to wait.
                        assert answer.status in (401, 429)
                        assert list(answer.json) == ["error"]
        assert server.send(trace("A1")).status == 401
        assert server.send(trace("A1"), Authorization=f"Bearer {TOKEN}").status == 200


def test_a_token_may_stand_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "token").write_text(f"{TOKEN}\n")
    with process_serving(tmp_path, "--token-file", "token") as server:
        assert server.get("/openapi.json").status == 401
        assert server.get("/openapi.json", Authorization=f"Bearer {TOKEN}").status == 200


def test_behind_a_proxy_its_header_lets_pass(tmp_path: Path) -> None:
    with serving(tmp_path, "--trust-proxy-header", "X-User") as server:
        assert server.get("/openapi.json").status == 401
        assert server.get("/openapi.json", X_User="ann").status == 200


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--host", "0.0.0.0"], "can be reached from other machines: set RAGSTONE_TOKEN"),
        (["--port", "70000"], "expected a port from 0 to 65535"),
        (["--token-file", "none"], "the token file none cannot be read"),
        (["--data", "file"], "cannot be made"),
    ],
)
def test_what_cannot_be_is_said_and_ends_with_2(
    command: Command, folder: Folder, words: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAGSTONE_TOKEN", raising=False)
    folder.write("file", "")
    ran = command("serve", "--port", "0", *words)
    assert (ran.code, ran.out) == (2, b"")
    assert said in ran.err


def test_settings_of_the_file_are_checked(command: Command, folder: Folder) -> None:
    for text, said in (
        ("[serve]\nkep = '30d'\n", "unknown key serve.kep; did you mean 'keep'?"),
        ("[serve]\nkeep = 'long'\n", 'serve.keep: expected a duration such as "90s"'),
        ("[serve]\nkeep = '5s'\n", "serve.keep: expected at least an hour"),
    ):
        folder.write("ragstone.toml", text)
        ran = command("serve")
        assert (ran.code, said in ran.err) == (2, True), ran.err


def test_a_second_server_does_not_get_the_folder(server: Server, command: Command) -> None:
    ran = command("serve", "--port", "0", "--data", str(server.folder / ".ragstone" / "live"))
    assert ran.code == 2
    assert "is in use by another ragstone serve" in ran.err


def test_a_port_that_is_taken_is_said(server: Server, command: Command) -> None:
    ran = command("serve", "--port", str(server.port))
    assert (ran.code, "cannot listen on 127.0.0.1" in ran.err) == (2, True)


def test_a_connection_that_is_dropped_harms_nothing(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as half:
        half.sendall(
            b"POST /v1/records HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            b"Content-Length: 100\r\n\r\n{"
        )
    assert server.get("/livez").status == 200
    assert server.send(trace("after")).status == 200


def test_the_description_names_every_path_and_method(server: Server) -> None:
    from starlette.routing import Route

    from ragstone.serve.access import Access
    from ragstone.serve.application import application
    from ragstone.serve.described_pages import plain_path
    from ragstone.serve.ingest_routes import Ingest
    from ragstone.serve.page_routes import Pages
    from ragstone.serve.window_routes import window_routes

    pages = [*window_routes(None, None, None), *Pages(None).routes()]  # type: ignore[arg-type]
    ingest = Ingest(None, lambda ids: 0)  # type: ignore[arg-type]
    app = application(ingest, Access(), ready=lambda: "", wrong=WrongTokens(), pages=pages)
    routes = {
        (plain_path(route.path), method.lower())
        for route in app._inside.routes  # type: ignore[attr-defined]
        if isinstance(route, Route)
        for method in (route.methods or ()) - {"HEAD"}
    }
    said = server.get("/openapi.json").json["paths"]
    assert {(path, method) for path, methods in said.items() for method in methods} == routes


def test_without_its_packages_it_says_how_to_get_them(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragstone.cli.serve._is_there", lambda module: module != "uvicorn")
    ran = command("serve")
    assert ran.code == 2
    assert "ragstone serve needs uvicorn; get it with: pip install 'uvicorn" in ran.err
