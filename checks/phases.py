"""Which phases of each command take more than a second, and what a user sees meanwhile.

    python checks/phases.py [--rows 1000000] [--only score] [--keep FOLDER]

Makes the kept files of the tests as large as that, by repeating their lines under new ids. Runs the
command lines of `tests/test_progress_of_commands.py` over them, and prints of each phase how long
it took, what it counts, and the longest time in which the line said the same. A phase that counts
nothing, a line that stood still, and time without any line are what to look for.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).parent.parent / "tests"
FILES = TESTS / "kept" / "files"
# In seconds: what is shorter is not told of.
LONG = 1.0

# What works on gold items and chunks by themselves gets fewer: nobody writes a million questions.
BY_HAND = ("gold", "index", "migrate")
FEWER = 20

# Ids that go together in the kept files: of questions, of chunks and of sections.
_IDS = re.compile(r'"((?:L|R|P)\d+)(?=["#])|\b(Bk\d+)|"qid": (\d+)')
_NUMBERED = re.compile(r"^(\d+)(?=[ \t])")


def _renamed(line: str, copy: int) -> str:
    """The same line with ids of its own."""

    def own(found: re.Match[str]) -> str:
        question, chunk, number = found.groups()
        if question:
            return f'"{question}x{copy}'
        return f"{chunk}x{copy}" if chunk else f'"qid": {int(number) + 10 * copy}'

    line = _NUMBERED.sub(lambda found: str(int(found[1]) + 10 * copy), line)
    return _IDS.sub(own, line)


def _chunk(line: str, copy: int) -> str:
    """A chunk whose text is its own, too; its hash would be another."""
    chunk = json.loads(_renamed(line, copy))
    chunk.pop("hash", None)
    chunk["text"] = f"{chunk['text']} This is number {copy}."
    return json.dumps(chunk, ensure_ascii=False) + "\n"


def enlarge(name: str, folder: Path, rows: int) -> None:
    """The file with so many lines."""
    lines = (folder / name).read_text(encoding="utf-8").splitlines(keepends=True)
    head = lines[:1] if name.endswith(".tsv") else []
    lines = lines[len(head) :]
    change: Callable[[str, int], str] = _chunk if "manifest" in name else _renamed
    with (folder / name).open("w", encoding="utf-8") as file:
        file.writelines(head)
        for copy in range(max(rows // len(lines), 1)):
            file.writelines(change(line, copy) for line in lines)


def large_files(folder: Path, more: Mapping[str, str], rows: int) -> None:
    """Everything that the command lines read, in the folder."""
    shutil.copytree(FILES, folder, dirs_exist_ok=True)
    for name, line in more.items():
        (folder / name).write_text(f"{line}\n", encoding="utf-8")
    many = ("gold.jsonl", "trace.jsonl", "good.jsonl", "bare_log.jsonl", "live.jsonl")
    others = ("shadow.jsonl", "samples.jsonl", "runs.jsonl", "pairs.jsonl", "bm25.tsv", "bm25.run")
    known = ("dense.jsonl", "reference.tsv", "qrels.txt", "retrieval_gold.jsonl")
    for name in (*many, *others, *known, *more):
        enlarge(name, folder, rows)
    for name in ("manifest.jsonl", "new_manifest.jsonl", "texts.jsonl"):
        enlarge(name, folder, rows // 10)
    for document in [*(folder / "docs").iterdir()]:
        text = document.read_text(encoding="utf-8")
        for copy in range(rows // 500):
            (folder / "docs" / f"{copy}-{document.name}").write_text(text, encoding="utf-8")


@dataclass
class Phase:
    """What the line told of, from when to when."""

    what: str
    began: float
    ended: float
    amount: str = ""
    since: float = 0.0
    still: float = 0.0


def phases_of(seen: list[tuple[float, str, str]], began: float, ended: float) -> Iterator[Phase]:
    """What was told of in turn; time in which nothing was told is a phase of its own."""
    now: Phase | None = None
    last = began
    for at, what, amount in seen:
        if at - last > LONG:
            if now:
                yield now
            yield Phase("(no line)", last, at, still=at - last)
            now = None
        if now is None or now.what != what:
            if now:
                yield now
            now = Phase(what, last if now else at, at, since=at)
        if amount != now.amount:
            now.amount, now.since = amount, at
        now.still = max(now.still, at - now.since)
        now.ended = last = at
    if now:
        yield now
    if ended - last > LONG:
        yield Phase("(no line)", last, ended, still=ended - last)


def watch(words: list[str], out: Path) -> None:
    """Runs one command in this process, and notes what its line says."""
    from ragstone.cli import main
    from ragstone.progress import Progress, said_of

    seen: list[tuple[float, str, str]] = []
    began = time.monotonic()

    class Watched(Progress):
        def tick(self) -> None:
            with self._lock:
                if self._tasks:
                    now = time.monotonic()
                    line = said_of(self._tasks, now, width=1000)
                    done = re.sub(r", [^,]* left$", "", line)
                    amount = re.sub(r", [\d,.]+( MB)?/s|, \d+ (s|min).*", "", done)
                    seen.append((now, self._tasks[-1].what, amount))

    main.Progress = Watched  # type: ignore[misc]
    code = main.main(words)
    ended = time.monotonic()
    told = [vars(each) for each in phases_of(seen, began, ended)]
    out.write_text(json.dumps({"code": code, "seconds": ended - began, "phases": told}))


def measured(place: str, words: list[str], folder: Path) -> None:
    """Prints the phases of one command that take long."""
    out = folder / "phases.out"
    ran = subprocess.run(
        [sys.executable, __file__, "--watch", str(out), *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode or not out.exists():
        print(f"{place}: {ran.stderr.strip()[-400:]}")
        return
    found = json.loads(out.read_text())
    out.unlink()
    print(f"{place}: exit code {found['code']}, {found['seconds']:.1f} s")
    if found["code"] == 2:
        print(f"    {ran.stderr.strip()[-400:]}")
    for _, group in itertools.groupby(found["phases"], lambda each: each["what"]):
        some = list(group)
        seconds = sum(each["ended"] - each["began"] for each in some)
        if seconds > LONG:
            still = max(each["still"] for each in some)
            said = some[-1]["amount"] or some[-1]["what"]
            print(f"    {seconds:6.1f} s, still {still:4.1f} s: {said}")


def main() -> None:
    if sys.argv[1:2] == ["--watch"]:
        watch(sys.argv[3:], Path(sys.argv[2]))
        return
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--only", action="append", help="a command; may be given again")
    options.add_argument("--keep", help="a folder for the files, which are made once")
    given = options.parse_args()
    sys.path.append(str(TESTS))
    from test_progress_of_commands import MORE, TOLD, made_before, words_of

    if unknown := {*(given.only or ())} - {*TOLD}:
        options.error(f"--only {min(unknown)}: there are {', '.join(TOLD)}")
    with tempfile.TemporaryDirectory() as scratch:
        for place in given.only or TOLD:
            rows = given.rows // (FEWER if place.startswith(BY_HAND) else 1)
            folder = Path(given.keep or scratch) / str(rows)
            if not folder.exists():
                large_files(folder, MORE, rows)
                made_before(folder)
            measured(place, words_of(place), folder)


if __name__ == "__main__":
    main()
