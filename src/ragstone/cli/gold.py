"""Look after a gold set. `lint` says what is weak about it that no contract forbids."""

from __future__ import annotations

import argparse
import dataclasses
import json
from typing import TYPE_CHECKING

from ragstone.cli.common import add_config, add_engine, add_everywhere, config_of, resolve_path, say
from ragstone.errors import ConfigError, InputError

if TYPE_CHECKING:
    from ragstone.contracts.sources import Source
    from ragstone.engine.duck import Duck
    from ragstone.suites.answers.lint import Weakness

EXAMPLE = """\
examples:
  ragstone gold lint eval/gold.jsonl
  ragstone gold lint eval/gold.jsonl --trace runs/*.jsonl --strict
"""


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    lint = actions.add_parser(
        "lint",
        help="short or trivial substrings, repeated questions, evidence no trace has",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    lint.add_argument("gold", metavar="GOLD", nargs="?", help="the gold set (paths.gold)")
    lint.add_argument("--trace", metavar="FILE", nargs="+", help="traces, to see which ids occur")
    lint.add_argument("--strict", action="store_true", help="exit 1 if anything is weak")
    lint.add_argument("--json", action="store_true", help="one JSON object on standard output")
    add_config(lint)
    add_engine(lint)
    add_everywhere(lint)


def run(arguments: argparse.Namespace) -> int:
    from ragstone.contracts.sources import find
    from ragstone.engine.duck import Duck
    from ragstone.suites.answers.lint import lint, retrieved_ids

    config = config_of(arguments)
    given = arguments.gold
    if given is None and config.gold is not None:
        given = resolve_path(config.gold, config.path)
    if given is None:
        raise ConfigError("no gold set: give its file, or set paths.gold in ragstone.toml")
    with Duck(arguments.threads) as duck:
        gold = find(given, "gold", duck.scratch)
        if len(gold) > 1:
            raise InputError(f"{given} matches {len(gold)} files; lint one gold set at a time")
        items = _items(duck, gold)
        seen = None
        if arguments.trace:
            seen = retrieved_ids(_items(duck, find(arguments.trace, "trace", duck.scratch)))
        weak = lint(items, seen)
    _show(weak, len(items), arguments)
    return 1 if weak and arguments.strict else 0


def _items(duck: Duck, sources: tuple[Source, ...]) -> list[dict[str, object]]:
    """The parsed lines of files that keep their contract."""
    from ragstone.contracts.diagnose import numbered
    from ragstone.contracts.strict_json import parse
    from ragstone.engine.load import as_jsonl, lines_of

    items = []
    for source in sources:
        plain = as_jsonl(duck, source)
        for _, line in numbered(lines_of(duck, plain)):
            value = parse(line)
            if isinstance(value, dict):
                items.append(value)
    return items


def _show(weak: list[Weakness], items: int, arguments: argparse.Namespace) -> None:
    if arguments.json:
        rules = sorted({found.rule for found in weak})
        counts = {rule: sum(found.rule == rule for found in weak) for rule in rules}
        made = {
            "items": items,
            "weaknesses": [dataclasses.asdict(found) for found in weak],
            "rules": counts,
            "pass": not weak,
        }
        say(json.dumps(made, ensure_ascii=False, indent=2))
        return
    for found in weak:
        say(f"{found.qid}: {found.rule}: {found.says}")
    if not arguments.quiet:
        say(f"{items:,} items, {len(weak):,} to look at" if weak else f"{items:,} items, all sound")
