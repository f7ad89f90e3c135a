"""Run the whole job on built-in data: a small gold set, traces, the decision and the report."""

from __future__ import annotations

import argparse
from dataclasses import replace
from importlib import resources
from pathlib import Path

from ragstone.cli.common import add_everywhere, colored, say, width

EXAMPLE = """\
examples:
  ragstone demo                  (a careful pipeline: PASS)
  ragstone demo --bad            (the same after a careless change: FAIL)
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--bad", action="store_true", help="traces of a careless change")
    parser.add_argument(
        "--dir", metavar="DIR", default="ragstone-demo", help="where the files go (ragstone-demo)"
    )
    add_everywhere(parser)


def run(arguments: argparse.Namespace) -> int:
    """Exits 0 when the loop completed, whatever the decision."""
    from ragstone.api import SHOWN, score_in
    from ragstone.contracts.sources import find
    from ragstone.engine.duck import Duck
    from ragstone.report.formats import render, write
    from ragstone.suites.answers.options import Options

    folder = _files(Path(arguments.dir))
    trace = folder / ("bad.jsonl" if arguments.bad else "good.jsonl")
    with Duck(arguments.threads) as duck:
        gold = find(folder / "gold.jsonl", "gold", duck.scratch)
        traces = find(trace, "trace", duck.scratch)
        report = score_in(duck, gold, traces, Options(by=("tags",)), SHOWN)
        report = replace(report, offending={})
    page = folder / "report.html"
    write(page, render(report, "html"))
    say(render(report, "terminal", color=colored(), width=width()))
    if not arguments.quiet:
        other = "ragstone demo" if arguments.bad else "ragstone demo --bad"
        say(f"\nThe report:        {page}")
        say(f"The same by hand:  ragstone score --gold {gold[0].name} --trace {trace} --by tags")
        say(f"The other answer:  {other}")
    return 0


def _files(folder: Path) -> Path:
    """The built-in data, copied where a person can read it; nothing of theirs is replaced."""
    from ragstone.errors import InputError
    from ragstone.report.formats import write

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"the folder {folder} cannot be made: {error.strerror}") from None
    data = resources.files("ragstone").joinpath("demo")
    for name in ("gold.jsonl", "good.jsonl", "bad.jsonl"):
        text = data.joinpath(name).read_text(encoding="utf-8")
        target = folder / name
        if not target.exists():
            write(target, text)
        elif not target.is_file() or target.read_bytes() != text.encode():
            raise InputError(f"{target} exists and is not the demonstration's; give another --dir")
    return folder
