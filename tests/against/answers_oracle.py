"""The answers suite once more, straight from the spec: plain Python, sets and exact fractions.

It shares no code with the engine or with `score_eval.py`, and it is slow on purpose: where two of
the three disagree, this is the one that can be read beside the spec's tables line by line. What
gold expects beyond phrases is in `typed_oracle.py`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from against.typed_oracle import Held, held, listed, mean
from against.typed_oracle import contained as holds_expected

Record = Mapping[str, Any]
Contradicted = Collection[str] | Callable[[Record, str], bool]


@dataclass(frozen=True, slots=True)
class Share:
    """An exact ratio: what was counted, over how many, and the value when that is none."""

    numerator: int | Fraction
    denominator: int
    empty: int

    @property
    def vacuous(self) -> bool:
        return self.denominator == 0

    @property
    def value(self) -> Fraction:
        return Fraction(self.empty) if self.vacuous else Fraction(self.numerator) / self.denominator


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the funnel: how many are left after it, and which qids were lost by it."""

    name: str
    left: int
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Policy:
    """How a case is to be judged; the fields are the options of `expected`."""

    k: int
    missing: Literal["fail", "answered"]
    refusal: tuple[str, ...]
    contradicted: Contradicted
    decimal: str


@dataclass(frozen=True, slots=True)
class Row:
    """One verdict row: a question with all its checks."""

    qid: str
    answerable: bool
    constrained: bool
    missing: bool
    refused: bool
    shipped: bool
    near_refusal: bool
    contained: bool
    scoped: bool
    cited: bool
    intact: bool
    recalled: bool
    reachable: bool
    recalled_share: Fraction
    guarded: bool
    held: Held


def expected(
    gold: Sequence[Record],
    traces: Sequence[Record],
    *,
    k: int = 5,
    missing: Literal["fail", "answered"] = "fail",
    keep: Literal["last", "first", "all"] = "last",
    scu: bool = False,
    refusal: Sequence[str] = ("not in context",),
    contradicted: Contradicted = frozenset(),
    decimal: str = ".",
) -> dict[str, Any]:
    """What the answers suite must say about these gold items and traces.

    Ratios are `Share`s under the names of the spec (`recall@k` literally), `scu_violations` and the
    sizes of sets are integers, `near_refusals` is the sorted list of distinct qids, `funnel` a list
    of `Step`s and `inputs` the counts of trace lines by what became of them.

    `contradicted` answers whether a claim contradicts a locked constraint: a set of qids, or a
    function of gold item and claim (needed with `keep="all"`, where a qid has several claims).
    """
    policy = Policy(k, missing, tuple(refusal), contradicted, decimal)
    kept, inputs = joined(gold, traces, keep)
    rows = [
        verdict(item, trace, policy) for item in gold for trace in kept.get(item["qid"], [None])
    ]
    return {
        **sizes(rows),
        **metrics(rows, scu=scu),
        "k": k,
        "near_refusals": sorted({row.qid for row in rows if row.near_refusal}),
        "funnel": funnel(rows),
        "inputs": inputs,
    }


def joined(
    gold: Sequence[Record], traces: Sequence[Record], keep: str
) -> tuple[dict[str, list[Record]], dict[str, int]]:
    """The traces to score for each qid, and how many lines met which fate."""
    known = {item["qid"] for item in gold}
    kept: dict[str, list[Record]] = {}
    no_qid = unknown_qid = 0
    for trace in traces:
        qid = qid_of(trace)
        if qid is None:
            no_qid += 1
        elif qid not in known:
            unknown_qid += 1
        else:
            kept.setdefault(qid, []).append(trace)
    found = sum(len(lines) for lines in kept.values())
    if keep == "last":
        kept = {qid: lines[-1:] for qid, lines in kept.items()}
    elif keep == "first":
        kept = {qid: lines[:1] for qid, lines in kept.items()}
    elif keep != "all":
        raise ValueError(f"this oracle knows last, first and all, not {keep!r}")
    scored = sum(len(lines) for lines in kept.values())
    counts = {
        "lines": len(traces),
        "kept": scored,
        "unknown_qid": unknown_qid,
        "no_qid": no_qid,
        "superseded": found - scored,
    }
    return kept, counts


def qid_of(trace: Record) -> str | None:
    """`qid`, or else `q_id`; absent, null and empty are all no qid."""
    for name in ("qid", "q_id"):
        qid = trace.get(name)
        if qid is not None and qid != "":
            return str(qid)
    return None


def texts(record: Record, field: str) -> list[str]:
    """A list field; absent and null are the empty list."""
    found = record.get(field)
    return [] if found is None else list(found)


