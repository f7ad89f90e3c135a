"""What two runs come to where no gate is set: WORSE, NOT WORSE, BETTER or CANNOT TELL."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from ragstone.comparison.metric_difference import MetricDifference
from ragstone.comparison.says import BETTER, WORSE
from ragstone.measure.more_questions import Needed, more_questions
from ragstone.measure.outlook import Luck, questions_to_settle


class Word(enum.StrEnum):
    """The four verdicts, as they are printed."""

    WORSE = "WORSE"
    BETTER = "BETTER"
    NOT_WORSE = "NOT WORSE"
    CANNOT_TELL = "CANNOT TELL"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The word, the metrics it rests on, and, where it cannot be told, what would tell.

    `tested` is how many metrics were tested, and `margin` how much worse is no worse. What is
    shown to be better is BETTER also where nothing can be worse: it says more.
    """

    word: Word
    metrics: tuple[str, ...]
    tested: int
    margin: float
    needed: Needed = (None, None)

    @property
    def says(self) -> str:
        """The verdict in a sentence, without its word."""
        names = ", ".join(self.metrics)
        match self.word:
            case Word.WORSE | Word.BETTER:
                be = "is" if len(self.metrics) == 1 else "are"
                rest = "; no tested metric is worse" if self.word is Word.BETTER else ""
                return f"{names} {be} {self.word.lower()}{rest}"
            case Word.NOT_WORSE:
                return f"no tested metric can be worse by more than {self.margin:g}"
        if not self.tested:
            return "no metric was tested; name one with --max-regression NAME=NUMBER"
        return f"no change is shown, and none is ruled out; {more_questions(*self.needed)}"


def exit_code(word: Word, confidence: float | None) -> int:
    """1 where it is worse; 3 where it cannot be told and a proof was asked for."""
    if word is Word.CANNOT_TELL:
        return 0 if confidence is None else 3
    return int(word is Word.WORSE)


def verdict_of(tested: Sequence[MetricDifference], margin: float) -> Verdict:
    """What the tested metrics come to; `margin` is how much worse is no worse."""
    for word, sentence in ((Word.WORSE, WORSE), (Word.BETTER, BETTER)):
        if names := tuple(each.metric for each in tested if each.change == sentence):
            return Verdict(word, names, len(tested), margin)
    deciding = [each.deciding for each in tested if each.deciding is not None]

    def told(more: int, luck: Luck) -> bool:
        return all(each.not_worse(margin, more, luck) for each in deciding) or any(
            each.shown(more, luck, better=better) for each in deciding for better in (True, False)
        )

    if not deciding:
        return Verdict(Word.CANNOT_TELL, (), 0, margin)
    if all(each.not_worse(margin, 0, 0) for each in deciding):
        return Verdict(Word.NOT_WORSE, (), len(tested), margin)
    moved = any(each.seen.moved for each in deciding)
    needed = questions_to_settle(told, moved=moved)
    return Verdict(Word.CANNOT_TELL, (), len(tested), margin, needed)
