"""The retrieval suite in plain Python, from the text of its specification and from nothing else.

Slow and obvious on purpose: one question after the other, exact fractions, no shared code.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

KS = (1, 3, 5, 10)
Item = Mapping[str, Any]

_TYPES = {"caption": "figure", "formula": "code", "paragraph": "prose"}
_STATES = {"->": "→", "<-": "←", "x": "×", "â†’": "→", "Ã—": "×", "‚Üí": "→", "√ó": "×"}


def read(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def section(chunk: str, manifest: Mapping[str, Item]) -> str | None:
    if chunk in manifest:
        return str(manifest[chunk]["section_id"])
    if "|" in chunk:
        parts = dict(p.split("=", 1) for p in chunk.split("|")[1:] if "=" in p)
        return parts.get("s")
    if chunk.count("#") == 2:
        middle = chunk.split("#")[1]
        return middle if re.fullmatch(r"s\d[0-9A-Za-z.]*", middle) else None
    steps = chunk.split(".")
    if len(steps) < 2 or steps[-1][:2].lower() != "bk":
        return None
    steps = steps[:-1]
    if steps[-1] == "p":
        steps = steps[:-1]
    numbers = steps[1:] if steps and steps[0].isalpha() else steps
    return ".".join(steps) if numbers and all(n.isdigit() for n in numbers) else None


def inside(where: str | None, anchor: str | None) -> bool:
    if where is None or anchor is None:
        return False
    path, top = where.split("."), anchor.split(".")
    return path[: len(top)] == top


def steps_between(one: str, other: str) -> int:
    a, b = one.split("."), other.split(".")
    common = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        common += 1
    return len(a) - common + len(b) - common


def delta_s_of(run: Item) -> Sequence[float] | None:
    for name in ("ΔS", "delta_s", "dS", "Î”S", "Î\x94S", "ŒîS"):
        if run.get(name) is not None:
            found: Sequence[float] = run[name]
            return found
    return None


def state_of(run: Item) -> str | None:
    for name in ("λ_state", "lambda_state", "Î»_state", "Œª_state"):
        if run.get(name) is not None:
            return _STATES.get(run[name], run[name])
    return None


def _run(gold: Item, run: Item, manifest: Mapping[str, Item], any_answers: bool) -> dict[str, Any]:
    relevant, negatives = set(gold["relevant"]), set(gold.get("negatives") or [])
    anchor = gold.get("anchor_section")
    ids = [hit["id"] for hit in run["topk"]]
    cites = run.get("answer_citations")
    made: dict[str, Any] = {"answered": cites is not None, "cites": cites}
    for k in KS:
        first = ids[:k]
        distinct = set(first)
        hits = distinct & relevant
        made[f"P@{k}"] = Fraction(len(hits), len(distinct)) if distinct else Fraction(0)
        made[f"R@{k}"] = Fraction(len(hits), len(relevant))
        made[f"anchor_hit@{k}"] = Fraction(any(inside(section(i, manifest), anchor) for i in first))
        made[f"negative_above@{k}"] = Fraction(_negative_above(first, relevant, negatives))
    made["covered"] = any(
        c["id"] in relevant or inside(section(c["id"], manifest), anchor) for c in cites or []
    )
    made["accurate"] = bool(cites) and _accurate(gold, cites[0], manifest)
    cited_section = section(cites[0]["id"], manifest) if cites else None
    made["proximity"] = (
        steps_between(cited_section, anchor) if cited_section is not None and anchor else None
    )
    values = delta_s_of(run)
    made["delta_s"] = None
    if values is not None:
        if not any_answers:
            made["delta_s"] = values[0] if values else None
        elif cites and cites[0]["id"] in ids:
            made["delta_s"] = values[ids.index(cites[0]["id"])]
    basis = [c["id"] for c in cites] if cites is not None else ids[:10]
    made["basis"] = basis
    made["hit"] = next((i for i in basis if i in relevant), None)
    made["state"] = state_of(run)
    return made


def _negative_above(first: Sequence[str], relevant: set[str], negatives: set[str]) -> bool:
    for chunk in first:
        if chunk in relevant:
            return False
        if chunk in negatives:
            return True
    return False


def _accurate(gold: Item, cited: Item, manifest: Mapping[str, Item]) -> bool:
    chunk = cited["id"]
    if chunk not in gold["relevant"]:
        return False
    own = section(chunk, manifest)
    if cited.get("section_id") is not None and own is not None and cited["section_id"] != own:
        return False
    span = (gold.get("relevant_offsets") or {}).get(chunk)
    if span is None and chunk in manifest:
        span = manifest[chunk]["offsets"]
    if span is None or cited.get("offsets") is None:
        return False
    begin, end = cited["offsets"]
    return begin < span[1] + 30 and end > span[0] - 30


def computed_state(runs: Sequence[Mapping[str, Any]]) -> str | None:
    if len(runs) < 2:
        return None
    hits = [run["hit"] for run in runs]
    if None not in hits and len(set(hits)) == 1:
        return "→"
    if not any(run["basis"] for run in runs):
        return "←"
    if any(hit is not None for hit in hits):
        return "<>"
    common = set.intersection(*(set(run["basis"]) for run in runs))
    return "<>" if common else "×"


def _label(run: Item) -> tuple[str, str]:
    wording = run.get("paraphrase")
    name = json.dumps(wording) if wording is not None else json.dumps(run.get("query"))
    return name, json.dumps(run.get("seed"))


def mean(values: Iterable[Fraction | float]) -> Fraction | None:
    known = [Fraction(v) for v in values]
    return sum(known, Fraction(0)) / len(known) if known else None


def quantile(values: Sequence[Fraction], q: Fraction) -> Fraction | None:
    if not values:
        return None
    ordered = sorted(values)
    rank = (len(ordered) - 1) * q
    low = int(rank)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (rank - low)


def expected(
    gold: Sequence[Item], log: Sequence[Item], manifest: Sequence[Item] = ()
) -> dict[str, Any]:
    """Every metric, by name; None where the log cannot show it."""
    chunks = {chunk["id"]: chunk for chunk in manifest}
    known = {item["qid"] for item in gold}
    by_qid: dict[str, list[Item]] = {qid: [] for qid in known}
    for line in log:
        if line["qid"] in known:
            by_qid[line["qid"]].append(line)
    answers = any(run.get("answer_citations") is not None for r in by_qid.values() for run in r)
    questions = [
        (item, by_qid[item["qid"]], [_run(item, r, chunks, answers) for r in by_qid[item["qid"]]])
        for item in gold
    ]
    found: dict[str, Any] = {}
    _ranks(found, questions, chunks)
    _citations(found, questions, answers)
    _delta_s(found, questions, any(delta_s_of(line) is not None for line in log))
    _lambdas(found, questions)
    seen = _seen_types(gold, log, chunks)
    types = {c: _TYPES.get(chunk["type"], chunk["type"]) for c, chunk in chunks.items()}
    found["types"] = {item["qid"]: _type_of(item, types, seen) for item in gold}
    return found


Questions = Sequence[tuple[Item, Sequence[Item], Sequence[dict[str, Any]]]]


def _seen_types(
    gold: Sequence[Item], log: Sequence[Item], manifest: Mapping[str, Item]
) -> dict[str, str]:
    """Types of relevant ids: what runs of their own questions show, and where a question has no
    such id, what any line does."""
    relevant = {item["qid"]: item["relevant"] for item in gold if not item.get("type")}
    every, own = {}, {}
    for line in log:
        for hit in line["topk"]:
            if hit.get("type") is not None:
                every[hit["id"]] = kind = _TYPES.get(hit["type"], hit["type"])
                if hit["id"] in relevant.get(line["qid"], ()):
                    own[hit["id"]] = kind
    untyped = {
        each
        for ids in relevant.values()
        if not any(each in own or each in manifest for each in ids)
        for each in ids
    }
    return own | {each: every[each] for each in untyped & every.keys()}


def _type_of(item: Item, *known: Mapping[str, str]) -> str:
    if item.get("type"):
        return _TYPES.get(item["type"], item["type"])
    first, *others = item["relevant"]
    found = (types[each] for types in known for each in (first, *sorted(others)) if each in types)
    return next(found, "unknown")


def _says_where(runs: Sequence[Item], manifest: Mapping[str, Item]) -> bool:
    """Whether something that was retrieved says in which section it stands, or there is nothing."""
    ids = [hit["id"] for run in runs for hit in run["topk"][:10]]
    return not ids or any(section(each, manifest) is not None for each in ids)


def _ranks(found: dict[str, Any], questions: Questions, manifest: Mapping[str, Item]) -> None:
    for k in KS:
        for name in (f"P@{k}", f"R@{k}"):
            found[name] = mean(mean(r[name] for r in runs) or 0 for _, _, runs in questions)
        name = f"anchor_hit@{k}"
        anchored = [
            runs
            for item, lines, runs in questions
            if item.get("anchor_section") and _says_where(lines, manifest)
        ]
        found[name] = mean(mean(r[name] for r in runs) or 0 for runs in anchored)
        name = f"negative_above@{k}"
        marked = [runs for item, _, runs in questions if item.get("negatives")]
        found[name] = mean(mean(r[name] for r in runs) or 0 for runs in marked)


def _citations(found: dict[str, Any], questions: Questions, answers: bool) -> None:
    names = ("coverage", "citation_accuracy", "citation_accuracy_all", "anchor_proximity")
    for name in names:
        found[name] = None
    uncovered = set()
    if answers:
        shares = {
            item["qid"]: mean(Fraction(r["covered"]) for r in runs) or Fraction(0)
            for item, _, runs in questions
        }
        uncovered = {qid for qid, share in shares.items() if share < Fraction(1, 2)}
        found["coverage"] = mean(shares.values())
        accuracy = [
            mean(Fraction(r["accurate"]) for r in runs if r["answered"]) for _, _, runs in questions
        ]
        found["citation_accuracy"] = mean(a for a in accuracy if a is not None)
        found["citation_accuracy_all"] = mean(
            mean(Fraction(r["answered"] and r["accurate"]) for r in runs) or 0
            for _, _, runs in questions
        )
        far = [
            mean(Fraction(r["proximity"]) for r in runs if r["proximity"] is not None)
            for _, _, runs in questions
        ]
        found["anchor_proximity"] = mean(f for f in far if f is not None)
    found["uncovered"] = uncovered


def _delta_s(found: dict[str, Any], questions: Questions, measured: bool) -> None:
    values = {
        item["qid"]: mean(r["delta_s"] for r in runs if r["delta_s"] is not None)
        for item, _, runs in questions
    }
    known = [v for v in values.values() if v is not None]
    found["delta_s_median"] = quantile(known, Fraction(1, 2))
    found["delta_s_p90"] = quantile(known, Fraction(9, 10))
    room = Fraction(1, 10**9)
    tests = {
        "delta_s_stable": lambda v: v < Fraction("0.4") - room,
        "delta_s_transitional": lambda v: Fraction("0.4") - room <= v < Fraction("0.6") - room,
        "delta_s_risk": lambda v: v >= Fraction("0.6") - room,
        "delta_s_over": lambda v: v > Fraction("0.45") + room,
    }
    for name, test in tests.items():
        found[name] = mean(Fraction(test(v)) for v in known) if measured else None
    risky = {q for q, v in values.items() if v is not None and v > Fraction("0.6") + room}
    found["bad_qids"] = sorted(found.pop("uncovered") | risky)


def _lambdas(found: dict[str, Any], questions: Questions) -> None:
    converging = total = 0
    states: Counter[str] = Counter()
    scattered = set()
    logged = any(r["state"] is not None for _, _, runs in questions for r in runs)
    for item, lines, runs in questions:
        if not runs:
            continue
        whole = computed_state(runs)
        if logged:
            states.update(r["state"] for r in runs if r["state"] is not None)
        elif whole is not None:
            states[whole] += 1
        if any(r["state"] == "×" for r in runs):
            scattered.add(item["qid"])
        if whole == "×" and not any(r["state"] is not None for r in runs):
            scattered.add(item["qid"])
        seeds: dict[str, list[dict[str, Any]]] = {}
        for line, run in zip(lines, runs, strict=True):
            seeds.setdefault(_label(line)[1], []).append(run)
        for group in seeds.values():
            state = computed_state(group)
            given = any(r["state"] is not None for r in group)
            if not given and state == "×":
                scattered.add(item["qid"])
            if len(group) >= 2:
                total += 1
                right = all(r["state"] == "→" for r in group) if given else state == "→"
                converging += right
    found["lambda_convergence"] = Fraction(converging, total) if total else None
    found["states"] = dict(states)
    found["scattered"] = sorted(scattered)
