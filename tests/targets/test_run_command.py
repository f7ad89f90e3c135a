"""`ragstone run` as a command: what it prints, where, and how it reads its own flags."""

from __future__ import annotations

import gzip
import hashlib
import json
import shlex
import sys
from pathlib import Path

import pyarrow.parquet
import pytest
from running import lines, run, words

from ragstone.cli.main import main
from ragstone.errors import ConfigError
from ragstone.targets.grid import configurations, read_grid

PROGRAM = Path(__file__).parent / "retrieving_program.py"
TARGET = f"cmd:{shlex.join([sys.executable, str(PROGRAM)])}"


def test_progress_goes_to_standard_error_in_plain_lines(ragstone, questions, tmp_path):
    gold = questions(12)
    given = [word for word in words(gold, TARGET, tmp_path / "t.jsonl") if word != "--quiet"]
    done = ragstone(*given)
    assert done.code == 0
    assert done.err.splitlines()[-1].startswith("12/12, ")
    assert done.err.splitlines()[-1].endswith("/s, 0 failed")
    assert "\x1b" not in done.err + done.text
    assert done.text.splitlines() == ["12 of 12 answered", f"wrote {tmp_path / 't.jsonl'}"]


def test_json_is_one_object_and_the_only_thing_on_standard_output(ragstone, questions, tmp_path):
    done = ragstone(*words(questions(3), TARGET, tmp_path / "t.jsonl", "--json"))
    assert done.code == 0
    found = done.json
    assert (found["runs"], found["asked"], found["answered"], found["failed"]) == (3, 3, 3, 0)
    assert found["complete"] is True
    assert found["pass"] is True
    assert found["digest"] == hashlib.sha256((tmp_path / "t.jsonl").read_bytes()).hexdigest()
    assert done.err == ""


def test_a_packed_gold_set_is_read_too(questions, tmp_path):
    plain = questions(5)
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    table = tmp_path / "gold.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(lines(plain)), table)
    asked = [
        [(line["qid"], line["q"]) for line in run(gold, TARGET, tmp_path / f"{gold.name}.out")]
        for gold in (plain, packed, table)
    ]
    assert asked[0] == asked[1] == asked[2]


def test_fields_with_other_names_are_mapped(tmp_path):
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"id": "A1", "ask": {"text": "Who?"}}\n')
    given = ("--map", "gold.qid=id", "question=ask.text")
    (line,) = run(gold, TARGET, tmp_path / "t.jsonl", *given)
    assert (line["qid"], line["q"]) == ("A1", "Who?")


def test_the_gold_set_and_the_output_have_defaults(ragstone, questions, tmp_path):
    questions(2)
    (tmp_path / "ragstone.toml").write_text('[paths]\ngold = "gold.jsonl"\n')
    assert ragstone("run", "--target", TARGET, cwd=tmp_path).code == 0
    assert len((tmp_path / "runs" / "trace.jsonl").read_text().splitlines()) == 2


