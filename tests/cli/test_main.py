"""The command itself: help, versions, tracebacks, interruptions, and outputs that go away."""

from __future__ import annotations

import gc
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from command import INPUTS, Command, Folder, Process
from test_progress_of_commands import places

import ragstone as package
from ragstone.cli import main, suite_command
from ragstone.cli.main import commands

pytestmark = pytest.mark.python

ACTIONS = (
    "gold lint",
    "gold new",
    "index build",
    "index query",
    "latency score",
    "latency sweep",
    "stability score",
    "stability run",
)


@pytest.mark.parametrize("flag", ["-V", "--version"])
def test_the_version_is_the_packages(flag: str, ragstone: Process) -> None:
    ran = ragstone(flag)
    assert (ran.code, ran.text) == (0, f"ragstone {package.__version__}\n")


def test_the_help_names_every_command_and_the_exit_codes(command: Command) -> None:
    ran = command("--help")
    assert ran.code == 0
    words = " ".join(ran.text.split())
    for name, says in commands().items():
        assert f" {name} {says}" in words
    assert "exit codes:" in ran.text


@pytest.mark.parametrize("name", [*commands(), *ACTIONS])
def test_every_command_has_a_help_text_with_an_example(name: str, command: Command) -> None:
    ran = command(*name.split(), "--help")
    assert (ran.code, ran.err) == (0, "")
    assert "example" in ran.text and f"ragstone {name}" in ran.text


@pytest.mark.parametrize("name", [*commands(), *ACTIONS])
def test_every_command_has_a_short_flag_for_quiet(name: str, command: Command) -> None:
    # trec keeps trec_eval's own -q; a command with actions has its flags there.
    if any(action.startswith(f"{name} ") for action in ACTIONS):
        return
    shown = "--quiet" if name == "trec" else "-q, --quiet"
    assert f"\n  {shown} " in command(*name.split(), "--help").text


def test_a_quiet_command_says_nothing_of_what_it_wrote(command: Command, folder: Folder) -> None:
    folder.fill()
    assert command.score("--json", "-o", "r.md").err == "wrote r.md\n"
    assert command.score("--json", "-q", "-o", "r.md").err == ""


def test_without_a_command_the_help_goes_to_standard_error(command: Command) -> None:
    ran = command()
    assert (ran.code, ran.out) == (2, b"")
    assert "commands:" in ran.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["scroe"], "there is no command 'scroe'; did you mean 'score'?"),
        (["--quiet", "score"], "--quiet goes behind the command"),
        (["--nope"], "'--nope' is not understood (see ragstone --help)"),
        (["gold", "lnt"], "ACTION: invalid choice: 'lnt'"),
        (["check"], "the following arguments are required: FILE"),
    ],
)
def test_a_wrong_command_line_gets_one_line(words: list[str], says: str, command: Command) -> None:
    ran = command(*words)
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.startswith(f"ragstone: {says}")
    assert ran.err.count("\n") == 1


def test_debug_shows_the_traceback_and_keeps_the_exit_code(
    command: Command, folder: Folder
) -> None:
    folder.fill()
    ran = command("score", "--gold", "nope.jsonl", *INPUTS[2:], "--debug")
    assert ran.code == 2
    assert ran.err.startswith("Traceback (most recent call last):")
    assert ran.err.endswith("\nragstone: gold file nope.jsonl does not exist\n")


def test_a_working_folder_that_is_gone_is_said(command: Command, folder: Folder) -> None:
    gone = folder.work / "gone"
    gone.mkdir()
    command.monkeypatch.chdir(gone)
    gone.rmdir()
    ran = command("score", *INPUTS)
    assert (ran.code, ran.err) == (2, "ragstone: the working folder does not exist any more\n")


