"""`--from`, `--gold-from` and `convert`, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import Command, Folder

GUESS = {
    "id": 1,
    "input": "Who wrote it?",
    "output": [{"answer": "Ada Lovelace", "provenance": []}],
}
PAGE = [{"wikipedia_id": "12", "start_paragraph_id": 3}]
GOLD = {"id": 1, "input": "Who?", "output": [{"answer": "Lovelace", "provenance": PAGE}]}
KILT = ("--from", "kilt", "--gold-from", "kilt", "--gold", "gold.jsonl", "--trace", "guess.jsonl")


@pytest.fixture
def kilt(folder: Folder) -> Folder:
    folder.write(
        "guess.jsonl", [{**GUESS, "output": [{"answer": "Ada Lovelace", "provenance": PAGE}]}]
    )
    folder.write("gold.jsonl", [GOLD])
    return folder


def test_kilts_published_values_hold(command: Command, shared_data: Path):
    files = shared_data / "formats"
    words = ("--gold", f"{files}/kilt-gold.jsonl", "--trace", f"{files}/kilt-guess.jsonl")
    ran = command("score", "--from", "kilt", "--gold-from", "kilt", *words, "--json")
    metrics = {name: each["value"] for name, each in ran.json["metrics"].items()}
    third, two_thirds = pytest.approx(1 / 3), pytest.approx(2 / 3)
    # Exact matches, R-precision and recall@5 of KILT's own test.
    assert metrics["containment"] == two_thirds
    assert (metrics["recall@k"], metrics["chr"]) == (third, third)


@pytest.mark.usefixtures("kilt")
def test_scoring_and_converting_first_come_to_the_same(command: Command):
    direct = command("score", *KILT, "--json").json
    assert command("convert", "--from", "kilt", "guess.jsonl", "-o", "t.jsonl").code == 0
    assert command("convert", "--gold-from", "kilt", "gold.jsonl", "-o", "g.parquet").code == 0
    after = command("score", "--gold", "g.parquet", "--trace", "t.jsonl", "--json").json
    assert direct["settings"].pop("from") == direct["settings"].pop("gold_from") == "kilt"
    assert direct.pop("digest") != after.pop("digest")
    assert direct == after


def test_losses_are_counted_and_told(command: Command, kilt: Folder):
    kilt.write("guess.jsonl", [GUESS, {**GUESS, "id": 2, "output": []}])
    ran = command("convert", "--from", "kilt", "guess.jsonl", "-o", "t.jsonl")
    assert ran.text.splitlines() == [
        "t.jsonl: 2 lines in, 1 trace out",
        "  1 line left out: no_answer, no output has an answer (guess.jsonl:2)",
        "  1 trace: no_provenance, no citations and nothing retrieved: the output names no page "
        "(guess.jsonl:1)",
    ]
    warnings = command("score", *KILT, "--json").json["warnings"]
    assert "kilt: 1 line left out: no_answer, no output has an answer" in warnings
    said = command("convert", "--from", "kilt", "guess.jsonl", "-o", "t.jsonl", "--json").json
    assert (said["came_in"], said["used"], said["came_out"]) == (2, 1, 1)
    assert (said["lost"], said["lacks"]) == ({"no_answer": 1}, {"no_provenance": 1})


@pytest.mark.usefixtures("kilt")
def test_a_shape_that_is_known_is_named_and_nothing_is_tried(command: Command):
    ran = command("score", "--gold", "gold.jsonl", "--trace", "guess.jsonl")
    assert ran.code == 2
    assert "it looks like kilt's: try --gold-from kilt" in ran.err
    assert "it looks like kilt's: try --from kilt" in ran.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--from", "kild", "guess.jsonl", "-o", "t.jsonl"), "did you mean 'kilt'?"),
        (("guess.jsonl", "-o", "t.jsonl"), "give one of --from NAME and --gold-from NAME"),
        (("--from", "kilt", "guess.jsonl"), "give -o FILE"),
        (("--from", "kilt", "-o", "t.jsonl"), "give the files to convert"),
        (("--from", "kilt", "guess.jsonl", "-o", "guess.jsonl"), "would replace an input"),
        (("--from", "kilt", "gone.jsonl", "-o", "t.jsonl"), "gone.jsonl does not exist"),
        (("--from", "kilt", "empty.jsonl", "-o", "t.jsonl"), "nothing came out of 0 lines"),
        (("--from", "kilt", "cut.jsonl", "-o", "t.jsonl"), "cut.jsonl:2: json: "),
        (("--from", "kilt", "document.json", "-o", "t.jsonl"), "one JSON document over several"),
    ],
)
def test_bad_input_is_one_sentence_and_writes_nothing(
    command: Command, kilt: Folder, words: tuple[str, ...], says: str
):
    kilt.write("empty.jsonl", "")
    kilt.write("cut.jsonl", json.dumps(GUESS) + '\n{"id": 2, "inp')
    kilt.write("document.json", json.dumps(GUESS, indent=1))
    ran = command("convert", *words)
    assert ran.code == 2
    assert says in ran.err
    assert not (kilt.work / "t.jsonl").exists()


def test_a_repeated_id_is_named_where_it_is(command: Command, kilt: Folder):
    kilt.write("gold.jsonl", "\n" + (json.dumps(GOLD) + "\n") * 2)
    ran = command("score", *KILT)
    assert ran.code == 2
    assert 'gold.jsonl:3: qid: "1" was already given on line 2' in ran.err


OWN = """
[answers]
from = "mine"

