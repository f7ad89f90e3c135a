"""What became of a question in two runs, in words: the same in every format."""

from __future__ import annotations

from ragstone.report.document.blocks import Answered, QuestionPair
from ragstone.report.text import listed, shown


def sides(row: QuestionPair) -> tuple[tuple[str, Answered], ...]:
    """What each run did with the question, under the letter it has on every page."""
    both = (("A", row.before), ("B", row.after))
    return tuple((letter, each) for letter, each in both if each is not None)


def turned(row: QuestionPair) -> str:
    """What became of a question, in a few words.

    >>> turned(QuestionPair("A1", None, Answered(), Answered(), lost_at="cited"))
    'lost at cited'
    """
    lost = f"lost at {shown(row.lost_at, 80)}" if row.lost_at else ""
    if len(sides(row)) == 2:
        return f"was {lost}" if lost and _is_right(row.after) else lost
    if any(_is_right(each) for _, each in sides(row)):
        return "right"
    return ", ".join(filter(None, ("wrong", lost)))


def _is_right(answered: Answered | None) -> bool:
    return answered is not None and 0 < answered.rows == answered.right_rows


def by_side(row: QuestionPair, verb: str, name: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """A list of each run under what it did (`A cites`); told once where both have the same.

    >>> row = QuestionPair("A1", None, Answered(citations=("p1",)), Answered(citations=("p1",)))
    >>> by_side(row, "cites", "citations")
    (('both cite', ('p1',)),)
    """
    lists = [(letter, getattr(each, name)) for letter, each in sides(row)]
    if len(lists) == 2 and lists[0][1] == lists[1][1]:
        return ((f"both {verb.removesuffix('s')}", lists[0][1]),)
    return tuple((f"{letter} {verb}", items) for letter, items in lists)


def right_in(row: QuestionPair) -> str:
    """In how many of its rows a question that was asked several times is right."""
    if all(each.rows <= 1 for _, each in sides(row)):
        return ""
    return "; ".join(
        f"{each.right_rows:,} of {each.rows:,} rows of {letter}" for letter, each in sides(row)
    )


def claim_of(row: QuestionPair, answered: Answered) -> str:
    """What a run said; a ranking says nothing, which is nothing to tell."""
    if answered.claim:
        return answered.claim
    if all(each.claim is None for _, each in sides(row)):
        return ""
    return "(no claim)" if answered.claim is None else "(empty)"


def regression(row: QuestionPair) -> str:
    """A question that broke, in lines a log can show."""
    broke = "was right before and is wrong now"
    parts = [f"{shown(row.qid, 80)} {broke}{f', {turned(row)}' if turned(row) else ''}"]
    if row.protected:
        parts.append("protected: it may never break")
    if row.question:
        parts.append(f"question: {shown(row.question, 300)}")
    for letter, each in sides(row):
        if claim_of(row, each):
            parts.append(f"{letter} said: {shown(claim_of(row, each), 300)}")
    if row.gold_claim_substr:
        parts.append(f"expected: {listed(row.gold_claim_substr, limit=5, length=120)}")
    if row.gold_citations:
        parts.append(f"evidence: {listed(row.gold_citations, limit=5, length=80)}")
    return "\n".join(parts)
