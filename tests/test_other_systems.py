"""What only Linux has is named in few places, and everything works where it is missing.

No other system runs these tests: the process below does without each thing that another one lacks.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from changed import MODULES

KEPT = Path(__file__).parent / "kept" / "files"
# What a system may lack, and the modules that try it and go on without it.
LACKING = {
    r"\bfcntl\b": ["ragstone.file_lock"],
    r"\brenameat2\b": ["ragstone.files"],
    r"/proc\b": ["ragstone.scratch", "ragstone.spark.cluster"],
    r"\bprctl\b": ["ragstone.targets.child_process"],
    r"\bimport resource\b": ["ragstone.engine.duck"],
    r"\bregister_at_fork\b": ["ragstone.shadow.question_mirror", "ragstone.trace"],
    r"\b(pwd|grp|termios|pty|sched_\w+|memfd_create|O_TMPFILE|inotify|epoll|pidfd_\w+)\(": [],
}
WITHOUT = """
import ctypes, os, pathlib, sys
for module in ("fcntl", "resource"):
    sys.modules[module] = None
for name in ("fork", "register_at_fork"):
    delattr(os, name)
class Library:
    def __init__(self, *words): pass
ctypes.CDLL = Library
exists = pathlib.Path.exists
pathlib.Path.exists = lambda path: not str(path).startswith("/proc") and exists(path)
sys.platform = "plan9"
"""
# Commands that read packed files and standard input, replace files and folders, keep a journal and
# start a program; then what a service, the server, a mirror and the gold form do with their files.
COMMANDS = """\
score --gold gold.jsonl.gz --trace trace.jsonl.zst --by tags -o score.json -o page.html -o rows.csv
gate --config everything.toml -o gate.json
index build docs -o new.index --quiet
index build docs -o new.index --quiet
run --gold gold.jsonl --target index:new.index -o first.jsonl --quiet
run --gold gold.jsonl --target cmd:./program -o second.jsonl --quiet
score --gold gold.jsonl --trace first.jsonl second.jsonl --keep first --record --ledger runs
"""
WORK = """
import contextlib, hashlib, io, json, sys
from pathlib import Path
from ragstone.cli.main import main
from ragstone.serve.folder_lock import FolderLock
from ragstone.shadow.mirror_settings import MirrorSettings
from ragstone.shadow.pair_files import Counts, PairFiles
from ragstone.shadow.question_mirror import QuestionMirror
from ragstone.tools.gold_save import _locked
from ragstone.trace import TraceFile

heard = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
with contextlib.redirect_stdout(heard), contextlib.redirect_stderr(heard):
    codes = [main(line.split()) for line in sys.stdin.read().splitlines()]
assert codes == [1, 1, 0, 0, 0, 0, 1], heard.buffer.getvalue().decode()
with _locked(Path.cwd()), TraceFile("logged.jsonl") as trace:
    for qid in ("Q1", "Q2"):
        with trace(qid, f"Who is {qid}?") as asked:
            asked.answer("Ann", citations=["p1"])
Path("data").mkdir()
lock = FolderLock(Path("data"))
lock.take()
pairs = PairFiles(Path("data"))
pairs.make()
for seen in (1, 2):
    pairs.add(Counts(mirror="m", seen=seen), 0.0)
QuestionMirror(MirrorSettings("cmd:./program", Path("data"))).close()
lock.release()
exact = ("score.json", "page.html", "rows.csv", "gate.json")
hashes = [hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in exact]
lines = [
    json.loads(line)["answer_json"]
    for name in ("first.jsonl", "second.jsonl", "logged.jsonl")
    for line in Path(name).read_bytes().splitlines()
]
names = sorted(path.name for path in Path.cwd().iterdir())
print(json.dumps([hashes, lines, names, [len(pairs.counts())]]))
"""
PROGRAM = """#!/bin/sh
while read -r line; do
  echo '{"answer_json": {"claim": "30 days", "citations": ["p1"]}, "retrieved_ids": ["p1"]}'
done
"""


def done(folder: Path, prelude: str) -> list[object]:
    """What a process with this prelude has done in a copy of the kept files."""
    shutil.copytree(KEPT, folder)
    (folder / "program").write_text(PROGRAM)
    (folder / "program").chmod(0o755)
    ran = subprocess.run(
        [sys.executable, "-c", prelude + WORK],
        cwd=folder,
        # Elsewhere a process that has locks would sweep away what this one could not lock.
        env={**os.environ, "TMPDIR": str(folder.parent)},
        input=COMMANDS,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    outcome: list[object] = json.loads(ran.stdout)
    return outcome


def test_what_another_system_lacks_is_named_in_few_places() -> None:
    for name, modules in LACKING.items():
        naming = [
            each for each, path in MODULES.items() if re.search(name, path.read_text("utf-8"))
        ]
        assert naming == modules, name


def test_everything_is_done_without_what_only_linux_has(tmp_path: Path) -> None:
    without, everything = (done(tmp_path / name, WITHOUT * (name == "a")) for name in "ab")
    assert without == everything
