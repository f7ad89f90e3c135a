"""What every command shares: flags that mean the same everywhere, the file, and the output."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.errors import ConfigError, InputError
from ragstone.gates.config import Config, checked_mapping, find, read

if TYPE_CHECKING:
    from ragstone.contracts.sources import Source
    from ragstone.report.model import Report


# More than any machine that runs this has; DuckDB starts as many as it is told to, or dies trying.
MOST_THREADS = 1024


def add_everywhere(parser: argparse.ArgumentParser) -> None:
    """The flags of every command, also of those that have no use for one of them."""
    group = parser.add_argument_group("everywhere")
    group.add_argument("--config", metavar="FILE", help="read this file instead of ragstone.toml")
    group.add_argument(
        "--no-config", action="store_true", help="do not look for ragstone.toml; defaults only"
    )
    group.add_argument(
        "--threads", type=_threads, metavar="N", help="threads to use (default: all)"
    )
    group.add_argument("--quiet", action="store_true", help="print the result and nothing else")
    group.add_argument("--debug", action="store_true", help="show tracebacks")


def add_map(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--map", metavar="FIELD=PATH", nargs="+", action="extend", default=[],
        help="read a field from another place, as in claim=answer.text or gold.qid=id",
    )  # fmt: skip


def add_errors(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--all-errors", action="store_true", help="list every bad line, not just 20"
    )


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


def whole(text: str) -> int:
    """A whole number; argparse's own message would speak of an `int value`."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a whole number, found {text!r}") from None


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a number, found {text!r}") from None


def _threads(text: str) -> int:
    found = whole(text)
    if not 1 <= found <= MOST_THREADS:
        raise argparse.ArgumentTypeError(
            f"expected a whole number from 1 to {MOST_THREADS}, found {text!r}"
        )
    return found


def config_of(arguments: argparse.Namespace) -> Config:
    """The configuration in force: the named file, the nearest one upwards, or none."""
    if arguments.config is not None:
        path = Path(arguments.config)
        if not path.exists():
            raise ConfigError(f"{path} does not exist")
        return read(path)
    if arguments.no_config:
        return Config()
    try:
        here = Path.cwd()
    except OSError:
        raise ConfigError("the working folder does not exist any more") from None
    found = find(here)
    if found is None:
        return Config()
    # Messages name it as the user would.
    return read(found.relative_to(here) if found.is_relative_to(here) else found)


def mapping_in(config: Config, items: Sequence[str]) -> dict[str, str]:
    """The file's mapping under the flags'."""
    found = {}
    for item in (part for text in items for part in text.split(",")):
        name, equals, path = item.partition("=")
        if not equals or not name.strip() or not path.strip():
            raise ConfigError(f"--map {item!r}: expected FIELD=PATH, such as claim=answer.text")
        found[name.strip()] = path.strip()
    return {**config.mapping, **checked_mapping(found, "--map ")}


def resolve_path(given: str, base: Path | None) -> str:
    """A path of the configuration file, seen from the working folder."""
    if base is None or given == "-" or Path(given).is_absolute():
        return given
    joined = base.absolute().parent / given
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
        if not name:
            raise ConfigError("-o: the file name is empty")
        format_of(name)
        folder = Path(name).parent
        if not folder.is_dir():
            raise InputError(f"{name}: the folder {folder} does not exist")
        if Path(name).is_dir():
            raise InputError(f"{name} is a folder; give a file name")


def must_not_replace(arguments: argparse.Namespace, sources: Iterable[Source]) -> None:
    """A report must not be written over the gold set or the traces it is about."""
    inputs = {source.path.resolve(): source.name for source in sources}
    for name in arguments.output:
        if Path(name).resolve() in inputs:
            raise ConfigError(f"-o {name} would replace an input")


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
        sys.stdout is not None
        and sys.stdout.isatty()
        and not os.environ.get("NO_COLOR")
        and os.environ.get("TERM") != "dumb"
    )


def as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def say(text: str) -> None:
    """Text on standard output as UTF-8, whatever the locale: the same bytes everywhere.

    A reader that went away (`| head`) or a closed output is the user's choice: the run goes on, and
    its exit code still tells the decision.
    """
    if sys.stdout is None:
        return
    if not text.endswith("\n"):
        text += "\n"
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        drop_stdout()
    except OSError as error:
        drop_stdout()
        raise InputError(f"standard output cannot be written: {error.strerror}") from None


def drop_stdout() -> None:
    """Sends what is still buffered nowhere, or Python would complain about it at its exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