def test_a_journal_may_be_named_in_a_folder_that_is_made(ragstone, questions):
    asked = ("run", "--gold", str(questions(1)), "--target", TARGET)
    assert ragstone(*asked, "--journal", "runs/journal").code == 0
    assert (ragstone.folder.work / "runs" / "journal").exists()


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--seeds", "a"), "--seeds 'a'"),
        (("--seeds", "5-2"), "not a range"),
        (("--jitters", "shout"), "there is no jitter 'shout'"),
        (("--knobs", "none.toml"), "none.toml cannot be read"),
        (("--retries", "-1"), "--retries -1"),
        (("--timings", "no/such/t"), "folder no/such does not exist"),
        (("--timings", "t.jsonl"), "must be different files"),
    ],
)
def test_a_flag_that_cannot_be_is_refused(flags, says, questions, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(words(questions(1), TARGET, tmp_path / "t.jsonl", *flags)) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("flag", ["--concurrency=0", "--timeout=0", "--rate=nan", "--timeout=x"])
def test_a_number_that_cannot_be_is_refused(flag, questions, tmp_path, capsys):
    assert main(words(questions(1), TARGET, tmp_path / "t.jsonl", flag)) == 2
    assert "expected a" in capsys.readouterr().err


def test_failures_are_counted_by_reason_and_scored_as_missing(ragstone, questions):
    gold = questions(4)
    done = ragstone(*flaky(ragstone, gold), "--json")
    assert done.code == 3
    assert done.json["reasons"] == {"bad_answer": 1}
    assert done.json["pass"] is False
    scored = ragstone("score", "--gold", str(gold), "--trace", "t.jsonl", "--json")
    assert scored.json["metrics"]["missing"]["numerator"] == 1


@pytest.mark.parametrize(("most", "code"), [("0", 3), ("0.19", 3), ("0.2", 0), ("1", 0)])
def test_a_share_of_failures_is_allowed_where_the_user_says_so(most, code, ragstone, tagged):
    done = ragstone(*flaky(ragstone, tagged), "--max-failed", most, "--json")
    assert (done.json["answered"], done.json["failed"]) == (4, 1)
    assert (done.code, done.json["pass"]) == (code, code == 0)
    said = (
        "the exit code is 3: some have no answer"
        in ragstone(*flaky(ragstone, tagged), "--max-failed", most).text
    )
    assert said == (code == 3)


def flaky(ragstone, gold):
    (ragstone.folder.work / "flaky.py").write_text(FLAKY)
    target = f"cmd:{shlex.join([sys.executable, 'flaky.py'])}"
    return ("run", "--gold", str(gold), "--target", target, "-o", "t.jsonl")


WRITERS = ("run", "stability run", "latency sweep")


def writer(command, gold, target, *more):
    fast = ("--rps", "20", "--duration", "0.2", "--warmup", "0") if "sweep" in command else ()
    retries = () if fast else ("--retries", "0")
    return (*command.split(), "--gold", str(gold), "--target", target, *fast, *retries, *more)


@pytest.mark.parametrize(
    ("command", "most"),
    [*((command, ()) for command in WRITERS), ("run", ("--max-failed", "1"))],
)
def test_where_nothing_was_answered_nothing_is_written(command, most, ragstone, questions):
    runs = ragstone.folder.work / "runs"
    runs.mkdir()
    mine = {name: f'{{"mine": "{name}"}}\n' for name in DEFAULTS[command]}
    for name, text in mine.items():
        (runs / name).write_text(text)
    more = () if "sweep" in command else ("--timings", "runs/times.jsonl", *most)
    done = ragstone(*writer(command, questions(2), "cmd:false", *more))
    assert done.code == 3
    assert "nothing was answered, so nothing was written" in done.text
    assert {
        path.name: path.read_text() for path in runs.iterdir() if "journal" not in path.name
    } == mine


def test_where_nothing_was_answered_standard_output_gets_nothing(ragstone, questions):
    done = ragstone(*writer("run", questions(2), "cmd:false", "-o", "-"))
    assert (done.code, done.text) == (3, "")


DEFAULTS = {
    "run": ["trace.jsonl"],
    "stability run": ["stability.jsonl"],
    "latency sweep": ["samples.jsonl", "samples.traces.jsonl"],
}


@pytest.mark.parametrize("command", WRITERS)
def test_a_file_of_another_hand_is_kept_beside_the_new_one(command, ragstone, questions):
    runs = ragstone.folder.work / "runs"
    runs.mkdir()
    for name in DEFAULTS[command]:
        (runs / name).write_text("mine\n")
        (runs / f"{name}.before").write_text("mine of last week\n")
    done = ragstone(*writer(command, questions(2), TARGET))
    assert done.code == 0
    for name in DEFAULTS[command]:
        assert (runs / f"{name}.before").read_text() == "mine of last week\n"
        assert (runs / f"{name}.before.2").read_text() == "mine\n"
        assert lines(runs / name)
        assert f"kept what was in runs/{name} as " in done.text


@pytest.mark.parametrize("command", ["run", "stability run"])
def test_what_the_journal_wrote_is_replaced(command, ragstone, questions):
    runs = ragstone.folder.work / "runs"
    asked = writer(command, questions(2), TARGET)
    (name,) = DEFAULTS[command]
    for more in ((), ("--limit", "1"), ("--fresh",), ("--fresh", "--timings", "runs/times"), ()):
        assert ragstone(*asked, *more).code == 0
    assert sorted(path.name for path in runs.iterdir()) == sorted(
        [name, f"{name}.journal", "times"]
    )
    changed = (runs / name).read_text() + '{"qid": "Q9"}\n'
    (runs / name).write_text(changed)
    assert ragstone(*asked).code == 0
    assert (runs / f"{name}.before").read_text() == changed


def test_a_broken_journal_that_is_dropped_still_knows_what_it_wrote(ragstone, questions):
    asked = writer("run", questions(2), TARGET)
    assert ragstone(*asked).code == 0
    runs = ragstone.folder.work / "runs"
    journal = runs / "trace.jsonl.journal"
    journal.write_text(journal.read_text() + "nonsense\n")
    assert ragstone(*asked).code == 2
    assert ragstone(*asked, "--fresh").code == 0
    assert sorted(path.name for path in runs.iterdir()) == ["trace.jsonl", "trace.jsonl.journal"]


def qids(found):
    return [line["qid"] for line in found]


def test_standard_output_gets_the_traces_and_nothing_else(ragstone, questions):
    gold = questions(3)
    asked = ("run", "--gold", str(gold), "--target", TARGET, "--timings", "times.jsonl", "-o", "-")
    done = ragstone(*asked)
    assert done.code == 0
    assert qids(json.loads(line) for line in done.text.splitlines()) == qids(lines(gold))
    assert "3 of 3 answered" in done.err
    # Nothing is kept: the next one asks again.
    assert [path.name for path in ragstone.folder.work.iterdir()] == ["times.jsonl"]
    assert not list(ragstone.folder.scratch.iterdir())
    kept = ragstone(*asked, "--journal", "kept.journal")
    again = ragstone(*asked, "--journal", "kept.journal")
    assert kept.text == again.text == done.text
    assert "3 were answered before (kept.journal)" in again.err


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("-o", "-", "--json"), "--json and -o - cannot be given together"),
        (("--timings", "-"), "only -o can be standard output"),
        (("--journal", "-"), "only -o can be standard output"),
        (("--timings", "runs/trace.jsonl"), "must be different files"),
        (("--journal", "other/journal"), "the folder other does not exist"),
        (("-o", "-", "--failed"), "there is no journal of one"),
        (("--failed",), "there is no runs/trace.jsonl.journal"),
        (("--failed", "--fresh"), "cannot be given together"),
        (("--qid", "Q0001", "Q000l"), "--qid 'Q000l': the gold set has no such qid; did you mean"),
        (("--tag", "polcy"), "--tag 'polcy': the gold set has no such tag; did you mean 'policy'?"),
        (("--tag", "x"), "--tag 'x': the gold set has no such tag; there are 1"),
        (("--limit", "0"), "--limit 0: expected at least 1"),
        (("--limit", "few"), "expected a whole number"),
    ],
)
def test_flags_that_cannot_go_together_are_refused(flags, says, ragstone, questions):
    gold = str(questions(4, tags=["policy"]))
    done = ragstone("run", "--gold", gold, "--target", TARGET, *flags)
    assert done.code == 2
    assert says in done.err
    assert done.text == ""
    assert not list(ragstone.folder.work.iterdir())


