"""What the agreement suite shows: the confusion matrix, the arbitration, the disagreements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ragstone.contracts.records.label_records import LABELS
from ragstone.progress import counting
from ragstone.report.charts import shapes
from ragstone.report.charts.heatmap import Row, Square, heatmap
from ragstone.report.document.blocks import Block, Cell, Json, Picture, Table
from ragstone.report.text import counted
from ragstone.suites.agreement import raters
from ragstone.suites.agreement.options import AgreementOptions
from ragstone.suites.declaration import Outcome, Work
from ragstone.suites.spreadsheet_cells import cell
from ragstone.suites.standard_blocks import first_of, qids_table, slice_tables

WHY = (
    "hard_flag",
    "citation_out_of_scope",
    "agreed_refusal",
    "auditor_veto",
    "auditor_ok",
    "incoherent_pair",
)
ARBITRATED = ("qid", "scholar", "auditor", "final", "why", "scholar_reason", "auditor_reason")
_WRITTEN = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})


def facts(work: Work[AgreementOptions], outcome: Outcome[AgreementOptions]) -> Mapping[str, Any]:
    """The items with their labels, while the rows are there to be asked."""
    names = work.notes.get("raters", [])
    if len(names) > 2:
        return raters.facts_of(work.duck, names)
    found = work.duck.dicts(f"select {', '.join(ARBITRATED)} from rows order by place")
    labelled: Mapping[str, tuple[str, str]] = work.notes.get("labelled", {})
    alone = {
        name: work.duck.texts(
            f"select qid from {one} where qid not in (select qid from {other}) order by qid"
        )
        for name, (one, other) in labelled.items()
    }
    return {
        "arbitration": found,
        "disagreements": [row for row in found if row["scholar"] != row["auditor"]],
        "counts": Counter((row["scholar"], row["auditor"]) for row in counting(found, "", "rows")),
        "only": alone or {"scholar": (), "auditor": ()},
    }


def figures(outcome: Outcome[AgreementOptions]) -> dict[str, float | int | None]:
    facts = outcome.facts
    if "raters" in facts:
        head = {
            "items": facts["items"],
            "raters": len(facts["raters"]),
            "disagreements": len(facts["splits"]),
        }
    else:
        head = {
            "pairs": len(facts["arbitration"]),
            "disagreements": len(facts["disagreements"]),
            "only_scholar": len(facts["only"]["scholar"]),
            "only_auditor": len(facts["only"]["auditor"]),
        }
    return {**head, **{name: found.value for name, found in outcome.first.items()}}


def data(outcome: Outcome[AgreementOptions]) -> dict[str, Json]:
    facts, limit = outcome.facts, outcome.options.limit
    if "raters" in facts:
        return {
            **{name: facts[name] for name in ("pairwise", "abstained", "splits")},
            "unpaired": facts["unpaired"][:limit],
            "unpaired_total": len(facts["unpaired"]),
        }
    counts = facts["counts"]
    finals = Counter(str(row["final"]) for row in facts["arbitration"])
    return {
        "confusion": {one: {two: counts[one, two] for two in LABELS} for one in LABELS},
        "finals": dict(sorted(finals.items())),
        "arbitration": facts["arbitration"],
        "unpaired": {name: list(qids[:limit]) for name, qids in facts["only"].items()},
    }


def blocks(outcome: Outcome[AgreementOptions]) -> list[Block]:
    facts, limit = outcome.facts, outcome.options.limit
    if "raters" in facts:
        return raters.blocks_of(facts, limit)
    made: list[Block] = [_confusion(facts["counts"]), _arbitration(facts["arbitration"])]
    made += slice_tables(outcome)
    apart = facts["disagreements"]
    if apart:
        columns = (*ARBITRATED[:5], "scholar says", "auditor says")
        rows = tuple(tuple(row[name] for name in ARBITRATED) for row in apart[:limit])
        says = first_of(len(rows), len(apart))
        made.append(Table("Disagreements", columns, rows, says, columns[-2:]))
    for name, qids in facts["only"].items():
        made += qids_table(f"Labelled by the {name} only", qids[:limit], len(qids))
    return made


def _arbitration(found: list[dict[str, str]]) -> Table:
    final = {row["why"]: row["final"] for row in found}
    counts = Counter(row["why"] for row in found)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (why, final[why], counts[why]) for why in WHY if counts[why]
    )
    says = "Every item is decided by the first rule that matches, in this order."
    return Table("Arbitration", ("why", "final", "items"), rows, says)


def _confusion(counts: Counter[tuple[str, str]]) -> Picture:
    """How often the scholar's label met each of the auditor's; equal labels are on the diagonal."""
    most = max(counts.values(), default=1)
    rows, said = [], []
    for scholar in LABELS:
        squares = {}
        for auditor in LABELS:
            count = counts[scholar, auditor]
            color = shapes.PASS if scholar == auditor else shapes.FAIL
            # Even one item must be seen, so what is not empty starts at a visible shade.
            shade = 0.25 + 0.75 * count / most if count else 0.0
            title = f"scholar {scholar}, auditor {auditor}: {count:,}"
            squares[auditor, ""] = Square(color, shade, title, f"{count:,}")
            said += [f"{scholar}/{auditor} {count}"] if count else []
        rows.append(Row(scholar, squares))
    columns = [(label, "") for label in LABELS]
    cells: tuple[tuple[Cell, ...], ...] = tuple(
        (one, *(counts[one, two] for two in LABELS)) for one in LABELS
    )
    title = "Confusion matrix"
    return Picture(
        title,
        heatmap(rows, columns, side=114, tall=56, row_title="scholar", column_title="auditor"),
        f"Items by scholar/auditor label: {', '.join(said) or 'none'}.",
        "Rows are the scholar's labels, columns the auditor's; agreement is on the diagonal.",
        Table(title, ("scholar", *LABELS), cells),
    )


def warnings(outcome: Outcome[AgreementOptions]) -> list[str]:
    facts = outcome.facts
    if "raters" in facts:
        single = len(facts["unpaired"])
        found = [f"labelled by one validator only: {counted(single, 'item')}"] if single else []
        if outcome.first["alpha"].value is None:
            found.append("alpha is undefined: only one label was ever used, or none can be paired")
        return found
    found = []
    if not facts["arbitration"]:
        found.append("there is no item that both validators labelled: nothing can be measured")
    for name, qids in facts["only"].items():
        if qids:
            items = "item was" if len(qids) == 1 else "items were"
            found.append(f"{len(qids):,} {items} labelled by the {name} only; not compared")
    return found


def tsv(outcome: Outcome[Any]) -> str:
    """The disagreements as a table for a spreadsheet; a tab or line break in a qid is written out.

    >>> from types import SimpleNamespace
    >>> row = {"qid": "a\\tb", "scholar": "VALID", "auditor": "REJECT", "final": "REJECT",
    ...        "why": "auditor_veto"}
    >>> tsv(SimpleNamespace(facts={"disagreements": [row]}))
    'qid\\tscholar\\tauditor\\tfinal\\twhy\\na\\\\tb\\tVALID\\tREJECT\\tREJECT\\tauditor_veto\\n'
    """
    columns = ARBITRATED[:5]
    rows = outcome.facts["disagreements"]
    lines = [columns, *([cell(row[name].translate(_WRITTEN)) for name in columns] for row in rows)]
    return "".join("\t".join(line) + "\n" for line in lines)
