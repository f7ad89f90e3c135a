#!/usr/bin/env python3
"""Kills commands at random moments, and looks at what they leave.

    checks/kills.py [--count 70] [--seed 1] [--only score] [--trial 17]

Each command first runs undisturbed, over the outputs of an older run: that gives its duration and
the right files. Then it is started again and again, killed (SIGKILL) at a random moment, and run
once more. After the kill every output holds its old bytes or its new ones, a set of files is old or
new as a whole, and no file holds what came on standard input. After the next run the outputs are
those of the undisturbed run, no temporary file is left, and no process.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

Files = dict[str, bytes]
# These differ from run to run; everything else does not.
CLOCK = ("ts", "latency_ms", "stage_ms", "accepted")
SECRET = "only-on-standard-input"
TARGET = """
import json, sys, time

def answer(q):
    time.sleep(0.002)
    claim = {"claim": f"It is {q}", "citations": ["p1"]}
    return {"answer_json": claim, "retrieved_ids": ["p1", "p2"]}

if __name__ == "__main__":
    for line in sys.stdin:
        asked = json.loads(line)
        reply = {**answer(asked["q"]), **{k: asked[k] for k in ("id",) if k in asked}}
        print(json.dumps(reply), flush=True)
"""


class Violation(Exception):
    """Something is left that must not be, or a file is neither old nor new."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command over inputs of two versions, 0 and 1; all it writes goes into the folder `made`."""

    name: str
    words: str
    inputs: Callable[[int], Files]
    stdin: str | None = None
    # Folders of `made` whose files belong together.
    sets: tuple[str, ...] = ()


