"""`ragstone gold diff`: what changed in a gold set, for a terminal and for a pull request."""

from __future__ import annotations

import argparse
import subprocess
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.cli.common import as_json, config_of, gold_of, must_not_replace
from ragstone.cli.flags import add_errors, add_map, flag
from ragstone.cli.forms import add_forms, form_of, put
from ragstone.cli.gold_freeze import GoldFile, gold_file
from ragstone.contracts.record import Given
from ragstone.errors import ConfigError, InputError
from ragstone.progress import doing
from ragstone.suites.config_file import mapping_in

if TYPE_CHECKING:
    from ragstone.contracts.sources import Source
    from ragstone.engine.duck import Duck
    from ragstone.tools.gold_diff import GoldDiff

_HEAD = "HEAD"
_GIT_SECONDS = 60
_FORMS = ("terminal", "markdown", "json")


def configure(parser: argparse.ArgumentParser) -> None:
    says = "OLD and NEW, or one gold set (paths.gold) to compare with its last commit, or its lock"
    flag(parser, "GOLD", says, nargs="*")
    flag(parser, "--baseline REV", "the commit to compare with (HEAD), such as origin/main")
    flag(parser, "--exit-code", "exit 1 if anything differs")
    add_forms(parser, _FORMS)
    add_map(parser)
    add_errors(parser)


def run(arguments: argparse.Namespace) -> int:
    from ragstone.engine.duck import Duck

    form = form_of(arguments, _FORMS, "a diff")
    config = config_of(arguments)
    mapping = mapping_in(config, arguments)
    read: tuple[GoldFile, ...]
    steps = {"old": 20, "new": 20, "comparing": 60}
    with Duck(arguments.threads) as duck, doing("gold diff", steps=steps):
        match arguments.gold:
            case [old, new]:
                if arguments.baseline is not None:
                    raise ConfigError("--baseline goes with one gold set: OLD and NEW are compared")
                pair = _one(duck, old, mapping), _one(duck, new, mapping)
                read, made, title = pair, _compared(*pair), f"{old} → {new}"
            case [] | [_]:
                arguments.gold = next(iter(arguments.gold), None)
                gold = _one(duck, gold_of(arguments, config, "its file"), mapping)
                read = (gold,)
                made, title = _since(gold, mapping, arguments.baseline)
            case _:
                raise ConfigError("gold diff compares two files: give OLD and NEW")
        must_not_replace(arguments, [each.source for each in read])
    put(arguments, form, partial(_rendered, made, title))
    return 1 if made.found and arguments.exit_code else 0


def _rendered(made: GoldDiff, title: str, kind: str) -> str:
    from ragstone.tools import gold_diff

    if kind == "json":
        return as_json({"title": title, **gold_diff.as_data(made)}) + "\n"
    if kind == "markdown":
        return gold_diff.as_markdown(made, title)
    return "\n".join(gold_diff.as_lines(made, title)) + "\n"


def _one(duck: Duck, given: str, mapping: Given) -> GoldFile:
    from ragstone.contracts.sources import find

    files = find(given, "gold", duck.scratch)
    if len(files) > 1:
        raise InputError(f"{given} matches {len(files)} files; diff one gold set at a time")
    files[0].must_be_readable()
    return gold_file(duck, files[0], mapping, checked=False)


def _compared(old: GoldFile, new: GoldFile) -> GoldDiff:
    from ragstone.suites.gold_items import gold_items_of
    from ragstone.tools.gold_diff import diff

    with doing("reading", step="old"):
        one = dict(gold_items_of(old.duck, old.source, old.mapping))
    with doing("reading", step="new"):
        two = dict(gold_items_of(new.duck, new.source, new.mapping))
    return diff(one, two)


def _since(gold: GoldFile, mapping: Given, base: str | None) -> tuple[GoldDiff, str]:
    """Against the commit; where that tells nothing, against the lock, which has only hashes."""
    from ragstone.suites.frozen_gold import unlike
    from ragstone.suites.gold_lock import read_lock
    from ragstone.suites.lock_place import lock_beside
    from ragstone.tools.gold_diff import GoldDiff

    source = _committed(gold, base or _HEAD)
    made = None
    if source is not None:
        made = _compared(gold_file(gold.duck, source, mapping, checked=False), gold)
        if made.found or base is not None:
            return made, f"{gold.name} since {base or _HEAD}"
    elif base is not None:
        raise InputError(f"git has no {gold.name} at {base}; is it the name of a commit or branch?")
    path = lock_beside(gold.name)
    if path is not None:
        found = unlike(gold.duck, gold.source, gold.mapping, read_lock(path))
        # A change that is committed already is still one that nobody has signed off.
        if found or made is None:
            return GoldDiff(found, {}, {}), f"{gold.name} since it was frozen"
    if made is None:
        raise InputError(
            f"there is nothing to compare {gold.name} with: git has no version of it, and it has "
            "no lock; give two files, as in `ragstone gold diff OLD NEW`"
        )
    return made, f"{gold.name} since {_HEAD}"


def _committed(gold: GoldFile, revision: str) -> Source | None:
    """The gold file as a commit has it; None where git, the repository or the file is absent."""
    from ragstone.contracts.sources import find
    from ragstone.scratch import keep

    if gold.name.startswith("<"):
        return None
    if revision.startswith("-"):
        raise ConfigError(f"--baseline {revision!r}: no commit has such a name")
    path = Path(gold.name).absolute()
    words = ["git", "-C", str(path.parent), "show", f"{revision}:./{path.name}"]
    try:
        ran = subprocess.run(words, capture_output=True, timeout=_GIT_SECONDS, check=False)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    if ran.returncode:
        return None
    (source,) = find(keep(gold.duck.scratch, (ran.stdout,)), "gold", gold.duck.scratch)
    source.must_be_readable()
    return replace(source, name=f"{revision}:{gold.name}")
