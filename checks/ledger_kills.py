#!/usr/bin/env python3
"""Two processes record into one ledger at once, and one of them is killed at a random moment.

    checks/ledger_kills.py [--count 100] [--seed 1] [--trial 17]

Each trial starts two commands that record a run, sometimes the same one, and kills (SIGKILL) one
of them. After that `ragstone runs` must list every run whose process has ended by itself, and may
list that of the killed one; each of them is whole (`ragstone verify` agrees), nothing is warned of,
and nothing of the killed process is left behind once another has recorded.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

COMMAND = (sys.executable, "-m", "ragstone")


class Violation(Exception):
    """The ledger is not what it should be."""


def prepare(folder: Path) -> None:
    items = [
        {"qid": f"Q{n}", "answerable": True, "gold_claim_substr": [f"number {n}"]}
        for n in range(300)
    ]
    answers = [{"qid": f"Q{n}", "answer_json": {"claim": f"It is number {n}."}} for n in range(300)]
    for name, lines in (("gold.jsonl", items), ("trace.jsonl", answers)):
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))


def command(folder: Path, k: int) -> subprocess.Popen[bytes]:
    words = f"score --gold gold.jsonl --trace trace.jsonl --no-config --quiet --record --k {k}"
    return subprocess.Popen(
        [*COMMAND, *words.split()],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def told(folder: Path, *words: str) -> tuple[int, dict[str, Any], str]:
    ran = subprocess.run([*COMMAND, *words, "--json"], cwd=folder, capture_output=True, check=False)
    return ran.returncode, json.loads(ran.stdout or "{}"), ran.stderr.decode()


def trial(folder: Path, chance: random.Random, seconds: float, finished: Counter[int]) -> bool:
    """One kill; whether it came before the process had ended by itself."""
    same = chance.random() < 0.5
    one, two = chance.randint(1, 40), chance.randint(1, 40)
    first, second = command(folder, one), command(folder, one if same else two)
    # Half of the kills at any moment, half in the last third, where the run is recorded.
    time.sleep(chance.uniform(chance.choice((0, 0.65)), 1.05) * seconds)
    late = first.poll() is not None
    first.kill()
    first.communicate()
    _, errors = second.communicate()
    if second.returncode != 0:
        raise Violation(f"the other process exits with {second.returncode}: {errors.decode()}")
    finished[one if same else two] += 1
    finished[one] += late
    return not late


def check(folder: Path, finished: Counter[int], killed: int) -> None:
    """Every run of a process that ended is listed; of those that were killed, some may be."""
    code, found, errors = told(folder, "runs")
    if code != 0 or errors:
        raise Violation(f"`runs` exits with {code} and says {errors!r}")
    listed = Counter(each["held"]["answers"]["options"]["k"] for each in found["recordings"])
    for k, count in finished.items():
        if listed[k] < count:
            raise Violation(f"of {count} finished recordings with k = {k}, {listed[k]} are listed")
    if sum(listed.values()) > finished.total() + killed:
        raise Violation("more is listed than was ever recorded")


def check_whole(folder: Path) -> None:
    for run in sorted((folder / ".ragstone" / "runs").iterdir()):
        code, found, errors = told(folder, "verify", run.name)
        if code != 0:
            raise Violation(f"{run.name[:8]} does not verify: {found} {errors}")
    left = [path.name for path in (folder / ".ragstone").iterdir() if path.name != "runs"]
    if left:
        raise Violation(f"left behind: {left}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=100, help="kills that come in time")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--trial", type=int, help="this one kill alone")
    arguments = parser.parse_args()
    # A kill that comes too late is none: so many pairs are started that enough come in time.
    numbers = range(4 * arguments.count) if arguments.trial is None else [arguments.trial]
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="ledger-kills-") as name:
        folder = Path(name)
        prepare(folder)
        started = time.perf_counter()
        finished: Counter[int] = Counter()
        if command(folder, 50).wait() != 0:
            raise SystemExit("the command does not run at all")
        finished[50] += 1
        seconds = time.perf_counter() - started
        pairs = killed = 0
        for number in numbers:
            if killed == arguments.count:
                break
            pairs += 1
            try:
                chance = random.Random(f"{arguments.seed} {number}")
                killed += trial(folder, chance, seconds, finished)
                check(folder, finished, killed)
            except Violation as error:
                again = f"checks/ledger_kills.py --seed {arguments.seed} --trial {number}"
                raise SystemExit(f"kill {number}: {error}\nagain: {again}") from None
        # One more recording sweeps what the killed ones left.
        command(folder, 50).wait()
        check_whole(folder)
        runs = len(list((folder / ".ragstone" / "runs").iterdir()))
    took = time.perf_counter() - began
    print(
        f"{pairs} pairs, {killed} killed before they ended, {finished.total()} finished and "
        f"all of these listed; {runs} runs verify, nothing is left ({took:.0f} s)"
    )


if __name__ == "__main__":
    main()