@pytest.fixture
def tagged(tmp_path):
    tags = [["policy"], ["api", "policy"], ["api"], None, []]
    gold = tmp_path / "gold.jsonl"
    items = ({"qid": f"Q{n}", "question": f"Question {n}?", "tags": t} for n, t in enumerate(tags))
    gold.write_text("".join(json.dumps(item) + "\n" for item in items))
    return gold


@pytest.mark.parametrize(
    ("flags", "asked"),
    [
        (("--limit", "2"), ["Q0", "Q1"]),
        (("--limit", "99"), ["Q0", "Q1", "Q2", "Q3", "Q4"]),
        (("--qid", "Q3", "Q1"), ["Q1", "Q3"]),
        (("--qid", "Q3", "--qid", "Q1"), ["Q1", "Q3"]),
        (("--tag", "api"), ["Q1", "Q2"]),
        (("--tag", "api", "policy"), ["Q0", "Q1", "Q2"]),
        (("--tag", "api", "policy", "--qid", "Q2", "Q3"), ["Q2"]),
        (("--tag", "policy", "--limit", "1"), ["Q0"]),
    ],
)
def test_a_part_of_the_gold_set_is_asked_and_written_in_its_order(flags, asked, tagged, tmp_path):
    assert qids(run(tagged, TARGET, tmp_path / "t.jsonl", *flags)) == asked
    # The journal keeps what was asked before, and the whole file is made from both.
    recorded = (tmp_path / "t.jsonl.journal").read_text()
    assert qids(run(tagged, TARGET, tmp_path / "t.jsonl")) == ["Q0", "Q1", "Q2", "Q3", "Q4"]
    assert (tmp_path / "t.jsonl.journal").read_text().startswith(recorded)


def test_qids_and_tags_without_a_question_in_common_are_refused(tagged, tmp_path, capsys):
    given = words(tagged, TARGET, tmp_path / "t.jsonl", "--qid", "Q0", "--tag", "api")
    assert main(given) == 2
    assert "no question has one of the qids and one of the tags" in capsys.readouterr().err


