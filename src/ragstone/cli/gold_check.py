"""`ragstone gold check`: whether the evidence of each item is alive, moved, changed or gone."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ragstone.cli.common import as_json, config_of, one_gold_file, say, say_each
from ragstone.cli.flags import add_errors, add_json, add_map, flag
from ragstone.cli.gold_corpus import add_docs, known_chunks, read_gold
from ragstone.errors import ConfigError
from ragstone.progress import doing
from ragstone.suites.config_file import mapping_in

if TYPE_CHECKING:
    from ragstone.tools.evidence_fates import Fates


def configure(parser: argparse.ArgumentParser) -> None:
    flag(parser, "GOLD", "the gold set (paths.gold)", nargs="?")
    add_docs(parser)
    flag(parser, "--manifest FILE", "a chunk manifest, such as manifest.jsonl of an index")
    flag(
        parser, "--trace FILE", "traces: ids that occur there, and the texts they carry", nargs="+"
    )
    add_json(parser)
    add_map(parser)
    add_errors(parser)


def run(arguments: argparse.Namespace) -> int:
    from ragstone.engine.duck import Duck
    from ragstone.tools.evidence_fates import fates
    from ragstone.tools.known_chunks import joined

    if not (arguments.docs or arguments.manifest or arguments.trace):
        raise ConfigError("what is the evidence looked for in? Give --docs, --manifest or --trace")
    config = config_of(arguments)
    mapping = mapping_in(config, arguments)
    with doing("gold check", steps={"gold": 20, "corpus": 40, "evidence": 40}):
        with Duck(arguments.threads) as duck:
            files = one_gold_file(arguments, config, duck.scratch, "check")
            with doing("reading", step="gold"):
                gold, _ = read_gold(duck, files, mapping)
            with doing("reading", step="corpus"):
                known = known_chunks(arguments, duck, mapping)
        found = fates(gold, joined(known.values()))
    _tell(arguments, found, len(gold))
    return 0 if found.counts["alive"] == len(found.by_item) else 1


def _tell(arguments: argparse.Namespace, found: Fates, total: int) -> None:
    from ragstone.report.text import counted, visible

    lost = [each for each in found.evidence if each.fate != "alive"]
    if arguments.json:
        made = {
            "items": total,
            "without_evidence": found.without,
            **found.counts,
            "evidence": [
                {"qid": e.qid, "id": e.id, "fate": e.fate, "to": list(e.to), "says": e.says}
                for e in lost
            ],
            "pass": not lost,
        }
        say(as_json(made))
        return
    said: dict[str, list[str]] = {}
    for each in lost:
        said.setdefault(each.qid, []).append(each.says)
    worst = found.by_item
    lines = (
        visible(f"{qid}: {worst[qid]}: {'; '.join(sentences)}") for qid, sentences in said.items()
    )
    say_each(lines, len(said))
    if not arguments.quiet:
        counts = ", ".join(f"{count:,} {fate}" for fate, count in found.counts.items() if count)
        none = f", {found.without:,} without evidence" if found.without else ""
        say(f"{counted(total, 'item')}: {counts or 'none alive'}{none}")
