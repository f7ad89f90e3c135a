"""Questions that came out alike are put together, and parts of them: the report stays the same.

What is compared is the JSON of the report, digest and all, over every suite that can be scored in
parts. Lists show one row or three here, so that even few questions are more than are kept.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from against.test_retrieval_engine import cases
from builders import Record, gold, refusal, trace, write_jsonl
from command import INPUTS, Ran, ragstone
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from long_runs import examples, one_of_each
from test_every_suite import COMMANDS, JUDGING, KEPT

from ragstone.embedders.embed import Ngram, Vector
from ragstone.suites import condense, evaluate, in_parts
from ragstone.suites.options import Options
from ragstone.suites.registry import find_suite

MORE = {
    "systems": "score --gold gold.jsonl --system a=trace.jsonl --system b=good.jsonl --by tags",
    "repeats": "score --gold gold.jsonl --trace trace.jsonl good.jsonl --keep all --by tags",
    "two_files": "score --gold gold.jsonl --trace good.jsonl trace.jsonl --keep first",
    "packs": "score --gold gold.jsonl --trace trace.jsonl --refusal @en --explain-refusals",
    "all_of_them": "score --gold gold.jsonl --trace trace.jsonl --texts texts.jsonl --all",
    "stability_systems": "stability score --gold gold.jsonl --system a=runs.jsonl "
    "--system b=runs.jsonl --by tags",
    "retrieval_units": "retrieval --gold retrieval_gold.jsonl --log shadow.jsonl live.jsonl "
    "--texts texts.jsonl --unit utf16 --all",
    "audit_by_line": "audit --trace trace.jsonl older.jsonl good.jsonl trace.jsonl --by q "
    "--keep all",
    "audit_gates": "audit --trace trace.jsonl older.jsonl --texts texts.jsonl "
    "--gates support=0.99 inconsistent=0 empty=0 --confidence 0.95",
    "other_results": "context --results bm25.run dense.jsonl --reference beir.tsv --gates mrr=1",
}
CASES = {
    name: words
    for name, words in {**JUDGING, **{name: each.split() for name, each in MORE.items()}}.items()
    if find_suite(COMMANDS[words[0]]).in_parts
}


def some(turn: int, names: Sequence[str] = tuple(CASES)) -> list[Any]:
    """A case of each suite for every run, and all of them for the long runs; and its number."""
    numbered = [(number, case) for number, case in enumerate(CASES) if case in names]
    return one_of_each(numbered, lambda each: CASES[each[1]][0], turn)


def run(folder: Path, words: list[str], *more: str) -> Ran:
    return ragstone(*words, *more, "--json", "--quiet", cwd=folder)


def show(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """From here on, a list shows so many rows."""
    limit = property(lambda options: None if options.all else number)
    monkeypatch.setattr(Options, "limit", limit)


def divided(monkeypatch: pytest.MonkeyPatch, parts: int) -> None:
    """From here on, whatever has a limit of memory is scored in so many parts."""
    monkeypatch.setattr(in_parts, "parts_for", lambda work, memory: parts)


# In parts the rows of an audit say more, because their questions are then elsewhere.
ALIKE = [name for name, words in CASES.items() if words[0] != "audit"]


@pytest.mark.parametrize(("number", "case"), some(0, ALIKE))
def test_a_few_questions_stand_for_all(
    number: int, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [*CASES[case], "--no-config"]
    show(monkeypatch, 1)
    whole = run(KEPT / "files", words)
    summed = evaluate.sum_inputs

    def condensed(work: Any) -> None:
        summed(work)
        work.parted = True
        condense.condense(work)
        once = tables_of(work)
        condense.condense(work)
        assert tables_of(work) == once

    monkeypatch.setattr(evaluate, "sum_inputs", condensed)
    monkeypatch.setattr("ragstone.suites.answers.refusal_proposal.gather_claims", lambda *_: None)
    assert run(KEPT / "files", words).out == whole.out


def tables_of(work: Any) -> dict[str, list[Any]]:
    tables = (*condense.condensed_tables(work), *condense.evidence_tables(work))
    return {
        table: work.duck.query(f"select *, rowid from {table} order by rowid") for table in tables
    }


@pytest.mark.parametrize(("number", "case"), some(1))
def test_parts_add_up_to_the_whole(number: int, case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Two parts of one case and seven of the next: each run takes as long as a score.
    parts, shown = (2, 1) if number % 2 else (7, 3)
    words = [*CASES[case], "--no-config"]
    show(monkeypatch, shown)
    whole = run(KEPT / "files", words)
    divided(monkeypatch, parts)
    found = run(KEPT / "files", words, "--memory", "1GB")
    assert (found.code, found.out, found.err) == (whole.code, whole.out, whole.err)


def test_a_line_that_answers_two_questions_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_jsonl(tmp_path / "gold.jsonl", [gold(qid, question="Why?") for qid in ("A1", "A2")])
    older = {"q": "Why?", "chunks": [{"id": "p1#2"}], "answer": "X rejects null keys."}
    write_jsonl(tmp_path / "trace.jsonl", [older])
    words = ["score", *INPUTS]
    whole = run(tmp_path, words)
    divided(monkeypatch, 3)
    assert run(tmp_path, words, "--memory", "1GB") == whole
    assert whole.json["inputs"]["lines"] == 1


ITEMS = st.lists(
    st.tuples(st.booleans(), st.sampled_from("ab"), st.integers(0, 3)), min_size=1, max_size=30
)


def items_and_lines(drawn: list[tuple[bool, str, int]]) -> tuple[list[Record], list[Record]]:
    """Gold items and lines of which many come out alike; some are asked twice, some are unknown."""
    golden, lines = [], []
    for number, (answerable, tag, luck) in enumerate(drawn):
        qid = f"Q{number:02}"
        golden.append(gold(qid, answerable=answerable, tags=[tag], level=luck))
        # What another tool says makes many questions of a kind their own.
        scored = {"judge": {"faithfulness": number % 5 / 4, "tone": tag}} if answerable else {}
        if luck == 1:
            lines.append(refusal(qid, **scored))
        elif luck == 2:
            lines += [trace(qid), refusal(qid, **scored)]
        elif luck == 3:
            lines.append(trace(f"unknown {qid}"))
        else:
            lines.append(trace(qid, **scored))
    return golden, lines


@settings(max_examples=examples(5, long=500), suppress_health_check=list(HealthCheck))
@given(
    drawn=ITEMS,
    parts=st.integers(2, 9),
    keep=st.sampled_from(["last", "first", "all"]),
    waived=st.integers(0, 29),
)
def test_any_questions_in_any_parts_come_to_the_same(
    drawn: list[tuple[bool, str, int]],
    parts: int,
    keep: str,
    waived: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("parts")
    golden, lines = items_and_lines(drawn)
    write_jsonl(folder / "gold.jsonl", golden)
    write_jsonl(folder / "trace.jsonl", lines)
    if keep != "all":
        slices = '[answers]\nslices = [{where = {tags = "a"}, gates = {precision = 0.9}}]\n'
        waive(folder, f"Q{waived:02}", slices)
    must_add_up(folder, ["score", *INPUTS, "--by", "tags", "--keep", keep], parts)


def waive(folder: Path, qid: str, more: str = "") -> None:
    """Settings that take a question out of every gate."""
    waiver = f'[[waive]]\nqid = "{qid}"\nuntil = "2027-01-31"\nwhy = "known"\n'
    (folder / "ragstone.toml").write_text(waiver + more)


def must_add_up(folder: Path, words: list[str], parts: int) -> None:
    """A command over the files of a folder, whole and in parts; lists show two rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Options, "limit", property(lambda options: 2))
        whole = run(folder, words, "--as-of", "2026-11-17")
        divided(patch, parts)
        found = run(folder, words, "--as-of", "2026-11-17", "--memory", "1GB")
    assert (found.code, found.out, found.err) == (whole.code, whole.out, whole.err)
    if whole.code != 2:
        assert json.loads(found.out)["digest"]


