"""Spans to an audit and to a score: fat rows, as production logs them, beside thin ones.

    python bench/spans.py [--traces 200000] [--memory 1500MB] [--keep FOLDER]

A trace is five spans of about 12 kB as OTLP JSON: a chain, an embedding, a retriever with ten
texts, a guard, and a model whose prompt repeats them: 200,000 are 1,000,000 spans and 2 GB.
The thin rows are those of bench/answers.py. Seconds depend on the machine; memory does not.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import answers
from process import Cost, byte_code, run

# How many spans the collector puts on a line.
BATCH = 100
_START = 1_790_000_000_000_000_000


def attribute(key: str, value: object) -> dict[str, object]:
    kinds = {int: "intValue", float: "doubleValue"}
    return {"key": key, "value": {kinds.get(type(value), "stringValue"): value}}


class Maker:
    """Traces of one seed; texts are few, so that making them does not take longer than reading."""

    def __init__(self, seed: int = 7) -> None:
        self.chance = random.Random(seed)
        words = ["".join(self.chance.choices("abcdefghiklmnoprstuvw", k=6)) for _ in range(2_000)]
        self.texts = [
            " ".join(self.chance.choices(words, k=52)) + f" in {1000 + number}."
            for number in range(5_000)
        ]

    def trace(self, number: int) -> tuple[dict[str, object], list[dict[str, object]]]:
        """The gold item of a trace, and its spans."""
        chance = self.chance
        found = chance.sample(range(len(self.texts)), 10)
        # One answer in ten names a year that no text does.
        year = 1000 + found[0] if chance.random() < 0.9 else 9_999
        question, claim = f"When was it, number {number}?", f"That was in {year}."
        said = json.dumps({"answer": claim, "citations": [f"d{found[0]}"]})
        texts = "\n".join(self.texts[each] for each in found)
        documents = [
            attribute(f"retrieval.documents.{place}.document.{key}", value)
            for place, each in enumerate(found)
            for key, value in (("id", f"d{each}"), ("content", self.texts[each]), ("score", 0.5))
        ]
        parts = (
            ("CHAIN", 0, 900, [
                attribute("input.value", question),
                attribute("output.value", said),
                attribute("metadata", json.dumps({"qid": f"Q{number}"})),
            ]),
            ("EMBEDDING", 1, 20, [attribute("embedding.model_name", "small")]),
            ("RETRIEVER", 20, 100, [attribute("input.value", question), *documents]),
            ("GUARDRAIL", 100, 120, []),
            ("LLM", 120, 880, [
                attribute("llm.model_name", "large"),
                attribute("llm.input_messages.0.message.role", "user"),
                attribute("llm.input_messages.0.message.content", f"{texts}\n{question}"),
                attribute("llm.output_messages.0.message.content", claim),
                attribute("llm.token_count.prompt", 1_200),
                attribute("llm.token_count.completion", 20),
                attribute("llm.cost.total", 0.002),
            ]),
        )  # fmt: skip
        name, begun = f"{chance.getrandbits(128):032x}", _START + number * 10**6
        ids = [f"{chance.getrandbits(64):016x}" for _ in parts]
        spans = [
            {
                "traceId": name,
                "spanId": ids[place],
                "parentSpanId": ids[0] if place else "",
                "name": kind.lower(),
                "startTimeUnixNano": str(begun + start * 10**6),
                "endTimeUnixNano": str(begun + end * 10**6),
                "attributes": [attribute("openinference.span.kind", kind), *attributes],
            }
            for place, (kind, start, end, attributes) in enumerate(parts)
        ]
        expected = {"gold_claim_substr": [str(1000 + found[0])], "gold_citations": [f"d{found[0]}"]}
        item = {"qid": f"Q{number}", "question": question, "answerable": True, **expected}
        return item, spans


def make(folder: Path, traces: int) -> None:
    """`spans.jsonl`, as the collector's file exporter writes it, and the gold set to it."""
    maker = Maker()
    waiting: list[dict[str, object]] = []
    with (folder / "gold.jsonl").open("w") as gold, (folder / "spans.jsonl").open("w") as file:
        for number in range(traces):
            item, spans = maker.trace(number)
            gold.write(json.dumps(item) + "\n")
            waiting += spans
            if len(waiting) >= BATCH or number == traces - 1:
                line = {"resourceSpans": [{"scopeSpans": [{"spans": waiting}]}]}
                file.write(json.dumps(line) + "\n")
                waiting = []


@contextmanager
def place(kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept
        return
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def show(what: str, cost: Cost, rows: int, size: int) -> None:
    speed = f"{rows / cost.seconds:12,.0f} {size / cost.seconds / 10**6:8,.0f}"
    print(f"{what:26} {cost.seconds:8.1f} {cost.cpu:8.1f} {cost.peak_mb:8,.0f} {speed}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--traces", type=int, default=200_000)
    parser.add_argument("--memory", default="1500MB")
    parser.add_argument("--keep", type=Path, help="leave the files here, and use those that are")
    given = parser.parse_args()
    byte_code()
    ragstone = [sys.executable, "-m", "ragstone"]
    limit = ("--memory", given.memory, "--no-config", "--json")
    with place(given.keep) as folder:
        if not (folder / "spans.jsonl").exists():
            make(folder, given.traces)
        thin = folder / "thin"
        if not thin.exists():
            thin.mkdir()
            answers.make(thin, given.traces)
        size = (folder / "spans.jsonl").stat().st_size
        print(f"{given.traces:,} traces, {5 * given.traces:,} spans, {size / 10**9:.2f} GB")
        print(f"{'':26} {'seconds':>8} {'CPU s':>8} {'peak MB':>8} {'traces/s':>12} {'MB/s':>8}")
        spans = ("--trace", "spans.jsonl", "--from", "otel", *limit)
        audit = run([*ragstone, "audit", *spans], folder)
        show("audit --from otel", audit, given.traces, size)
        score = run([*ragstone, "score", "--gold", "gold.jsonl", *spans], folder)
        show("score --from otel", score, given.traces, size)
        inputs = ("--gold", "gold.jsonl", "--trace", "trace.jsonl")
        plain = run([*ragstone, "score", *inputs, *limit], thin)
        read = (thin / "trace.jsonl").stat().st_size
        show("score, thin rows", plain, given.traces, read)
        support = json.loads(audit.output)["metrics"]["support"]["value"]
        print(f"support {support:.4f}, about nine answers in ten by construction")


if __name__ == "__main__":
    main()
