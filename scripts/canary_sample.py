#!/usr/bin/env python3
"""What does a watched canary print? Writes the sample of docs/watched-canary.md from a run.

canary_sample.py            (writes the sample)
canary_sample.py --check    (exits 1 if the page has another)
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ragstone.shadow.pair_files import Counts, PairFiles
from ragstone.shadow.pairs import ArmRecord, Hit, Pair, Perf, Retrieval, Said

PAGE = Path(__file__).resolve().parent.parent / "docs" / "watched-canary.md"
BLOCK = re.compile(r"(?<=```console no-run\n)\$ ragstone canary --live-dir .*?(?=```)", re.DOTALL)
QUESTIONS, WRONG = 700, 0.12
# Of the questions that the mirror saw, a tenth was chosen; 31 of those found its queue full.
_LEFT_OUT = 9 * (QUESTIONS + 31)
COUNTS = Counts(
    mirror="m",
    share=0.1,
    seen=_LEFT_OUT + QUESTIONS + 31,
    left_out=_LEFT_OUT,
    dropped=31,
    answered=QUESTIONS,
)
COMMAND = "ragstone canary --live-dir .ragstone/live --gold gold.jsonl --exit-code"
_START = 1_767_268_800_000


@cache
def sample() -> str:
    """The command and what it prints, over pairs of a shadow that cites wrongly at times."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder)
        words = ["--live-dir", name, "--gold", str(folder / "gold.jsonl"), "--exit-code"]
        ran = subprocess.run(
            [sys.executable, "-m", "ragstone", "canary", *words], capture_output=True, cwd=folder
        )
    return f"$ {COMMAND}\n{ran.stdout.decode().strip()}\n"


def _write(folder: Path) -> None:
    draw = random.Random(4)
    pairs = PairFiles(folder, "shadow")
    pairs.make()
    for number in range(QUESTIONS):
        pair = Pair(
            id=f"p{number}",
            ts=_START + 60_000 * number,
            question=f"What is number {number}?",
            qid=f"Q{number:03}",
            live=_answer(number, "good", "i1"),
            shadow=_answer(number, "bad" if draw.random() < WRONG else "good", "i2"),
        )
        pairs.add(pair, pair.ts / 1000)
    pairs.add(COUNTS, _START / 1000)
    items = (
        {
            "qid": f"Q{number:03}",
            "question": f"What is number {number}?",
            "answerable": True,
            "gold_citations": [f"good-{number}"],
        }
        for number in range(QUESTIONS)
    )
    lines = "".join(f"{json.dumps(item)}\n" for item in items)
    (folder / "gold.jsonl").write_text(lines, encoding="utf-8")


def _answer(number: int, kind: str, index: str) -> ArmRecord:
    chunk = Hit(f"{kind}-{number}")
    others = (Hit(f"other-{place}") for place in range(4))
    return ArmRecord(
        retrieval=Retrieval(topk=(chunk, *others), index_hash=index, lambda_states=("→",)),
        answer=Said(claim=f"It is {number}.", citations=(chunk,), delta_s=0.2, lambda_final="→"),
        perf=Perf(latency_ms=20.0),
    )


def main(words: Sequence[str] | None = None) -> int:
    """0, or 1 if the page does not have the sample."""
    given = sys.argv[1:] if words is None else words
    page = PAGE.read_text(encoding="utf-8")
    made = BLOCK.sub(lambda _: sample(), page)
    if "--check" in given:
        if made != page:
            print("docs/watched-canary.md: run scripts/canary_sample.py", file=sys.stderr)
        return int(made != page)
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
