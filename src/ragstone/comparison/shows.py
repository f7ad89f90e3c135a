"""What a comparison shows: first what became of the questions, then the numbers."""

from __future__ import annotations

from collections.abc import Mapping

from ragstone.comparison.compare_rows import Compared
from ragstone.comparison.metric_difference import MetricDifference
from ragstone.comparison.what_broke import BROKE, MENDED, ONLY_A, ONLY_B
from ragstone.report.document.blocks import (
    Answered,
    Block,
    Cell,
    Json,
    QuestionPair,
    QuestionPairs,
    Table,
)
from ragstone.report.document.figures import ABSENT, interval, number
from ragstone.report.text import listed, shown

NOT_TESTED = "not tested"
_QIDS = 5
_NAME = 80
_LISTS = {
    BROKE: ("Broke", "Right in A and wrong in B."),
    MENDED: ("Mended", "Wrong in A and right in B."),
    ONLY_A: ("Only in A", "These questions are not in B's gold set, and not compared."),
    ONLY_B: ("Only in B", "These questions are not in A's gold set, and not compared."),
}
_NOTHING_BROKE = "No question that is right in A is wrong in B."
_COLUMNS = ("B against A", "A", "B", "difference")


def comparison_notice(found: Compared) -> str:
    """Who is A and who is B, which every number below needs, and how many questions turned."""
    equal = found.gold.equal
    questions = "1 question" if equal == 1 else f"{equal:,} questions"
    one, two = (shown(each.name, _NAME) for each in (found.a, found.b))
    broke, mended = (found.broke[name].total for name in (BROKE, MENDED))
    turned = f": {broke:,} broke, {mended:,} mended" if found.broke.judged else ""
    return f"B ({two}) beside A ({one}), over {questions} that both have{turned}."


def comparison_blocks(found: Compared) -> list[Block]:
    """The blocks in order: gold, the lists of questions, the numbers, the slices."""
    names = (found.a.name, found.b.name)
    tested = {name: each for name, each in found.difference.items() if each.tested}
    others = {name: each for name, each in found.difference.items() if not each.tested}
    return [
        *_gold(found),
        *(block for name in _LISTS for block in _questions(found, name, names)),
        *_tested(tested),
        *_not_tested(others, alone=not tested),
        *(_slices(field, values) for field, values in found.slices.items() if values),
    ]


def comparison_lists(found: Compared) -> dict[str, Json]:
    """The lists of questions as plain data; what A and B did stands under their letters."""
    rows: dict[str, Json] = {
        name: [_question_json(row) for row in found.broke[name].rows] for name in _LISTS
    }
    return {**rows, **{f"{name}_total": found.broke[name].total for name in _LISTS}}


def _question_json(row: QuestionPair) -> Json:
    return {
        "qid": row.qid,
        "question": row.question,
        "lost_at": row.lost_at,
        "protected": row.protected,
        "gold_claim_substr": list(row.gold_claim_substr),
        "gold_citations": list(row.gold_citations),
        "a": _answered_json(row.before),
        "b": _answered_json(row.after),
    }


def _answered_json(side: Answered | None) -> Json:
    if side is None:
        return None
    return {
        "claim": side.claim,
        "citations": list(side.citations),
        "retrieved_ids": list(side.retrieved_ids),
        "right_rows": side.right_rows,
        "rows": side.rows,
    }


def _gold(found: Compared) -> list[Block]:
    """How the two gold sets differ, where they do."""
    gold = found.gold
    if not gold.added + gold.removed + gold.changed:
        return []
    rows: tuple[tuple[Cell, ...], ...] = (
        ("the same in both", gold.equal, ""),
        ("changed", gold.changed, _first(gold.changed_qids, gold.changed)),
        ("removed: only in A", gold.removed, _first(gold.removed_qids, gold.removed)),
        ("added: only in B", gold.added, _first(gold.added_qids, gold.added)),
    )
    says = "Only questions whose gold item is the same in both are compared."
    return [Table("The gold sets differ", ("gold item", "questions", "first of them"), rows, says)]


def _first(qids: tuple[str, ...], total: int) -> str:
    first = listed(qids[:_QIDS], limit=_QIDS, length=40)
    return f"{first} and {total - _QIDS:,} more" if total > _QIDS else first


def _questions(found: Compared, name: str, names: tuple[str, str]) -> list[Block]:
    """One list; only that nothing broke is worth a heading without a question under it."""
    several = found.broke[name]
    title, says = _LISTS[name]
    if not several.total:
        says = _NOTHING_BROKE
    if not several.total and (name != BROKE or not found.broke.judged):
        return []
    return [QuestionPairs(title, several.rows, several.total, names, says, name == BROKE)]


def _tested(differences: Mapping[str, MetricDifference]) -> list[Block]:
    """The family of tests: what each number comes to, and what that rests on."""
    if not differences:
        return []
    rows = tuple(
        (name, _interval(each), number(each.p), number(each.p_holm), each.test or ABSENT)
        for name, each in differences.items()
    )
    columns = ("metric", "of the difference", "p", "p (Holm)", "test")
    says = "Question by question; p (Holm) is corrected for all rows of this table at once."
    return [
        _numbers("Numbers", differences, "The metrics that are tested, as one family."),
        Table("Intervals and tests", columns, rows, says),
    ]


def _not_tested(differences: Mapping[str, MetricDifference], *, alone: bool) -> list[Block]:
    """All other numbers: of so many some change by chance, and no p-value is corrected for that."""
    if not differences:
        return []
    rows = tuple(
        (name, _interval(each), number(each.p), each.test or ABSENT)
        for name, each in differences.items()
    )
    columns = ("metric", "of the difference", f"p ({NOT_TESTED})", "how")
    says = "These p-values stand as they are: of many numbers, some change by chance."
    which, why = ("Numbers", "No gate is set, so none") if alone else ("Other numbers", "None")
    return [
        _numbers(which, differences, f"{why} of these is tested."),
        Table(f"Intervals of the {which.lower()}", columns, rows, says),
    ]


def _numbers(title: str, differences: Mapping[str, MetricDifference], says: str) -> Table:
    rows = tuple((name, *_cells(each)) for name, each in differences.items())
    return Table(title, ("metric", *_COLUMNS), rows, says)


def _cells(each: MetricDifference) -> tuple[Cell, ...]:
    return each.says, each.a, each.b, signed(each.value)


def signed(value: float) -> str:
    """A difference with its sign; what rounds to zero has none.

    >>> signed(-0.04), signed(0.04), signed(-1e-9)
    ('-0.0400', '+0.0400', '0.0000')
    """
    text = number(value)
    return f"+{text}" if value > 0 and text.strip("0.,") else text


def _interval(each: MetricDifference) -> str:
    low, high = each.ends
    return ABSENT if low is None and high is None else interval((low, high))


def _slices(field: str, values: Mapping[str, Mapping[str, MetricDifference]]) -> Table:
    rows = tuple(
        (value, name, each.says, each.questions, each.a, each.b)
        for value, several in values.items()
        for name, each in several.items()
    )
    columns = (field, "metric", "B against A", "n", "A", "B")
    says = "Tested as a family of their own: each p-value is corrected for all slices."
    return Table(f"Difference by {field}", columns, rows, says)
