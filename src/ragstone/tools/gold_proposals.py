"""Proposes gold items from what was asked: what fails first, then what gold does not ask yet.

Nothing is invented. Words that prove an answer stand in a text that was retrieved and in the answer
itself, and whether the answer is right is for a person to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher

from ragstone.contracts.gold_evidence import gold_ids
from ragstone.matching.characters import fold
from ragstone.matching.phrases import FLOOR, has_phrase, weight
from ragstone.suites.answers.lint import COMMON, lint, texts_in
from ragstone.tools.gold_conflicts import asks, wordings
from ragstone.tools.gold_draft import Draft, draft_of, item_of, proposed_qid
from ragstone.tools.known_chunks import expected_phrases
from ragstone.tools.propose_types import propose
from ragstone.tools.unlike_questions import farthest_first

Item = Mapping[str, object]
_TOKEN = re.compile(r"\w+(?:[.,]\d+)*")
# A longer answer or text is looked at up to here.
_TOKENS = 600
# The words that prove an answer: so many of them at most, for an answer to be worded freely.
_LONGEST = 60
# A question that shares so much of its words with one of gold asks the same in other words.
_SAME = 0.6


@dataclass(frozen=True, slots=True)
class Seen:
    """A question that was asked: what was answered, from what, and what is wrong with it.

    `id` names the trace or record, `texts` are those of retrieved chunks where they are known, and
    `by_gold` says whether what is wrong is so by the gold set.
    """

    id: str
    question: str
    qid: str = ""
    claim: str = ""
    citations: tuple[str, ...] = ()
    retrieved: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    refused: bool = False
    wrong: tuple[str, ...] = ()
    by_gold: bool = False
    times: int = 1


@dataclass(frozen=True, slots=True)
class Proposal:
    """An item to be judged by a person; `old` is the one of the gold set that it would replace.

    `lacks` says what a person has to add before it can be saved, "" where nothing.
    """

    item: dict[str, object]
    why: str
    seen: Seen
    old: Item | None = None
    lacks: str = ""

    @property
    def qid(self) -> str:
        return str(self.item["qid"])


def proposals(
    gold: Mapping[str, Item],
    seen: Sequence[Seen],
    *,
    retrieval: bool = False,
    limit: int | None = None,
) -> list[Proposal]:
    """What fails by gold, what fails by itself, and then questions unlike those of gold.

    There is one proposal for a qid. The same questions give the same proposals, in any order.
    """
    every = _once_each(seen)
    found: dict[str, Proposal] = {}
    known = {asks(wording): qid for qid, item in gold.items() for wording in wordings(item)}
    failing = [each for each in every if each.wrong and not each.by_gold]
    rest = [each for each in every if not each.wrong]
    if not retrieval:
        for each in (one for one in every if one.by_gold and one.wrong and one.qid in gold):
            _keep(found, _mended(gold[each.qid], each))
    for each in (one for one in failing if asks(one.question) not in known):
        same = _same_question(each.question, gold)
        if same:
            found[same] = _reworded(gold[same], each, found.get(same))
        else:
            _keep(found, _new(each, gold, found, retrieval))
    asked = [wording for item in gold.values() for wording in wordings(item) if wording]
    new = [each for each in rest if asks(each.question) not in known and each.qid not in gold]
    order = farthest_first([each.question for each in new], asked, limit)
    for each, distance in ((new[at], distance) for at, distance in order):
        _keep(found, _new(each, gold, found, retrieval, distance))
    return [*found.values()][:limit]


def _keep(found: dict[str, Proposal], proposal: Proposal | None) -> None:
    if proposal is not None:
        found.setdefault(proposal.qid, proposal)


def _once_each(seen: Sequence[Seen]) -> list[Seen]:
    """Each question once, with how often it was asked: the worst answer of it, in a fixed order."""
    groups: dict[tuple[str, object], list[Seen]] = {}
    for each in seen:
        if each.question.strip():
            key = (each.qid if each.by_gold else "", asks(each.question))
            groups.setdefault(key, []).append(each)
    found = [
        replace(min(group, key=lambda one: (-len(one.wrong), one.claim, one.id)), times=len(group))
        for group in groups.values()
    ]
    return sorted(found, key=lambda one: (not one.wrong, -one.times, one.question, one.id))


def _mended(old: Item, seen: Seen) -> Proposal | None:
    """Another phrase or another place for the evidence, where the texts show it; else None."""
    draft = draft_of(old)
    why = f"wrong by gold: {', '.join(seen.wrong)}"
    phrases = expected_phrases(old)
    plain = bool(phrases) and not (old.get("gold_answer") or old.get("nuggets"))
    if not plain or not old["answerable"]:
        return None
    cites = [id for id in seen.citations if id in draft.citations]
    if cites and not any(has_phrase(seen.claim, phrase) for phrase in phrases):
        words = next(filter(None, (_words(seen, id, draft.question) for id in cites)), "")
        if words:
            item = item_of(replace(draft, phrases=(*draft.phrases, words)), old)
            return Proposal(item, f"{why}; its evidence says it in other words", seen, old)
    ids = gold_ids(old)
    if len(ids) == 1 and not cites and not old.get("gold_citations_any"):
        places = [
            id
            for id in seen.citations
            if any(has_phrase(_flat(seen.texts.get(id, "")), phrase) for phrase in phrases)
        ]
        if places and isinstance(old.get("gold_citations"), list):
            item = {name: value for name, value in old.items() if name != "gold_citations"}
            made = {**item, "gold_citations_any": [[*ids, *places]]}
            return Proposal(made, f"{why}; the expected words stand there, too", seen, old)
    return None


def _same_question(question: str, gold: Mapping[str, Item]) -> str:
    """The gold question that is asked here in other words, by the words they share; "" if none."""
    own = frozenset(asks(question))
    best, found = _SAME, ""
    for qid, item in gold.items():
        for wording in wordings(item):
            other = frozenset(asks(wording))
            share = len(own & other) / len(own | other) if own and other else 0.0
            # Another number, or a `not`, is another question.
            if share > best and not any(_tells_apart(word) for word in own ^ other):
                best, found = share, qid
    return found


def _tells_apart(word: str) -> bool:
    return any(character.isdigit() for character in word) or word in ("not", "no", "only", "never")


def _reworded(old: Item, seen: Seen, already: Proposal | None) -> Proposal:
    """Another wording for a gold question; what is proposed for it already stays."""
    item = dict(already.item if already else old)
    wording = " ".join(seen.question.split())
    item["paraphrases"] = [*texts_in(item, "paraphrases"), wording]
    why = f"fails: {', '.join(seen.wrong)}; asks what {old['qid']} asks, in other words"
    if already is not None:
        return replace(already, item=item, why=f"{already.why}; {why}")
    return Proposal(item, why, seen, old)


def _new(
    seen: Seen,
    gold: Mapping[str, Item],
    found: Mapping[str, Proposal],
    retrieval: bool,
    distance: float | None = None,
) -> Proposal:
    """A new item, with the evidence and the words that the answer itself points to."""
    asked = " ".join(seen.question.split())
    taken = {*gold, *found}
    qid = seen.qid if seen.qid and seen.qid not in taken else proposed_qid(asked, taken)
    why = f"fails: {', '.join(seen.wrong)}" if seen.wrong else ""
    if distance is not None:
        why = "unlike every question in gold" if distance >= 1 else f"{distance:.2f} from gold"
    if seen.times > 1:
        why += f"; asked {seen.times:,} times"
    draft = Draft(qid, asked, answerable=not seen.refused or retrieval)
    cited = tuple(id for id in seen.citations if not seen.retrieved or id in seen.retrieved)
    if retrieval:
        lacks = "" if cited else "it cites nothing that was retrieved: choose what answers it"
        item = item_of(replace(draft, citations=cited), retrieval=True)
        return Proposal(item, why, seen, lacks=lacks)
    if seen.refused:
        return Proposal(item_of(draft), f"{why}; it was refused", seen)
    for id in cited or seen.retrieved:
        words = _words(seen, id, asked)
        if words:
            made = item_of(replace(draft, phrases=(words,), citations=(id,)))
            return Proposal(_typed(made), why, seen)
    lacks = "nothing that was retrieved proves the answer: say what does"
    return Proposal(item_of(replace(draft, citations=cited)), why, seen, lacks=lacks)


def _typed(item: dict[str, object]) -> dict[str, object]:
    """A phrase that is a number, a date, or yes or no becomes a typed answer."""
    typed = propose(item)
    if typed is None or not typed.forms or any("all" in form for form in typed.forms):
        return item
    return typed.applied(item)


def _words(seen: Seen, id: str, question: str) -> str:
    """The most words in a row that an answer shares with a text, if they can prove anything."""
    text = _flat(seen.texts.get(id, ""))
    for phrase in _shared(seen.claim, text):
        if weight(phrase) < FLOOR or has_phrase(question, phrase):
            continue
        item = {"qid": "", "question": question, "answerable": True, "gold_claim_substr": [phrase]}
        if has_phrase(_flat(seen.claim), phrase) and not _is_weak(item):
            return phrase
    return ""


def _is_weak(item: Item) -> bool:
    return any(found.rule in ("trivial_substring", "short_substring") for found in lint([item]))


def _flat(text: str) -> str:
    return " ".join(text.split())


def _shared(claim: str, text: str) -> Iterator[str]:
    """Runs of words of the text that the claim has too, longest first; each cut to a few words."""
    said = [fold(each[0]) for each in _TOKEN.finditer(claim)][:_TOKENS]
    places = [*_TOKEN.finditer(text)][:_TOKENS]
    there = [fold(each[0]) for each in places]
    blocks = SequenceMatcher(None, said, there, autojunk=False).get_matching_blocks()
    for block in sorted(blocks, key=lambda one: (-one.size, one.b)):
        telling = [at for at in range(block.b, block.b + block.size) if there[at] not in COMMON]
        if telling:
            # An answer may begin and end otherwise: `It is` and `for the` prove nothing.
            words = text[places[telling[0]].start() : places[telling[-1]].end()]
            yield words if len(words) <= _LONGEST else words[: _LONGEST + 1].rsplit(" ", 1)[0]
