"""The report of `ragstone migrate`: where chunks went, what changed in gold, what to look at."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence

from ragstone._version import __version__
from ragstone.gates.gate import Status
from ragstone.report.model import Block, Cell, Report, Table
from ragstone.suites.retrieval.migrate import Change, Mapped

KINDS = ("same", "shift", "split", "merge", "unmapped")
Lines = Sequence[Mapping[str, object]]


def build(
    found: Mapping[str, Mapped],
    changes: Sequence[Change],
    inputs: tuple[Lines, Lines, Lines],
    limit: int | None,
) -> Report:
    """Everything a renderer needs, in one object."""
    counts: Counter[str] = Counter(each.kind for each in found.values())
    in_order = sorted(changes, key=lambda change: change.qid)
    changed = [change for change in in_order if change.before != change.after]
    look = [change for change in in_order if change.look]
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
            **{kind: counts.get(kind, 0) for kind in KINDS},
        },
        metrics={},
        gates=(),
        digest=_digest(inputs, limit),
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
        warnings=_warnings(look),
        verdicts={Status.PASS: "MIGRATED"},
    )


def _warnings(look: Sequence[Change]) -> tuple[str, ...]:
    if not look:
        return ()
    items = "1 gold item needs" if len(look) == 1 else f"{len(look):,} gold items need"
    return (f"{items} a person's eye before the new gold set is used",)


def _blocks(
    counts: Counter[str],
    doubtful: Sequence[Mapped],
    changed: Sequence[Change],
    look: Sequence[Change],
    limit: int | None,
) -> list[Block]:
    rows: tuple[tuple[Cell, ...], ...] = tuple((kind, counts.get(kind, 0)) for kind in KINDS)
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


def _digest(inputs: tuple[Lines, Lines, Lines], limit: int | None) -> str:
    whole = [
        __version__,
        limit,
        *(sorted(json.dumps(line, sort_keys=True) for line in lines) for lines in inputs),
    ]
    text = json.dumps(whole, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
