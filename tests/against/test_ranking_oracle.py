"""The kernel, the scorer in memory and the plain oracle say the same, to the last bit."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest
from against import ranking_oracle as oracle
from context_files import shared
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from long_runs import examples

import ragstone
from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck, identifier
from ragstone.suites.declaration import Outcome
from ragstone.suites.evaluate import run as carry_out
from ragstone.suites.trec.options import TrecOptions
from ragstone.suites.trec.suite import TREC

NAMES = (
    "ndcg@1", "ndcg@3", "ndcg@10", "ndcg", "ndcg@3_exp", "P@1", "P@5", "R@2", "R@10", "success@1",
    "success@3", "mrr", "mrr@2", "map", "map@3", "bpref", "rprec",
)  # fmt: skip

docs = st.sampled_from(["a", "b", "c", "d", "e", "f", "é", "z", "A", "😀", "10", "9"])
# Scores that tie, that tie only as float32, and that float32 cannot hold.
scores = st.sampled_from(
    (
        0.0, -0.0, 1.0, 1.0 + 1e-9, 1.0 + 1e-7, 2.5, -3.0, 1e-42, 3e38, 1e39, -1e39, 16777216.0,
        16777217.0, 0.1, 0.1 + 1e-12, math.inf, -math.inf,
    )
)  # fmt: skip
grades = st.sampled_from([-1, 0, 0, 1, 1, 2, 3])
qids = st.sampled_from(["0", "1", "q 2".replace(" ", "_"), "03"])
runs = st.dictionaries(qids, st.dictionaries(docs, scores, min_size=1), max_size=4)
judgments = st.dictionaries(qids, st.dictionaries(docs, grades, min_size=1), min_size=1, max_size=4)


def files(folder: Path, qrels: oracle.Qrels, run: oracle.Run) -> tuple[Source, Source]:
    made = []
    for name, lines in (
        ("qrels", [f"{q} 0 {d} {g}\n" for q, gold in qrels.items() for d, g in gold.items()]),
        ("run", [f"{q} Q0 {d} 1 {s!r} t\n" for q, all_ in run.items() for d, s in all_.items()]),
    ):
        path = folder / f"{name}.txt"
        path.write_text("".join(lines), "utf-8")
        made.append(Source(name, path))
    return made[0], made[1]


def scored(duck: Duck, qrels: Source, run: Source, options: TrecOptions) -> Outcome[TrecOptions]:
    return carry_out(TREC, duck, {"qrels": (qrels,), "runs": (run,)}, options)


def from_files(folder: Path, qrels: oracle.Qrels, run: oracle.Run, level: int) -> dict[str, object]:
    options = TrecOptions(metrics=NAMES, grade=level, over="judged")
    with Duck() as duck:
        scored(duck, *files(folder, qrels, run), options)
        chosen = ", ".join(identifier(name) for name in NAMES)
        found = duck.query(f"select qid, {chosen} from rows where judged")
    return {str(row[0]): dict(zip(NAMES, row[1:], strict=True)) for row in found}


@settings(
    max_examples=examples(15, long=400), deadline=None, suppress_health_check=list(HealthCheck)
)
@given(judgments, runs, st.sampled_from([1, 2]))
def test_the_kernel_is_the_oracle_to_the_last_bit(tmp_path, qrels, run, level):
    # A run without a question of qrels is an error.
    assume(not run or run.keys() & qrels.keys())
    expected = {
        qid: {name: oracle.value(name, gold, run.get(qid, {}), level) for name in NAMES}
        for qid, gold in qrels.items()
    }
    assert from_files(tmp_path, qrels, run, level) == expected


@settings(max_examples=300, deadline=None)
@given(judgments, runs, st.sampled_from([1, 2]))
def test_memory_is_the_oracle_to_the_last_bit(qrels, run, level):
    found = ragstone.ranking(qrels, run, NAMES, level=level)
    expected = {
        qid: {name: oracle.value(name, gold, run.get(qid, {}), level) for name in NAMES}
        for qid, gold in qrels.items()
    }
    assert found.rows == expected
    scored = [qid for qid, gold in qrels.items() if any(g >= 1 for g in gold.values())]
    assert found.questions == len(scored)
    for name in NAMES if scored else ():
        mean = math.fsum(expected[qid][name] for qid in scored) / len(scored)
        assert found[name] == pytest.approx(mean, abs=1e-15)


lists = st.lists(docs, max_size=14)


@settings(max_examples=25, deadline=None)
@given(st.dictionaries(qids, st.tuples(st.sets(docs), lists), min_size=1))
def test_the_set_metrics_are_the_oracle_to_the_last_bit(cases):
    results = [{"qid": q, "doc_ids": found} for q, (_, found) in cases.items()]
    references = [{"qid": q, "document_ids": sorted(gold)} for q, (gold, _) in cases.items()]
    scores = ragstone.ContextRecall().evaluate(results, references)
    rows = {row["qid"]: row for row in scores.rows}
    assert set(rows) == {qid for qid, (gold, _) in cases.items() if gold}
    for qid, row in rows.items():
        gold, found = cases[qid]
        # A repeated id keeps its first place, at chunk level too.
        expected = oracle.context(gold, list(dict.fromkeys(found)))
        for name, number in expected.items():
            assert row[name] == pytest.approx(number, abs=1e-12), name
        gains = dict.fromkeys(gold, 1)
        order = {doc: -float(at) for at, doc in reversed(list(enumerate(found)))}
        assert row["ndcg_10"] == oracle.value("ndcg@10", gains, order)


def test_memory_and_kernel_agree_on_real_runs():
    qrels_path = shared("dl19", "qrels.txt")
    qrels: dict[str, dict[str, int]] = {}
    for line in qrels_path.read_text().splitlines():
        qid, _, doc, grade = line.split()
        qrels.setdefault(qid, {})[doc] = int(grade)
    for path in sorted(shared("dl19", "runs").iterdir()):
        run: dict[str, dict[str, float]] = {}
        for line in path.read_text().splitlines():
            qid, _, doc, _, score, _ = line.split()
            run.setdefault(qid, {})[doc] = float(score)
        found = ragstone.ranking(qrels, run, NAMES)
        with Duck() as duck:
            options = TrecOptions(metrics=NAMES)
            outcome = scored(duck, Source("q", qrels_path), Source("r", path), options)
            averages = {name: outcome.first[name].value for name in NAMES}
        assert dict(found) == averages
        assert json.loads(json.dumps(found.metrics)) == averages


@pytest.mark.parametrize("threads", [1, 4])
def test_a_large_run_in_any_order_is_read_in_parts_that_fit_together(tmp_path, threads):
    rng = random.Random(threads)
    qrels: oracle.Qrels = {}
    run: oracle.Run = {}
    lines = []
    for qid in map(str, range(400)):
        # Short and long rankings, ids longer than the engine keeps in place, many ties.
        ids = [
            f"{'corpus-of-pages/' * 4}{n:06}"
            for n in rng.sample(range(10**6), 60 + 7 * int(qid) % 900)
        ]
        run[qid] = {doc: float(rng.randrange(200)) for doc in ids}
        qrels[qid] = {doc: rng.randrange(-1, 4) for doc in (*rng.sample(ids, 20), "none")}
        lines += [f"{qid} Q0 {doc} 1 {score} t\n" for doc, score in run[qid].items()]
        if int(qid) % 3 == 0:
            lines += [f"{qid} Q0 {ids[0]} 1 {run[qid][ids[0]] - 1} t\n"] * 2
    rng.shuffle(lines)
    gold, path = files(tmp_path, qrels, {})[0], tmp_path / "run.txt"
    path.write_text("".join(lines))
    # More than the reader takes at a time, so that several threads have a part of each question.
    assert path.stat().st_size > 16_000_000
    with Duck(threads) as duck:
        outcome = scored(duck, gold, Source("run", path), TrecOptions(metrics=NAMES))
    assert {name: outcome.first[name].value for name in NAMES} == dict(
        ragstone.ranking(qrels, run, NAMES)
    )
    assert outcome.facts["ranked"][outcome.shown].duplicates == 2 * 134
