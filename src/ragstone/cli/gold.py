"""Look after a gold set. `lint` lists what is weak. `new` proposes items from documents,
`from-traces` from what was asked, and `type` proposes typed answers; a person accepts or drops
each. `freeze` signs the gold set off,
`verify` says whether it has changed since, and `diff` shows how. `check` looks for the evidence
of each item."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.cli import gold_check, gold_freeze, gold_from_traces, gold_type, gold_versions
from ragstone.cli.check import gold_items
from ragstone.cli.common import as_json, config_of, one_gold_file, say, say_each
from ragstone.cli.flags import add_errors, add_json, add_map, flag, whole
from ragstone.cli.gold_corpus import add_docs, known_chunks, manifest_lines, read_gold
from ragstone.errors import ConfigError, InputError
from ragstone.progress import doing
from ragstone.suites.config_file import mapping_in

if TYPE_CHECKING:
    from ragstone.index.propose import Proposal
    from ragstone.suites.answers.lint import Weakness


# What lint consists of, with about how long each takes beside the others.
_LINT = {"gold": 10, "corpus": 15, "checking": 10, "repeated": 50, "wordings": 10, "texts": 5}


def _configure_lint(parser: argparse.ArgumentParser) -> None:
    flag(parser, "GOLD", "the gold set (paths.gold)", nargs="?")
    flag(parser, "--trace FILE", "traces, to see which ids occur", nargs="+")
    flag(
        parser,
        "--manifest FILE",
        "a chunk manifest with texts, in which ids and phrases are looked for",
    )
    flag(
        parser,
        "--texts FILE",
        "texts of chunks, in which phrases are looked for: {id, text} a line",
    )
    add_docs(parser)
    flag(parser, "--exit-code", "exit 1 if anything is weak")
    add_json(parser)
    add_map(parser)
    add_errors(parser)


def lint(arguments: argparse.Namespace) -> int:
    from ragstone.engine.duck import Duck
    from ragstone.suites.answers import lint as answers_lint
    from ragstone.tools import retrieval_lint
    from ragstone.tools.brittle_phrases import brittle
    from ragstone.tools.gold_conflicts import conflicts
    from ragstone.tools.gold_in_corpus import against_corpus
    from ragstone.tools.known_chunks import joined
    from ragstone.tools.shared_surnames import lint_surnames

    config = config_of(arguments)
    mapping = mapping_in(config, arguments)
    with doing("gold lint", steps=_LINT):
        with Duck(arguments.threads) as duck:
            files = one_gold_file(arguments, config, duck.scratch, "lint")
            with doing("reading", step="gold"):
                gold, retrieval = read_gold(duck, files, mapping)
            with doing("reading", step="corpus"):
                manifest = manifest_lines(arguments, duck, mapping)
                known = known_chunks(arguments, duck, mapping, manifest)
        if retrieval:
            weak = retrieval_lint.lint(gold, manifest)
        else:
            weak = answers_lint.lint(gold, known["trace"].ids if "trace" in known else None)
            weak += [*brittle(gold), *lint_surnames(gold)]
        weak += conflicts(gold)
        corpus = [each for name, each in known.items() if name != "trace"]
        if corpus:
            weak += against_corpus(gold, joined(corpus))
        _show(sorted(weak), len(gold), arguments)
    return 1 if weak and arguments.exit_code else 0


def _show(weak: list[Weakness], total: int, arguments: argparse.Namespace) -> None:
    from ragstone.report.text import counted, visible

    if arguments.json:
        rules = sorted({found.rule for found in weak})
        made = {
            "items": total,
            "weaknesses": [dataclasses.asdict(found) for found in weak],
            "rules": {rule: sum(found.rule == rule for found in weak) for rule in rules},
            "pass": not weak,
        }
        say(as_json(made))
        return
    lines = (visible(f"{found.qid or 'gold'}: {found.rule}: {found.says}") for found in weak)
    say_each(lines, len(weak))
    if not arguments.quiet:
        say(
            f"{counted(total, 'item')}, {len(weak):,} to look at"
            if weak
            else f"{counted(total, 'item')}, all sound"
        )
        if not arguments.trace:
            say("no traces were given, so ids that never occur were not looked for")


def _configure_new(parser: argparse.ArgumentParser) -> None:
    flag(parser, "--docs DOCS", "a folder of documents", required=True)
    flag(parser, "-o --output GOLD", "the gold set that accepted items are added to")
    flag(parser, "--limit N", "propose at most N", type=whole)
    how = parser.add_mutually_exclusive_group()
    flag(how, "--list", "print the proposals and write nothing")
    flag(how, "--accept QID", "accept these, and drop the rest", nargs="+")
    flag(how, "--yes", "accept all of them, unread")
    add_json(parser)


def new(arguments: argparse.Namespace) -> int:
    from ragstone.index.documents import found_in
    from ragstone.index.propose import proposals, unique
    from ragstone.index.store import built

    out = arguments.output
    # A broken gold set is not added to.
    held = gold_items(out) if out is not None and Path(out).exists() else []
    if arguments.limit is not None and arguments.limit < 1:
        raise ConfigError(f"--limit {arguments.limit}: expected 1 or more")
    _, chunks = built(found_in(arguments.docs))
    found = unique(proposals(chunks), [str(item["qid"]) for item in held])[: arguments.limit]
    if arguments.list:
        made = ({**proposal.item(), "why": proposal.why} for proposal in found)
        say_each((json.dumps(each, ensure_ascii=False) for each in made), len(found))
        return 0
    if arguments.output is None:
        raise ConfigError("where should accepted items go? Give -o GOLD, or --list to look only")
    accepted = _accepted(arguments, found)
    if accepted:
        _write(Path(arguments.output), accepted)
    if arguments.json:
        items = [proposal.item() for proposal in accepted]
        say(as_json({"proposed": len(found), "accepted": len(items), "items": items}))
    elif not arguments.quiet:
        say(f"{len(found):,} proposed, {len(accepted):,} accepted")
        say(f"wrote {arguments.output}" if accepted else "nothing was written")
    return 0


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
        _show_proposal(proposal, number, len(found))
        key = ""
        while key not in ("a", "e", "d", "q"):
            key = _line("accept (a), edit (e), drop (d), stop (q)? ").casefold()[:1]
        match key:
            case "a":
                accepted.append(proposal)
            case "e":
                accepted.append(_edited(proposal))
            case "q":
                break
    return accepted


def _show_proposal(proposal: Proposal, number: int, total: int) -> None:
    from ragstone.report.text import shown

    say(f"\n{number} of {total}  {proposal.qid}  ({proposal.why})")
    say(f"  question   {shown(proposal.question, 200)}")
    say(f"  evidence   {proposal.chunk.id}, bytes {proposal.offsets[0]} to {proposal.offsets[1]}")
    say(f"  substring  {shown(proposal.substr, 200)}")
    typed = proposal.item().get("gold_answer")
    if typed is not None:
        say(f"  written as {shown(json.dumps(typed, ensure_ascii=False), 200)}")
    say(f"  text       {shown(' '.join(proposal.chunk.text.split()), 400)}")


def _edited(proposal: Proposal) -> Proposal:
    """Other words for it; an empty line keeps what stands. The evidence must hold the substring."""
    question = _line("  question (empty: keep)  ") or proposal.question
    while True:
        substr = _line("  substring (empty: keep)  ") or proposal.substr
        if substr.casefold() in proposal.chunk.text.casefold():
            edited = dataclasses.replace(proposal, question=question, substr=substr)
            typed = edited.item().get("gold_answer")
            if typed is not None:
                say(f"  written as {json.dumps(typed, ensure_ascii=False)}")
            return edited
        say("  that is not in the text of the evidence")


def _line(prompt: str) -> str:
    try:
        return input(prompt).strip()
    except EOFError:
        # The terminal was closed: nobody is there to accept anything more.
        raise KeyboardInterrupt from None


def _write(path: Path, accepted: list[Proposal]) -> None:
    from ragstone.files import write

    if not path.absolute().parent.is_dir():
        raise InputError(f"{path}: the folder {path.parent} does not exist")
    held = path.read_text(encoding="utf-8") if path.exists() else ""
    if held and not held.endswith("\n"):
        held += "\n"
    lines = (json.dumps(each.item(), ensure_ascii=False) + "\n" for each in accepted)
    write(path, held + "".join(lines))


ACTIONS = {
    "lint": (
        "list weak phrases, questions that repeat or contradict each other, and lost evidence",
        _configure_lint,
        lint,
    ),
    "new": ("propose items from documents, to accept or drop", _configure_new, new),
    "from-traces": (
        "propose items from what was asked: what fails first, then what gold does not ask yet",
        gold_from_traces.configure,
        gold_from_traces.run,
    ),
    "type": (
        "propose typed answers for phrases that are numbers, dates, yes or no, or sentences",
        gold_type.configure,
        gold_type.run,
    ),
    "freeze": (
        "sign the gold set off: a change is not scored until it is signed off again",
        gold_freeze.configure_freeze,
        gold_freeze.freeze,
    ),
    "verify": (
        "say whether the gold set is as it was frozen",
        gold_freeze.configure_verify,
        gold_freeze.verify,
    ),
    "check": (
        "say whether each item's evidence is alive, moved, changed or gone",
        gold_check.configure,
        gold_check.run,
    ),
    "diff": (
        "say what changed in the gold set, for a terminal or a pull request",
        gold_versions.configure,
        gold_versions.run,
    ),
}
