"""Inputs that nothing is wrong with, of every kind that a command reads."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import io
import json
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from random import Random
from typing import Any

Row = dict[str, Any]
Files = dict[str, bytes]


def jsonl(rows: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def gold(chance: Random, number: int) -> Row:
    item: Row = {
        "qid": f"A{number}",
        "question": f"Who wrote {number}?",
        "answerable": number % 4 > 0,
    }
    more: Row = {
        "gold_claim_substr": chance.choice((["rejects null keys"], ["$1,577.00"], ["Yes, by 3%"])),
        "gold_answer": chance.choice(
            (
                {"number": "1577.00", "unit": "USD million"},
                [{"number": 5, "rel": 0.01}, {"any": ["Yes", "v2.1"]}],
                {"all": ["null keys", {"regex": "rejects?"}]},
            )
        ),
        "nuggets": [{"id": "a", "any": ["null"], "vital": True}, {"id": "b", "number": 5}],
        "must_not": ["accepts null keys", {"any": ["maybe"]}],
        "gold_citations": chance.choice((["p1#2"], {"p1#2": 1, "p1#1": 0})),
        "gold_citations_any": [["p1#2", "p9#9"], ["p1#1"]],
        "constraints": ["metric units"],
        "tags": ["a", "b"],
        "notes": {"x": [1, None]},
        "level": 2,
        "paraphrases": ["Who was it?"],
    }
    return item | {name: more[name] for name in more if chance.random() < 0.6}


def trace(chance: Random, number: int) -> Row:
    if chance.random() < 0.1:
        chunks = [{"id": "p1#1", "score": 0.9}, {"id": "p1#2", "text": "So it is: 5."}]
        return {
            "q": f"Who wrote {number}?",
            "chunks": chunks,
            "answer": "- so\n- citations: [p1#2]",
        }
    said: Row = {"claim": "X rejects null keys.", "citations": ["p1#2"], "constraints_echo": []}
    if chance.random() < 0.2:
        said["claims"] = [{"text": "X rejects null keys.", "citations": ["p1#2"]}, {"text": "So."}]
    row: Row = {"qid": f"A{number}", "retrieved_ids": ["p1#1", "p1#2"], "answer_json": said}
    more: Row = {
        "q": "Who?",
        "trace_id": chance.choice((f"t{number}", number, 1.5, None, [])),
        "retrieved_texts": ["X is 5 %.", "X costs $1,577 million."],
        "constraints": ["metric units"],
        "ts": chance.choice((1700000000, "2024-01-31T10:00:00.125Z", 1.5)),
        "latency_ms": 12.5,
        "cost_usd": 0.001,
        "stage_ms": {"llm": 1.5, "guard": 2},
        "tokens": {"in": 1, "out": 2},
        "judge": {"faithfulness": 0.75, "tone": chance.choice(("polite", "rude")), "ok": True},
        "ok": True,
        "meta": {"a": [{"b": "文"}]},
    }
    return row | {name: more[name] for name in more if chance.random() < 0.4}


def _run(chance: Random, number: int) -> Row:
    jitter, seed = ("none", "ws", "punct")[number % 3], number % 2
    row = {**trace(chance, number // 6), "qid": f"A{number // 6}"}
    return row | {"run_id": f"{number}", "seed": seed, "jitter": jitter}


def _sample(chance: Random, number: int) -> Row:
    row = {**trace(chance, number % 3), "qid": f"A{number % 3}", "latency_ms": 5.0 + number}
    return row | {
        "config": f"c{number % 2}",
        "rps": 1 + number % 2,
        "knobs": {"k": 5},
        "planned": 0.5,
    }


def _hit(number: int) -> Row:
    return {
        "id": f"S.{number}#1",
        "score": 0.5,
        "offsets": [0, 9],
        "type": "prose",
        "section_id": "S.1",
    }


def _pair(chance: Random, number: int) -> Row:
    labels = ("VALID", "REJECT", "ABSTAIN", "INVALID", "NOT_IN_CONTEXT")
    scholar, auditor = chance.choice(labels), chance.choice(labels)
    row = {"qid": f"A{number}", "scholar": {"label": scholar}, "auditor": {"label": auditor}}
    return row | {"flags": {"constraints_mismatch": False}, "answer_json": {"claim": "so"}}


# A row of every record: the list of `ragstone schema` must have no name that is missing here.
ROWS: dict[str, Callable[[Random, int], Row]] = {
    "gold": gold,
    "trace": trace,
    "run": _run,
    "sample": _sample,
    "pairs": _pair,
    "labels": lambda chance, n: {"qid": f"A{n}", "label": chance.choice(("VALID", "REJECT"))},
    "people": lambda chance, n: {"qid": f"A{n}", "label": chance.choice(("correct", "refusal"))},
    "judged": lambda chance, n: {
        "qid": f"A{n}", "name": "relevance", **chance.choice(({"score": 0.5}, {"label": "good"})),
    },
    "judge_labels": lambda chance, n: {"qid": f"A{n}", "label": chance.random() < 0.5},
    "retrieval_gold": lambda chance, n: {
        "qid": f"A{n}", "paraphrases": ["Who?", "Who was it?"], "relevant": [f"S.{n}#1"],
        "negatives": [], "relevant_offsets": {f"S.{n}#1": [0, 9]}, "tags": ["a"],
    },
    "retrieval_log": lambda chance, n: {
        "qid": f"A{n}", "query": "Who?", "seed": 1, "topk": [_hit(n), _hit(n + 1)],
        "ΔS": [0.25, 0.5], "λ_state": "→", "answer_citations": [_hit(n)],
    },
    "manifest": lambda chance, n: {
        "id": f"S.{n}#1", "section_id": "S.1", "offsets": [n * 9, n * 9 + 9], "type": "prose",
        "text": f"a text {n}.", "doc": "d",
    },
    "texts": lambda chance, n: {"id": f"S.{n}#1", "text": f"a text {n}"},
    "results": lambda chance, n: {"qid": f"{n}", "doc_ids": ["d1", "d2"], "question": "Who?"},
    "reference": lambda chance, n: {
        "qid": f"{n}", "document_ids": ["d1"], "question": "Who?", "question_kind": "factoid",
    },
}  # fmt: skip


def rows(chance: Random, record: str, count: int) -> list[Row]:
    return [ROWS[record](chance, number) for number in range(count)]


def table(given: Iterable[Row], mark: str) -> bytes:
    """The rows as pandas writes them to TSV or CSV."""
    listed = list(given)
    head = mark.join(listed[0])
    body = (mark.join(_cell(value, mark) for value in row.values()) for row in listed)
    return "\n".join((head, *body, "")).encode()


def _cell(value: Any, mark: str) -> str:
    text = str(value)
    return f'"{text}"' if mark in text else text


TREC_RUN = b"".join(
    b"%d Q0 d%d %d %.2f tag\n" % (q, d, d, 9 - d) for q in range(3) for d in range(3)
)
TREC_QRELS = b"".join(b"%d 0 d%d %d\n" % (q, d, d % 2) for q in range(3) for d in range(3))
BEIR_QRELS = b"query-id\tcorpus-id\tscore\n0\td1\t1\n1\td2\t2\n2\td0\t1\n"
_PASSAGES = [{"passage": "p", "doc_IDs": ["<urn:uuid:1>"]}]
LIVERAG = jsonl({"id": n, "passages": _PASSAGES, "answer": "so"} for n in range(3))
GRID = b"""\
k = [2, 5]
[[config]]
name = "fast"
mode = "bm25"
[[config]]
name = "slow"
"""
DOCS: Files = {
    "docs/relay.md": "# Relay\n\n## Kept\n\nDelivered events are kept for 30 days. 文 é\n\n"
    "| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nprint(1)\n```\n\n> quote\n\n- list\n".encode(),
    "docs/page.html": b"<html><body><h1>Limits</h1><p>At most 5 calls &amp; no more.</p>"
    b"<pre>code</pre><table><tr><td>1</td></tr></table><script>x</script></body></html>",
    "docs/notes.txt": b"Plain text.\n\nSecond paragraph about events.\n",
    "docs/code.py": b"def f(x):\n    '''Doc.'''\n    return x\n",
}
SERVE = b"""
[serve]
data = "live"
keep = "30d"
[serve.shadow]
target = "index:next.index"
share = 0.1
run = "next"
timeout = "30s"
"""
CONFIG = b"""\
[paths]
gold = "gold.jsonl"
trace = ["trace.jsonl"]
[answers]
k = 5
missing = "fail"
keep = "last"
scu = false
refusal = ["not in context"]
[answers.gates]
precision = ">= 0.80"
chr = 0.75
under_refusal = "<= 0.05"
[[answers.slices]]
where = { tags = "a" }
gates = { precision = 0.90 }
[[scu.rules]]
locked = "metric units"
contradicts = "inches"
[retrieval]
gold = "retrieval_gold.jsonl"
log = ["retrieval_log.jsonl"]
manifest = "manifest.jsonl"
[retrieval.gates]
"R@5" = 0.90
[context]
results = ["results.jsonl"]
reference = "reference.jsonl"
[context.gates]
"ndcg@10" = 0.7
[latency]
samples = ["sample.jsonl"]
[agreement]
pairs = ["pairs.jsonl"]
[stability]
runs = ["run.jsonl"]
[audit]
sample_rate = 0.5
[audit.gates]
support = 0.9
[map]
claim = "answer_json.claim"
[report]
texts = "clip"
"""
# A pipeline for `run`: it answers from the file that the case brings.
PIPELINE = b"""\
import json
from pathlib import Path


