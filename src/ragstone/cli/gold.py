"""Look after a gold set. `lint` says what is weak about it that no contract forbids; `new` proposes
items from documents."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ragstone.cli import gold_new
from ragstone.cli.common import (
    add_errors,
    add_everywhere,
    add_map,
    config_of,
    mapping_in,
    resolve_path,
    say,
)
from ragstone.contracts.record import mapping_of
from ragstone.contracts.records.gold_record import GOLD
from ragstone.contracts.records.trace_records import TRACE
from ragstone.errors import ConfigError, ContractError, Diagnostic, InputError

if TYPE_CHECKING:
    from ragstone.contracts.record import Record
    from ragstone.contracts.sources import Source
    from ragstone.engine.duck import Duck
    from ragstone.suites.answers.lint import Weakness

EXAMPLE = """\
examples:
  ragstone gold lint eval/gold.jsonl
  ragstone gold lint eval/gold.jsonl --trace runs/*.jsonl --strict
  ragstone gold lint retrieval.jsonl --manifest manifest.jsonl
  ragstone gold new --docs docs/ -o eval/gold.jsonl
"""


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    lint = actions.add_parser(
        "lint",
        help="short or trivial substrings, repeated questions, evidence no trace has",
        epilog=EXAMPLE,
    )
    lint.add_argument("gold", metavar="GOLD", nargs="?", help="the gold set (paths.gold)")
    lint.add_argument("--trace", metavar="FILE", nargs="+", help="traces, to see which ids occur")
    lint.add_argument(
        "--manifest", metavar="FILE", help="for retrieval gold: the chunks its ids must be of"
    )
    lint.add_argument("--strict", action="store_true", help="exit 1 if anything is weak")
    lint.add_argument("--json", action="store_true", help="one JSON object on standard output")
    add_map(lint)
    add_errors(lint)
    add_everywhere(lint)
    lint.set_defaults(parser=lint, act=run_lint)
    gold_new.configure(
        actions.add_parser(
            "new", help="propose items from documents, to accept or drop", epilog=gold_new.EXAMPLE
        )
    )


def run(arguments: argparse.Namespace) -> int:
    return int(arguments.act(arguments))


def run_lint(arguments: argparse.Namespace) -> int:
    from ragstone.contracts.sources import find
    from ragstone.engine.duck import Duck
    from ragstone.suites.answers.lint import lint, retrieved_ids

    config = config_of(arguments)
    mapping = mapping_in(config, arguments.map)
    given = arguments.gold
    if given is None and config.gold is not None:
        given = resolve_path(config.gold, config.path)
    if given is None:
        raise ConfigError("no gold set: give its file, or set paths.gold in ragstone.toml")
    with Duck(arguments.threads) as duck:
        gold = find(given, "gold", duck.scratch)
        if len(gold) > 1:
            raise InputError(f"{given} matches {len(gold)} files; lint one gold set at a time")
        if _is_retrieval(duck, gold[0]):
            return _lint_retrieval(duck, gold, mapping, arguments)
        items = _items(duck, GOLD, gold, mapping)
        if not items:
            raise ContractError([Diagnostic(gold[0].name, 1, "qid", "the gold file holds no item")])
        seen = None
        if arguments.trace:
            traces = find(arguments.trace, "trace", duck.scratch)
            seen = retrieved_ids(_items(duck, TRACE, traces, mapping))
        weak = lint(items, seen)
    _show(weak, len(items), arguments)
    return 1 if weak and arguments.strict else 0


def _is_retrieval(duck: Duck, source: Source) -> bool:
    """Whether the first line that can be read names what only a retrieval gold set has."""
    from ragstone.contracts.diagnose import numbered
    from ragstone.contracts.strict_json import NotJson, parse
    from ragstone.engine.read_lines import as_jsonl, lines_of

    for _, line in numbered(lines_of(duck, as_jsonl(duck, source))):
        try:
            value = parse(line)
        except NotJson:
            continue
        return isinstance(value, dict) and ("relevant" in value or "paraphrases" in value)
    return False


def _lint_retrieval(
    duck: Duck,
    gold: tuple[Source, ...],
    mapping: Mapping[str, str],
    arguments: argparse.Namespace,
) -> int:
    """The same for a retrieval gold set."""
    from ragstone.contracts.records.retrieval_records import MANIFEST, RETRIEVAL_GOLD
    from ragstone.contracts.sources import find
    from ragstone.suites.retrieval.lint import lint

    items = _items(duck, RETRIEVAL_GOLD, gold, mapping)
    chunks = None
    if arguments.manifest:
        files = find(arguments.manifest, "manifest", duck.scratch)
        chunks = _items(duck, MANIFEST, files, mapping)
    weak = lint(items, chunks)
    _show(weak, len(items), arguments)
    return 1 if weak and arguments.strict else 0


def _items(
    duck: Duck, record: Record, sources: tuple[Source, ...], mapping: Mapping[str, str]
) -> list[dict[str, object]]:
    """The lines of files that keep their contract, each field under its own name."""
    from ragstone.contracts.diagnose import diagnose, numbered
    from ragstone.contracts.strict_json import parse
    from ragstone.engine.read_lines import as_jsonl, lines_of

    names = mapping_of(record, mapping)
    unique = {"gold": "qid", "retrieval_gold": "qid", "manifest": "id"}.get(record.name)
    plain = [as_jsonl(duck, source) for source in sources]
    bad = [
        found
        for source in plain
        for found in diagnose(record, source.name, lines_of(duck, source), names, unique)
    ]
    if bad:
        raise ContractError(bad)
    values = (parse(line) for source in plain for _, line in numbered(lines_of(duck, source)))
    return [_named(record, value, names) for value in values if isinstance(value, dict)]


def _named(record: Record, value: dict[str, object], names: Mapping[str, str]) -> dict[str, object]:
    """The line as if its fields had never had other names."""
    from ragstone.contracts.record import look_up

    made = dict(value)
    for field in record.fields:
        found = look_up(field, value, names)[1]
        if field.name not in names or found is None:
            continue
        inside: dict[str, object] = made
        for key in field.path[:-1]:
            below = inside.get(key)
            inside[key] = inside = dict(below) if isinstance(below, dict) else {}
        inside[field.leaf] = found
    return made


def _show(weak: list[Weakness], items: int, arguments: argparse.Namespace) -> None:
    from ragstone.report.jsonout import dumps
    from ragstone.report.text import visible

    if arguments.json:
        rules = sorted({found.rule for found in weak})
        say(
            dumps(
                {
                    "items": items,
                    "weaknesses": [dict(dataclasses.asdict(found)) for found in weak],
                    "rules": {rule: sum(found.rule == rule for found in weak) for rule in rules},
                    "pass": not weak,
                }
            )
        )
        return
    for found in weak:
        say(visible(f"{found.qid or 'gold'}: {found.rule}: {found.says}"))
    if not arguments.quiet:
        say(f"{items:,} items, {len(weak):,} to look at" if weak else f"{items:,} items, all sound")
        if not arguments.trace:
            say("no traces were given, so ids that never occur were not looked for")
