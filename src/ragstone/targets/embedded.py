"""`index:PATH`: an index that `ragstone index build` made, with the extractive answerer.

Knobs: `k` (10) chunks are retrieved and the first `answer_k` (5) answered from; `mode` is hybrid,
bm25 or vector; `threshold` is the support below which the answer is the refusal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ragstone.errors import ConfigError
from ragstone.index.extractive import REFUSAL, Answerer, Extract
from ragstone.index.ranker import MODES, Hit
from ragstone.index.store import Index, open_index
from ragstone.targets.protocol import Answer, Ask, NoAnswer, Opening, Stages

K, ANSWER_K = 10, 5


class Embedded:
    """The target. A question takes about a millisecond, so no thread is started for it."""

    def __init__(self, index: Index, texts: bool = False) -> None:
        self._index = index
        self._answerer = Answerer(index.ranker.idf)
        self._texts = texts

    async def ask(self, ask: Ask) -> Answer:
        header, ranker = self._index.header, self._index.ranker
        mode = _knob(ask, "mode", "hybrid", ", ".join(MODES), lambda value: value in MODES)
        limit = _knob(
            ask, "threshold", header.threshold, "a number", lambda v: isinstance(v, int | float)
        )
        k, answer_k = _count(ask, "k", K), _count(ask, "answer_k", ANSWER_K)
        stages = Stages()
        hits = ranker.search(ask.q, k, mode)
        stages.ended("retrieval")
        extract = self._answerer.best(ask.q, hits[:answer_k])
        # The answerer takes the place of a language model.
        stages.ended("llm")
        extra: dict[str, object] = {
            "topk": [_item(hit, self._texts) for hit in hits],
            "index_hash": header.index_hash,
            "normalizer": header.normalizer,
        }
        if extract is not None:
            extra["support"] = extract.support
        return Answer(
            answer_from(extract, float(limit), ask.constraints),
            tuple(hit.chunk.id for hit in hits),
            stages.ms,
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


def _knob(ask: Ask, name: str, usual: object, expected: str, fits: Callable[[Any], bool]) -> Any:
    """Checks one knob of an ask; knobs of other targets are ignored."""
    value = ask.knobs.get(name, usual)
    if isinstance(value, bool) or not fits(value):
        raise NoAnswer("bad_answer", f"knob {name}: expected {expected}, found {value!r}")
    return value


def _count(ask: Ask, name: str, usual: int) -> int:
    def fits(value: object) -> bool:
        return isinstance(value, int) and value >= 1

    return int(_knob(ask, name, usual, "a count of 1 or more", fits))


def open_embedded(address: str, opening: Opening) -> Embedded:
    """Opens `index:docs.index`; as evidence for another target its chunks carry their text."""
    path = address.removeprefix("index:")
    if not path:
        raise ConfigError(f"--target {address!r}: expected index:PATH")
    return Embedded(open_index(path), opening.texts)
