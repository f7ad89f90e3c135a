"""Pairs of a shadow that does as well as it is told to, with the gold set that knows them.

Question number n is `Q00n`. Its evidence is the chunk `good-n`; a pipeline that goes wrong cites
and retrieves `bad-n` instead.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path

from ragstone.shadow.pair_files import Counts, PairFiles
from ragstone.shadow.pairs import ArmRecord, Hit, Pair, Perf, Retrieval, Said

NOON = 1_767_268_800_000


def answered(
    number: int,
    *,
    right: bool = True,
    delta_s: float | None = 0.2,
    flips: bool = False,
    index: str = "i1",
    coverage: float | None = None,
    by: str = "",
    states: bool = True,
) -> ArmRecord:
    """What a pipeline says to a question."""
    chunk = f"{'good' if right else 'bad'}-{number}"
    others = tuple(Hit(f"other-{place}") for place in range(4))
    logged = ("→", "<>" if flips else "→") if states else ()
    found = Retrieval(topk=(Hit(chunk), *others), index_hash=index, lambda_states=logged)
    said = Said(
        claim=f"It is {number}.",
        citations=(Hit(chunk),),
        coverage=coverage,
        delta_s=delta_s,
        delta_s_by=by,
        lambda_final="→" if states else "",
    )
    return ArmRecord(retrieval=found, answer=said, perf=Perf(latency_ms=20.0))


def pair(number: int, **more: object) -> Pair:
    """A pair of one question; both arms are right unless they are given."""
    given: dict[str, object] = {
        "id": f"p{number}",
        "question": f"What is number {number}?",
        "qid": f"Q{number:03}",
        "live": answered(number),
        "shadow": answered(number, index="i2"),
        "ts": NOON + 1_000 * number,
    }
    return Pair(**{**given, **more})  # type: ignore[arg-type]


def pairs(count: int, *, wrong: float = 0.0, live_wrong: float = 0.0, seed: int = 1) -> list[Pair]:
    """Pairs of which a share goes wrong in the shadow, and another in the live arm."""
    draw = random.Random(seed)
    return [
        pair(
            number,
            live=answered(number, right=draw.random() >= live_wrong),
            shadow=answered(number, right=draw.random() >= wrong, index="i2"),
        )
        for number in range(count)
    ]


def kept(folder: Path, lines: Iterable[Pair | Counts], run: str = "shadow") -> PairFiles:
    """A folder of live data with these lines."""
    files = PairFiles(folder, run)
    files.make()
    for line in lines:
        moment = line.ts / 1000 if isinstance(line, Pair) else NOON / 1000
        files.add(line, moment)
    return files


def answers_gold(path: Path, count: int) -> Path:
    """The gold set of answers that knows these questions."""
    lines = (
        {
            "qid": f"Q{number:03}",
            "question": f"What is number {number}?",
            "answerable": True,
            "gold_claim_substr": [str(number)],
            "gold_citations": [f"good-{number}"],
        }
        for number in range(count)
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def retrieval_gold(path: Path, count: int) -> Path:
    """The gold set of retrieval that knows them."""
    lines = (
        {
            "qid": f"Q{number:03}",
            "paraphrases": [f"What is number {number}?", f"Number {number}, what is it?"],
            "relevant": [f"good-{number}"],
            "anchor_section": f"S.{number}",
            "negatives": [],
        }
        for number in range(count)
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path
