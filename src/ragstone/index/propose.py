"""Proposes questions for a gold set; a person accepts or rejects each.

They are made by fixed rules from definitions ("A standby is ...") and from the first sentence of a
section, so the same documents give the same proposals.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ragstone.contracts.ids import slug_of
from ragstone.index.chunks import Chunk
from ragstone.index.texts import WORDS, sentences
from ragstone.tools.propose_types import propose

_DEFINITION = re.compile(
    r"^(?P<article>(?:A|An|The)\s+)?(?P<subject>[^\W\d_][\w-]*(?:\s+[\w-]+){0,3}?)\s+"
    r"(?P<verb>is|are|means)\s+(?P<rest>(?:a|an|the|one|any)\s.{8,})$"
)
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Proposal:
    """A gold item to be judged; `substr` is part of the text at `offsets`."""

    qid: str
    question: str
    substr: str
    chunk: Chunk
    offsets: tuple[int, int]
    why: str

    def item(self) -> dict[str, object]:
        """The line of the gold set; a phrase that is a number, a date, a yes or no, or too short
        to be looked for becomes a typed answer."""
        item: dict[str, object] = {
            "qid": self.qid,
            "question": self.question,
            "answerable": True,
            "gold_claim_substr": [self.substr],
            "gold_citations": [self.chunk.id],
            "relevant_offsets": {self.chunk.id: list(self.offsets)},
        }
        typed = propose(item)
        # The words of a sentence are taken from the evidence, so they stay as they are.
        if typed is None or not typed.forms or any("all" in form for form in typed.forms):
            return item
        return typed.applied(item)


def proposals(chunks: Iterable[Chunk]) -> Iterator[Proposal]:
    """In document order: the definitions of a chunk, or else the first sentence of its section."""
    opened: set[str] = set()
    for chunk in chunks:
        if chunk.type != "prose":
            continue
        found = list(_definitions(chunk))
        if not found and len(chunk.titles) > 1 and chunk.section_id not in opened:
            found = list(_opening(chunk))
        opened.add(chunk.section_id)
        yield from found


def _definitions(chunk: Chunk) -> Iterator[Proposal]:
    for begin, end in sentences(chunk.text):
        found = _DEFINITION.match(chunk.text[begin:end])
        if found and not WORDS["pointing"] & set(found["subject"].casefold().split()):
            subject = (found["article"] or "").lower() + found["subject"]
            question = f"What {'are' if found['verb'] == 'are' else 'is'} {subject}?"
            yield _proposal(chunk, begin, end, question, found["rest"], "definition")


def _opening(chunk: Chunk) -> Iterator[Proposal]:
    for begin, end in list(sentences(chunk.text))[:1]:
        question = f"{chunk.titles[0]}: {chunk.titles[-1].rstrip('?')}?"
        yield _proposal(chunk, begin, end, question, chunk.text[begin:end], "heading")


def _proposal(chunk: Chunk, begin: int, end: int, question: str, said: str, why: str) -> Proposal:
    # Named by the question's words and the mark of its chunk, so an edit elsewhere renames nothing.
    mark = chunk.id.rpartition("~")[2][:6]
    qid = f"{slug_of(question)[:32].strip('-')}-{mark}"
    return Proposal(qid, question, _phrase(said), chunk, chunk.byte_span(begin, end), why)


def _phrase(said: str) -> str:
    """The first words of a sentence, few enough to be found in an answer that is worded freely."""
    whole = said.rstrip(" .!?;:")
    if len(whole) <= _LONGEST:
        return whole
    return whole[: _LONGEST + 1].rsplit(" ", 1)[0].rstrip(" ,;:")


def unique(found: Iterable[Proposal], known: Iterable[str] = ()) -> list[Proposal]:
    """Without proposals whose qid is known or was proposed before."""
    taken = set(known)
    kept: dict[str, Proposal] = {}
    for proposal in found:
        if proposal.qid not in taken:
            kept.setdefault(proposal.qid, proposal)
    return list(kept.values())
