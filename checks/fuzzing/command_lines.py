"""The commands and flags of the program, taken from its own parsers, and odd words for them."""

from __future__ import annotations

import argparse
import functools
import tomllib
from pathlib import Path
from random import Random
from typing import Any

from fuzzing.broken import TEXTS
from ragstone.cli.main import commands, parser_of

# --debug prints tracebacks on purpose, a download needs a network, and a help text is no run.
_LEFT_OUT = ("help", "version", "debug", "allow_download", "target", "evidence")
_WRITTEN = ("output", "out", "tsv", "write", "timings", "journal")
_READ = ("FILE", "DOCS", "GOLD", "DIR", "GRID.TOML", "INDEX")
_COUNTED = ("N", "K", "BYTES", "SUPPORT")


@functools.cache
def _words() -> dict[str, Any]:
    found = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
    found["numbers"] += ["9" * 30, "9" * 5000]
    # A name in bytes that are not UTF-8 reaches Python like this.
    found["paths"] += ["x" * 300, "\udcff.jsonl"]
    return found


@functools.cache
def parsers() -> dict[str, argparse.ArgumentParser]:
    """Every command of the program, with its actions, as `index build`."""
    found: dict[str, argparse.ArgumentParser] = {}
    for command in commands():
        parser = _below(parser_of(command))[command]
        found |= {f"{command} {name}": each for name, each in _below(parser).items()}
        # Some do something without an action too.
        if parser.get_default("run") is not None:
            found[command] = parser
    return found


def _below(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def flags(chance: Random, command: str, most: int = 3) -> list[str]:
    """Some flags of a command, each with a word that it takes or does not take."""
    known = (each for each in parsers()[command]._actions if each.option_strings)
    usable = [each for each in known if each.dest not in _LEFT_OUT]
    chosen = chance.sample(usable, min(chance.randint(0, most), len(usable)))
    return [word for action in chosen for word in _given(chance, action)]


def _given(chance: Random, action: argparse.Action) -> list[str]:
    name = chance.choice(action.option_strings)
    if action.nargs == 0:
        return [name]
    many = chance.randint(1, 3) if action.nargs == "+" else 1
    return [name, *(_word(chance, action) for _ in range(many))]


def _word(chance: Random, action: argparse.Action) -> str:
    """A word for a flag: often one that it takes, else one that it should refuse."""
    words, placeholder = _words(), str(action.metavar or "")
    if action.choices and chance.random() < 0.8:
        return str(chance.choice(list(action.choices)))
    if placeholder == "NAME=NUMBER":
        parts = (words["metrics"], words["comparisons"], words["numbers"])
        return "".join(map(chance.choice, parts))
    pool = words["flags"].get(action.dest) or words["placeholders"].get(placeholder)
    if pool is None and action.dest in _WRITTEN:
        pool = words["outputs"]
    elif pool is None and placeholder in _READ:
        pool = words["paths"]
    elif pool is None and (action.type is not None or placeholder in _COUNTED):
        pool = words["numbers"]
    texts = [text for text in TEXTS if "\0" not in text]
    return str(chance.choice(pool or [*words["metrics"], *words["numbers"], *texts]))
