"""After re-chunking: finds the new chunks that hold an old chunk's text, and rewrites gold ids.

Texts are compared where both manifests carry them, by the runs of words that two chunks share;
otherwise byte ranges of the canonical text, document by document.
"""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, get_args

from ragstone._version import __version__
from ragstone.engine.content_hash import content_sum
from ragstone.engine.duck import Duck
from ragstone.progress import counting, doing
from ragstone.report.document.blocks import Block, Cell, Table
from ragstone.report.model import Report
from ragstone.suites.answers.lint import texts_in
from ragstone.suites.digest import digest_of
from ragstone.tools.moved_evidence import move_evidence

Kind = Literal["same", "shift", "split", "merge", "unmapped"]
Chunk = Mapping[str, object]
Item = Mapping[str, object]
Lines = Sequence[Item]

# Five words in a row are hardly ever shared by accident.
SHINGLE = 5
# A new chunk that holds less of the old one is no heir; a mapping below SURE needs a person.
HEIR, SURE = 0.20, 0.80

_WORD = re.compile(r"\w+")
_DOCUMENT = re.compile(r"([^|]+)\||([^#]+)#")


@dataclass(frozen=True, slots=True)
class Mapped:
    """Where an old chunk went: its heirs with the share of it that each holds, best first."""

    old: str
    kind: Kind
    heirs: tuple[tuple[str, float], ...]
    confidence: float

    @property
    def doubtful(self) -> bool:
        return self.kind == "unmapped" or self.confidence < SURE - 1e-9


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one gold item, and why a person must look at it, if one must."""

    qid: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    look: tuple[str, ...]


def mapped(old: Sequence[Chunk], new: Sequence[Chunk]) -> dict[str, Mapped]:
    """Every old id with where it went.

    >>> one = {"id": "a", "offsets": [0, 100]}
    >>> two = [{"id": "x", "offsets": [0, 50]}, {"id": "y", "offsets": [50, 120]}]
    >>> found = mapped([one], two)["a"]
    >>> found.kind, found.heirs, found.confidence
    ('split', (('x', 0.5), ('y', 0.5)), 1.0)
    """
    with_texts = all(chunk.get("text") for chunk in (*old, *new))
    shares = _by_text(old, new) if with_texts else _by_bytes(old, new)
    parents = Counter(name for heirs in shares.values() for name, _ in heirs)
    fresh = {str(chunk["id"]): chunk for chunk in new}
    return {
        str(chunk["id"]): _judge(chunk, shares[str(chunk["id"])], parents, fresh)
        for chunk in counting(old, "judging", "chunks", step="judging")
    }


def _judge(
    chunk: Chunk,
    heirs: Sequence[tuple[str, float]],
    parents: Mapping[str, int],
    fresh: Mapping[str, Chunk],
) -> Mapped:
    name = str(chunk["id"])
    confidence = min(1.0, math.fsum(share for _, share in heirs))
    kind: Kind = "unmapped"
    if len(heirs) > 1:
        kind = "split"
    elif heirs and parents[heirs[0][0]] > 1:
        kind = "merge"
    elif heirs:
        told = ("offsets", "text", "section_id")
        kept = heirs[0][0] == name and all(chunk.get(k) == fresh[name].get(k) for k in told)
        kind = "same" if kept else "shift"
    return Mapped(name, kind, tuple(heirs), confidence)


def _by_bytes(old: Sequence[Chunk], new: Sequence[Chunk]) -> dict[str, list[tuple[str, float]]]:
    """The share of each old chunk's bytes that each new chunk of its document holds."""
    places: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    widest: dict[str, int] = defaultdict(int)
    for chunk in counting(new, "indexing the new chunks", "chunks", step="indexing"):
        begin, end = _span(chunk)
        document = _document(chunk)
        places[document].append((begin, end, str(chunk["id"])))
        widest[document] = max(widest[document], end - begin)
    for listed in places.values():
        listed.sort()
    shares: dict[str, list[tuple[str, float]]] = {}
    for chunk in counting(old, "looking for the old chunks", "chunks", step="mapping"):
        begin, end = _span(chunk)
        document = _document(chunk)
        # Only chunks that begin in this range can share bytes with the old one.
        first = bisect_left(places[document], (begin - widest[document], -1, ""))
        last = bisect_left(places[document], (max(end, begin + 1), -1, ""))
        common = [
            (name, min(end, stop) - max(begin, start))
            for start, stop, name in places[document][first:last]
        ]
        found = [(name, shared / (end - begin)) for name, shared in common if shared > 0]
        shares[str(chunk["id"])] = _heirs(found)
    return shares


