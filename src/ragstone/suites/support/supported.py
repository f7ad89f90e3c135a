"""The engine's step for support: the sentences of answers, beside the texts that they rest on.

Numbers are read and compared by rules that SQL cannot follow, so answers are fetched some thousand
at a time, judged in Python, and the verdicts go back as tables: `sentences` has one row per
sentence of a shipped answer, `unfound` one per part of it that is not in the texts.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ragstone.engine.duck import Duck, text, whole
from ragstone.matching.support import Facts, Found, Judged, Said, judge, said_in, split_claim
from ragstone.suites.support.support_tables import TABLES

# Answers that are judged at a time; for each such part the texts are looked through once.
_PART = 10_000
# Characters of texts whose numbers are remembered: what many answers cite is read once.
_REMEMBERED = 50_000_000


@dataclass(frozen=True, slots=True)
class Answer:
    """A shipped answer: what it says, sentence by sentence, and which texts each rests on."""

    row: int
    qid: str
    said: tuple[Said, ...]
    seen: tuple[str, ...]
    own: Mapping[str, str]

    def rests_on(self, sentence: Said) -> tuple[str, ...]:
        """What a sentence cites; where it cites nothing, all that was retrieved."""
        return tuple(dict.fromkeys(sentence.citations or self.seen))


@dataclass(slots=True)
class Remembered:
    """The facts of texts, those that were used last, up to a bound on their characters."""

    decimal: str
    facts: OrderedDict[str, Facts] = field(default_factory=OrderedDict)
    size: int = 0

    def of(self, words: str) -> Facts:
        found = self.facts.pop(words, None)
        if found is None:
            found = Facts(words, self.decimal)
            self.size += len(words)
        self.facts[words] = found
        while self.size > _REMEMBERED and len(self.facts) > 1:
            gone, _ = self.facts.popitem(last=False)
            self.size -= len(gone)
        return found


def check_support(duck: Duck, arm: str, answers: str, decimal: str) -> set[str]:
    """Judges every sentence of the answers; returns the ids that have no text at hand.

    `answers` selects trace_row, qid, claim, claims (text and citations of each, or null), cites,
    seen, text_ids and own_texts of each shipped answer. Texts that a trace brings itself come
    before those of `chunk_texts`: they are what the pipeline saw.
    """
    duck.run(
        "create or replace temp table to_check as "
        f"select row_number() over (order by trace_row) - 1 as place, * from ({answers})"
    )
    total = duck.count("select count(*) from to_check")
    remembered = Remembered(decimal)
    absent: set[str] = set()
    for start in range(0, total, _PART):
        some = [*_answers(duck, start, decimal)]
        texts = _texts(duck, some)
        judged = [(answer, _judged(answer, texts, remembered)) for answer in some]
        _insert(duck, arm, judged)
        absent.update(_absent(some, texts))
    duck.run("drop table to_check")
    return absent


def _answers(duck: Duck, start: int, decimal: str) -> Iterator[Answer]:
    found = duck.query(f"""
        select trace_row, qid, claim, claims, cites, seen, text_ids, own_texts from to_check
        where place >= {start} and place < {start + _PART} order by place
    """)
    for row, qid, claim, claims, cites, seen, ids, own in found:
        given = _claims(claims)
        said = (
            said_in(text(claim), given, decimal)
            if given
            else split_claim(text(claim), _ids(cites), decimal)
        )
        yield Answer(
            whole(row),
            text(qid),
            said,
            _ids(seen),
            {
                key: words
                for key, words in zip(_listed(ids), _listed(own), strict=False)
                if key is not None and words is not None
            },
        )


def _claims(value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The sentences as the pipeline gives them, each with what it cites."""
    items = value if isinstance(value, list) else ()
    return tuple((item["text"], tuple(item["citations"] or ())) for item in items)


def _listed(value: object) -> Sequence[str | None]:
    return value if isinstance(value, list) else ()


def _ids(value: object) -> tuple[str, ...]:
    return tuple(each for each in _listed(value) if each is not None)


def _wanted(some: Iterable[Answer]) -> Iterator[tuple[Answer, str]]:
    """The texts that are looked into: of sentences with something to check."""
    for answer in some:
        for sentence in answer.said:
            if sentence.parts:
                for each in answer.rests_on(sentence):
                    yield answer, each


def _texts(duck: Duck, some: Sequence[Answer]) -> dict[str, str]:
    wanted = sorted({each for answer, each in _wanted(some) if each not in answer.own})
    if not wanted:
        return {}
    found = duck.query(
        "select id, text from chunk_texts where id in (select unnest($ids::varchar[]))",
        {"ids": wanted},
    )
    return {text(each): text(words) for each, words in found}


def _absent(some: Sequence[Answer], texts: Mapping[str, str]) -> set[str]:
    return {each for answer, each in _wanted(some) if each not in answer.own and each not in texts}


def _judged(answer: Answer, texts: Mapping[str, str], remembered: Remembered) -> tuple[Judged, ...]:
    beside = []
    for sentence in answer.said:
        ids = answer.rests_on(sentence) if sentence.parts else ()
        found = {each: answer.own.get(each, texts.get(each)) for each in ids}
        beside.append(
            {each: None if words is None else remembered.of(words) for each, words in found.items()}
        )
    return judge(answer.said, beside)


def _insert(duck: Duck, arm: str, judged: Sequence[tuple[Answer, tuple[Judged, ...]]]) -> None:
    """The verdicts as rows of the two tables."""
    sentences: list[tuple[object, ...]] = []
    unfound: list[tuple[object, ...]] = []
    for answer, found in judged:
        for number, each in enumerate(found, 1):
            at = (arm, answer.qid, answer.row, number)
            sentences.append((*at, each.state(), each.state("number", "date"), each.state("quote")))
            unfound += [
                (*at, *_cells(part), [*each.ids])
                for part in each.parts
                if part.verdict in ("unsupported", "derived?")
            ]
    _add(duck, "sentences", sentences)
    _add(duck, "unfound", unfound)


def _cells(found: Found) -> tuple[object, ...]:
    part = found.part
    return part.kind, found.verdict, part.text, found.how, part.begin, part.end


def _add(duck: Duck, table: str, rows: Sequence[tuple[object, ...]]) -> None:
    """Adds rows, column by column: one by one they would take a hundred times as long."""
    if not rows:
        return
    given = {f"c{place}": list(column) for place, column in enumerate(zip(*rows, strict=True))}
    kinds = enumerate(TABLES[table].values())
    columns = ", ".join(f"unnest($c{place}::{kind}[])" for place, kind in kinds)
    duck.run(f"insert into {table} select {columns}", given)
