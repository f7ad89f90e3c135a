#!/usr/bin/env python3
"""How fast, in how much memory, beside pytrec_eval, ir_measures and ranx?

    bench/ranking.py --peers DIR [files] [memory] [start] [--queries N] [--rounds N]

files   TREC files on disk to the averages of nDCG@10, P@5, R@10, MRR and MAP
memory  the same from nested dicts in memory (beside pytrec_eval, which takes those too)
start   the whole process on fifty questions, beside importing ranx, and beside ir_measures with
        pytrec_eval doing the same job

DIR is a virtual environment with the peers (pytrec-eval-terrier, ir-measures, ranx); where there is
none yet, it is made and they are installed. Without --peers this Python is asked, and a peer it
cannot import is skipped, and said so. Every number is the best of its rounds, in one run, in turn.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from process import byte_code

PACKAGES = ("pytrec-eval-terrier", "ir-measures", "ranx")
OURS = ("ndcg@10", "P@5", "R@10", "mrr", "map")

RAGSTONE = """
import sys
from ragstone.cli.main import main
main(["trec", sys.argv[1], sys.argv[2], "-m", "ndcg@10", "P@5", "R@10", "mrr", "map", "--json"])
"""
PYTREC_EVAL = """
import json, math, sys, pytrec_eval
with open(sys.argv[1]) as file: qrels = pytrec_eval.parse_qrel(file)
with open(sys.argv[2]) as file: run = pytrec_eval.parse_run(file)
asked = {"ndcg_cut.10", "P.5", "recall.10", "recip_rank", "map"}
rows = pytrec_eval.RelevanceEvaluator(qrels, asked).evaluate(run).values()
names = ["ndcg_cut_10", "P_5", "recall_10", "recip_rank", "map"]
print(json.dumps([math.fsum(row[name] for row in rows) / len(rows) for name in names]))
"""
IR_MEASURES = """
import json, sys, ir_measures
from ir_measures import AP, P, R, RR, nDCG
asked = [nDCG@10, P@5, R@10, RR, AP]
qrels, run = ir_measures.read_trec_qrels(sys.argv[1]), ir_measures.read_trec_run(sys.argv[2])
found = ir_measures.calc_aggregate(asked, qrels, run)
print(json.dumps([found[measure] for measure in asked]))
"""
RANX = """
import json, sys, warnings
warnings.simplefilter("ignore")
from ranx import Qrels, Run, evaluate
qrels, run = Qrels.from_file(sys.argv[1], kind="trec"), Run.from_file(sys.argv[2], kind="trec")
asked = ["ndcg@10", "precision@5", "recall@10", "mrr", "map"]
print(json.dumps([float(value) for value in evaluate(qrels, run, asked).values()]))
"""
PEERS = {"pytrec_eval": PYTREC_EVAL, "ir_measures": IR_MEASURES, "ranx": RANX}

# The same job on LiveRAG files: read the tables, compare documents, rank, average, print.
START_RAGSTONE = """
import sys
from ragstone.cli.main import main
main(["context", "--results", sys.argv[1], "--reference", sys.argv[2], "--json"])
"""
START_PEER = """
import ast, csv, json, sys
import ir_measures, pytrec_eval
from ir_measures import P, R, nDCG
csv.field_size_limit(2**31 - 1)
def table(path, column):
    with open(path, newline="") as file:
        rows = csv.DictReader(file, delimiter="\\t")
        return {row["qid"]: ast.literal_eval(row[column]) for row in rows}
results, reference = table(sys.argv[1], "doc_ids"), table(sys.argv[2], "document_ids")
run = {qid: {doc: -float(at) for at, doc in enumerate(docs)} for qid, docs in results.items()}
qrels = {qid: {doc: 1 for doc in docs} for qid, docs in reference.items()}
found = ir_measures.calc_aggregate([nDCG@10, P@10, R@10], qrels, run)
print(json.dumps({str(measure): value for measure, value in found.items()}))
"""

IN_MEMORY = """
import json, math, random, sys, time
def table(path, at, kind):
    made = {}
    with open(path) as file:
        for line in file:
            words = line.split()
            made.setdefault(words[0], {})[words[2]] = kind(words[at])
    return made
