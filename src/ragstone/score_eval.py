"""Score a RAG pipeline's traces against a gold set, with Python 3.9 and nothing else.
Prints one JSON object. Exit 0: every gate holds; 1: a gate fails; 2: an input is wrong."""

import argparse
import json
import re
from typing import Any
from unicodedata import normalize

GATES = {"precision": "0.80", "chr": "0.75", "under_refusal": "0.05", "over_refusal": "0.10"}
ALIASES = {"under": "under_refusal", "over": "over_refusal"}
NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?")
UNSPACED = "[ก-๛ກ-ໟက-႟ꧠ-ꧾꩠ-ꩿក-៹ᄀ-ᇿㄱ-ㆎꥠ-ꥼ가-ퟻ々-〇〡-〩ぁ-ヿㇰ-ㇿｦ-ￜ㐀-䶿一-鿿\uf900-\ufaff𠀀-𿿽]"
FIGURE = re.compile(r"\d+(?:[.,'’٫٬\u00a0\u2009\u202f]\d+)*")
PARSER = argparse.ArgumentParser(description=__doc__)
PARSER.add_argument("--gold", required=True, metavar="FILE", help="the questions, JSONL")
PARSER.add_argument("--trace", required=True, metavar="FILE", help="what was answered, JSONL")
PARSER.add_argument("--k", type=int, default=5, help="depth of recall@k (5)")
PARSER.add_argument("--gates", nargs="+", action="extend", default=[], metavar="NAME=NUMBER")
PARSER.add_argument("--scu_enforced", "--scu-enforced", dest="scu", action="store_true")


def load(path: str, gold: bool) -> dict[str, Any]:
    """The rows of a JSONL file by qid, the last of each; a BOM and blank lines are tolerated."""
    number, rows = 0, dict[Any, Any]()
    try:
        with open(path, "rb") as lines:
            for number, line in enumerate(lines, 1):  # noqa: B007 (it is part of any error)
                if text := str(line, "utf-8-sig").strip():
                    row = json.loads(text)
                    qid = row.get("qid") or (None if gold else row.get("q_id"))
                    if gold and (not qid or qid in rows or type(row.get("answerable")) is not bool):
                        raise ValueError("expected a qid of its own, and answerable true or false")
                    rows[qid] = row
        if gold and not rows:
            raise ValueError("expected at least one gold item")
    except (OSError, ValueError, TypeError, AttributeError, RecursionError) as problem:
        PARSER.exit(2, f"{path}:{number}: cannot be read: {problem}\n")
    return rows


def holds(claim: str, phrase: str) -> bool:
    """Whether the folded claim holds the phrase; bars part its outer figures from longer ones."""
    size = len(phrase) + 2 * len(re.findall(UNSPACED, phrase))
    marked = "|" * phrase[:1].isdecimal() + r"\g<0>" + "|" * phrase[-1:].isdecimal()
    phrase = FIGURE.sub(marked, normalize("NFC", phrase).casefold())
    return size >= 5 and phrase in FIGURE.sub(marked, claim)


def judge(item: dict[str, Any], trace: dict[str, Any], k: int, scu: bool) -> tuple[bool, ...]:
    """What one question adds to each count; a missing answer is an empty claim, citing nothing."""
    answer, retrieved = trace.get("answer_json") or {}, trace.get("retrieved_ids") or []
    claim = normalize("NFC", answer.get("claim") or "").casefold()
    claim, cites = (claim, set(answer.get("citations") or [])) if claim.strip() else ("", set())
    phrases, wanted = item.get("gold_claim_substr") or [], set(item.get("gold_citations") or [])
    locked, echo = item.get("constraints") or [], answer.get("constraints_echo") or []
    contained = not phrases or any(holds(claim, phrase) for phrase in phrases)
    found = item.get("gold_citations") is None or cites == wanted or bool(cites & wanted)
    intact = not (scu and locked) or set(map(str.strip, locked)) == set(map(str.strip, echo))
    answerable, refused = item["answerable"], claim.strip() == "not in context"
    hit = answerable and not refused and cites <= set(retrieved) and found
    recalled = answerable and wanted <= set(retrieved[:k])
    return answerable, refused, answerable and refused, hit, hit and contained and intact, recalled


def score(gold: dict[str, Any], traces: dict[str, Any], k: int, scu: bool) -> dict[str, float]:
    verdicts = [judge(item, traces.get(qid, {}), k, scu) for qid, item in gold.items()]
    A, R, over, cited, right, recalled = map(sum, zip(*verdicts))
    S, U = len(gold) - R, len(gold) - A  # shipped and unanswerable; R: refused, A: answerable
    ratios = {
        "precision": right / S if S else 1.0,
        "chr": cited / S if S else 1.0,
        "under_refusal": (U - (R - over)) / U if U else 0.0,  # R - over: rightly refused
        "over_refusal": over / A if A else 0.0,
        "recall@k": recalled / A if A else 0.0,
    }
    return {"answered": S, "refused": R, "answerable": A, "unanswerable": U, **ratios}


def main() -> None:
    args, gates = PARSER.parse_args(), dict(GATES)
    for word in " ".join(args.gates).replace(",", " ").split():
        name, _, value = word.partition("=")
        if ALIASES.get(name, name) not in GATES or not NUMBER.fullmatch(value):
            PARSER.exit(2, f"--gates: {word!r}: expected NAME=NUMBER of {', '.join(GATES)}\n")
        gates[ALIASES.get(name, name)] = value
    if args.k < 1:
        PARSER.exit(2, f"--k: expected at least 1, found {args.k}\n")
    try:
        values = score(load(args.gold, gold=True), load(args.trace, gold=False), args.k, args.scu)
    except (TypeError, AttributeError) as problem:
        PARSER.exit(2, f"{args.gold}, {args.trace}: a field has the wrong type: {problem}\n")
    ok = all((values[n] - float(gates[n])) * (-1 if "refusal" in n else 1) >= -1e-9 for n in gates)
    result = {name: round(value, 4) for name, value in values.items()}
    print(json.dumps({**result, "k": args.k, "gates": gates, "pass": ok}, indent=2))
    PARSER.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