def jsonl(records: Sequence[object]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def questions(count: int) -> bytes:
    expected = {"answerable": True, "gold_claim_substr": ["It is"]}
    return jsonl([{"qid": f"Q{n}", "question": f"What is {n}?", **expected} for n in range(count)])


def traces(count: int, version: int) -> bytes:
    claim = {"claim": f"It is {version}. {SECRET} " * 9, "citations": ["p1"]}
    answers = [{"qid": f"Q{n}", "answer_json": claim} for n in range(count)]
    # With a byte-order mark the engine cannot read the input as it is: a second copy is made.
    return b"\xef\xbb\xbf" + jsonl(answers)


def scored(version: int) -> Files:
    toml = b'[paths]\ngold = "gold.jsonl"\ntrace = "trace.jsonl"\n[answers]\n'
    return {
        "gold.jsonl": questions(1500),
        "trace.jsonl": traces(1500, version),
        "ragstone.toml": toml,
    }


def retrieved(version: int) -> Files:
    ids = [f"d{n}" for n in range(version, version + 9)]
    gold = [{"qid": f"Q{n}", "document_ids": ["d0", "d9"]} for n in range(600)]
    found = jsonl([{"qid": f"Q{n}", "doc_ids": ids} for n in range(600)])
    return {"reference.jsonl": jsonl(gold), **{f"results{n}.jsonl": found for n in range(4)}}


def documents(version: int) -> Files:
    page = f"# Page of version {version}\n\n" + "".join(
        f"## Part {n}\n\nThe value of {n} is {n * version} here.\n\n" for n in range(40)
    )
    return {f"docs/{n}.md": page.encode() for n in range(20)}


def asked(version: int) -> Files:
    return {"gold.jsonl": questions(60 + version), "target.py": TARGET.encode()}


def taken_over(version: int) -> Files:
    answer = {"claim": f"It is port {version}.", "citations": ["p1"]}
    asked = [
        {"q": f"Which port has {n} of {version}?", "retrieved_ids": ["p1"], "answer_json": answer}
        for n in range(300)
    ]
    texts = {"id": "p1", "text": f"There it is port {version}."}
    return {
        "gold.jsonl": questions(1500),
        "trace.jsonl": jsonl(asked),
        "texts.jsonl": jsonl([texts]),
    }


PROCESS = shlex.quote(f"cmd:{shlex.quote(sys.executable)} target.py")
COMMANDS = (
    Command(
        "score",
        "score --gold gold.jsonl --trace - -o made/report.html -o made/rows.csv",
        scored,
        stdin="trace.jsonl",
    ),
    Command("gate", "gate -o made/report.md -o made/report.json", scored),
    Command(
        "context",
        "context --reference reference.jsonl --results results0.jsonl results1.jsonl "
        "results2.jsonl results3.jsonl -o made/out/",
        retrieved,
        sets=("out",),
    ),
    Command(
        "gold from-traces",
        "gold from-traces gold.jsonl --trace trace.jsonl --texts texts.jsonl --yes --by Ann "
        "--limit 40 -o made/gold.jsonl",
        taken_over,
    ),
    Command("index build", "index build docs -o made/index", documents, sets=("index",)),
    Command(
        "run",
        "run --gold gold.jsonl --target py:target:answer -o made/trace.jsonl "
        "--timings made/timings.jsonl",
        asked,
    ),
    Command(
        "sweep",
        "latency sweep --gold gold.jsonl --target py:target:answer --rps 200 --duration 0.3 "
        "--warmup 0 -o made/samples.jsonl",
        asked,
    ),
    Command(
        "stability",
        f"stability run --gold gold.jsonl --target {PROCESS} --seeds 0-1 --jitters none,ws "
        "-o made/runs.jsonl --timings made/timings.jsonl",
        asked,
    ),
)


def files_in(folder: Path) -> Files:
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def put(folder: Path, files: Files) -> None:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def steady(name: str, data: bytes) -> bytes:
    """What of an output does not come from a clock; of a journal, nothing but that it is there."""
    if name.endswith(".journal"):
        return b""
    if not name.endswith(("timings.jsonl", "samples.jsonl", "samples.traces.jsonl", "gold.jsonl")):
        return data
    try:
        lines = [json.loads(line) for line in data.splitlines(keepends=True) if check_line(line)]
    except ValueError as error:
        raise Violation(f"{name} is cut: {error}") from None
    return jsonl([{k: v for k, v in line.items() if k not in CLOCK} for line in lines])


def check_line(line: bytes) -> bool:
    if not line.endswith(b"\n"):
        raise ValueError("its last line has no line feed")
    return True


@dataclass(slots=True)
class Family:
    """The folder of one command: its inputs and outputs, and a temporary folder of its own."""

    command: Command
    root: Path
    old: Files = field(default_factory=dict)
    new: Files = field(default_factory=dict)
    code: int = 0
    seconds: float = 0.0
    seen: Counter[str] = field(default_factory=Counter)

    @property
    def made(self) -> Path:
        return self.root / "work" / "made"

    @property
    def temporary(self) -> Path:
        return self.root / "temporary"

    def start(self) -> subprocess.Popen[bytes]:
        given = self.root / "work" / (self.command.stdin or os.devnull)
        with given.open("rb") as stdin:
            return subprocess.Popen(
                [sys.executable, "-m", "ragstone", *shlex.split(self.command.words), "--quiet"],
                cwd=self.root / "work",
                env={**os.environ, "TMPDIR": str(self.temporary)},
                stdin=stdin,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )

    def complete(self) -> int:
        process = self.start()
        _, errors = process.communicate()
        if process.returncode not in (0, 1):
            raise Violation(f"exit code {process.returncode}: {errors.decode()}")
        return process.returncode

    def prepare(self) -> None:
        """Runs the command over the old inputs, then over the new ones, undisturbed."""
        self.temporary.mkdir(parents=True)
        for version in (0, 1):
            put(self.root / "work", self.command.inputs(version))
            self.reset()
            began = time.perf_counter()
            self.code = self.complete()
            self.seconds = time.perf_counter() - began
            self.old, self.new = self.new, files_in(self.made)
        self.new = {name: data for name, data in self.new.items() if not kept_of(name)}
        for name in filter(is_journal, self.old):
            # All is asked again; it still knows which files it wrote.
            lines = self.old[name].splitlines(keepends=True)
            self.old[name] = b"".join(line for line in lines if not line.startswith(b'{"key":'))

    def reset(self) -> None:
        shutil.rmtree(self.made, ignore_errors=True)
        self.made.mkdir()
        put(self.made, self.old)

    def kill_one(self, moment: float) -> None:
        """One trial; `moment` is a part of the command's own duration."""
        self.reset()
        process = self.start()
        time.sleep(moment * self.seconds)
        ended = process.poll() is not None
        process.kill()
        process.communicate()
        self.seen["kills"] += 1
        self.seen["too late"] += ended
        self.seen["left in TMPDIR"] += any(self.temporary.iterdir())
        self.check_killed()
        if self.complete() != self.code:
            raise Violation(f"the next run exits otherwise than {self.code}")
        self.check_next()

    def check_killed(self) -> None:
        found = files_in(self.made)
        hidden = {name for name in found if ".ragstone-" in name}
        self.seen["left beside outputs"] += bool(hidden)
        fresh = set()
        for name in found.keys() - hidden:
            if is_journal(name):
                continue
            whole = kept_of(name) or name
            data = steady(whole, found[name])
            states = [held for held in (self.old, self.new) if whole in held]
            match = [held for held in states if steady(whole, held[whole]) == data]
            if not match:
                raise Violation(f"{name} is neither the old file nor the new one")
            if match[0] is self.new and whole == name:
                fresh.add(name)
        self.seen["new outputs"] += bool(fresh)
        for folder in self.command.sets:
            self.check_set(folder, found, fresh)
        if self.command.stdin is not None:
            for path in self.temporary.rglob("*"):
                if path.is_file() and SECRET.encode() in path.read_bytes():
                    raise Violation(f"{path.name} is a copy of standard input")

    def check_set(self, folder: str, found: Files, fresh: set[str]) -> None:
        members = {name for name in found if name.startswith(f"{folder}/")}
        changed = {name for name in self.new if self.old.get(name) != self.new[name]}
        if fresh & members and not changed & members <= fresh:
            raise Violation(f"{folder} holds old files and new ones: {sorted(fresh)}")
        missing = {name for name in self.old if name.startswith(f"{folder}/")} - members
        if missing:
            raise Violation(f"{folder} has lost {sorted(missing)}")

    def check_next(self) -> None:
        found = {name: data for name, data in files_in(self.made).items() if not kept_of(name)}
        if found.keys() != self.new.keys():
            raise Violation(f"after the next run: {sorted(found.keys() ^ self.new.keys())}")
        for name, data in found.items():
            if steady(name, data) != steady(name, self.new[name]):
                raise Violation(f"after the next run {name} is not what it is undisturbed")
        left = [path.name for path in self.temporary.iterdir()]
        if left:
            raise Violation(f"left after the next run: {left}")
        deadline = time.monotonic() + 5
        while living := processes_with(str(self.temporary)):
            if time.monotonic() > deadline:
                raise Violation(f"still running: {living}")
            time.sleep(0.05)


def is_journal(name: str) -> bool:
    return name.endswith(".journal")


def kept_of(name: str) -> str:
    """The file that was kept under this name, or nothing."""
    return name.partition(".before")[0] if ".before" in name else ""


def processes_with(text: str) -> list[int]:
    """Processes with this folder for temporary files; without /proc none is seen."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"TMPDIR={text}".encode() in path.read_bytes().split(b"\0"):
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


STOPPED = threading.Event()


def carry_out(family: Family, seed: int, trials: Sequence[int]) -> Family:
    name = family.command.name
    number = -1
    try:
        family.prepare()
        for number in trials:
            if STOPPED.is_set():
                break
            family.kill_one(random.Random(f"{seed} {name} {number}").uniform(0, 1.05))
    except Violation as error:
        STOPPED.set()
        again = f"checks/kills.py --seed {seed} --only {name!r} --trial {number}"
        raise SystemExit(f"{name}, kill {number}: {error}\nagain: {again}") from None
    return family


COLUMNS = ("kills", "too late", "new outputs", "left beside outputs", "left in TMPDIR")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=70, help="kills, over all commands")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=[command.name for command in COMMANDS])
    parser.add_argument("--trial", type=int, help="this one kill of the command alone")
    parser.add_argument("--jobs", type=int, default=2, help="commands at a time")
    arguments = parser.parse_args()
    chosen = [each for each in COMMANDS if arguments.only in (None, each.name)]
    numbers = range(arguments.count) if arguments.trial is None else [arguments.trial]
    with (
        tempfile.TemporaryDirectory(prefix="kills-") as name,
        ThreadPoolExecutor(arguments.jobs) as pool,
    ):
        began = time.perf_counter()
        # Kill number 8 of 70 is the second of the second command: more kills repeat the first ones.
        running = [
            pool.submit(
                carry_out,
                Family(command, Path(name) / str(at)),
                arguments.seed,
                [number // len(chosen) for number in numbers if number % len(chosen) == at]
                if arguments.trial is None
                else list(numbers),
            )
            for at, command in enumerate(chosen)
        ]
        print(f"{'':12}{'seconds':>9}" + "".join(f"{column:>21}" for column in COLUMNS))
        for future in running:
            family = future.result()
            counts = "".join(f"{family.seen[column]:>21,}" for column in COLUMNS)
            print(f"{family.command.name:12}{family.seconds:>9.2f}{counts}", flush=True)
        seconds = time.perf_counter() - began
    print(
        f"\nno half-written file, every next run as if undisturbed, nothing left ({seconds:.0f} s)"
    )


if __name__ == "__main__":
    main()
