"""What every command shares: flags that mean the same everywhere, the file, and the output."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.errors import ConfigError, InputError
from ragstone.gates.config import Config, find, read

if TYPE_CHECKING:
    from ragstone.report.model import Report


def add_everywhere(parser: argparse.ArgumentParser) -> None:
    """The flags of every command."""
    group = parser.add_argument_group("everywhere")
    group.add_argument("--quiet", action="store_true", help="print the result and nothing else")
    group.add_argument("--debug", action="store_true", help="show tracebacks")


def add_config(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("configuration")
    group.add_argument("--config", metavar="FILE", help="read this file instead of ragstone.toml")
    group.add_argument(
        "--no-config", action="store_true", help="do not look for ragstone.toml; defaults only"
    )


def add_engine(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("running")
    group.add_argument(
        "--threads", type=_threads, metavar="N", help="threads to use (default: all)"
    )
    group.add_argument("--all-errors", action="store_true", help="list every bad line, not just 20")


def add_output(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="one JSON object on standard output")
    group.add_argument(
        "-f",
        "--format",
        metavar="FORMAT",
        help="what to print: terminal, json, markdown, html, junit, sarif, github",
    )
    group.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        action="append",
        default=[],
        help="also write FILE, in the format of its extension; may be repeated",
    )


def _threads(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, found {text!r}")
    return int(text)


def config_of(arguments: argparse.Namespace) -> Config:
    """The configuration in force: the named file, the nearest one upwards, or none."""
    if arguments.config is not None:
        path = Path(arguments.config)
        if not path.is_file():
            raise ConfigError(f"{path} does not exist")
        return read(path)
    if arguments.no_config:
        return Config()
    found = find(Path.cwd())
    return Config() if found is None else read(found)


def resolve_path(given: str, base: Path | None) -> str:
    """A path of the configuration file, seen from the working folder."""
    if base is None or given == "-" or Path(given).is_absolute():
        return given
    joined = base.resolve().parent / given
    here = Path.cwd()
    return str(joined.relative_to(here)) if joined.is_relative_to(here) else str(joined)


def check_output(arguments: argparse.Namespace) -> None:
    """Says what is wrong with the output flags before anything is scored."""
    from ragstone.report.formats import ALIASES, FORMATS, format_of

    wanted = arguments.format
    if wanted is not None and ALIASES.get(wanted, wanted) not in FORMATS:
        raise ConfigError(f"there is no format {wanted!r}; known: {', '.join(FORMATS)}")
    if arguments.json and wanted not in (None, "json"):
        raise ConfigError(f"--json and -f {wanted} cannot be given together")
    for name in arguments.output:
        format_of(name)
        folder = Path(name).parent
        if not folder.is_dir():
            raise InputError(f"{name}: the folder {folder} does not exist")
        if Path(name).is_dir():
            raise InputError(f"{name} is a folder; give a file name")


def wants(arguments: argparse.Namespace, *formats: str) -> bool:
    """Whether any of these formats will be printed or written."""
    from ragstone.report.formats import ALIASES, format_of

    used = {format_of(name) for name in arguments.output}
    used.add(ALIASES.get(arguments.format, arguments.format))
    return bool(used & set(formats))


def emit(report: Report, arguments: argparse.Namespace) -> None:
    """Writes the files, then prints the result."""
    from ragstone.report.formats import format_of, render, write

    for name in arguments.output:
        write(name, render(report, format_of(name)))
    kind = "json" if arguments.json else (arguments.format or "terminal")
    if kind == "json" and not arguments.quiet:
        for warning in report.warnings:
            print(f"ragstone: warning: {warning}", file=sys.stderr)
    width = min(shutil.get_terminal_size((100, 24)).columns, 120)
    say(render(report, kind, color=colored(), width=width))
    if arguments.output and not arguments.quiet:
        print(f"wrote {', '.join(arguments.output)}", file=sys.stderr)


def colored() -> bool:
    """Colours only for a person at a terminal who has not asked for none."""
    return (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


def say(text: str) -> None:
    """Text on standard output as UTF-8, whatever the locale: the same bytes everywhere."""
    if not text.endswith("\n"):
        text += "\n"
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()
