"""`ragstone.ContextRecall().evaluate(results, references)`, as LiveRAG teams know it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ragstone.errors import InputError
from ragstone.suites.context.options import ID_PATTERN, Options

if TYPE_CHECKING:
    from ragstone.contracts.sources import ArrowLike, Input, PandasLike, PolarsLike


@runtime_checkable
class Record(Protocol):
    """An instance of any dataclass."""

    __dataclass_fields__: dict[str, dataclasses.Field[object]]


if TYPE_CHECKING:
    Table = (
        str | Path | Iterable[Mapping[str, object]] | Iterable[Record]
        | ArrowLike | PolarsLike | PandasLike
    )  # fmt: skip


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
        from ragstone.engine.lazy import LazyDuck
        from ragstone.suites.context.evidence import rows
        from ragstone.suites.context.suite import evaluate
        from ragstone.suites.context.systems import averages

        options = Options(id_pattern=self.id_pattern, level=self.level, strict=self.strict)
        with LazyDuck(self.threads) as engine:
            found = find(_plain(results), "results", engine.scratch)
            gold = find(_plain(references), "references", engine.scratch)
            if len(found) != 1 or len(gold) != 1:
                raise InputError("one results file and one reference file are scored at a time")
            scored = evaluate(engine, found, gold[0], options)
            return ContextScores(
                metrics=averages(scored.first),
                rows=tuple(rows(scored, 0)),
                system_name=scored.first.name,
                sample_count=scored.scored,
                missing=scored.first.missing,
            )


def _plain(given: Table) -> Input:
    """Dataclasses as dictionaries; everything else is read as it is."""
    if isinstance(given, str | Path) or not isinstance(given, list | tuple):
        return given  # type: ignore[return-value]
    return [_fields(item) if isinstance(item, Record) else item for item in given]


def _fields(item: Record) -> Mapping[str, object]:
    return {name: getattr(item, name) for name in item.__dataclass_fields__}
