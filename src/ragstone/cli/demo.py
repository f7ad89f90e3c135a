"""Run the whole job on built-in data: index, run, score and report. It exits with 0 when it has
come to its end, whatever the decision: `ragstone score` on its files exits as a gate does."""

from __future__ import annotations

import argparse
import sys
from importlib import resources
from pathlib import Path
from typing import Any

from ragstone.cli.common import colored, say, width
from ragstone.cli.flags import add_json, flag
from ragstone.errors import InputError

# How many lines go to the run before the summary and to the commands after it, which may be folded.
_TOLD = 8
FOLDER = "ragstone-demo"


def configure(parser: argparse.ArgumentParser) -> None:
    flag(parser, "--bad", "show the same pipeline after a careless change: it must not ship")
    flag(parser, "-o --output DIR", "the folder for its files", default=FOLDER)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Exits 0 when the loop completed, whatever the decision."""
    from ragstone.api import call
    from ragstone.files import write
    from ragstone.index.documents import found_in
    from ragstone.index.store import built, write_index
    from ragstone.report.formats import render, summary_screen
    from ragstone.suites.registry import find_suite

    folder = _files(Path(arguments.output))
    documents, chunks = built(found_in(folder / "docs"))
    write_index(folder / "docs.index", documents, chunks)
    trace = _traces(folder, arguments.bad, sys.stderr.isatty() and not arguments.quiet)
    score = call(find_suite("answers"))
    # With the texts of the chunks, the page shows what an answer could have been read from.
    given = {"texts": _texts(folder), "by": ("tags",), "threads": arguments.threads}
    report = score(folder / "gold.jsonl", trace, **given)
    page = folder / ("report-bad.html" if arguments.bad else "report.html")
    write(page, render(report, "html"))
    if arguments.json:
        say(render(report, "json"))
        return 0
    drawn: dict[str, Any] = {"color": colored(), "width": width(), "quiet": arguments.quiet}
    drawn["rest"] = "the report has all"
    say(summary_screen.render(report, most=summary_screen.LINES - _TOLD, **drawn))
    if not arguments.quiet:
        _tell(folder, trace, page, arguments.bad)
    return 0


def _tell(folder: Path, trace: Path, page: Path, bad: bool) -> None:
    """The four lines that one needs next."""
    other = "Before the change" if bad else "A careless change"
    say(f"\nOpen the report:    {page}")
    files = f"--gold {folder / 'gold.jsonl'} --trace {trace} --texts {_texts(folder)}"
    say(f"The same by hand:   ragstone score {files} --by tags")
    say("Your own data:      ragstone init")
    say(f"{other + ':':<20}ragstone demo{'' if bad else ' --bad'}{_in(folder)}")


def _texts(folder: Path) -> Path:
    return folder / "docs.index" / "manifest.jsonl"


def _in(folder: Path) -> str:
    return "" if str(folder) == FOLDER else f" -o {folder}"


def _traces(folder: Path, bad: bool, watched: bool) -> Path:
    """Asks the index every question; the traces, without what a clock says, are the same each time.

    So a file of that name that is not the same is another's, and is kept.
    """
    from ragstone import scratch
    from ragstone.targets.session import carry_out, plan

    name = "bad" if bad else "good"
    trace = folder / f"{name}.jsonl"
    with scratch.folder() as aside:
        planned = plan(
            f"index:{folder / 'docs.index'}",
            folder / "gold.jsonl",
            trace,
            knobs=str(folder / "bad.toml") if bad else None,
            timings=aside / "timings",
            journal=aside / "journal",
        )
        carry_out(planned, sys.stderr if watched else None)
    return trace


def _files(folder: Path) -> Path:
    """The built-in data, copied where a person can read it; nothing of theirs is replaced."""
    from ragstone.files import write

    data = resources.files("ragstone").joinpath("demo")
    docs = [page.name for page in data.joinpath("docs").iterdir() if page.name.endswith(".md")]
    wanted = {
        name: data.joinpath(name).read_text(encoding="utf-8")
        for name in ("gold.jsonl", "bad.toml", *(f"docs/{page}" for page in docs))
    }
    for name, text in wanted.items():
        target = folder / name
        if target.exists() and (not target.is_file() or target.read_bytes() != text.encode()):
            raise InputError(
                f"{target} exists and is not the demonstration's; give another with -o"
            )
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "gold.jsonl").is_file():
        raise InputError(f"{folder} holds other files; give another with -o")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "docs").mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"the folder {folder} cannot be made: {error.strerror}") from None
    for name, text in wanted.items():
        if not (folder / name).exists():
            write(folder / name, text)
    return folder
