"""`ragstone gold from-traces`: proposes gold items from what was asked, and saves what a person
accepts into the gold set: who accepted it, and when."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.cli.check import items
from ragstone.cli.common import (
    as_json,
    config_of,
    gold_of,
    must_be_no_folder,
    say,
    say_each,
    was_kept,
)
from ragstone.cli.flags import add_errors, add_json, add_map, flag, utf8, whole
from ragstone.cli.gold_accept import Gold, Judged, asked, lint_of, named
from ragstone.cli.runs import add_ledger, store_of
from ragstone.errors import ConfigError, InputError
from ragstone.progress import doing
from ragstone.suites.config_file import Config, mapping_in

if TYPE_CHECKING:
    from ragstone.engine.duck import Duck
    from ragstone.serve.minute_rows import Line
    from ragstone.tools.gold_proposals import Proposal, Seen
    from ragstone.tools.gold_save import OpenGold, Saved, SignOff

_LIMIT = 20
# About how long each takes beside the others.
_STEPS = {"gold": 3, "reading": 3, "judging": 4, "comparing": 90}


def configure(parser: argparse.ArgumentParser) -> None:
    flag(parser, "GOLD", "the gold set (paths.gold)", nargs="?")
    flag(parser, "--trace FILE", "traces of questions that were asked", nargs="+")
    flag(parser, "--from NAME", "the traces are in another tool's format", dest="from_")
    flag(parser, "--data DIR", "the folder of `ragstone serve`, with its live records")
    flag(parser, "--run RUN", "a recorded run: questions that it has wrong", dest="recorded")
    add_ledger(parser)
    flag(parser, "--texts FILE", "texts of chunks, to find proofs in: {id, text} a line")
    flag(parser, "--limit N", f"propose at most N (default: {_LIMIT})", type=whole)
    flag(parser, "-o --output FILE", "the gold set with what was accepted, in a file of its own")
    how = parser.add_mutually_exclusive_group()
    flag(how, "--list", "print the proposals and write nothing")
    flag(how, "--accept QID", "accept these, and drop the rest", nargs="+")
    flag(how, "--yes", "accept all new items that are complete, unread")
    flag(parser, "--by NAME", "who accepts (default: git's user.name, else $USER)", type=utf8)
    flag(parser, "--why WHY", "why, for the freeze of a frozen gold set", type=utf8)
    flag(parser, "--freeze", "freeze the gold set if it is not frozen yet")
    add_json(parser)
    add_map(parser)
    add_errors(parser)


def run(arguments: argparse.Namespace) -> int:
    from ragstone.tools.gold_proposals import proposals
    from ragstone.tools.gold_save import not_signed_off, open_gold

    config = config_of(arguments)
    _must_be_told_enough(arguments)
    limit = _LIMIT if arguments.limit is None else arguments.limit
    with doing("gold from-traces", steps=_STEPS):
        with doing("reading", step="gold"):
            name = gold_of(arguments, config, "its file")
            gold = open_gold(name, allowed=mapping_in(config, arguments).allowed)
        seen = _seen(arguments, config, gold)
        found = proposals(gold.items, seen, retrieval=gold.retrieval, limit=limit)
    told = Gold(gold.items, gold.retrieval)
    if arguments.list:
        _list(found, told)
        return 0
    if not arguments.output and gold.unlike:
        raise InputError(not_signed_off(gold))
    by = _who(arguments.by)
    judged = _judged(arguments, found, told)
    saved = _saved(arguments, gold, judged.accepted, by) if judged.accepted else None
    _tell(arguments, found, judged.accepted, saved)
    if judged.stopped:
        raise KeyboardInterrupt
    return 0


def _must_be_told_enough(arguments: argparse.Namespace) -> None:
    if not (arguments.trace or arguments.data or arguments.recorded):
        raise ConfigError("what was asked? Give --trace FILE, --data DIR or --run RUN")
    if arguments.from_ and not arguments.trace:
        raise ConfigError("--from goes with --trace")
    if arguments.limit is not None and arguments.limit < 1:
        raise ConfigError(f"--limit {arguments.limit}: expected 1 or more")
    if arguments.output is not None:
        out = Path(arguments.output)
        if not out.absolute().parent.is_dir():
            raise InputError(f"{out}: the folder {out.parent} does not exist")
        must_be_no_folder(arguments.output)
    by_hand = arguments.accept is None and not arguments.yes and not arguments.list
    if by_hand and not sys.stdin.isatty():
        raise ConfigError("accepting takes a terminal; use --list to look and --accept QID to take")


def _seen(arguments: argparse.Namespace, config: Config, gold: OpenGold) -> list[Seen]:
    """The questions of all that was given, judged by gold where that is gold for answers."""
    from ragstone.engine.duck import Duck
    from ragstone.ledger.run_words import find_run
    from ragstone.serve.judged_records import judging_by
    from ragstone.serve.seen_questions import run_questions, seen_questions

    with Duck(arguments.threads) as duck:
        texts = _texts(arguments, config, duck)
        lines, names = _lines(arguments, config, duck)
        judging = judging_by(config, [] if gold.retrieval else [gold.name], duck)
        with (
            Duck(arguments.threads) as other,
            doing("judging", len(lines) or 1, "rows", other.share, step="judging"),
        ):
            seen = seen_questions(other, lines, judging, texts)
    found = [replace(each, id=names.get(each.id, each.id)) for each in seen]
    if arguments.recorded:
        found += run_questions(find_run(arguments.recorded, store_of(arguments)), texts)
    return found


def _texts(arguments: argparse.Namespace, config: Config, duck: Duck) -> dict[str, str]:
    from ragstone.contracts.records.retrieval_records import TEXTS
    from ragstone.contracts.sources import find

    if not arguments.texts:
        return {}
    mapping = mapping_in(config, arguments)
    listed = items(duck, find(arguments.texts, "texts", duck.scratch), TEXTS, mapping)
    return {str(each["id"]): str(each["text"]) for each in listed}


def _lines(
    arguments: argparse.Namespace, config: Config, duck: Duck
) -> tuple[list[Line], dict[str, str]]:
    """The traces as lines to be judged, and what the trace of each line is called."""
    from ragstone.contracts.records.trace_records import TRACE
    from ragstone.contracts.sources import find
    from ragstone.formats.known_formats import find_format
    from ragstone.formats.translate import Limits, translate
    from ragstone.serve.minute_rows import Line
    from ragstone.serve.seen_questions import stored_lines

    lines: list[Line] = []
    names: dict[str, str] = {}
    if arguments.trace:
        sources = find(arguments.trace, "trace", duck.scratch)
        if arguments.from_:
            format = find_format(arguments.from_, "traces", config.formats)
            sources = translate(format, sources, duck.scratch, Limits(arguments.threads)).sources
        own = {field.path[0] for field in TRACE.fields}
        mapping = mapping_in(config, arguments)
        for number, trace in enumerate(items(duck, sources, TRACE, mapping)):
            text = json.dumps({key: trace[key] for key in trace if key in own}, ensure_ascii=False)
            lines.append(Line(0, str(number), text))
            names[str(number)] = f"trace {_name(trace, number)}"
    if arguments.data:
        stored, more = stored_lines(Path(arguments.data))
        lines += stored
        names |= {line.id: f"record {line.id[:16]}" for line in stored}
        if more and not arguments.quiet:
            print("ragstone: only the newest 20,000 records were looked at", file=sys.stderr)
    return lines, names


def _name(trace: Mapping[str, object], number: int) -> str:
    found = trace.get("trace_id") or trace.get("qid") or trace.get("q_id")
    return str(found or f"{number + 1:,}")


def _list(found: Sequence[Proposal], gold: Gold) -> None:
    say_each(_listed(found, gold), len(found))


def _listed(found: Sequence[Proposal], gold: Gold) -> Iterator[str]:
    for each in found:
        weak = [f"{one.rule}: {one.says}" for one in lint_of(each, gold)]
        kind = "changed" if each.old is not None else "new"
        told = {"why": each.why, "seen": each.seen.id, "kind": kind, "lint": weak}
        lacks = {"lacks": each.lacks} if each.lacks else {}
        yield json.dumps({**each.item, **told, **lacks}, ensure_ascii=False)


def _judged(arguments: argparse.Namespace, found: Sequence[Proposal], gold: Gold) -> Judged:
    if arguments.yes:
        # What would change an item so that an answer passes is never taken unread.
        return Judged([each for each in found if not each.lacks and each.old is None])
    if arguments.accept is not None:
        return Judged(named(arguments.accept, found))
    return asked(found, gold)


def _who(given: str | None) -> str:
    from ragstone.ledger.git_facts import user_name

    who = (given or user_name() or os.environ.get("USER") or "").strip()
    if not who:
        raise ConfigError("who accepts? Give --by NAME: each item says who took it over")
    return who


def now() -> datetime:
    """The moment at which items are accepted."""
    return datetime.now(UTC)


def _saved(
    arguments: argparse.Namespace, gold: OpenGold, accepted: Sequence[Proposal], by: str
) -> Saved:
    """The gold set with the accepted items; on top of what others saved in the meantime."""
    from ragstone.tools.gold_draft import accepted as signed
    from ragstone.tools.gold_save import GoldChanged, SignOff, save

    moment = now()
    made = [
        signed(each.item, by, moment.strftime("%Y-%m-%dT%H:%M:%SZ"), each.seen.id)
        for each in accepted
    ]
    why = (arguments.why or "").strip() or f"{len(made)} accepted from what was asked"
    sign = SignOff(by, why, moment.date().isoformat())
    if arguments.output is not None and not _is_same(arguments.output, gold.name):
        return _copied(arguments, gold, made, sign)
    since = gold
    while True:
        try:
            return save(
                *(gold.name, made, since.digest, sign),
                freeze=arguments.freeze,
                allowed=gold.text.allowed,
            )
        except GoldChanged as changed:
            touched = [
                str(item["qid"])
                for item in made
                if changed.now.items.get(str(item["qid"])) != since.items.get(str(item["qid"]))
            ]
            if touched:
                say_each(json.dumps(item, ensure_ascii=False) for item in made)
                raise InputError(
                    f"{gold.name} has changed since you began, and {touched[0]} with it: nothing "
                    "was saved, and what you accepted is printed above"
                ) from None
            since = changed.now


def _is_same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _copied(
    arguments: argparse.Namespace,
    gold: OpenGold,
    made: Sequence[Mapping[str, object]],
    sign: SignOff,
) -> Saved:
    """The whole gold set in another file, with the accepted items in it."""
    from ragstone.tools.gold_save import save_as

    return save_as(arguments.output, gold, made, sign, freeze=arguments.freeze)


def _tell(
    arguments: argparse.Namespace,
    found: Sequence[Proposal],
    accepted: Sequence[Proposal],
    saved: Saved | None,
) -> None:
    lacking = sum(bool(each.lacks) for each in found)
    if arguments.json:
        lock = None if saved is None or saved.lock is None else str(saved.lock)
        listed = [saved.gold.items[each.qid] for each in accepted] if saved else []
        made = {"proposed": len(found), "incomplete": lacking, "accepted": len(listed)}
        say(as_json({**made, "lock": lock, "items": listed}))
        return
    if arguments.quiet:
        return
    some = f" ({lacking:,} of them to be completed)" if lacking else ""
    say(f"{len(found):,} proposed{some}, {len(accepted):,} accepted")
    if saved is None:
        say("nothing was written")
        return
    say_each(was_kept(saved.kept_as))
    say(f"{saved.changed.found.counts}; wrote {saved.gold.name}")
    if saved.lock is not None:
        say(f"froze it again: wrote {saved.lock}")
    else:
        say(f"it is not frozen: `ragstone gold freeze {saved.gold.name}` signs it off")
