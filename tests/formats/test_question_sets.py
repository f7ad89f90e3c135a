"""Gold sets of other tools, on real files: what comes out is what plain Python finds in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from against.answers_oracle import contains
from command import Command, Folder

Line = dict[str, Any]
SYSTEMS = ("bert_single", "bidaf_selfattn_elmo", "nlnet_single")


def lines_of(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def converted(command: Command, name: str, *files: Path | str) -> tuple[list[Line], Line]:
    """The gold items that come out of files, and what is said of them."""
    ran = command("convert", "--gold-from", name, *map(str, files), "-o", "g.jsonl", "--json")
    assert ran.code == 0, ran.err
    return lines_of(command.folder.work / "g.jsonl"), ran.json


@pytest.fixture(scope="module")
def squad(shared_data: Path) -> Path:
    (found,) = (shared_data / "squad2").glob("dev-v2.0*.json")
    return found


def questions_of(squad: Path) -> list[Line]:
    return [
        {**question, "paragraph": f"{article['title']}#{number}"}
        for article in json.loads(squad.read_text(encoding="utf-8"))["data"]
        for number, paragraph in enumerate(article["paragraphs"], 1)
        for question in paragraph["qas"]
    ]


@pytest.mark.data
def test_squad2(command: Command, squad: Path):
    raw = questions_of(squad)
    items, said = converted(command, "squad2", squad)
    assert (said["came_in"], said["came_out"], said["lost"]) == (11_873, 11_873, {})
    assert sum(not item["answerable"] for item in items) == 5_945
    by_hand = []
    for each in raw:
        item = {"qid": each["id"], "question": each["question"]}
        item["answerable"] = not each["is_impossible"]
        if not each["is_impossible"]:
            texts = dict.fromkeys(answer["text"] for answer in each["answers"])
            item["gold_claim_substr"] = list(texts)
        by_hand.append({**item, "paragraphs": [each["paragraph"]]})
    assert items == by_hand


@pytest.mark.data
@pytest.mark.parametrize("system", SYSTEMS)
def test_squad2_is_scored_with_two_flags(command: Command, squad: Path, system: str):
    predictions = squad.parent / f"predictions.v2.0.{system}.json"
    inputs = ("--gold", str(squad), "--trace", str(predictions))
    told = command("score", *inputs, "--gold-from", "squad2", "--from", "squad2", "--json").json
    said = json.loads(predictions.read_text(encoding="utf-8"))
    questions = questions_of(squad)
    impossible = {each["id"]: each["is_impossible"] for each in questions}
    refused = {qid for qid, text in said.items() if text == ""}
    answered = [qid for qid, never in impossible.items() if never and qid not in refused]
    silent = [qid for qid, never in impossible.items() if not never and qid in refused]
    nevers = sum(impossible.values())
    assert told["under_refusal"] == len(answered) / nevers
    assert told["over_refusal"] == len(silent) / (len(impossible) - nevers)
    assert told["refused"] == len(refused)
    texts = {each["id"]: [answer["text"] for answer in each["answers"]] for each in questions}
    tried = [qid for qid, never in impossible.items() if not never and qid not in refused]
    by_phrase = sum(contains(said[qid], texts[qid]) for qid in tried)
    # A phrase under the floor counts where it says what it means, as figures and capitals do.
    short = sum(max(map(len, texts[qid])) < 5 for qid in tried)
    right = round(told["containment"] * len(tried))
    assert by_phrase < right <= by_phrase + short
    assert told["containment"] == right / len(tried)
    assert told["precision"] == right / (len(tried) + len(answered))


@pytest.mark.data
def test_mtrag_tasks(command: Command, shared_data: Path):
    file = shared_data / "formats" / "mtrag-responses.jsonl"
    raw = lines_of(file)
    items, said = converted(command, "mtrag", file)
    by_hand = []
    for line in raw:
        (kind,) = line["answerability"]
        relevant = [
            context["document_id"]
            for context in line["contexts"]
            if any(each["value"] == "yes" for each in context["feedback"]["relevant"].values())
        ]
        item = {"qid": line["task_id"], "question": line["input"][-1]["text"]}
        item["answerable"] = kind == "ANSWERABLE"
        item |= {"gold_citations": relevant} if relevant else {}
        item |= {"tags": line["Question Type"], "turn": str(line["turn"])}
        by_hand.append({**item, "target": line["targets"][0]["text"]})
    assert items == by_hand
    assert said["lacks"] == {
        "no_phrases": len(raw),
        "earlier_turns": sum(len(line["input"]) > 1 for line in raw),
    }


@pytest.mark.data
def test_mtrag_is_scored_with_two_flags(command: Command, shared_data: Path):
    file = str(shared_data / "formats" / "mtrag-responses.jsonl")
    inputs = ("--gold", file, "--gold-from", "mtrag", "--trace", file, "--from", "mtrag")
    told = command("score", *inputs, "--json").json
    raw = lines_of(Path(file))
    nevers = [line for line in raw if line["answerability"] == ["UNANSWERABLE"]]
    assert (told["unanswerable"], told["answerable"]) == (len(nevers), len(raw) - len(nevers))
    # The generator was given the evidence, of which no question has more than five pieces.
    assert max(len(line["contexts"]) for line in raw) <= 5
    assert told["metrics"]["recall@k"]["value"] == 1.0


HANDMADE_QUERIES = [
    {"_id": "PLAIN-2", "text": "Do statins cause cancer?", "metadata": {"url": "x"}},
    {"_id": "PLAIN-3", "text": "Why do we age?", "metadata": {}},
    {"_id": "PLAIN-4", "text": "A query of the training set", "metadata": {}},
]
HANDMADE_QRELS = "\n".join(
    ["query-id\tcorpus-id\tscore", "PLAIN-2\tMED-1\t2", "PLAIN-2\tMED-2\t1", "PLAIN-3\tMED-2\t0"]
)
TRACES = [
    {"qid": "PLAIN-2", "retrieved_ids": ["MED-2", "MED-9"], "answer_json": {"claim": "No."}},
    {"qid": "PLAIN-3", "retrieved_ids": [], "answer_json": {"claim": "not in context"}},
]


@pytest.fixture
def handmade_beir(folder: Folder) -> Folder:
    """A folder of BEIR, made by hand from its published list of fields."""
    folder.write("beir/queries.jsonl", HANDMADE_QUERIES)
    folder.write("beir/qrels/test.tsv", HANDMADE_QRELS + "\n")
    folder.write("beir/corpus.jsonl", [{"_id": "MED-1", "title": "T", "text": "Statins ..."}])
    folder.write("trace.jsonl", TRACES)
    return folder


@pytest.mark.usefixtures("handmade_beir")
def test_a_folder_of_beir(command: Command):
    inputs = ("--gold", "beir", "--gold-from", "beir", "--trace", "trace.jsonl")
    told = command("score", *inputs, "--json").json
    assert (told["answerable"], told["unanswerable"]) == (1, 1)
    # One of the two relevant documents was retrieved.
    assert told["metrics"]["recall_frac@k"]["value"] == 0.5
    assert (told["metrics"]["recall@k"]["value"], told["under_refusal"]) == (0.0, 0.0)
    assert told["warnings"][:2] == [
        "beir: 1 line left out: not_judged, a query that no line of the qrels is about",
        "beir: 1 gold item: nothing_relevant, no document has a grade of 1 or more: the question "
        "counts as not answerable",
    ]


@pytest.mark.usefixtures("handmade_beir")
def test_the_files_of_beir_one_by_one(command: Command):
    items, said = converted(command, "beir", "beir/qrels/test.tsv", "beir/queries.jsonl")
    assert [item["gold_citations"] for item in items] == [{"MED-1": 2, "MED-2": 1}, {"MED-2": 0}]
    # The header is no line of data.
    assert (said["came_in"], said["used"]) == (6, 5)


def test_one_query_on_one_line_is_a_line(command: Command, handmade_beir: Folder):
    handmade_beir.write("beir/queries.jsonl", HANDMADE_QUERIES[:1])
    (item,), _ = converted(command, "beir", "beir")
    assert item["qid"] == "PLAIN-2"


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("queries.jsonl", "", "nothing came out of 3 lines: 3 lines left out: no_query"),
        ("queries.jsonl", '{"_id": "PLAIN-2", "te', "beir/queries.jsonl:1: json: "),
        ("qrels/test.tsv", b"PLAIN-2\tMED-\xff\t1\n", "beir/qrels/test.tsv:1: line: it is not UTF"),
        ("qrels/test.tsv", "PLAIN-2\tMED-1\tyes\n", "no_grade, a judgment whose last column is no"),
        (
            "queries.jsonl",
            '{"_id": "PLAIN-2", "text": "a"}\n' * 2,
            'beir/queries.jsonl:2: qid: "PLAIN-2" was already given on beir/queries.jsonl:1',
        ),
    ],
)
def test_bad_files_of_beir(
    command: Command, handmade_beir: Folder, name: str, text: str | bytes, says: str
):
    handmade_beir.write(f"beir/{name}", text)
    ran = command("convert", "--gold-from", "beir", "beir", "-o", "g.jsonl")
    assert ran.code == 2
    assert says in ran.err
    assert not (handmade_beir.work / "g.jsonl").exists()
