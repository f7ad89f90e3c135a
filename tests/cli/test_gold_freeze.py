"""`ragstone gold freeze` and `verify`: who signed the gold set off, and whether it is still so."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from builders import gold, trace
from command import INPUTS, Command, Folder

import ragstone

WHO = ("--who", "Ann Lee", "--why", "reviewed", "--as-of", "2026-01-31")
ITEMS = [gold("A1"), gold("A2", answerable=False), gold("A3", level=1.5)]


def freeze(command: Command, file: str = "gold.jsonl", *words: str) -> str:
    ran = command("gold", "freeze", file, *(words or WHO))
    assert (ran.code, ran.err) == (0, "")
    return ran.text


def lock(folder: Folder, name: str = "gold.lock") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder.work / name).read_bytes())
    return found


def change(folder: Folder, **fields: Any) -> None:
    folder.write("gold.jsonl", [gold("A1", **fields), *ITEMS[1:]])


@pytest.fixture
def frozen(command: Command, folder: Folder) -> Folder:
    """A gold set of three items that is frozen, and traces."""
    folder.write("gold.jsonl", ITEMS)
    folder.write("trace.jsonl", [trace(item["qid"]) for item in ITEMS])
    freeze(command)
    return folder


def test_a_lock_says_who_and_why_and_has_an_item_on_each_line(frozen: Folder) -> None:
    found = lock(frozen)
    (signed,) = found["freezes"]
    assert (signed["who"], signed["why"], signed["at"]) == ("Ann Lee", "reviewed", "2026-01-31")
    assert (signed["added"], signed["removed"], signed["changed"]) == (3, 0, 0)
    assert found["file"]["name"] == "gold.jsonl"
    assert found["file"]["hash"] == signed["hash"]
    lines = (frozen.work / "gold.lock").read_text().splitlines()
    assert [line.split(":")[0].strip() for line in lines[-5:-2]] == ['"A1"', '"A2"', '"A3"']
    assert list(found["items"]) == ["A1", "A2", "A3"]


def test_neither_the_order_of_lines_nor_the_spelling_of_json_matters(
    command: Command, frozen: Folder
) -> None:
    before = (frozen.work / "gold.lock").read_bytes()
    odd = [json.dumps(item, indent=None, separators=(" ,", " : ")) for item in ITEMS[::-1]]
    frozen.write("gold.jsonl", b"\xef\xbb\xbf" + "\r\n\n".join(odd).encode())
    assert command("gold", "verify", "gold.jsonl").code == 0
    assert command.score().code != 2
    assert freeze(command).startswith("nothing changed since the last freeze")
    assert (frozen.work / "gold.lock").read_bytes() == before


def test_what_changed_is_named_and_a_new_freeze_signs_it_off(
    command: Command, frozen: Folder
) -> None:
    frozen.write("gold.jsonl", [gold("A1", question="Other?"), ITEMS[1], gold("A9")])
    ran = command("gold", "verify", "gold.jsonl")
    assert ran.code == 1
    says = "gold.jsonl is not as it was frozen: 1 added (A9), 1 removed (A3), 1 changed (A1)"
    assert ran.text.splitlines() == [says, "frozen by Ann Lee on 2026-01-31: reviewed"]
    told = command("gold", "verify", "gold.jsonl", "--json")
    assert (told.code, told.json["pass"], told.json["frozen"]) == (1, False, False)
    assert told.json["changed"] == {"count": 1, "first": ["A1"]}
    assert freeze(command, "gold.jsonl", "--who", "Ben", "--why", "A1 was unclear").startswith(
        "froze 3 items: 1 added, 1 removed, 1 changed\nwrote gold.lock"
    )
    assert command("gold", "verify", "gold.jsonl").code == 0
    signed = lock(frozen)["freezes"]
    assert [(each["who"], each["changed"]) for each in signed] == [("Ann Lee", 0), ("Ben", 1)]


def test_changed_gold_is_not_scored_until_it_is_signed_off(
    command: Command, frozen: Folder
) -> None:
    assert command.score("--json").code in (0, 1)
    change(frozen, gold_claim_substr=["accepts null keys"])
    ran = command.score("-o", "report.json")
    assert (ran.code, ran.out) == (2, b"")
    assert "gold.jsonl is not as it was frozen: 1 changed (A1)" in ran.err
    assert "gold freeze gold.jsonl --who WHO --why WHY" in ran.err
    assert not (frozen.work / "report.json").exists()
    freeze(command, "gold.jsonl", "--who", "Ben", "--why", "the docs changed")
    assert command.score().code in (0, 1)


def test_a_look_at_changed_gold_decides_nothing(command: Command, frozen: Folder) -> None:
    passing = ("--gates", "under=off", "over=off", "precision=off", "chr=off", "missing=off")
    before = command.score("--unfrozen", "--json", *passing)
    assert before.out == command.score("--json", *passing).out
    change(frozen, notes="a word")
    ran = command.score("--unfrozen", "--json", *passing)
    assert ran.code == 3
    assert (ran.json["decision"], ran.json["pass"], ran.json["unfrozen"]) == (
        "UNMEASURABLE",
        False,
        True,
    )
    assert ran.json["settings"]["unfrozen"] is True
    assert ran.json["digest"] != before.json["digest"]
    assert ran.json["metrics"] == before.json["metrics"]
    lines = command.score("--unfrozen").text.splitlines()
    assert lines[-1].startswith("NOT FROZEN")


def test_a_call_in_python_is_held_by_the_lock_too(command: Command, frozen: Folder) -> None:
    change(frozen, answerable=False)
    with pytest.raises(ragstone.InputError, match="is not as it was frozen: 1 changed"):
        ragstone.answers("gold.jsonl", "trace.jsonl")
    report = ragstone.answers("gold.jsonl", "trace.jsonl", unfrozen=True)
    assert (report.unfrozen, report.exit_code, bool(report)) == (True, 3, False)
    assert repr(report) == "<Report answers NOT FROZEN: a look, which decides nothing>"
    items = [json.loads(line) for line in (frozen.work / "gold.jsonl").read_bytes().splitlines()]
    assert not ragstone.answers(items, "trace.jsonl").unfrozen


def test_gold_from_standard_input_has_no_lock(command: Command, frozen: Folder) -> None:
    change(frozen, answerable=False)
    data = (frozen.work / "gold.jsonl").read_bytes()
    ran = command("score", "--gold", "-", "--trace", "trace.jsonl", stdin=data)
    assert ran.code in (0, 1)
    for action in (("freeze", *WHO), ("verify",)):
        refused = command("gold", action[0], "-", *action[1:], stdin=data)
        assert refused.code == 2
        assert "standard input has no lock" in refused.err


def test_each_of_several_gold_files_has_its_own_lock(command: Command, folder: Folder) -> None:
    folder.write("eval/a.jsonl", [gold("A1")])
    folder.write("eval/b.jsonl", [gold("B1")])
    folder.write("trace.jsonl", [trace("A1"), trace("B1")])
    words = ("score", "--gold", "eval/*.jsonl", "--trace", "trace.jsonl")
    freeze(command, "eval/b.jsonl")
    assert command(*words).code == 0
    folder.write("eval/a.jsonl", [gold("A1", notes="anything")])
    assert command(*words).code == 0
    folder.write("eval/b.jsonl", [gold("B1", notes="anything")])
    ran = command(*words)
    assert ran.code == 2
    assert "eval/b.jsonl is not as it was frozen: 1 changed (B1)" in ran.err
    assert "matches 2 files" in command("gold", "freeze", "eval/*.jsonl", *WHO).err


def test_a_packed_gold_set_keeps_the_lock_of_the_plain_one(
    command: Command, frozen: Folder
) -> None:
    path = frozen.work / "gold.jsonl"
    (frozen.work / "gold.jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
    refused = command("gold", "freeze", "gold.jsonl.gz", *WHO)
    assert refused.code == 2
    assert "gold.lock is the lock of gold.jsonl" in refused.err
    words = ("score", "--gold", "gold.jsonl.gz", "--trace", "trace.jsonl")
    path.unlink()
    assert command("gold", "verify", "gold.jsonl.gz").code == 0
    assert command(*words).code in (0, 1)
    (frozen.work / "gold.jsonl.gz").write_bytes(gzip.compress(json.dumps(ITEMS[0]).encode()))
    assert command(*words).code == 2
    freeze(command, "gold.jsonl.gz")
    assert lock(frozen)["file"]["name"] == "gold.jsonl.gz"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "--who is needed: a freeze says who signs the gold set off, and why it is right"),
        (("--who", "Ann"), "--why is needed"),
        (("--who", " ", "--why", "x"), "--who is needed"),
        (("--who", "A", "--why", "x", "--as-of", "yesterday"), "--as-of 'yesterday': expected"),
    ],
)
def test_a_freeze_is_signed(
    words: tuple[str, ...], says: str, command: Command, folder: Folder
) -> None:
    folder.fill()
    ran = command("gold", "freeze", "gold.jsonl", *words)
    assert (ran.code, ran.out) == (2, b"")
    assert says in ran.err
    assert not (folder.work / "gold.lock").exists()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "gold.jsonl:1: qid: the gold file holds no item"),
        (b"{,}\n", "gold.jsonl:1: json: "),
        (b'{"qid": "A1", "answerable": true}\n' * 2, 'qid: "A1" was already given on line 1'),
        (b'{"qid": "A1", "retrieved_ids": []}\n', "gold.jsonl is no gold set"),
    ],
)
def test_only_a_good_gold_set_is_frozen(
    content: bytes, says: str, command: Command, folder: Folder
) -> None:
    folder.write("gold.jsonl", content)
    ran = command("gold", "freeze", "gold.jsonl", *WHO)
    assert (ran.code, ran.out) == (2, b"")
    assert says in ran.err
    assert folder.files() == {"work/gold.jsonl"}


def damaged(**changes: Any) -> Any:
    return lambda held: json.dumps({**held, **changes})


def of_another_name(name: str) -> Any:
    return lambda held: json.dumps({**held, "file": {**held["file"], "name": name}})


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (lambda held: "", "is damaged: it is not JSON; take it from version control"),
        (lambda held: "[1]", "is damaged: it is no object"),
        (lambda held: json.dumps(held)[:-9], "is damaged: it is not JSON"),
        (lambda held: "<<<<<<< HEAD\n" + json.dumps(held), "is damaged: it is not JSON"),
        (lambda held: '{"format": 1, "format": 1}', 'is damaged: the key "format" is repeated'),
        (damaged(format=2), "has format 2, and this version of ragstone reads 1; install a newer"),
        (damaged(format="1"), "is damaged: its format is not 1"),
        (damaged(format=True), "is damaged: its format is not 1"),
        (damaged(file={}), "is damaged: it does not say which file it is of"),
        (of_another_name("gold/jsonl"), "is damaged: what it is of is no name of a file"),
        (of_another_name(""), "is damaged: what it is of is no name of a file"),
        (of_another_name("文" * 99), "is damaged: what it is of is no name of a file"),
        (damaged(freezes=[]), "is damaged: it does not say who froze the gold set and why"),
        (damaged(freezes=[{"who": 1}]), "is damaged: it does not say who froze"),
        (damaged(items={"A1": "x"}), "is damaged: it has no hash of each item"),
        (damaged(items={}), "is damaged: the hash of the file is not that of its items"),
    ],
)
def test_a_bad_lock_is_one_clear_sentence(
    broken: Any, says: str, command: Command, frozen: Folder
) -> None:
    frozen.write("gold.lock", broken(lock(frozen)))
    for words in (
        ("gold", "verify", "gold.jsonl"),
        ("gold", "freeze", "gold.jsonl", *WHO),
        ("score", *INPUTS),
        ("score", *INPUTS, "--unfrozen"),
    ):
        ran = command(*words)
        assert (ran.code, ran.out) == (2, b"")
        assert says in ran.err
        assert ran.err.count("\n") == 1


def test_gold_without_a_lock_is_not_verified(command: Command, folder: Folder) -> None:
    folder.fill()
    ran = command("gold", "verify", "gold.jsonl")
    assert ran.code == 2
    assert "gold.jsonl is not frozen: there is no gold.lock" in ran.err
    assert command("gold", "verify", "none.jsonl").code == 2


def test_the_names_of_fields_and_the_path_come_from_the_file(
    command: Command, folder: Folder
) -> None:
    item = {**gold("A1"), "id": "A1"}
    del item["qid"]
    folder.write("gold.jsonl", [item])
    folder.write("trace.jsonl", [trace("A1")])
    folder.write(
        "ragstone.toml", "[paths]\ngold = 'gold.jsonl'\n[answers]\n[map]\n'gold.qid' = 'id'\n"
    )
    ran = command("gold", "freeze", *WHO)
    assert ran.code == 0, ran.err
    assert list(lock(folder)["items"]) == ["A1"]
    assert command("score", "--trace", "trace.jsonl").code == 0
    folder.write("gold.jsonl", [{**item, "notes": "x"}])
    assert "1 changed (A1)" in command("score", "--trace", "trace.jsonl").err


def test_nothing_of_the_data_acts_on_the_terminal(command: Command, folder: Folder) -> None:
    folder.write("gold.jsonl", [gold("\x1b[31mA\u202e")])
    words = ("--who", "\x1b[2JAnn", "--why", "so\nit is")
    out = command("gold", "freeze", "gold.jsonl", *words).text
    out += command("gold", "verify", "gold.jsonl").text
    folder.write("gold.jsonl", [gold("\x1b[31mB")])
    out += command("gold", "verify", "gold.jsonl").text + (folder.work / "gold.lock").read_text()
    assert "\x1b" not in out and "\u202e" not in out
    assert lock(folder)["freezes"][0]["who"] == "\x1b[2JAnn"


def test_a_number_beyond_all_floats_is_hashed_too(command: Command, folder: Folder) -> None:
    line = json.dumps(gold("A1"))[:-1]
    folder.write("gold.jsonl", f'{line}, "extra": 1e999}}\n')
    freeze(command)
    folder.write("gold.jsonl", f'{line}, "extra": -1e999}}\n')
    assert command("gold", "verify", "gold.jsonl").code == 1


@pytest.mark.parametrize("name", ["gold[1].jsonl", "~gold", "gold \udcff.jsonl", "é\u202e.jsonl"])
def test_a_gold_file_may_have_any_name(name: str, command: Command, folder: Folder) -> None:
    folder.write(name, ITEMS)
    folder.write("trace.jsonl", [trace(item["qid"]) for item in ITEMS])
    assert command("gold", "freeze", name, *WHO).code == 0
    assert command("gold", "verify", name).code == 0
    folder.write(name, ITEMS[:2])
    assert command("gold", "verify", name).code == 1
    ran = command("score", "--gold", name, "--trace", "trace.jsonl")
    assert (ran.code, "1 removed (A3)" in ran.err) == (2, True)


def test_two_runs_of_unfrozen_gold_are_compared_as_a_look(command: Command, frozen: Folder) -> None:
    change(frozen, notes="x")
    frozen.write("other.jsonl", [trace("A1"), trace("A2"), trace("A3", "No.")])
    words = ("compare", "trace.jsonl", "other.jsonl", "--gold", "gold.jsonl")
    assert command(*words).code == 2
    ran = command(*words, "--unfrozen", "--json")
    assert (ran.code, ran.json["unfrozen"], ran.json["pass"]) == (3, True, False)
    command.score("--unfrozen", "-o", "look.parquet")
    freeze(command, "gold.jsonl", "--who", "B", "--why", "y")
    command.score("-o", "main.parquet")
    assert command("compare", "main.parquet", "main.parquet", "--json").json.get("unfrozen") is None
    ran = command("compare", "look.parquet", "main.parquet")
    assert (ran.code, ran.text.splitlines()[-1][:10]) == (3, "NOT FROZEN")
    assert command.score("--baseline", "look.parquet").code == 3


def test_power_of_unfrozen_gold_is_a_look(command: Command, frozen: Folder) -> None:
    change(frozen, notes="x")
    assert command("power", *INPUTS).code == 2
    ran = command("power", *INPUTS, "--unfrozen")
    assert (ran.code, ran.text[:10]) == (3, "NOT FROZEN")


def test_what_has_no_room_for_a_verdict_tells_it_beside(command: Command, folder: Folder) -> None:
    folder.write("qrels.txt", "q1 0 d1 1\nq1 0 d2 0\n")
    folder.write("run.txt", "q1 Q0 d1 1 2.0 a\n")
    freeze(command, "qrels.txt")
    folder.write("qrels.txt", "q1 0 d1 2\nq1 0 d2 0\n")
    assert "1 changed (q1)" in command("trec", "qrels.txt", "run.txt", "--trec").err
    ran = command("trec", "qrels.txt", "run.txt", "--trec", "--unfrozen")
    assert (ran.code, "map" in ran.text) == (3, True)
    assert ran.err.startswith("ragstone: NOT FROZEN: The gold set is not as it was frozen")


def test_one_suite_of_a_gate_makes_the_whole_a_look(command: Command, frozen: Folder) -> None:
    frozen.write(
        "ragstone.toml",
        "[paths]\ngold = 'gold.jsonl'\ntrace = 'trace.jsonl'\n[answers]\n"
        "[stability]\ngold = 'other.jsonl'\nruns = 'runs.jsonl'\n",
    )
    frozen.write("other.jsonl", [gold("A1")])
    frozen.write("runs.jsonl", [trace("A1", seed=seed, jitter="none") for seed in (0, 1)])
    assert command("gate").code in (0, 1)
    change(frozen, notes="x")
    assert command("gate").code == 2
    ran = command("gate", "--unfrozen", "--json")
    assert (ran.code, ran.json["unfrozen"], ran.json["decision"]) == (3, True, "UNMEASURABLE")
    assert ragstone.gate("ragstone.toml", unfrozen=True).unfrozen
