"""`index:PATH`: an index that `ragstone index build` made, with the extractive answerer.

Knobs: `k` (10) chunks are retrieved and the first `answer_k` (5) answered from; `mode` is hybrid,
bm25 or vector; `threshold` is the support below which the answer is the refusal.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from ragstone.errors import ConfigError
from ragstone.index.extractive import REFUSAL, Answerer, Extract
from ragstone.index.ranker import MODES, Hit, Mode
from ragstone.index.store import Index, open_index
from ragstone.targets.protocol import Answer, Ask, NoAnswer
from ragstone.targets.registry import Opening

K, ANSWER_K = 10, 5


@dataclass(frozen=True, slots=True)
class Knobs:
    """How the index is searched and when it refuses."""

    k: int
    answer_k: int
    mode: Mode
    threshold: float


class Embedded:
    """The target. A question takes about a millisecond, so no thread is started for it."""

    def __init__(self, index: Index, texts: bool = False) -> None:
        self._index = index
        self._answerer = Answerer(index.ranker.idf)
        self._texts = texts

    async def ask(self, ask: Ask) -> Answer:
        knobs = knobs_of(ask.knobs, self._index.header.threshold)
        ranker = self._index.ranker
        start = time.perf_counter()
        hits = ranker.search(ask.q, knobs.k, knobs.mode)
        found = time.perf_counter()
        extract = self._answerer.best(ask.q, hits[: knobs.answer_k])
        done = time.perf_counter()
        stages = {
            "retrieval": round((found - start) * 1000, 3),
            # The answerer takes the place of a language model.
            "llm": round((done - found) * 1000, 3),
        }
        header = self._index.header
        extra: dict[str, object] = {
            "topk": [_item(hit, self._texts) for hit in hits],
            "index_hash": header.index_hash,
            "normalizer": header.normalizer,
        }
        if extract is not None:
            extra["support"] = extract.support
        return Answer(
            answer_from(extract, knobs.threshold, ask.constraints),
            tuple(hit.chunk.id for hit in hits),
            stages,
            extra=extra,
        )

    async def close(self) -> None:
        """Nothing to close: the index is read into memory."""


def answer_from(
    extract: Extract | None, threshold: float, constraints: tuple[str, ...] = ()
) -> dict[str, object]:
    """The answer with the locked constraints, or the refusal if its support is too low."""
    if extract is None or extract.support < threshold:
        return {"claim": REFUSAL, "citations": []}
    answer: dict[str, object] = {"claim": extract.text, "citations": [extract.chunk.id]}
    if constraints:
        answer["constraints_echo"] = list(constraints)
    return answer


def _item(hit: Hit, texts: bool) -> dict[str, object]:
    chunk = hit.chunk
    item: dict[str, object] = {
        "id": chunk.id,
        "score": round(hit.score, 9),
        "offsets": list(chunk.offsets),
        "type": chunk.type,
    }
    return {**item, "text": chunk.text} if texts else item


def knobs_of(given: Mapping[str, object], threshold: float) -> Knobs:
    """Checks the knobs of one ask; knobs of other targets are ignored."""
    mode = given.get("mode", "hybrid")
    if mode not in MODES:
        raise NoAnswer("bad_answer", f"knob mode: expected {', '.join(MODES)}, found {mode!r}")
    limit = given.get("threshold", threshold)
    if isinstance(limit, bool) or not isinstance(limit, int | float):
        raise NoAnswer("bad_answer", f"knob threshold: expected a number, found {limit!r}")
    k, answer_k = _count(given, "k", K), _count(given, "answer_k", ANSWER_K)
    return Knobs(k, answer_k, mode, float(limit))  # type: ignore[arg-type]


def _count(given: Mapping[str, object], name: str, usual: int) -> int:
    value = given.get(name, usual)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise NoAnswer("bad_answer", f"knob {name}: expected a count of 1 or more, found {value!r}")
    return value


def open_embedded(address: str, opening: Opening) -> Embedded:
    """Opens `index:docs.index`; as evidence for another target its chunks carry their text."""
    path = address.removeprefix("index:")
    if not path:
        raise ConfigError(f"--target {address!r}: expected index:PATH")
    return Embedded(open_index(path), opening.texts)
