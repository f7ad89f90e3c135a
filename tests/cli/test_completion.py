"""Completion in real shells: the scripts hold every command and every flag, and complete them."""

from __future__ import annotations

import os
import pty
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from command import Command, Folder

from ragstone.cli.completion import Place, places, script
from ragstone.cli.main import SHELLS, commands, parser_of

PLACES = {place.name: place for place in places(commands(), parser_of)}
# What is typed before TAB, and the one word that its last word becomes.
COMPLETED = {
    "ragstone scor": "score",
    "ragstone --vers": "--version",
    "ragstone --print-completion fi": "fish",
    "ragstone gold li": "lint",
    "ragstone gold lint --exit-code --man": "--manifest",
    "ragstone demo --ba": "--bad",
    "ragstone retrieval cali": "calibrate",
    "ragstone score --keep fi": "first",
    "ragstone score --keep first --report-texts cl": "clip",
    "ragstone score --gold go": "gold.jsonl",
    "ragstone score --gold gold.jsonl --trace tr": "trace.jsonl",
    "ragstone score --trace trace.jsonl se": "second.jsonl",
    "ragstone score -o report.html --no-sc": "--no-scope",
    "ragstone score --format jun": "junit",
    "ragstone check tr": "trace.jsonl",
    "ragstone schema retrieval_g": "retrieval_gold",
    "ragstone explain under_re": "under_refusal",
    "ragstone index build --calibrate go": "gold.jsonl",
}
# A number, a name and a qid are the user's own: no file is offered for them.
NOTHING = ("ragstone score --k g", "ragstone run --qid g", "ragstone demo g")
FILES = ("gold.jsonl", "trace.jsonl", "second.jsonl")


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The script of each shell, in a folder with a few files to complete."""
    work = tmp_path_factory.mktemp("completion") / "work"
    folder = Folder(work.parent)
    for name in FILES:
        folder.write(name, "")
    made = {shell: script(shell, commands(), parser_of) for shell in SHELLS}
    return {shell: folder.write(f"_script.{shell}", text) for shell, text in made.items()}


def needs(shell: str) -> str:
    """The program, or a skip that says what is missing."""
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"{shell} is not there; make deps installs it")
    return found


def bash(script: Path, lines: Sequence[str]) -> dict[str, list[str]]:
    """What bash would offer for each line: the function is called as bash calls it."""
    asked = [f"source {shlex.quote(str(script))}"]
    for line in lines:
        words = " ".join(map(shlex.quote, line.split(" ")))
        asked.append(f"COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _ragstone")
        asked.append('printf "%s " "${COMPREPLY[@]}"; echo')
    ran = subprocess.run(
        [needs("bash"), "--norc", "-c", "\n".join(asked)],
        capture_output=True,
        text=True,
        cwd=script.parent,
        check=True,
    )
    assert ran.stderr == ""
    return {line: said.split() for line, said in zip(lines, ran.stdout.splitlines(), strict=True)}


def fish(script: Path, lines: Sequence[str]) -> dict[str, list[str]]:
    """What fish offers for each line, as it says itself."""
    asked = "\n".join(f"complete -C {shlex.quote(line)}; echo =" for line in lines)
    ran = subprocess.run(
        [needs("fish"), "--no-config", "-c", f"source {script}\n{asked}"],
        capture_output=True,
        text=True,
        cwd=script.parent,
        env={**os.environ, "HOME": str(script.parent)},
        check=True,
    )
    assert ran.stderr == ""
    parts = ran.stdout.split("=\n")[:-1]
    offered = ([each.split("\t")[0] for each in part.splitlines()] for part in parts)
    return dict(zip(lines, offered, strict=True))


# Completes each line in the editor of a new shell, writes down what became of it, and ends.
ZSHRC = """
{before}
autoload -U compinit && compinit -u -D
{after}
zle-line-init() {{
    local line
    for line in {lines}; do
        BUFFER=$line CURSOR=$#line
        zle complete-word
        print -r -- "$BUFFER" >>found
    done
    exit
}}
zle -N zle-line-init
"""


def zsh(script: Path, lines: Sequence[str], *, before: str = "") -> dict[str, list[str]]:
    """What the last word of each line becomes in zsh, at a terminal of its own."""
    after = "" if before else f"source {script}"
    program, found = needs("zsh"), script.parent / "found"
    listed = " ".join(map(shlex.quote, lines))
    (script.parent / ".zshrc").write_text(ZSHRC.format(before=before, after=after, lines=listed))
    found.write_text("")
    ours, its = pty.openpty()
    try:
        with (script.parent / "shown").open("wb") as shown:
            subprocess.run(
                [program, "-d", "-i"],
                stdin=its,
                stdout=shown,
                stderr=shown,
                cwd=script.parent,
                env={**os.environ, "ZDOTDIR": str(script.parent), "TERM": "dumb"},
                start_new_session=True,
                timeout=60,
                check=False,
            )
    finally:
        os.close(ours)
        os.close(its)
    made = found.read_text().splitlines()
    assert len(made) == len(lines), (script.parent / "shown").read_text()
    return {
        line: [] if became == line else [became.split()[-1]]
        for line, became in zip(lines, made, strict=True)
    }


ASK = {"bash": bash, "zsh": zsh, "fish": fish}


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes_commands_flags_choices_and_files(
    scripts: dict[str, Path], shell: str
) -> None:
    found = ASK[shell](scripts[shell], list(COMPLETED))
    assert found == {line: [word] for line, word in COMPLETED.items()}


def test_zsh_finds_the_script_in_its_folder_of_functions(scripts: dict[str, Path]) -> None:
    functions = scripts["zsh"].parent / "functions"
    functions.mkdir()
    shutil.copy(scripts["zsh"], functions / "_ragstone")
    lines = ["ragstone scor", "ragstone gold lint --exit-code --man"]
    found = zsh(scripts["zsh"], lines, before=f"fpath=({functions} $fpath)")
    assert found == {line: [COMPLETED[line]] for line in lines}


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_offers_no_files_where_none_is_wanted(scripts: dict[str, Path], shell: str) -> None:
    found = ASK[shell](scripts[shell], NOTHING)
    assert found == {line: [] for line in NOTHING}


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_itself_finds_no_fault_with_its_script(
    scripts: dict[str, Path], shell: str
) -> None:
    ran = subprocess.run([needs(shell), "-n", scripts[shell]], capture_output=True, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


def test_bash_offers_every_command_and_every_flag_of_every_command(
    scripts: dict[str, Path],
) -> None:
    lines = {f"ragstone {name} -".replace("  ", " "): place for name, place in PLACES.items()}
    found = bash(scripts["bash"], list(lines))
    for line, place in lines.items():
        assert found[line] == [name for flag in place.listed for name in flag.names], line
    assert bash(scripts["bash"], ["ragstone "])["ragstone "] == list(commands())


def test_fish_offers_every_command_and_every_long_flag_of_every_command(
    scripts: dict[str, Path],
) -> None:
    lines = {f"ragstone {name} --".replace("  ", " "): place for name, place in PLACES.items()}
    found = fish(scripts["fish"], list(lines))
    for line, place in lines.items():
        names = {name for flag in place.listed for name in flag.names if name.startswith("--")}
        assert set(found[line]) == names, line
    assert set(fish(scripts["fish"], ["ragstone "])["ragstone "]) == set(commands())


def of_function(script: str, place: Place) -> str:
    """The part of the zsh script that completes one place."""
    name = "_".join(("_ragstone", *place.words))
    return script.split(f"\n{name}() {{\n")[1].split("\n}\n")[0]


def test_the_zsh_script_has_every_command_and_every_flag_of_every_command(
    scripts: dict[str, Path],
) -> None:
    script = scripts["zsh"].read_text()
    for place in PLACES.values():
        body = of_function(script, place)
        given = set(re.findall(r"^ +'\*(-[\w-]+)\[", body, re.MULTILINE))
        assert given == {name for flag in place.listed for name in flag.names}, place.name
        assert [name for name, _ in place.inner if f"'{name}:" not in body] == []


def helped(name: str) -> Iterator[str]:
    """The flags that the help text of a command shows."""
    words = name.split()
    parser = parser_of(words[0] if words else None)
    for word in words:
        (inner,) = [each for each in parser._actions if each.dest in ("command", "action")]
        assert isinstance(inner.choices, dict)
        parser = inner.choices[word]
    # Each flag has a line of its own, which begins with all its names.
    for line in re.findall(r"^  (-.*)", parser.format_help(), re.MULTILINE):
        yield re.split(r"  | [^-]", line)[0].split(", ")[0]


@pytest.mark.parametrize("name", PLACES)
def test_the_flags_of_a_place_are_those_of_its_help(name: str) -> None:
    known = {each for flag in PLACES[name].listed for each in flag.names}
    shown = set(helped(name))
    assert shown <= known
    # One name of each.
    assert len(shown) == len(PLACES[name].listed)


def test_every_command_is_a_place() -> None:
    assert set(commands()) <= set(PLACES)
    assert {"", "gold lint", "index build", "latency sweep"} <= set(PLACES)


def test_no_word_means_something_to_a_shell() -> None:
    """Lists of words are expanded by bash and fish: `$(...)` in one would be run."""
    values = [flag.value for place in PLACES.values() for flag in place.listed if flag.value]
    values += [value for place in PLACES.values() for value in place.arguments]
    words = {word for value in values for word in value.words}
    assert words
    assert [word for word in words if not re.fullmatch(r"[\w@.,+-]+", word)] == []


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_printed_and_nothing_else(
    command: Command, scripts: dict[str, Path], shell: str
) -> None:
    ran = command("--print-completion", shell)
    assert (ran.code, ran.err) == (0, "")
    assert ran.text == scripts[shell].read_text()


def test_another_shell_is_an_error_that_names_those_there_are(command: Command) -> None:
    ran = command("--print-completion", "csh")
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.startswith("ragstone: --print-completion: invalid choice: 'csh'")
    assert [shell for shell in SHELLS if shell not in ran.err] == []
