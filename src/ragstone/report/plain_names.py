"""What metrics and gates are called where people read: the plain name, then the specialist's."""

from __future__ import annotations

from collections.abc import Mapping

from ragstone.gates.gate import Judged
from ragstone.measure.metric import Measured
from ragstone.report.document.blocks import Block, Cell, Finding, Table
from ragstone.report.document.figures import number
from ragstone.report.document.figures import titled as titled
from ragstone.report.model import Report
from ragstone.suites.metric_titles import metric_title

# The suite of a run of several suites.
_SEVERAL = "gate"
# What a suite's plain numbers are called where people read; files keep the names of others' tools.
_FIGURES = {
    "avg_context_recall": "context recall, on average",
    "avg_context_precision": "context precision, on average",
    "avg_context_f1": "context F1, on average",
    "ndcg_10": "nDCG of the first 10",
    "ndcg_10_retrieved": "nDCG of the first 10 retrieved",
    "pct_records_with_at_least_one_ref": "questions with a right document",
    "pct_records_with_all_refs": "questions with all right documents",
    "no_gold": "questions without gold",
    "unknown_qid": "questions that gold does not know",
    "only_scholar": "labelled by the scholar only",
    "only_auditor": "labelled by the auditor only",
}


def figure_title(name: str) -> str:
    """What a plain number of a suite is called.

    >>> figure_title("pct_records_with_all_refs"), figure_title("failed_questions")
    ('questions with all right documents', 'failed questions')
    """
    return _FIGURES.get(name, name.replace("_", " "))


def figure_text(name: str, value: float | int | None) -> str:
    """A plain number of a suite; what is in per cent is written so.

    >>> figure_text("pct_records_with_all_refs", 73.3333), figure_text("k", 5)
    ('73.3 %', '5')
    """
    if name.startswith("pct_") and value is not None:
        return f"{number(float(value), 1)} %"
    return number(value)


def gate_title(report: Report, gate: Judged) -> str:
    """A gate's plain name; behind it the whole name, with its suite and slice where it has them."""
    return both_names(gate_metric_title(report, gate), gate.name)


def gate_metric_title(report: Report, gate: Judged) -> str:
    """The plain name of the metric that a gate judges; empty where it has none."""
    found = metric_of(report, gate)
    if found and found.metric.title:
        return found.metric.title
    # Reports that earlier versions wrote have names alone.
    suite = report.suite
    if isinstance(report.data.get("suites"), Mapping):
        suite, _, _ = gate.name.partition(".")
    return metric_title(suite, gate.metric)


def plain_gate(report: Report, gate: Judged) -> str:
    """A gate's plain name alone, with its slice: `right and rightly cited [tags=billing]`."""
    plain, (_, bracket, part) = gate_metric_title(report, gate), gate.name.partition("[")
    return f"{plain} {bracket}{part}".rstrip() if plain else gate.name


def both_names(plain: str, name: str) -> str:
    """The plain name with the one that files and flags know; that alone where there is no other.

    >>> both_names("cites the right evidence", "chr"), both_names("", "judge.tone")
    ('cites the right evidence (chr)', 'judge.tone')
    """
    return f"{plain} ({name})" if plain else name


def recorded_title(suite: str, name: str) -> str:
    """The plain name of what a recording calls so; a run of several suites names each in front.

    >>> recorded_title("answers", "chr[tags=a]"), recorded_title("gate", "latency.p95")
    ('cites the right evidence', '95 % of requests answered within')
    """
    if suite == _SEVERAL:
        suite, _, name = name.partition(".")
    return metric_title(suite, name)


def recorded_name(suite: str, name: str) -> str:
    """Both names of what a recording has a number of."""
    return both_names(recorded_title(suite, name), name)


def suite_of(report: Report, block: Block) -> str:
    """Whose metrics a block names: of a `gate` its title says it, of a comparison the report."""
    of = report.data.get("of")
    suites = report.data.get("suites")
    if isinstance(suites, Mapping):
        return next((name for name in suites if block.title.startswith(f"{name}: ")), "")
    return of if isinstance(of, str) else report.suite


def title_of(report: Report, block: Block, name: str) -> str:
    """The plain name of a metric that a block names; empty where the name is of no metric."""
    suite = suite_of(report, block)
    found = report.metrics.get(name) or report.metrics.get(f"{suite}.{name}")
    return (found.metric.title if found else "") or metric_title(suite, name)


def legend(report: Report, table: Table) -> dict[str, str]:
    """The plain names of the metrics that are columns of a table; the first one names the rows."""
    # A column may say its unit: `p95 (ms)`.
    titles = {name: title_of(report, table, name.partition(" (")[0]) for name in table.columns[1:]}
    return {name: title for name, title in titles.items() if title}


def heads(report: Report, table: Table) -> tuple[str, ...]:
    """The columns of a table, metrics with both names."""
    plain = legend(report, table)
    first, *others = table.columns
    return (first, *(_head(plain.get(name, ""), name) for name in others))


def _head(plain: str, name: str) -> str:
    """`95 % of requests answered within (p95, ms)`."""
    return both_names(plain, name.replace(" (", ", ").rstrip(")")) if plain else name


# Columns whose cells are the names of metrics and of gates.
_NAMES = ("metric", "gate", "fails", "measure", "recall")


def rows_named(report: Report, table: Table) -> tuple[tuple[Cell, ...], ...]:
    """The rows of a table, in which metrics have both names."""
    titles = names_in_cells(report, table)
    if not titles:
        return table.rows
    places = _places(table)
    return tuple(
        tuple(_named(cell, titles) if at in places else cell for at, cell in enumerate(row))
        for row in table.rows
    )


def names_in_cells(report: Report, table: Table) -> dict[str, str]:
    """The plain names of the metrics that cells of a table name."""
    places = _places(table)
    names = dict.fromkeys(
        name for row in table.rows for place in places for name in _names(row[place])
    )
    titles = {name: title_of(report, table, name) for name in names}
    return {name: title for name, title in titles.items() if title}


def _places(table: Table) -> list[int]:
    return [place for place, column in enumerate(table.columns) if column in _NAMES]


def _names(cell: Cell) -> list[str]:
    return cell.split(", ") if isinstance(cell, str) else []


def _named(cell: Cell, titles: Mapping[str, str]) -> Cell:
    """A name, or several with commas between them."""
    if not isinstance(cell, str):
        return cell
    return ", ".join(both_names(titles.get(name, ""), name) for name in _names(cell))


def costs(report: Report, block: Block, names: tuple[str, ...]) -> tuple[str, ...]:
    """The metrics that a row counts against, with both names."""
    return tuple(both_names(title_of(report, block, name), name) for name in names)


def finding_title(finding: Finding) -> str:
    """A reading's pattern in plain words first, and how many rows show it.

    >>> finding_title(Finding("scu_violations > 0", "…", ("A1",), "constraints not kept", 12))
    'constraints not kept (scu_violations > 0): 12 rows'
    """
    pattern = finding.pattern
    said = f"{finding.title} ({pattern})" if finding.title else pattern
    rows = f": {finding.rows:,} row{'s' if finding.rows > 1 else ''}" if finding.rows else ""
    return f"{said}{rows}"


def metric_of(report: Report, gate: Judged) -> Measured | None:
    """The metric a gate judges, also where the report names it with its suite in front."""
    return report.metrics.get(metric_name(report, gate))


def metric_name(report: Report, gate: Judged) -> str:
    """What the report calls that metric."""
    name, _, _ = gate.name.partition("[")
    return name if name in report.metrics else gate.metric
