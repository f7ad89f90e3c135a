"""What is weak about a gold set that no contract forbids: entries that cannot or always match,
questions asked twice, evidence that no trace has ever retrieved."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragstone.contracts.answer_texts import citations_of
from ragstone.contracts.gold_evidence import gold_groups
from ragstone.matching.characters import fold
from ragstone.matching.phrases import FLOOR, has_phrase, weight
from ragstone.progress import counting

# Two questions that share this much of their words are nearly the same question.
NEAR = 0.8

_WORD = re.compile(r"\w+")
COMMON = frozenset(
    """
    a an and any are as at be but by can do does for from has have how if in is it its may must
    no not of on only or so such than that the their then there these they this to was what when
    where which who why will with yes you your
    """.split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True, order=True)
class Weakness:
    """One thing a person should look at."""

    qid: str
    rule: str
    says: str


Item = Mapping[str, object]


def lint(gold: Sequence[Item], retrieved: Collection[str] | None = None) -> list[Weakness]:
    """Every weakness, by qid; `retrieved` are the ids seen in traces, if any were given.

    >>> [found.rule for found in lint([{"qid": "A", "question": "Why?", "answerable": True,
    ...                                 "gold_claim_substr": ["no"], "gold_citations": ["p1"]}])]
    ['short_substring']
    """
    found: list[Weakness] = []
    for item in counting(gold, "checking", "items", step="checking"):
        found += _of_item(item)
    found += _repeated(gold)
    if retrieved is not None:
        found += _never_retrieved(gold, retrieved)
    return sorted(found)


def _of_item(item: Item) -> Iterator[Weakness]:
    qid = str(item["qid"])
    substrings = texts_in(item, "gold_claim_substr")
    citations = [entry for group in gold_groups(item) for entry in group]
    expected = [name for name in ("gold_answer", "nuggets", "must_not") if item.get(name)]
    if expected:
        # Most gold sets have phrases alone, and are looked at without the rules of matching.
        from ragstone.suites.answers.typed_lint import lint_typed

        for rule, says in lint_typed(item, substrings):
            yield Weakness(qid, rule, says)
    short = [entry for entry in substrings if weight(entry) < FLOOR]
    if item["answerable"] and not _is_typed(item, substrings):
        way = ""
        if len(short) == len(substrings):
            form = json.dumps({"gold_answer": {"any": short}}, ensure_ascii=False)[1:-1]
            way = f", so no answer can be right; write {form}"
        for entry in short:
            says = f"{entry!r} is under 5 characters: never matches{way}"
            yield Weakness(qid, "short_substring", says)
    for entry in substrings:
        if weight(entry) < FLOOR:
            continue
        if _trivial(entry):
            yield Weakness(qid, "trivial_substring", f"{entry!r} is too common to prove anything")
        elif has_phrase(str(item.get("question") or ""), entry):
            yield Weakness(qid, "substring_in_question", f"{entry!r} is in the question itself")
    if len(set(citations)) != len(citations):
        where = "gold_citations_any" if item.get("gold_citations_any") else "gold_citations"
        yield Weakness(qid, "repeated_citation", f"an id stands twice in {where}")
    if not item["answerable"]:
        if citations:
            yield Weakness(qid, "unanswerable_with_citations", "not answerable, yet has citations")
        if substrings:
            yield Weakness(qid, "unanswerable_with_substrings", "not answerable, yet has phrases")
    elif isinstance(item.get("gold_citations"), dict) and not citations:
        yield Weakness(qid, "no_gold_grade", "no id has a grade of 1: nothing may be cited")
    elif not (substrings or citations or expected):
        yield Weakness(
            qid, "nothing_to_check", "answerable, yet any claim without citations is right"
        )
    if not str(item.get("question") or "").strip():
        yield Weakness(qid, "no_question", "has no question; `ragstone run` cannot ask it")


def _is_typed(item: Item, phrases: list[str]) -> bool:
    """Whether something else is expected than the phrases as they are."""
    from ragstone.matching.short_phrases import short_forms

    return item.get("gold_answer") is not None or bool(
        short_forms(phrases, str(item.get("question") or ""))
    )


def _trivial(entry: str) -> bool:
    """Only common words, or a lone number."""
    words = _WORD.findall(fold(entry))
    return all(word in COMMON or word.isdigit() for word in words)


def _repeated(gold: Sequence[Item]) -> Iterator[Weakness]:
    """Questions that are the same, or nearly: compared by their sets of words."""
    questions = [(str(item["qid"]), str(item.get("question") or "")) for item in gold]
    words = [(qid, frozenset(_WORD.findall(fold(text)))) for qid, text in questions]
    exact: dict[str, str] = {}
    for qid, text in questions:
        key = " ".join(_WORD.findall(fold(text)))
        if key and key in exact:
            yield Weakness(qid, "duplicate_question", f"asks what {exact[key]} asks")
        elif key:
            exact[key] = qid
    first = set(exact.values())
    kept = [(qid, bag) for qid, bag in words if qid in first]
    for earlier, later, share in _near(kept):
        yield Weakness(later, "near_duplicate", f"shares {share:.0%} of its words with {earlier}")


def _near(bags: Sequence[tuple[str, frozenset[str]]]) -> Iterator[tuple[str, str, float]]:
    """Pairs over the threshold, found by the words they share: the rarest words first.

    Two sets with similarity t share a word among the rarest (1 - t) of each, so only those are
    indexed, by the size of the set and the word's place in it: if it is the rarest that two sets
    share, these say how many they can share at most. Questions of one pattern, which share all but
    their rarest word, are therefore not compared pair by pair.
    """
    frequency: dict[str, int] = defaultdict(int)
    for _, bag in bags:
        for word in bag:
            frequency[word] += 1
    index: dict[str, dict[tuple[int, int], list[int]]] = defaultdict(lambda: defaultdict(list))
    looked = counting(bags, "looking for questions asked twice", "questions", step="repeated")
    for number, (qid, bag) in enumerate(looked):
        rare = sorted(bag, key=lambda word: (frequency[word], word))
        prefix = rare[: len(rare) - int(NEAR * len(rare) + 1 - 1e-9) + 1]
        near = {
            earlier
            for place, word in enumerate(prefix)
            for (size, other), numbers in index[word].items()
            if min(len(rare) - place, size - other) >= _shared(len(rare), size)
            for earlier in numbers
        }
        for found in sorted(near):
            union = len(bag | bags[found][1])
            share = len(bag & bags[found][1]) / union
            if share >= NEAR:
                yield bags[found][0], qid, share
        for place, word in enumerate(prefix):
            index[word][len(rare), place].append(number)


def _shared(one: int, other: int) -> float:
    """How many words two sets of these sizes share at least, if they are near."""
    return NEAR / (1 + NEAR) * (one + other) - 1e-9


def _never_retrieved(gold: Sequence[Item], retrieved: Collection[str]) -> Iterator[Weakness]:
    for item in gold:
        for group in dict.fromkeys(map(tuple, gold_groups(item))):
            if not any(entry in retrieved for entry in group):
                says = f"{' or '.join(group)} is in no trace"
                yield Weakness(str(item["qid"]), "never_retrieved", says)


def retrieved_ids(traces: Iterable[Item]) -> set[str]:
    """Every id that occurs in a trace, retrieved or cited, in either shape."""
    seen: set[str] = set()
    for trace in traces:
        seen.update(texts_in(trace, "retrieved_ids"))
        answer = trace.get("answer_json")
        if isinstance(answer, dict):
            seen.update(citations_of(answer))
        chunks = trace.get("chunks")
        for chunk in chunks if isinstance(chunks, list) else []:
            if isinstance(chunk, dict) and isinstance(chunk.get("id"), str):
                seen.add(chunk["id"])
    return seen


def texts_in(item: Item, name: str) -> list[str]:
    """The texts of a field that holds a list."""
    found = item.get(name)
    return [str(entry) for entry in found] if isinstance(found, list) else []
