"""The questions of a gold set, as a runner needs them: what to ask, in which words.

Any gold set will do, that of the answers or that of the retrieval suite. What is given must keep
its contract, for a gold set that cannot be scored is better found before the run than after it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ragstone.contracts.diagnose import diagnose, numbered
from ragstone.contracts.gold import GOLD
from ragstone.contracts.record import Field, Record
from ragstone.contracts.strict_json import parse
from ragstone.errors import ContractError, Diagnostic

QUESTIONS = Record(
    "questions",
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

    @property
    def wording(self) -> str:
        """The words to ask when only one wording is asked."""
        return self.question if self.question is not None else self.paraphrases[0]

    @property
    def wordings(self) -> tuple[str, ...]:
        """Every paraphrase; the question itself where there is none."""
        return self.paraphrases or (self.wording,)


def questions_of(name: str, lines: Iterable[bytes]) -> tuple[Question, ...]:
    """The questions of one file, in its order; ContractError lists every bad line."""
    held = list(lines)
    bad = list(diagnose(QUESTIONS, name, held, {}, unique="qid"))
    found: list[Question] = []
    if not bad:
        for number, line in numbered(held):
            question = _question(parse(line))
            found.append(question)
            bad.extend(_unaskable(question, name, number))
    if not bad and not found:
        bad.append(Diagnostic(name, 1, "qid", "the gold file holds no item"))
    if bad:
        raise ContractError(sorted(bad))
    return tuple(found)


def _question(value: object) -> Question:
    item = value if isinstance(value, dict) else {}
    return Question(
        str(item["qid"]),
        item.get("question"),
        tuple(item.get("paraphrases") or ()),
        tuple(item.get("constraints") or ()),
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
