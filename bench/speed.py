"""Is anything slower than it was? Every case, as a ratio to a command on the same files.

    python bench/speed.py [CASE...] [--rounds 3] [--write]
    python bench/speed.py trec --peers PYTHON   beside the libraries that this Python can import

Ratios of processor time and of peak memory say more than seconds, which depend on the machine.
`results.json` has those of the last `--write`. Exit 1 where one is more than 1.3 times as large.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path

from cases import CASES, Case
from peers import PEERS
from process import Cost, byte_code, run

RESULTS = Path(__file__).with_name("results.json")
ALARM = 1.3
Ratios = dict[str, float]


def command(words: str) -> list[str]:
    first, *others = words.split()
    if first == "score_eval":
        return [sys.executable, "-m", "ragstone.score_eval", *others]
    quiet = ["--no-config", "--quiet", *(["--json"] if first != "index" else [])]
    return [sys.executable, "-m", "ragstone", first, *others, *quiet]


def measured(case: Case, items: int, rounds: int, peers: str | None) -> Ratios:
    """The ratios of a case: the least of several rounds, in which both commands take turns."""
    with tempfile.TemporaryDirectory(prefix="ragstone-bench-") as name:
        folder = Path(name)
        # In another process: what this one holds would count as the memory of the commands.
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            pool.submit(case.make, folder, items).result()
        both = [
            (run(command(case.words), folder, family="spark" in case.needs),
             run(command(case.beside), folder))
            for _ in range(rounds)
        ]  # fmt: skip
        if case.same and len({figures(cost) for pair in both for cost in pair}) != 1:
            raise SystemExit(f"{case.says}: the figures differ")
        ours, theirs = zip(*both, strict=True)
        for words, costs in ((case.words, ours), (case.beside, theirs)):
            least, peak = min(each.cpu for each in costs), min(each.peak_mb for each in costs)
            print(f"  {least:8.2f} s {peak:8,.0f} MB  {words}", flush=True)
        if peers:
            beside_peers(folder, peers, min(cost.cpu for cost in ours))
    return {
        "cpu": round(min(cost.cpu for cost in ours) / min(cost.cpu for cost in theirs), 2),
        "memory": round(
            min(cost.peak_mb for cost in ours) / min(cost.peak_mb for cost in theirs), 2
        ),
    }


def figures(cost: Cost) -> str:
    return json.dumps(json.loads(cost.output)["metrics"])


def beside_peers(folder: Path, python: str, ours: float) -> None:
    for name, program in PEERS.items():
        cost = run([python, "-c", program, "qrels.txt", "run.txt"], folder)
        print(f"  {name} takes {cost.cpu / ours:.2f} times the processor time")


def alarms(now: Ratios, stored: Ratios) -> list[str]:
    """What is more than 1.3 times what is stored.

    >>> alarms({"cpu": 2.7, "memory": 1.0}, {"cpu": 2.0, "memory": 1.0})
    ['cpu is 2.70, and was 2.00']
    >>> alarms({"cpu": 2.5, "memory": 9.0}, {"cpu": 2.0})
    []
    """
    return [
        f"{kind} is {ratio:.2f}, and was {stored[kind]:.2f}"
        for kind, ratio in now.items()
        if ratio > ALARM * stored.get(kind, ratio)
    ]


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"all of {', '.join(CASES)}")
    parser.add_argument("--items", type=int, help="questions, documents or traces of each case")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--peers", metavar="PYTHON", help=f"one that has {', '.join(PEERS)}")
    parser.add_argument("--write", action="store_true", help="store the ratios")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where ratios are stored")
    given = parser.parse_args(words)
    if unknown := set(given.cases) - set(CASES):
        parser.error(f"there is no case {', '.join(sorted(unknown))}")
    if given.write and given.items:
        parser.error("--write stores the ratios of the usual --items")
    byte_code()
    stored: dict[str, Ratios] = json.loads(given.results.read_text())
    slower = False
    print(f"{'case':12} {'cpu':>6} {'memory':>7}")
    for name in given.cases or CASES:
        case = CASES[name]
        if missing := [module for module in case.needs if find_spec(module) is None]:
            print(f"{name:12} is not measured: this Python has no {missing[0]}")
            continue
        ratios = measured(case, given.items or case.items, given.rounds, given.peers)
        why = alarms(ratios, stored.get(name, {}))
        print(f"{name:12} {ratios['cpu']:6.2f} {ratios['memory']:7.2f}  {case.says}", flush=True)
        for each in why:
            print(f"  ALARM: {each}")
        slower |= bool(why)
        if given.write:
            stored[name] = ratios
    if given.write:
        rows = (f"  {json.dumps(name)}: {json.dumps(stored[name])}" for name in sorted(stored))
        given.results.write_text("{\n" + ",\n".join(rows) + "\n}\n")
    return int(slower and not given.write)


if __name__ == "__main__":
    sys.exit(main())
