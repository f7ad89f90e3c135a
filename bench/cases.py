"""The speed cases: what is run, on which inputs, and what it is divided by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import inputs

OWN = "score --gold gold.jsonl --trace trace.jsonl"


@dataclass(frozen=True, slots=True)
class Case:
    """A command and the one beside it, over the same folder of inputs.

    Words of `ragstone`, or of `ragstone.score_eval` where they begin with that name. Both must
    print the same figures where `same` says so.
    """

    says: str
    make: Callable[[Path, int], None]
    items: int
    words: str
    beside: str = OWN
    same: bool = False
    # Where these modules are missing, the case is left out.
    needs: tuple[str, ...] = ()


FOREIGN = "score --gold gold.jsonl --trace foreign.jsonl --map claim=out.text retrieved_ids=found"
SCORER = "score_eval --gold gold.jsonl --trace trace.jsonl"

CASES = {
    "few": Case("100 questions, beside the scorer of one file", inputs.answers, 100, OWN, SCORER),
    "many": Case("many questions, beside it", inputs.answers, 100_000, OWN, SCORER),
    "memory": Case(
        "with a limit of memory", inputs.answers, 100_000, f"{OWN} --memory 1GB", same=True
    ),
    "page": Case("with a page as report", inputs.answers, 50_000, f"{OWN} -o report.html"),
    "rows": Case("with verdict rows", inputs.answers, 50_000, f"{OWN} -o rows.parquet"),
    "fat": Case(
        "texts in every trace", inputs.fat, 10_000, "score --gold gold.jsonl --trace fat.jsonl"
    ),
    "parquet": Case(
        "Parquet beside JSON Lines", inputs.forms, 50_000,
        "score --gold gold.parquet --trace trace.parquet", same=True, needs=("pyarrow",),
    ),
    "array": Case(
        "a JSON array beside JSON Lines", inputs.forms, 50_000,
        "score --gold gold.json --trace trace.json", same=True, needs=("pyarrow",),
    ),
    "csv": Case(
        "CSV beside JSON Lines", inputs.forms, 50_000,
        "score --gold gold.csv --trace trace.csv", same=True, needs=("pyarrow",),
    ),
    "keys": Case(
        "a mapping by keys", inputs.another_shape, 50_000, f"{FOREIGN} citations=out.cites"
    ),
    "hits": Case(
        "a mapping into lists", inputs.another_shape, 50_000,
        "score --gold gold.jsonl --trace foreign.jsonl --map claim=out.text "
        "retrieved_ids=hits[].id citations=out.sources[].chunk.id",
    ),
    "places": Case(
        "a mapping by place", inputs.another_shape, 50_000,
        f"{FOREIGN} citations=out.places[]@retrieved_ids",
    ),
    "numbers": Case(
        "expected numbers beside phrases", inputs.numbers, 50_000,
        "score --gold numbers.jsonl --trace trace.jsonl",
        "score --gold phrases.jsonl --trace trace.jsonl",
    ),
    "spans": Case(
        "five spans a trace, beside thin rows", inputs.spans, 10_000,
        "score --gold found.jsonl --trace spans.jsonl --from otel",
    ),
    "audit": Case(
        "spans without gold, beside thin rows", inputs.spans, 10_000,
        "audit --trace spans.jsonl --from otel",
    ),
    "log": Case(
        "many traces without gold, beside their score", inputs.answers, 100_000,
        "audit --trace trace.jsonl",
    ),
    "stability": Case(
        "twenty runs of each question", inputs.runs, 1_000,
        "stability score --gold asked.jsonl --runs runs.jsonl",
    ),
    "trec": Case("rankings of 100 documents", inputs.rankings, 5_000, "trec qrels.txt run.txt"),
    "index": Case(
        "an index of text files", inputs.documents, 2_000, "index build docs -o docs.index"
    ),
    "asked": Case(
        "a program that is asked", inputs.pipeline, 10_000,
        "run --gold gold.jsonl --target py:pipeline:answer -o asked.jsonl --fresh",
    ),
    "ledger": Case(
        "recorded in a ledger", inputs.answers, 50_000, f"{OWN} --record --ledger runs"
    ),
    "spark": Case(
        "on Spark, two cores", inputs.answers, 100_000,
        f"{OWN} --engine spark --master local[2]", same=True, needs=("pyspark",),
    ),
}  # fmt: skip