def _by_text(old: Sequence[Chunk], new: Sequence[Chunk]) -> dict[str, list[tuple[str, float]]]:
    """The share of each old chunk's shingles that each new chunk holds."""
    holders: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for chunk in counting(new, "indexing the new chunks", "chunks", step="indexing"):
        for shingle in dict.fromkeys(_shingles(str(chunk["text"]))):
            holders[shingle].append(str(chunk["id"]))
    shares: dict[str, list[tuple[str, float]]] = {}
    for chunk in counting(old, "looking for the old chunks", "chunks", step="mapping"):
        shingles = list(dict.fromkeys(_shingles(str(chunk["text"]))))
        counts: dict[str, float] = defaultdict(float)
        for shingle in shingles:
            # A phrase that stands everywhere says nothing about where this chunk went.
            if 0 < len(holders.get(shingle, ())) <= 20:
                for name in holders[shingle]:
                    counts[name] += 1 / len(shingles)
        own = str(chunk["id"])
        shares[own] = _best_cover(_heirs(counts.items(), first=own))
    return shares


def _best_cover(heirs: list[tuple[str, float]]) -> list[tuple[str, float]]:
    """Copies are no split: once the chunk is accounted for, the rest are left out."""
    before = accumulate((share for _, share in heirs), initial=0.0)
    return [heir for heir, total in zip(heirs, before, strict=False) if total < 0.95]


