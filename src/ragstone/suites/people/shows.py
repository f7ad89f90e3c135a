"""What the people suite shows: the confusion matrix, the systems, the answers judged otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragstone.engine.duck import text, whole
from ragstone.report.document.blocks import Block, Cell, Json, Table
from ragstone.report.text import counted
from ragstone.suites.answers.refusal_rules import install_refusal_rule
from ragstone.suites.declaration import Outcome, Work
from ragstone.suites.people.metrics import VERDICTS
from ragstone.suites.people.options import SAID, PeopleOptions
from ragstone.suites.spreadsheet_cells import cell
from ragstone.suites.standard_blocks import first_of, slice_tables

APART = ("qid", "system", "gate", "people", "rule")
SYSTEM = ("system", "answers", "right", "correct", "agreement")


def facts(work: Work[PeopleOptions], outcome: Outcome[PeopleOptions]) -> Mapping[str, Any]:
    """The counts and the disagreements, while the rows are there to be asked."""
    counts = work.duck.query("""
        select gate, people, count(*) from rows where not missing group by all order by all
    """)
    install_refusal_rule(work.duck, work.options.refusal)
    by_rule = work.duck.query("""
        select
            accepted_by,
            count(*) filter (people = 'correct'),
            count(*) filter (people = 'incorrect'),
        from rows
        where gate = 'right' and accepted_by is not null
        group by all order by all
    """)
    apart = work.duck.dicts(work.sql("judged_otherwise.sql"))
    several = len(work.notes["systems"]) > 1
    return {
        "counts": {(text(gate), text(said)): whole(times) for gate, said, times in counts},
        "by_rule": {text(rule): (whole(right), whole(wrong)) for rule, right, wrong in by_rule},
        "apart": [_explained(row, work.options.decimal) for row in apart],
        "systems": work.duck.dicts(work.sql("systems.sql")) if several else [],
    }


def _explained(row: Mapping[str, Any], decimal: str) -> dict[str, Any]:
    """An answer judged otherwise, with what was expected of it and what was found in it."""
    made = {name: row[name] for name in (*APART, "claim")}
    answer, nuggets, must_not = (row[name] for name in ("gold_answer", "nuggets", "must_not"))
    if row["gate"] != "wrong" or (answer, nuggets, must_not) == (None, None, None):
        return {**made, "why": ""}
    from ragstone.suites.answers.typed_words import explained

    # An answer of blanks, which --missing answered ships, has nothing to be explained.
    why = explained(row["claim"], answer, nuggets, must_not, decimal, row["question"]).get(
        "why", ""
    )
    return {**made, "why": why}


def figures(outcome: Outcome[PeopleOptions]) -> dict[str, float | int | None]:
    compared, apart = outcome.first["percent_agreement"].denominator, len(outcome.facts["apart"])
    numbers = {name: found.value for name, found in outcome.first.items()}
    return {"compared": compared, "disagreements": apart, **numbers}


def data(outcome: Outcome[PeopleOptions]) -> dict[str, Json]:
    facts = outcome.facts
    counts = facts["counts"]
    return {
        "confusion": {
            gate: {said: counts.get((gate, said), 0) for said in SAID} for gate in VERDICTS
        },
        **_by_rule(facts["by_rule"]),
        "by_system": facts["systems"],
        "judged_otherwise": facts["apart"],
    }


def _by_rule(counts: Mapping[str, tuple[int, int]]) -> dict[str, Json]:
    """Of what each rule accepted, how much people call correct and incorrect."""
    if not counts:
        return {}
    return {
        "accepted_by": {
            rule: {"correct": right, "incorrect": wrong} for rule, (right, wrong) in counts.items()
        }
    }


def blocks(outcome: Outcome[PeopleOptions]) -> list[Block]:
    facts, limit = outcome.facts, outcome.options.limit
    made: list[Block] = [_confusion(facts["counts"])]
    if facts["systems"]:
        systems: list[dict[str, Cell]] = facts["systems"]
        rows = tuple(tuple(row[name] for name in SYSTEM) for row in systems)
        says = "The share of answers that the gate calls right, that people call correct, and on "
        made.append(Table("Systems", SYSTEM, rows, f"{says}which both say the same."))
    if facts["by_rule"]:
        accepted = tuple((rule, *both) for rule, both in facts["by_rule"].items())
        says = "The rules that accepted an answer, and what people said of these answers."
        made.append(Table("Accepted by", ("rule", "correct", "incorrect"), accepted, says))
    made += slice_tables(outcome)
    apart = facts["apart"]
    if apart:
        texts = ("why", "claim")
        cells = tuple(tuple(row[name] for name in (*APART, *texts)) for row in apart[:limit])
        says = first_of(len(cells), len(apart), "The rule is the one that decided for the gate.")
        made.append(Table("Judged otherwise", (*APART, *texts), cells, says, texts))
    return made


def _confusion(counts: Mapping[tuple[str, str], int]) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (gate, *(counts.get((gate, said), 0) for said in SAID)) for gate in VERDICTS
    )
    says = "Rows are the gate's verdicts, columns what people said; agreement is on the diagonal."
    return Table("Confusion matrix", ("gate", *SAID), rows, says)


def warnings(outcome: Outcome[PeopleOptions]) -> list[str]:
    found = []
    unknown, missing = outcome.inputs["unknown"], outcome.first["missing"].numerator
    if unknown:
        found.append(
            f"{counted(whole(unknown), 'label')} not compared: the question or system is not there"
        )
    if missing:
        are = "is" if missing == 1 else "are"
        found.append(f"{counted(missing, 'labelled answer')} {are} in no trace; not compared")
    if outcome.first["kappa"].value is None and outcome.first["kappa"].denominator:
        found.append("kappa is undefined: gate and people gave every answer the same verdict")
    return found


def tsv(outcome: Outcome[Any]) -> str:
    """The answers judged otherwise as a table for a spreadsheet, one a line."""
    lines = [APART, *([cell(str(row[name])) for name in APART] for row in outcome.facts["apart"])]
    return "".join("\t".join(line) + "\n" for line in lines)
