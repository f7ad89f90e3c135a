"""What a broken input gets: exit 2, one clear message that names the place, and nothing written.

The broken inputs stand in two tables beside this file; every entry is held to the same promises.
"""

from __future__ import annotations

import gzip
import subprocess
from pathlib import Path

import pytest
from builders import gold, trace
from cli.broken_lines import LAX_JSON, LINES, TEN, WRONG_TYPES, Broken, line, problems_read
from cli.broken_runs import CONFIGS, FILES, FLAGS
from command import INPUTS, Command, Folder, Process, Ran, nobody_special
from packing import zstd

from ragstone.engine.duck import Duck
from ragstone.suites.config_file import find

pytestmark = pytest.mark.python

EVERY = TEN + FILES + FLAGS + CONFIGS


def files_of(folder: Folder, broken: Broken) -> list[str]:
    """Writes the files of a broken input and returns the command line that meets it."""
    folder.fill()
    for name, content in broken.files.items():
        folder.write(name, content)
    given = list(broken.words)
    replaced = {flag for flag in ("--gold", "--trace") if flag in given}
    usual = [INPUTS[:2], INPUTS[2:]]
    kept = [word for pair in usual if pair[0] not in replaced for word in pair]
    return ["score", *kept, "-o", "out.html", *given]


def promised(ran: Ran, says: str) -> None:
    """What every broken input is promised, whatever is wrong with it."""
    assert ran.code == 2
    assert ran.out == b""
    assert ran.err.startswith(says)
    assert "Traceback" not in ran.err
    assert "a fault in ragstone itself" not in ran.err
    if says.startswith("ragstone: "):
        assert ran.err.count("\n") == 1, "one message, on one line"
    else:
        assert ran.err.endswith("in the input; nothing was scored\n")


def test_the_reader_names_what_is_wrong_with_a_line(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.work)
    others: list[tuple[str, list[str]]] = []
    with Duck() as duck:
        for broken in LINES:
            ((name, content),) = broken.files.items()
            folder.write(name, content)
            said = problems_read(duck, name)
            if not said[0].startswith(broken.says):
                others.append((broken.name, said))
    assert others == []


@pytest.mark.parametrize("broken", EVERY, ids=lambda broken: broken.name[:60])
def test_a_broken_input_is_named_and_nothing_is_written(
    broken: Broken, command: Command, folder: Folder
) -> None:
    line = files_of(folder, broken)
    before = folder.files()
    promised(command(*line), broken.says)
    assert folder.files() == before


SAMPLE = (LAX_JSON[0], WRONG_TYPES[0], FILES[0], FILES[6], FLAGS[0], CONFIGS[0])


@pytest.mark.parametrize("broken", SAMPLE, ids=lambda broken: broken.name[:60])
def test_a_process_keeps_the_same_promises(
    broken: Broken, ragstone: Process, folder: Folder
) -> None:
    line = files_of(folder, broken)
    before = folder.files()
    promised(ragstone(*line), broken.says)
    assert folder.files() == before


def test_there_are_far_more_than_forty_kinds() -> None:
    assert len({broken.name for broken in LINES + FILES + FLAGS + CONFIGS}) > 150


def test_a_good_run_of_the_same_command_line_passes(command: Command, folder: Folder) -> None:
    line = files_of(folder, Broken("nothing", ""))
    assert command(*line).code == 0
    assert "work/out.html" in folder.files()