def answer(q):
    lines = Path("replies.jsonl").read_bytes().splitlines()
    return json.loads(lines[len(q) % len(lines)])
"""


_MADE = (
    "index build docs -o docs.index",
    "run --target index:docs.index --gold gold.jsonl -o t.jsonl --journal t.journal",
    "score --gold gold.jsonl --trace trace.jsonl --quiet -o saved.json -o saved.parquet",
    "gold freeze gold.jsonl --who Ann --why so --as-of 2026-01-01",
)


@functools.cache
def made_by_ragstone() -> Files:
    """An index, a journal, a lock, and a saved report with its rows and state, all written here."""
    from ragstone.cli.main import main
    from ragstone.report.model import Report

    chance = Random(0)
    given = {
        **DOCS,
        "gold.jsonl": jsonl(rows(chance, "gold", 4)),
        "trace.jsonl": jsonl(rows(chance, "trace", 4)),
    }
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        write(Path(), given)
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            for line in _MADE:
                main(line.split())
        files = {
            str(path): path.read_bytes()
            for path in sorted(Path("docs.index").rglob("*"))
            if path.is_file()
        }
        lines = [json.loads(line) for line in Path("t.journal").read_bytes().splitlines()]
        saved = Path("saved.json").read_bytes()
        verdicts = Path("saved.parquet").read_bytes()
        lock = Path("gold.lock").read_bytes()
    # Answers come in the order in which they were ready, and a clock measured them: a case must be
    # the same every time, and so must the hash of what was written.
    first, *answers, written = lines
    for line in answers:
        line["measured"] = {"ts": "2024-01-31T10:00:00.125+00:00", "latency_ms": 1.5, "attempts": 1}
    written["wrote"] = "0" * 64
    lines = [first, *sorted(answers, key=lambda line: str(line["key"])), written]
    state = Report.from_json(saved.decode()).to_state().encode()
    made = {
        "gold.jsonl": given["gold.jsonl"],
        "t.journal": jsonl(lines),
        "gold.lock": lock,
        "saved.json": saved,
        "saved.parquet": verdicts,
        "state.json": state,
        "judge.json": _calibration(),
    }
    return files | made


PROMPT = b"Is it so?"


def _answered(number: int, index: str) -> Row:
    """An arm of a pair."""
    hits = [{"id": f"d{number}"}, {"id": "S.4.2.p.Bk011a", "text": "so"}]
    return {
        "retrieval": {"topk": hits, "index_hash": index, "λ_states": ["→", "<>"]},
        "answer": {
            "claim": "so",
            "citations": hits[:1],
            "coverage": 1.0,
            "ΔS": 0.2,
            "λ_final": "→",
        },
        "perf": {"latency_ms": 12.5},
    }


# Lines of the files of a mirror: pairs, one of them without an answer, and counts.
PAIRS = [
    jsonl(
        [{"pair": {"id": f"p{n}", "question": f"Who wrote {n}?", "qid": f"A{n}", "ts": n, **arms}}]
    )
    for n in range(6)
    for arms in (
        {"live": _answered(n, "i1"), "shadow": _answered(n, "i2")}
        if n != 3
        else {"live": _answered(n, "i1"), "failure": "timeout: no answer within 30 s"},
    )
] + [jsonl([{"counts": {"mirror": "m1", "seen": 9, "dropped": 3, "answered": 5, "failed": 1}}])]


def _calibration() -> bytes:
    """What `calibrate-judge` writes of a judge that people agree with."""
    from ragstone.suites.judged_scores.calibration_file import Calibration, written

    return written(
        Calibration(
            score="faithfulness",
            model="m",
            prompt_sha256=hashlib.sha256(PROMPT).hexdigest(),
            threshold=0.5,
            labels=80,
            kappa=0.9,
            interval=(0.75, 0.97),
            level=0.95,
            table=((40, 2), (2, 36)),
            inputs={"labels": "0", "trace": "1"},
        )
    )


# A clock and chance name the file of a recording, and a case must be the same every time.
_SEEN = "20240131T100000.125000Z-0a1b2c3d.json"


@functools.cache
def a_ledger() -> tuple[str, Files]:
    """The digest of a recorded run that has a name, and the files of its ledger and inputs."""
    from ragstone.cli.main import main

    chance = Random(0)
    given = {
        name: jsonl(rows(chance, name.split(".")[0], 4)) for name in ("gold.jsonl", "trace.jsonl")
    }
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        write(Path(), given)
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            for line in (
                "score --gold gold.jsonl --trace trace.jsonl --no-config --record",
                "runs accept last --name main",
            ):
                main(line.split())
        made = {
            str(path): path.read_bytes()
            for path in sorted(Path(".ragstone").rglob("*.*"))
            if path.is_file()
        }
    digest = next(name.split("/")[2] for name in made if name.endswith("report.json"))
    files = dict(given)
    for name, data in made.items():
        whole = json.loads(data) if "/seen/" in name or "/names/" in name else None
        if whole is None:
            files[name] = data
            continue
        whole["at"] = "2024-01-31T10:00:00.125000Z"
        whole.update({key: None for key in ("commit", "branch", "dirty") if key in whole})
        at = f"{name.rpartition('/')[0]}/{_SEEN}" if "/seen/" in name else name
        files[at] = json.dumps(whole).encode()
    return digest, files


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
