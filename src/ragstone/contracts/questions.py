"""The questions of a gold set, as a runner needs them: what to ask, in which words.

Any gold set will do, that of the answers suite or that of the retrieval suite. It is checked in
full, because a gold set that cannot be scored is better found before the run than after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ragstone.contracts.diagnose import Rules, good_lines
from ragstone.contracts.record import Field, FieldMap, Given, Record, look_up, mapping_of
from ragstone.contracts.records.gold_record import GOLD
from ragstone.errors import ContractError, Diagnostic, Diagnostics

QUESTIONS = Record(
    "gold",
    "A question to ask, in one wording or several.",
    (
        *(
            replace(field, required=False) if field.name == "answerable" else field
            for field in GOLD.fields
        ),
        Field("paraphrases", "texts", "other wordings of the question"),
    ),
)


@dataclass(frozen=True, slots=True)
class Question:
    """One gold item: its wordings, the question itself first if there is one."""

    qid: str
    question: str | None
    paraphrases: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def wording(self) -> str:
        """The words to ask when only one wording is asked."""
        return self.question if self.question is not None else self.paraphrases[0]

    @property
    def wordings(self) -> tuple[str, ...]:
        """Every paraphrase; the question itself where there is none."""
        return self.paraphrases or (self.wording,)


def questions_of(
    name: str, lines: Iterable[bytes], given: Given | None = None
) -> tuple[Question, ...]:
    """The questions of one file, in its order; ContractError lists every bad line."""
    names, bad = mapping_of(QUESTIONS, given or Given()), Diagnostics()
    found = []
    for _, number, value in good_lines(QUESTIONS, [(name, lines)], names, bad, Rules("qid")):
        question = _question(value, names)
        for problem in _unaskable(question, name, number):
            bad.add(problem)
        found.append(question)
    bad.must_be_none()
    if not found:
        raise ContractError([Diagnostic(name, 1, "qid", "the gold file holds no item")])
    return tuple(found)


def _question(item: dict[str, object], names: FieldMap) -> Question:
    def read(name: str) -> object:
        return look_up(QUESTIONS.field(name), item, names)[1]

    def texts(name: str) -> tuple[str, ...]:
        found = read(name)
        return tuple(found) if isinstance(found, list) else ()

    question = read("question")
    return Question(
        str(read("qid")),
        question if isinstance(question, str) else None,
        texts("paraphrases"),
        texts("constraints"),
        texts("tags"),
    )


def _unaskable(question: Question, name: str, number: int) -> Iterator[Diagnostic]:
    if question.question is None and not question.paraphrases:
        reason = "expected a string to ask, found neither question nor paraphrases"
        yield Diagnostic(name, number, "question", reason)
    elif question.question is not None and not question.question.strip():
        yield Diagnostic(name, number, "question", "expected a string that is not empty")
    for position, text in enumerate(question.paraphrases):
        if not text.strip():
            reason = f"expected strings that are not empty, found one at position {position}"
            yield Diagnostic(name, number, "paraphrases", reason)