qrels, run = table(sys.argv[1], 3, int), table(sys.argv[2], 4, float)
rng = random.Random(1)
shuffled = {qid: dict(rng.sample(list(s.items()), len(s))) for qid, s in run.items()}
tied = {qid: {doc: float(round(score)) for doc, score in s.items()} for qid, s in run.items()}
%s
found = {}
for name, data in {"sorted": run, "shuffled": shuffled, "tied": tied}.items():
    best = math.inf
    for _ in range(5):
        start = time.perf_counter()
        values = score(qrels, data)
        best = min(best, time.perf_counter() - start)
    found[name] = [best, values]
print(json.dumps(found))
"""
MEMORY_RAGSTONE = """
import ragstone
def score(qrels, run):
    return list(ragstone.ranking(qrels, run, ["ndcg@10", "P@5", "R@10", "mrr", "map"]).values())
"""
MEMORY_PYTREC_EVAL = """
import pytrec_eval
def score(qrels, run):
    asked = {"ndcg_cut.10", "P.5", "recall.10", "recip_rank", "map"}
    rows = pytrec_eval.RelevanceEvaluator(qrels, asked).evaluate(run).values()
    names = ["ndcg_cut_10", "P_5", "recall_10", "recip_rank", "map"]
    return [math.fsum(row[name] for row in rows) / len(rows) for name in names]
