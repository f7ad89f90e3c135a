"""The chunks that gold is checked against, and which of their texts hold a phrase."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ragstone.contracts.gold_evidence import gold_groups
from ragstone.matching.characters import fold
from ragstone.matching.phrases import FLOOR, phrase_spans, weight
from ragstone.suites.answers.lint import Item, texts_in
from ragstone.tools.migration import document_of

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class KnownChunks:
    """Which ids there are, what is known of their texts and bytes, and what to call all of it.

    `spans` has the document of a chunk and its bytes there. `documents` are the whole texts, where
    these are known: a heading is in no chunk.
    """

    where: str
    ids: frozenset[str]
    texts: Mapping[str, str]
    spans: Mapping[str, tuple[str, int, int]] = field(default_factory=dict)
    documents: Mapping[str, str] = field(default_factory=dict)


def from_manifest(where: str, chunks: Iterable[Item]) -> KnownChunks:
    """The chunks of a manifest, or of documents that were split."""
    listed = list(chunks)
    return KnownChunks(
        where,
        frozenset(str(chunk["id"]) for chunk in listed),
        {str(chunk["id"]): str(chunk["text"]) for chunk in listed if chunk.get("text")},
        {str(chunk["id"]): span for chunk in listed if (span := _span(chunk)) is not None},
    )


def _span(chunk: Item) -> tuple[str, int, int] | None:
    offsets = chunk.get("offsets")
    if not isinstance(offsets, list | tuple):
        return None
    document = str(chunk.get("doc") or document_of(str(chunk["id"])))
    return document, int(offsets[0]), int(offsets[1])


def from_traces(ids: Iterable[str], traces: Iterable[Item]) -> KnownChunks:
    """The ids that occur in traces, with the texts that some of them carry."""
    texts: dict[str, str] = {}
    for trace in traces:
        for name, text in _retrieved(trace):
            texts.setdefault(name, text)
    return KnownChunks("the traces", frozenset(ids), texts)


def _retrieved(trace: Item) -> Iterator[tuple[str, str]]:
    ids, texts = texts_in(trace, "retrieved_ids"), texts_in(trace, "retrieved_texts")
    if len(ids) == len(texts):
        yield from zip(ids, texts, strict=True)
    chunks = trace.get("chunks")
    for chunk in chunks if isinstance(chunks, list) else []:
        if isinstance(chunk, dict) and isinstance(chunk.get("text"), str):
            yield str(chunk.get("id")), chunk["text"]


def joined(known: Iterable[KnownChunks]) -> KnownChunks:
    """Several as one: the first says which ids there are, and the others lend it their texts."""
    first, *others = known
    texts, documents = dict(first.texts), dict(first.documents)
    for other in others:
        texts = {**other.texts, **texts}
        documents = {**other.documents, **documents}
    return KnownChunks(first.where, first.ids, texts, first.spans, documents)


def evidence_ids(item: Item) -> list[str]:
    """Every id that an item names as its evidence, in any form, each once."""
    spans = item.get("relevant_offsets")
    return list(
        dict.fromkeys(
            (
                *(name for group in gold_groups(item) for name in group),
                *texts_in(item, "relevant"),
                *(map(str, spans) if isinstance(spans, dict) else ()),
            )
        )
    )


def expected_phrases(item: Item) -> list[str]:
    """The phrases of an item that are long enough to be looked for."""
    listed = (" ".join(text.split()) for text in texts_in(item, "gold_claim_substr"))
    return [phrase for phrase in listed if weight(phrase) >= FLOOR]


def folded(text: str) -> str:
    """A text as phrases are looked for in it: folded, and with single blanks."""
    return fold(" ".join(text.split()))


class Passages:
    """Texts in which phrases are looked for; each phrase is looked for once.

    A phrase of three words or more holds a whole word, and only texts with that word are looked
    at: a gold set of thousands and a corpus of as many chunks need no comparison of all pairs.
    """

    def __init__(self, texts: Mapping[str, str], phrases: Iterable[str]) -> None:
        self._texts = {name: folded(text) for name, text in texts.items()}
        self._found: dict[str, tuple[str, ...]] = {}
        wanted = {word for phrase in phrases if (word := _inner_word(phrase))}
        self._by_word: dict[str, list[str]] = defaultdict(list)
        for name, text in self._texts.items() if wanted else ():
            for word in wanted.intersection(_WORD.findall(text)):
                self._by_word[word].append(name)
        self._wanted = wanted

    def holding(self, phrase: str) -> tuple[str, ...]:
        """The names of the texts that hold a phrase, in their order."""
        if phrase not in self._found:
            word = _inner_word(phrase)
            names = self._by_word.get(word, []) if word in self._wanted else list(self._texts)
            self._found[phrase] = tuple(
                name for name in names if any(phrase_spans(self._texts[name], phrase))
            )
        return self._found[phrase]

    def holds(self, name: str, phrase: str) -> bool:
        return any(phrase_spans(self._texts[name], phrase))


def _inner_word(phrase: str) -> str:
    """The longest word between the first and the last, which may be parts of words; "" if none."""
    return max(_WORD.findall(fold(phrase))[1:-1], key=len, default="")
