"""Run the whole job on built-in data: index, run, score and report."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.cli.common import add_everywhere, colored, say, width
from ragstone.errors import InputError

if TYPE_CHECKING:
    from ragstone.report.model import Report

EXAMPLE = """\
examples:
  ragstone demo                  (a careful pipeline: PASS)
  ragstone demo --bad            (the same after a careless change: FAIL)
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--bad", action="store_true", help="ask it after a careless change")
    parser.add_argument(
        "--dir", metavar="DIR", default="ragstone-demo", help="where the files go (ragstone-demo)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    add_everywhere(parser)


def run(arguments: argparse.Namespace) -> int:
    """Exits 0 when the loop completed, whatever the decision."""
    from ragstone.report.formats import render, write

    folder = _files(Path(arguments.dir))
    _index(folder)
    trace = _traces(folder, arguments.bad, sys.stderr.isatty() and not arguments.quiet)
    report = _scored(folder / "gold.jsonl", trace, arguments.threads)
    page = folder / "report.html"
    write(page, render(report, "html"))
    if arguments.json:
        say(render(report, "json"))
        return 0
    say(render(report, "terminal", color=colored(), width=width()))
    if not arguments.quiet:
        _tell(folder, trace, page, arguments.bad)
    return 0


def _tell(folder: Path, trace: Path, page: Path, bad: bool) -> None:
    index, gold = folder / "docs.index", folder / "gold.jsonl"
    knobs = f" --knobs {folder / 'bad.toml'}" if bad else ""
    say(f"\nThe report:        {page}")
    say(f"How it was built:  ragstone index build {folder / 'docs'} -o {index}")
    say(f"How it was asked:  ragstone run --target index:{index} --gold {gold} -o {trace}{knobs}")
    say(f"The same by hand:  ragstone score --gold {gold} --trace {trace} --by tags")
    say(f"The other answer:  {'ragstone demo' if bad else 'ragstone demo --bad'}")


def _index(folder: Path) -> None:
    from ragstone.index.documents import found_in
    from ragstone.index.store import built, write_index

    documents, chunks = built(found_in(folder / "docs"))
    write_index(folder / "docs.index", documents, chunks)


def _traces(folder: Path, bad: bool, watched: bool) -> Path:
    """Asks the index every question; what the clock says goes to a file of its own."""
    from ragstone.cli.run import questions_in
    from ragstone.targets.asks import Grid
    from ragstone.targets.knobs import read_grid
    from ragstone.targets.session import Plan, carry_out

    name = "bad" if bad else "good"
    trace = folder / f"{name}.jsonl"
    knobs = tuple(each.knobs for each in read_grid(folder / "bad.toml")) if bad else ()
    with tempfile.TemporaryDirectory(prefix="ragstone-") as scratch:
        plan = Plan(
            questions_in(str(folder / "gold.jsonl"), {}),
            f"index:{folder / 'docs.index'}",
            trace,
            Grid(knobs=knobs),
            timings=folder / f"{name}.timings.jsonl",
            journal=Path(scratch) / "journal",
        )
        carry_out(plan, sys.stderr if watched else None)
    return trace


def _scored(gold: Path, trace: Path, threads: int | None) -> Report:
    from ragstone.api import SHOWN, score_in
    from ragstone.contracts.sources import find
    from ragstone.engine.duck import Duck
    from ragstone.suites.answers.options import Options

    with Duck(threads) as duck:
        golds = find(gold, "gold", duck.scratch)
        traces = find(trace, "trace", duck.scratch)
        report = score_in(duck, golds, traces, Options(by=("tags",)), SHOWN)
        return replace(report, offending={})


def _files(folder: Path) -> Path:
    """The built-in data, copied where a person can read it; nothing of theirs is replaced."""
    from ragstone.report.formats import write

    data = resources.files("ragstone").joinpath("demo")
    wanted = {
        name: data.joinpath(name).read_text(encoding="utf-8")
        for name in ("gold.jsonl", "bad.toml", *_pages(data.joinpath("docs")))
    }
    for name, text in wanted.items():
        target = folder / name
        if target.exists() and (not target.is_file() or target.read_bytes() != text.encode()):
            raise InputError(f"{target} exists and is not the demonstration's; give another --dir")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "gold.jsonl").is_file():
        raise InputError(f"{folder} holds other files; give another --dir")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "docs").mkdir(exist_ok=True)
    except OSError as error:
        raise InputError(f"the folder {folder} cannot be made: {error.strerror}") from None
    for name, text in wanted.items():
        if not (folder / name).exists():
            write(folder / name, text)
    return folder


def _pages(docs: Traversable) -> Iterator[str]:
    return (f"docs/{page.name}" for page in docs.iterdir() if page.name.endswith(".md"))
