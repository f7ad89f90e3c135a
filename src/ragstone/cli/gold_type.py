"""`ragstone gold type`: proposes typed answers for the phrases of a gold set, and writes the gold
set with those that were accepted."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ragstone.cli.check import items
from ragstone.cli.common import as_json, config_of, one_gold_file, say, say_each, was_kept
from ragstone.cli.flags import add_errors, add_json, add_map, flag
from ragstone.errors import ConfigError, InputError
from ragstone.progress import counting, doing
from ragstone.suites.config_file import mapping_in

if TYPE_CHECKING:
    from ragstone.tools.propose_types import Proposal

ALL = "all"
NOBODY_ASKED = 3


def configure(parser: argparse.ArgumentParser) -> None:
    flag(parser, "GOLD", "the gold set (paths.gold)", nargs="?")
    flag(parser, "-o --output GOLD", "the gold set with what was accepted; without it, look only")
    flag(parser, "--accept QID", "accept these without asking; `all` accepts every one", nargs="+")
    add_json(parser)
    add_map(parser)
    add_errors(parser)


def run(arguments: argparse.Namespace) -> int:
    from ragstone.tools.propose_types import propose_all

    with doing("gold type", steps={"reading": 35, "proposing": 65}):
        with doing("reading", step="reading"):
            gold = _gold(arguments)
        looked = counting(gold, "proposing", "items", step="proposing")
        found = propose_all(looked)
    typed = [proposal for proposal in found if proposal.forms]
    if arguments.output is None:
        if arguments.accept is not None:
            raise ConfigError("where should the gold set go? Give -o GOLD, or leave out --accept")
        _tell(arguments, found, None)
        return 0
    if arguments.accept is None and not sys.stdin.isatty():
        # A script that wants a file must not take this for one that was written.
        _tell(arguments, found, None)
        says = "nothing was written: accepting takes a terminal, or --accept all (or QID ...)"
        print(f"ragstone: {says}", file=sys.stderr)
        return NOBODY_ASKED
    if arguments.accept is None:
        return _ask(arguments, gold, typed)
    accepted = _named(arguments.accept, typed)
    kept_as = _write(arguments.output, gold, accepted)
    _tell(arguments, found, accepted, kept_as)
    return 0


def _gold(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """The items, all of their fields as they are; the file they are written to is another one."""
    from ragstone.contracts.records.gold_record import GOLD
    from ragstone.engine.duck import Duck
    from ragstone.files import target_of

    config = config_of(arguments)
    mapping = mapping_in(config, arguments)
    with Duck(arguments.threads) as duck:
        files = one_gold_file(arguments, config, duck.scratch, "type")
        if arguments.output is not None:
            out = Path(arguments.output)
            if not out.absolute().parent.is_dir():
                raise InputError(f"{out}: the folder {out.parent} does not exist")
            if out.is_dir():
                raise InputError(f"{out} is a folder; give a file name")
            if target_of(out) == Path(os.path.realpath(files[0].path)):
                raise ConfigError(f"-o {out} would replace an input")
        return items(duck, files, GOLD, mapping, filled=True)


def _named(qids: Sequence[str], typed: list[Proposal]) -> list[Proposal]:
    """The proposals that --accept names."""
    if ALL in qids:
        return typed
    unknown = sorted(set(qids) - {proposal.qid for proposal in typed})
    if unknown:
        raise ConfigError(f"--accept {unknown[0]}: nothing was proposed for it; or give `all`")
    return [proposal for proposal in typed if proposal.qid in qids]


def _ask(arguments: argparse.Namespace, gold: list[dict[str, Any]], typed: list[Proposal]) -> int:
    """One proposal after the other, before a person; stopping keeps what was accepted."""
    accepted: list[Proposal] = []
    stopped = False
    try:
        for number, proposal in enumerate(typed, 1):
            say(f"\n{number} of {len(typed)}")
            say_each(_lines(proposal))
            key = ""
            while key not in ("y", "n", "a", "q"):
                key = input("type it: yes (y), no (n), all from here on (a), stop (q)? ")[
                    :1
                ].lower()
            if key == "q":
                break
            accepted += {"y": [proposal], "n": [], "a": typed[number - 1 :]}[key]
            if key == "a":
                break
    except (EOFError, KeyboardInterrupt):
        # The terminal was closed, or the person wants to stop: what was accepted is not lost.
        stopped = True
    kept_as = _write(arguments.output, gold, accepted) if accepted else {}
    say(f"\n{len(typed):,} proposed, {len(accepted):,} accepted")
    say_each(was_kept(kept_as))
    say(f"wrote {arguments.output}" if accepted else "nothing was written")
    if stopped:
        raise KeyboardInterrupt
    return 0


def _write(out: str, gold: list[dict[str, Any]], accepted: list[Proposal]) -> dict[str, str]:
    """Every item in its place, those that were accepted with their typed answers.

    What was in the file is kept beside it: a person may have changed it.
    """
    from ragstone.files import write_files

    by_qid = {proposal.qid: proposal for proposal in accepted}
    items = counting(gold, f"writing {out}", "items")
    made = (by_qid[item["qid"]].applied(item) if item["qid"] in by_qid else item for item in items)
    lines = (json.dumps(item, ensure_ascii=False) + "\n" for item in made)
    return write_files(
        {out: (line.encode("utf-8", "backslashreplace") for line in lines)}, may_replace=()
    )


def _tell(
    arguments: argparse.Namespace,
    found: list[Proposal],
    accepted: list[Proposal] | None,
    kept_as: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """The proposals and, where it was decided, how many of them were accepted."""
    typed = sum(bool(proposal.forms) for proposal in found)
    if arguments.json:
        listed = [
            {
                "qid": one.qid,
                "question": one.question,
                "phrase": t.phrase,
                "form": t.form,
                "why": t.why,
            }
            for one in found
            for t in one.typed
        ]
        counts = {"proposed": typed, "accepted": len(accepted or ())}
        say(as_json({**counts, "proposals": listed}))
        return
    say_each(line for proposal in found for line in _lines(proposal))
    if not arguments.quiet:
        kept = "none written" if accepted is None else f"{len(accepted):,} accepted"
        say(f"{typed:,} proposed, {kept}")
        say_each(was_kept(kept_as))
        if accepted is not None:
            say(f"wrote {arguments.output}")


def _lines(proposal: Proposal) -> Iterator[str]:
    from ragstone.report.text import shown, visible

    yield visible(proposal.qid)
    yield f"  question  {shown(proposal.question, 200)}"
    for each in proposal.typed:
        yield f"  phrase    {shown(each.phrase, 200)}"
        form = "stays" if each.form is None else json.dumps(each.form, ensure_ascii=False)
        yield f"  →         {visible(form)}  ({each.why})"