# Not shrunk: each step would be two runs of the engine, and the assertion shows the case.
few = settings(
    max_examples=examples(3, long=300),
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)

# Of each question: what kind it is, and what each of two systems retrieved for it.
RANKINGS = st.lists(
    st.tuples(st.sampled_from("ab"), *[st.sampled_from(["", "x", "g", "xg", "gx", "?"])] * 2),
    min_size=1,
    max_size=30,
)


@few
@given(drawn=RANKINGS, parts=st.integers(2, 9), several=st.booleans(), grade=st.integers(0, 2))
def test_any_rankings_in_any_parts_come_to_the_same(
    drawn: list[tuple[str, str, str]],
    parts: int,
    several: bool,
    grade: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("parts")
    golden: list[Record] = []
    found: tuple[list[Record], list[Record]] = ([], [])
    for number, (kind, *brought) in enumerate(drawn):
        qid = f"Q{number:02}"
        golden.append({"qid": qid, "document_ids": ["g"][: len(brought[0])], "kind": kind})
        for lines, documents in zip(found, brought, strict=True):
            if documents != "?":
                lines.append({"qid": qid, "doc_ids": list(documents)})
            elif grade:
                lines.append({"qid": f"unknown {qid}", "doc_ids": ["g"]})
    write_jsonl(folder / "reference.jsonl", golden)
    for name, lines in zip("ab", found, strict=True):
        write_jsonl(folder / f"{name}.jsonl", lines)
    slices = '[context]\nslices = [{where = {kind = "a"}, gates = {missing = 0.1}}]\n'
    waive(folder, "Q01", slices if any(kind == "a" for kind, *_ in drawn) else "")
    results = ["a.jsonl", "b.jsonl"] if several else ["a.jsonl"]
    words = ["context", "--results", *results, "--reference", "reference.jsonl", "--by", "kind"]
    must_add_up(folder, [*words, "--gates", "missing=0", "context_recall=0.9"], parts)


def again(lines: list[Any], copies: list[int]) -> list[Record]:
    """Every line, and the same of questions that are like its own."""
    return [
        {**line, "qid": f"{line['qid']}.{copy}"}
        for line in lines
        for copy in range(copies[sum(line["qid"].encode()) % len(copies)])
    ]


def logged_files(folder: Path, case: Any, copies: list[int], hashed: str | None) -> list[str]:
    """Gold, a log and a manifest, with texts where a hash is given; the flags that name them."""
    golden, log, manifest = case
    for place, chunk in enumerate(manifest):
        if hashed is not None:
            text = f"{('one', 'two')[place % 2]} {place}"
            right = hashlib.sha256(text.encode()).hexdigest()
            chunk.update(text=text, hash=right if place % 2 else hashed)
    write_jsonl(folder / "gold.jsonl", again(golden, copies))
    write_jsonl(folder / "log.jsonl", again(log, copies))
    write_jsonl(folder / "manifest.jsonl", manifest)
    waive(folder, "q0.1")
    return ["--gold", "gold.jsonl", "--manifest", "manifest.jsonl"]


LOGGED = {
    "case": cases(),
    "copies": st.lists(st.integers(1, 5), min_size=1, max_size=5),
    "hashed": st.sampled_from([None, "0123456789ab"]),
    "parts": st.integers(2, 9),
}


@few
@given(**LOGGED)
def test_any_log_in_any_parts_comes_to_the_same(
    case: Any,
    copies: list[int],
    hashed: str | None,
    parts: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("parts")
    given = logged_files(folder, case, copies, hashed)
    must_add_up(folder, ["retrieval", "--log", "log.jsonl", *given], parts)


def test_an_embedder_with_a_model_sees_the_whole_log(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [*CASES["retrieval_computed"], "--no-config", "--embedder", "model"]
    seen: list[int] = []

    class Model(Ngram):
        def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
            seen.append(len(texts))
            return super().embed(texts)

    monkeypatch.setattr("ragstone.suites.retrieval.delta_s.find", lambda *_: Model())
    whole = run(KEPT / "files", words)
    divided(monkeypatch, 7)
    assert run(KEPT / "files", words, "--memory", "1GB").out == whole.out
    assert seen == [seen[0]] * 2


@few
@given(**LOGGED)
def test_any_two_logs_in_any_parts_come_to_the_same(
    case: Any,
    copies: list[int],
    hashed: str | None,
    parts: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("parts")
    given = logged_files(folder, case, copies, hashed)
    log = again(case[1], copies)
    other = [{**line, "topk": line["topk"][::-1]} for line in log[::2]]
    write_jsonl(folder / "shadow.jsonl", other)
    must_add_up(
        folder, ["canary", "--live", "log.jsonl", "--shadow", "shadow.jsonl", *given], parts
    )


# Of each trace: its name, its question, what it says, how long it took, and who asked.
TRACES = st.lists(
    st.tuples(
        st.sampled_from([None, "a", "b", "c", "d", "e"]),
        st.sampled_from([None, "Why?", "why? ", "How much?", "Who?"]),
        st.sampled_from(["", "not in context", "It was 7.", "It was 8.", "Nobody."]),
        st.sampled_from([None, 1, 2.5, 3]),
        st.sampled_from("xyz"),
    ),
    max_size=30,
)


@few
@given(drawn=TRACES, parts=st.integers(2, 9), texts=st.booleans())
def test_any_traces_in_any_parts_come_to_the_same(
    drawn: list[Any], parts: int, texts: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("parts")
    lines = [
        {
            **{key: value for key, value in (("trace_id", name), ("q", question)) if value},
            "retrieved_ids": ["p1"],
            **({"retrieved_texts": ["It was 7."]} if texts and team == "x" else {}),
            "answer_json": {"claim": claim, "citations": ["p1"]},
            **({} if took is None else {"latency_ms": took, "cost_usd": took / 7}),
            "team": team,
        }
        for name, question, claim, took, team in drawn
    ]
    half = len(lines) // 2
    write_jsonl(folder / "one.jsonl", lines[:half])
    # Lines keep their numbers behind a blank one.
    written = "".join(f"{json.dumps(line)}\n\n" for line in lines[half:])
    (folder / "two.jsonl").write_text(written)
    by = ["--by", "team"] if lines else []
    gates = ["--gates", "empty=0", "inconsistent=0", "support=0.9", "p95=2"]
    must_add_up(folder, ["audit", "--trace", "one.jsonl", "two.jsonl", *by, *gates], parts)


def test_files_of_rows_have_every_row(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    words = ["context", "--results", "bm25.tsv", "--reference", "reference.tsv", "--no-config"]
    divided(monkeypatch, 3)
    monkeypatch.setattr(Options, "limit", property(lambda options: 1))
    for name, more in {"whole": (), "parts": ("--memory", "1GB")}.items():
        run(KEPT / "files", words, "-o", f"{tmp_path / name}/", *more)
    files = {path.name: path.read_bytes() for path in (tmp_path / "whole").iterdir()}
    assert {path.name: path.read_bytes() for path in (tmp_path / "parts").iterdir()} == files
    assert any(data.count(b"\n") > 2 for data in files.values())