FLAKY = """
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    open("asked.txt", "a").write(asked["q"] + "\\n")
    bad = "2" in asked["q"] and not os.path.exists("mended")
    answer = {"answer_json": {"claim": "It is so.", "citations": ["p1"]}, "retrieved_ids": ["p1"]}
    reply = {} if bad else answer
    print(json.dumps({"id": asked["id"], **reply}), flush=True)
"""


def test_failed_asks_again_what_failed_and_nothing_else(ragstone, tagged):
    work = ragstone.folder.work
    (work / "flaky.py").write_text(FLAKY)
    target = f"cmd:{shlex.join([sys.executable, 'flaky.py'])}"
    asked = ("run", "--gold", str(tagged), "--target", target, "-o", "t.jsonl")
    assert ragstone(*asked, "--limit", "4").code == 3
    (work / "asked.txt").unlink()
    (work / "mended").touch()
    done = ragstone(*asked, "--failed")
    assert done.code == 0
    assert (work / "asked.txt").read_text() == "Question 2?\n"
    assert qids(lines(work / "t.jsonl")) == ["Q0", "Q1", "Q2", "Q3"]
    assert all("ok" not in line for line in lines(work / "t.jsonl"))
    assert "1 were never asked, and are not in the file" in done.text
    assert "nothing had failed" in ragstone(*asked, "--failed").text
    other = ragstone(*asked[:4], f"{target} -u", *asked[5:], "--failed")
    assert other.code == 2
    assert "holds answers of" in other.err


def test_failures_of_another_target_are_not_asked_of_this_one(ragstone, tagged):
    asked = ("run", "--gold", str(tagged), "-o", "t.jsonl", "--retries", "0")
    assert ragstone(*asked, "--target", "cmd:false").code == 3
    done = ragstone(*asked, "--target", TARGET, "--failed")
    assert done.code == 2
    assert "holds answers of cmd:false" in done.err


@pytest.mark.parametrize("command", ["run", "stability run", "latency sweep"])
def test_a_folder_that_cannot_be_made_is_named(command, ragstone, questions):
    gold = str(questions(1))
    asked = (*command.split(), "--gold", gold, "--target", TARGET)
    (ragstone.folder.work / "runs").touch()
    done = ragstone(*asked)
    assert done.code == 2
    assert "the folder runs cannot be made: " in done.err
    if Path("/sys/kernel").is_dir():  # Read-only for everybody, the superuser included.
        done = ragstone(*asked, cwd=Path("/sys/kernel"))
        assert done.code == 2
        assert "the folder runs cannot be made: permission was denied" in done.err


def test_python_takes_the_same_words(tagged, tmp_path):
    import ragstone

    done = ragstone.run(TARGET, tagged, tmp_path / "t.jsonl", qid="Q1", tag=["api"], limit=1)
    assert (done.questions, done.answered, done.unasked) == (1, 1, 0)
    done = ragstone.run(TARGET, tagged, tmp_path / "t.jsonl", failed=True)
    assert (done.questions, done.asked, done.unasked) == (5, 0, 4)


def test_a_grid_is_the_product_of_its_lists(tmp_path):
    (tmp_path / "g.toml").write_text('k = [5, 10]\nmode = ["lex", "sem"]\nknee = 0.5\n')
    grid = read_grid(tmp_path / "g.toml")
    assert [each.name for each in grid] == [
        "k=5 mode=lex",
        "k=5 mode=sem",
        "k=10 mode=lex",
        "k=10 mode=sem",
    ]
    assert all(each.knobs["knee"] == 0.5 for each in grid)


def test_configurations_can_be_named_and_share_what_stands_above_them(tmp_path):
    (tmp_path / "g.toml").write_text(
        'knee = 0.5\n[[config]]\nname = "fast"\nk = 5\n[[config]]\nk = 10\nrerank = true\n'
    )
    assert [(each.name, dict(each.knobs)) for each in read_grid(tmp_path / "g.toml")] == [
        ("fast", {"knee": 0.5, "k": 5}),
        ("k=10 rerank=true", {"knee": 0.5, "k": 10, "rerank": True}),
    ]


@pytest.mark.parametrize(
    "text",
    ["k = []", "config = 3", "[[config]]\nname = 3", "day = 2024-01-01", "[[config]]\n[[config]]"],
)
def test_a_grid_that_cannot_be_is_refused(text, tmp_path):
    (tmp_path / "g.toml").write_text(text)
    with pytest.raises(ConfigError, match=r"g\.toml: "):
        read_grid(tmp_path / "g.toml")


def test_an_empty_grid_is_one_configuration():
    assert [each.name for each in configurations({})] == ["default"]
