"""Items of a gold set that are in each other's way: wordings of one that are another's, and the
same question with another answer."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from ragstone.matching.characters import fold
from ragstone.matching.phrases import has_phrase
from ragstone.progress import counting
from ragstone.suites.answers.lint import Item, Weakness, texts_in
from ragstone.suites.gold_lock import item_hash
from ragstone.tools.known_chunks import evidence_ids

_WORD = re.compile(r"\w+")
# Words that a question can do without and still ask the same. What is asked for (when, where, who),
# what is denied (not, only) and what is allowed (may, must) is not among them.
_FILLERS = frozenset(
    """
    a an and any are as at be do does did for has have in is it its of on please so such that the
    their then there these they this those was were with you your
    """.split()  # noqa: SIM905
)
_YES, _NO = (item_hash({"yesno": said}) for said in (True, False))


def conflicts(gold: Sequence[Item]) -> list[Weakness]:
    """Every such weakness, in no order; an item is held against the first that asks the same.

    >>> yes, no = ({"yesno": True}, {"yesno": False})
    >>> asked = {"question": "Is it so?", "answerable": True}
    >>> [w.rule for w in conflicts([{"qid": "A", **asked, "gold_answer": yes},
    ...                             {"qid": "B", **asked, "gold_answer": no}])]
    ['contradicting_items']
    """
    return [*_leaks(gold), *_given_away(gold), *_contradictions(gold)]


def asks(text: str) -> tuple[str, ...]:
    """What a question asks: its words in order, without case, punctuation and fillers.

    >>> asks("How long is a file kept?") == asks("how long are the file kept")
    True
    """
    words = _WORD.findall(fold(text))
    return tuple(word for word in words if word not in _FILLERS) or tuple(words)


def wordings(item: Item) -> list[str]:
    """The question of an item and its other wordings."""
    return [str(item.get("question") or ""), *texts_in(item, "paraphrases")]


def _leaks(gold: Sequence[Item]) -> Iterator[Weakness]:
    """A wording of two items with different evidence: they are not independent of each other."""
    first: dict[frozenset[str], tuple[int, bool]] = {}
    evidence = [frozenset(evidence_ids(item)) for item in gold]
    looked = counting(gold, "comparing wordings", "items", step="wordings")
    for number, item in enumerate(looked):
        told: set[int] = set()
        for place, wording in enumerate(wordings(item)):
            key = frozenset(asks(wording))
            if not key:
                continue
            other, paraphrased = first.setdefault(key, (number, place > 0))
            # Two questions that are the same are told of as such.
            if (
                other != number
                and other not in told
                and (paraphrased or place > 0)
                and evidence[other] != evidence[number]
            ):
                told.add(other)
                says = f"{wording!r} is asked by {gold[other]['qid']} too, with other evidence"
                yield Weakness(str(item["qid"]), "paraphrase_leak", says)


def _given_away(gold: Sequence[Item]) -> Iterator[Weakness]:
    for item in gold:
        phrases = texts_in(item, "gold_claim_substr")
        for wording in texts_in(item, "paraphrases"):
            for phrase in phrases:
                if has_phrase(wording, phrase):
                    says = f"the paraphrase {wording!r} holds {phrase!r}, which is expected"
                    yield Weakness(str(item["qid"]), "paraphrase_gives_answer", says)


def _contradictions(gold: Sequence[Item]) -> Iterator[Weakness]:
    same: dict[tuple[str, ...], list[Item]] = defaultdict(list)
    for item in gold:
        key = asks(str(item.get("question") or ""))
        if key:
            same[key].append(item)
    for first, *others in same.values():
        for item in others:
            why = _contradicts(first, item)
            if why:
                says = f"asks what {first['qid']} asks, and {why}"
                yield Weakness(str(item["qid"]), "contradicting_items", says)


def _contradicts(one: Item, other: Item) -> str:
    """How two items that ask the same expect different things; "" if they do not."""
    answerable = [item.get("answerable") for item in (one, other)]
    if None not in answerable and answerable[0] != answerable[1]:
        return "only one of them is answerable"
    answers = [_answers(item) for item in (one, other)]
    if all(answers) and not answers[0] & answers[1]:
        opposite = {_YES, _NO} <= answers[0] | answers[1]
        return "one expects yes and the other no" if opposite else "expects another answer"
    phrases = [list(map(fold, texts_in(item, "gold_claim_substr"))) for item in (one, other)]
    if all(phrases) and not any(answers):
        alike = (left in right or right in left for left in phrases[0] for right in phrases[1])
        if not any(alike):
            return "expects another phrase"
    evidence = [set(evidence_ids(item)) for item in (one, other)]
    if all(evidence) and not evidence[0] & evidence[1]:
        return "cites other evidence"
    return ""


def _answers(item: Item) -> set[str]:
    """The typed answers of an item of which one is enough, each as a hash."""
    given = item.get("gold_answer")
    listed = given if isinstance(given, list) else [given]
    return {item_hash(_plain(each)) for each in listed if each}


def _plain(answer: object) -> object:
    """A typed answer in which 5, 5.0 and "5" are the same number."""
    if isinstance(answer, str):
        return fold(answer)
    if not isinstance(answer, Mapping) or "number" not in answer:
        return answer
    try:
        return {**answer, "number": float(str(answer["number"]))}
    except ValueError:
        return answer
