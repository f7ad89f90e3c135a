"""What became of the evidence of a gold set: whether each item's chunks are still what it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from ragstone.progress import counting
from ragstone.report.text import listed, shown
from ragstone.suites.answers.lint import Item
from ragstone.tools.known_chunks import KnownChunks, Passages, evidence_ids, expected_phrases

# From the best to the worst: an item has the worst of its evidence.
Fate = Literal["alive", "moved", "changed", "gone"]
FATES: tuple[Fate, ...] = get_args(Fate)
_NAMED = 3


@dataclass(frozen=True, slots=True)
class EvidenceFate:
    """What became of one id of one item; `to` are the chunks that hold it now."""

    qid: str
    id: str
    fate: Fate
    to: tuple[str, ...] = ()
    says: str = ""


@dataclass(frozen=True, slots=True)
class Fates:
    """The evidence of every item that names some, and how many items name none."""

    evidence: tuple[EvidenceFate, ...]
    without: int

    @property
    def by_item(self) -> dict[str, Fate]:
        """The worst of each item."""
        found: dict[str, Fate] = {}
        for each in self.evidence:
            found[each.qid] = max(found.get(each.qid, "alive"), each.fate, key=FATES.index)
        return found

    @property
    def counts(self) -> dict[str, int]:
        counted = Counter(self.by_item.values())
        return {fate: counted[fate] for fate in FATES}


def fates(gold: Sequence[Item], known: KnownChunks) -> Fates:
    """The fate of each item's evidence among the chunks that are known.

    >>> chunks = KnownChunks("x", frozenset(["b"]), {"b": "Kept for 30 days."})
    >>> item = {"qid": "A", "gold_citations": ["a"], "gold_claim_substr": ["30 days"]}
    >>> [(each.fate, each.to) for each in fates([item], chunks).evidence]
    [('moved', ('b',))]
    """
    phrases = [phrase for item in gold for phrase in expected_phrases(item)]
    passages = Passages(known.texts, phrases)
    places = _by_document(known)
    looked = counting(gold, "looking for evidence", "items", step="evidence")
    found = [each for item in looked for each in _of_item(item, known, passages, places)]
    return Fates(tuple(found), sum(not evidence_ids(item) for item in gold))


Places = dict[str, list[tuple[int, int, str]]]


def _by_document(known: KnownChunks) -> Places:
    found: Places = {}
    for name, (document, begin, end) in known.spans.items():
        found.setdefault(document, []).append((begin, end, name))
    return found


def _of_item(
    item: Item, known: KnownChunks, passages: Passages, places: Places
) -> Iterator[EvidenceFate]:
    qid, ids, phrases = str(item["qid"]), evidence_ids(item), expected_phrases(item)
    texts = [name for name in ids if name in known.ids and name in known.texts]
    # One phrase in one of the texts is what the item asks for; the other texts may say the rest.
    held = not phrases or any(passages.holds(name, each) for name in texts for each in phrases)
    for name in ids:
        span = _span_of(item, name)
        if name not in known.ids:
            to = _elsewhere(phrases, ids, passages) or _covering(name, span, known, places)
            absent = f"{shown(name, 80)} is not in {known.where}"
            yield _fate(qid, name, "moved" if to else "gone", to, absent)
        elif span is not None and not _overlaps(name, span, known):
            to = _covering(name, span, known, places)
            says = f"{shown(name, 80)} is not where its proof was"
            yield _fate(qid, name, "moved" if to else "changed", to, says)
        elif name in known.texts and not held:
            to = _elsewhere(phrases, ids, passages)
            says = f"{shown(name, 80)} holds none of the expected phrases"
            yield _fate(qid, name, "moved" if to else "changed", to, says)
        else:
            yield EvidenceFate(qid, name, "alive")


def _fate(qid: str, name: str, fate: Fate, to: tuple[str, ...], says: str) -> EvidenceFate:
    if to:
        says += f", and its proof is in {listed(to, limit=_NAMED, length=80)}"
    return EvidenceFate(qid, name, fate, to, says)


def _elsewhere(phrases: Iterable[str], own: Sequence[str], passages: Passages) -> tuple[str, ...]:
    """The chunks beside an item's own that hold the first of its phrases that any holds."""
    for phrase in phrases:
        found = tuple(name for name in passages.holding(phrase) if name not in own)
        if found:
            return found
    return ()


def _span_of(item: Item, name: str) -> tuple[int, int] | None:
    """The bytes of the canonical text where gold says that the proof is."""
    spans = item.get("relevant_offsets")
    found = spans.get(name) if isinstance(spans, dict) else None
    return (int(found[0]), int(found[1])) if isinstance(found, list) else None


def _overlaps(name: str, span: tuple[int, int], known: KnownChunks) -> bool:
    """Whether a chunk has bytes of the span; where its bytes are not known, nothing is said."""
    if name not in known.spans:
        return True
    _, begin, end = known.spans[name]
    return min(end, span[1]) > max(begin, span[0])


def _covering(
    name: str, span: tuple[int, int] | None, known: KnownChunks, places: Places
) -> tuple[str, ...]:
    """The chunks of the same document that hold all bytes of the span, where ids name documents."""
    if span is None:
        return ()
    from ragstone.tools.migration import document_of

    own = known.spans.get(name)
    document = own[0] if own else document_of(name)
    return tuple(
        other
        for begin, end, other in places.get(document, ())
        if begin <= span[0] and span[1] <= end and other != name
    )