[format.mine]
sql = "sql/mine.sql"
reads = "traces"
"""
SQL = "select file, row, json->>'$.n' as qid, {'claim': json->>'$.said'} as answer_json from raw"


def test_a_format_of_ones_own(command: Command, folder: Folder):
    folder.fill()
    folder.write("ragstone.toml", OWN)
    folder.write("sql/mine.sql", SQL)
    folder.write("log.jsonl", [{"n": "A1", "said": "no"}, {"n": "A2", "said": "not in context"}])
    ran = command("score", "--gold", "gold.jsonl", "--trace", "log.jsonl", "--json")
    assert ran.json["settings"]["from"] == "mine"
    assert ran.json["inputs"]["kept"] == 2
    folder.write("sql/mine.sql", f"{SQL} where qid <> 'A2'")
    ran = command("convert", "--from", "mine", "log.jsonl", "-o", "t.jsonl")
    assert ran.code == 2
    assert "accounts for 1 of 2 lines; each must come out or be lost by name" in ran.err


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("mine.sql", "gone.sql"), "the SQL file sql/gone.sql cannot be read"),
        (('reads = "traces"', 'reads = "logs"'), "expected 'traces' or 'gold', found 'logs'"),
        (('reads = "traces"', 'reads = "traces"\nkut = 1'), "format.mine.kut: there is no such"),
        (('reads = "traces"', 'reads = "traces"\ncuts = ["line"]'), "did you mean 'lines'?"),
    ],
)
def test_a_bad_declaration_is_named(
    command: Command, folder: Folder, change: tuple[str, str], says: str
):
    folder.fill()
    folder.write("ragstone.toml", OWN.replace(*change))
    folder.write("sql/mine.sql", SQL)
    ran = command("score", "--gold", "gold.jsonl", "--trace", "trace.jsonl")
    assert ran.code == 2
    assert says in ran.err


ENTRY = "[ragstone.formats]\nmine = a_package:MINE\nbroken = a_package:GONE\n"
PACKAGE = """
from pathlib import Path
from ragstone.formats.declared_format import read_format
MINE = read_format(Path(__file__).with_name("mine.toml"))
"""


def test_a_format_of_a_package(
    command: Command, folder: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    about = tmp_path / "site" / "a_package-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: a-package\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(ENTRY)
    (about.parent / "a_package.py").write_text(PACKAGE)
    (about.parent / "mine.toml").write_text('reads = "traces"\nsays = "mine"\n')
    (about.parent / "mine.sql").write_text(SQL)
    monkeypatch.syspath_prepend(about.parent)
    folder.write("log.jsonl", [{"n": "A1", "said": "no"}])
    ran = command("convert", "--from", "mine", "log.jsonl", "-o", "t.jsonl")
    assert (ran.code, ran.text) == (0, "t.jsonl: 1 line in, 1 trace out\n")
    ran = command("convert", "--from", "broken", "log.jsonl", "-o", "t.jsonl")
    assert ran.code == 2
    assert "the format broken of a_package:GONE cannot be read" in ran.err


def test_formats_are_listed(command: Command, folder: Folder):
    folder.write("ragstone.toml", OWN)
    folder.write("sql/mine.sql", SQL)
    lines = command("convert", "--list").text.splitlines()
    assert any(line.startswith("--gold-from kilt ") for line in lines)
    assert lines[-1] == "--from mine              the format mine of ragstone.toml"
