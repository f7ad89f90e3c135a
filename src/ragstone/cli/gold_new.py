"""Propose gold items from documents; a person accepts, edits or drops each. Only what was accepted
is written."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.cli.common import add_everywhere, say, whole
from ragstone.errors import ConfigError, InputError

if TYPE_CHECKING:
    from ragstone.index.propose import Proposal

EXAMPLE = """\
examples:
  ragstone gold new --docs docs/ -o eval/gold.jsonl
  ragstone gold new --docs docs/ --list
  ragstone gold new --docs docs/ -o eval/gold.jsonl --accept what-is-a-standby-0b1c2d
"""
_KEYS = "accept (a), edit (e), drop (d), stop (q)? "


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--docs", metavar="DOCS", required=True, help="a folder of documents")
    parser.add_argument(
        "-o", "--out", metavar="GOLD", help="what is accepted is added to this gold set"
    )
    parser.add_argument("--limit", type=whole, metavar="N", help="propose at most N")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--list", action="store_true", help="print the proposals and write nothing")
    how.add_argument("--accept", metavar="QID", nargs="+", help="accept these, and drop the rest")
    how.add_argument("--yes", action="store_true", help="accept all of them, unread")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    add_everywhere(parser)
    parser.set_defaults(parser=parser, act=run)


def run(arguments: argparse.Namespace) -> int:
    known = _known(arguments.out)
    found = _proposed(arguments, known)
    if arguments.list:
        for proposal in found:
            say(json.dumps({**proposal.item(), "why": proposal.why}, ensure_ascii=False))
        return 0
    if arguments.out is None:
        raise ConfigError("where should accepted items go? Give -o GOLD, or --list to look only")
    accepted = _accepted(arguments, found)
    if accepted:
        _write(Path(arguments.out), accepted)
    if arguments.json:
        items = [proposal.item() for proposal in accepted]
        made = {"proposed": len(found), "accepted": len(items), "items": items}
        say(json.dumps(made, ensure_ascii=False, indent=2))
    elif not arguments.quiet:
        say(f"{len(found):,} proposed, {len(accepted):,} accepted")
        say(f"wrote {arguments.out}" if accepted else "nothing was written")
    return 0


def _known(out: str | None) -> list[str]:
    """The ids that the gold set has already; a broken gold set is not added to."""
    from ragstone.cli.index import gold_items

    if out is None or not Path(out).exists():
        return []
    return [str(item["qid"]) for item in gold_items(out)]


def _proposed(arguments: argparse.Namespace, known: list[str]) -> list[Proposal]:
    from ragstone.index.documents import found_in
    from ragstone.index.propose import proposals, unique
    from ragstone.index.store import built

    if arguments.limit is not None and arguments.limit < 1:
        raise ConfigError(f"--limit {arguments.limit}: expected 1 or more")
    _, chunks = built(found_in(arguments.docs))
    return unique(proposals(chunks), known)[: arguments.limit]


def _accepted(arguments: argparse.Namespace, found: list[Proposal]) -> list[Proposal]:
    if arguments.yes:
        return found
    if arguments.accept is not None:
        unknown = sorted(set(arguments.accept) - {proposal.qid for proposal in found})
        if unknown:
            raise ConfigError(f"--accept {unknown[0]}: it was not proposed; --list shows what is")
        return [proposal for proposal in found if proposal.qid in set(arguments.accept)]
    if not sys.stdin.isatty():
        raise ConfigError("accepting takes a terminal; use --list to look and --accept QID to take")
    return _asked(found)


def _asked(found: list[Proposal]) -> list[Proposal]:
    """One proposal after the other, before a person; stopping keeps what was accepted."""
    accepted = []
    for number, proposal in enumerate(found, 1):
        _show(proposal, number, len(found))
        match _word(_KEYS, ("a", "e", "d", "q")):
            case "a":
                accepted.append(proposal)
            case "e":
                accepted.append(_edited(proposal))
            case "q":
                break
    return accepted


def _show(proposal: Proposal, number: int, total: int) -> None:
    from ragstone.report.text import shown

    say(f"\n{number} of {total}  {proposal.qid}  ({proposal.why})")
    say(f"  question   {shown(proposal.question, 200)}")
    say(f"  evidence   {proposal.chunk.id}, bytes {proposal.offsets[0]} to {proposal.offsets[1]}")
    say(f"  substring  {shown(proposal.substr, 200)}")
    say(f"  text       {shown(' '.join(proposal.chunk.text.split()), 400)}")


def _edited(proposal: Proposal) -> Proposal:
    """Other words for it; an empty line keeps what stands. The evidence must hold the substring."""
    question = _line("  question (empty: keep)  ") or proposal.question
    while True:
        substr = _line("  substring (empty: keep)  ") or proposal.substr
        if substr.casefold() in proposal.chunk.text.casefold():
            return replace(proposal, question=question, substr=substr)
        say("  that is not in the text of the evidence")


def _word(prompt: str, words: tuple[str, ...]) -> str:
    while True:
        given = _line(prompt).casefold()[:1]
        if given in words:
            return given


def _line(prompt: str) -> str:
    try:
        return input(prompt).strip()
    except EOFError:
        # The terminal was closed: nobody is there to accept anything more.
        raise KeyboardInterrupt from None


def _write(path: Path, accepted: list[Proposal]) -> None:
    from ragstone.report.formats import write

    if not path.absolute().parent.is_dir():
        raise InputError(f"{path}: the folder {path.parent} does not exist")
    held = path.read_text(encoding="utf-8") if path.exists() else ""
    if held and not held.endswith("\n"):
        held += "\n"
    lines = (json.dumps(each.item(), ensure_ascii=False) + "\n" for each in accepted)
    write(path, held + "".join(lines))
