"""An endpoint that exists is asked as it is: its headers, its body, its reply, its proxy."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys

import pytest
from builders import gold, write_jsonl
from command import Process
from raw_server import raw_server, reply, replying
from running import lines, run, words

import ragstone
from ragstone.cli.main import main
from ragstone.errors import ConfigError
from ragstone.targets.endpoint import Endpoint, endpoint_of
from ragstone.targets.protocol import Ask
from ragstone.targets.request_body import NAMES, template

FAST = ("--retries", "0", "--timeout", "20")
TOKEN = "tok-4f7c81d2e9"


def refused(capsys, questions, tmp_path, *more, target="http://127.0.0.1:9/x") -> str:
    """What is said of a run that must not begin."""
    assert main(words(questions(1), target, tmp_path / "t.jsonl", *more)) == 2
    assert not (tmp_path / "t.jsonl").exists()
    return capsys.readouterr().err


EXISTING = {
    "responses": (
        {"output": [{"content": [{"text": "X.", "annotations": [{"file_id": "p1"}]}]}],
         "usage": {"input_tokens": 12, "output_tokens": 3}},
        '{"model": "small", "input": "{q}", "seed": "{seed}"}',
        ("claim=output[0].content[0].text", "citations=output[].content[].annotations[].file_id",
         "tokens.in=usage.input_tokens", "tokens.out=usage.output_tokens"),
        {"model": "small", "input": "Question 0?", "seed": None},
    ),
    "every form": (
        {"said": {"gpt-4.1": "X."}, "docs": [{"n": 1}, {"n": "p1"}], "cites": [1], "done": False,
         "state": "ok", "spent": None},
        '{"question": "{q}"}',
        ('claim=said."gpt-4.1"', "retrieved_ids=docs[].n", "citations=cites[]@retrieved_ids",
         "answer_json.refused=done", "refused=state{ok:false,none:true}", "constraints_echo='c'",
         "tokens.in=12", "tokens.out=3", "cost_usd=spent", "--cite-base", "0", "--ids", "text"),
        {"question": "Question 0?"},
    ),
    "invoke": (
        {"output": "X.", "metadata": {"run.id": "7"}},
        '{"input": "{q}"}',
        ("claim=output",),
        {"input": "Question 0?"},
    ),
    "bare": (
        {"text": "X.", "sources": [{"id": "p1"}]},
        '{"question": "{q}"}',
        ("claim=text", "citations=sources[].id", "retrieved_ids=sources[].id"),
        {"question": "Question 0?"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EXISTING)
def test_an_endpoint_that_exists_is_asked_as_it_is(name, questions, tmp_path):
    replied, body, paths, asked = EXISTING[name]
    with raw_server(replying(replied)) as server:
        more = ("--body", body, "--reply", *paths, *FAST)
        (line,) = run(questions(1), server.url, tmp_path / "t.jsonl", *more)
    assert server.bodies == [asked]
    assert line["answer_json"]["claim"] == "X."
    assert line["answer_json"].get("citations", ["p1"]) == ["p1"]
    assert line.get("tokens", {"in": 12, "out": 3}) == {"in": 12, "out": 3}
    assert "metadata" not in line


@pytest.mark.parametrize(
    ("replied", "says"),
    [
        ({"text": "X."}, "the reply has no sources[].id"),
        ({"text": "X.", "sources": [{"id": "p1"}, {}]}, "the reply has no sources[].id"),
        ({"text": "X.", "sources": {}}, "the reply has no sources[].id: sources is of another"),
        ({"sources": []}, "the reply has no text"),
        ([1], "the reply has no text: it is of another kind"),
        ({"text": "X.", "sources": [], "ok": 7}, "ok of the reply: expected true or false to"),
        ({"text": 7, "sources": []}, "answer_json.claim: expected a string, found 7"),
        ({"text": "X.", "sources": [{"id": None}]}, "answer_json.citations: expected a list of"),
    ],
)
def test_a_path_that_the_reply_does_not_have_is_a_bad_answer(replied, says, questions, tmp_path):
    with raw_server(replying(replied)) as server:
        more = ("--reply", "claim=text", "citations=sources[].id", *FAST)
        if isinstance(replied, dict) and "ok" in replied:
            more = (*more[:3], "refused=!ok", *FAST)
        (line,) = run(questions(1), server.url, tmp_path / "t.jsonl", *more)
    assert line["reason"] == "bad_answer"
    assert line["error"].startswith(says)


def test_the_placeholders_are_the_fields_of_a_question():
    ask = Ask("A1", 'Who is "X"?', 0, 2, "ws", {"k": 5, "mode": "lex"}, ("c",))
    values = {name: getattr(ask, name) for name in NAMES}
    assert set(NAMES) == set(Ask.__slots__)
    text = json.dumps(
        {
            "all": [f"{{{name}}}" for name in NAMES],
            "text": "{qid}: {q} ({seed}, {knobs}) {{q}}",
            "k": "{knobs.k}",
            "none": "{knobs.top}",
            "kept": [1, True, None, "{{}}"],
            "{q}": 0,
        }
    )
    assert template(text)(values) == {
        "all": ['Who is "X"?', "A1", 2, "ws", 0, {"k": 5, "mode": "lex"}, ("c",)],
        "text": 'A1: Who is "X"? (2, {"k":5,"mode":"lex"}) {q}',
        "k": 5,
        "none": None,
        "kept": [1, True, None, "{}"],
        "{q}": 0,
    }


def test_the_body_can_be_a_file(questions, tmp_path):
    (tmp_path / "body.json").write_text('{"input": "{q}"}\n')
    with raw_server(replying({"retrieved_ids": []})) as server:
        more = ("--body", f"@{tmp_path / 'body.json'}", *FAST)
        run(questions(1), server.url, tmp_path / "t.jsonl", *more)
    assert server.bodies == [{"input": "Question 0?"}]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (("--body", "{"), "--body is not JSON"),
        (("--body", '{"a": 1, "a": 2}'), '--body is not JSON: the key "a" is repeated'),
        (("--body", '"{question}"'), "--body: there is no {question}; known: {q}, {qid}, {seed}"),
        (("--body", '"{q"'), "--body: a single { in '{q'; write {{ for a brace"),
        (("--body", "@none.json"), "--body @none.json: No such file"),
        (("--reply", "claim"), "--reply 'claim': expected FIELD=PATH"),
        (("--reply", "qid=id"), "--reply qid: no such field"),
        (("--reply", "claimz=id"), "--reply claimz: no such field; did you mean 'claim'?"),
        (("--reply", "claim=a[x]"), "--reply claim: expected a dot, [] or [0] at character 2"),
        (("--reply", "claim=a{b:c"), "--reply claim: expected , or } at character 6 of 'a{b:c'"),
        (("--reply", "refused='no'"), '--reply refused: expected true or false, found "no"'),
        (("--reply", "claim=!a"), "--reply claim: !a gives true or false, and claim is a string"),
        (("--reply", "citations=a@retrieved_ids"), "retrieved_ids is not read from the reply"),
        (("--reply", "claim=a", "answer_json=b"), "--reply answer_json: it is given twice"),
        (("--header", "Bearer abcdef"), "expected 'Name: value', found a line without a colon"),
        (("--header", "A b: c"), "--header: expected 'Name: value', found \"A b\""),
        (("--header", "A: 1", "--header", "a: 2"), "--header a: it is given twice"),
        (("--header", "A: $NOT_SET_AT_ALL"), "--header A: the environment has no NOT_SET_AT_ALL"),
        (("--header", "A: ${}"), "--header A: a $ without a name; write $$ for a dollar"),
        (("--header", "Content-Length: 3"), "--header Content-Length: this header cannot be"),
        (("--header", "A: é"), "the header A cannot be sent: it is not plain ASCII"),
        (("--proxy", "http://x"), "--proxy: invalid choice"),
        (("--ca", "none.pem"), "--ca none.pem: there is no such file"),
        (("--connect-timeout", "0"), "--connect-timeout: expected a number above 0"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_asked(
    more, says, questions, tmp_path, capsys
):
    found = refused(capsys, questions, tmp_path, *more)
    assert says in found
    assert "abcdef" not in found


@pytest.mark.parametrize(
    "url", ["http://a:sesame@[::1/x", "http://", "http://a b/", "http://h:99999/", "http://h:0/"]
)
def test_what_is_no_url_is_refused_without_its_password(url, questions, tmp_path, capsys):
    found = refused(capsys, questions, tmp_path, target=url)
    assert "is not a URL such as http://localhost:8000/ask" in found
    assert "sesame" not in found


def test_flags_for_http_are_refused_where_nothing_is_sent_over_it(questions, tmp_path, capsys):
    more = ("--body", '"{q}"', "--no-keep-alive")
    found = refused(capsys, questions, tmp_path, *more, target="cmd:cat")
    assert "--body, --no-keep-alive: only http:, https: and openai: targets" in found
    found = refused(
        capsys, questions, tmp_path, *more, "--evidence", "cmd:cat", target="openai:http://h#m"
    )
    assert "--body and --reply: the form of openai: requests and replies is fixed" in found


def heads_of(server) -> dict[str, str]:
    pairs = (line.partition(": ") for line in server.heads[-1].splitlines()[1:])
    return {name: value for name, _, value in pairs}


def test_headers_get_their_values_from_the_environment(questions, tmp_path, monkeypatch):
    monkeypatch.setenv("SOME_TOKEN", TOKEN)
    with raw_server(lambda send, q, number: send(reply(q))) as server:
        more = (
            "--header",
            "Authorization: Bearer $SOME_TOKEN",
            "--header",
            "X-Team: a$$${SOME_TOKEN}b",
        )
        run(questions(1), server.url, tmp_path / "t.jsonl", *more, *FAST)
    sent = heads_of(server)
    assert sent["Authorization"] == f"Bearer {TOKEN}"
    assert sent["X-Team"] == f"a${TOKEN}b"
    assert sent["Accept-Encoding"] == "identity"
    assert "Cookie" not in sent


def test_answers_to_another_body_reply_or_header_are_not_mixed(
    questions, tmp_path, monkeypatch, capsys
):
    first = ("--body", '{"q": "{q}"}', "--header", "X-Key: $SOME_TOKEN", "--reply", "claim=a")
    others = [
        ("--body", '{"q": "{q}", "k": 5}', *first[2:]),
        (*first[:4], "--reply", "claim=b"),
        (*first[:2], "--header", "X-Tenant: b", *first[4:]),
        (),
    ]
    monkeypatch.setenv("SOME_TOKEN", TOKEN)
    with raw_server(replying({"a": "X.", "b": "Y."})) as server:
        given, output = questions(1), tmp_path / "t.jsonl"
        run(given, server.url, output, *first, *FAST)
        for other in others:
            assert main(words(given, server.url, output, *other, *FAST)) == 2
            assert "holds answers of" in capsys.readouterr().err
        # A new key is no other run: keys expire while a run is interrupted.
        monkeypatch.setenv("SOME_TOKEN", "another-token")
        run(given, server.url, output, *first, *FAST)
    assert len(server.bodies) == 1


def test_the_proxy_of_the_environment_is_used_only_when_it_is_asked_for(
    questions, tmp_path, monkeypatch
):
    with (
        raw_server(lambda send, q, number: send(reply(q))) as proxy,
        raw_server(lambda send, q, number: send(reply(q))) as server,
    ):
        for name in ("NO_PROXY", "no_proxy", "http_proxy"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HTTP_PROXY", proxy.url.replace("//", "//me:sesame@"))
        given = questions(1)
        run(given, server.url, tmp_path / "a.jsonl", *FAST)
        assert (len(proxy.heads), len(server.heads)) == (0, 1)
        run(given, server.url, tmp_path / "b.jsonl", "--proxy", "env", *FAST)
        assert (len(proxy.heads), len(server.heads)) == (1, 1)
        assert proxy.heads[0].startswith(f"POST {server.url} HTTP/1.1")
        assert heads_of(proxy)["Proxy-Authorization"] == "Basic bWU6c2VzYW1l"
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        run(given, server.url, tmp_path / "c.jsonl", "--proxy", "env", *FAST)
        assert (len(proxy.heads), len(server.heads)) == (1, 2)


def test_a_silent_server_and_an_address_that_does_not_connect_have_their_own_limits(
    questions, tmp_path
):
    with socket.socket() as full:
        # A queue of one that is taken: the next connection waits for an answer for ever.
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        url = f"http://127.0.0.1:{full.getsockname()[1]}/x"
        with socket.create_connection(full.getsockname()), socket.socket() as second:
            second.setblocking(False)
            second.connect_ex(full.getsockname())
            more = ("--connect-timeout", "0.2", "--read-timeout", "0.3", *FAST)
            (line,) = run(questions(1), url, tmp_path / "t.jsonl", *more)
    assert (line["reason"], line["error"]) in [
        ("transport", "no connection within 0.2 s"),
        # A system that takes the connection anyway leaves the request without a reply.
        ("timeout", "the server sent nothing for 0.3 s"),
    ]


def test_a_server_that_falls_silent_is_given_up(questions, tmp_path):
    def behave(send, q, number):
        send(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{")
        hold.recv(1)

    hold, other = socket.socketpair()
    with hold, other, raw_server(behave) as server:
        more = ("--read-timeout", "0.2", *FAST)
        (line,) = run(questions(1), server.url, tmp_path / "t.jsonl", *more)
        other.send(b"x")
    assert (line["reason"], line["error"]) == ("timeout", "the server sent nothing for 0.2 s")


# A folder first on the path whose `aiohttp` cannot be imported: a fake, in place of an environment
# without the package.
FAKE = "raise ModuleNotFoundError(\"No module named 'aiohttp'\", name='aiohttp')\n"


@pytest.mark.parametrize("target", ["http://h/x", "https://h/x", "openai:http://h/v1#m"])
def test_without_aiohttp_the_line_that_installs_it_is_told(target, questions, tmp_path):
    (tmp_path / "fake").mkdir()
    (tmp_path / "fake" / "aiohttp.py").write_text(FAKE)
    (tmp_path / "evidence_of_test.py").write_text('def give(q): return {"topk": []}\n')
    path = os.pathsep.join([str(tmp_path / "fake"), str(tmp_path)])
    given = words(
        questions(1), target, tmp_path / "t.jsonl", "--evidence", "py:evidence_of_test:give"
    )
    done = subprocess.run(
        [*Process.argv, *given],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "needs aiohttp, which is not installed: pip install 'aiohttp<4,>=3.11'" in done.stderr
    assert not (tmp_path / "t.jsonl").exists()


def test_aiohttp_is_loaded_for_no_other_target(questions, tmp_path):
    (tmp_path / "own_of_test.py").write_text('def f(q): return {"retrieved_ids": []}\n')
    code = (
        "import sys; from ragstone.cli.main import main; code = main(sys.argv[1:]); "
        "sys.exit(code or 'aiohttp' in sys.modules)"
    )
    given = words(questions(1), "py:own_of_test:f", tmp_path / "t.jsonl")
    assert subprocess.run([sys.executable, "-c", code, *given], cwd=tmp_path).returncode == 0


def test_the_latency_sweep_takes_the_same_flags(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SOME_TOKEN", TOKEN)
    questions = write_jsonl(tmp_path / "g.jsonl", [gold("A1", question="Who?")])
    with raw_server(replying({"out": [{"text": f"You sent {TOKEN}"}]})) as server:
        given = [
            "latency",
            "sweep",
            "--no-config",
            "--gold",
            str(questions),
            "--target",
            server.url,
        ]
        load = ["--rps", "20", "--duration", "0.2", "--warmup", "0"]
        flags = ["--header", "X: $SOME_TOKEN", "--body", '["{q}"]', "--reply", "claim=out[0].text"]
        output = ["-o", str(tmp_path / "s.jsonl"), "--json"]
        assert main([*given, *load, *flags, *output]) == 0
    assert server.bodies == [["Who?"]] * 4
    claims = [line["answer_json"]["claim"] for line in lines(tmp_path / "s.jsonl")]
    assert claims == ["You sent ***"] * 4


def test_python_takes_the_same_words(questions, tmp_path):
    with raw_server(replying({"out": "X."})) as server:
        summary = ragstone.run(
            server.url,
            questions(2),
            tmp_path / "t.jsonl",
            body='{"input": "{q}"}',
            reply={"claim": "out"},
            keep_alive=False,
        )
    assert (summary.answered, server.connections) == (2, 2)
    assert endpoint_of() == Endpoint()
    with pytest.raises(ConfigError, match="--proxy 'all': expected env"):
        endpoint_of(proxy="all")


def test_a_body_of_our_own_is_the_default(questions, tmp_path):
    with raw_server(lambda send, q, number: send(reply(q))) as server:
        run(questions(1), server.url, tmp_path / "t.jsonl", *FAST)
    assert server.bodies == [{"q": "Question 0?", "seed": None, "jitter": None, "knobs": {}}]