def _shingles(text: str) -> Iterable[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    if len(words) < SHINGLE:
        return [tuple(words)] if words else []
    return [tuple(words[n : n + SHINGLE]) for n in range(len(words) - SHINGLE + 1)]


def _heirs(found: Iterable[tuple[str, float]], first: str = "") -> list[tuple[str, float]]:
    """Those that hold enough; where shares are equal, the chunk that kept its id comes first."""
    kept = [(name, share) for name, share in found if share >= HEIR - 1e-9]
    return sorted(kept, key=lambda heir: (-heir[1], heir[0] != first, heir[0]))


def _span(chunk: Chunk) -> tuple[int, int]:
    offsets = chunk["offsets"]
    if not isinstance(offsets, list):
        return 0, 0
    return int(offsets[0]), int(offsets[1])


def document_of(chunk: str) -> str:
    """The document that an id names; ids of other dialects are all of one document.

    >>> document_of("docA#s03#p002"), document_of("S.4.2.p.Bk011a")
    ('docA', '')
    """
    found = _DOCUMENT.match(chunk)
    return (found[1] or found[2]) if found else ""


def _document(chunk: Chunk) -> str:
    named = chunk.get("doc")
    return str(named) if named else document_of(str(chunk["id"]))


def rewritten(
    gold: Sequence[Mapping[str, object]], found: Mapping[str, Mapped], new: Sequence[Chunk]
) -> tuple[list[dict[str, object]], list[Change]]:
    """The gold set with the new ids, and what became of each item.

    An id without an heir is kept if the item would have no evidence otherwise, and is always
    listed for a person.
    """
    fresh = {str(chunk["id"]): chunk for chunk in new}
    titles = {str(chunk.get("section_id")) for chunk in new}
    items, changes = [], []
    for item in counting(gold, "rewriting the gold set", "items", step="rewriting"):
        look: list[str] = []
        made = dict(item)

        def carry(
            ids: list[str], name: str, item: Item = item, look: list[str] = look
        ) -> list[str]:
            return _carried(ids, item, found, fresh, look, name)

        moved = move_evidence(item, carry)
        made |= moved.fields
        before, after, heirs = moved.before, moved.after, moved.heirs
        negatives = texts_in(item, "negatives")
        if negatives:
            carried = carry(negatives, "negatives")
            made["negatives"] = [chunk for chunk in carried if chunk not in after]
        _move_offsets(made, found, fresh, look)
        anchor = item.get("anchor_section")
        if anchor and not any(t == anchor or t.startswith(f"{anchor}.") for t in titles):
            places = [str(fresh[c].get("section_id")) for c in heirs if c in fresh]
            if places:
                made["anchor_section"] = places[0]
            look.append(f"the anchor section {anchor} is not in the new manifest")
        items.append(made)
        changes.append(Change(str(item["qid"]), tuple(before), tuple(after), tuple(look)))
    return items, changes


def _carried(
    ids: Sequence[str],
    item: Mapping[str, object],
    found: Mapping[str, Mapped],
    fresh: Mapping[str, Chunk],
    look: list[str],
    where: str,
) -> list[str]:
    """The new ids that stand for the old ones; a gold span picks among the parts of a split."""
    kept: list[str] = []
    spans = item.get("relevant_offsets")
    for chunk in ids:
        went = found.get(chunk)
        if went is None:
            look.append(f"{where}: {chunk} is not in the old manifest")
            continue
        if went.doubtful:
            share = f"{went.confidence:.0%} of it was found"
            look.append(f"{where}: {chunk} is {went.kind}; {share}")
        heirs = [name for name, _ in went.heirs]
        if went.kind == "split" and where == "gold_citations_any":
            look.append(f"{where}: {chunk} is split, and one of its parts is enough now")
        span = spans.get(chunk) if isinstance(spans, dict) else None
        if span and went.kind == "split":
            inside = [name for name in heirs if _overlap(fresh[name], span) > 0]
            heirs = inside or heirs
        kept += heirs
    return list(dict.fromkeys(kept))


def _overlap(chunk: Chunk, span: Sequence[int]) -> int:
    begin, end = _span(chunk)
    return min(end, span[1]) - max(begin, span[0])


def _move_offsets(
    made: dict[str, object],
    found: Mapping[str, Mapped],
    fresh: Mapping[str, Chunk],
    look: list[str],
) -> None:
    """A gold span is bytes of the canonical text: it keeps its numbers and changes its id."""
    spans = made.get("relevant_offsets")
    if not isinstance(spans, dict):
        return
    moved: dict[str, object] = {}
    for chunk, span in spans.items():
        went = found.get(chunk)
        heirs = [name for name, _ in went.heirs if _overlap(fresh[name], span) > 0] if went else []
        for name in heirs:
            begin, end = _span(fresh[name])
            moved[name] = [max(begin, span[0]), min(end, span[1])]
        if not heirs:
            look.append(f"relevant_offsets: the span of {chunk} lies in no new chunk of it")
    made["relevant_offsets"] = moved


def report_of(
    found: Mapping[str, Mapped],
    changes: Sequence[Change],
    inputs: tuple[Lines, Lines, Lines],
    limit: int | None,
) -> Report:
    """Everything a renderer needs, in one object."""
    # The order of lines does not matter.
    hashes = []
    total = sum(map(len, inputs))
    with Duck() as duck, doing("hashing", total, "lines", duck.share, step="hashing") as task:
        for lines in inputs:
            with task.piece(len(lines)):
                duck.set(lines=[json.dumps(line, sort_keys=True) for line in lines])
                held = "(select unnest(getvariable('lines')) as line)"
                hashes.append(content_sum(duck, held, ("line",)).finish())
    counts: Counter[str] = Counter(each.kind for each in found.values())
    in_order = sorted(changes, key=lambda change: change.qid)
    changed = [change for change in in_order if change.before != change.after]
    look = [change for change in in_order if change.look]
    many = "1 gold item needs" if len(look) == 1 else f"{len(look):,} gold items need"
    doubtful = [each for each in found.values() if each.doubtful]
    return Report(
        suite="migrate",
        version=__version__,
        figures={
            "old_chunks": len(inputs[0]),
            "new_chunks": len(inputs[1]),
            "gold_items": len(changes),
            "gold_changed": len(changed),
            "to_look_at": len(look),
            **{kind: counts[kind] for kind in get_args(Kind)},
        },
        metrics={},
        gates=(),
        digest=digest_of({"suite": "migrate", "inputs": hashes, "limit": limit}),
        settings={"limit": limit},
        data={
            "chunks": {
                each.old: {
                    "kind": each.kind,
                    "to": [[name, share] for name, share in each.heirs],
                    "confidence": each.confidence,
                }
                for each in found.values()
            },
            "changes": [
                {"qid": c.qid, "before": list(c.before), "after": list(c.after)} for c in changed
            ],
            "look": [{"qid": c.qid, "why": list(c.look)} for c in look],
        },
        blocks=tuple(_blocks(counts, doubtful, changed, look, limit)),
        warnings=(f"{many} a person's eye before the new gold set is used",) if look else (),
        verdicts={None: "MIGRATED"},
    )


def _blocks(
    counts: Counter[str],
    doubtful: Sequence[Mapped],
    changed: Sequence[Change],
    look: Sequence[Change],
    limit: int | None,
) -> list[Block]:
    rows = tuple((kind, counts[kind]) for kind in get_args(Kind))
    blocks: list[Block] = [Table("Where the old chunks went", ("how", "chunks"), rows)]
    if look:
        reasons = [(c.qid, why) for c in look for why in c.look]
        blocks.append(_some("What a person must look at", ("qid", "why"), reasons, limit))
    if changed:
        listed = [(c.qid, ", ".join(c.before), ", ".join(c.after)) for c in changed]
        blocks.append(_some("What changed in gold", ("qid", "before", "after"), listed, limit))
    if doubtful:
        cells: list[tuple[Cell, ...]] = [
            (each.old, each.kind, each.confidence, ", ".join(name for name, _ in each.heirs))
            for each in doubtful
        ]
        columns = ("old id", "how", "confidence", "new ids")
        blocks.append(_some("Chunks whose mapping is in doubt", columns, cells, limit))
    return blocks


def _some(
    title: str, columns: tuple[str, ...], rows: Sequence[tuple[Cell, ...]], limit: int | None
) -> Table:
    shown = tuple(rows) if limit is None else tuple(rows[:limit])
    rest = len(rows) - len(shown)
    return Table(title, columns, shown, f"{rest:,} more with --all." if rest else "")
