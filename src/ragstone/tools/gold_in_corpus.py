"""What a gold set and the corpus say of each other: questions that stand in it word by word, and
phrases that their own evidence does not hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ragstone.progress import counting
from ragstone.report.text import listed
from ragstone.suites.answers.lint import Item, Weakness
from ragstone.tools.gold_conflicts import wordings
from ragstone.tools.known_chunks import (
    KnownChunks,
    Passages,
    evidence_ids,
    expected_phrases,
)

# A question of fewer words may stand in any text by accident.
_WORDS = 5


def against_corpus(gold: Sequence[Item], known: KnownChunks) -> list[Weakness]:
    """Every such weakness, in no order."""
    return [*_verbatim(gold, known), *_unproven(gold, known)]


def _verbatim(gold: Sequence[Item], known: KnownChunks) -> Iterator[Weakness]:
    """A ranker finds such a text by the question alone, and no user asks word for word."""
    asked = {
        (str(item["qid"]), wording): _bare(wording) for item in gold for wording in wordings(item)
    }
    wanted = {text for text in asked.values() if len(re.findall(r"\w+", text)) >= _WORDS}
    # Headings are in no chunk, but in the document.
    passages = Passages({**known.texts, **known.documents}, wanted)
    told: set[str] = set()
    looked = counting(asked.items(), "looking for questions", "wordings", len(asked), step="texts")
    for (qid, wording), text in looked:
        if text in wanted and qid not in told and (found := passages.holding(text)):
            told.add(qid)
            where = listed(found, limit=1, length=80)
            yield Weakness(qid, "question_in_corpus", f"{wording!r} stands word by word in {where}")


def _bare(wording: str) -> str:
    """A question with single blanks, without what it ends in."""
    return " ".join(wording.split()).rstrip("?!.… ")


def _unproven(gold: Sequence[Item], known: KnownChunks) -> Iterator[Weakness]:
    """One phrase in one of the texts is enough: phrases are often spellings of the same."""
    cited = {name for item in gold for name in evidence_ids(item) if name in known.texts}
    passages = Passages({name: known.texts[name] for name in cited}, ())
    for item in gold:
        phrases, ids = expected_phrases(item), evidence_ids(item)
        # What a text that is not known holds, nobody can say.
        if not phrases or not ids or not cited.issuperset(ids):
            continue
        if not any(passages.holds(name, phrase) for name in ids for phrase in phrases):
            said = " or ".join(repr(phrase) for phrase in phrases[:3])
            where = listed(ids, limit=3, length=80)
            yield Weakness(str(item["qid"]), "phrase_not_in_evidence", f"{said} is not in {where}")
