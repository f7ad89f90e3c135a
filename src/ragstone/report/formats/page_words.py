"""What only a page says: how much of a list it shows, and what it has folded away."""

from __future__ import annotations

from collections.abc import Sequence

from ragstone.gates.gate import Judged, Status
from ragstone.report.document.blocks import Block, Offenders, QuestionPairs
from ragstone.report.document.question_list import QuestionList
from ragstone.report.formats.page_sections import CARDS, Section


def of_all(block: Block) -> str:
    """How many of all rows a list has, as its heading says it: `10 of 22`."""
    if not isinstance(block, Offenders | QuestionPairs) or not block.total:
        return ""
    shown = min(len(block.rows), CARDS)
    return f"{shown:,} of {block.total:,}" if shown < block.total else f"{shown:,}"


def gates_passed(gates: Sequence[Judged]) -> str:
    """The gates of a suite in few words: `4 of 5 gates pass`."""
    if not gates:
        return "no gates"
    passed = sum(gate.status is Status.PASS for gate in gates)
    tested = sum(not gate.tests_nothing for gate in gates)
    if len(gates) == tested == 1:
        return "its one gate passes" if passed else "its one gate does not pass"
    rest = f", {len(gates) - tested:,} not tested" if tested < len(gates) else ""
    return f"{passed:,} of {tested:,} {'gate passes' if tested == 1 else 'gates pass'}{rest}"


def folded_away(section: Section, gates: int) -> str:
    """What the fold of a suite holds, where so many failing gates stand before it."""
    more = max(0, len(section.open_gates) - gates)
    said = [_counted(more, "more gate that does not pass", "more gates that do not pass")] * (
        more > 0
    )
    if section.passing:
        said.append(_counted(len(section.passing), "passing gate", "passing gates"))
    if section.not_tested:
        said.append(_counted(len(section.not_tested), "gate not tested", "gates not tested"))
    said += [each.title for each in section.blocks]
    if section.metrics:
        said.append("other metrics")
    return ", ".join(said)


def _counted(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"


def questions_left_out(found: QuestionList, several: bool) -> str:
    """How many questions the table has, and what writes them all."""
    whose = f"{found.suite}: the" if several else "The"
    return (
        f"{whose} first {len(found.qids):,} of {found.total:,} are listed, those that fail first; "
        "-o rows.parquet writes every one."
    )
