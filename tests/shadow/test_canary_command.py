"""`ragstone canary --live-dir` as people call it: settings, mistakes, screens and formats."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from command import Folder, Process, ragstone
from msgspec.structs import replace
from shadow.canary_runs import MANY, judged, ran
from shadow.made_pairs import (
    answered,
    answers_gold,
    kept,
    pair,
    pairs,
)

from ragstone.cli import main
from ragstone.progress import Progress
from ragstone.progress_task import Task
from ragstone.shadow.pair_files import Counts


def test_the_settings_of_the_file_are_those_of_the_command(work: Path) -> None:
    kept(work / "live", pairs(MANY))
    (work / "ragstone.toml").write_text(
        '[paths]\ngold = "gold.jsonl"\n[serve.canary]\nmax_questions = 100\n'
        "[serve.canary.gates]\nflips = false\n",
        encoding="utf-8",
    )
    found = judged(work, gold="")
    assert found["verdict"] == "HOLD"
    assert found["canary"]["off"] == ["flips"]
    assert judged(work, "--max-questions", "250", gold="")["verdict"] == "PROMOTE"


def test_an_empty_folder_holds_and_says_how_to_begin(work: Path) -> None:
    (work / "live").mkdir()
    found = ragstone("canary", "--live-dir", "live", "--exit-code", cwd=work)
    assert found.code == 3
    assert found.text.rstrip().splitlines()[-2].startswith("HOLD: no pair is kept yet")


@pytest.mark.parametrize(("share", "code"), [(0.0, 0), (0.3, 1)])
def test_the_exit_code_is_the_decision_where_it_is_asked_for(
    ragstone: Process, folder: Folder, share: float, code: int
) -> None:
    answers_gold(folder.work / "gold.jsonl", MANY)
    kept(folder.work / "live", pairs(MANY, wrong=share))
    words = ("canary", "--live-dir", "live", "--gold", "gold.jsonl")
    assert ragstone(*words).code == 0
    ended = ragstone(*words, "--exit-code")
    assert ended.code == code
    assert ended.text.splitlines()[-1].startswith(("PROMOTE: ", "ROLL BACK: ")[code])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--live-dir none", "none is no folder"),
        ("--live-dir live --live a.jsonl", "give one or the other"),
        ("--live-dir live --manifest a.jsonl", "--manifest is for logs"),
        ("--live-dir live --max-drop R@5=0.1", "--max-drop is for logs"),
        ("--live-dir live --shadow-run shadw", "did you mean 'shadow'"),
        ("--live-dir live --max-questions 0", "from 1 on"),
        ("--live-dir live --at-least week", "--at-least: expected a duration such as"),
        ("--gold gold.jsonl --live a --shadow b --at-least 7d", "--at-least goes with --live-dir"),
        ("--live-dir live --gates x=1", "there is no metric 'x'"),
        ("--live-dir live --confidence 2", "confidence"),
        ("--live-dir live -o rows.parquet", "no verdict rows"),
        ("--gold gold.jsonl --live a --shadow b --exit-code", "goes with --live-dir"),
    ],
)
def test_a_wrong_command_line_is_one_sentence(work: Path, words: str, said: str) -> None:
    kept(work / "live", [pair(1)])
    found = ragstone("canary", *words.split(), cwd=work)
    assert (found.code, found.out) == (2, b"")
    assert said in found.err
    assert len(found.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("[serve.canary]\nat_least = 7", "serve.canary.at_least: expected a duration such as"),
        ('[canary]\nat_least = "7d"', "the settings of a watched canary are in [serve.canary]"),
    ],
)
def test_a_wrong_setting_is_one_sentence(work: Path, table: str, said: str) -> None:
    kept(work / "live", [pair(1)])
    (work / "ragstone.toml").write_text(f"{table}\n", encoding="utf-8")
    found = ragstone("canary", "--live-dir", "live", cwd=work)
    assert found.code == 2
    assert said in found.err


def test_a_damaged_line_is_named(work: Path) -> None:
    files = kept(work / "live", [pair(1), pair(2)])
    path = files.files()[0]
    path.write_bytes(path.read_bytes().replace(b'{"pair"', b'{"pear', 1))
    found = ragstone("canary", "--live-dir", "live", cwd=work)
    assert found.code == 2
    assert "damaged at line 1" in found.err


@pytest.mark.parametrize("name", ["seen", "dropped", "waiting"])
def test_a_count_that_no_number_can_hold_is_damage(work: Path, name: str) -> None:
    files = kept(work / "live", [pair(1)])
    with files.files()[0].open("ab") as file:
        file.write(b'{"counts":{"mirror":"m1","%s":1%s}}\n' % (name.encode(), b"0" * 400))
    found = ragstone("canary", "--live-dir", "live", cwd=work)
    assert found.code == 2
    assert "damaged at line 2" in found.err


def test_a_line_that_is_still_being_written_is_not_read(work: Path) -> None:
    files = kept(work / "live", [pair(1), pair(2)])
    path = files.files()[0]
    path.write_bytes(path.read_bytes()[:-9])
    assert judged(work)["canary"]["pairs"] == 1


def test_the_screen_has_at_most_24_lines_of_80_columns(work: Path) -> None:
    counts = Counts(mirror="m1", seen=10**9, left_out=10**9, dropped=10**8, failed=10**8)
    long = [replace(each, question="What? " * 400, qid="Q" * 300 + each.qid) for each in pairs(80)]
    bad = [replace(each, shadow=answered(9, right=False)) for each in long]
    texts = [replace(each, question=f"{n} {each.question}") for n, each in enumerate(bad)]
    kept(work / "live", [*texts, counts])
    script = "import os, sys; from ragstone.cli.main import main; sys.exit(main(sys.argv[1:]))"
    for words in (["--max-questions", "70"], ["--max-questions", "90"], ["-q"], []):
        command = ["canary", "--live-dir", "live", *words]
        found = _at_a_terminal(script, command, work)
        lines = found.splitlines()
        assert len(lines) <= 24, found
        assert max(map(len, lines)) <= 80, found
        assert any(line.startswith(("HOLD", "ROLL BACK")) for line in lines[-3:]), found


def _at_a_terminal(script: str, words: list[str], folder: Path) -> str:
    """What a person sees whose terminal is 80 columns wide."""
    import pty
    import termios

    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    process = subprocess.Popen(
        [sys.executable, "-c", script, *words],
        cwd=folder,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env={"NO_COLOR": "1", "PATH": "/usr/bin"},
    )
    import os

    os.close(theirs)
    read = bytearray()
    while True:
        try:
            part = os.read(ours, 65_536)
        except OSError:
            break
        if not part:
            break
        read += part
    process.wait()
    os.close(ours)
    return read.decode().replace("\r\n", "\n")


FORMS = {"json": "json", "markdown": "md", "html": "html", "junit": "xml", "sarif": "sarif"}


def test_every_format_shows_it_and_gives_the_same_bytes_again(work: Path) -> None:
    kept(work / "live", pairs(MANY, wrong=0.3))
    files = [word for end in FORMS.values() for word in ("-o", f"report.{end}")]
    written = []
    for _ in range(2):
        shown = ran(work, "--gold", "gold.jsonl", "-f", "github", *files)
        forms = {form: (work / f"report.{end}").read_bytes() for form, end in FORMS.items()}
        written.append({**forms, "github": shown.out})
    first, second = written
    assert first == second
    for form, text in first.items():
        # SARIF has results and no verdict.
        assert (b"ROLL BACK" if form != "sarif" else b'"FAIL"') in text, form


def test_texts_stay_at_home_where_that_is_asked(work: Path) -> None:
    kept(work / "live", pairs(MANY, wrong=0.3))
    files = ("-o", "report.json", "-o", "report.md", "-o", "report.html")
    words = ("--gold", "gold.jsonl", "--report-texts", "none")
    for more in (("-f", "terminal", *files), ()):
        assert b"What is number" not in ran(work, *words, *more).out
    for name in files[1::2]:
        assert b"What is number" not in (work / name).read_bytes(), name


def test_a_gold_set_of_the_shadow_needs_that_of_the_live_index(work: Path) -> None:
    kept(work / "live", pairs(3))
    found = ragstone("canary", "--live-dir", "live", "--shadow-gold", "gold.jsonl", cwd=work)
    assert found.code == 2
    assert "give the one of the live index too (--gold)" in found.err
    found = ragstone(
        "canary", "--gold", "g", "--live", "l", "--shadow", "s", "--shadow-gold", "n", cwd=work
    )
    assert found.code == 2
    assert "--shadow-gold goes with --live-dir DIR" in found.err


def test_what_json_says_can_be_read_back(work: Path) -> None:
    from ragstone.report.model import Report

    kept(work / "live", pairs(MANY, wrong=0.1))
    said = ran(work, "--gold", "gold.jsonl", "--json").out
    assert Report.from_json(said).to_json().encode() == said
    assert json.loads(said)["suite"] == "canary"


def test_one_bar_tells_of_reading_and_of_writing(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[int, str]] = []

    class Watched(Progress):
        @contextmanager
        def doing(self, task: Task) -> Iterator[Task]:
            told.append((len(self._tasks), task.what))
            with super().doing(task):
                yield task

    monkeypatch.setattr(main, "Progress", Watched)
    kept(work / "live", pairs(MANY, wrong=0.3))
    words = ("canary", "--live-dir", "live", "--gold", "gold.jsonl", "--no-config")
    assert ragstone(*words, "-o", "report.json", cwd=work).code == 0
    assert [what for depth, what in told if not depth] == ["canary"]
    assert {"reading the pairs", "writing"} <= {what for _, what in told}
