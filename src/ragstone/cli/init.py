"""Write ragstone.toml, an example gold set and a CI workflow; existing files are left alone."""

from __future__ import annotations

import argparse
from importlib import resources
from pathlib import Path

from ragstone.cli.common import say
from ragstone.cli.flags import flag
from ragstone.errors import InputError

# where it goes → the template it comes from
FILES = {
    "ragstone.toml": "ragstone.toml",
    "eval/gold.jsonl": "gold.jsonl",
    ".github/workflows/ragstone.yml": "workflow.yml",
}


def configure(parser: argparse.ArgumentParser) -> None:
    flag(parser, "DIR", "where to (here)", nargs="?", default=".")


def run(arguments: argparse.Namespace) -> int:
    from ragstone.files import write

    folder = Path(arguments.dir)
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; give a folder")
    templates = resources.files("ragstone.cli").joinpath("templates")
    for place, name in FILES.items():
        target = folder / place
        if target.exists():
            say(f"kept   {target} (it exists)")
            continue
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{target.parent} cannot be made: {error.strerror}") from None
        write(target, templates.joinpath(name).read_text(encoding="utf-8"))
        say(f"wrote  {target}")
    if not arguments.quiet:
        say(
            "next: put your questions into eval/gold.jsonl, have your pipeline log to "
            "runs/trace.jsonl, then run: ragstone gate"
        )
    return 0