def test_a_corrupt_zstd_file_is_damaged(command: Command, folder: Folder) -> None:
    folder.fill()
    lines = b"".join(line(trace(f"A{number}")) + b"\n" for number in range(3000))
    whole = zstd(lines)
    folder.write("t.zst", whole[: len(whole) // 2])
    ran = command("score", *INPUTS[:2], "--trace", "t.zst")
    promised(ran, "ragstone: trace file t.zst is damaged: it ends too early")
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0xFF
    folder.write("t.zst", bytes(flipped))
    ran = command("score", *INPUTS[:2], "--trace", "t.zst")
    promised(ran, "ragstone: trace file t.zst is damaged: it does not unpack")


def test_a_file_that_may_not_be_read_is_named(command: Command, folder: Folder) -> None:
    folder.fill()
    # What is imported when it is first used is imported now: somebody else may not read it.
    assert command.score().code == 0
    (folder.work / "gold.jsonl").chmod(0)
    with nobody_special(folder):
        ran = command.score()
    promised(ran, "ragstone: gold file gold.jsonl cannot be read: Permission denied")


def test_a_folder_that_may_not_be_entered_holds_no_configuration(folder: Folder) -> None:
    folder.write("ragstone.toml", "k = 3\n")
    locked = folder.work / "locked"
    locked.mkdir(mode=0)
    with nobody_special(folder):
        assert find(locked / "below") == folder.work / "ragstone.toml"


def test_a_full_disk_is_named(ragstone: Process, folder: Folder) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    folder.fill()
    (folder.work / "full.html").symlink_to("/dev/full")
    ran = ragstone("score", *INPUTS, "-o", "full.html")
    promised(ran, "ragstone: full.html: cannot be written: the disk is full")
    with Path("/dev/full").open("wb") as full:
        code = subprocess.run(
            [*ragstone.argv, "score", *INPUTS, "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            cwd=folder.work,
            check=False,
        )
    assert code.returncode == 2
    assert code.stderr == b"ragstone: standard output cannot be written: No space left on device\n"


BAD = b'{"qid": 7, "answerable": "yes"}\n'


def test_every_bad_line_is_listed_twenty_of_them_in_full(command: Command, folder: Folder) -> None:
    folder.fill()
    folder.write("gold.jsonl", BAD * 30)
    ran = command.score()
    lines = ran.err.splitlines()
    assert len(lines) == 22
    assert lines[0] == "gold.jsonl:1: qid: expected a string, found 7"
    assert lines[1] == 'gold.jsonl:1: answerable: expected true or false, found "yes"'
    assert lines[20] == "... and 40 more (--all-errors lists them)"
    assert lines[21] == "ragstone: 60 problems in the input; nothing was scored"
    every = command.score("--all-errors").err.splitlines()
    assert len(every) == 61
    assert every[59] == 'gold.jsonl:30: answerable: expected true or false, found "yes"'


def test_all_files_are_reported_at_once(command: Command, folder: Folder) -> None:
    folder.fill()
    folder.write("gold.jsonl", BAD)
    folder.write("one.jsonl", [trace("A1")])
    folder.write("two.jsonl", b'{"qid": 1}\n\n{"qid": "A1"}\n[]\n')
    folder.write("three.jsonl.gz", gzip.compress(b"nope\n"))
    ran = command("score", "--gold", "gold.jsonl", "--trace", "one.jsonl", "t*.jsonl*")
    assert ran.err.splitlines() == [
        "gold.jsonl:1: qid: expected a string, found 7",
        'gold.jsonl:1: answerable: expected true or false, found "yes"',
        "three.jsonl.gz:1: json: expected a value, found 'nope' (character 1)",
        "two.jsonl:1: qid: expected a string, found 1",
        "two.jsonl:4: json: expected an object, found []",
        "ragstone: 5 problems in the input; nothing was scored",
    ]


def test_line_numbers_count_blank_lines_and_carriage_returns(
    command: Command, folder: Folder
) -> None:
    folder.fill()
    folder.write("trace.jsonl", b'\xef\xbb\xbf\r\n\r\n{"qid": "A1"}\r\n\n  \n{"qid": 3}')
    assert command.score().err.startswith("trace.jsonl:6: qid: expected a string, found 3\n")


def test_a_value_in_a_message_is_cut_and_does_not_act_on_the_terminal(
    command: Command, folder: Folder
) -> None:
    folder.fill()
    folder.write("gold.jsonl", [{**gold(), "answerable": "\x1b[31m\x9b32m" + "y" * 1000}])
    ran = command.score()
    assert r"\u001b[31m\x9b32myyy" in ran.err
    assert "characters)\n" in ran.err
    assert "\x1b" not in ran.err and "\x9b" not in ran.err
    assert len(ran.err) < 300


@pytest.mark.parametrize("bad", [LAX_JSON[11], WRONG_TYPES[0]], ids=lambda broken: broken.name)
def test_the_slow_pass_names_what_the_fast_pass_saw_in_a_large_file(
    bad: Broken, command: Command, folder: Folder
) -> None:
    folder.fill()
    good = b"".join(line(gold(f"Q{number}")) + b"\n" for number in range(5000))
    folder.write("gold.jsonl", good + bad.files["gold.jsonl"].splitlines()[1] + b"\n" + good[:0])
    place = bad.says.replace(":2:", ":5001:")
    promised(command.score(), place)
