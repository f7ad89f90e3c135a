"""An endpoint that sends back the key it was given does not get it written anywhere."""

from __future__ import annotations

import json

import pytest
from raw_server import raw_server, reply, replying
from running import replies_in, run, words, written_in

from ragstone.cli.main import main

FAST = ("--retries", "0", "--timeout", "20")
TOKEN = "tok-4f7c81d2e9"

ECHOES = {
    "a claim": lambda head: reply(head),
    "a key of the reply": lambda head: whole(
        json.dumps({"retrieved_ids": [], "note": {head: [head]}})
    ),
    "escapes": lambda head: whole(
        '{"retrieved_ids": [], "note": "' + "".join(f"\\u{ord(c):04x}" for c in head) + '"}'
    ),
    "a bad answer": lambda head: whole(json.dumps({"answer_json": {"claim": [head]}})),
    "what is no JSON": lambda head: whole(head),
    "a redirect": lambda head: whole("", "302 Found", f"Location: /{head.split()[-1]}"),
    "what is no HTTP": lambda head: f"HTTP/1.1 {head}\r\n\r\n".encode(),
    "a bad header": lambda head: f"HTTP/1.1 200 OK\r\n{head}\r\n\r\n".encode(),
}


def whole(body: str, status: str = "200 OK", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body)}", "", body]
    return "\r\n".join(lines).encode()


@pytest.mark.parametrize("how", ECHOES)
@pytest.mark.parametrize("where", ["header", "password", "query", "proxy"])
def test_an_endpoint_that_echoes_a_secret_does_not_get_it_written(
    how, where, questions, tmp_path, monkeypatch, capfd
):
    spoken = {
        "header": f"Bearer {TOKEN}",
        "password": TOKEN,
        "query": f"api_key {TOKEN}",
        "proxy": TOKEN,
    }[where]
    with raw_server(lambda send, q, number: send(ECHOES[how](spoken)) or True) as server:
        url, more = server.url, ("--debug", "--json", *FAST)
        if where == "header":
            monkeypatch.setenv("SOME_TOKEN", TOKEN)
            more = ("--header", "X-Any: Bearer $SOME_TOKEN", *more)
        elif where == "password":
            url = url.replace("//", f"//me:{TOKEN}@")
        elif where == "query":
            url += f"?api_key={TOKEN}&k=5"
        else:
            monkeypatch.setenv("HTTP_PROXY", url.replace("//", f"//me:{TOKEN}@"))
            monkeypatch.delenv("NO_PROXY", raising=False)
            monkeypatch.delenv("no_proxy", raising=False)
            more = ("--proxy", "env", *more)
            url = "http://endpoint.test/ask"
        main([w for w in words(questions(1), url, tmp_path / "t.jsonl", *more) if w != "--quiet"])
    assert replies_in(tmp_path / "t.jsonl")
    printed = capfd.readouterr()
    assert TOKEN not in written_in(tmp_path, besides="") + printed.out + printed.err
    if how == "a claim":
        assert "***" in (tmp_path / "t.jsonl.journal").read_text()


def test_a_chat_model_that_echoes_the_key_does_not_get_it_written(
    questions, tmp_path, monkeypatch, capfd
):
    (tmp_path / "evidence_of_test.py").write_text(
        'def give(q): return {"topk": [{"id": "p1", "text": "X."}]}\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", TOKEN)
    said = {"choices": [{"message": {"content": f"You sent Bearer {TOKEN}"}}]}
    with raw_server(replying(said)) as server:
        target = f"openai:{server.url}#m"
        more = ("--evidence", "py:evidence_of_test:give", *FAST)
        (line,) = run(questions(1), target, tmp_path / "t.jsonl", *more)
    assert line["rejected"]["output"] == "You sent ***"
    printed = capfd.readouterr()
    assert TOKEN not in written_in(tmp_path, besides="") + printed.out + printed.err
