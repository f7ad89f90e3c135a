"""The flags that several commands have, each declared once."""

from __future__ import annotations

import argparse
import re
from typing import Any

from ragstone.contracts.kinds import MOST
from ragstone.contracts.plain_numbers import RANGE, clipped, real_number, whole_number
from ragstone.suites.option_fields import MOST_THREADS, Declared, declared
from ragstone.suites.options import Options


def flag(group: argparse._ActionsContainer, words: str, says: str, **more: Any) -> None:
    """Adds a flag as a help text shows it: `--fast` is a switch, `-o --out FILE` takes a word.

    `DIR` alone is an argument without a flag. What is used when nothing is given follows in
    brackets.
    """
    *names, last = words.split()
    if last.startswith("-"):
        names.append(last)
        if "choices" not in more:
            more["action"] = "store_true"
    else:
        more["metavar"] = last
    default = more.get("default")
    if names and isinstance(default, str | int | float):
        says = f"{says} ({default if isinstance(default, str) else format(default, 'g')})".strip()
    group.add_argument(*names or [last.lower()], help=says, **more)


# Every command takes `--no-config` and `--threads`, so that a script can give them to all. These
# places have no use for them, and their help texts do not show them.
READS_NO_SETTINGS = frozenset(
    (
        *("demo", "explain", "gold new", "index build", "index diff", "index query"),
        *("index verify", "init", "migrate", "schema", "vendor"),
    )
)
USES_ONE_THREAD = frozenset(
    (
        *("explain", "gold new", "index build", "index diff", "index query", "index verify"),
        *("init", "latency sweep", "regate", "render", "run", "runs", "runs accept"),
        *("runs export", "runs prune", "runs show", "schema", "serve", "stability run"),
        *("trend", "vendor", "watch"),
    )
)


def add_everywhere(parser: argparse.ArgumentParser, place: str) -> None:
    """The flags of every command; `place` is the command with its action."""
    group = parser.add_argument_group("everywhere")
    if place not in READS_NO_SETTINGS:
        flag(group, "--config FILE", "read this file instead of ragstone.toml")
    unread = argparse.SUPPRESS if place in READS_NO_SETTINGS else None
    flag(group, "--no-config", unread or "ignore ragstone.toml, and use the defaults")
    alone = argparse.SUPPRESS if place in USES_ONE_THREAD else None
    flag(group, "--threads N", alone or "threads to use (default: all)", type=_threads)
    # `-q` of trec is trec_eval's: every question too.
    short = "" if "-q" in parser._option_string_actions else "-q "
    flag(group, f"{short}--quiet", "print the result and nothing else")
    flag(group, "--debug", "show the traceback of an error")


def add_map(parser: argparse._ActionsContainer) -> None:
    for name in ("map", "ids", "allow_key"):
        add_option(parser, next(each for each in declared(Options) if each.name == name))


def add_errors(parser: argparse._ActionsContainer) -> None:
    flag(parser, "--all-errors", "list every bad line, not just 20")


def add_json(parser: argparse._ActionsContainer) -> None:
    flag(parser, "--json", "one JSON object on standard output")


def add_output(parser: argparse.ArgumentParser, *, whole: bool = False) -> None:
    """Where a report goes; `whole` is for commands that always print all of it."""
    group = parser.add_argument_group("output")
    add_json(group)
    kinds = "terminal, json, markdown, html, junit, sarif, github"
    flag(group, "-f --format FORMAT", f"what to print: {kinds}")
    also = "also write FILE, in the format of its extension; may be repeated"
    flag(group, "-o --output FILE", also, action="append", default=[])
    if not whole:
        flag(group, "-v --verbose", "print the whole report, and not only its summary")


def also_writes(parser: argparse.ArgumentParser, what: str) -> None:
    """Says in the help of `-o` what else a file's name can ask this command for."""
    parser._option_string_actions["--output"].help += f"; {what}"  # type: ignore[operator]


def whole(text: str) -> int:
    """A whole number; argparse's own message would speak of an `int value`."""
    found = whole_number(text.strip())
    if found is None:
        raise _no_number("a whole number", text)
    return found


def number(text: str) -> float:
    """A number that every suite can add up."""
    found = real_number(text.strip())
    if found is None or abs(found) > MOST:
        raise _no_number("a number", text)
    return found


def _no_number(wanted: str, text: str) -> argparse.ArgumentTypeError:
    """The range is named only to those who wrote a number that is out of it."""
    within = f" {RANGE}" if re.fullmatch(r"[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?", text) else ""
    return argparse.ArgumentTypeError(f"expected {wanted}{within}, found {clipped(text)}")


def share(text: str) -> float:
    """A part of a whole: from 0 to 1."""
    found = number(text)
    if not 0 <= found <= 1:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to 1, found {clipped(text)}")
    return found


def seconds(text: str) -> float:
    """Parses a duration, or a number a second: above 0."""
    found = number(text)
    if not 0 < found < 1e9:
        raise argparse.ArgumentTypeError(f"expected a number above 0, found {clipped(text)}")
    return found


def utf8(text: str) -> str:
    """Text that can be written into a file: Python carries other bytes as halves of characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError("expected UTF-8") from None
    return text


def within(text: str, most: int) -> int:
    """A whole number of at least 1 and at most `most`."""
    found = whole(text)
    if not 1 <= found <= most:
        raise argparse.ArgumentTypeError(
            f"expected a whole number from 1 to {most}, found {clipped(text)}"
        )
    return found


def _threads(text: str) -> int:
    return within(text, MOST_THREADS)


def add_option(group: argparse._ActionsContainer, each: Declared) -> None:
    """The flag of an option; a flag that is not given is None, so that the file's word counts."""
    option, flags = each.option, each.flags
    says = option.says
    if each.kind is bool:
        off = each.default is True
        if off:
            flags = tuple(f"--no-{flag.removeprefix('--')}" for flag in flags)
        group.add_argument(
            *flags, dest=each.name, action="store_const", const=not off, default=None, help=says
        )
        return
    more: dict[str, Any] = {"dest": each.name, "default": None, "metavar": option.metavar or None}
    if each.choices:
        more |= {"choices": each.choices, "metavar": None}
    if each.kind is int:
        more["type"] = whole
    elif each.kind is float:
        more["type"] = number
    if each.listed or option.words:
        more |= {"nargs": "+", "action": "extend"}
    elif each.default not in (None, ""):
        says = f"{says} ({each.default})"
    group.add_argument(*flags, help=says.replace("%", "%%"), **more)