"""


@dataclass(frozen=True)
class Seen:
    """One process: wall and CPU seconds, peak megabytes, what it printed."""

    wall: float
    cpu: float
    peak: float
    output: str


def main() -> int:
    arguments = _arguments()
    peers = _peers(arguments.peers)
    byte_code()
    with tempfile.TemporaryDirectory(prefix="ragstone-bench-") as scratch:
        folder = Path(arguments.data or scratch)
        for what in arguments.what or ["files", "memory", "start"]:
            print(f"== {what}")
            if what == "files":
                _files(peers, folder, arguments.queries, arguments.rounds)
            elif what == "memory":
                _memory(peers, folder, min(arguments.queries, 10_000))
            else:
                _start(peers, folder, max(arguments.rounds, 5))
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="*", help="files, memory, start (default: all)")
    parser.add_argument("--peers", metavar="DIR", help="a virtual environment, made if need be")
    parser.add_argument("--data", metavar="DIR", help="keep the generated files here")
    parser.add_argument("--queries", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=2)
    return parser.parse_args()


def _peers(given: str | None) -> dict[str, str]:
    """Each peer that can be imported, with the Python that can."""
    python = sys.executable
    if given is not None:
        python = str(Path(given) / "bin" / "python")
        if not Path(python).exists():
            print(f"making {given} with {', '.join(PACKAGES)}")
            venv.create(given, with_pip=True)
            subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True)
    found = {}
    for name in PEERS:
        ran = subprocess.run([python, "-c", f"import {name}"], capture_output=True, check=False)
        if ran.returncode == 0:
            found[name] = python
        else:
            print(f"{name} is skipped: {python} cannot import it (see --peers)")
    return found


def _generate(folder: Path, queries: int, depth: int = 100, judged: int = 12) -> tuple[Path, Path]:
    """A run grouped by question and sorted, as systems write them; some scores tie."""
    qrels, run = folder / f"qrels.{queries}.txt", folder / f"run.{queries}.txt"
    if qrels.exists():
        return qrels, run
    rng = random.Random(7)
    part = qrels.with_suffix(".part")
    with run.open("w") as runs, part.open("w") as judgments:
        for number in range(queries):
            qid = 100_000 + 7 * number
            docs = rng.sample(range(8_800_000), depth + judged // 2)
            scores = sorted((round(rng.uniform(5, 40), 4) for _ in range(depth)), reverse=True)
            ranked = enumerate(zip(docs, scores, strict=False), 1)
            runs.writelines(f"{qid} Q0 {doc} {at} {score} bench\n" for at, (doc, score) in ranked)
            picks = {min(int(rng.expovariate(1 / 25)), depth - 1) for _ in range(judged // 2)}
            gold = [docs[pick] for pick in sorted(picks)] + docs[depth:]
            grades = [1, *rng.choices((0, 0, 1, 1, 2, 3), k=len(gold) - 1)]
            pairs = zip(gold, grades, strict=True)
            judgments.writelines(f"{qid} 0 {doc} {grade}\n" for doc, grade in pairs)
    part.rename(qrels)
    return qrels, run


def _watched(python: str, code: str, *words: Path) -> Seen:
    start = time.perf_counter()
    command = [python, "-c", code, *map(str, words)]
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = status
        out.seek(0)
        text = out.read().decode()
    if status:
        raise SystemExit(f"{python} failed on:{code}")
    return Seen(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text)


def _contest(entries: Mapping[str, tuple[str, str]], rounds: int, *words: Path) -> dict[str, Seen]:
    """Every entry in turn, several times; the best of each."""
    best: dict[str, Seen] = {}
    for _ in range(rounds):
        for name, (python, code) in entries.items():
            now = _watched(python, code, *words)
            old = best.get(name, now)
            best[name] = Seen(
                min(old.wall, now.wall), min(old.cpu, now.cpu), min(old.peak, now.peak), now.output
            )
    print(f"{'':16}{'wall s':>9}{'CPU s':>9}{'peak MB':>9}")
    for name, seen in best.items():
        print(f"{name:16}{seen.wall:9.3f}{seen.cpu:9.3f}{seen.peak:9.0f}")
    return best


def _files(peers: dict[str, str], folder: Path, queries: int, rounds: int) -> None:
    words = _generate(folder, queries)
    print(f"{queries:,} queries × 100 documents")
    entries = {"ragstone": (sys.executable, RAGSTONE)}
    entries |= {name: (python, PEERS[name]) for name, python in peers.items()}
    best = _contest(entries, rounds, *words)
    ours = json.loads(best["ragstone"].output)
    values = [ours[name] for name in OURS]
    for name in peers:
        gap = max(abs(a - b) for a, b in zip(values, json.loads(best[name].output), strict=True))
        print(f"largest difference from {name}: {gap:.2g}")
    if peers:
        fastest = min(best[name].wall for name in peers) / best["ragstone"].wall
        leanest = best["ragstone"].peak / min(best[name].peak for name in peers)
        print(f"faster than the fastest of them: {fastest:.1f} ×   (wanted: 4 ×)")
        print(f"of the smallest peak memory: {leanest:.2f}   (wanted: at most 0.50)")


def _memory(peers: dict[str, str], folder: Path, queries: int) -> None:
    words = _generate(folder, queries)
    print(f"{queries:,} queries × 100 documents, nested dicts")
    entries = {"ragstone": (sys.executable, MEMORY_RAGSTONE)}
    if "pytrec_eval" in peers:
        entries["pytrec_eval"] = (peers["pytrec_eval"], MEMORY_PYTREC_EVAL)
    found = {
        name: json.loads(_watched(python, IN_MEMORY % code, *words).output)
        for name, (python, code) in entries.items()
    }
    for order, (seconds, values) in found["ragstone"].items():
        line = f"{order:10} ragstone {seconds:.3f} s"
        if "pytrec_eval" in found:
            theirs, expected = found["pytrec_eval"][order]
            gap = max(abs(a - b) for a, b in zip(values, expected, strict=True))
            line += f", pytrec_eval {theirs:.3f} s, {theirs / seconds:.2f} × (gap {gap:.1g})"
        print(line)


def _start(peers: dict[str, str], folder: Path, rounds: int) -> None:
    rng = random.Random(5)
    results, reference = folder / "start.results.tsv", folder / "start.reference.tsv"
    rows, gold = ["qid\tdoc_ids\n"], ["qid\tquestion\tdocument_ids\n"]
    for qid in range(50):
        docs = [f"<urn:uuid:{rng.randrange(10**12)}>" for _ in range(20)]
        rows.append(f"{qid}\t{docs}\n")
        gold.append(f"{qid}\tquestion {qid}\t{docs[rng.randrange(10) :: 7]}\n")
    results.write_text("".join(rows))
    reference.write_text("".join(gold))
    entries = {"ragstone context": (sys.executable, START_RAGSTONE)}
    if "ranx" in peers:
        entries["import ranx"] = (peers["ranx"], "import ranx")
    if "ir_measures" in peers and "pytrec_eval" in peers:
        entries["ir_measures job"] = (peers["ir_measures"], START_PEER)
    _contest(entries, rounds, results, reference)


if __name__ == "__main__":
    sys.exit(main())
