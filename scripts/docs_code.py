#!/usr/bin/env python3
"""Does the code in the documentation still run? Runs it, block by block, as a reader would.

    docs_code.py [FILE...]     (default: README.md, CONTRIBUTING.md and docs/**/*.md)

Each page gets a folder of its own and is read from top to bottom. A ```python block is executed,
all of one page in one namespace. In a ```console block the lines that begin `$ ` are given to bash;
the folder and the exported variables carry over to the next command. A command must exit with 0, or
with what a line `# exit N` right after it says. In a ```console compare block the lines that follow
are the output it must print, where a line `...` stands for any number of lines. A block marked
no-run is skipped, and counted. Two pages run at a time.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
SECONDS_PER_COMMAND = 300
AT_A_TIME = 2
FENCE = re.compile(r"^(?P<indent> *)(?P<ticks>`{3,}|~{3,}) *(?P<info>[^`]*)$")
EXIT = re.compile(r"^# exit (\d+)$")


class Broken(Exception):
    """A block does not do what its page says."""

    def __init__(self, line: int, reason: str) -> None:
        self.line = line
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: the words that open it, its lines, and the number of the first of these."""

    words: tuple[str, ...]
    lines: tuple[str, ...]
    line: int

    @property
    def kind(self) -> str:
        """`python` or `console`, `no-run` for one of these that is skipped, else nothing."""
        if self.words[:1] not in (("python",), ("console",)):
            return ""
        return "no-run" if "no-run" in self.words else self.words[0]


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a console block, with the exit code and the output that the page promises."""

    script: str
    exit_code: int
    output: tuple[str, ...]
    line: int


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a Markdown text, in order.

    >>> list(blocks("Try:\\n```python\\nx = 1\\n```\\n"))
    [Block(words=('python',), lines=('x = 1',), line=3)]
    """
    numbered = enumerate(text.splitlines(), start=1)
    for opened, line in numbered:
        fence = FENCE.match(line)
        if fence is None:
            continue
        closing = re.compile(rf" *{fence['ticks']}{fence['ticks'][0]}* *")
        inside = []
        for _, line in numbered:
            if closing.fullmatch(line):
                break
            inside.append(line.removeprefix(fence["indent"]))
        else:
            raise Broken(opened, "the block that opens here is never closed")
        yield Block(tuple(fence["info"].split()), tuple(inside), opened + 1)


def commands(block: Block) -> Iterator[Command]:
    """The commands of a console block; one that ends in a backslash goes on in the next line.

    >>> for command in commands(Block(("console",), ("$ false", "# exit 1", "$ echo a", "a"), 10)):
    ...     print(command)
    Command(script='false', exit_code=1, output=(), line=10)
    Command(script='echo a', exit_code=0, output=('a',), line=12)
    """
    lines = block.lines
    starts = [at for at, line in enumerate(lines) if line.startswith("$ ")]
    if starts[:1] != [0]:
        raise Broken(block.line, "a console block begins with a command, and a command with `$ `")
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        rest = start + 1
        while lines[rest - 1].endswith("\\") and rest < end:
            rest += 1
        script = "\n".join(lines[start:rest]).removeprefix("$ ")
        declared = EXIT.match(lines[rest]) if rest < end else None
        exit_code = int(declared[1]) if declared else 0
        output = lines[rest + bool(declared) : end]
        yield Command(script, exit_code, output, block.line + start)


def matches(expected: Sequence[str], printed: Sequence[str]) -> bool:
    """Whether the output is the expected one, a line `...` standing for any number of lines.

    >>> matches(["a", "...", "d"], ["a", "b", "c", "d"]), matches(["a", "..."], ["b"])
    (True, False)
    """
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line.rstrip()) + r"\n"
        for line in expected
    )
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in printed)) is not None


def run_python(block: Block, page: str, names: dict[str, object]) -> None:
    """Execute a block in the page's namespace; what it prints is shown only if it breaks."""
    # Empty lines in front give tracebacks the line numbers of the page.
    source = "\n" * (block.line - 1) + "\n".join(block.lines) + "\n"
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(source, page, "exec", dont_inherit=True), names)
    except (Exception, SystemExit) as error:
        trace = "".join(traceback.format_exception(error))
        raise Broken(block.line, f"the block raised\n{printed.getvalue()}{trace}") from error


def run_command(command: Command, state: Path, *, compare: bool) -> None:
    """Give a command to bash and hold its exit code, and maybe its output, against the page."""
    # The shell writes its folder and exports down as it ends, and the next one begins with them.
    script = (
        f". '{state}'\n"
        f"""trap '{{ export -p; printf "cd -- %q\\n" "$PWD"; }} >"{state}"' EXIT\n"""
        f"{command.script}\n"
    )
    try:
        ran = subprocess.run(
            ["bash", "-c", script],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=SECONDS_PER_COMMAND,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Broken(command.line, f"$ {command.script}\ndid not end: {error}") from error
    if ran.returncode != command.exit_code:
        codes = f"exited with {ran.returncode}, and the page says {command.exit_code}"
        raise Broken(command.line, f"$ {command.script}\n{codes}\n{ran.stdout}")
    if compare and not matches(command.output, ran.stdout.splitlines()):
        expected = "\n".join(command.output)
        told = f"printed\n{ran.stdout}\nand the page says\n{expected}"
        raise Broken(command.line, f"$ {command.script}\n{told}")


def run_page(path: Path) -> Counter[str]:
    """Run a page in a folder of its own; how many blocks of each kind, and commands, there were."""
    counts: Counter[str] = Counter()
    names: dict[str, object] = {"__name__": "__main__"}
    text = path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as aside, tempfile.TemporaryDirectory() as folder:
        state = Path(aside, "state")
        state.touch()
        with contextlib.chdir(folder):
            for block in blocks(text):
                counts[block.kind] += 1
                if block.kind == "python":
                    run_python(block, path.name, names)
                elif block.kind == "console":
                    for command in commands(block):
                        counts["command"] += 1
                        run_command(command, state, compare="compare" in block.words)
    return counts


def tried_page(path: Path) -> tuple[Counter[str], str]:
    """What there was on a page, and what is broken on it: nothing, if the text is empty."""
    try:
        return run_page(path), ""
    except Broken as error:
        return Counter(), f"{os.path.relpath(path)}:{error.line}: {error}"


def pages(named: Sequence[str]) -> list[Path]:
    """The pages named on the command line, else all of the project's that hold code to run."""
    if named:
        return [Path(name).resolve() for name in named]
    found = [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *(PROJECT / "docs").rglob("*.md")]
    return sorted(path for path in found if path.is_file())


def main(named: Sequence[str]) -> int:
    """Run the pages; exits 1 when one is broken, after all of them ran."""
    # The commands of the environment that runs this come first, and nothing is coloured.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    os.environ["NO_COLOR"] = "1"
    counts: Counter[str] = Counter()
    broken = 0
    # In processes: a page has a folder of its own, and a process is in one folder at a time.
    with ProcessPoolExecutor(AT_A_TIME) as processes:
        for found, told in processes.map(tried_page, pages(named)):
            counts += found
            if told:
                broken += 1
                print(told, file=sys.stderr)
    print(
        f"docs: ran {counts['python']} python and {counts['console']} console blocks"
        f" ({counts['command']} commands), skipped {counts['no-run']}, broken pages: {broken}"
    )
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
