"""The families of commands that ask a pipeline, and of the index, which is one."""

from __future__ import annotations

import json
from random import Random

from fuzzing.broken import damage
from fuzzing.cases import Case, File, Make, broken_file, broken_text, more_flags, plain_file
from fuzzing.good_inputs import DOCS, GRID, PIPELINE, made_by_ragstone

_NO_TARGETS = (
    *("", "x", "py:", "py:nowhere:f", "py:pipeline:nope", "py:pipeline", "index:", "index:nowhere"),
    *("cmd:", "cmd:nowhere-at-all", "cmd:cat", "cmd:'", "cmd:head -1", "openai:x", "http://"),
    *("http://a:b@[::1/x", "http://127.0.0.1:1/x", "http://127.0.0.1:99999/", "http://\udcff/"),
    "openai:http://127.0.0.1:1#m",
)
_SAID = b'{"claim": "so", "citations": ["p1"], "constraints_echo": []}'
_ANSWER = b'{"answer_json": ' + _SAID + b', "retrieved_ids": ["p1"], "latency_ms": 5}'
_CHAT = b'{"choices": [{"message": {"content": %s}}]}' % json.dumps(_SAID.decode()).encode()


def asking(command: str, *fixed: str) -> Make:
    """A command that asks a pipeline: gold, journal, grid, index or replies broken."""

    def make(chance: Random) -> Case:
        made = made_by_ragstone()
        gold = File("gold.jsonl", made["gold.jsonl"])
        if chance.random() < 0.2:
            gold = broken_file(chance, "gold")
        target = chance.choice(("index:docs.index", "index:docs.index", "py:pipeline:answer"))
        files = {
            **{name: data for name, data in made.items() if name.startswith("docs.index/")},
            gold.name: gold.data,
            "grid.toml": GRID,
            "pipeline.py": PIPELINE,
            "replies.jsonl": plain_file("trace"),
        }
        broken = chance.choice(("t.journal", "grid.toml", "replies.jsonl", "docs.index/index.json"))
        if command != "latency sweep":
            files["t.journal"] = made["t.journal"]
        if broken in files and chance.random() < 0.7:
            files[broken] = broken_text(chance, files[broken])
        words = [*command.split(), "--target", target, "--gold", gold.name, "-o", "t.jsonl", *fixed]
        words += chance.choice(([], ["--json"], ["--quiet"]))
        return Case(command, (*words, *more_flags(chance, command)), files)

    return make


def run(chance: Random) -> Case:
    """`run`, sometimes with a target that is no target."""
    more = chance.choice(
        ([], ["--journal", "t.journal"], ["--journal", "t.journal"], ["--knobs", "grid.toml"])
    )
    case = asking("run", *more)(chance)
    if chance.random() < 0.85:
        return case
    target = chance.choice(_NO_TARGETS)
    words = [target if word.startswith(("index:", "py:")) else word for word in case.words]
    return Case(
        "run", (*words, "--retries", "0", "--concurrency", "1", "--timeout", "5"), case.files
    )


def replies(chance: Random) -> Case:
    """`run` with a peer on HTTP, on a pipe or as a chat model, whose answer is broken."""
    kind = chance.choice(("http", "openai", "cmd"))
    body = broken_text(chance, _CHAT if kind == "openai" else _ANSWER)
    words = [
        "run",
        "--gold",
        "gold.jsonl",
        "-o",
        "t.jsonl",
        "--timeout",
        "1",
        "--retries",
        "0",
        "--target",
    ]
    files = {
        name: data for name, data in made_by_ragstone().items() if name.startswith("docs.index/")
    }
    files["gold.jsonl"] = plain_file("gold")
    if kind == "cmd":
        files |= {"replies": body + b"\n", "peer.sh": b"while read -r line; do cat replies; done\n"}
        return Case("run replies", (*words, "cmd:sh peer.sh"), files)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d" % len(body)
    reply = head + b"\r\n\r\n" + body
    if chance.random() < 0.5:
        reply = damage(chance, reply)
    if kind == "http":
        return Case("run replies", (*words, "http://127.0.0.1:{port}/ask"), files, reply=reply)
    words += ["openai:http://127.0.0.1:{port}/v1#model", "--evidence", "index:docs.index"]
    return Case("run replies", tuple(words), files, reply=reply)


def index(action: str) -> Make:
    def make(chance: Random) -> Case:
        files = dict(made_by_ragstone()) | DOCS
        files |= {
            f"new.{name}": data for name, data in files.items() if name.startswith("docs.index/")
        }
        of = "docs/" if action == "build" else "docs.index/"
        for _ in range(chance.choice((0, 1, 1, 2))):
            name = chance.choice([name for name in files if name.startswith(of)])
            if chance.random() < 0.1:
                del files[name]
            elif action == "build" and chance.random() < 0.15:
                files[f"docs/x.{chance.choice(('pdf', 'md', 'html', 'bin', 'txt'))}"] = (
                    chance.randbytes(300)
                )
            else:
                files[name] = broken_text(chance, files[name])
        given = {
            "build": ["docs", "-o", "made", *chance.choice(([], ["--calibrate", "gold.jsonl"]))],
            "query": [
                "docs.index",
                chance.choice(("how long are events kept?", "", "文", "x" * 5000)),
            ],
            "diff": ["docs.index", "new.docs.index"],
            "verify": ["docs.index", *chance.choice(([], ["--docs", "docs"]))],
        }[action]
        return Case(
            f"index {action}",
            ("index", action, *given, *more_flags(chance, f"index {action}")),
            files,
        )

    return make
