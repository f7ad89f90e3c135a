"""Turn another tool's files into traces or a gold set, and count what was lost."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.cli.common import as_json, config_of, must_not_replace, say
from ragstone.cli.flags import add_errors, add_json, flag
from ragstone.errors import ConfigError, InputError
from ragstone.progress import counting, doing

if TYPE_CHECKING:
    from ragstone.engine.duck import Duck
    from ragstone.formats.declared_format import Format
    from ragstone.formats.translate import Translated


def configure(parser: argparse.ArgumentParser) -> None:
    flag(parser, "FILE", "the other tool's files: paths, globs, or -", nargs="*")
    flag(parser, "--from NAME", "they hold traces, in this format", dest="from_")
    flag(parser, "--gold-from NAME", "they hold a gold set, in this format")
    flag(
        parser,
        "-o --output FILE",
        "the file to write: JSON Lines, or Parquet if its name ends in .parquet",
    )
    flag(parser, "--list", "list the formats")
    add_errors(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from ragstone.cli.check import check_lines
    from ragstone.contracts.sources import find
    from ragstone.engine.duck import Duck
    from ragstone.formats.translate import Limits, translate
    from ragstone.suites.registry import records

    config = config_of(arguments)
    if arguments.list:
        _list(config.formats)
        return 0
    format = _format(arguments, config.formats)
    if not arguments.file:
        raise ConfigError("no file: give the files to convert, or - for standard input")
    if not arguments.output:
        raise ConfigError("no output: give -o FILE, such as -o traces.jsonl")
    steps = {"translating": 70, "checking": 10, "writing": 20}
    with Duck(arguments.threads) as duck, doing("convert", steps=steps):
        sources = find(arguments.file, format.reads, duck.scratch)
        must_not_replace(argparse.Namespace(output=[arguments.output]), sources)
        found = translate(format, sources, duck.scratch, Limits(arguments.threads))
        record = records()["trace" if format.reads == "traces" else "gold"]
        if not found.came_out:
            reasons = "; ".join(found.losses())
            said = f": {reasons}" if reasons else ""
            raise InputError(f"nothing came out of {found.came_in:,} {format.unit}{said}")
        lines = found.came_out
        with doing("checking", lines, "lines", duck.share, step="checking"):
            check_lines(duck, found.sources, record, {}, "checked")
        with doing("writing", lines, "lines", duck.share, step="writing"):
            _write(duck, found, arguments.output)
    _tell(found, arguments)
    return 0


def _format(arguments: argparse.Namespace, own: dict[str, dict[str, object]]) -> Format:
    from ragstone.formats.known_formats import find_format

    if (arguments.from_ is None) == (arguments.gold_from is None):
        raise ConfigError("give one of --from NAME and --gold-from NAME (--list shows the names)")
    if arguments.from_ is not None:
        return find_format(arguments.from_, "traces", own)
    return find_format(arguments.gold_from, "gold", own)


def _list(own: dict[str, dict[str, object]]) -> None:
    from ragstone.formats.known_formats import every_format, own_format

    for format in (*every_format(), *(own_format(name, table) for name, table in own.items())):
        say(f"{format.flag:24} {format.says}")


def _write(duck: Duck, found: Translated, output: str) -> None:
    """The lines in a file, whole or not at all."""
    from ragstone.engine.duck import identifier, listed, quoted
    from ragstone.files import write_lines
    from ragstone.scratch import keep

    made = f"read_parquet({listed([str(source.path) for source in found.sources])})"
    own = [identifier(name) for name in duck.columns(made) if not name.startswith("from_")]
    rows = f"select {', '.join(own)} from {made}"
    if Path(output).suffix.lower() == ".parquet":
        path = keep(duck.scratch, ())
        duck.run(f"copy ({rows}) to {quoted(str(path))} (format parquet, use_tmp_file false)")
        with path.open("rb") as file:
            write_lines(output, iter(lambda: file.read(1 << 20), b""))
        return
    # What a line does not say is not there: a merge takes out what is null.
    lines = duck.stream(f"select json_merge_patch('{{}}', to_json(made)) from ({rows}) as made")
    written = counting(lines, f"writing {output}", "lines", found.came_out)
    write_lines(output, (f"{line}\n".encode() for (line,) in written))


def _tell(found: Translated, arguments: argparse.Namespace) -> None:
    from ragstone.report.text import visible

    if arguments.json:
        said = {
            "format": found.format.name,
            "came_in": found.came_in,
            "used": found.used,
            "came_out": found.came_out,
            "lost": {each.why: each.count for each in found.lost},
            "lacks": {each.why: each.count for each in found.lacks},
        }
        say(as_json(said))
    elif not arguments.quiet:
        say(visible(f"{arguments.output}: {found.came}"))
        for loss in found.losses():
            say(visible(f"  {loss}"))