def fold(text: str) -> str:
    composed = unicodedata.normalize("NFC", text)
    return composed.casefold()


def verdict(item: Record, trace: Record | None, policy: Policy) -> Row:
    """All checks of the spec's table for one question and one (or no) trace."""
    answer: Record = {}
    retrieved: list[str] = []
    if trace is not None:
        retrieved = texts(trace, "retrieved_ids")
        if trace.get("answer_json") is not None:
            answer = trace["answer_json"]
    claim = "" if answer.get("claim") is None else str(answer["claim"])
    citations = texts(answer, "citations")

    missing = trace is None or len(claim.strip()) == 0
    if missing:
        # "scored as an empty claim with no citations"; what was retrieved is still known.
        claim, citations = "", []
    refused = not missing and is_refusal(claim, policy.refusal)
    shipped = not refused and (not missing or policy.missing == "answered")
    wanted = texts(item, "gold_citations")
    first_k = retrieved[: policy.k]
    in_first_k = {citation for citation in wanted if citation in first_k}
    scoped = all(citation in retrieved for citation in citations)
    found = held(item, claim, policy.decimal)
    return Row(
        qid=item["qid"],
        answerable=item["answerable"],
        constrained=len(texts(item, "constraints")) > 0,
        missing=missing,
        refused=refused,
        shipped=shipped,
        near_refusal=shipped and not missing and holds_refusal(claim, policy.refusal),
        contained=holds_expected(item, contains(claim, texts(item, "gold_claim_substr")), found),
        scoped=scoped,
        # Citations that gold does not mention are not an empty list: nothing was written down.
        cited=scoped and (item.get("gold_citations") is None or cites(citations, wanted)),
        intact=is_intact(item, answer, claim, policy.contradicted),
        recalled=all(citation in first_k for citation in wanted),
        reachable=len(wanted) == 0 or len(in_first_k) > 0,
        recalled_share=Fraction(len(in_first_k), len(set(wanted))) if wanted else Fraction(1),
        guarded=len(listed(item, "must_not")) > 0,
        held=found,
    )


def is_refusal(claim: str, tokens: Iterable[str]) -> bool:
    """The claim, stripped and folded, is one of the tokens."""
    return any(fold(claim.strip()) == fold(token.strip()) for token in tokens)


def holds_refusal(claim: str, tokens: Iterable[str]) -> bool:
    """The token stands somewhere inside the claim."""
    return any(fold(token.strip()) in fold(claim) for token in tokens)


def contains(claim: str, substrings: list[str]) -> bool:
    if len(substrings) == 0:
        return True
    for entry in substrings:
        # code points of the raw entry, before folding
        size = sum(3 if is_spaceless(character) else 1 for character in entry)
        if size >= 5 and holds(fold(claim), fold(entry)):
            return True
    return False


# Blocks and runs of the scripts that are written without spaces, by first and last code point.
SPACELESS = (
    *((0x0E01, 0x0E5B), (0x0E81, 0x0EDF)),  # Thai, Lao
    *((0x1000, 0x109F), (0xA9E0, 0xA9FE), (0xAA60, 0xAA7F), (0x1780, 0x17F9)),  # Myanmar, Khmer
    *((0x1100, 0x11FF), (0x3131, 0x318E), (0xA960, 0xA97C), (0xAC00, 0xD7FB)),  # Hangul
    *((0x3041, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFFDC)),  # kana, and what is of half width
    *((0x3005, 0x3007), (0x3021, 0x3029), (0x3400, 0x4DBF), (0x4E00, 0x9FFF)),  # Han
    *((0xF900, 0xFAFF), (0x20000, 0x3FFFD)),
)
MARKS = (".", ",", "'", "\u2019", "\u066b", "\u066c", "\u00a0", "\u2009", "\u202f")


def is_spaceless(character: str) -> bool:
    return any(first <= ord(character) <= last for first, last in SPACELESS)


def holds(claim: str, phrase: str) -> bool:
    """Some place in the claim has the phrase, and no digit there goes on beyond its ends."""
    start = claim.find(phrase)
    while start >= 0:
        end = start + len(phrase)
        before, after = claim[max(0, start - 2) : start][::-1], claim[end : end + 2]
        cut_in_front = is_digit(phrase[0]) and goes_on(before)
        cut_behind = is_digit(phrase[-1]) and goes_on(after)
        if not cut_in_front and not cut_behind:
            return True
        start = claim.find(phrase, start + 1)
    return False