def test_a_fault_of_ours_is_told_without_a_traceback(
    command: Command, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("ragstone.cli.schema.run", broken)
    ran = command("schema", "gold")
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.startswith("ragstone: a fault in ragstone itself: ZeroDivisionError: oh\n")
    assert "Traceback" not in ran.err
    assert "Traceback" in command("schema", "gold", "--debug").err


@pytest.mark.parametrize("words", [["--help"], ["explain"], ["score", *INPUTS, "--json"]], ids=str)
def test_a_reader_that_goes_away_sees_no_traceback(
    words: list[str], ragstone: Process, folder: Folder
) -> None:
    folder.fill()
    process = ragstone.start(*words)
    assert process.stdout is not None
    process.stdout.close()
    process.wait(timeout=30)
    assert process.stderr is not None
    assert process.stderr.read() == b""
    # What was decided stays decided: `ragstone score | head` under pipefail still tells it.
    assert process.returncode == 0
    for pipe in (process.stdin, process.stderr):
        assert pipe is not None
        pipe.close()


def test_a_closed_standard_output_is_no_fault(ragstone: Process, folder: Folder) -> None:
    folder.fill()
    line = f'"{sys.executable}" -m ragstone score {" ".join(INPUTS)} --json -o r.json >&-'
    ran = subprocess.run(["sh", "-c", line], cwd=folder.work, capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"wrote r.json\n")


def test_standard_output_is_utf_8_in_any_locale(ragstone: Process, folder: Folder) -> None:
    folder.fill()
    plain = ragstone("score", *INPUTS, "-v")
    other = ragstone(
        "score",
        *INPUTS,
        "-v",
        env={"LC_ALL": "C", "PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"},
    )
    assert plain.out == other.out
    assert "█".encode() in plain.out


def on_a_terminal(ragstone: Process, folder: Folder, **env: str) -> bytes:
    """What a person sees: the command with its standard output on a pseudo-terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*ragstone.argv, "score", *INPUTS],
        stdout=theirs,
        cwd=folder.work,
        env={**ragstone.environment, "TERM": "xterm-256color", **env},
    )
    os.close(theirs)
    seen = b""
    try:
        while piece := os.read(ours, 65536):
            seen += piece
    except OSError:
        pass  # how Linux says that the other end is closed
    os.close(ours)
    assert process.wait(timeout=30) == 0
    return seen


def test_colours_are_for_terminals_and_no_color_is_honoured(
    ragstone: Process, folder: Folder
) -> None:
    folder.fill()
    assert b"\x1b[" in on_a_terminal(ragstone, folder)
    assert b"\x1b" not in on_a_terminal(ragstone, folder, NO_COLOR="1")
    assert b"\x1b" not in on_a_terminal(ragstone, folder, TERM="dumb")
    assert b"\x1b" not in ragstone("score", *INPUTS).out


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [
        ({"FORCE_COLOR": "1"}, True),
        ({"CLICOLOR_FORCE": "1"}, True),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": ""}, False),
        ({"FORCE_COLOR": "0"}, False),
        ({"CLICOLOR_FORCE": "0"}, False),
    ],
)
def test_colours_can_be_asked_for_where_there_is_no_terminal(
    environment: dict[str, str], coloured: bool, ragstone: Process, folder: Folder
) -> None:
    folder.fill()
    ran = ragstone("score", *INPUTS, env=environment)
    assert (b"\x1b[" in ran.out) is coloured
    assert b"\x1b" not in ragstone("score", *INPUTS, "--json", env=environment).out


def test_colours_are_decided_in_one_place() -> None:
    sources = Path(package.__file__).parent.rglob("*.py")
    asking = [path.name for path in sources if "NO_COLOR" in path.read_text(encoding="utf-8")]
    assert asking == ["common.py"]


def test_the_console_script_is_the_module(ragstone: Process, folder: Folder) -> None:
    script = Path(sys.executable).with_name("ragstone")
    if not script.exists():
        pytest.skip("ragstone is not installed in this environment")
    folder.fill()
    ran = subprocess.run([script, "explain", "chr"], capture_output=True, check=False)
    assert (ran.returncode, ran.stdout) == (0, ragstone("explain", "chr").out)


def test_garbage_is_not_looked_for_among_all_rows(
    command: Command, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.fill()
    before, inside = gc.get_threshold(), []
    monkeypatch.setattr(
        suite_command, "check_output", lambda _: inside.append(gc.get_threshold()[2])
    )
    assert command.score("--no-config").code == 0
    assert inside == [10**6]
    assert gc.get_threshold() == before


def test_what_lasts_is_a_command() -> None:
    assert {*main._LASTING} <= {*places()}
