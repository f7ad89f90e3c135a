"""The flags and inputs that `retrieval`, `calibrate` and `canary` share."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from ragstone.cli.common import add_errors, add_map, mapping_in, number, resolve_path
from ragstone.errors import ConfigError
from ragstone.gates.config import Config

if TYPE_CHECKING:
    from ragstone.suites.retrieval.options import Options


def add_inputs(inputs: argparse._ArgumentGroup) -> None:
    """The inputs that judging and the canary share."""
    inputs.add_argument("--gold", metavar="FILE", help="the retrieval gold set")
    inputs.add_argument(
        "--manifest", metavar="FILE", help="the chunk manifest: sections, offsets, types, texts"
    )
    inputs.add_argument("--texts", metavar="FILE", help="texts of chunks: {id, text} a line")
    add_map(inputs)
    add_errors(inputs)


def add_choices(parser: argparse.ArgumentParser) -> None:
    """How to judge: the same for one index and for two."""
    scoring = parser.add_argument_group("scoring")
    scoring.add_argument(
        "--unit", choices=("bytes", "codepoints", "utf16"),
        help="what offsets count (bytes); others are converted with the texts",
    )  # fmt: skip
    scoring.add_argument(
        "--embedder", metavar="NAME", help="what computes ΔS where the log has none (ngram)"
    )
    scoring.add_argument(
        "--allow-download", action="store_true", help="let the embedder fetch its model"
    )
    deciding = parser.add_argument_group("deciding")
    deciding.add_argument(
        "--index-only", action="store_true",
        help="the logs hold no answers: do not gate coverage and citation accuracy",
    )  # fmt: skip
    deciding.add_argument(
        "--gates", metavar="NAME=NUMBER", nargs="+", action="extend", default=[],
        help="thresholds, over the file's and the defaults; NAME=off drops one",
    )  # fmt: skip
    deciding.add_argument("--strict", action="store_true", help="a vacuous gate is unmeasurable")
    deciding.add_argument(
        "--confidence", type=number, metavar="LEVEL",
        help="gate on the worse end of the interval at this level, as in 0.95",
    )  # fmt: skip
    showing = parser.add_argument_group("showing")
    showing.add_argument(
        "--by", metavar="FIELD", nargs="+", action="extend", default=[],
        help="also by tags, or by any field of the gold items",
    )  # fmt: skip
    showing.add_argument("--all", action="store_true", help="list every row, not just the first 10")


def options_of(arguments: argparse.Namespace, config: Config) -> Options:
    """The file's options under the flags'."""
    from ragstone.gates.judge import split_flags
    from ragstone.suites.retrieval.options import Options

    table = config.suite("retrieval")
    names = ("unit", "embedder", "delta_s_line", "delta_s_line_for", "index_only")
    chosen = {name: table.options[name] for name in names if name in table.options}
    for name in ("unit", "embedder", "confidence"):
        if getattr(arguments, name) is not None:
            chosen[name] = getattr(arguments, name)
    if arguments.index_only:
        chosen["index_only"] = True
    return Options(
        **chosen,  # type: ignore[arg-type]
        allow_download=arguments.allow_download,
        allow_mismatch=getattr(arguments, "allow_mismatch", False),
        gates=(*table.gates, *split_flags(arguments.gates)),
        slices=table.slices,
        by=tuple(name for item in arguments.by for name in item.split(",") if name),
        strict=arguments.strict,
        mapping=mapping_in(config, arguments.map),
    )


def common_inputs(
    arguments: argparse.Namespace, config: Config
) -> tuple[str, str | None, str | None]:
    """Gold, manifest and texts: flags win over the file."""
    found: list[str | None] = []
    for name in ("gold", "manifest", "texts"):
        given = getattr(arguments, name)
        named = config.suite("retrieval").options.get(name)
        if given is None and isinstance(named, str):
            given = resolve_path(named, config.path)
        found.append(given)
    gold, manifest, texts = found
    if gold is None and config.gold is not None and "answers" not in config.suites:
        gold = resolve_path(config.gold, config.path)
    if gold is None:
        raise ConfigError(
            "no gold set: give --gold FILE, or set gold under [retrieval] in ragstone.toml"
        )
    return gold, manifest, texts


def listed(arguments: argparse.Namespace, config: Config, name: str) -> list[str]:
    """The files of one log: the flag's, or the file's."""
    given = getattr(arguments, name)
    if given:
        return list(given)
    named = config.suite("retrieval").options.get(name, [])
    return [resolve_path(str(item), config.path) for item in named if isinstance(named, list)]  # type: ignore[attr-defined]
