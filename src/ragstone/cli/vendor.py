"""Copy the one-file scorer (standard library only) into your repository."""

from __future__ import annotations

import argparse
from importlib import resources
from pathlib import Path

from ragstone.cli.common import say
from ragstone.cli.flags import flag
from ragstone.errors import InputError


def configure(parser: argparse.ArgumentParser) -> None:
    flag(parser, "DIR", "the folder to write to (here)", nargs="?", default=".")
    flag(parser, "--force", "replace a file that differs")


def run(arguments: argparse.Namespace) -> int:
    from ragstone.files import write

    text = resources.files("ragstone").joinpath("score_eval.py").read_text(encoding="utf-8")
    folder = Path(arguments.dir)
    if not folder.is_dir():
        raise InputError(f"the folder {folder} does not exist")
    target = folder / "score_eval.py"
    if target.exists():
        if target.is_file() and target.read_text(encoding="utf-8", errors="replace") == text:
            say(f"{target} is up to date")
            return 0
        if not arguments.force:
            raise InputError(f"{target} exists and differs; --force replaces it")
    write(target, text)
    if not arguments.quiet:
        say(f"wrote {target}; run it with: python {target} --gold GOLD --trace TRACE")
    return 0
