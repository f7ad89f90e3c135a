"""The inputs of the speed cases: made up from a seed, so every machine measures the same bytes."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from typing import Any

WORDS = """
    the index rejects null keys only domain example allows value document reference constraint
    pipeline answer question retrieval evidence guard token chunk section
""".split()  # noqa: SIM905
TAGS = ("billing", "access", "limits")


def answers(folder: Path, items: int, seed: int = 7) -> None:
    """A gold set and traces: 30 % not answerable, some wrong, repeated, refused, not in ASCII."""
    chance = random.Random(seed)
    with (folder / "gold.jsonl").open("w") as gold, (folder / "trace.jsonl").open("w") as trace:
        for number in range(items):
            item = gold_item(chance, number)
            gold.write(json.dumps(item, ensure_ascii=False) + "\n")
            for _ in range(2 if chance.random() < 0.01 else 1):
                trace.write(json.dumps(trace_line(chance, item), ensure_ascii=False) + "\n")


def sentence(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, k=words))


def gold_item(chance: random.Random, number: int) -> dict[str, object]:
    answerable = chance.random() < 0.7
    item: dict[str, object] = {
        "qid": f"Q{number:07d}",
        "question": sentence(chance, 9) + "?",
        "answerable": answerable,
        "gold_claim_substr": [sentence(chance, 4)] if answerable else [],
        "gold_citations": [f"p{number % 9999}#{number % 7}"] if answerable else [],
        "tags": [chance.choice(TAGS)],
    }
    if chance.random() < 0.02:
        item["constraints"] = ["X rejects null keys."]
    return item


def trace_line(chance: random.Random, item: dict[str, object]) -> dict[str, object]:
    wanted = list(map(str, item["gold_citations"]))  # type: ignore[call-overload]
    retrieved = [f"p{chance.randrange(9999)}#{chance.randrange(7)}" for _ in range(8)]
    if wanted and chance.random() < 0.9:
        retrieved[chance.randrange(8)] = wanted[0]
    luck = chance.random()
    claim, citations = "not in context", []
    if item["answerable"] and luck < 0.85:
        expected = str(item["gold_claim_substr"][0])  # type: ignore[index]
        said = expected if chance.random() < 0.95 else sentence(chance, 4)
        claim, citations = f"{sentence(chance, 3)} {said}.", wanted
    elif not item["answerable"] and luck >= 0.95:
        claim, citations = f"{sentence(chance, 8)}.", retrieved[:1]
    if chance.random() < 0.05:
        claim = f"Café: {claim}"
    answer: dict[str, object] = {"claim": claim, "citations": citations}
    if "constraints" in item:
        answer["constraints_echo"] = item["constraints"]
    return {
        "qid": item["qid"],
        "q": item["question"],
        "retrieved_ids": retrieved,
        "answer_json": answer,
        "ts": 1_700_000_000 + chance.randrange(10**6),
        "latency_ms": chance.randrange(100, 3000),
        "ok": True,
    }


def fat(folder: Path, items: int) -> None:
    """The same, whose traces bring the texts that were retrieved: 12 kB a line."""
    answers(folder, items)
    chance = random.Random(11)
    words = " ".join(chance.choices(WORDS, k=60_000))

    def with_texts(line: dict[str, Any]) -> dict[str, Any]:
        size = 12_000 // len(line["retrieved_ids"])
        starts = (chance.randrange(len(words) - size) for _ in line["retrieved_ids"])
        return {**line, "retrieved_texts": [words[start : start + size] for start in starts]}

    rewrite(folder / "trace.jsonl", folder / "fat.jsonl", with_texts)


def forms(folder: Path, items: int) -> None:
    """The same as Parquet, as a JSON array and as CSV."""
    import pyarrow.json  # type: ignore[import-untyped]
    import pyarrow.parquet  # type: ignore[import-untyped]

    answers(folder, items)
    for part in ("gold", "trace"):
        table = pyarrow.json.read_json(folder / f"{part}.jsonl")
        pyarrow.parquet.write_table(table, folder / f"{part}.parquet")
        lines = (folder / f"{part}.jsonl").read_text().splitlines()
        (folder / f"{part}.json").write_text(f"[{','.join(lines)}]")
        rows = [cells(json.loads(line)) for line in lines]
        with (folder / f"{part}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(dict.fromkeys(name for row in rows for name in row)))
            writer.writeheader()
            writer.writerows(rows)


def cells(value: dict[str, object], at: str = "") -> dict[str, str]:
    made: dict[str, str] = {}
    for key, item in value.items():
        if isinstance(item, dict):
            made |= cells(item, f"{at}{key}.")
        else:
            made[f"{at}{key}"] = item if isinstance(item, str) else json.dumps(item)
    return made


def another_shape(folder: Path, items: int) -> None:
    """The same traces as another tool might write them, with what every form of a mapping reads."""
    answers(folder, items)
    rewrite(folder / "trace.jsonl", folder / "foreign.jsonl", foreign)


def rewrite(source: Path, target: Path, change: Any) -> None:
    """Every line of a file, changed."""
    with source.open() as lines, target.open("w") as out:
        for line in lines:
            out.write(json.dumps(change(json.loads(line)), ensure_ascii=False) + "\n")


def foreign(line: dict[str, Any]) -> dict[str, Any]:
    """A trace as another tool might write it, with what every form reads."""
    said, ids = line["answer_json"], line["retrieved_ids"]
    cited = said["citations"]
    return {
        "qid": line["qid"],
        "found": ids,
        "hits": [{"rank": rank, "id": each} for rank, each in enumerate(ids)],
        "out": {
            "text": said["claim"],
            "cites": cited,
            "cite": cited[0] if cited else None,
            "places": [ids.index(each) + 1 for each in cited if each in ids],
            "sources": [{"chunk": {"id": each}} for each in cited],
        },
        "choices": [{"text": said["claim"]}],
        "answered": said["claim"] != "not in context",
        "kind": "none" if said["claim"] == "not in context" else "said",
        "answer_json": {"constraints_echo": said.get("constraints_echo")},
    }


# How a claim writes the number, and how often: most are plain, some are what only people read.
SPELLINGS = {
    "was ${comma} million in 2018": 40,
    "is {comma}": 20,
    "was {plain} million": 10,
    "amounted to USD {comma} million": 5,
    "came to about ${comma}m": 5,
    "was ({comma}) before tax": 2,
    "was {plain} % of 4,312": 3,
    "stood at ${comma} million, up from $1,204 million": 15,
}


def numbers(folder: Path, items: int, seed: int = 7) -> None:
    """Traces, and two gold sets for them: one expects phrases, the other numbers."""
    chance = random.Random(seed)
    weights = list(SPELLINGS.values())
    with (
        (folder / "phrases.jsonl").open("w") as phrases,
        (folder / "numbers.jsonl").open("w") as numbers,
        (folder / "trace.jsonl").open("w") as trace,
    ):
        for item in range(items):
            cents = chance.randrange(100, 10**8)
            wanted, said = cents, cents if chance.random() < 0.9 else cents + 700
            qid, page = f"Q{item:07d}", f"p{item % 9999}#{item % 7}"
            gold = {"qid": qid, "question": f"{sentence(chance, 9)}, in USD millions?"}
            gold |= {"answerable": True, "gold_citations": [page]}
            phrase = {"gold_claim_substr": [f"{wanted / 100:,.2f}"]}
            number = {"gold_answer": {"number": f"{wanted / 100:.2f}", "unit": "USD million"}}
            phrases.write(json.dumps(gold | phrase) + "\n")
            numbers.write(json.dumps(gold | number) + "\n")
            spelling = chance.choices([*SPELLINGS], weights)[0]
            text = spelling.format(comma=f"{said / 100:,.2f}", plain=f"{said / 100:.2f}")
            answer = {"claim": f"The {sentence(chance, 3)} {text}.", "citations": [page]}
            retrieved = [page, *(f"p{chance.randrange(9999)}#1" for _ in range(7))]
            line = {"qid": qid, "retrieved_ids": retrieved, "answer_json": answer}
            trace.write(json.dumps(line) + "\n")


# How many spans the collector puts on a line.
BATCH = 100
_START = 1_790_000_000_000_000_000


def attribute(key: str, value: object) -> dict[str, object]:
    kinds = {int: "intValue", float: "doubleValue"}
    return {"key": key, "value": {kinds.get(type(value), "stringValue"): value}}


class Spans:
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
        made = [
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
        return item, made


def spans(folder: Path, traces: int) -> None:
    """Five spans a trace as a collector writes them (12 kB), their gold set, and thin rows."""
    answers(folder, traces)
    maker = Spans()
    waiting: list[dict[str, object]] = []
    with (folder / "found.jsonl").open("w") as gold, (folder / "spans.jsonl").open("w") as file:
        for number in range(traces):
            item, parts = maker.trace(number)
            gold.write(json.dumps(item) + "\n")
            waiting += parts
            if len(waiting) >= BATCH or number == traces - 1:
                line = {"resourceSpans": [{"scopeSpans": [{"spans": waiting}]}]}
                file.write(json.dumps(line) + "\n")
                waiting = []


def runs(folder: Path, questions: int) -> None:
    """Twenty runs of each question, whose claims have 200 characters; and as many traces."""
    answers(folder, 20 * questions)
    chance = random.Random(0)
    with (folder / "asked.jsonl").open("w") as gold, (folder / "runs.jsonl").open("w") as lines:
        for number in range(questions):
            qid = f"q{number}"
            gold.write(json.dumps({"qid": qid, "answerable": True}) + "\n")
            for seed in range(20):
                answer = {"claim": sentence(chance, 40)[:200]}
                run = {"qid": qid, "seed": seed, "jitter": "none", "answer_json": answer}
                lines.write(json.dumps(run) + "\n")


def rankings(folder: Path, queries: int) -> None:
    """A run of 100 documents a question, sorted as systems write it, with its judgments."""
    answers(folder, queries)
    rng = random.Random(7)
    depth, judged = 100, 12
    with (folder / "run.txt").open("w") as lines, (folder / "qrels.txt").open("w") as judgments:
        for number in range(queries):
            qid = 100_000 + 7 * number
            docs = rng.sample(range(8_800_000), depth + judged // 2)
            scores = sorted((round(rng.uniform(5, 40), 4) for _ in range(depth)), reverse=True)
            ranked = enumerate(zip(docs, scores, strict=False), 1)
            lines.writelines(f"{qid} Q0 {doc} {at} {score} bench\n" for at, (doc, score) in ranked)
            picks = {min(int(rng.expovariate(1 / 25)), depth - 1) for _ in range(judged // 2)}
            gold = [docs[pick] for pick in sorted(picks)] + docs[depth:]
            grades = [1, *rng.choices((0, 0, 1, 1, 2, 3), k=len(gold) - 1)]
            pairs = zip(gold, grades, strict=True)
            judgments.writelines(f"{qid} 0 {doc} {grade}\n" for doc, grade in pairs)


def documents(folder: Path, number: int) -> None:
    """Text files of 300 words each, questions about them, and as many traces."""
    answers(folder, number)
    chance = random.Random(3)
    (folder / "docs").mkdir()
    for each in range(number):
        paragraphs = "\n\n".join(sentence(chance, 60) + f" {each}." for _ in range(5))
        (folder / "docs" / f"{each}.md").write_text(paragraphs)


def pipeline(folder: Path, questions: int) -> None:
    """A pipeline that answers at once, and as many traces."""
    answers(folder, questions)
    answer = {"answer_json": {"claim": "It does.", "citations": ["p1"]}, "retrieved_ids": ["p1"]}
    (folder / "pipeline.py").write_text(f"def answer(question):\n    return {answer!r}\n")