def goes_on(beside: str) -> bool:
    """A digit, or a mark and a digit, seen from the phrase outwards."""
    return is_digit(beside[:1]) or (beside[:1] in MARKS and is_digit(beside[1:]))


def is_digit(character: str) -> bool:
    return character != "" and unicodedata.category(character) == "Nd"


def cites(citations: list[str], wanted: list[str]) -> bool:
    """Citations and gold citations overlap; without gold citations, nothing was cited."""
    if len(wanted) == 0:
        return len(citations) == 0
    return any(citation in wanted for citation in citations)


def is_intact(item: Record, answer: Record, claim: str, contradicted: Contradicted) -> bool:
    locked = texts(item, "constraints")
    if len(locked) == 0:
        return True
    echoed = {text.strip() for text in texts(answer, "constraints_echo")}
    if echoed != {text.strip() for text in locked}:
        return False
    if claim == "":
        return True  # nothing was said, so nothing was contradicted
    if callable(contradicted):
        return not contradicted(item, claim)
    return item["qid"] not in contradicted


def sizes(rows: Sequence[Row]) -> dict[str, int]:
    return {
        "answered": sum(1 for row in rows if row.shipped),
        "refused": sum(1 for row in rows if row.refused),
        "answerable": sum(1 for row in rows if row.answerable),
        "unanswerable": sum(1 for row in rows if not row.answerable),
    }


def metrics(rows: Sequence[Row], *, scu: bool) -> dict[str, Share | int]:
    """The spec's table of metrics, with its own letters for the sets of rows."""
    every = set(range(len(rows)))
    S = {i for i in every if rows[i].shipped}
    R = {i for i in every if rows[i].refused}
    A = {i for i in every if rows[i].answerable}
    U = every - A
    C = {i for i in every if rows[i].contained}
    H = {i for i in every if rows[i].cited}
    K = {i for i in every if rows[i].intact}
    missing = {i for i in every if rows[i].missing}
    scoped = {i for i in every if rows[i].scoped}
    recalled = {i for i in every if rows[i].recalled}
    reachable = {i for i in every if rows[i].reachable}
    constrained = {i for i in every if rows[i].constrained}
    # An answer that says what it must not is not right.
    F = {i for i in every if rows[i].held.forbidden}
    nuggets = [rows[i].held.nuggets for i in S & A if rows[i].held.nuggets]
    vital = [rows[i].held.vital for i in S & A if rows[i].held.vital]

    def share(hits: set[int], of: set[int], empty: int) -> Share:
        return Share(len(hits), len(of), empty)

    return {
        "precision": share(((S & A & C & H & K) if scu else (S & A & C & H)) - F, S, 1),
        "chr": share(S & A & H, S, 1),
        "under_refusal": share(S & U, U, 0),
        "over_refusal": share(R & A, A, 0),
        "recall@k": share(A & recalled, A, 0),
        "recall_any@k": share(A & reachable, A, 0),
        "recall_frac@k": Share(sum((rows[i].recalled_share for i in A), Fraction(0)), len(A), 0),
        "chr_bound@k": share(S & A & reachable, S, 1),
        "containment": share(S & A & C, S & A, 1),
        "scu": share(S & constrained & K, S & constrained, 1),
        "scu_violations": len((S & constrained) - K),
        "missing": share(missing, every, 0),
        "unscoped": share(S - scoped, S, 0),
        # These are there only where gold has something for them to test.
        **({"nugget_recall": Share(mean(nuggets), len(nuggets), 0)} if nuggets else {}),
        **(
            {
                "nugget_vital_recall": Share(mean(vital), len(vital), 0),
                "nugget_all_vital": Share(sum(map(all, vital)), len(vital), 0),
            }
            if vital
            else {}
        ),
        **({"forbidden": share(S & F, S, 0)} if any(rows[i].guarded for i in S) else {}),
    }


def funnel(rows: Sequence[Row]) -> list[Step]:
    """Over A: reachable@k, shipped, cited, contained, intact; what is lost is lost for good."""
    steps: list[Step] = []
    left = [row for row in rows if row.answerable]
    checks: list[tuple[str, Callable[[Row], bool]]] = [
        ("reachable@k", lambda row: row.reachable),
        ("shipped", lambda row: row.shipped),
        ("cited", lambda row: row.cited),
        ("contained", lambda row: row.contained),
        ("intact", lambda row: row.intact),
    ]
    for name, passes in checks:
        lost = tuple(sorted(row.qid for row in left if not passes(row)))
        left = [row for row in left if passes(row)]
        steps.append(Step(name, len(left), lost))
    return steps
