"""`ragstone.ContextRecall().evaluate(results, references)`, as LiveRAG teams know it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ragstone.errors import InputError
from ragstone.suites.context.question_values import ID_PATTERN

if TYPE_CHECKING:
    from ragstone.contracts.sources import ArrowLike, Input, PandasLike, PolarsLike


@runtime_checkable
class Record(Protocol):
    """An instance of any dataclass."""

    __dataclass_fields__: dict[str, dataclasses.Field[object]]


if TYPE_CHECKING:
    Rows = Iterable[Mapping[str, object]] | Iterable[Record]
    Table = str | Path | Rows | ArrowLike | PolarsLike | PandasLike


@dataclass(frozen=True, slots=True)
class ContextScores:
    """What came out: averages by the column names of the output files, and one row a question."""

    metrics: Mapping[str, float | None]
    rows: Sequence[Mapping[str, object]]
    system_name: str
    sample_count: int
    missing: int
    evaluator_name: str = "ContextRecall"


@dataclass(frozen=True, slots=True)
class ContextRecall:
    """Scores what a retriever brought against the gold documents.

    >>> results = [{"qid": 1, "doc_ids": ["doc-<urn:uuid:a>::chunk-0", "<urn:uuid:x>"]}]
    >>> references = [{"qid": "1", "document_ids": ["<urn:uuid:a>", "<urn:uuid:b>"]}]
    >>> scores = ContextRecall().evaluate(results, references)
    >>> scores.metrics["avg_context_recall"], scores.metrics["avg_context_precision"]
    (0.5, 0.5)
    >>> scores.rows[0]["correct_docs_count"]
    1
    """

    id_pattern: str = ID_PATTERN
    level: int = 1
    strict: bool = False
    threads: int | None = None

    def evaluate(self, results: Table, references: Table) -> ContextScores:
        """Results and references are paths, lists of dicts or dataclasses, or data frames."""
        from ragstone.contracts.sources import find
        from ragstone.engine.duck import Duck
        from ragstone.suites.context import shows
        from ragstone.suites.context.liverag_files import scored_rows
        from ragstone.suites.context.options import ContextOptions
        from ragstone.suites.context.suite import CONTEXT
        from ragstone.suites.evaluate import run

        options = ContextOptions(id_pattern=self.id_pattern, grade=self.level, strict=self.strict)
        with Duck(self.threads) as duck:
            found = find(_plain(results), "results", duck.scratch)
            gold = find(_plain(references), "references", duck.scratch)
            if len(found) != 1 or len(gold) != 1:
                raise InputError("one results file and one reference file are scored at a time")
            outcome = run(CONTEXT, duck, {"results": found, "reference": gold}, options)
            return ContextScores(
                metrics=shows.averages(outcome.first),
                rows=scored_rows(duck, outcome.shown),
                system_name=outcome.shown,
                sample_count=shows.scored(outcome),
                missing=outcome.facts["ranked"][outcome.shown].missing,
            )


def _plain(given: Table) -> Input:
    """Dataclasses as dictionaries; everything else is read as it is."""
    if isinstance(given, str | Path) or not isinstance(given, list | tuple):
        return given  # type: ignore[return-value]
    return [_fields(item) if isinstance(item, Record) else item for item in given]


def _fields(item: Record) -> Mapping[str, object]:
    return {name: getattr(item, name) for name in item.__dataclass_fields__}
